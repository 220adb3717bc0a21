"""The files of directories: which are read, and what is noted or reported of the others.

A directory may have files of other tools. Where reading is lenient, these have no errors.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain

from kubectl_trainjob.kube.facts.kinds import is_of_training
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import BuiltDirectory, SkippedEntry, SkippedFor
from kubectl_trainjob.repository.files.classify import UNBUILT
from kubectl_trainjob.repository.files.find_root import is_below, upward
from kubectl_trainjob.repository.files.foreign import OF_BUILD, OF_OBJECT, is_ours, is_template, owned_by_kustomizations
from kubectl_trainjob.repository.files.input_reader import InputReader, fault
from kubectl_trainjob.repository.files.repository import Root, listed_templates
from kubectl_trainjob.repository.files.root import TooLargeError, UnsafePathError
from kubectl_trainjob.repository.files.walk import FoundFile, SkipReason, overlays, walk

_SKIPPED_FOR: dict[SkipReason, tuple[Rule, str]] = {
    "link": (
        rules.UNSAFE_PATH,
        "is a symbolic link, which is not followed; copy the file, or pass its target as a PATH",
    ),
    "special": (rules.UNSAFE_PATH, "is not a regular file; remove it, or pass it as a separate PATH"),
    "template": (
        rules.UNLISTED_TEMPLATE,
        "is a template that no overlay lists, so nothing renders it; list it, or add it to ignore in trainjob.yaml",
    ),
    "kustomization": (rules.UNBUILT_KUSTOMIZATION, UNBUILT),
    "deep": (rules.UNSAFE_PATH, "is below too many directories; pass it as a separate PATH"),
}


class Directories:
    """Reads directories for one build. What is not read is in `unread_overlays` (overlays), `skipped`, and `built`.

    `kustomizations` are noted by their roots and paths, with the paths as shown.
    """

    def __init__(self, input_reader: InputReader, *, is_lenient: bool) -> None:
        self.unread_overlays: dict[str, None] = {}
        self.skipped: dict[SkippedEntry, None] = {}
        self.built: dict[str, BuiltDirectory] = {}
        self._input_reader = input_reader
        self.is_lenient = is_lenient
        self._unreadable: list[Diagnostic] = []
        self._listed: dict[Root, frozenset[str]] = {}
        self._unconfigured: dict[Root, bool] = {}
        self.kustomizations: dict[tuple[Root, str], str] = {}

    def files(self, root: Root, inside: str, shown: str) -> Iterator[tuple[str, str]]:
        """The manifest files below a directory: their paths from the root, and as shown.

        Raises EnvironmentFault for a directory that cannot be read.
        """
        walked = [*_walk(root, inside, shown)]
        kustomizations = (found.path for found in walked if found.reason == "kustomization")
        owned = owned_by_kustomizations(root.files, kustomizations, self._input_reader.limits)
        read = {found.path for found in walked if found.reason is None}
        for found in walked:
            if self._input_reader.is_full:
                return
            path = _shown_path(found.path, inside, shown)
            if found.reason == "link" and self._is_unconfigured(root) and self._target(root, path) in read:
                self._skip(path, "link")
            elif found.reason is not None:
                self._note(root, found, path)
            elif found.path not in owned:
                yield found.path, path

    def _note(self, root: Root, found: FoundFile, path: str) -> None:
        """Note an entry that is not read, or report it."""
        match found.reason:
            case "overlay":
                self.unread_overlays[path] = None
            case "results":
                self._skip(path, "built")
                self.built[path] = self._built_directory(root, found.path, path)
            case "kustomization" if self.is_lenient:
                self.kustomizations[root, found.path] = path
            case "chart":
                self._skip(path, "chart")
            case "linked directory":
                self._skip(path, "link")
            case "template" if self._is_listed(root, found.path):
                self._skip(path, "template")
            case "template" if self._is_foreign(root, found.path):
                pass
            case "template" if self._is_unconfigured(root):
                self._skip(path, "foreign")
            case reason:
                assert reason is not None
                self._report(reason, path)

    def _skip(self, path: str, reason: SkippedFor) -> None:
        self.skipped[SkippedEntry(path, reason)] = None

    def _report(self, reason: SkipReason, path: str) -> None:
        rule, message = _SKIPPED_FOR[reason]
        self._input_reader.report(rule, say('"{}" {}', os.path.basename(path), say(message)), path)

    def _is_listed(self, root: Root, template: str) -> bool:
        if root not in self._listed:
            self._listed[root] = frozenset(listed_templates(root, self._input_reader.limits))
        return template in self._listed[root]

    def _is_unconfigured(self, root: Root) -> bool:
        """Whether a repository has neither settings nor overlays of this tool; never if not lenient."""
        if root not in self._unconfigured:
            is_empty = next(overlays(root.files, root.ignored_below()), None) is None
            self._unconfigured[root] = is_empty and root.config.source is None
        return self.is_lenient and self._unconfigured[root]

    def _is_foreign(self, root: Root, inside: str) -> bool:
        """Whether a file does not say our kinds, as far as it can be read; never if not lenient."""
        most = self._input_reader.limits.file_bytes
        try:
            return self.is_lenient and not is_ours(root.files.read(inside, most).decode(errors="replace"))
        except (UnsafePathError, TooLargeError, OSError):
            return self.is_lenient

    def _target(self, root: Root, shown: str) -> str | None:
        """The path of a link's target from the root; None if it is not in the repository."""
        try:
            real, _ = self._input_reader.files.named(shown)
        except (UnsafePathError, EnvironmentFault, OSError, ValueError):
            return None
        return root.inside(real) if is_below(root.files.directory, real) else None

    def _built_directory(self, root: Root, inside: str, shown: str) -> BuiltDirectory:
        files, most = root.files, self._input_reader.limits.output_bytes

        def text(path: str) -> str | None:
            try:
                return files.read(f"{inside}/{path}", most).decode(errors="replace")
            except (OSError, UnsafePathError, TooLargeError):
                return None

        real = root.real(inside) if self._input_reader.files.is_disk else ""
        return BuiltDirectory(shown, text, self._input_reader.below_base(shown), real)

    def text(self, root: Root, inside: str, shown: str) -> SourceFile | None:
        """The text of a file; None if it cannot be read, which is reported, or only noted. Raises OSError."""
        if not self.is_lenient:
            return self._input_reader.file(root, inside, shown)
        noted = len(self._input_reader.diagnostics)
        file = self._input_reader.file(root, inside, shown)
        error = next(iter(self._input_reader.diagnostics[noted:]), None)
        if file is not None and is_template(file.text) and self._is_unconfigured(root):
            self._skip(shown, "foreign")
            return None
        if error is None or error.rule in OF_BUILD or not self._is_foreign(root, inside):
            return file
        self._unreadable += self._input_reader.diagnostics[noted:]
        del self._input_reader.diagnostics[noted:]
        self._skip(shown, "large" if error.rule == rules.FILE_TOO_LARGE else "broken")
        return None

    def manifests(self, file: SourceFile) -> list[Manifest]:
        """The objects of a file. If reading is lenient and the file does not say our kinds, its errors do not count.

        It is then skipped, unless its errors are only about documents that are not objects.
        """
        diagnostics = self._input_reader.diagnostics
        noted = len(diagnostics)
        manifests = self._input_reader.manifests(file)
        errors = diagnostics[noted:]
        is_forgiven = self.is_lenient and errors and not is_ours(file.text)
        if not is_forgiven or any(each.rule in OF_BUILD for each in errors):
            return manifests
        del diagnostics[noted:]
        self._input_reader.forgiven[file] = errors
        if all(each.rule in OF_OBJECT for each in errors):
            self._input_reader.ignored += len(errors)
            return manifests
        self._skip(file.path, "broken")
        return []

    def forgiven(self) -> tuple[Diagnostic, ...]:
        """Why files of other tools cannot be read, which does not count."""
        errors = (*self._unreadable, *chain.from_iterable(self._input_reader.forgiven.values()))
        return tuple(each for each in errors if each.rule not in OF_OBJECT)

    def report_kustomizations(self, manifests: Iterable[Manifest]) -> None:
        """Report the noted kustomizations whose directory has training jobs, runtimes or JobSets."""
        noted, self.kustomizations = list(self.kustomizations.values()), {}
        folders = {os.path.dirname(each.source.file.path) for each in manifests if is_of_training(each)}
        above = {parent for folder in folders for parent in upward(folder)} if noted else folders
        for path in noted:
            if os.path.dirname(path) in above:
                self._report("kustomization", path)


def _walk(root: Root, inside: str, shown: str) -> Iterator[FoundFile]:
    try:
        yield from walk(root.files, inside, root.ignored_below(inside))
    except OSError as error:
        raise fault(_shown_path(str(error.filename), inside, shown), error) from None
    except UnsafePathError as error:  # another process replaced the directory
        raise fault(shown, error) from None


def _shown_path(path: str, inside: str, shown: str) -> str:
    """A path below the directory `inside`, as shown where that directory is shown as `shown`."""
    below = path[len(inside) :].lstrip("/") if inside else path
    return os.path.normpath(os.path.join(shown, below))
