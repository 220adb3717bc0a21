"""KTJ504: The settings of MPI go to one container: the one with the name `node`, in the replicatedJobs `node` and
`launcher`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.message import listed, say

_OTHER_NAME = (
    'replicatedJob "{}" has the containers {}, and Trainer gives SSH keys and hostfile only to one named "node"; '
    "rename the container that runs MPI"
)


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Roles of MPI without such a container."""
    for role in runtime.mpi_roles():
        names = [container["name"] for container in role.pod.get("containers") or ()]
        if NODE not in names:
            message = say(_OTHER_NAME, role.name, listed(names))
            yield Hit(message, runtime.in_template(role.in_pod("containers", 0, "name")))
