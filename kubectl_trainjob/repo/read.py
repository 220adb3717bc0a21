"""Paths to `Documents`: every object in the files that were named, and the runtimes they may refer to."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence

from kubectl_trainjob.faults import EnvironmentFault
from kubectl_trainjob.findings import inputs
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.rule import Rule
from kubectl_trainjob.limits import LIMITS, Limits
from kubectl_trainjob.repo.classify import UNBUILT, classify
from kubectl_trainjob.repo.config import Config, read_config
from kubectl_trainjob.repo.decode import decode
from kubectl_trainjob.repo.root import SecureRoot, TooLargeError, UnsafePathError, read_all
from kubectl_trainjob.repo.roots import CONFIG_FILE, find_root, is_configured
from kubectl_trainjob.repo.walk import OVERLAY_FILE, Trouble, is_overlay, walk
from kubectl_trainjob.source import Place, Source, SourceFile, Span
from kubectl_trainjob.stages import Documents, Manifest, Target, is_runtime, is_train_job
from kubectl_trainjob.yamlio.read import Reader

_TROUBLE: dict[Trouble, tuple[Rule, str]] = {
    "link": (
        inputs.UNSAFE_PATH,
        "is a symbolic link, which is not followed; copy the file, or name its target as a PATH",
    ),
    "special": (inputs.UNSAFE_PATH, "is no regular file; remove it, or name it as a PATH of its own"),
    "template": (inputs.UNLISTED_TEMPLATE, "is listed by no overlay, so nothing renders it; list it, or move it away"),
    "kustomization": (inputs.UNBUILT_KUSTOMIZATION, UNBUILT),
    "deep": (inputs.UNSAFE_PATH, "lies below too many directories; name it as a PATH of its own"),
}


def read(paths: Sequence[str], stdin: Callable[[], bytes], limits: Limits = LIMITS) -> Documents:
    """The objects of all paths ("-" is standard input), each file once, in the order given, directories sorted.

    The library (the runtime folders of each root, without the files that are inputs) is read only when a TrainJob is
    among the inputs: nothing else refers to it. Raises EnvironmentFault for a path that cannot be read.
    """
    intake = _Intake(limits)
    for path in paths:
        if path == "-":
            intake.standard_input(stdin)
        else:
            intake.path(path)
    inputs_, diagnostics, ignored = tuple(intake.manifests), tuple(intake.diagnostics), intake.ignored
    targets = intake.targets()
    if not any(map(is_train_job, inputs_)):
        return Documents(inputs_, (), diagnostics, (), ignored, targets)
    runtimes, unread = intake.library()
    return Documents(inputs_, runtimes, diagnostics, unread, ignored, targets)


class _Intake:
    """What was read so far; limits hold for all files of a build together, the library included."""

    def __init__(self, limits: Limits) -> None:
        self.manifests: list[Manifest] = []
        self.diagnostics: list[Diagnostic] = []
        self.ignored = 0
        self._limits = limits
        self._reader = Reader(limits)
        self._bytes = 0
        self._seen: set[str] = set()
        self._roots: dict[str, SecureRoot] = {}
        self._shown_roots: dict[str, str] = {}
        self._configs: dict[str, Config] = {}

    def standard_input(self, stdin: Callable[[], bytes]) -> None:
        """Read standard input, once; its root is the current directory's."""
        if "-" in self._seen:
            return
        self._seen.add("-")
        self._root(os.path.realpath("."), os.path.relpath)
        data = stdin()
        if len(data) > self._limits.file_bytes:
            self._file_too_large("-")
        else:
            self._data("-", data)

    def path(self, path: str) -> None:
        """Read a file or directory that was named; links are followed up to here, but not inside the directory."""
        try:
            mode = os.stat(path).st_mode
            real = os.path.realpath(path)
            show = os.path.abspath if os.path.isabs(path) else os.path.relpath
            if stat.S_ISDIR(mode):
                root = self._root(real, show)
                if is_overlay(root.entries(_inside(root, real))):
                    raise EnvironmentFault(f"{os.path.join(path, OVERLAY_FILE)}: overlays cannot be built yet")
                self._directory(root, real, path)
            elif stat.S_ISREG(mode):
                self._file(self._root(os.path.dirname(real), show), real, path)
            else:
                self._special(path)
        except (OSError, ValueError) as error:
            raise _fault(path, error) from None
        except UnsafePathError as error:  # it was put in place after it had been looked at
            raise EnvironmentFault(f"{path}: {error}") from None

    def library(self) -> tuple[tuple[Manifest, ...], tuple[Diagnostic, ...]]:
        """The runtimes in the folders of all roots, and what is wrong with the files there."""
        first, noted = len(self.manifests), len(self.diagnostics)
        for root in list(self._roots.values()):
            for folder in self._configs[root.directory].runtimes:
                shown = os.path.normpath(os.path.join(self._shown_roots[root.directory], folder))
                if root.has_directory(folder):
                    self._directory(root, os.path.join(root.directory, folder), shown)
                elif folder not in Config().runtimes:
                    raise EnvironmentFault(f"{shown}: the runtimes folder of {CONFIG_FILE} is not there")
        return tuple(filter(is_runtime, self.manifests[first:])), tuple(self.diagnostics[noted:])

    def _root(self, directory: str, show: Callable[[str], str]) -> SecureRoot:
        found = find_root(directory)
        if found not in self._roots:
            self._roots[found] = SecureRoot(found)
            self._shown_roots[self._roots[found].directory] = show(found)
            self._configs[self._roots[found].directory] = self._config(self._roots[found], show(found))
        return self._roots[found]

    def _config(self, root: SecureRoot, shown: str) -> Config:
        if not is_configured(root.directory):
            return Config()
        path = os.path.normpath(os.path.join(shown, CONFIG_FILE))
        try:
            file = decode(path, root.read(CONFIG_FILE, self._limits.file_bytes))
        except (UnsafePathError, TooLargeError) as error:
            raise EnvironmentFault(f"{path}: {error}") from None
        if isinstance(file, Diagnostic):
            self.diagnostics.append(file)
            return Config()
        config, diagnostics = read_config(file)
        self.diagnostics += diagnostics
        return config

    def targets(self) -> tuple[Target, ...]:
        """The Trainer versions that the roots' configurations name, and where."""
        found = (config for config in self._configs.values() if config.trainer and config.place)
        return tuple(Target(config.trainer, config.place) for config in found if config.place)

    def _directory(self, root: SecureRoot, real: str, shown: str) -> None:
        inside = _inside(root, real)
        for found in walk(root, inside):
            if self._is_full():
                return
            below = found.path[len(inside) :].lstrip("/") if inside else found.path
            path = os.path.normpath(os.path.join(shown, below))
            if found.trouble is not None:
                rule, message = _TROUBLE[found.trouble]
                self._report(rule, f'"{os.path.basename(path)}" {message}', path)
            else:
                self._file(root, os.path.join(root.directory, found.path), path)

    def _file(self, root: SecureRoot, real: str, shown: str) -> None:
        if real in self._seen or self._is_full():
            return
        self._seen.add(real)
        try:
            self._data(shown, root.read(_inside(root, real), self._limits.file_bytes))
        except TooLargeError:
            self._file_too_large(shown)
        except UnsafePathError:
            rule, message = _TROUBLE["link"]
            self._report(rule, f'"{os.path.basename(shown)}" {message}', shown)
        except OSError as error:
            raise _fault(shown, error) from None

    def _special(self, path: str) -> None:
        """A pipe or the like that was named: `build <(generate)`."""
        if path in self._seen:
            return
        self._seen.add(path)
        self._root(os.path.realpath("."), os.path.relpath)
        with open(path, "rb", buffering=0) as file:
            try:
                self._data(path, read_all(file.fileno(), self._limits.file_bytes))
            except TooLargeError:
                self._file_too_large(path)

    def _data(self, shown: str, data: bytes) -> None:
        self._bytes += len(data)
        if self._is_over_size():
            limit = _mebibytes(self._limits.build_bytes)
            message = f"the files of this build are larger than {limit} together, the limit; build fewer at a time"
            self._report(inputs.BUILD_TOO_LARGE, message, shown)
            return
        file = decode(shown, data)
        if isinstance(file, Diagnostic):
            self.diagnostics.append(file)
            return
        reading = self._reader.read(file)
        self.diagnostics += reading.diagnostics
        for body, source in reading.objects:
            found = classify(body, source)
            if isinstance(found, Manifest):
                self.manifests.append(found)
            elif isinstance(found, Diagnostic):
                self.diagnostics.append(found)
            else:
                self.ignored += found == "ignored"

    def _is_over_size(self) -> bool:
        return self._bytes > self._limits.build_bytes

    def _is_full(self) -> bool:
        """Whether a limit of the whole build was exceeded; that was reported, and nothing more is read."""
        return self._is_over_size() or self._reader.is_full

    def _file_too_large(self, shown: str) -> None:
        limit = _mebibytes(self._limits.file_bytes)
        self._report(inputs.FILE_TOO_LARGE, f"the file is larger than {limit}, the limit for one file; split it", shown)

    def _report(self, rule: Rule, message: str, shown: str) -> None:
        place = Place(Source(SourceFile(shown, "")), span=Span(1, 1, 1, 1))
        self.diagnostics.append(Diagnostic(rule, message, place))


def _inside(root: SecureRoot, real: str) -> str:
    path = os.path.relpath(real, root.directory).replace(os.sep, "/")
    return "" if path == "." else path


def _fault(path: str, error: Exception) -> EnvironmentFault:
    return EnvironmentFault(f"{path}: {getattr(error, 'strerror', None) or error}")


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):g} MiB"
