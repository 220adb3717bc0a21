"""What is told of values that a live object does not let change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kubectl_trainjob.explain.path import show
from kubectl_trainjob.lint.views import LintedChange, Refused
from kubectl_trainjob.model.hit import Finding

_MOST_RELATED = 5


def told(change: LintedChange, is_meant: Callable[[Refused], bool] = lambda _: True) -> Iterator[Finding]:
    """One finding for all refused values of an object that are meant, at the first; of values that never change, if
    there are any.
    """
    every = [each for each in change.refused if is_meant(each)]
    found = [each for each in every if not each.is_accepted_suspended] or every
    if not found:
        return
    first = found[0]
    # One line often becomes several values: numNodes is parallelism, completions and a variable.
    others = [place for place in dict.fromkeys(each.place for each in found) if place != first.place]
    related = tuple(("this change is refused, too", place) for place in others[:_MOST_RELATED])
    yield Finding(_message(change, first, len(found) - 1), first.place, related)


def _message(change: LintedChange, refused: Refused, others: int) -> str:
    """Names the field as `diff` does, and not its value, which may be secret."""
    path = show(change.old if refused.is_gone else change.new, refused.pointer)
    what = f'"{path}"' + (f" and {others} more" if others else "")
    if refused.is_accepted_suspended:
        return (
            f"{what} can change only while the live job is suspended ({refused.reason}); suspend it first, or give the "
            "job a new name"
        )
    return (
        f"{what} cannot change in a live job, not even while it is suspended ({refused.reason}); give the job a new "
        "name, or delete it first"
    )
