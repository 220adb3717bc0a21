"""What Trainer's admission says to the update of a live TrainJob.

Mirrors the CRDs of Trainer 2.0 to 2.3, and the check of kubeflow/trainer pkg/runtime/framework/plugins/jobset/jobset.go
that looks at the old object: checkPodSpecOverridesImmutability (2.0), checkPodTemplateOverridesImmutability (2.1),
checkRuntimePatchesImmutability (2.2, 2.3). All else that the webhook says of the new object is known from its build.
That no Job is active any more, which the check asks for too, only a cluster can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.admission.spelling import respelled
from kubectl_trainjob.kube.facts.trainer import (
    API_VERSION,
    POD_SPEC_OVERRIDES,
    POD_TEMPLATE_OVERRIDES,
    RUNTIME_PATCHES,
    TRAIN_JOB,
)
from kubectl_trainjob.kube.facts.types import canonical
from kubectl_trainjob.kube.schemas.composites import List, Object
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.updates.applying import applied
from kubectl_trainjob.kube.updates.changed import AS_DECODED, Value, changed
from kubectl_trainjob.kube.updates.parts import Ends
from kubectl_trainjob.kube.updates.refusals import Broken, Refused, always, broken_transitions, verdict_of
from kubectl_trainjob.kube.updates.verdict import State, Verdict
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body

_PATCH_TYPE = "trainer/v1alpha1.RuntimePatch"


class _Overrides(NamedTuple):
    """What changes the runtime's template in a release: the field, its items' Go type, and when it may not change.

    `respells`: whether a mutating webhook stamps the items, and so writes the whole TrainJob anew.
    """

    field: str
    item_type: str
    refused: tuple[State, ...]
    message: str
    respells: bool = False


_SUSPENDED = "can only be modified when the TrainJob is suspended"
_PATCHES = _Overrides(
    RUNTIME_PATCHES,
    "trainer/v1alpha1.RuntimePatch",
    ("running",),
    f"RuntimePatches {_SUSPENDED} before or after the update",
    respells=True,
)
_RELEASES: Mapping[str, _Overrides] = {
    "2.0": _Overrides(
        POD_SPEC_OVERRIDES,
        "trainer-2.0/v1alpha1.PodSpecOverride",
        ("running", "resuming"),
        f"PodSpecOverrides {_SUSPENDED}",
    ),
    "2.1": _Overrides(
        POD_TEMPLATE_OVERRIDES,
        "trainer-2.1/v1alpha1.PodTemplateOverride",
        ("running", "resuming"),
        f"PodTemplateOverrides {_SUSPENDED}",
    ),
    "2.2": _PATCHES,
    "2.3": _PATCHES,
}


def train_job_verdict(old: Body, new: Body, version: str) -> Verdict:
    """What a server with that Trainer says when the TrainJob `new` is applied where one manager applied `old`.

    Both as written, as admitted or as printed. `spec.suspend` is the state's, whatever they say.
    """
    overrides = _RELEASES[version]
    root = schema_for(f"trainer-{version}", API_VERSION, TRAIN_JOB).root
    is_stored, is_updated = respells_on(old, new, root) if overrides.respells else (False, False)
    live = respelled(old, root) if is_stored else old
    merged, emptied = applied(live, old, new, root)
    after = respelled(merged, root) if is_updated else merged
    broken = (_stated(rule, old, new) for rule in broken_transitions(live, after, root))
    return verdict_of([*always(broken), *_overrides(live["spec"], after["spec"], overrides, root)], emptied)


def _stated(rule: Broken, old: Body, new: Body) -> Broken:
    """The rule with values that the objects have: what the webhook adds is told as what holds it."""
    return rule._replace(values=tuple(_holder(value, old, new) for value in rule.values))


def _holder(value: Value, old: Body, new: Body) -> Value:
    if value_at(old if value.is_gone else new, value.pointer) is not None:
        return value
    holder = value.pointer[:-1]
    return Value(holder, is_gone=value_at(new, holder) is None)


def _overrides(old: Body, new: Body, overrides: _Overrides, root: Object) -> Iterator[Refused]:
    field = overrides.field
    if old.get(field) == new.get(field):
        return
    spec = root.fields["spec"]
    assert isinstance(spec, Object)
    place: Pointer = ("spec", field)
    before, after = (_decoded(side.get(field) or [], overrides.item_type) for side in (old, new))
    for value in changed(before, after, spec.fields[field], AS_DECODED, Ends(place, place)):
        yield Refused(overrides.refused, place, overrides.message, value)


def _decoded(items: list[Mapping[str, Any]], item_type: str) -> list[Any]:
    """The items as Go decodes them, but for when they were stamped: the webhook puts the old time back."""
    plain = ({key: value for key, value in item.items() if key != "time"} for item in items)
    return [canonical(item, item_type) for item in plain]


def respells_on(old: Body, new: Body, root: Object) -> tuple[bool, bool]:
    """Whether the creation of the TrainJob `old` changes the spelling of its quantities, and whether its update does.

    Since 2.2 the mutating webhook stamps `runtimePatches`. When it does, the whole TrainJob is decoded, and quantities
    are written back in canonical form (`1000m` becomes "1"). So an immutable field counts as changed although no file
    changed it. Mirrors kubeflow/trainer pkg/webhooks/trainjob_webhook.go (TrainJobDefaulter) and
    sigs.k8s.io/controller-runtime pkg/webhook/admission/defaulter_custom.go (v0.24).
    """
    patches, changes = (side["spec"].get(RUNTIME_PATCHES) or [] for side in (old, new))
    return any(_stamp(patch) is None for patch in patches), _restamps(patches, changes, root)


def _stamp(patch: Mapping[str, Any]) -> Any:
    return patch.get("time")


def _restamps(old: list[Mapping[str, Any]], new: list[Mapping[str, Any]], root: Object) -> bool:
    """Whether an update sets the time of a patch to another one than it states, or has from its creation."""
    known = {patch.get("manager"): patch for patch in old}
    for patch in new:
        before = known.get(patch.get("manager"))
        if before is None:
            if _stamp(patch) is None:
                return True
        elif _stamp(patch) not in (None, _stamp(before)) or _differ(before, patch, root):
            return True
    return False


def _differ(old: Mapping[str, Any], new: Mapping[str, Any], root: Object) -> bool:
    spec = root.fields["spec"]
    assert isinstance(spec, Object)
    patches = spec.fields[RUNTIME_PATCHES]
    assert isinstance(patches, List)
    before, after = (canonical({**patch, "time": None}, _PATCH_TYPE) for patch in (old, new))
    return any(changed(before, after, patches.item, AS_DECODED))
