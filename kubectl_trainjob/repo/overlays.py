"""An overlay's directory to a `Unit`: `overlay.yaml`, the patches that it names, and everything it lies over."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kubectl_trainjob.findings import overlays as rules
from kubectl_trainjob.findings.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.findings.templates import TEMPLATE_LIMIT
from kubectl_trainjob.repo.allowance import Allowance
from kubectl_trainjob.repo.inline import Inline
from kubectl_trainjob.repo.intake import Intake, Root, fault
from kubectl_trainjob.repo.listings import Listings
from kubectl_trainjob.repo.overlay_file import OverlayFile, PatchEntry, read_overlay
from kubectl_trainjob.repo.overlay_paths import Paths
from kubectl_trainjob.repo.root import UnsafePathError
from kubectl_trainjob.repo.walk import OVERLAY_FILE, TEMPLATE, is_overlay
from kubectl_trainjob.source import Place, Source, SourceFile
from kubectl_trainjob.stages import Manifest
from kubectl_trainjob.units import Overlay, Patch, Unit
from kubectl_trainjob.yamlio.read import read_stream

if TYPE_CHECKING:
    from kubectl_trainjob.templates.render import Renderer

_MOST_EXHAUSTING = 5  # templates that used up a limit; each may take seconds, and the build fails anyway
_DEEPEST = 64  # overlays over each other
Member = Manifest | Unit

_Context = tuple[set[str], tuple[str, ...], Place]
"""What a resource is read in: the files that the overlay has already, the overlays above it, the entry's place."""


class _Known(NamedTuple):
    """An overlay that was read; `members` and `edits` are what it uses up, `depth` is how many overlays lie over each
    other in it.
    """

    units: list[Unit]
    members: int
    edits: int
    depth: int


