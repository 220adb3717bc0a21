"""One object while an overlay is laid over it."""

from __future__ import annotations

from kubectl_trainjob.draft import Draft
from kubectl_trainjob.overlay.edited import Edit, identities
from kubectl_trainjob.stages import Manifest, ObjectId


class Member:
    """The object as it was, what it has become, and the edits that did it."""

    __slots__ = ("draft", "edits", "is_deleted", "known_as", "manifest")

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.draft = Draft(manifest.body)
        self.edits: list[Edit] = []
        self.is_deleted = False
        self.known_as = identities(manifest)

    @property
    def identity(self) -> ObjectId:
        """What the object was called when the overlay met it."""
        return self.manifest.id

    @property
    def type(self) -> tuple[str, str]:
        """Its apiVersion and kind now: a patch can change them."""
        found = self.draft.get("apiVersion"), self.draft.get("kind")
        return (
            found if all(isinstance(each, str) for each in found) else (self.identity.api_version, self.identity.kind)
        )

    def write(self, edit: Edit) -> None:
        """Make one change; what changes nothing is forgotten. Raises what the edit raises."""
        new = edit.write(self.draft)
        if new is None:
            self.is_deleted = True
        elif new.value is not self.draft.value:
            self.draft = new
            self.edits.append(edit)
