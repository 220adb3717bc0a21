"""One object under overlays: what is written to it, and, when asked, who wrote each value.

The same edits run twice: at once on a draft that does not record, and again on one that does when somebody wants to
know where a value of the result was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kubectl_trainjob.draft import Draft, Origin
from kubectl_trainjob.source import Place, Pointer, Source
from kubectl_trainjob.stages import Body, Manifest, ObjectId

_FORMS = {
    "apiVersion": re.compile(r"([a-zA-Z0-9.-]+/)?[a-zA-Z0-9]+"),
    "kind": re.compile(r"(?!List$)[a-zA-Z][a-zA-Z0-9-]*"),
    "name": re.compile(r"[^\n]*"),
}
OBJECT = "object"
"""The name of the object before the edits, among the inputs that causes can name."""


class Edit(NamedTuple):
    """One change: `step` says what makes it, `write` makes it; None means that the object is deleted."""

    step: str
    write: Callable[[Draft], Draft | None]


@dataclass(frozen=True, slots=True, eq=False)
class Edited:
    """What became of `before`. `inputs` are the documents that the edits' causes name besides the object itself."""

    before: Manifest
    inputs: Mapping[str, Source]
    edits: tuple[Edit, ...]
    _recorded: list[Draft] = field(default_factory=list)

    def trace(self, pointer: Pointer) -> Place | None:
        """Where the value at `pointer` of the edited object was written."""
        origin = self.origin(pointer)
        return origin.first_place() if origin else None

    def origin(self, pointer: Pointer) -> Origin | None:
        """Who wrote the value at `pointer` of the edited object."""
        if not self._recorded:
            self._recorded.append(self._record())
        return self._recorded[0].origin(pointer)

    def _record(self) -> Draft:
        draft = Draft(None, {**self.inputs, OBJECT: self.before.source}).put((), self.before.body, copied=(OBJECT,))
        for edit in self.edits:
            written = edit.write(draft.step(edit.step))
            assert written is not None  # a deleted object has no trace
            draft = written
        return draft


def edited(before: Manifest, body: Body, inputs: Mapping[str, Source], edits: tuple[Edit, ...]) -> Manifest:
    """The manifest that the edits made of `before`. Raises ValueError where the result is no object."""
    source = replace(before.source, edits=Edited(before, inputs, edits))
    return replace(before, id=_identity(body), body=body, source=source)


def identities(manifest: Manifest) -> tuple[ObjectId, ...]:
    """What the object is called, and what it was called before its edits, the latest first."""
    found = [manifest.id]
    while isinstance(edits := manifest.source.edits, Edited):
        manifest = edits.before
        found.append(manifest.id)
    return tuple(dict.fromkeys(found))


def _identity(body: Body) -> ObjectId:
    metadata = body.get("metadata")
    if not isinstance(metadata, dict):
        raise ValueError("its metadata")
    name = metadata.get("name") or ("" if metadata.get("generateName") else None)
    namespace = metadata.get("namespace") or ""
    for field_name, value in (("apiVersion", body.get("apiVersion")), ("kind", body.get("kind")), ("name", name)):
        if not isinstance(value, str) or not _FORMS[field_name].fullmatch(value):
            raise ValueError(f"a proper {field_name}")
    if not isinstance(namespace, str):
        raise ValueError("the text of its namespace")
    return ObjectId(str(body["apiVersion"]), str(body["kind"]), namespace, str(name))
