"""Files to manifests, within the limits of one build."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import Limits, size
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import CONFLICTING_SETTINGS, INVALID_SETTING, NESTED_SETTINGS, Rule
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import BuiltDirectory
from kubectl_trainjob.repository.files.classify import UNBUILT, classify
from kubectl_trainjob.repository.files.config import Config, read_config
from kubectl_trainjob.repository.files.decode import decode
from kubectl_trainjob.repository.files.filesystem import Workspace, paths_below
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.ignore import Ignore
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import Files, TooLargeError, UnsafePathError
from kubectl_trainjob.repository.files.settings import HEADLESS
from kubectl_trainjob.repository.files.walk import Found, Trouble, walk
from kubectl_trainjob.repository.yaml.read import Reader

_TROUBLE: dict[Trouble, tuple[Rule, str]] = {
    "link": (
        rules.UNSAFE_PATH,
        "is a symbolic link, which is not followed; copy the file, or name its target as a PATH",
    ),
    "special": (rules.UNSAFE_PATH, "is no regular file; remove it, or name it as a PATH of its own"),
    "template": (rules.UNLISTED_TEMPLATE, "is listed by no overlay, so nothing renders it; list it, or move it away"),
    "kustomization": (rules.UNBUILT_KUSTOMIZATION, UNBUILT),
    "deep": (rules.UNSAFE_PATH, "lies below too many directories; name it as a PATH of its own"),
}


class Intake:
    """Reads files; limits hold for all files of a build together. Problems are noted in `diagnostics`."""

    def __init__(self, limits: Limits, workspace: Workspace) -> None:
        self.workspace = workspace
        self.files = workspace.files
        self._below_base = paths_below(workspace.base, workspace.files.current)
        self._files = 0
        self.diagnostics: list[Diagnostic] = []
        self.ignored = 0
        self.left_out: dict[str, None] = {}  # overlays' directories that a directory read passed by
        self.passed_by: dict[str, None] = {}  # what else it passed by, and why
        self.built: dict[str, BuiltDirectory] = {}
        self.read_from: dict[str, None] = {}  # the real paths of what was named, directories and files
        self.roots: dict[str, Root] = {}
        self.limits = limits
        self._new_reader = workspace.parsed.reader if workspace.parsed else Reader
        self._classify = workspace.parsed.classify if workspace.parsed else classify
        self._reader = self._new_reader(limits)
        self._bytes = 0
        self._latest = b""
        self._read: dict[tuple[Root, str], SourceFile | None] = {}
        self._parsed: dict[SourceFile, list[Manifest]] = {}
        self._broken: set[SourceFile] = set()

    def root(self, directory: str, show: Callable[[str], str]) -> Root:
        """The root that a directory (a real path) lies in; the first root's configuration sets the limits.

        Raises UnsafePathError, and EnvironmentFault for a configuration that cannot be read.
        """
        found = self.files.root_of(directory)
        if found not in self.roots:
            files = self.files.below(found)
            config = self._config(files, show(found))
            self._limit(config)
            self._check_folders(config, files)
            self.roots[found] = Root(files, show(found), config, Ignore(config.ignore))
        return self.roots[found]

    def _check_folders(self, config: Config, files: Files) -> None:
        """Note the folders of runtimes that trainjob.yaml names and that are not there."""
        if config.source is None or config.runtimes == Config().runtimes:
            return
        for index, folder in enumerate(config.runtimes):
            if not files.has(folder):
                meant = nearest(folder, [entry.name for entry in files.entries() if entry.is_directory])
                hint = f'did you mean "{meant}"?' if meant else "mend the path"
                message = f'the folder "{folder}" is not there; {hint}'
                self.diagnostics.append(Diagnostic(INVALID_SETTING, message, Place(config.source, ("runtimes", index))))

    def _limit(self, config: Config) -> None:
        if not self.roots:
            self.limits = config.limited(self.limits)
            self._reader = self._new_reader(self.limits)
        elif config.source and any(getattr(self.limits, name) != most for name, most in config.limits.items()):
            message = "these limits differ from those of another repository of this build; build one at a time"
            self.diagnostics.append(Diagnostic(CONFLICTING_SETTINGS, message, Place(config.source, ("limits",)).key()))

    def _config(self, files: Files, shown: str) -> Config:
        if not self.files.is_configured(files.directory):
            return Config()
        path = os.path.normpath(os.path.join(shown, CONFIG_FILE))
        try:
            file = decode(path, files.read(CONFIG_FILE, self.limits.file_bytes), self._below_base(path))
        except (UnsafePathError, TooLargeError, OSError) as error:
            raise fault(path, error) from None
        if isinstance(file, Diagnostic):
            self.diagnostics.append(file)
            return Config()
        config, diagnostics = read_config(file)
        self.diagnostics += diagnostics
        return config

    def directory(
        self, root: Root, inside: str, shown: str, is_listed: Callable[[Root, str], bool]
    ) -> Iterator[tuple[str, str]]:
        """The manifest files below a directory: their paths from the root, and as shown; the rest is noted.

        `is_listed` says of a template whether some overlay will render it. Raises EnvironmentFault for a directory that
        cannot be read.
        """
        for found in _walked(root, inside, shown):
            if self.is_full:
                return
            path = _shown(found.path, inside, shown)
            if found.trouble is None:
                yield found.path, path
            elif found.trouble == "overlay":
                self.left_out[path] = None
            elif found.trouble == "results":
                self.passed_by[f"{path} (built files)"] = None
                self.built[path] = self._built(root, found.path, path)
            elif found.trouble == "template" and is_listed(root, found.path):
                self.passed_by[f"{path} (for the overlays that list it)"] = None
            else:
                rule, message = _TROUBLE[found.trouble]
                self.report(rule, f'"{os.path.basename(path)}" {message}', path)

    def _built(self, root: Root, inside: str, shown: str) -> BuiltDirectory:
        files, most = root.files, self.limits.output_bytes

        def text(path: str) -> str | None:
            try:
                return files.read(f"{inside}/{path}", most).decode(errors="replace")
            except (OSError, UnsafePathError, TooLargeError):
                return None

        real = root.real(inside) if self.files.is_disk else ""
        return BuiltDirectory(shown, text, self._below_base(shown), real)

    def file(self, root: Root, inside: str, shown: str) -> SourceFile | None:
        """A file's text; None where it cannot be had, which is noted. Raises OSError.

        A file is read once, by any path, and keeps the path that it was first shown with.
        """
        if self.is_full:
            return None
        if (root, inside) not in self._read:
            self._read[root, inside] = self._file(root, inside, shown)
        return self._read[root, inside]

    def _file(self, root: Root, inside: str, shown: str) -> SourceFile | None:
        try:
            return self.decoded(shown, root.files.read(inside, self.limits.file_bytes))
        except TooLargeError:
            self.too_large(shown)
        except UnsafePathError as error:
            message = f'"{os.path.basename(shown)}" cannot be used: {error}; copy the file, or name another'
            self.report(rules.UNSAFE_PATH, message, shown)
        return None

    def decoded(self, shown: str, data: bytes) -> SourceFile | None:
        """The text of some bytes, which count towards the limit of the build."""
        # Kept while the text is parsed: once such a large piece was freed, glibc keeps later ones for itself, too.
        self._latest = data
        self._files += 1
        self.workspace.progress("reading files", self._files, 0)
        self._bytes += len(data)
        if self._is_over_size:
            limit = size(self.limits.build_bytes)
            message = (
                f"the files of this build are larger than {limit} together, the limit (limits.buildBytes); build less"
            )
            self.report(rules.BUILD_TOO_LARGE, message, shown)
            return None
        file = decode(shown, data, self._below_base(shown))
        if isinstance(file, Diagnostic):
            self.diagnostics.append(file)
            return None
        return file

    def manifests(self, file: SourceFile) -> list[Manifest]:
        """The objects of a file, which is parsed once."""
        if file not in self._parsed:
            noted = len(self.diagnostics)
            self._parsed[file] = list(self._manifests(file))
            if has_errors(self.diagnostics[noted:]):
                self._broken.add(file)
        return self._parsed[file]

    def is_broken(self, file: SourceFile) -> bool:
        """Whether a file that was parsed may hold more objects than could be read."""
        return file in self._broken

    def _manifests(self, file: SourceFile) -> Iterator[Manifest]:
        reading = self._reader.read(file)
        self.diagnostics += reading.diagnostics
        for body, source in reading.objects:
            found = self._classify(body, source)
            if isinstance(found, Manifest):
                yield found
            elif isinstance(found, Diagnostic):
                self.diagnostics.append(found)
            elif found == "ignored":
                self.ignored += 1
            elif any(root.config.is_in(file) for root in self.roots.values()):
                continue
            elif found == "headless":
                self.diagnostics.append(Diagnostic(INVALID_SETTING, HEADLESS, Place(source)))
            elif body["kind"] == "Config":
                message = (
                    "these settings count where this directory or one below is named, not here; mind the difference"
                )
                self.diagnostics.append(Diagnostic(NESTED_SETTINGS, message, Place(source, ("kind",)).key()))

    def values(self, file: SourceFile) -> list[tuple[object, Source]]:
        """What the documents of a file hold, objects or not."""
        found, diagnostics = self._reader.read_values(file)
        self.diagnostics += diagnostics
        return found

    @property
    def _is_over_size(self) -> bool:
        return self._bytes > self.limits.build_bytes

    @property
    def is_full(self) -> bool:
        """Whether a limit of the whole build was exceeded; that was reported, and nothing more is read."""
        return self._is_over_size or self._reader.is_full

    def too_large(self, shown: str) -> None:
        """Note that a file is larger than a file may be."""
        limit = size(self.limits.file_bytes)
        self.report(
            rules.FILE_TOO_LARGE, f"the file is larger than {limit}, the limit (limits.fileBytes); split it", shown
        )

    def report(self, rule: Rule, message: str, shown: str) -> None:
        """Note a problem of a file as a whole."""
        file = SourceFile(shown, "", below_base=self._below_base(shown))
        place = Place(Source(file), span=Span(1, 1, 1, 1))
        self.diagnostics.append(Diagnostic(rule, message, place))


def _walked(root: Root, inside: str, shown: str) -> Iterator[Found]:
    try:
        yield from walk(root.files, inside, root.ignored)
    except OSError as error:
        raise fault(_shown(str(error.filename), inside, shown), error) from None
    except UnsafePathError as error:  # the directory was something else when it was looked at
        raise fault(shown, error) from None


def _shown(path: str, inside: str, shown: str) -> str:
    """A path below the directory `inside`, as shown where that directory is shown as `shown`."""
    below = path[len(inside) :].lstrip("/") if inside else path
    return os.path.normpath(os.path.join(shown, below))


def fault(path: str, error: Exception) -> EnvironmentFault:
    """A path that cannot be read."""
    reason = "it is too large" if isinstance(error, TooLargeError) else getattr(error, "strerror", None) or error
    return EnvironmentFault(f"{path}: {reason}")
