"""Environment variables that a launcher sets itself and a TrainJob must leave alone."""

from __future__ import annotations

from collections.abc import Container, Iterator

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.model.diagnostic import Diagnostic, Edit, Fix
from kubectl_trainjob.model.rules import Rule


def reserved_env(plan: Plan, reserved: Container[str], rule: Rule) -> Iterator[Diagnostic]:
    """A finding for each of the TrainJob's env entries with a reserved name."""
    for index, entry in enumerate((plan.trainer or {}).get("env") or ()):
        name = entry["name"]
        if name in reserved:
            place = plan.job_place("spec", "trainer", "env", index)
            message = f'"{name}" is set by the launcher and must not stand in spec.trainer.env; remove it'
            yield Diagnostic(rule, message, place.child("name"), fix=Fix(f"remove {name}", (Edit(place),)))
