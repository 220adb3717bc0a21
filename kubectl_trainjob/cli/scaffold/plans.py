"""What is to be written for each form of `init`, and how one sees that it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_trainjob.cli.scaffold import pieces
from kubectl_trainjob.cli.scaffold.existing import Existing, shipped
from kubectl_trainjob.cli.scaffold.job import job, nodes
from kubectl_trainjob.cli.scaffold.pieces import JOBS
from kubectl_trainjob.cli.scaffold.proof import admitted
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.stages import Body, Manifest
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.output.new_files import NewFile

DEFAULT_RUNTIME = "torch-distributed"
_MORE_NODES = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """New files below `directory`; `builds` are the paths that have to build then, `following` a command to go on."""

    directory: str
    files: tuple[NewFile, ...]
    builds: tuple[str, ...] = ()
    following: tuple[str, ...] = ()


class UnsuitableRuntimeError(Exception):
    """A runtime that was asked for and cannot be had; the message says why, and which can."""


class RefusedRuntimeError(Exception):
    """A runtime of the repository that its Trainer would refuse."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("the runtime would be refused")
        self.diagnostics = diagnostics


def repository(directory: str, runtime: str, name: str, trainer_version: str, emit: str) -> Plan:
    """A whole repository: settings, a runtime, a job, the overlays dev and prod."""
    body = _shipped(runtime, trainer_version)
    count = nodes(body)
    files = (
        pieces.settings(trainer_version, emit),
        pieces.runtime(runtime, "runtimes"),
        job(name, body, trainer_version),
        pieces.development(),
        pieces.production(name, _MORE_NODES if count > 1 else 0),
    )
    builds = (f"{JOBS}/{name}.yaml", "overlays/dev", "overlays/prod")
    return Plan(directory, files, builds, ("build", "overlays/dev"))


def added_runtime(there: Existing, runtime: str) -> Plan:
    """A runtime of the catalogue for a repository."""
    kind = _shipped(runtime, there.trainer_version)["kind"]
    for known in there.runtimes:
        if (known.id.kind, known.id.name) == (kind, runtime):
            path = known.source.file.path
            raise EnvironmentFault(f'{path}: has the runtime "{runtime}" already; nothing was written')
    file = pieces.runtime(runtime, there.runtimes_folder)
    return Plan(there.directory, (file,), (file.path,), ("init", "job", "NAME", "--runtime", runtime))


def added_job(there: Existing, name: str, runtime: str) -> Plan:
    """A job for a repository, and its runtime where that is the catalogue's and not there yet; "": the only one."""
    known = {manifest.id.name: manifest for manifest in reversed(there.runtimes)}
    runtime = _known(runtime or _only(sorted(known)), sorted({*known, *catalogue.names()}))
    version = there.trainer_version
    manifest = known.get(runtime)
    body = _own(manifest, version) if manifest else _shipped(runtime, version)
    file = job(name, body, version)
    files = (file,) if manifest else (pieces.runtime(runtime, there.runtimes_folder), file)
    return Plan(there.directory, files, (file.path,), ("build", file.path))


def added_overlay(there: Existing, name: str, namespace: str) -> Plan:
    """An overlay for a repository, over its jobs."""
    if not there.has(JOBS):
        raise EnvironmentFault(
            f"an overlay lies over the jobs in {JOBS}/, which is not there; add one: init job NAME --runtime RUNTIME"
        )
    file = pieces.added_overlay(name, namespace)
    return Plan(there.directory, (file,), (f"overlays/{name}",), ("build", f"overlays/{name}"))


def _only(names: Sequence[str]) -> str:
    if len(names) > 1:
        raise EnvironmentFault(f"there are several runtimes; say which with --runtime: {', '.join(names)}")
    return names[0] if names else DEFAULT_RUNTIME


def _known(runtime: str, names: Sequence[str]) -> str:
    """The name, if it is one of `names`. Raises UnsuitableRuntimeError."""
    if runtime in names:
        return runtime
    meant = nearest(runtime, names)
    hint = f'did you mean "{meant}"? ' if meant else ""
    raise UnsuitableRuntimeError(f'there is no runtime "{runtime}"; {hint}there are: {", ".join(names)}')


def _shipped(runtime: str, trainer_version: str) -> Body:
    """A runtime of the catalogue, admitted. Raises UnsuitableRuntimeError."""
    body, diagnostics = admitted(shipped(_known(runtime, catalogue.names())), trainer_version)
    if body is not None:
        return body
    reason = diagnostics[0].message.partition(";")[0]
    suitable = [name for name in catalogue.names() if admitted(shipped(name), trainer_version)[0] is not None]
    raise UnsuitableRuntimeError(
        f'Trainer {trainer_version} does not take "{runtime}": {reason}; it takes: {", ".join(suitable)}'
    )


def _own(manifest: Manifest, trainer_version: str) -> Body:
    body, diagnostics = admitted(manifest, trainer_version)
    if body is None:
        raise RefusedRuntimeError(diagnostics)
    return body
