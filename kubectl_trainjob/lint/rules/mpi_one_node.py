"""KTJ516: Only mpirun, started in `launcher`, provides the hosts of the hostfile into a training."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.kube.launch.command_line import Word, base, behind, commands
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import JobCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.rules import MPI_ONE_NODE

_PROGRAM = re.compile(r"python[0-9.]*|torchrun")
# What starts a program on several hosts, or a script or a variable that may do so.
_STARTS = re.compile(
    r"deepspeed(\.launcher.*)?|horovod\.runner.*|horovodrun|mlx\.launch|mpiexec.*|mpirun.*|orterun|prun|prterun|srun"
)
_MAY_START = re.compile(r".*(\.sh|hostfile.*|[$`].*)", re.DOTALL)


def _find(job: LintedJob) -> Iterator[Hit]:
    if job.policy("mpi") is None:
        return
    roles = {each.name: each for each in job.replicated_jobs}
    node, launcher = roles.get(NODE), roles.get(LAUNCHER)
    if node is not None and launcher is not None:
        yield from _started_alone(job, launcher)
    elif node is not None and node.pods > 1:
        message = (
            f'each of {node.pods} Pods of "{NODE}" runs its command for itself: only a replicatedJob "{LAUNCHER}" gets '
            "the hostfile; add one that runs mpirun"
        )
        yield Hit(message, job.in_runtime("spec", "template", "spec", "replicatedJobs", node.position, "name"))


def _started_alone(job: LintedJob, launcher: ReplicatedJob) -> Iterator[Hit]:
    program = _program(launcher)
    if program is not None:
        message = f'the launcher runs "{program.text}" itself, in one process on one node; put mpirun before it'
        yield Hit(message, job.made(program.pointer))


def _program(launcher: ReplicatedJob) -> Word | None:
    """A program of Python's that the command line starts, and nothing that could reach other hosts."""
    container = launcher.node()
    found: Word | None = None
    for words in commands(container) if container else ():
        if any(_STARTS.fullmatch(base(each.text)) or _MAY_START.fullmatch(each.text) for each in words):
            return None
        first = next(iter(words[behind(words) :]), None)
        if first and not found and _PROGRAM.fullmatch(base(first.text)):
            found = first
    return found


CHECK = JobCheck(MPI_ONE_NODE, _find)
