"""What text, Markdown and HTML say of objects, causes and problems in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kubectl_trainjob.explain.path import show
from kubectl_trainjob.kube.updates.verdict import STATES, Refusal, State
from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.report.blocks import Reason
from kubectl_trainjob.report.diff.alike import Alike, places
from kubectl_trainjob.report.sentence import Data, Sentence, apart, in_short, joined, listed, plural
from kubectl_trainjob.review.diff.changes import Change
from kubectl_trainjob.review.diff.view import CauseView, FileError, ObjectView, Report, SourceLine, Sources

_MOST_WORDS = 1000  # characters of a consequence or reason
_MOST_OVERLAYS = 6  # that are named for one object
_MOST_PLACES = 3  # of one member of a group


def refusals(told: ObjectView) -> list[Reason]:
    """The reasons that no value of the object is marked with, each once."""
    states: dict[tuple[str, str], list[State]] = {}
    for refusal in told.refused:
        states.setdefault((_path(told.change, refusal), refusal.reason), []).append(refusal.state)
    return [
        Reason(path, (f"is refused{f' {when}' if (when := _when(told.change, found)) else ''}: ", *_short(reason)))
        for (path, reason), found in states.items()
    ]


def refused_when(change: Change, refused: Sequence[Refusal]) -> str:
    """When a value is refused; "" where the consequence says it for all values."""
    return _when(change, list(dict.fromkeys(refusal.state for refusal in refused)))


def _when(change: Change, states: list[State]) -> str:
    known = {refusal.state for refusal in change.verdict.refused} if change.verdict else set()
    if known == set(states):
        return ""
    return "in every state" if len(states) == len(STATES) else f"while {listed([*states], 'or')}"


def _path(change: Change, refusal: Refusal) -> str:
    body = change.old if refusal.is_gone else change.new
    return in_short(show(body or {}, refusal.pointer))


def called(identity: ObjectId) -> str:
    """`namespace/name`, or the name where the object states no namespace."""
    return in_short(f"{identity.namespace}/{identity.name}" if identity.namespace else identity.name)


def _of_overlays(overlays: Iterable[str]) -> Sentence:
    """`overlays/dev, overlays/prod and 3 more`."""
    found = list(dict.fromkeys(overlays))
    parts: list[Sentence] = [(Data(in_short(each)),) if each else ("no overlay",) for each in found[:_MOST_OVERLAYS]]
    more = f" and {len(found) - _MOST_OVERLAYS} more" if len(found) > _MOST_OVERLAYS else ""
    return (*joined(parts), more) if more else joined(parts)


class Jobs:
    """Names TrainJobs: with their overlays where several build one of that name."""

    def __init__(self, report: Report) -> None:
        summary = report.difference.summary
        lists = (summary.added, summary.removed, summary.changed, report.difference.unbuilt)
        jobs = {job for jobs in lists for job in jobs} | {job for cause in summary.causes for job in cause.jobs}
        counts = Counter(job.identity for job in jobs)
        self._shared = {identity for identity, count in counts.items() if count > 1}

    def told(self, jobs: Iterable[JobId]) -> list[Sentence]:
        """Each name once, `ml/bert (overlays/dev, overlays/prod)`."""
        overlays: dict[ObjectId, list[str]] = {}
        for job in jobs:
            overlays.setdefault(job.identity, []).append(job.overlay)
        return [self._told(identity, found) for identity, found in overlays.items()]

    def _told(self, identity: ObjectId, overlays: list[str]) -> Sentence:
        name = Data(called(identity))
        return (name, " (", *_of_overlays(overlays), ")") if identity in self._shared else (name,)


def members(group: Alike) -> list[Sentence]:
    """The objects of a group, `ml/bert (renamed from bert-1, of overlays/dev)`; each name once for all overlays."""
    found: dict[tuple[Sentence, ...], list[str]] = {}
    for told in group.members:
        change = told.change
        lines: list[Sentence] = [(Data(at(line)),) for line in places(told, group)[:_MOST_PLACES]]
        about = [part for part in (counterpart(change), made_from(change), *lines) if part]
        found.setdefault(((Data(called(change.identity)),), *about), []).append(change.overlay)
    several = len({change.overlay for change in group.changes}) > 1
    return [_member(*parts, overlays=overlays if several else []) for parts, overlays in found.items()]


def _member(name: Sentence, *about: Sentence, overlays: list[str]) -> Sentence:
    parts = [*about, ("of ", *_of_overlays(overlays))] if any(overlays) else about
    return (*name, " (", *joined(parts), ")") if parts else name


def counterpart(change: Change) -> Sentence:
    """What an object was called before, or is called now; empty for one that keeps its name."""
    other = change.counterpart
    if other is None:
        return ()
    told = Data(called(other) if other.namespace != change.identity.namespace else in_short(other.name))
    return ("renamed from " if change.change == "added" else "renamed to ", told)


def made_from(change: Change) -> Sentence:
    """The TrainJob that the object is made from, where its name does not say so."""
    job = change.job
    if job is None or job.name == change.identity.name:
        return ()
    return ("made from TrainJob ", Data(called(job)))


def consequence(changes: Sequence[Change]) -> Sentence:
    """What the change does in a cluster, as a sentence about the object or each of several.

    Empty where nobody said, and for what is only new.
    """
    if changes[0].change == "added":
        return ()
    told = in_short(changes[0].consequence, _MOST_WORDS)
    return apart(f"{'It' if len(changes) == 1 else 'Each'} {told}.") if told else ()


def named_after(change: Change) -> Sentence:
    """What is to be said of values that stand for those of several objects."""
    return ("The values are those of ", Data(called(change.identity)), "; the others have their own names there.")


def caused(told: CauseView) -> Sentence:
    """What causes a change, and where it stands."""
    gone = " (removed)" if told.cause.is_gone else ""
    return (Data(in_short(told.cause.what)), " in ", Data(at(told.at)), gone)


def new_runs(count: int) -> str:
    """What precedes the names of TrainJobs that are printed as they were."""
    return f"{plural(count, 'TrainJob stays', 'TrainJobs stay')} as written, but a new run becomes something else:"


def found_in(changes: Sequence[Change]) -> Sentence:
    """The namespace and the overlays that all the objects share; empty where there is neither."""
    change = changes[0]
    parts: list[Sentence] = []
    if change.identity.namespace and len({each.identity.namespace for each in changes}) == 1:
        parts.append(("in namespace ", Data(in_short(change.identity.namespace))))
    overlays = {each.overlay for each in changes}
    if len(overlays) > 1:
        parts.append((f"of {len(overlays)} overlays",) if all(overlays) else ())
    elif change.overlay:
        parts.append(("of overlay ", Data(in_short(change.overlay))))
    return joined([part for part in parts if part])


def problem(told: FileError, report: Report) -> Sentence:
    """`a.yaml:4: KTJ201 runtime-not-found in main: ...`."""
    side = {"old": report.old, "new": report.new, "both": ""}[told.side]
    of = (" in ", Data(in_short(side))) if side else ()
    return (Data(at(told.at)), ": ", Data(in_short(f"{told.rule} {told.name}")), *of, ": ", *_short(told.message))


def _short(message: str) -> Sentence:
    return apart(in_short(message, _MOST_WORDS))


def unread(report: Report) -> list[Sentence]:
    """What cannot be read in full, and on which side."""
    found: list[Sentence] = []
    for unit in report.difference.incomplete:
        names = [name for name, is_it in ((report.old, unit.is_old), (report.new, unit.is_new)) if is_it]
        sides: list[Sentence] = [("of ", Data(in_short(name))) for name in names]
        what: Sentence = (Data(in_short(unit.overlay)),) if unit.overlay else ("some files",)
        found.append((*what, " ", *joined(sides, " and ")))
    return found


def where(sources: Sources) -> Sentence:
    """The lines of the old and the new value, `a.yaml:4 → b.yaml:7`, or one: the other is the same, or unknown."""
    old, new = sources
    if old is None or new is None or old == new:
        line = new or old
        return (Data(at(line)),) if line else ()
    return (Data(at(old)), " → ", Data(f":{new.line}" if new.file == old.file else at(new)))


def at(line: SourceLine) -> str:
    """`file:line`."""
    return f"{in_short(line.file)}:{line.line}"
