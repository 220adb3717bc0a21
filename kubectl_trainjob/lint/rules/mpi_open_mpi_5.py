"""KTJ518: Trainer sets variables of Open MPI 4, and Open MPI 5 ignores those that name the hostfile.

See https://github.com/kubeflow/trainer/issues/4028. `tests/launchers` runs both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import OPEN_MPI
from kubectl_trainjob.kube.launch.command_line import base, commands
from kubectl_trainjob.kube.launch.flags import mpirun_without_hosts
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import Pointer

_IGNORED = (
    "Open MPI 5 does not read the hostfile of Trainer, so {} starts all processes in the launcher; "
    "add --hostfile /etc/mpi/hostfile"
)
_IMAGE = re.compile(r"(?:open-?mpi|ompi)[-_:/]?v?5(?![0-9])")
_PREFIX = "PRTE_MCA_"
_HOSTFILE_VARIABLES = ("PRTE_MCA_prte_default_hostfile",)
_WORDS = frozenset({"prterun", "--prtemca", "--runtime-options"})  # Open MPI 4 does not have them


def find(job: LintedJob) -> Iterator[Hit]:
    """Launchers of which something says that they have Open MPI 5, and nothing says where their hosts are."""
    policy, launcher = job.policy("mpi"), job.launcher()
    is_open_mpi = policy is not None and policy.get("mpiImplementation", OPEN_MPI) == OPEN_MPI
    node = launcher.node() if is_open_mpi and launcher else None
    mpirun = mpirun_without_hosts(node, _HOSTFILE_VARIABLES) if node else None
    sign = _sign(node) if node else None
    if mpirun is not None and sign is not None:
        why, pointer = sign
        yield Hit(say(_IGNORED, mpirun.text), job.generated(mpirun.pointer), ((why, job.generated(pointer)),))


def _sign(node: ContainerSpec) -> tuple[Message, Pointer] | None:
    """What shows that a container has Open MPI 5."""
    if _IMAGE.search(str(node.body.get("image") or "").lower()):
        return say("the image has Open MPI 5"), (*node.pointer, "image")
    for words in commands(node):
        for word in words:
            if base(word.text).partition("=")[0] in _WORDS:
                return say("only Open MPI 5 has this"), word.pointer
    names = (each["name"] for each in node.body.get("env") or ())
    pointer = next((node.variable(name) for name in names if name.startswith(_PREFIX)), None)
    return None if pointer is None else (say("only Open MPI 5 reads this"), pointer)
