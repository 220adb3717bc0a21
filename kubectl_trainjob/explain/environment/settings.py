"""Finds the variables that tell a launcher something, and says what they amount to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_trainjob.explain.environment.values import Caution, Container, Master, Processes, Role, Variable, WorldSize
from kubectl_trainjob.kube.facts.launchers import PER_DEVICE
from kubectl_trainjob.kube.facts.node_counts import Amount
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.model.stages import TracedJob

Roles = tuple[Role, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """`processes` by the name of the role; a role without any takes no part in the training.

    `cautions` tell where a command says otherwise than Trainer.
    """

    processes: Mapping[str, Processes] = field(default_factory=dict)
    world: WorldSize | None = None
    master: Master | None = None
    cautions: tuple[Caution, ...] = ()


class Setting(NamedTuple):
    """A variable that tells a launcher something, and where it stands."""

    role: Role
    container: Container
    variable: Variable


def settings(roles: Roles, name: str) -> Iterator[Setting]:
    """The variable of this name in the first container of each role that has it, the trainer's role first."""
    for role in sorted(roles, key=lambda each: each.ancestor != ANCESTOR_TRAINER):
        for container in sorted(role.containers, key=lambda each: (each.is_init, each.name != NODE)):
            variable = container.variable(name)
            if variable is not None:
                yield Setting(role, container, variable)
                break


def unset(job: TracedJob, roles: Roles, name: str) -> Launch:
    """Nothing tells the launcher anything, and why that is so."""
    why = f'the trainer has no container "{NODE}", so Trainer does not set {name}'
    if job.resolved is not None and job.resolved.job.body["spec"].get("trainer") is None:
        why = f"the TrainJob has no spec.trainer, so Trainer does not set {name}"
    trainers = [role for role in roles if role.ancestor == ANCESTOR_TRAINER]
    return Launch({role.name: Processes(None, why, container=role.container(NODE)) for role in trainers})


def size(nodes: int | None, each: int | str | None, held: Amount | None = None) -> WorldSize:
    """The world size of `nodes` with `each` processes, where each may be a word for torchrun and `held` the GPUs."""
    if nodes is None or each is None:
        return WorldSize(None, "unknown", nodes)
    if isinstance(each, int):
        return times(nodes, each, nodes * each)
    if each in PER_DEVICE and held is not None:
        devices = plural(held.pieces, "GPU")
        formula = f"{plural(nodes, 'node')} × {each} ({devices} → {held.pieces}) = {nodes * held.pieces}"
        return WorldSize(nodes * held.pieces, formula, nodes)
    return WorldSize(None, f"{plural(nodes, 'node')} × {each}, which torchrun decides in the container", nodes)


def times(nodes: int, each: int | None, total: int | None, unit: str = "process") -> WorldSize:
    """The world size `total` that was computed already."""
    if total is None:
        return WorldSize(None, "unknown", nodes)
    return WorldSize(
        total, str(total) if each is None else f"{plural(nodes, 'node')} × {plural(each, unit)} = {total}", nodes
    )


def plural(count: int, what: str) -> str:
    """`1 node`, `2 nodes`, `2 processes`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}{'es' if what.endswith('s') else 's'}"
