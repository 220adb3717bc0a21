"""One object while an overlay is laid over it."""

from __future__ import annotations

from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.edited import Edit, identities, lost
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Manifest, ObjectId


class Member:
    """The object as it was, what it has become, and the edits that did it.

    `lost` is what makes an object and the patches so far took from this one, and the patches that did.
    """

    __slots__ = ("draft", "edits", "is_deleted", "known_as", "lost", "manifest")

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.draft = Draft(manifest.body)
        self.edits: list[Edit] = []
        self.is_deleted = False
        self.known_as = identities(manifest)
        self.lost: dict[str, Place] = {}

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

    def patch(self, edit: Edit, place: Place) -> None:
        """As `write`, for the patch at `place`, which may take what makes an object, or give it back."""
        self.write(edit)
        self.lost = {what: self.lost.get(what, place) for what in lost(self.draft.value, self.manifest)}

    def write(self, edit: Edit) -> None:
        """Make one change; what changes nothing is forgotten. Raises what the edit raises."""
        new = edit.write(self.draft)
        if new is None:
            self.is_deleted = True
        elif new.value is not self.draft.value:
            self.draft = new
            self.edits.append(edit)
