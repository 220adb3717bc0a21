"""The values that describe a TrainJob's environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kubectl_trainjob.kube.launch.pods import Pods
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import Body

Provider = Literal["build", "inputs", "controller", "cluster"]
"""Who brings a Secret or ConfigMap: the build makes it, it is among the inputs, Trainer's controller generates it (and
somebody must where there is no Trainer), or it must be in the cluster already."""

TRAIN_JOB, RUNTIME, JOB_CONTROLLER = "TrainJob", "runtime", "Job controller"
"""Who wrote something, besides Trainer's plugins."""


@dataclass(frozen=True, slots=True, eq=False)
class Replaced:
    """An entry of `env` that a user wrote and something else took the place of; `place` is that of its value."""

    entry: Body
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """One entry of `env`: a value, or a reference as `valueFrom`.

    `by` wrote it: "TrainJob" or "runtime" where it was copied, else the plugin, or "Job controller". `place` is the
    line to edit, `causes` are all lines that a computed value rests on.
    """

    entry: Body
    by: str
    place: Place | None = None
    causes: tuple[Place, ...] = ()
    instead_of: Replaced | None = None

    @property
    def name(self) -> str:
        """The variable's name."""
        return str(self.entry["name"])

    @property
    def is_copied(self) -> bool:
        """Whether a user wrote the entry."""
        return self.by in (TRAIN_JOB, RUNTIME)

    @property
    def reference(self) -> Body | None:
        """What the value is taken from when the container starts, None for a plain value."""
        return self.entry.get("valueFrom")

    @property
    def value(self) -> str | None:
        """The value; None where it is taken from elsewhere."""
        return None if self.reference is not None else str(self.entry.get("value") or "")


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Another value of a container, who wrote it and the line to edit, as for `Variable`."""

    value: Any
    by: str
    place: Place | None = None

    @property
    def is_copied(self) -> bool:
        """Whether a user wrote the value."""
        return self.by in (TRAIN_JOB, RUNTIME)


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A container or init container, which stands at `pointer` of the JobSet.

    `fields` are image, command and args, as far as they are stated; `imported` are the entries of `envFrom`.
    """

    pointer: Pointer
    body: Body
    variables: tuple[Variable, ...] = ()
    fields: Mapping[str, Written] = field(default_factory=dict)
    imported: tuple[Written, ...] = ()
    ports: tuple[Written, ...] = ()

    @property
    def name(self) -> str:
        """The container's name."""
        return str(self.body["name"])

    @property
    def is_init(self) -> bool:
        """Whether it runs before the others."""
        return "initContainers" in self.pointer

    def variable(self, name: str) -> Variable | None:
        """The variable of this name; of several the last, which is the one that counts."""
        return next((each for each in reversed(self.variables) if each.name == name), None)


@dataclass(frozen=True, slots=True, eq=False)
class Processes:
    """How many processes are started on a node (in a Pod), a number or a word for the launcher to decide, and why.

    None where nothing tells the launcher, or, with a `setting` that does, where that is known in the container only.
    `container` holds the processes. `is_counted`: from resources. With `uses_gpus` there should be as many processes as
    GPUs. `can_be_stated`: numProcPerNode is read at all.
    """

    value: int | str | None
    why: str
    place: Place | None = None
    setting: str = ""
    container: ContainerSpec | None = None
    is_counted: bool = False
    uses_gpus: bool = False
    can_be_stated: bool = True


@dataclass(frozen=True, slots=True)
class WorldSize:
    """How many processes there are in all, None where that is not known before they start; `nodes` likewise.

    `place` is the line that states the nodes, or a command that says otherwise.
    """

    value: int | None
    formula: str
    nodes: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Master:
    """Where the processes meet; `setting` tells them. "" for a port that is not stated.

    `is_copied`: a user wrote it.
    """

    address: str
    port: str
    setting: str
    is_copied: bool = False
    place: Place | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Hostfile:
    """MPI's list of hosts, and the ConfigMap that has it."""

    config_map: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Role:
    """One replicatedJob of the JobSet, by its `position` there; init containers come first, as they run."""

    position: int
    name: str
    ancestor: str | None
    pods: Pods
    containers: tuple[Container, ...] = ()
    processes: Processes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """Where a Secret or ConfigMap is used, in words, and whether the Pod starts without it."""

    role: str
    what: str
    is_optional: bool
    place: Place | None


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """A Secret or ConfigMap that the Pods refer to; `purpose` is told of one that is generated."""

    kind: str
    name: str
    provider: Provider
    uses: tuple[Use, ...] = ()
    purpose: str = ""

    @property
    def is_optional(self) -> bool:
        """Whether every Pod starts without it."""
        return bool(self.uses) and all(use.is_optional for use in self.uses)


@dataclass(frozen=True, slots=True, eq=False)
class Caution:
    """Something that is valid and disagrees with something else, at the line to edit."""

    message: str
    place: Place | None


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """All that `env` tells of a TrainJob."""

    namespace: str
    name: str
    roles: tuple[Role, ...]
    world: WorldSize | None = None
    master: Master | None = None
    hostfile: Hostfile | None = None
    needs: tuple[Need, ...] = ()
    cautions: tuple[Caution, ...] = ()
