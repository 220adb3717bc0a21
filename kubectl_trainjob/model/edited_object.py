"""One object under overlays: its edits and, on request, the origin of each value.

The same edits can run twice: first on a draft that does not record. They run again on one that records if a command
needs the origin of a value.
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
"""The input name, for causes, of the object before the edits."""


class ObjectEdit(NamedTuple):
    """One change: `step` names it, and `write` applies it; None means that the object is deleted.

    `cause` is the name of an input and the pointer of the setting in it; () for a result of other edits. `prefix` and
    `suffix` are what it adds to the name.
    """

    step: str
    write: Callable[[Draft], Draft | None]
    cause: Pointer = ()
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class AppliedEdits:
    """The edits of `before`. `inputs` are the other documents that the causes of the edits name."""

    before: Manifest
    inputs: Mapping[str, Source]
    edits: tuple[ObjectEdit, ...]
    _recorded: list[Draft] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the object before its edits, the latest first."""
        return tuple(identity.name for identity in identities(self.before))

    def origin(self, pointer: Pointer) -> Origin:
        """The origin of the value at `pointer` of the edited object."""
        origin = self._draft.origin(pointer)
        assert origin is not None
        return origin

    @property
    def body(self) -> Body:
        """The edited object."""
        body: Body = self._draft.value
        return body

    @property
    def _draft(self) -> Draft:
        if not self._recorded:
            self._recorded.append(self._record())
        return self._recorded[0]

    def _record(self) -> Draft:
        draft = Draft(None, {OBJECT: self.before.source, **self.inputs}).step(INPUT)
        draft = draft.put((), self.before.body, copied=(OBJECT,))
        for edit in self.edits:
            written = edit.write(draft.step(edit.step))
            assert written is not None  # a deleted object is not recorded
            draft = written
        return draft


def edited_object(
    before: Manifest, body: Body, inputs: Mapping[str, Source], edits: tuple[ObjectEdit, ...]
) -> Manifest:
    """The manifest after the edits of `before`, if `lost_parts` is empty."""
    source = replace(before.source, edits=AppliedEdits(before, inputs, edits))
    names = (_text(body["metadata"].get(field_name)) for field_name in ("namespace", "name"))
    return replace(before, id=ObjectId(body["apiVersion"], body["kind"], *names), body=body, source=source)


def identities(manifest: Manifest) -> tuple[ObjectId, ...]:
    """The names of the object, and those before its edits, the latest first."""
    found = [manifest.id]
    while isinstance(applied := manifest.source.edits, AppliedEdits):
        found += _between(manifest.id, applied)
        manifest = applied.before
        found.append(manifest.id)
    return tuple(dict.fromkeys(found))


def _between(now: ObjectId, applied: AppliedEdits) -> list[ObjectId]:
    """The names between the edits of one overlay: after its namespace, and after its prefix."""
    names = [now.name]
    for edit in reversed(applied.edits):
        if edit.prefix or edit.suffix:
            names.append(names[-1].removesuffix(edit.suffix).removeprefix(edit.prefix))
    if names[-1] != applied.before.id.name:  # a patch renamed it, or its kind has no affixes
        return []
    return [replace(now, name=name) for name in names[1:]]


def without_hash(job: Manifest) -> ObjectId:
    """The identity before the hash, which is added last; without a hash the job's own."""
    names = identities(job)
    is_hashed = job.name_hash is not None and len(names) > 1 and job.id.name.startswith(f"{names[1].name}-")
    return replace(job.id, name=names[1].name) if is_hashed else job.id


def affixes(manifest: Manifest) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The prefixes and the suffixes that edits added to the name of the object, in order."""
    edits: list[ObjectEdit] = []
    while isinstance(applied := manifest.source.edits, AppliedEdits):
        edits[:0] = applied.edits
        manifest = applied.before
    return tuple(each.prefix for each in edits if each.prefix), tuple(each.suffix for each in edits if each.suffix)


def lost_parts(body: Body, before: Manifest) -> list[str]:
    """The required parts of an object that `before` has and `body` does not have.

    Only changes are checked: reading accepted what the user wrote, and admission checks it.
    """
    types = {"apiVersion": before.id.api_version, "kind": before.id.kind}
    changed = {name: body.get(name) for name, old in types.items() if body.get(name) != old}
    found = [f"a proper {name}" for name, new in changed.items() if not _FORMS[name].fullmatch(_text(new))]
    metadata, earlier = body.get("metadata"), before.body.get("metadata") or {}
    if not isinstance(metadata, dict):
        return [*found, "its metadata"]
    names = {name: metadata.get(name) for name in ("name", "namespace")}
    found += [
        f"a proper {name}"
        for name, value in names.items()
        if not (value is None or isinstance(value, str) or value == earlier.get(name))
    ]
    if names["name"] in (None, "") and not metadata.get("generateName"):
        found.append("a proper name")
    return found


def _text(value: Any) -> str:
    """A name; "" for a value of the user that is not text."""
    return value if isinstance(value, str) else ""
