"""How many processes start in each Pod and in all, where they meet, and the lines that decide it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_trainjob.explain.environment.counting import CountReason, reason, stated
from kubectl_trainjob.explain.environment.values import Container, Master, Processes, Role, Variable, WorldSize
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.kube.launch.values import Launch, PodProcesses, Setting
from kubectl_trainjob.model.source import Origin, Place, Pointer
from kubectl_trainjob.model.stages import TracedJob

_VARIABLES = {"torch": "PET_NPROC_PER_NODE", "jax": "JAX_NUM_PROCESSES", "xgboost": "DMLC_NUM_WORKER"}


class LaunchOrigins(NamedTuple):
    """A launch, and the lines that its settings come from."""

    job: TracedJob
    launch: Launch
    containers: Mapping[Pointer, Container]

    def processes(self, position: int) -> Processes | None:
        """Those of each Pod of a replicatedJob, None if it has no part in the training."""
        of = self.launch.processes.get(position)
        if of is None:
            return None
        why, place, is_counted = self._reason(of)
        return Processes(
            of.value,
            why,
            place,
            of.setting.name if of.setting else "",
            of.container,
            is_counted,
            uses_gpus=self.launch.starts_process_per_gpu,
            can_be_stated=self.launch.reads_num_proc_per_node or (of.value is None and of.setting is None),
        )

    def world_size(self) -> WorldSize | None:
        """The number of all processes."""
        total = self.launch.total
        return WorldSize(total.value, total.formula, total.nodes, self.place(total.setting)) if total else None

    def master(self) -> Master | None:
        """The rendezvous address."""
        found = self.launch.rendezvous
        if found is None:
            return None
        setting = found.setting
        return Master(found.address, found.port, setting.name, self._is_copied(setting), self.place(setting))

    def place(self, setting: Setting | None) -> Place | None:
        """The line to edit."""
        if setting is None:
            return None
        variable, origin = self._variable(setting), self._origin(setting)
        if variable is not None:
            return variable.place
        return origin.first_place() if origin else None

    def _reason(self, of: PodProcesses) -> CountReason:
        if of.setting is None:
            return CountReason(self._why_unset(), None)
        if of.setting.flag is not None:
            return CountReason(f"{of.setting.flag} in the command", self.place(of.setting))
        return self._reason_without_flag(of, of.setting)

    def _reason_without_flag(self, of: PodProcesses, setting: Setting) -> CountReason:
        launcher = self.launch.launcher
        if launcher == "torch":
            return self._reason_of_torch(of, setting)
        if launcher == "jax":
            return CountReason("JAX starts one process a node", None)
        if launcher == "flux":
            return CountReason(*stated(self.job, ("flux", "numProcPerNode"), of.value))
        origin = self._origin(setting)
        causes = (each for each in (origin.causes if origin else ()) if each.pointer[-1:] != ("numNodes",))
        return reason(self.job, causes, of.value)  # a number of workers depends on numNodes, too

    def _reason_of_torch(self, of: PodProcesses, setting: Setting) -> CountReason:
        variable = self._variable(setting)
        if variable is None:
            return CountReason("", None)
        if variable.value is None:
            return CountReason(f"{setting.name} is taken from elsewhere", variable.place)
        if variable.is_copied:
            return CountReason(f"{setting.name} is written in env", variable.place)
        return reason(self.job, variable.causes, of.value, counts_cpus=True)

    def _why_unset(self) -> str:
        variable = _VARIABLES.get(self.launch.launcher)
        if variable is None:
            return "no launcher is set up: each Pod runs its command once"
        if self.job.resolved is not None and self.job.resolved.job.body["spec"].get("trainer") is None:
            return f"the TrainJob has no spec.trainer, so Trainer does not set {variable}"
        return f'the trainer has no container "{NODE}", so Trainer does not set {variable}'

    def _is_copied(self, setting: Setting) -> bool:
        """Whether a user wrote it: torchtune's flags are Trainer's."""
        variable, origin = self._variable(setting), self._origin(setting)
        if variable is not None:
            return variable.is_copied
        return setting.flag is not None and origin is not None and origin.place is not None

    def _variable(self, setting: Setting) -> Variable | None:
        container = self.containers.get(setting.pointer[:-2])
        return container.variable(setting.name) if container else None

    def _origin(self, setting: Setting) -> Origin | None:
        return self.job.objects[setting.nth].draft.origin(setting.pointer)


def launch_origins(job: TracedJob, launch: Launch, roles: tuple[Role, ...]) -> LaunchOrigins:
    """The origins of a launch in the containers of `roles`."""
    return LaunchOrigins(job, launch, {each.pointer: each for role in roles for each in role.containers})
