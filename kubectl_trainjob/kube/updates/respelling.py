"""What Trainer's mutating webhook does to the spelling of a TrainJob, since 2.2.

The webhook stamps `runtimePatches`; when it does, the whole TrainJob is decoded, and what its quantities read
differently afterwards is written back (`1000m` becomes "1", the number 2 becomes "2"). When it stamps nothing it writes
nothing. So the same quantity may be spelt in two ways before and after an update, and an immutable field counts as
changed although nobody touched it. Mirrors kubeflow/trainer pkg/webhooks/trainjob_webhook.go (TrainJobDefaulter) and
sigs.k8s.io/controller-runtime pkg/webhook/admission/defaulter_custom.go (v0.24).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.facts.trainer import RUNTIME_PATCHES
from kubectl_trainjob.kube.facts.types import canonical
from kubectl_trainjob.kube.schemas.composites import List, Object
from kubectl_trainjob.kube.updates.changed import AS_DECODED, changed
from kubectl_trainjob.model.stages import Body

_PATCH_TYPE = "trainer/v1alpha1.RuntimePatch"


def respells_on(old: Body, new: Body, root: Object) -> tuple[bool, bool]:
    """Whether the creation of the TrainJob `old` writes it anew, and whether its update to `new` does."""
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
