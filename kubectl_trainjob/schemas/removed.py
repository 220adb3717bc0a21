"""Fields that other Trainer versions have where Trainer 2.3 has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_trainjob.source import Pointer


class Removed(NamedTuple):
    """The versions that have the field, and what stands in its place now."""

    versions: str
    instead: str


_PATCHES = "spec.runtimePatches is its successor"
_NPROC = "the number of processes follows the resources, or write spec.trainer.numProcPerNode in the TrainJob"
_METADATA = "write them into a runtimePatches entry, at template.metadata"

_ANY_RUNTIME: Mapping[Pointer, Removed] = {
    ("spec", "mlPolicy", "torch", "numProcPerNode"): Removed("2.0 and 2.1", _NPROC),
    ("spec", "mlPolicy", "torch", "elasticPolicy"): Removed("2.0 and 2.1", "it has no successor"),
}

FIELDS: Mapping[str, Mapping[Pointer, Removed]] = {
    "TrainJob": {
        ("spec", "podSpecOverrides"): Removed("2.0", _PATCHES),
        ("spec", "podTemplateOverrides"): Removed("2.1", _PATCHES),
        ("spec", "labels"): Removed("2.0 and 2.1", _METADATA),
        ("spec", "annotations"): Removed("2.0 and 2.1", _METADATA),
    },
    "TrainingRuntime": _ANY_RUNTIME,
    "ClusterTrainingRuntime": _ANY_RUNTIME,
}


def removed_field(kind: str, pointer: Pointer) -> Removed | None:
    """What became of an unknown field of `kind`, None when no version has it."""
    return FIELDS.get(kind, {}).get(pointer)
