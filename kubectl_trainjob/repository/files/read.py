"""Paths to `Documents`: all objects in the files, and the runtimes that they may refer to."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from errno import ENAMETOOLONG, ENOENT
from functools import cache
from typing import TYPE_CHECKING

from kubectl_trainjob.kube.facts.kinds import (
    KindRole,
    is_library_object,
    is_training_input,
    kinds_with,
    referenced_names,
)
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import UNLISTED_TEMPLATE
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Documents, Settings, Unit, manifests_of
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.files.catalogue_runtimes import packaged_runtimes
from kubectl_trainjob.repository.files.deploy import find_deployed
from kubectl_trainjob.repository.files.directories import Directories
from kubectl_trainjob.repository.files.filesystem import Workspace, current_root
from kubectl_trainjob.repository.files.input_reader import InputReader, fault
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import TooLargeError, UnsafePathError, read_pipe
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, TEMPLATE, is_overlay

if TYPE_CHECKING:
    from kubectl_trainjob.repository.files.overlays import Overlays


def read(
    paths: Sequence[str],
    workspace: Workspace,
    limits: Limits = LIMITS,
    names: Collection[str] | None = None,
    *,
    is_lenient: bool = False,
) -> Documents:
    """The objects of all paths, each file once, in the order of the paths, directories sorted.

    "-" is standard input. Without a path, the repository of the current directory is read. The library (the runtime
    directories of each root, without the inputs) is read only with a TrainJob among the inputs: only jobs refer to it.
    `names` selects what is parsed: files of overlays, of objects of such a name, and of runtimes of such TrainJobs.
    With `is_lenient`, files of other tools have no errors if a directory contains them. Raises EnvironmentFault for a
    path that cannot be read, NotInRevision for one that a commit does not have.
    """
    reader = Inputs(InputReader(limits, workspace), is_lenient=is_lenient)
    reader.paths(paths or (current_root(workspace.files),), names)
    input_reader, directories = reader.input_reader, reader.directories
    directories.report_kustomizations(reader.manifests)
    diagnostics = tuple(input_reader.diagnostics)
    has_jobs = reader.has_jobs()
    library = reader.library() if names is not None or has_jobs else ()
    directories.report_kustomizations(library)
    unread = tuple(input_reader.diagnostics[len(diagnostics) :])
    has_catalogue = has_jobs and any(root.config.catalog for root in input_reader.roots.values())
    if has_catalogue:  # its runtime would silently replace one that cannot be read
        diagnostics, unread = diagnostics + unread, ()
    rendered = {each.source.file.path for unit in reader.units for each in manifests_of(unit)}
    return Documents(
        inputs=tuple(reader.manifests),
        library=library,
        catalogue=cache(packaged_runtimes) if has_catalogue else lambda _trainer: (),
        packaged=catalogue.versions() if has_jobs else {},
        diagnostics=diagnostics,
        library_diagnostics=unread,
        ignored=input_reader.ignored,
        settings=tuple(reader.settings()),
        units=tuple(reader.units),
        unread_overlays=tuple(directories.unread_overlays),
        skipped=tuple(each for each in directories.skipped if each.path not in rendered),
        built=tuple(directories.built.values()),
        read_from=tuple(input_reader.read_from),
        found=frozenset(reader.found),
        forgiven=directories.forgiven(),
        limits=input_reader.limits,
    )


def deployed_paths(workspace: Workspace) -> tuple[str, ...]:
    """What the repository of the current directory deploys, as shown; none without the setting."""
    current = workspace.files.current
    root = InputReader(LIMITS, workspace).root(current.real(current_root(workspace.files)), current.relative)
    return tuple(root.show(each.path) for each in find_deployed(root))


class Inputs:
    """Reads paths for one build: files, directories and overlays."""

    def __init__(self, input_reader: InputReader, *, is_lenient: bool) -> None:
        self.input_reader = input_reader
        self.directories = Directories(input_reader, is_lenient=is_lenient)
        self._is_lenient = is_lenient
        self._overlays: Overlays | None = None
        self.manifests: list[Manifest] = []
        self.units: list[Unit] = []
        self.found: set[str] = set()
        self._seen: set[str] = set()
        self._is_wanted: Callable[[str], bool] | None = None
        self._skipped: list[tuple[SourceFile, bool]] = []

    def paths(self, paths: Sequence[str], names: Collection[str] | None) -> None:
        """Read all that was passed; with `names` parse only files that may have an object of one of them.

        Then parse other files, also later ones, only if they may have a runtime: of the TrainJobs, or of these names.
        """
        if names is None:
            for path in paths:
                self.path(path)
            return
        from kubectl_trainjob.repository.files.mention import holds_only, mentions

        self._is_wanted = mentions(names)
        for path in paths:
            self.path(path)
        of_jobs = {name for each in self.manifests if is_training_input(each) for name in referenced_names(each)}
        is_named = mentions(of_jobs.union(names))
        has_jobs_only = holds_only(*(kind.name for kind in kinds_with(KindRole.TRAINING_JOB)))
        any_name = bool(self.units)  # a patch may name another runtime
        self._is_wanted = lambda text: (any_name or is_named(text)) and not has_jobs_only(text)
        skipped, self._skipped = self._skipped, []
        for file, is_found in skipped:
            self._take(file, is_found)

    def path(self, path: str) -> None:
        """Read one path. Links in it are followed, but not out of a repository, and no links inside a directory."""
        try:
            real, kind = self.input_reader.files.named(path)
            if kind != "stream":
                self._read_path(path, real, kind == "directory")
            elif path != "-":
                self._stream(path, lambda most: read_pipe(self.input_reader.files.current.join(path), most))
        except (OSError, ValueError) as error:
            raise fault(path, error) from None
        except UnsafePathError as error:
            raise EnvironmentFault(f"{path}: {error}") from None
        if kind == "stream" and path == "-":
            self._stream(path, self.input_reader.workspace.stdin)

    def _read_path(self, path: str, real: str, is_directory: bool) -> None:
        current = self.input_reader.files.current
        show = current.absolute if os.path.isabs(path) else current.relative
        self.input_reader.read_from[real] = None
        root = self.input_reader.root(real if is_directory else os.path.dirname(real), show)
        inside = root.inside(real)
        if not is_directory and os.path.basename(real) == OVERLAY_FILE:
            self._unit(root, os.path.dirname(inside))
        elif path.endswith(TEMPLATE):
            message = say('"{}" is a template; pass the overlay that lists it', path)
            self.input_reader.report(UNLISTED_TEMPLATE, message, path)
        elif not is_directory:
            self._file(root, inside, path)
        elif is_overlay(root.files, inside, root.files.entries(inside)):
            self._unit(root, inside)
        else:
            self._directory(root, inside, path)

    def _unit(self, root: Root, inside: str) -> None:
        real = root.real(os.path.join(inside, OVERLAY_FILE))
        if real in self._seen:
            return
        self._seen.add(real)
        if self._overlays is None:
            from kubectl_trainjob.repository.files.overlays import Overlays  # most builds do not need it

            self._overlays = Overlays(self.input_reader, self.directories)
        self.units += self._overlays.unit(root, inside)

    def _directory(self, root: Root, inside: str, shown: str) -> None:
        for path, shown_path in self.directories.files(root, inside, shown):
            self._file(root, path, shown_path, is_found=True)

    def _file(self, root: Root, inside: str, shown: str, is_found: bool = False) -> None:
        real = root.real(inside)
        if real in self._seen:
            return
        self._seen.add(real)
        try:
            file = (self.directories.text if is_found else self.input_reader.file)(root, inside, shown)
        except OSError as error:
            raise fault(shown, error) from None
        if file is not None:
            self._take(file, is_found)

    def _take(self, file: SourceFile, is_found: bool = False) -> None:
        if is_found and self._is_lenient:
            self.found.add(file.path)
        if self._is_wanted is None or self._is_wanted(file.text):
            self.manifests += self.directories.manifests(file) if is_found else self.input_reader.manifests(file)
        else:
            self._skipped.append((file, is_found))

    def _stream(self, path: str, data: Callable[[int], bytes]) -> None:
        """Read standard input or a pipe, once; its root is that of the current directory."""
        if path in self._seen:
            return
        self._seen.add(path)
        current = self.input_reader.files.current
        self.input_reader.root(current.real("."), current.relative)
        most = self.input_reader.limits.file_bytes
        try:
            read = data(most)
        except TooLargeError:
            read = b" " * (most + 1)
        if len(read) > most:
            self.input_reader.too_large(path)
            return
        file = self.input_reader.decoded(path, read)
        if file is not None:
            self._take(file)

    def library(self) -> tuple[Manifest, ...]:
        """The runtimes in the directories of all roots, except those among the inputs; any file may be one of them."""
        first = len(self.manifests)
        self._is_lenient = self.directories.is_lenient = False
        for root in list(self.input_reader.roots.values()):
            for folder in dict.fromkeys(root.config.runtimes):
                if _is_there(root, folder):
                    self.input_reader.read_from[root.real(folder)] = None
                    self._directory(root, folder, root.show(folder))
        found = tuple(filter(is_library_object, self.manifests[first:]))
        del self.manifests[first:]
        return found

    def has_jobs(self) -> bool:
        """Whether the inputs have something to build."""
        every = (*self.manifests, *(each for unit in self.units for each in manifests_of(unit)))
        return any(map(is_training_input, every))

    def settings(self) -> Iterator[Settings]:
        """The settings of the roots."""
        for own in (root.config for root in self.input_reader.roots.values()):
            if own.source is not None:
                yield Settings(own.source, own.trainer, own.emit, own.lint, own.ome, own.tuning, own.allow)


def _is_there(root: Root, folder: str) -> bool:
    """Whether a directory of runtimes exists. Raises EnvironmentFault for one that cannot be read."""
    try:
        root.files.entries(folder)
    except (UnsafePathError, OSError) as error:
        if getattr(error, "errno", None) in (ENOENT, ENAMETOOLONG):  # reported when trainjob.yaml was read
            return False
        advice = "the setting runtimes needs a directory that can be read"
        raise EnvironmentFault(f"{fault(root.show(folder), error)}; {advice}") from None
    return True
