"""KTJ307: Trainer counts resources with "gpu" in their names and no others."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.devices import gpu_names, uncounted
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import At, Hit
from kubectl_trainjob.lint.launches import Started, counted, is_stated, started
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import ACCELERATOR_NOT_COUNTED
from kubectl_trainjob.model.source import value_at


def _find(job: LintedJob) -> Iterator[Hit]:
    if is_stated(job):
        return
    for each in started(job):
        found = counted(job)
        has_gpus = gpu_names(each.node.resources) or (found and gpu_names(found.resources))
        if not has_gpus and not each.is_flag and isinstance(each.each, int):
            yield from _uncounted(job, each, each.each)
            return


def _uncounted(job: LintedJob, each: Started, processes: int) -> Iterator[Hit]:
    held = uncounted(each.node.resources)
    if held is not None and held.pieces != processes:
        at = job.made((*each.node.pointer, "resources", held.field, held.name), on="key")
        fix = _fix(job, held.pieces)
        yield _finding(job, each, f'"{held}"', at, fix)
    elif held is None and each.node.resources.get("claims") and not _is_stated_of_mpi(job):
        yield _finding(job, each, "claimed devices", job.made((*each.node.pointer, "resources", "claims"), on="key"))


def _is_stated_of_mpi(job: LintedJob) -> bool:
    """Whether somebody wrote how many: in the admitted runtime a default stands."""
    written = job.resolved.runtime.manifest.body
    return value_at(written, ("spec", "mlPolicy", "mpi", "numProcPerNode")) is not None


def _finding(job: LintedJob, each: Started, held: str, at: At, fix: Fix | None = None) -> Hit:
    advice = "start one Pod for each device" if job.policy("xgboost") is not None else "state numProcPerNode"
    number = f'the number of processes in each Pod is "{each.each}" ({each.setting})'
    message = f"Trainer counts no GPU in {held}, so that {number}; {advice}"
    return Hit(message, at, fix=fix)


def _fix(job: LintedJob, pieces: int) -> Fix | None:
    if job.spec.get("trainer") is None or job.policy("xgboost") is not None or job.trainer == "2.0":
        return None
    change = set_value(job.in_train_job("spec", "trainer", "numProcPerNode"), pieces)
    return Fix(f"start {pieces} processes in each Pod, one a device", (change,), is_safe=False)


CHECK = JobCheck(ACCELERATOR_NOT_COUNTED, _find)
