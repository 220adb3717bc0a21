"""What differs between Trainer versions in an expansion: the shape of a row of `compiler/versions.py`."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import ResolvedJob

Check = Callable[[Plan], Iterator[Diagnostic]]
Metadata = tuple[Cause, Mapping[str, Any]]
"""A mapping with labels and annotations, and where it is."""


def _keep_plan(plan: Plan) -> Plan:
    return plan


@dataclass(frozen=True, slots=True)
class Pass:
    """`applies` is called first; `checks` are the plugin's part of the TrainJob webhook, `enforce` its work.

    Checks also find errors that only the controller reports.
    """

    name: str
    applies: Callable[[Plan], bool]
    checks: tuple[Check, ...] = ()
    enforce: Callable[[Plan], Plan] = _keep_plan


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds one object that goes with the JobSet; `build` gets an empty draft."""

    name: str
    applies: Callable[[Plan], bool]
    build: Callable[[Plan, Draft], Draft]


@dataclass(frozen=True, slots=True)
class Overrides:
    """The TrainJob's field that changes the runtime's template, and the sources of its JobSet's metadata.

    `merge` works on a draft of the JobSet in canonical form, and returns that form; it gets the ids of the containers
    from the runtime. It raises PatchError.
    """

    field: str
    merge: Callable[[Draft, ResolvedJob, Container[int]], Draft]
    metadata: Callable[[ResolvedJob], Iterable[Metadata]]

    @property
    def pointer(self) -> Pointer:
        """The field in a TrainJob."""
        return "spec", self.field


@dataclass(frozen=True, slots=True)
class ResourcesPerNode:
    """When resourcesPerNode is written into the JobSet. Both functions are called; one of them does nothing.

    `at_start` works on the merged template before anything is computed. `at_end` works on one `node` container of the
    trainer, in the JobSet that is being finished.
    """

    at_start: Callable[[Draft, ResolvedJob], Draft]
    at_end: Callable[[Plan, Draft, Pointer], Draft]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a version expands, in the order of the work: before the passes, the passes, after the passes.

    `mpi_node_is_trainer`: whether the replicatedJob `node` gets the TrainJob's env and resources like the trainer,
    where MPI's launcher is a node. `counts_first_trainer`: whether each trainer step runs as many Pods as the first.
    `ports_written_back`: the lists of containers whose ports are written again.
    """

    overrides: Overrides
    passes: tuple[Pass, ...]
    builders: tuple[Builder, ...]
    resources_per_node: ResourcesPerNode
    mpi_node_is_trainer: bool = True
    counts_first_trainer: bool = False
    ports_written_back: tuple[str, ...] = ("containers",)
