"""One object under overlays: what is written to it, and, when asked, who wrote each value.

The same edits run twice: at once on a draft that does not record, and again on one that does when somebody wants to
know where a value of the result was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from kubectl_trainjob.model.draft import INPUT, Draft
from kubectl_trainjob.model.source import Origin, Pointer, Source
from kubectl_trainjob.model.stages import Body, Manifest, ObjectId

_FORMS = {
    "apiVersion": re.compile(r"([a-zA-Z0-9.-]+/)?[a-zA-Z0-9]+"),
    "kind": re.compile(r"(?!List$)[a-zA-Z][a-zA-Z0-9-]*"),
}
OBJECT = "object"
"""The name of the object before the edits, among the inputs that causes can name."""


class Edit(NamedTuple):
    """One change: `step` names it, `write` makes it, where None means that the object is deleted.

    `cause` is the name of an input and the pointer there of the setting; () for what follows from other edits.
    """

    step: str
    write: Callable[[Draft], Draft | None]
    cause: Pointer = ()


@dataclass(frozen=True, slots=True, eq=False)
class Edited:
    """What became of `before`. `inputs` are the documents that the edits' causes name besides the object itself."""

    before: Manifest
    inputs: Mapping[str, Source]
    edits: tuple[Edit, ...]
    _recorded: list[Draft] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """What the object was called before its edits, the latest first."""
        return tuple(identity.name for identity in identities(self.before))

    def origin(self, pointer: Pointer) -> Origin:
        """Who wrote the value at `pointer` of the edited object."""
        if not self._recorded:
            self._recorded.append(self._record())
        origin = self._recorded[0].origin(pointer)
        assert origin is not None
        return origin

    def _record(self) -> Draft:
        draft = Draft(None, {OBJECT: self.before.source, **self.inputs}).step(INPUT)
        draft = draft.put((), self.before.body, copied=(OBJECT,))
        for edit in self.edits:
            written = edit.write(draft.step(edit.step))
            assert written is not None  # a deleted object has no trace
            draft = written
        return draft


def edited(before: Manifest, body: Body, inputs: Mapping[str, Source], edits: tuple[Edit, ...]) -> Manifest:
    """The manifest that the edits made of `before`, of which nothing is `lost`."""
    source = replace(before.source, edits=Edited(before, inputs, edits))
    names = (_text(body["metadata"].get(field_name)) for field_name in ("namespace", "name"))
    return replace(before, id=ObjectId(body["apiVersion"], body["kind"], *names), body=body, source=source)


def identities(manifest: Manifest) -> tuple[ObjectId, ...]:
    """What the object is called, and what it was called before its edits, the latest first."""
    found = [manifest.id]
    while isinstance(edits := manifest.source.edits, Edited):
        manifest = edits.before
        found.append(manifest.id)
    return tuple(dict.fromkeys(found))


def lost(body: Body, before: Manifest) -> list[str]:
    """What makes an object of `before`, and not of `body` any more.

    Only what changed is judged: what the user wrote was let through when it was read, and it is for admission to judge.
    """
    types = {"apiVersion": before.id.api_version, "kind": before.id.kind}
    found = [f"a proper {name}" for name, old in types.items() if not _is_type(name, body.get(name), old)]
    metadata, earlier = body.get("metadata"), before.body.get("metadata") or {}
    if not isinstance(metadata, dict):
        return [*found, "its metadata"]
    names = {name: metadata.get(name) for name in ("name", "namespace")}
    found += [f"a proper {name}" for name, value in names.items() if not _is_name(value, earlier.get(name))]
    if names["name"] in (None, "") and not metadata.get("generateName"):
        found.append("a proper name")
    return found


def _is_type(field_name: str, value: Any, old: str) -> bool:
    return value == old or (isinstance(value, str) and _FORMS[field_name].fullmatch(value) is not None)


def _is_name(value: Any, old: Any) -> bool:
    return value is None or isinstance(value, str) or value == old


def _text(value: Any) -> str:
    """A name; "" for what the user wrote in its place that is no text."""
    return value if isinstance(value, str) else ""
