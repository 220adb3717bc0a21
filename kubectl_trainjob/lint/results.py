"""Findings to results: where a person sees them, which object they are about, and what they are known by later."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from kubectl_trainjob.lint.unit import Found
from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.finding import Excerpt, Finding, Note, Position
from kubectl_trainjob.model.source import Source, SourceFile, json_pointer
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository.excerpt import Excerpts
from kubectl_trainjob.repository.positions import Locator, Spot, rendered_with
from kubectl_trainjob.repository.yaml.stream import Lines

Objects = Mapping[Source, Manifest]


class Results:
    """Makes results; keeps what it found out about files."""

    def __init__(self, locator: Locator) -> None:
        self._locator = locator
        self._excerpts = Excerpts()
        self._lines: dict[SourceFile, Lines] = {}

    def result(self, found: Found, objects: Objects) -> tuple[Finding, Spot]:
        """A finding as it is told, and the text that it stands in."""
        diagnostic = found.diagnostic
        spot = self._locator.settle(diagnostic.place)
        name, namespace, pointer = _subject(diagnostic, objects)
        shown = None if diagnostic.rule.finds_secrets else self._excerpts.show(spot.file, spot.span)
        excerpt = Excerpt(*shown) if shown else None
        result = Finding(
            rule=diagnostic.rule,
            severity=diagnostic.severity,
            message=diagnostic.message,
            position=_position(spot),
            object=name,
            namespace=namespace,
            pointer=pointer,
            related=tuple(self._notes(diagnostic, spot)),
            fix=diagnostic.fix,
            excerpt=excerpt,
            fingerprint=self._fingerprint(diagnostic, spot, excerpt, (namespace, name)),
        )
        return result, spot

    def _notes(self, diagnostic: Diagnostic, spot: Spot) -> Iterator[Note]:
        related = [*diagnostic.related]
        written = spot.made.file.written if spot.made else None
        if written is not None and written.values is not None:
            related.append(rendered_with(written.values))
        yield from map(self._note, related)

    def _note(self, related: Related) -> Note:
        return Note(related.message, _position(self._locator.settle(related.place)))

    def _fingerprint(
        self, diagnostic: Diagnostic, spot: Spot, excerpt: Excerpt | None, subject: tuple[str, str]
    ) -> str:
        """The same for the same rule, object and text of the line: numbers in messages and lines above may change.

        Of a line that may hold a secret not even a hash is told: there the message stands for it.
        """
        if excerpt is None:
            line = diagnostic.message
        else:
            if spot.file not in self._lines:
                self._lines[spot.file] = Lines(spot.file.text)
            line = (self._lines[spot.file].line(spot.span.line) or "").strip()
        where = () if subject[1] else (spot.file.common_path,)
        text = "\0".join((diagnostic.rule.id, *subject, *where, line))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _position(spot: Spot) -> Position:
    return Position(spot.file.path, spot.span)


def _subject(diagnostic: Diagnostic, objects: Objects) -> tuple[str, str, str]:
    """The object, its namespace and the pointer into it."""
    subject = diagnostic.subject
    if subject is not None:
        return subject.object, subject.namespace, json_pointer(subject.pointer)
    manifest = objects.get(diagnostic.place.source)
    if manifest is None:
        return "", "", json_pointer(diagnostic.place.pointer)
    return str(manifest.id), manifest.id.namespace, json_pointer(diagnostic.place.pointer)
