"""The paths in an overlay: where they lead, and the errors of those that do not exist."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.source import Place, Source, SourceFile, TextOrigin
from kubectl_trainjob.model.units import Patch
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.input_reader import InputReader
from kubectl_trainjob.repository.files.overlay_file import OverlayFile, PatchEntry
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import UnsafePathError, reason_of
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, TEMPLATE
from kubectl_trainjob.repository.yaml.spans import Spans
from kubectl_trainjob.repository.yaml.stream import LINE_END

_REMOTE = ("://", "?ref=", "git@", "github.com/")
_MOST_HINTS = 50  # the nearest name is sought in a whole directory: enough to read


class Paths:
    """Finds the files of the overlays of one build; errors go to the diagnostics of the reader."""

    def __init__(self, input_reader: InputReader) -> None:
        self._input_reader = input_reader
        self._hints_left = _MOST_HINTS

    def text(self, root: Root, path: str, place: Place) -> SourceFile | None:
        """A file that the overlay lists at `place`; None where it cannot be read, which is reported."""
        try:
            return self._input_reader.file(root, path, root.show(path))
        except (UnsafePathError, OSError) as error:
            self.missing(root, path, place, error)
            return None

    def inside(self, entry: str, root: Root, inside: str, place: Place) -> str | None:
        """A path as written, relative to the root; None where it leads out of it, which is reported."""
        if any(mark in entry for mark in _REMOTE):
            message = say(
                '"{}" is a remote address, and a build fetches nothing; copy the files into the repository', entry
            )
        elif entry.startswith("/") or "\0" in entry or not entry:
            message = say('"{}" is not a path relative to this overlay; write one such as ../../jobs', entry)
        elif posixpath.basename(entry) == OVERLAY_FILE:
            directory = posixpath.dirname(entry) or "."
            message = say('"{}" is the file of an overlay; list its directory: write "{}"', entry, directory)
        else:
            path = posixpath.normpath(posixpath.join(inside, entry))
            if path != ".." and not path.startswith("../"):
                return "" if path == "." else path
            message = say(
                '"{}" leads out of the repository, whose root is "{}" ({} or .git marks it); move it inside',
                entry,
                f"{root.shown}/",
                say(CONFIG_FILE),
            )
        self._reject(message, place)
        return None

    def missing(self, root: Root, path: str, place: Place, error: Exception) -> None:
        """Report why what the overlay lists at `place` cannot be read."""
        shown = root.show(path)
        if isinstance(error, UnsafePathError):
            message = say('"{}" cannot be used: {}; copy the target of the link', shown, error.reason)
        elif isinstance(error, FileNotFoundError):
            parent, _, name = path.rpartition("/")
            self._hints_left -= 1
            meant = nearest(name, _names(root, parent)) if self._hints_left >= 0 else None
            hint = say('did you mean "{}"?', meant) if meant else say("correct the path")
            message = say('"{}" does not exist; {}', shown, hint)
        else:
            message = say('"{}" cannot be read: {}; check its permissions', shown, reason_of(error))
        self._reject(message, place)

    def _reject(self, message: Message, place: Place) -> None:
        self._input_reader.diagnostics.append(Diagnostic(rules.UNKNOWN_RESOURCE, message, place))


def _names(root: Root, directory: str) -> list[str]:
    try:
        return [entry.name for entry in root.files.entries(directory)]
    except (UnsafePathError, OSError):
        return []


class PatchFiles:
    """Reads the patches of the overlay in the directory `inside`; errors go to the diagnostics of the reader."""

    def __init__(self, input_reader: InputReader, paths: Paths, root: Root, inside: str) -> None:
        self._input_reader = input_reader
        self._paths = paths
        self._root = root
        self._inside = inside
        self._spans = Spans()

    def patches(self, overlay: OverlayFile) -> Iterator[Patch]:
        """All patches, in order; an entry may have several documents."""
        for entry in overlay.patches:
            yield from self._of_entry(entry, Place(overlay.source, ("patches", entry.index)))

    def _of_entry(self, entry: PatchEntry, place: Place) -> Iterator[Patch]:
        if entry.path:
            yield from self._of_path(entry, place.child("path"))
        elif isinstance(entry.inline, str):
            file = _inline_file(self._spans, place.child("patch"), entry.inline)
            yield from self._of_file(entry, file, place.child("patch"))
        elif entry.inline is not None:
            yield from self._of_body(entry, entry.inline, place.child("patch"))

    def _of_path(self, entry: PatchEntry, place: Place) -> Iterator[Patch]:
        if entry.path.endswith(TEMPLATE):
            message = say("patches are not rendered; move what depends on values into a template among the resources")
            self._reject(message, place)
            return
        path = self._paths.inside(entry.path, self._root, self._inside, place)
        file = self._paths.text(self._root, path, place) if path is not None else None
        if file is not None:
            yield from self._of_file(entry, file, Place(Source(file)))

    def _of_file(self, entry: PatchEntry, file: SourceFile, place: Place) -> Iterator[Patch]:
        noted = len(self._input_reader.diagnostics)
        documents = self._input_reader.values(file)
        if not documents and len(self._input_reader.diagnostics) == noted:
            self._reject(say("the patch is empty; write one, or remove it"), place)
        for body, source in documents:
            yield from self._of_body(entry, body, Place(source))

    def _of_body(self, entry: PatchEntry, body: Any, place: Place) -> Iterator[Patch]:
        if not isinstance(body, (dict, list)):
            message = say("a patch is a mapping (strategic merge) or a list of JSON 6902 operations; write one of them")
            self._reject(message, place)
        elif isinstance(body, list) and entry.target is None:
            self._reject(say("JSON 6902 operations do not name their object; add a target"), place)
        else:
            yield Patch(body, place.source, place.pointer, entry.index, entry.target)

    def _reject(self, message: Message, place: Place) -> None:
        self._input_reader.diagnostics.append(Diagnostic(rules.INVALID_OVERLAY, message, place))


def _inline_file(spans: Spans, place: Place, text: str) -> SourceFile:
    """The text at `place` as a file with the lines of its block scalar; else the line of the place for all lines."""
    outer, own = place.source.file, LINE_END.split(text)
    lines, span, count = spans.lines(outer), spans.span(place), len(own)
    below = list(islice(lines.since(span.line + 1), count))
    pairs = [(line, each) for line, each in zip(below, own, strict=False) if each.strip()]
    indent = max(len(pairs[0][0]) - len(pairs[0][1]), 0) if pairs else 0
    is_block = bool(pairs) and all(line[indent:] == each for line, each in pairs)
    if is_block and len(below) >= count - 1:
        return SourceFile(
            outer.path, text, TextOrigin(outer, tuple(range(span.line + 1, span.line + 1 + count)), indent)
        )
    return SourceFile(outer.path, text, TextOrigin(outer, (span.line,) * count))
