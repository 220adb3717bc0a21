"""Names of fields and kinds that were different, and values that are one level too high."""

from __future__ import annotations

from kubectl_trainjob.frontends.older.rewriting import Rewriting
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import OLDER_VERSIONS
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Pointer

_POLICY: Pointer = ("spec", "mlPolicy")
_GANG_PLUGINS = ("coscheduling", "volcano")
_RUNTIME_SPEC = ("mlPolicy", "podGroupPolicy", "template")
_NESTED = (
    (_POLICY, "torch", ("numProcPerNode", "elasticPolicy")),
    (_POLICY, "pytorch", ("numProcPerNode", "elasticPolicy")),
    (_POLICY, "mpi", ("numProcPerNode", "mpiImplementation", "sshAuthMountPath", "runLauncherAsNode")),
    (("spec", "podGroupPolicy"), "coscheduling", ("scheduleTimeoutSeconds",)),
    (("spec", "template"), "spec", ("replicatedJobs", "containers")),
)


def api_version(work: Rewriting) -> None:
    """`apiVersion` of the first APIs."""
    if work.get("apiVersion") in OLDER_VERSIONS:
        work.put(("apiVersion",), trainer.API_VERSION, ("apiVersion",))


def nested_runtime(work: Rewriting) -> None:
    """Fields beside a null that belong inside: lost indentation."""
    if work.has("spec") and work.get("spec") is None:
        _nest(work, (), "spec", _RUNTIME_SPEC)
    for parent, key, fields in _NESTED:
        if work.has(*parent, key) and work.get(*parent, key) is None:
            _nest(work, parent, key, fields)


def nested_job(work: Rewriting) -> None:
    """The same for a TrainJob."""
    if work.has("spec") and work.get("spec") is None:
        _nest(work, (), "spec", ("runtimeRef", "trainingRuntimeRef", "trainer", "initializer"))


def _nest(work: Rewriting, parent: Pointer, key: str, fields: tuple[str, ...]) -> None:
    inside = [name for name in fields if work.has(*parent, name)]
    if not inside:
        return
    message = say('"{}" is empty, and "{}" belongs inside; indent it', key, inside[0])
    work.ask(message, *parent, key)
    work.drop(*parent, key)
    for name in inside:
        work.move((*parent, name), (*parent, key, name))


def policy_names(work: Rewriting) -> None:
    """`mlSpec`, `torchSpec`, `mpiSpec` and `podGroupSpec` of the first proposal."""
    work.rename(("spec",), "mlSpec", "mlPolicy")
    work.rename(_POLICY, "torchSpec", "torch")
    work.rename(_POLICY, "mpiSpec", "mpi")
    plugin = work.get("spec", "podGroupSpec", "plugin")
    if plugin in _GANG_PLUGINS and not work.has("spec", "podGroupPolicy"):
        work.move(("spec", "podGroupSpec"), ("spec", "podGroupPolicy", plugin))
        work.drop("spec", "podGroupPolicy", plugin, "plugin")


def torch_name(work: Rewriting) -> None:
    """`pytorch` of an early guide."""
    work.rename(_POLICY, "pytorch", "torch")


def ssh_path(work: Rewriting) -> None:
    """`SSHAuthMountPath`."""
    work.rename((*_POLICY, "mpi"), "SSHAuthMountPath", "sshAuthMountPath")


def mpi_implementation(work: Rewriting) -> None:
    """Implementations that Trainer does not have."""
    found = work.get(*_POLICY, "mpi", "mpiImplementation")
    if found not in (None, trainer.OPEN_MPI):
        message = say(
            'no controller of Trainer implements mpiImplementation "{}"; use an image with Open MPI, or apply builds '
            "with `allow: {extendedMpi: true}` in trainjob.yaml",
            found,
        )
        work.ask(message, *_POLICY, "mpi", "mpiImplementation")
