"""Name and namespace of what is made for a TrainJob."""

from __future__ import annotations

from kubectl_trainjob.draft import Write
from kubectl_trainjob.expand.plan import NAME, TRAIN_JOB, Plan


def identity(plan: Plan, suffix: str = "") -> list[Write]:
    """Writes of `metadata.name`, the TrainJob's with a suffix, and of `metadata.namespace` if the TrainJob has one."""
    name, namespace = ("metadata", "name"), ("metadata", "namespace")
    writes: list[Write] = [(name, plan.name + suffix, None, (NAME,)) if suffix else (name, plan.name, NAME, ())]
    if plan.namespace:
        writes.append((namespace, plan.namespace, (TRAIN_JOB, *namespace), ()))
    return writes
