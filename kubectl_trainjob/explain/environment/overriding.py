"""Where a command says otherwise than the variables that Trainer sets: the flags count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.explain.environment.values import Caution, Container, Variable
from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.facts.launchers import PER_DEVICE, Told, number, torch_flags
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import TracedJob

_NODES, _PER_NODE = "PET_NNODES", "PET_NPROC_PER_NODE"
_ADDRESS, _PORT = "PET_MASTER_ADDR", "PET_MASTER_PORT"
_LOOPBACK = ("localhost", "127.0.0.1")


class Overriding(NamedTuple):
    """What the command of a container tells torchrun, by the variables that mean the same."""

    job: TracedJob
    container: Container
    told: dict[str, Told]

    def place(self, told: Told) -> Place | None:
        """The line of the command that a flag stands in."""
        origin = self.job.objects[0].draft.origin(told.flag.pointer)
        return origin.first_place() if origin else None

    def is_written(self, told: Told) -> bool:
        """Whether a user wrote the flag: torchtune's are Trainer's."""
        origin = self.job.objects[0].draft.origin(told.flag.pointer)
        return origin is not None and origin.place is not None

    def cautions(self) -> Iterator[Caution]:
        """One for each flag that says otherwise than a variable."""
        against: dict[str, list[Variable]] = {}
        flags = {str(told.flag): told for told in self.told.values()}
        for name, told in self.told.items():
            variable = self.container.variable(name)
            if variable is not None and not self._agrees(variable, told):
                against.setdefault(str(told.flag), []).append(variable)
        for flag, variables in against.items():
            names = " and ".join(_named(variable) for variable in variables)
            instead = ", or state numProcPerNode instead" if variables[0].name == _PER_NODE else ""
            yield Caution(
                f"{flag} in the command counts, not {names}; remove the flag{instead}", self.place(flags[flag])
            )

    def _agrees(self, variable: Variable, told: Told) -> bool:
        if told.value is None or variable.value is None:
            return False
        if variable.name == _PER_NODE:
            return self._processes(told.value) == self._processes(variable.value)
        if variable.name in (_ADDRESS, _PORT) and self._meets_itself():
            return True
        has_namespace = variable.name == _ADDRESS and told.value.startswith(f"{variable.value}.")
        return told.value == variable.value or has_namespace

    def _processes(self, each: str) -> int | str:
        """How many these are: `auto` and `gpu` mean one a GPU."""
        held, stated = devices(self.container.resources), number(each)
        if stated is not None:
            return stated
        return held.pieces if held is not None and each in PER_DEVICE else each

    def _meets_itself(self) -> bool:
        """Whether there is one node, whose processes meet at its own loopback address."""
        nodes, address = self.told.get(_NODES), self.told.get(_ADDRESS)
        count = nodes.value if nodes else self.container.value(_NODES)
        return count == "1" and address is not None and address.value in _LOOPBACK


def _named(variable: Variable) -> str:
    return variable.name if variable.value is None else f'{variable.name}, which is "{variable.value}"'


def overriding(job: TracedJob, container: Container) -> Overriding:
    """What the command of a container says."""
    return Overriding(job, container, torch_flags(container))
