"""Which of several differing inputs stay: those that a changed value rests on, all where that is not certain."""

from __future__ import annotations

import pytest

from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, SourceFile
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.review.diff.causes import DifferingPair, effective
from kubectl_trainjob.review.diff.changed_inputs import ChangedInput

JOBSET = ObjectId("jobset.x-k8s.io/v1alpha2", "JobSet", "", "a")


def document(path: str) -> Source:
    return Source(SourceFile(path, ""))


RUNTIME, PATCH = (document("runtime.yaml"), document("runtime.yaml")), (document("patch.yaml"), document("patch.yaml"))
IMAGE, NODES = ("spec", "image"), ("spec", "numNodes")


def changed(what: str, sides: tuple[Source, Source], *pointer: str) -> ChangedInput:
    old, new = (Place(side, pointer) for side in sides)
    return ChangedInput(what, new, old=old, new=new)


OF_RUNTIME, OF_PATCH = changed("runtime", RUNTIME, *IMAGE), changed("patch", PATCH, *NODES)
UNTRACEABLE = ChangedInput("resources", Place(document("overlay.yaml"), ("resources",)))
BOTH = (OF_RUNTIME, OF_PATCH)
WRITES = {
    ("image",): Origin("step", Place(RUNTIME[1], IMAGE)),
    ("nodes",): Origin("step", causes=(Place(RUNTIME[1], ("spec", "other")), Place(PATCH[1], NODES))),
    ("all",): Origin("step", Place(RUNTIME[1], ("spec",))),
    ("below",): Origin("step", Place(PATCH[1], (*NODES, "value"))),
    ("fixed",): Origin("step"),
    ("over",): Origin("step", over=Origin("earlier", Place(PATCH[1], NODES))),
}


def find(_identity: ObjectId, pointer: Pointer) -> Origin | None:
    return WRITES.get(pointer)


def nobody(_identity: ObjectId, _pointer: Pointer) -> Origin | None:
    return None


@pytest.mark.parametrize(
    ("inputs", "fields", "kept"),
    [
        pytest.param(BOTH, ["image"], ["runtime"], id="copied"),
        pytest.param(BOTH, ["nodes"], ["patch"], id="computed"),
        pytest.param(BOTH, ["nodes", "image"], ["runtime", "patch"], id="two-values"),
        pytest.param(BOTH, ["all"], ["runtime"], id="what-holds-it"),
        pytest.param(BOTH, ["below"], ["patch"], id="what-is-in-it"),
        pytest.param(BOTH, ["over"], ["patch"], id="fixed-instead-of-it"),
        pytest.param(BOTH, ["nodes", "fixed"], ["runtime", "patch"], id="a-value-that-rests-on-nothing"),
        pytest.param(BOTH, ["nodes", "unknown"], ["runtime", "patch"], id="a-value-of-nobody"),
        pytest.param((*BOTH, UNTRACEABLE), ["nodes"], ["patch", "resources"], id="what-cannot-be-found"),
        pytest.param(BOTH, ["nodes"] * 201, ["runtime", "patch"], id="too-many-values"),
    ],
)
@pytest.mark.parametrize("is_old", [False, True], ids=["new", "old"])
def test_effective(inputs: tuple[ChangedInput, ...], fields: list[str], kept: list[str], is_old: bool) -> None:
    names = [(JOBSET, (field,)) for field in fields]
    touched = [DifferingPair(name, None) if is_old else DifferingPair(None, name) for name in names]
    sides = (find, nobody) if is_old else (nobody, find)
    assert [each.what for each in effective(inputs, touched, sides)] == kept
