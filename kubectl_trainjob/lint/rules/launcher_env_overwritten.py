"""KTJ402: Trainer configures launchers by environment variables: PET_* for torchrun, JAX_*, DMLC_* for
XGBoost, OMPI_MCA_* for Open MPI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubectl_trainjob.kube.facts.trainer import (
    LAUNCHER,
    MPI_RESERVED_ENV,
    NODE,
    TORCH_RESERVED_ENV,
    TRAINER_PORT,
    XGBOOST_RESERVED_ENV,
)
from kubectl_trainjob.kube.launch.flags import JAX_VARIABLES
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer

_ENV: Mapping[str, frozenset[str]] = {
    "torch": TORCH_RESERVED_ENV,
    "jax": JAX_VARIABLES,
    "xgboost": XGBOOST_RESERVED_ENV,
    "mpi": MPI_RESERVED_ENV,
}
_PORTS = ("PET_MASTER_PORT", "DMLC_TRACKER_PORT")


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Variables of a runtime that Trainer overwrites."""
    kind = next((kind for kind in _ENV if runtime.policy(kind) is not None), None)
    if kind is None:
        return
    for role, name in dict.fromkeys(_written_variables(runtime, kind)):
        for pointer, container in runtime.replicated_jobs[role].containers():
            if container.get("name") == name:
                for index, entry in enumerate(container.get("env") or ()):
                    is_same = entry["name"] in _PORTS and entry.get("value") == str(TRAINER_PORT)
                    if entry["name"] in _ENV[kind] and not is_same:
                        yield _hit(runtime, entry["name"], (*pointer, "env", index))


def _written_variables(runtime: LintedRuntime, kind: str) -> Iterator[tuple[int, str]]:
    """(position of a replicatedJob, container) of each that a plugin writes into."""
    positions = {job.name: job.position for job in reversed(runtime.replicated_jobs)}
    trainer = runtime.trainer_job()
    if kind == "mpi":
        yield from [(positions[LAUNCHER], NODE)] if LAUNCHER in positions else []
    elif trainer is not None:
        yield trainer.position, NODE
    for target in (((runtime.policy("torch") or {}).get("envInjection")) or {}).get("targets") or ():
        for name in target.get("containerNames") or ():
            if target["jobName"] in positions:
                yield positions[target["jobName"]], name


def _hit(runtime: LintedRuntime, name: str, entry: Pointer) -> Hit:
    fix = Fix(say('remove "{}"', name), (Edit(runtime.in_template(entry)),), is_safe=False)
    message = say('Trainer overwrites "{}" with its own value; remove the entry, or use a flag in the command', name)
    return Hit(message, runtime.in_template((*entry, "name")), fix=fix)
