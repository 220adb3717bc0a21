"""Name and namespace of what is made for a TrainJob."""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.plan import JOB, NAME, Plan
from kubectl_trainjob.model.draft import Write, computed, copied


def identity(plan: Plan, suffix: str = "") -> list[Write]:
    """Writes of `metadata.name`, the TrainJob's with a suffix, and of `metadata.namespace` if the TrainJob has one."""
    name, namespace = ("metadata", "name"), ("metadata", "namespace")
    writes: list[Write] = [computed(name, plan.name + suffix, (NAME,)) if suffix else copied(name, plan.name, NAME)]
    if plan.namespace:
        writes.append(copied(namespace, plan.namespace, (JOB, *namespace)))
    return writes
