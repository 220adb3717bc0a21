"""KTJ402: Trainer tells launchers how to start by environment variables: PET_* for torchrun, JAX_*, DMLC_* for
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
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.rules import LAUNCHER_ENV_OVERWRITTEN

_ENV: Mapping[str, frozenset[str]] = {
    "torch": TORCH_RESERVED_ENV,
    "jax": JAX_VARIABLES,
    "xgboost": XGBOOST_RESERVED_ENV,
    "mpi": MPI_RESERVED_ENV,
}
_PORTS = ("PET_MASTER_PORT", "DMLC_TRACKER_PORT")


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    kind = next((kind for kind in _ENV if runtime.policy(kind) is not None), None)
    if kind is None:
        return
    for role, name in dict.fromkeys(_written(runtime, kind)):
        for pointer, container in runtime.replicated_jobs[role].containers():
            if container.get("name") == name:
                for index, entry in enumerate(container.get("env") or ()):
                    is_same = entry["name"] in _PORTS and entry.get("value") == str(TRAINER_PORT)
                    if entry["name"] in _ENV[kind] and not is_same:
                        yield _finding(runtime, entry["name"], (*pointer, "env", index))


def _written(runtime: LintedRuntime, kind: str) -> Iterator[tuple[int, str]]:
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


def _finding(runtime: LintedRuntime, name: str, entry: tuple[str | int, ...]) -> Hit:
    fix = Fix(f"remove {name}", (Edit(runtime.in_template(entry)),), is_safe=False)
    message = f'"{name}" is lost: Trainer writes its own value over it; remove the entry, or use a flag in the command'
    return Hit(message, runtime.in_template((*entry, "name")), fix=fix)


CHECK = RuntimeCheck(LAUNCHER_ENV_OVERWRITTEN, _find)
