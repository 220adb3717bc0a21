"""What an apply would change in the cluster, field by field, and the owner of each live value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.apply import as_if_written, check_all, look_up
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.parent import Store
from kubectl_trainjob.cluster.plan import ApplyPlan
from kubectl_trainjob.cluster.result import ObjectResult
from kubectl_trainjob.cluster.run_check import server_content
from kubectl_trainjob.cluster.steps import ApplyOptions, Step, Work
from kubectl_trainjob.compiler.executor import Progress
from kubectl_trainjob.kube.facts.masking import value_without_secrets
from kubectl_trainjob.kube.updates.live import frozen_changes
from kubectl_trainjob.kube.updates.managed_fields import ListMembers, covers, managers_of
from kubectl_trainjob.model.secrets import MASK
from kubectl_trainjob.model.source import ABSENT, Pointer
from kubectl_trainjob.model.stages import Body


class LiveField(NamedTuple):
    """A field that differs: ABSENT where the live or the desired object has none. `manager` owns the live value, "" for
    none.
    """

    pointer: Pointer
    live: Any
    desired: Any
    manager: str = ""
    operation: str = ""
    is_frozen: bool = False


class LiveObject(NamedTuple):
    """An object that differs, and the result that an apply would have."""

    result: ObjectResult
    fields: tuple[LiveField, ...] = ()


def live_diff(plan: ApplyPlan, options: ApplyOptions, store: Store, api: Api, progress: Progress) -> list[LiveObject]:
    """The objects that differ, in the order of an apply; nothing is written."""
    work = look_up(plan, options, store, api, progress)
    steps = check_all(work, plan.objects)
    return [_object(work, step) for step in steps if step.is_write or step.result.message]


def _object(work: Work, step: Step) -> LiveObject:
    result = as_if_written(step).result
    after = _after(work, step)
    if step.live is None or after is None:
        return LiveObject(result)
    return LiveObject(result, tuple(changed_fields(step.live, after, work.trainer)))


def _after(work: Work, step: Step) -> Body | None:
    """The object after the apply; without an answer of the server, computed by our rules."""
    if step.live is None or (step.plan != "apply" and step.result.reason != "Conflict"):
        return step.after
    try:
        answer: Body = work.api.apply(step.body or step.desired.body, dry_run=True, force=True)
    except ApiError:
        return step.after
    return answer


def changed_fields(live: Body, after: Body, trainer: str) -> Iterator[LiveField]:
    """The fields that differ between a live object and another state of it; `trainer` is the release of Trainer."""
    frozen = set(frozen_changes(live, after, trainer))
    around = {each[:length] for each in frozen for length in range(len(each))}
    owners, known = list(managers_of(live)), dict[int, ListMembers]()
    for pointer, old, new in differences(server_content(live), server_content(after)):
        owner = next((each for each in owners if covers(live, each[2], pointer, known)), ("", "", {}))
        is_frozen = pointer in around or any(pointer[:length] in frozen for length in range(len(pointer) + 1))
        secret = live["kind"] == "Secret" and pointer[0] in ("data", "stringData")
        values = [MASK if secret and each is not ABSENT else each for each in (old, new)]
        for body in (live, after):  # the position is that of either one
            values = [value_without_secrets(each, body, pointer) for each in values]
        yield LiveField(pointer, values[0], values[1], owner[0], owner[1], is_frozen)


def differences(old: Any, new: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any, Any]]:
    """The smallest values that differ; items of lists are compared by their names, else by their positions."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from differences(old.get(key, ABSENT), new.get(key, ABSENT), (*at, key))
    elif isinstance(old, list) and isinstance(new, list) and (pairs := _pairs(old, new)) is not None:
        for index, before, after in pairs:
            yield from differences(before, after, (*at, index))
    else:
        yield at, old, new


def _pairs(old: list[Any], new: list[Any]) -> list[tuple[int, Any, Any]] | None:
    """Items with the same name, at the position in the old list; what only the new list has, at its position there."""
    if len(old) == len(new) and not all(isinstance(each, dict) for each in (*old, *new)):
        return None
    before, after = _by_name(old), _by_name(new)
    if before is None or after is None:
        if len(old) != len(new):
            return None
        return [(index, *pair) for index, pair in enumerate(zip(old, new, strict=True))]
    named = dict.fromkeys((*before, *after))
    places = {name: before.get(name, after.get(name, (0, ABSENT)))[0] for name in named}
    return [(places[name], before.get(name, (0, ABSENT))[1], after.get(name, (0, ABSENT))[1]) for name in named]


def _by_name(items: list[Any]) -> Mapping[str, tuple[int, Any]] | None:
    found = {
        item["name"]: (index, item) for index, item in enumerate(items) if isinstance(item, dict) and "name" in item
    }
    return found if len(found) == len(items) else None
