"""KTJ504: The settings of MPI go to one container: the one with the name `node`, in the replicatedJobs `node` and
`launcher`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.trainer import LAUNCHER, NODE
from kubectl_trainjob.kube.launch.flags import mpirun_without_hosts
from kubectl_trainjob.kube.launch.replicated_jobs import ReplicatedJob
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import value_at

_OTHER_NAME = (
    'replicatedJob "{}" has the containers {}, and Trainer gives SSH keys and hostfile only to one named "node"; '
    "rename the container that runs MPI"
)
_OWN_KEYS = say(", unless its image has separate SSH keys and hosts")
_KEYS, _HOSTS = "mpi-ssh-auth", "mpi-hostfile"  # the volumes that Trainer adds to these Pods
_PATH = ("spec", "mlPolicy", "mpi", "sshAuthMountPath")


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Roles of MPI without such a container: an error if what they run needs the settings for certain."""
    for role in runtime.mpi_roles():
        names = [container["name"] for container in role.pod.get("containers") or ()]
        if NODE in names or (_mounts(role, _KEYS) and (role.name == NODE or _mounts(role, _HOSTS))):
            continue
        is_certain = _needs_hosts(role) if role.name == LAUNCHER else _needs_keys(runtime)
        message = say(_OTHER_NAME, role.name, listed(names))
        message = say("{}{}", message, Message() if is_certain else _OWN_KEYS)
        severity = None if is_certain else Severity.WARNING
        yield Hit(message, runtime.in_template(role.in_pod("containers", 0, "name")), severity=severity)


def _mounts(role: ReplicatedJob, volume: str) -> bool:
    """Whether a container mounts the volume without Trainer."""
    mounts = (each for container in role.containers() for each in container.body.get("volumeMounts") or ())
    return any(each["name"] == volume for each in mounts)


def _needs_hosts(launcher: ReplicatedJob) -> bool:
    """Whether mpirun starts without the hosts that only Trainer knows."""
    return not _mounts(launcher, _HOSTS) and any(map(mpirun_without_hosts, launcher.containers()))


def _needs_keys(runtime: LintedRuntime) -> bool:
    """Whether the launcher logs in with the keys of Trainer, which no image has: as root, or at a path that is set."""
    launcher = next((role.node() for role in runtime.mpi_roles() if role.name == LAUNCHER), None)
    if launcher is None:
        return False
    is_set = value_at(runtime.runtime.manifest.body, _PATH) is not None
    return is_set or any("--allow-run-as-root" in word for word in launcher.words)
