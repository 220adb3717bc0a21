"""Whether the live objects of a TrainJob are equal to those of a build.

Values that neither Trainer nor a user set do not count: defaults of the server, what webhooks and Kueue added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubectl_trainjob.cluster.live_diff import LiveField, changed_fields
from kubectl_trainjob.kube.facts.trainer import KUEUE_LABEL_PREFIX
from kubectl_trainjob.kube.updates.live import as_applied
from kubectl_trainjob.kube.updates.managed_fields import Fields, managers_of, owned, without
from kubectl_trainjob.model.source import ABSENT, show_pointer
from kubectl_trainjob.model.stages import Body, ObjectId

TRAINER = "trainer"
"""The field manager of Trainer. What webhooks change of its requests has it, too, with operation Update."""
_OTHERS = frozenset({(TRAINER, "Update"), ("kueue", "Update")})
_COMPARED = ("f:spec", "f:data")
_COMPARED_METADATA = ("f:labels", "f:annotations")
_EMPTY: tuple[object, ...] = (ABSENT, None, {}, [])
_MOST_FIELDS = 3


def object_differences(
    built: Mapping[ObjectId, Body], live: Mapping[ObjectId, Body], trainer: str
) -> Iterator[tuple[ObjectId, str]]:
    """Each object that differs, and how; `trainer` is the release of Trainer."""
    for identity, body in built.items():
        if identity not in live:
            yield identity, "was not created by Trainer"
        elif fields := [*_changed(live[identity], body, trainer)]:
            yield identity, f"differs in {_listed(fields)}"
    for identity in live.keys() - built.keys():
        yield identity, "is created only by Trainer"


def _changed(live: Body, body: Body, trainer: str) -> Iterator[LiveField]:
    wanted, fields = _without_moved(body, live), _set_fields(live)
    after = as_applied(live, owned(live, fields), wanted, trainer)
    if after is None:
        after = _merged(without(live, fields), wanted)
    found = changed_fields(live, after, trainer)
    return (each for each in found if each.live not in _EMPTY or each.desired not in _EMPTY)


def _without_moved(body: Body, live: Body) -> Body:
    """A built object without the labels of Kueue that Trainer leaves on the TrainJob."""
    metadata, known = body["metadata"], live["metadata"].get("labels") or {}
    labels = metadata.get("labels") or {}
    kept = {key: each for key, each in labels.items() if key in known or not key.startswith(KUEUE_LABEL_PREFIX)}
    rest = {key: each for key, each in metadata.items() if key != "labels"}
    return {**body, "metadata": {**rest, "labels": kept} if kept else rest}


def _set_fields(live: Body) -> Fields:
    """What Trainer and users set of a live object."""
    found: Fields = {}
    for manager, operation, fields in managers_of(live):
        if (manager, operation) not in _OTHERS:
            found = _merged(found, _compared(fields))
    return found


def _compared(fields: Fields) -> Fields:
    metadata = {key: each for key, each in fields.get("f:metadata", {}).items() if key in _COMPARED_METADATA}
    kept = {key: each for key, each in fields.items() if key in _COMPARED}
    return {**kept, "f:metadata": metadata} if metadata else kept  # an empty mapping would mean all of it


def _merged(old: Any, new: Any) -> Any:
    """A mapping with the values of another one, recursively."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{key: _merged(old[key], each) if key in old else each for key, each in new.items()}}


def _listed(fields: Sequence[LiveField]) -> str:
    """The first paths, with the managers that changed them after Trainer; no values."""
    shown = [_field_text(each) for each in fields[:_MOST_FIELDS]]
    more = len(fields) - _MOST_FIELDS
    return ", ".join([*shown, *([f"and {more} more"] if more > 0 else [])])


def _field_text(field: LiveField) -> str:
    is_foreign = field.manager not in ("", TRAINER)
    return show_pointer(field.pointer) + (f" (owned by {field.manager})" if is_foreign else "")
