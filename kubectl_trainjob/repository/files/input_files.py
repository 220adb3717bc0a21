"""Paths to files with their objects, before overlays: what `migrate` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import SkippedEntry, manifests_of
from kubectl_trainjob.repository.files.deployments import Deployment, of_kustomization, of_unit
from kubectl_trainjob.repository.files.filesystem import Workspace, current_root
from kubectl_trainjob.repository.files.input_reader import InputReader
from kubectl_trainjob.repository.files.read import Inputs
from kubectl_trainjob.repository.files.repository import Root


class InputFile(NamedTuple):
    """One file of the inputs, and its objects."""

    file: SourceFile
    manifests: tuple[Manifest, ...]


class InputFiles(NamedTuple):
    """The files of the inputs in the order of the paths; `skipped` and `ignored` as in `Documents`.

    `deployments` are the overlays and kustomizations among the inputs, `rendered` the objects of their templates.
    """

    files: tuple[InputFile, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    skipped: tuple[SkippedEntry, ...] = ()
    ignored: int = 0
    deployments: tuple[Deployment, ...] = ()
    rendered: tuple[Manifest, ...] = ()


def read_files(paths: Sequence[str], workspace: Workspace, limits: Limits = LIMITS) -> InputFiles:
    """Every file of the paths with its objects, and every resource of the overlays there.

    Raises EnvironmentFault as `read` does.
    """
    reader = _FileInputs(InputReader(limits, workspace), is_lenient=True)
    reader.paths(paths or (current_root(workspace.files),), None)
    found, directories = reader.input_reader, reader.directories
    for path in list(directories.unread_overlays):
        reader.path(path)
    deployments = [of_unit(unit) for unit in reader.units]
    deployments += [each for where in directories.kustomizations for each in of_kustomization(found, *where)]
    return InputFiles(
        tuple(reader.files.values()),
        tuple(found.diagnostics),
        tuple(directories.skipped),
        found.ignored,
        tuple(deployments),
        tuple(reader.rendered),
    )


class _FileInputs(Inputs):
    """Remembers the files, too."""

    def __init__(self, input_reader: InputReader, *, is_lenient: bool) -> None:
        super().__init__(input_reader, is_lenient=is_lenient)
        self.files: dict[SourceFile, InputFile] = {}
        self.rendered: list[Manifest] = []

    def _take(self, file: SourceFile, is_found: bool = False) -> None:
        manifests = self.directories.manifests if is_found else self.input_reader.manifests
        self.files.setdefault(file, InputFile(file, tuple(manifests(file))))

    def _unit(self, root: Root, inside: str) -> None:
        known = len(self.units)
        super()._unit(root, inside)
        for manifest in (each for unit in self.units[known:] for each in manifests_of(unit)):
            file = manifest.source.file
            if file.written is not None:
                self.rendered.append(manifest)
            elif file not in self.files:
                self._take(file)
