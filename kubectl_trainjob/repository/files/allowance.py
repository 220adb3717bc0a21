"""How much the overlays of a build may make of what they lie over: objects, and edits of objects."""

from __future__ import annotations

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.repository.files.overlay_file import OverlayFile

# What a setting costs for an object, compared with an image.
_LABEL = 2
_PATCH = 20


class Allowance:
    """Counts what is used; with the first that is too much comes a diagnostic."""

    def __init__(self, limits: Limits, diagnostics: list[Diagnostic]) -> None:
        self._limits = limits
        self._diagnostics = diagnostics
        self.members = 0
        self.edits = 0
        self._told: set[str] = set()

    def spend(self, members: int, edits: int) -> None:
        """Count again what was counted before: it is used once more."""
        self.members += members
        self.edits += edits

    def take_member(self, place: Place) -> bool:
        """Count an object or overlay that the entry at `place` brings; whether there may be so many."""
        self.members += 1
        most = self._limits.documents
        if self.members > most:
            advice = "list each directory once, or build fewer overlays at a time"
            message = f"more than {most} objects come together here, the limit (limits.documents); {advice}"
            self._tell(Diagnostic(rules.TOO_MANY_MEMBERS, message, place))
        return self.members <= most

    def take_edits(self, overlay: OverlayFile, patches: int, members: int) -> bool:
        """Count what the overlay does to so many objects; whether that is still allowed."""
        pairs = sum(len(labels.pairs) for labels in overlay.labels) + len(overlay.annotations)
        self.edits += (_PATCH * patches + _LABEL * pairs + len(overlay.images)) * members
        if self.edits > self._limits.overlay_edits:
            what = f"{patches} patches, {pairs} labels and annotations and {len(overlay.images)} images"
            advice = "(limits.overlayEdits); build fewer at a time"
            message = f"{what} for {members} objects are more than the limit {advice}"
            self._tell(Diagnostic(rules.TOO_MANY_EDITS, message, Place(overlay.source)))
        return self.edits <= self._limits.overlay_edits

    def _tell(self, diagnostic: Diagnostic) -> None:
        if diagnostic.rule.id not in self._told:
            self._told.add(diagnostic.rule.id)
            self._diagnostics.append(diagnostic)
