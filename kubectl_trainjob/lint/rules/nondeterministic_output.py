"""KTJ810: Two of Trainer's plugins add variables to an XGBoost job: DMLC_*, and the TrainJob's own."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import XGBOOST_RESERVED_ENV
from kubectl_trainjob.kube.launch.command_line import references
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import trainer_node
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say

_UNDEFINED = (
    '"{}" refers to {}, and Trainer writes both in undefined order: the reference is not always expanded; '
    "this build writes {} first and does not expand it; refer to {} in the command"
)


def find(job: LintedJob) -> Iterator[Hit]:
    """Variables of the TrainJob that refer to DMLC_*."""
    entries = (job.spec.get("trainer") or {}).get("env") if job.policy("xgboost") is not None else None
    if not entries or trainer_node(job) is None:
        return
    ahead = _of_runtime(job)
    for index, entry in enumerate(entries):
        names = references(str(entry.get("value") or "")) if entry["name"] not in ahead else ()
        name = next((name for name in names if name in XGBOOST_RESERVED_ENV and name not in ahead), None)
        if name is not None:
            message = say(_UNDEFINED, entry["name"], f"$({name})", entry["name"], name)
            yield Hit(message, job.in_train_job("spec", "trainer", "env", index, "value"))


def _of_runtime(job: LintedJob) -> set[str]:
    """The variables that the runtime has itself: they keep their places before all others."""
    role = job.trainer_job()
    node = next((each.node() for each in job.runtime().replicated_jobs if role and each.name == role.name), None)
    return {entry["name"] for entry in node.body.get("env") or ()} if node else set()
