"""The passes: one module for each policy plugin of Trainer, in the order in which they run.

In: a `Plan`. Out: a new `Plan`, or findings. Must not: know another pass.

Upstream's order inside a phase is a Go map's, so random; where two passes touch the same list (env of XGBoost and Flux
jobs) ours is the order of this tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kubectl_trainjob.expand.passes import (
    coscheduling,
    flux,
    initializers,
    jax,
    mpi,
    plain,
    runtime_patches,
    torch,
    volcano,
    xgboost,
)
from kubectl_trainjob.expand.plan import Plan
from kubectl_trainjob.findings.diagnostic import Diagnostic


def _nothing(plan: Plan) -> Iterator[Diagnostic]:  # noqa: ARG001
    return iter(())


def _unchanged(plan: Plan) -> Plan:
    return plan


@dataclass(frozen=True, slots=True)
class Pass:
    """`applies` is asked first; `validate` is the plugin's part of the TrainJob webhook, `enforce` its work."""

    name: str
    applies: Callable[[Plan], bool]
    validate: Callable[[Plan], Iterator[Diagnostic]] = _nothing
    enforce: Callable[[Plan], Plan] = _unchanged


PASSES: tuple[Pass, ...] = (
    Pass("initializers", initializers.applies, validate=initializers.validate),
    Pass("runtimePatches", runtime_patches.applies, validate=runtime_patches.validate),
    Pass("plain", plain.applies, enforce=plain.enforce),
    Pass("torch", torch.applies, torch.validate, torch.enforce),
    Pass("mpi", mpi.applies, mpi.validate, mpi.enforce),
    Pass("jax", jax.applies, enforce=jax.enforce),
    Pass("xgboost", xgboost.applies, xgboost.validate, xgboost.enforce),
    Pass("flux", flux.applies, flux.validate, flux.enforce),
    Pass("coscheduling", coscheduling.applies, enforce=coscheduling.enforce),
    Pass("volcano", volcano.applies, volcano.validate, volcano.enforce),
)
