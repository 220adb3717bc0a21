"""An overlay's directory to a `Unit`: `overlay.yaml`, its patches (`patch_files`), and everything it lies over."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Overlay, Unit
from kubectl_trainjob.repository.files.allowance import Allowance
from kubectl_trainjob.repository.files.intake import Intake, fault
from kubectl_trainjob.repository.files.listings import Listings
from kubectl_trainjob.repository.files.overlay_file import OverlayFile, read_overlay
from kubectl_trainjob.repository.files.overlay_paths import Paths
from kubectl_trainjob.repository.files.patch_files import PatchFiles
from kubectl_trainjob.repository.files.rendered import Rendering
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import UnsafePathError
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, TEMPLATE, is_overlay
from kubectl_trainjob.repository.yaml.read import read_stream

_DEEPEST = 64  # overlays over each other


class _Entry(NamedTuple):
    """An entry of the resources of the overlay in `directory`: `above` are the directories of the overlays that lie
    over what it brings, that one the last; `seen` is what the overlay has already, `place` where the entry stands.
    """

    overlay: OverlayFile
    root: Root
    directory: str
    above: tuple[str, ...]
    seen: set[str]
    place: Place


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
        self._gaps: set[Source] = set()  # the overlays that lie over more than could be read
        self._listings = Listings(intake.limits)
        self._directories: dict[tuple[Root, str], list[str]] = {}
        self._known: dict[tuple[Root, str], _Known] = {}
        self._depths: dict[Unit, int] = {}
        self._allowance = Allowance(intake.limits, intake.diagnostics)
        self._paths = Paths(intake)
        self._rendering = Rendering(intake.workspace.renderer, intake.limits, intake.diagnostics)

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
        patches = tuple(PatchFiles(self._intake, self._paths, root, inside).patches(overlay))
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

    def _members_of(
        self, overlay: OverlayFile, root: Root, inside: str, above: tuple[str, ...]
    ) -> Iterator[Manifest | Unit]:
        seen: set[str] = set()
        for index, written in enumerate(overlay.resources):
            place = Place(overlay.source, ("resources", index))
            path = self._paths.inside(written, root, inside, place)
            if path is None:
                continue
            for member in self._resource(path, _Entry(overlay, root, inside, above, seen, place)):
                if not self._allowance.take_member(place):
                    return
                yield member

    def _resource(self, path: str, entry: _Entry) -> Iterable[Manifest | Unit]:
        root = entry.root
        self._intake.read_from[root.real(path)] = None
        if path in entry.seen:
            return ()
        if (root, path) in self._directories:
            return self._files(path, entry)
        try:
            found = root.files.entries(path)
        except NotADirectoryError:
            return self._file(path, entry)
        except (UnsafePathError, OSError) as error:
            self._paths.missing(root, path, entry.place, error)
            return ()
        if not is_overlay(found):
            files = self._intake.directory(root, path, root.show(path), self._listings.has)
            self._directories[root, path] = [file for file, _ in files]
            return self._files(path, entry)
        return self.unit(root, path, entry.above) if self._may_nest(path, entry) else ()

    def _may_nest(self, path: str, entry: _Entry) -> bool:
        known = self._known.get((entry.root, path))
        is_deep = len(entry.above) + (known.depth if known else 1) > _DEEPEST
        if path in entry.above:
            message = f'"{entry.root.show(path)}" has this overlay among its resources; remove one of the entries'
            self._refuse(rules.OVERLAY_CYCLE, message, entry.place)
        elif is_deep:
            message = f"more than {_DEEPEST} overlays lie over each other here, the limit; take some of them together"
            self._refuse(rules.TOO_MANY_MEMBERS, message, entry.place)
        return path not in entry.above and not is_deep

    def _files(self, path: str, entry: _Entry) -> Iterator[Manifest]:
        entry.seen.add(path)
        for found in self._directories[entry.root, path]:
            yield from self._file(found, entry)

    def _file(self, path: str, entry: _Entry) -> list[Manifest]:
        if path in entry.seen:
            return []
        entry.seen.add(path)
        file = self._paths.text(entry.root, path, entry.place)
        if file is not None and path.endswith(TEMPLATE):
            file = self._rendering.rendered(file, entry.overlay, entry.root.real(entry.directory))
        return self._objects(entry.overlay, file)

    def _objects(self, overlay: OverlayFile, file: SourceFile | None) -> list[Manifest]:
        """The objects of a file; whether all of them could be read counts for each overlay that lists it."""
        manifests = self._intake.manifests(file) if file else []
        if file is None or self._intake.is_broken(file):
            self._gaps.add(overlay.source)
        return manifests

    def _refuse(self, rule: Rule, message: str, place: Place) -> None:
        self._intake.diagnostics.append(Diagnostic(rule, message, place))
