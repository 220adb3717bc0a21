"""The patches that an overlay states or names, as documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.units import Patch
from kubectl_trainjob.repository.files.inline import Inline
from kubectl_trainjob.repository.files.intake import Intake
from kubectl_trainjob.repository.files.overlay_file import OverlayFile, PatchEntry
from kubectl_trainjob.repository.files.overlay_paths import Paths
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.walk import TEMPLATE


class PatchFiles:
    """Reads the patches of the overlay in the directory `inside`; what is wrong is noted among the intake's
    diagnostics.
    """

    def __init__(self, intake: Intake, paths: Paths, root: Root, inside: str) -> None:
        self._intake = intake
        self._paths = paths
        self._root = root
        self._inside = inside
        self._inline = Inline()

    def patches(self, overlay: OverlayFile) -> Iterator[Patch]:
        """All patches, in order; an entry may hold several documents."""
        for entry in overlay.patches:
            yield from self._of_entry(entry, Place(overlay.source, ("patches", entry.index)))

    def _of_entry(self, entry: PatchEntry, place: Place) -> Iterator[Patch]:
        if entry.path:
            yield from self._of_path(entry, place.child("path"))
        elif isinstance(entry.inline, str):
            file = self._inline.file(place.child("patch"), entry.inline)
            yield from self._of_file(entry, file, place.child("patch"))
        elif entry.inline is not None:
            yield from self._of_body(entry, entry.inline, place.child("patch"))

    def _of_path(self, entry: PatchEntry, place: Place) -> Iterator[Patch]:
        if entry.path.endswith(TEMPLATE):
            message = "patches are not rendered; put what the values decide into a template among the resources"
            self._refuse(message, place)
            return
        path = self._paths.inside(entry.path, self._root, self._inside, place)
        file = self._paths.text(self._root, path, place) if path is not None else None
        if file is not None:
            yield from self._of_file(entry, file, Place(Source(file)))

    def _of_file(self, entry: PatchEntry, file: SourceFile, place: Place) -> Iterator[Patch]:
        noted = len(self._intake.diagnostics)
        documents = self._intake.values(file)
        if not documents and len(self._intake.diagnostics) == noted:
            self._refuse("the patch is empty; write one, or remove it", place)
        for body, source in documents:
            yield from self._of_body(entry, body, Place(source))

    def _of_body(self, entry: PatchEntry, body: Any, place: Place) -> Iterator[Patch]:
        if not isinstance(body, (dict, list)):
            message = "a patch is a mapping (strategic merge) or a list of JSON 6902 operations; write one of them"
            self._refuse(message, place)
        elif isinstance(body, list) and entry.target is None:
            message = "JSON 6902 operations do not say which object they are for; add a target"
            self._refuse(message, place)
        else:
            yield Patch(body, place.source, place.pointer, entry.index, entry.target)

    def _refuse(self, message: str, place: Place) -> None:
        self._intake.diagnostics.append(Diagnostic(rules.INVALID_OVERLAY, message, place))
