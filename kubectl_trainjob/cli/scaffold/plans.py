"""The files that each form of `init` writes, and whether they build."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kubectl_trainjob.cli.scaffold import pieces
from kubectl_trainjob.cli.scaffold.existing import Existing
from kubectl_trainjob.cli.scaffold.job import job, nodes
from kubectl_trainjob.cli.scaffold.pieces import JOBS, SCHEMA, with_schema
from kubectl_trainjob.cli.schema import described_kinds, schema_text, setting_schemas
from kubectl_trainjob.compiler.pipeline import build
from kubectl_trainjob.compiler.printing import build_findings
from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.admission.objects import admit
from kubectl_trainjob.kube.facts.supported import distinct_versions
from kubectl_trainjob.kube.schemas.json_schema import combined
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.stages import Body, BuildOptions, Manifest
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.files.catalogue_runtimes import packaged_runtimes
from kubectl_trainjob.repository.files.filesystem import Workspace
from kubectl_trainjob.repository.files.read import read
from kubectl_trainjob.repository.output.new_files import NewFile
from kubectl_trainjob.repository.positions import Locator

DEFAULT_RUNTIME = "torch"  # lint finds nothing in its jobs
_MORE_NODES = 4


@dataclass(frozen=True, slots=True)
class Scaffold:
    """New files below `directory`; `builds` are the paths that must build then, `following` is the next command."""

    directory: str
    files: tuple[NewFile, ...]
    builds: tuple[str, ...] = ()
    following: tuple[str, ...] = ()


class UnsuitableRuntimeError(Exception):
    """A requested runtime that cannot be used; the message has the reason and the usable ones."""


class RejectedRuntimeError(Exception):
    """A runtime of the repository that its Trainer rejects."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("the runtime is rejected")
        self.diagnostics = diagnostics


def repository(directory: str, runtime: str, name: str, trainer_version: str, emit: str) -> Scaffold:
    """A whole repository: settings, a runtime, a job, the overlays dev and prod."""
    body = _catalogue_runtime(runtime, trainer_version)
    count = nodes(body)
    files = (
        pieces.settings(trainer_version, emit),
        pieces.runtime(runtime, "runtimes", trainer_version),
        job(name, body, trainer_version),
        pieces.development(),
        pieces.production(name, _MORE_NODES if count > 1 else 0),
    )
    builds = (f"{JOBS}/{name}.yaml", "overlays/dev", "overlays/prod")
    schema = NewFile(SCHEMA, schema_text(combined(described_kinds(trainer_version), setting_schemas())))
    return Scaffold(directory, (*map(with_schema, files), schema), builds, ("build", "overlays/dev"))


def added_runtime(existing: Existing, runtime: str) -> Scaffold:
    """A runtime of the catalogue for a repository."""
    kind = _catalogue_runtime(runtime, existing.trainer_version)["kind"]
    for known in existing.runtimes:
        path = known.source.file.path
        if (known.id.kind, known.id.name) == (kind, runtime) and not catalogue.holds(path):
            raise EnvironmentFault(f'{path}: already has the runtime "{runtime}"; nothing was written')
    file = pieces.runtime(runtime, existing.runtimes_folder, existing.trainer_version)
    return _extend(existing, (file,), (file.path,), ("init", "job", "NAME", "--runtime", runtime))


def added_job(existing: Existing, name: str, runtime: str) -> Scaffold:
    """A job for a repository, and its runtime if it is one of the catalogue and not there yet; "": the only one."""
    known = {manifest.id.name: manifest for manifest in reversed(existing.runtimes)}
    version = existing.trainer_version
    runtime = _require_known(runtime or _only(sorted(known)), sorted({*known, *catalogue.versions()}))
    manifest = known.get(runtime)
    body = _own(manifest, version) if manifest else _catalogue_runtime(runtime, version)
    file = job(name, body, version)
    files = (file,) if manifest else (pieces.runtime(runtime, existing.runtimes_folder, version), file)
    return _extend(existing, files, (file.path,), ("build", file.path))


def added_overlay(existing: Existing, name: str, namespace: str) -> Scaffold:
    """An overlay for a repository, over its jobs."""
    if not existing.has(JOBS):
        raise EnvironmentFault(
            f"an overlay needs the directory {JOBS}/, which does not exist; add a job: init job NAME --runtime RUNTIME"
        )
    file = pieces.added_overlay(name, namespace)
    return _extend(existing, (file,), (f"overlays/{name}",), ("build", f"overlays/{name}"))


def _extend(
    existing: Existing, files: tuple[NewFile, ...], builds: tuple[str, ...], following: tuple[str, ...]
) -> Scaffold:
    """More files of a repository; if it has a schema for editors, they say so."""
    has_schema = os.path.isfile(os.path.join(existing.directory, SCHEMA))
    return Scaffold(existing.directory, tuple(map(with_schema, files)) if has_schema else files, builds, following)


def _only(names: Sequence[str]) -> str:
    if len(names) > 1:
        raise EnvironmentFault(f"there are several runtimes; pass one with --runtime: {', '.join(names)}")
    return names[0] if names else DEFAULT_RUNTIME


def _require_known(runtime: str, names: Sequence[str]) -> str:
    """The name, if it is one of `names`. Raises UnsuitableRuntimeError."""
    if runtime in names:
        return runtime
    meant = nearest(runtime, names)
    hint = f'did you mean "{meant}"? ' if meant else ""
    raise UnsuitableRuntimeError(f'runtime "{runtime}" does not exist; {hint}the runtimes are: {", ".join(names)}')


def _catalogue_runtime(runtime: str, trainer_version: str) -> Body:
    """A runtime of the catalogue, admitted. Raises UnsuitableRuntimeError."""
    versions = catalogue.versions()
    of_target = {each.id.name: each for each in packaged_runtimes(trainer_version)}
    manifest = of_target.get(_require_known(runtime, sorted(versions)))
    body, diagnostics = admit_runtime(manifest, trainer_version) if manifest else (None, [])
    if body is not None:
        return body
    suitable = [name for name, each in of_target.items() if admit_runtime(each, trainer_version)[0] is not None]
    if diagnostics:
        why = f'Trainer {trainer_version} does not accept "{runtime}": {diagnostics[0].message}; it accepts'
    else:
        has = ", ".join(distinct_versions([*versions[runtime]]))
        why = f'Trainer {trainer_version} comes without "{runtime}", which comes with Trainer {has}; runtimes for it'
    raise UnsuitableRuntimeError(f"{why}: {', '.join(suitable)}")


def _own(manifest: Manifest, trainer_version: str) -> Body:
    body, diagnostics = admit_runtime(manifest, trainer_version)
    if body is None:
        raise RejectedRuntimeError(diagnostics)
    return body


def errors(paths: Sequence[str], workspace: Workspace) -> list[Diagnostic]:
    """The errors of each path, built separately."""
    return [
        found
        for path in paths
        for found in build_findings(build(read([path], workspace), BuildOptions()))
        if found.severity is Severity.ERROR
    ]


def admit_runtime(runtime: Manifest, trainer_version: str) -> tuple[Body | None, list[Diagnostic]]:
    """A runtime after the API server and the webhook of Trainer; None and the errors if they reject it."""
    found, diagnostics = admit(runtime, VERSIONS[trainer_version].admission)
    return (found.body if found else None), diagnostics


def only_in(paths: Iterable[str], diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether all findings are in these files, by any path."""
    resolve = Locator().resolve
    found = {os.path.realpath(resolve(finding.place).file.path) for finding in diagnostics}
    return found <= set(map(os.path.realpath, paths))
