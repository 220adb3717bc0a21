"""Paths to `Documents`: every object in the files that were named, and the runtimes they may refer to."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from kubectl_trainjob.kube.facts.kinds import is_runtime, is_train_job, runtime_ref
from kubectl_trainjob.kube.facts.trainer import TRAIN_JOB
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.rules import UNLISTED_TEMPLATE
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Documents, Settings, Unit, manifests_of
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.files.config import Config
from kubectl_trainjob.repository.files.filesystem import Workspace, current_root
from kubectl_trainjob.repository.files.ignore import Ignore
from kubectl_trainjob.repository.files.intake import Intake, fault
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import SecureRoot, TooLargeError, UnsafePathError, read_all
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, TEMPLATE, is_overlay

if TYPE_CHECKING:
    from kubectl_trainjob.repository.files.listings import Listings
    from kubectl_trainjob.repository.files.overlays import Overlays


def read(
    paths: Sequence[str], workspace: Workspace, limits: Limits = LIMITS, names: Collection[str] | None = None
) -> Documents:
    """The objects of all paths, each file once, in the order given, directories sorted.

    "-" is standard input. Without a path, the repository of the current directory is read. The library (the runtime
    folders of each root, without the files that are inputs) is read only when a TrainJob is among the inputs: nothing
    else refers to it. With `names`, only files are parsed that hold an object of one of them or a runtime that such a
    TrainJob refers to, and overlays' files. Raises EnvironmentFault for a path that cannot be read, NotInRevision for
    one that a commit does not have.
    """
    reader = _Inputs(Intake(limits, workspace))
    reader.paths(paths or (current_root(workspace.files),), names)
    intake = reader.intake
    diagnostics = tuple(intake.diagnostics)
    has_jobs = reader.has_jobs()
    library = reader.library() if names is not None or has_jobs else ()
    unread = tuple(intake.diagnostics[len(diagnostics) :])
    from_catalogue = reader.catalogue() if has_jobs else ()
    if from_catalogue:  # its runtime would silently stand in for one that cannot be read
        diagnostics, unread = diagnostics + unread, ()
    return Documents(
        inputs=tuple(reader.manifests),
        library=library,
        catalogue=from_catalogue,
        packaged=catalogue.names() if has_jobs else (),
        diagnostics=diagnostics,
        library_diagnostics=unread,
        ignored=intake.ignored,
        settings=tuple(reader.settings()),
        units=tuple(reader.units),
        left_out=tuple(intake.left_out),
        passed_by=tuple(intake.passed_by),
        built=tuple(intake.built.values()),
        read_from=tuple(intake.read_from),
        limits=intake.limits,
    )


class _Inputs:
    """What was read so far."""

    def __init__(self, intake: Intake) -> None:
        self.intake = intake
        self._overlays: Overlays | None = None
        self._listings: Listings | None = None
        self.manifests: list[Manifest] = []
        self.units: list[Unit] = []
        self._seen: set[str] = set()
        self._is_wanted: Callable[[str], bool] | None = None
        self._passed_over: list[SourceFile] = []

    def look_for(self, names: Collection[str]) -> None:
        """From now on parse only files that may hold something of one of the names, and keep the others."""
        from kubectl_trainjob.repository.files.mention import mentions

        self._is_wanted = mentions(names)

    def look_for_runtimes(self, names: Collection[str]) -> None:
        """Parse what was kept, and what follows, only if it may hold a runtime: of the TrainJobs, or of these names."""
        from kubectl_trainjob.repository.files.mention import holds_only, mentions

        of_jobs = {str(runtime_ref(each).get("name")) for each in self.manifests if is_train_job(each)}
        is_named = mentions(of_jobs.union(names))
        has_jobs_only, any_name = holds_only(TRAIN_JOB), bool(self.units)  # a patch may name another runtime
        self._is_wanted = lambda text: (any_name or is_named(text)) and not has_jobs_only(text)
        kept, self._passed_over = self._passed_over, []
        for file in kept:
            self._take(file)

    def overlays(self) -> Overlays:
        """The reader of overlays, made when the first one is met: most builds have no use for what it imports."""
        if self._overlays is None:
            from kubectl_trainjob.repository.files.overlays import Overlays

            self._overlays = Overlays(self.intake)
        return self._overlays

    def paths(self, paths: Sequence[str], names: Collection[str] | None) -> None:
        """Read all that was passed; with `names` parse only what may hold an object of one of them."""
        if names is not None:
            self.look_for(names)
        for path in paths:
            self.path(path)
        if names is not None:
            self.look_for_runtimes(names)

    def path(self, path: str) -> None:
        """Read what was named. Links are followed up to here, but not out of a repository, nor inside a directory."""
        try:
            real, kind = self.intake.files.named(path)
            if kind != "stream":
                self._named(path, real, kind == "directory")
            elif path != "-":
                self._stream(path, lambda most: _pipe(self.intake.files.current.join(path), most))
        except (OSError, ValueError) as error:
            raise fault(path, error) from None
        except UnsafePathError as error:
            raise EnvironmentFault(f"{path}: {error}") from None
        if kind == "stream" and path == "-":
            self._stream(path, self.intake.workspace.stdin)

    def _named(self, path: str, real: str, is_directory: bool) -> None:
        current = self.intake.files.current
        show = current.absolute if os.path.isabs(path) else current.relative
        self.intake.read_from[real] = None
        root = self.intake.root(real if is_directory else os.path.dirname(real), show)
        inside = root.inside(real)
        if not is_directory and os.path.basename(real) == OVERLAY_FILE:
            self._unit(root, os.path.dirname(inside))
        elif path.endswith(TEMPLATE):
            message = f'"{path}" is a template; name the overlay that lists it'
            self.intake.report(UNLISTED_TEMPLATE, message, path)
        elif not is_directory:
            self._file(root, inside, path)
        elif is_overlay(root.files.entries(inside)):
            self._unit(root, inside)
        else:
            self._directory(root, inside, path)

    def _unit(self, root: Root, inside: str) -> None:
        real = root.real(os.path.join(inside, OVERLAY_FILE))
        if real not in self._seen:
            self._seen.add(real)
            self.units += self.overlays().unit(root, inside)

    def _directory(self, root: Root, inside: str, shown: str) -> None:
        for path, shown_path in self.intake.directory(root, inside, shown, self._is_listed):
            self._file(root, path, shown_path)

    def _is_listed(self, root: Root, template: str) -> bool:
        if self._listings is None:
            from kubectl_trainjob.repository.files.listings import Listings  # most builds meet no template

            self._listings = Listings(self.intake.limits)
        return self._listings.has(root, template)

    def _file(self, root: Root, inside: str, shown: str) -> None:
        real = root.real(inside)
        if real in self._seen:
            return
        self._seen.add(real)
        try:
            file = self.intake.file(root, inside, shown)
        except OSError as error:
            raise fault(shown, error) from None
        if file is not None:
            self._take(file)

    def _take(self, file: SourceFile) -> None:
        if self._is_wanted is None or self._is_wanted(file.text):
            self.manifests += self.intake.manifests(file)
        else:
            self._passed_over.append(file)

    def _stream(self, path: str, data: Callable[[int], bytes]) -> None:
        """Read standard input or a pipe, once; its root is the current directory's."""
        if path in self._seen:
            return
        self._seen.add(path)
        current = self.intake.files.current
        self.intake.root(current.real("."), current.relative)
        most = self.intake.limits.file_bytes
        try:
            read = data(most)
        except TooLargeError:
            read = b" " * (most + 1)
        if len(read) > most:
            self.intake.too_large(path)
            return
        file = self.intake.decoded(path, read)
        if file is not None:
            self._take(file)

    def library(self) -> tuple[Manifest, ...]:
        """The runtimes in the folders of all roots that are not among the inputs; problems there are noted."""
        first = len(self.manifests)
        for root in list(self.intake.roots.values()):
            for folder in dict.fromkeys(root.config.runtimes):
                if _is_there(root, folder):
                    self.intake.read_from[root.real(folder)] = None
                    self._directory(root, folder, root.show(folder))
        return self._runtimes_since(first)

    def has_jobs(self) -> bool:
        """Whether a TrainJob is among what was read."""
        every = (*self.manifests, *(each for unit in self.units for each in manifests_of(unit)))
        return any(map(is_train_job, every))

    def catalogue(self) -> tuple[Manifest, ...]:
        """The runtimes that come with the tool, if some root wants them."""
        first = len(self.manifests)
        if any(root.config.catalog for root in self.intake.roots.values()):
            directory = catalogue.directory()
            self._directory(Root(SecureRoot(directory), directory, Config(), Ignore()), "", directory)
        return self._runtimes_since(first)

    def _runtimes_since(self, first: int) -> tuple[Manifest, ...]:
        found = tuple(filter(is_runtime, self.manifests[first:]))
        del self.manifests[first:]
        return found

    def settings(self) -> Iterator[Settings]:
        """What the roots' configurations say of the build as a whole, and where."""
        for root in self.intake.roots.values():
            if root.config.source is not None:
                yield Settings(root.config.source, root.config.trainer, root.config.emit, root.config.lint)


def _is_there(root: Root, folder: str) -> bool:
    """Whether there is a folder of runtimes. Raises EnvironmentFault for one that is of no use as it is."""
    try:
        root.files.entries(folder)
    except FileNotFoundError:
        return False  # one that trainjob.yaml names was reported when that was read
    except (UnsafePathError, OSError) as error:
        advice = "runtimes are looked up there, so make it a directory that can be read"
        raise EnvironmentFault(f"{fault(root.show(folder), error)}; {advice}") from None
    return True


def _pipe(path: str, most: int) -> bytes:
    with open(path, "rb", buffering=0) as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISREG(mode):
            raise UnsafePathError("another file was put in its place meanwhile")
        return read_all(file.fileno(), most)
