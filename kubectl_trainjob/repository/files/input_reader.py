"""Files to manifests, within the limits of one build."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from kubectl_trainjob.kube.facts.kinds import CONFIG
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import Limits, size
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import CONFLICTING_SETTINGS, INVALID_SETTING, NESTED_SETTINGS, Rule
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository.files.classify import classify
from kubectl_trainjob.repository.files.config import Config, read_config
from kubectl_trainjob.repository.files.decode import decode
from kubectl_trainjob.repository.files.deploy import matching
from kubectl_trainjob.repository.files.filesystem import Workspace, paths_below
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.patterns import Ignore
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import Files, TooLargeError, UnsafePathError, reason_of
from kubectl_trainjob.repository.files.settings import HEADLESS
from kubectl_trainjob.repository.yaml.read import Reader

_MOST_HINTS = 50  # the nearest name is sought in a whole directory: enough to read


class InputReader:
    """Reads files; limits are for all files of a build together. Errors go to `diagnostics`."""

    def __init__(self, limits: Limits, workspace: Workspace) -> None:
        self.workspace = workspace
        self.files = workspace.files
        self.below_base = paths_below(workspace.base, workspace.files.current)
        self._files = 0
        self.diagnostics: list[Diagnostic] = []
        self.ignored = 0
        self.read_from: dict[str, None] = {}  # the real paths of all directories and files that were passed
        self.roots: dict[str, Root] = {}
        self.limits = limits
        self._raises_limits = workspace.raises_limits
        self._new_reader = workspace.parsed.reader if workspace.parsed else Reader
        self._classify = workspace.parsed.classify if workspace.parsed else classify
        self._reader = self._new_reader(limits)
        self._bytes = 0
        self._latest = b""
        self._read: dict[tuple[Root, str], SourceFile | None] = {}
        self._parsed: dict[SourceFile, list[Manifest]] = {}
        self._broken: set[SourceFile] = set()
        self.forgiven: dict[SourceFile, list[Diagnostic]] = {}  # the errors in files of other tools

    def root(self, directory: str, show: Callable[[str], str]) -> Root:
        """The root of a directory (a real path); the configuration of the first root sets the limits.

        Raises UnsafePathError, and EnvironmentFault for a configuration that cannot be read.
        """
        found = self.files.root_of(directory)
        if found not in self.roots:
            files = self.files.below(found)
            config = self._config(files, show(found))
            self._limit(config)
            self._check_folders(config, files)
            git = self.files.git_ignore(found)
            self.roots[found] = Root(files, show(found), config, Ignore(config.ignore), git)
            self._check_deploy(self.roots[found], found)
        return self.roots[found]

    def _check_folders(self, config: Config, files: Files) -> None:
        """Report the directories of runtimes in trainjob.yaml that do not exist."""
        if config.source is None or config.runtimes == Config().runtimes:
            return
        for index, folder in enumerate(config.runtimes):
            if not files.has(folder):
                names = [entry.name for entry in files.entries() if entry.is_directory] if index < _MOST_HINTS else ()
                meant = nearest(folder, names)
                hint = say('did you mean "{}"?', meant) if meant else say("correct the path")
                message = say('the directory "{}" does not exist; {}', folder, hint)
                self.diagnostics.append(Diagnostic(INVALID_SETTING, message, Place(config.source, ("runtimes", index))))

    def _check_deploy(self, root: Root, directory: str) -> None:
        """Report the patterns of `deploy` in trainjob.yaml that match nothing; readings that share files look once."""
        source, patterns = root.config.source, root.config.deploy
        if source is None:
            return
        known = self.workspace.parsed.unmatched if self.workspace.parsed else {}
        key = self.files, directory
        if key not in known:
            known[key] = [index for index, pattern in enumerate(patterns) if not matching(root, pattern)]
        for index in known[key]:
            message = say('"{}" matches no directory and no manifest; correct the path', patterns[index])
            self.diagnostics.append(Diagnostic(INVALID_SETTING, message, Place(source, ("deploy", index))))

    def _limit(self, config: Config) -> None:
        if not self.roots:
            self.limits = config.limited(self.limits, raises=self._raises_limits)
            self._reader = self._new_reader(self.limits)
        elif config.source and config.limited(self.limits, raises=self._raises_limits) != self.limits:
            message = say("these limits differ from those of another repository in this build; build one at a time")
            self.diagnostics.append(Diagnostic(CONFLICTING_SETTINGS, message, Place(config.source, ("limits",)).key()))

    def _config(self, files: Files, shown: str) -> Config:
        if not self.files.is_configured(files.directory):
            return Config()
        path = os.path.normpath(os.path.join(shown, CONFIG_FILE))
        try:
            file = decode(path, files.read(CONFIG_FILE, self.limits.file_bytes), self.below_base(path))
        except (UnsafePathError, TooLargeError, OSError) as error:
            raise fault(path, error) from None
        if isinstance(file, Diagnostic):
            self.diagnostics.append(file)
            return Config()
        config, diagnostics = read_config(file)
        self.diagnostics += diagnostics
        return config

    def file(self, root: Root, inside: str, shown: str) -> SourceFile | None:
        """The text of a file; None if it cannot be read, which is reported. Raises OSError.

        A file is read once, by any path, and keeps the first path as shown.
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
            name = os.path.basename(shown)
            message = say('"{}" cannot be used: {}; copy the file, or use another', name, error.reason)
            self.report(rules.UNSAFE_PATH, message, shown)
        return None

    def decoded(self, shown: str, data: bytes) -> SourceFile | None:
        """The text of some bytes, which count towards the limit of the build."""
        # Kept while the text is parsed: after such a large piece was freed, glibc does not return later ones.
        self._latest = data
        self._files += 1
        self.workspace.progress("reading files", self._files, 0)
        self._bytes += len(data)
        if self._is_over_size:
            message = say(
                "the files of this build are larger than {} together, the limit (limits.buildBytes); build fewer files",
                size(self.limits.build_bytes),
            )
            self.report(rules.BUILD_TOO_LARGE, message, shown)
            return None
        file = decode(shown, data, self.below_base(shown))
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
        self.diagnostics += self.forgiven.pop(file, ())
        return self._parsed[file]

    def is_broken(self, file: SourceFile) -> bool:
        """Whether a parsed file may have more objects than could be read."""
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
                self.diagnostics.append(Diagnostic(INVALID_SETTING, say(HEADLESS), Place(source)))
            elif body["kind"] == CONFIG:
                message = say(
                    "these settings are ignored here: they only apply if this directory, or one below it, is passed"
                )
                self.diagnostics.append(Diagnostic(NESTED_SETTINGS, message, Place(source, ("kind",)).key()))

    def values(self, file: SourceFile) -> list[tuple[object, Source]]:
        """The data of the documents of a file, objects or not."""
        found, diagnostics = self._reader.read_values(file)
        self.diagnostics += diagnostics
        return found

    @property
    def _is_over_size(self) -> bool:
        return self._bytes > self.limits.build_bytes

    @property
    def is_full(self) -> bool:
        """Whether a limit of the whole build was exceeded; this was reported, and nothing more is read."""
        return self._is_over_size or self._reader.is_full

    def too_large(self, shown: str) -> None:
        """Report a file over the limit."""
        limit = size(self.limits.file_bytes)
        message = say("the file is larger than {}, the limit (limits.fileBytes); split it", limit)
        self.report(rules.FILE_TOO_LARGE, message, shown)

    def report(self, rule: Rule, message: Message, shown: str) -> None:
        """Report a problem of a file as a whole."""
        file = SourceFile(shown, "", below_base=self.below_base(shown))
        place = Place(Source(file), span=Span(1, 1, 1, 1))
        self.diagnostics.append(Diagnostic(rule, message, place))


def fault(path: str, error: Exception) -> EnvironmentFault:
    """A path that cannot be read."""
    return EnvironmentFault(f"{path}: {reason_of(error)}")
