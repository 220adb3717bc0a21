"""The values that describe a TrainJob's environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec, Pods
from kubectl_trainjob.kube.launch.values import Launch, PodProcesses, Setting
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.source import Origin, Place, Pointer
from kubectl_trainjob.model.stages import Body, TracedJob

Provider = Literal["build", "inputs", "controller", "cluster"]
"""The provider of a Secret or ConfigMap: the build, the inputs, Trainer's controller (without one it must exist) or the
cluster, where it must exist."""

TRAIN_JOB, RUNTIME, JOB_CONTROLLER = "TrainJob", "runtime", "Job controller"
"""Origins in addition to Trainer's plugins."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplacedVariable:
    """An entry of `env` that a user wrote and that is overwritten; `place` is that of its value."""

    entry: Body
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """One entry of `env`: a value, or a reference as `valueFrom`.

    `by` wrote it: "TrainJob" or "runtime" if it was copied, else the plugin, or "Job controller". `place` is the
    line to edit, `causes` are all lines that a computed value depends on.
    """

    entry: Body
    by: str
    place: Place | None = None
    causes: tuple[Place, ...] = ()
    instead_of: ReplacedVariable | None = None

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
        """The value; None for a reference."""
        return None if self.reference is not None else str(self.entry.get("value") or "")


@dataclass(frozen=True, slots=True, eq=False)
class ContainerValue:
    """Another value of a container, its origin and the line to edit, as for `Variable`."""

    value: Any
    by: str
    place: Place | None = None

    @property
    def is_copied(self) -> bool:
        """Whether a user wrote the value."""
        return self.by in (TRAIN_JOB, RUNTIME)


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A container or init container.

    `fields` are image, command and args if they are set, without secrets; `imported` are the entries of `envFrom`.
    """

    spec: ContainerSpec
    variables: tuple[Variable, ...] = ()
    fields: Mapping[str, ContainerValue] = field(default_factory=dict)
    imported: tuple[ContainerValue, ...] = ()
    ports: tuple[ContainerValue, ...] = ()

    def variable(self, name: str) -> Variable | None:
        """The variable of this name; of duplicates the last, which is effective."""
        return next((each for each in reversed(self.variables) if each.name == name), None)


class CountReason(NamedTuple):
    """Why so many processes start, and the line to edit. `is_counted`: from resources."""

    why: Message = Message()
    place: Place | None = None
    is_counted: bool = False


_NO_REASON = CountReason()


@dataclass(frozen=True, slots=True, eq=False)
class Role:
    """One replicatedJob of the JobSet, by its `position` there; init containers come first, as they run.

    `processes` are those of each Pod, None if the role does not train; `reason` explains the number.
    """

    position: int
    name: str
    ancestor: str | None
    pods: Pods
    containers: tuple[Container, ...] = ()
    processes: PodProcesses | None = None
    reason: CountReason = _NO_REASON


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A use of a Secret or ConfigMap in words, and whether the Pod starts without it."""

    role: str
    what: str
    is_optional: bool
    place: Place | None


@dataclass(frozen=True, slots=True, eq=False)
class RequiredObject:
    """A Secret or ConfigMap that the Pods refer to; generated ones have a `purpose`."""

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
    """A valid value that conflicts with another one, at the line to edit."""

    message: Message
    place: Place | None


class LaunchOrigins(NamedTuple):
    """A launch, and the lines that its settings come from."""

    job: TracedJob
    launch: Launch
    containers: Mapping[Pointer, Container]

    def place(self, setting: Setting | None) -> Place | None:
        """The line to edit."""
        if setting is None:
            return None
        variable = self.variable(setting)
        return variable.place if variable else self.job.objects[setting.nth].draft.place(setting.pointer)

    def is_copied(self, setting: Setting) -> bool:
        """Whether a user wrote it: torchtune's flags are Trainer's."""
        variable, origin = self.variable(setting), self.origin(setting)
        if variable is not None:
            return variable.is_copied
        return setting.flag is not None and origin is not None and origin.place is not None

    def variable(self, setting: Setting) -> Variable | None:
        """The variable that the setting is."""
        container = self.containers.get(setting.pointer[:-2])
        return container.variable(setting.name) if container else None

    def origin(self, setting: Setting) -> Origin | None:
        """The origin of the setting in its generated object."""
        return self.job.objects[setting.nth].draft.origin(setting.pointer)


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """All that `env` shows of a TrainJob. `hostfile` is the name of the ConfigMap with MPI's hosts."""

    namespace: str
    name: str
    roles: tuple[Role, ...]
    origins: LaunchOrigins
    hostfile: str = ""
    needs: tuple[RequiredObject, ...] = ()
    cautions: tuple[Caution, ...] = ()

    @property
    def launch(self) -> Launch:
        """What starts in the Pods."""
        return self.origins.launch
