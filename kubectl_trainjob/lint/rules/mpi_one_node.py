"""KTJ516: Only mpirun, started in `launcher`, starts processes on the hosts of the hostfile."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.kube.launch.command_line import Word, base, commands, program_start
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import local_deepspeed
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say

_NO_LAUNCHER = (
    'each of {} Pods of "node" runs its command separately: only a replicatedJob "launcher" gets the hostfile; '
    "add one that runs mpirun"
)
_NO_MPIRUN = 'the launcher runs "{}" itself, in one process on one node; put mpirun before it'
_NO_HOSTS = (
    '"{}" starts processes only in the launcher, because it does not read the hostfile of Trainer; '
    "add --hostfile=/etc/mpi/hostfile, or start the program with mpirun"
)
_PROGRAM = re.compile(r"python[0-9.]*|torchrun")
# What starts a program on several hosts, or a script or a variable that may do so.
_STARTS = re.compile(
    r"deepspeed(\.launcher.*)?|horovod\.runner.*|horovodrun|mlx\.launch|mpiexec.*|mpirun.*|orterun|prun|prterun|srun"
)
_MAY_START = re.compile(r".*(\.sh|hostfile.*|[$`].*)", re.DOTALL)


def find(job: LintedJob) -> Iterator[Hit]:
    """Trainings that run on one node, or on each node separately."""
    if job.policy("mpi") is None:
        return
    roles = {each.name: each for each in job.replicated_jobs}
    node, launcher = roles.get(NODE), roles.get(LAUNCHER)
    if node is not None and launcher is not None:
        yield from _without_mpirun(job, launcher)
    elif node is not None and node.pods > 1:
        message = say(_NO_LAUNCHER, node.pods)
        yield Hit(message, job.in_runtime("spec", "template", "spec", "replicatedJobs", node.position, "name"))


def _without_mpirun(job: LintedJob, launcher: ReplicatedJob) -> Iterator[Hit]:
    program, node = _program(launcher), launcher.node()
    local = local_deepspeed(node) if node else None
    if local is not None:
        yield Hit(say(_NO_HOSTS, local.text), job.generated(local.pointer))
    elif program is not None:
        yield Hit(say(_NO_MPIRUN, program.text), job.generated(program.pointer))


def _program(launcher: ReplicatedJob) -> Word | None:
    """The Python program that a command line starts; None if something in it may start processes on other hosts."""
    container = launcher.node()
    found: Word | None = None
    for words in commands(container) if container else ():
        if any(_STARTS.fullmatch(base(each.text)) or _MAY_START.fullmatch(each.text) for each in words):
            return None
        first = next(iter(words[program_start(words) :]), None)
        if first and not found and _PROGRAM.fullmatch(base(first.text)):
            found = first
    return found
