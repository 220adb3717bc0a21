"""How Trainer's admission checks the update of a live TrainJob or runtime.

Mirrors the CRDs of Trainer 2.0 to 2.3, and the check of kubeflow/trainer pkg/runtime/framework/plugins/jobset/jobset.go
that reads the old object: checkPodSpecOverridesImmutability (2.0), checkPodTemplateOverridesImmutability (2.1),
checkRuntimePatchesImmutability (since 2.2). The webhooks' other checks read only the new object, as a build does. That
check also requires that no Job is active, which only a cluster knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.admission.spelling import respell
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.supported import NEXT
from kubectl_trainjob.kube.facts.types import canonical
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.updates.applying import ATOMIC_IN_JOBSETS, applied
from kubectl_trainjob.kube.updates.differences import AS_DECODED, ChangedValue, PairedPart, changed_values
from kubectl_trainjob.kube.updates.result import State, UpdateResult
from kubectl_trainjob.kube.updates.transitions import BrokenRule, ImmutableValue, always, broken_rules, result_of
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body

_PATCH_TYPE = "trainer/v1alpha1.RuntimePatch"


class _OverridesField(NamedTuple):
    """The field that changes the runtime's template in a release: its items' Go type, and when it may not change.

    `respells`: whether a mutating webhook stamps the items, and then writes the whole TrainJob again.
    """

    name: str
    item_type: str
    rejected: tuple[State, ...]
    message: Message
    respells: bool = False


_PATCHES = _OverridesField(
    trainer.RUNTIME_PATCHES,
    _PATCH_TYPE,
    ("running",),
    say("RuntimePatches can only be modified when the TrainJob is suspended before or after the update"),
    respells=True,
)
_RELEASES: Mapping[str, _OverridesField] = {
    **dict.fromkeys(("2.2", "2.3", NEXT), _PATCHES),
    "2.0": _OverridesField(
        trainer.POD_SPEC_OVERRIDES,
        "trainer-2.0/v1alpha1.PodSpecOverride",
        ("running", "resuming"),
        say("PodSpecOverrides can only be modified when the TrainJob is suspended"),
    ),
    "2.1": _OverridesField(
        trainer.POD_TEMPLATE_OVERRIDES,
        "trainer-2.1/v1alpha1.PodTemplateOverride",
        ("running", "resuming"),
        say("PodTemplateOverrides can only be modified when the TrainJob is suspended"),
    ),
    "2.2.0": _PATCHES._replace(
        rejected=("running", "resuming"),
        message=say("RuntimePatches can only be modified when the TrainJob is suspended"),
    ),
}


def check_runtime_update(old: Body, new: Body, version: str) -> UpdateResult:
    """The server's answer when the runtime `new` is applied and one manager applied `old` before.

    Both as written or as admitted. The result is the same in every state.
    """
    schema = schema_for(f"trainer-{version}", str(new["apiVersion"]), str(new["kind"]))
    after, emptied = applied(old, old, new, schema.root, ATOMIC_IN_JOBSETS)
    return result_of(always(broken_rules(PairedPart(old, after, schema.root))), emptied)


def check_train_job_update(old: Body, new: Body, version: str) -> UpdateResult:
    """The server's answer when the TrainJob `new` is applied and one manager applied `old` before.

    Both as written, as admitted or as printed. Each state replaces their `spec.suspend`.
    """
    overrides = _RELEASES[version]
    root = schema_for(f"trainer-{version}", trainer.API_VERSION, trainer.TRAIN_JOB).root
    is_stored, is_updated = respells_on(old, new, root) if overrides.respells else (False, False)
    live = respell(old, root) if is_stored else old
    merged, emptied = applied(live, old, new, root)
    after = respell(merged, root) if is_updated else merged
    broken = (_with_given_values(rule, old, new) for rule in broken_rules(PairedPart(live, after, root)))
    return result_of([*always(broken), *_changed_overrides(live["spec"], after["spec"], overrides, root)], emptied)


def _with_given_values(rule: BrokenRule, old: Body, new: Body) -> BrokenRule:
    """The rule with values that the objects have: for a value that the webhook adds, the mapping that contains it."""
    return rule._replace(values=tuple(_given_value(value, old, new) for value in rule.values))


def _given_value(value: ChangedValue, old: Body, new: Body) -> ChangedValue:
    if value_at(old if value.is_gone else new, value.pointer) is not None:
        return value
    parent = value.pointer[:-1]
    return ChangedValue(parent, is_gone=value_at(new, parent) is None)


def _changed_overrides(old: Body, new: Body, overrides: _OverridesField, root: MappingNode) -> Iterator[ImmutableValue]:
    if old.get(overrides.name) == new.get(overrides.name):
        return
    place: Pointer = ("spec", overrides.name)
    before, after = (_decode(side.get(overrides.name) or [], overrides.item_type) for side in (old, new))
    for value in changed_values(PairedPart(before, after, _spec_field(root, overrides.name), place, place), AS_DECODED):
        yield ImmutableValue(overrides.rejected, place, overrides.message, value, is_conditional=True)


def _spec_field(root: MappingNode, name: str) -> ListNode:
    spec = root.fields["spec"]
    assert isinstance(spec, MappingNode)
    field = spec.fields[name]
    assert isinstance(field, ListNode)
    return field


def _decode(items: list[Mapping[str, Any]], item_type: str) -> list[Any]:
    """The items as Go decodes them, without their stamps: the webhook puts the old time back."""
    plain = ({key: value for key, value in item.items() if key != "time"} for item in items)
    return [canonical(item, item_type) for item in plain]


def respells_on(old: Body, new: Body, root: MappingNode) -> tuple[bool, bool]:
    """Whether the creation of the TrainJob `old` changes the spelling of its quantities, and whether its update does.

    Since 2.2 the mutating webhook stamps `runtimePatches`. When it does, the whole TrainJob is decoded, and quantities
    are written back in canonical form (`1000m` as "1"). Then an immutable field counts as changed although no file
    changed it. Mirrors kubeflow/trainer pkg/webhooks/trainjob_webhook.go (TrainJobDefaulter) and
    sigs.k8s.io/controller-runtime pkg/webhook/admission/defaulter_custom.go (v0.24).
    """
    patches, changes = (side["spec"].get(trainer.RUNTIME_PATCHES) or [] for side in (old, new))
    return any(patch.get("time") is None for patch in patches), _restamps(patches, changes, root)


def _restamps(old: list[Mapping[str, Any]], new: list[Mapping[str, Any]], root: MappingNode) -> bool:
    """Whether an update changes the time of a patch: from the files, or set when the patch is created."""
    known = {patch.get("manager"): patch for patch in old}
    for patch in new:
        before, time = known.get(patch.get("manager")), patch.get("time")
        if before is None:
            if time is None:
                return True
        elif time not in (None, before.get("time")) or _differ(before, patch, root):
            return True
    return False


def _differ(old: Mapping[str, Any], new: Mapping[str, Any], root: MappingNode) -> bool:
    before, after = (canonical({**patch, "time": None}, _PATCH_TYPE) for patch in (old, new))
    return any(changed_values(PairedPart(before, after, _spec_field(root, trainer.RUNTIME_PATCHES).item), AS_DECODED))
