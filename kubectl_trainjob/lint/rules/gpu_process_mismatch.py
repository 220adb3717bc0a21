"""KTJ305: Each process of a training works on one GPU."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.devices import devices
from kubectl_trainjob.kube.facts.node_counts import Amount
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import Started, started
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.diagnostic import Fix, set_value
from kubectl_trainjob.model.rules import GPU_PROCESS_MISMATCH


def _find(job: LintedJob) -> Iterator[Hit]:
    for each in started(job):
        held = devices(each.node.resources)
        if held is not None and isinstance(each.each, int) and each.each != held.pieces:
            asked = job.made((*each.node.pointer, "resources", held.field, held.name))
            related = (("the GPUs are asked for here", asked),)
            yield Hit(_message(job, each, held), each.at, related, _fix(job, each, held))
            return


def _message(job: LintedJob, each: Started, held: Amount) -> str:
    advice = f"state numProcPerNode {held.pieces}, or as many GPUs"
    if each.is_flag:
        advice = "make the two agree"
    elif job.policy("xgboost") is not None:
        advice = "state the GPUs in resourcesPerNode, or as many as workers"
    return f'each Pod holds "{held}", but the number of its processes is "{each.each}" ({each.setting}); {advice}'


def _fix(job: LintedJob, each: Started, held: Amount) -> Fix | None:
    """The number, where it is sure to be read: Trainer 2.0 may pass over it, XGBoost never reads it."""
    is_read = job.spec.get("trainer") is not None and job.policy("xgboost") is None and job.trainer != "2.0"
    if each.is_flag or not is_read:
        return None
    change = set_value(job.in_train_job("spec", "trainer", "numProcPerNode"), held.pieces)
    return Fix(f"start {held.pieces} processes in each Pod, one a GPU", (change,), is_safe=False)


CHECK = JobCheck(GPU_PROCESS_MISMATCH, _find)
