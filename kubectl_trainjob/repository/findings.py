"""Diagnostics to findings: with lines, the object that they are about, and the fingerprint that identifies them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.edited_object import without_hash
from kubectl_trainjob.model.finding import Excerpt, Finding, Note, Position
from kubectl_trainjob.model.message import Data, Message
from kubectl_trainjob.model.source import Source, SourceFile, json_pointer
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository.excerpt import Excerpts, mark
from kubectl_trainjob.repository.positions import Location, ResolvePlace, rendered_with

_LONG = 4096  # characters of a line

Objects = Mapping[Source, Manifest]


def fingerprint(diagnostic: Diagnostic, file: SourceFile, line: str | None, namespace: str = "", name: str = "") -> str:
    """What identifies a finding, in every tree and at any time; hexadecimal.

    It depends on the rule, the object (without one the path of the file) and the text of the line: numbers in messages
    and lines above may change. Without a line, which may hold a secret, the message replaces it: not even a hash of a
    secret is shown. The paths in it do not depend on the directory of the tree. `name` is `KIND/NAME`, without the hash
    of what runs.
    """
    where = () if name else (file.common_path,)
    directory = file.path.removesuffix(file.common_path)
    what = _without(directory, diagnostic.message) if line is None else _identity(line)
    text = "\0".join((diagnostic.rule.id, namespace, name, *where, what))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@lru_cache(maxsize=16)
def _identity(line: str) -> str:
    """The text of a line; the hash of a long one, which may have many findings."""
    text = line.strip()
    return text if len(text) <= _LONG else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _without(directory: str, message: Message) -> str:
    """The message with paths that begin below the directory."""
    plain = (
        replace(each, text=each.text.removeprefix(directory)) if isinstance(each, Data) else each
        for each in message.pieces
    )
    return "".join(map(str, plain))


class FindingBuilder:
    """Builds findings; reads each file once."""

    def __init__(self, resolve: ResolvePlace) -> None:
        self._resolve = resolve
        self._excerpts = Excerpts()

    def finding(
        self, diagnostic: Diagnostic, objects: Objects, jobs: Iterable[Manifest] = ()
    ) -> tuple[Finding, Location]:
        """The finding, and the text that it is in; `objects` are those of its tree, `jobs` it was found with."""
        location = self._resolve(diagnostic.place)
        written = objects.get(diagnostic.place.source)
        name, namespace, pointer = _subject(diagnostic, written)
        line = None if diagnostic.rule.finds_secrets else self._excerpts.line(location.file, location.span.line)
        result = Finding(
            rule=diagnostic.rule,
            severity=diagnostic.severity,
            message=diagnostic.message,
            position=_position(location),
            object=name,
            namespace=namespace,
            pointer=pointer,
            related=tuple(self._notes(diagnostic, location)),
            fix=diagnostic.fix,
            excerpt=None if line is None else Excerpt(*mark(line, location.span)),
            fingerprint=fingerprint(diagnostic, location.file, line, namespace, _lasting(name, written, jobs)),
        )
        return result, location

    def _notes(self, diagnostic: Diagnostic, location: Location) -> Iterator[Note]:
        related = [*diagnostic.related]
        written = location.generated.file.written if location.generated else None
        if written is not None and written.values is not None:
            related.append(rendered_with(written.values))
        yield from map(self._note, related)

    def _note(self, related: RelatedPlace) -> Note:
        return Note(related.message, _position(self._resolve(related.place)))


def _position(location: Location) -> Position:
    return Position(location.file.path, location.span)


def _lasting(name: str, written: Manifest | None, jobs: Iterable[Manifest]) -> str:
    """The name without the hash of what runs, which each change of the job changes."""
    for job in (written, *jobs):
        if job is not None and job.name_hash is not None:
            name = name.replace(job.id.name, without_hash(job).name)
    return name


def _subject(diagnostic: Diagnostic, manifest: Manifest | None) -> tuple[str, str, str]:
    """The object, its namespace and the pointer into it."""
    subject = diagnostic.subject
    if subject is not None:
        return subject.object, subject.namespace, json_pointer(subject.pointer)
    if manifest is None:
        return "", "", json_pointer(diagnostic.place.pointer)
    return str(manifest.id), manifest.id.namespace, json_pointer(diagnostic.place.pointer)