class Overlays:
    """Reads the overlays of one build. Files that several overlays list are read once."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._read: dict[tuple[Root, str], SourceFile | None] = {}
        self._gaps: set[Source] = set()  # the overlays that lie over more than could be read
        self._listings = Listings(intake.limits)
        self._directories: dict[tuple[Root, str], list[str]] = {}
        self._known: dict[tuple[Root, str], _Known] = {}
        self._depths: dict[Unit, int] = {}
        self._allowance = Allowance(intake.limits, intake.diagnostics)
        self._paths = Paths(intake)
        self._renderer: Renderer | None = None
        self._exhausting = 0

    def close(self) -> None:
        """End what renders templates."""
        if self._renderer is not None:
            self._renderer.close()

    def unit(self, root: Root, inside: str, above: tuple[str, ...] = ()) -> list[Unit]:
        """The overlay in a directory, read once; none where its file cannot be read, which is noted."""
        allowance, known = self._allowance, self._known.get((root, inside))
        if known is not None:
            allowance.spend(known.members, known.edits)
            return known.units
        members, edits = allowance.members, allowance.edits
        units = self._new_unit(root, inside, above)
        depth = max(map(self._depth, units), default=1)
        self._known[root, inside] = _Known(units, allowance.members - members, allowance.edits - edits, depth)
        return units

    def _depth(self, unit: Unit) -> int:
        if unit not in self._depths:
            below = (self._depth(member) for member in unit.members if isinstance(member, Unit))
            self._depths[unit] = 1 + max(below, default=0)
        return self._depths[unit]

    def _new_unit(self, root: Root, inside: str, above: tuple[str, ...]) -> list[Unit]:
        overlay = self._overlay_file(root, inside)
        if overlay is None:
            return []
        before = self._allowance.members
        noted = len(self._intake.diagnostics)
        members = tuple(self._members_of(overlay, root, inside, (*above, inside)))
        below = all(member.overlay.is_complete for member in members if isinstance(member, Unit))
        is_complete = below and overlay.source not in self._gaps and not has_errors(self._intake.diagnostics[noted:])
        inline = Inline()
        patches = tuple(p for entry in overlay.patches for p in self._patches(overlay, entry, (root, inside, inline)))
        if not self._allowance.take_edits(overlay, len(patches), self._allowance.members - before):
            return []
        settings = Overlay(
            overlay.source,
            overlay.namespace,
            overlay.name_suffix,
            overlay.name_hash,
            overlay.labels,
            overlay.annotations,
            overlay.images,
            patches,
            is_complete,
        )
        return [Unit(settings, members)]

    def _overlay_file(self, root: Root, inside: str) -> OverlayFile | None:
        path = posixpath.join(inside, OVERLAY_FILE)
        try:
            file = self._intake.file(root, path, root.show(path))
        except OSError as error:
            raise fault(root.show(path), error) from None
        if file is None:
            return None
        reading = read_stream(file, self._intake.limits)
        self._intake.diagnostics += reading.diagnostics
        if len(reading.objects) != 1:
            if not reading.diagnostics:
                place = Place(Source(file, 1 if reading.objects else 0))
                self._refuse(rules.INVALID_OVERLAY, f"{OVERLAY_FILE} must hold one document of kind Overlay", place)
            return None
        overlay, diagnostics = read_overlay(*reading.objects[0])
        self._intake.diagnostics += diagnostics
        return overlay

    def _members_of(self, overlay: OverlayFile, root: Root, inside: str, above: tuple[str, ...]) -> Iterator[Member]:
        seen: set[str] = set()
        for index, entry in enumerate(overlay.resources):
            place = Place(overlay.source, ("resources", index))
            path = self._paths.inside(entry, root, inside, place)
            if path is None:
                continue
            for member in self._resource(overlay, root, path, (seen, above, place)):
                if not self._allowance.take_member(place):
                    return
                yield member

    def _resource(self, overlay: OverlayFile, root: Root, path: str, context: _Context) -> Iterable[Member]:
        seen, above, place = context
        self._intake.read_from[os.path.join(root.files.directory, path)] = None
        if path in seen:
            return ()
        if (root, path) in self._directories:
            return self._files(overlay, root, path, context)
        try:
            entries = root.files.entries(path)
        except NotADirectoryError:
            return self._file(overlay, root, path, context)
        except (UnsafePathError, OSError) as error:
            self._paths.missing(root, path, place, error)
            return ()
        if not is_overlay(entries):
            files = self._intake.directory(root, path, root.show(path), self._listings.has)
            self._directories[root, path] = [found for found, _ in files]
            return self._files(overlay, root, path, context)
        return self.unit(root, path, above) if self._may_nest(root, path, above, place) else ()

    def _may_nest(self, root: Root, path: str, above: tuple[str, ...], place: Place) -> bool:
        known = self._known.get((root, path))
        is_deep = len(above) + (known.depth if known else 1) > _DEEPEST
        if path in above:
            message = f'"{root.show(path)}" has this overlay among its resources; remove one of the entries'
            self._refuse(rules.OVERLAY_CYCLE, message, place)
        elif is_deep:
            message = f"more than {_DEEPEST} overlays lie over each other here, the limit; take some of them together"
            self._refuse(rules.TOO_MANY_MEMBERS, message, place)
        return path not in above and not is_deep

    def _files(self, overlay: OverlayFile, root: Root, path: str, context: _Context) -> Iterator[Manifest]:
        context[0].add(path)
        for found in self._directories[root, path]:
            yield from self._file(overlay, root, found, context)

    def _file(self, overlay: OverlayFile, root: Root, path: str, context: _Context) -> list[Manifest]:
        seen, _, place = context
        if path in seen:
            return []
        seen.add(path)
        if path.endswith(TEMPLATE):
            return self._rendered(overlay, root, path, context)
        if (root, path) not in self._read:
            file = self._paths.text(root, path, place)
            self._read[root, path] = file
        return self._objects(overlay, self._read[root, path])

    def _objects(self, overlay: OverlayFile, file: SourceFile | None) -> list[Manifest]:
        """The objects of a file; whether all of them could be read counts for each overlay that lists it."""
        manifests = self._intake.manifests(file) if file else []
        if file is None or self._intake.is_broken(file):
            self._gaps.add(overlay.source)
        return manifests

    def _rendered(self, overlay: OverlayFile, root: Root, path: str, context: _Context) -> list[Manifest]:
        _, above, place = context
        template = self._paths.text(root, path, place)
        if template is None or self._exhausting >= _MOST_EXHAUSTING:
            self._gaps.add(overlay.source)
            return []
        if self._renderer is None:
            from kubectl_trainjob.templates.render import Renderer  # most builds have no template

            self._renderer = Renderer(self._intake.limits)
        rendered = self._renderer.render(
            template, _context(overlay, os.path.normpath(os.path.join(root.files.directory, above[-1])))
        )
        if isinstance(rendered, Diagnostic):
            self._intake.diagnostics.append(rendered)
            self._exhausting += rendered.rule == TEMPLATE_LIMIT
            return []
        return self._objects(overlay, _with_values(rendered, overlay.source))

    def _patches(self, overlay: OverlayFile, entry: PatchEntry, where: tuple[Root, str, Inline]) -> Iterator[Patch]:
        root, inside, inline = where
        place = Place(overlay.source, ("patches", entry.index))
        if entry.path:
            yield from self._patch_file(entry, root, inside, place)
        elif isinstance(entry.inline, str):
            file = inline.file(place.child("patch"), entry.inline)
            yield from self._patch_documents(entry, file, place.child("patch"))
        elif entry.inline is not None:
            yield from self._patch(entry, entry.inline, place.child("patch"))

    def _patch_file(self, entry: PatchEntry, root: Root, inside: str, place: Place) -> Iterator[Patch]:
        if entry.path.endswith(TEMPLATE):
            message = "patches are not rendered; put what the values decide into a template among the resources"
            self._refuse(rules.INVALID_OVERLAY, message, place.child("path"))
            return
        path = self._paths.inside(entry.path, root, inside, place.child("path"))
        file = self._paths.text(root, path, place.child("path")) if path is not None else None
        if file is not None:
            yield from self._patch_documents(entry, file, Place(Source(file)))

    def _patch_documents(self, entry: PatchEntry, file: SourceFile, place: Place) -> Iterator[Patch]:
        noted = len(self._intake.diagnostics)
        documents = self._intake.values(file)
        if not documents and len(self._intake.diagnostics) == noted:
            self._refuse(rules.INVALID_OVERLAY, "the patch is empty; write one, or remove it", place)
        for body, source in documents:
            yield from self._patch(entry, body, Place(source))

    def _patch(self, entry: PatchEntry, body: Any, place: Place) -> Iterator[Patch]:
        if not isinstance(body, (dict, list)):
            message = "a patch is a mapping (strategic merge) or a list of JSON 6902 operations; write one of them"
            self._refuse(rules.INVALID_OVERLAY, message, place)
        elif isinstance(body, list) and entry.target is None:
            message = "JSON 6902 operations do not say which object they are for; add a target"
            self._refuse(rules.INVALID_OVERLAY, message, place)
        else:
            yield Patch(body, place.source, place.pointer, entry.index, entry.target)

    def _refuse(self, rule: Any, message: str, place: Place) -> None:
        self._intake.diagnostics.append(Diagnostic(rule, message, place))


def _with_values(rendered: SourceFile, values: Source) -> SourceFile:
    """The rendered text, which knows the overlay that gave the values."""
    return replace(rendered, written=replace(rendered.written, values=values)) if rendered.written else rendered


def _context(overlay: OverlayFile, directory: str) -> dict[str, Any]:
    """What a template of the overlay in `directory` may know."""
    facts = {"name": os.path.basename(directory), "namespace": overlay.namespace, "nameSuffix": overlay.name_suffix}
    return {"values": overlay.values, "overlay": facts}
