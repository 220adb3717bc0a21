"""KTJ504: MPI's settings go to one container: the one that is named `node`, in the replicatedJobs `node` and
`launcher`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.mpi import roles
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.rules import MPI_CONTAINER_NAME


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    for role in roles(runtime):
        names = [container["name"] for container in role.pod.get("containers") or ()]
        if NODE not in names:
            has = " and ".join(f'"{name}"' for name in names) or "none"
            message = (
                f'replicatedJob "{role.name}" has the containers {has}, and Trainer gives SSH keys and hostfile only '
                f'to one named "{NODE}"; rename the container that runs MPI'
            )
            yield Hit(message, runtime.in_template(role.in_pod("containers", 0, "name")))


CHECK = RuntimeCheck(MPI_CONTAINER_NAME, _find)
