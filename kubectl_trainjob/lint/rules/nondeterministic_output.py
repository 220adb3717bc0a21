"""KTJ810: Two of Trainer's plugins add variables to an XGBoost job: DMLC_*, and the TrainJob's own."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import XGBOOST_RESERVED_ENV
from kubectl_trainjob.kube.launch.command_line import references
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import trainer_node
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import NONDETERMINISTIC_OUTPUT


def _find(job: LintedJob) -> Iterator[Hit]:
    entries = (job.spec.get("trainer") or {}).get("env") if job.policy("xgboost") is not None else None
    if not entries or trainer_node(job) is None:
        return
    ahead = _of_runtime(job)
    for index, entry in enumerate(entries):
        names = references(str(entry.get("value") or "")) if entry["name"] not in ahead else ()
        name = next((name for name in names if name in XGBOOST_RESERVED_ENV and name not in ahead), None)
        if name is not None:
            message = (
                f'"{entry["name"]}" refers to $({name}), and Trainer writes the two in a random order, so that it is '
                f"replaced or stays as it is; this build writes {entry['name']} first, and it stays; refer to {name} "
                "in the command"
            )
            yield Hit(message, job.in_train_job("spec", "trainer", "env", index, "value"))


def _of_runtime(job: LintedJob) -> set[str]:
    """The variables that the runtime has itself: they keep their places before all others."""
    role = job.trainer_job()
    node = next((each.node() for each in job.runtime().replicated_jobs if role and each.name == role.name), None)
    return {entry["name"] for entry in node.body.get("env") or ()} if node else set()


CHECK = JobCheck(NONDETERMINISTIC_OUTPUT, _find)
