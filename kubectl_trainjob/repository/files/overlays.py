"""An overlay's directory to a `Unit`: `overlay.yaml`, its patches (`overlay_paths`), and its resources."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.kube.facts.kinds import COMPONENT, OVERLAY
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Overlay, Unit
from kubectl_trainjob.repository.files.directories import Directories
from kubectl_trainjob.repository.files.input_reader import InputReader, fault
from kubectl_trainjob.repository.files.overlay_file import OverlayFile, read_overlay
from kubectl_trainjob.repository.files.overlay_paths import PatchFiles, Paths
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import UnsafePathError
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, TEMPLATE, is_overlay
from kubectl_trainjob.repository.positions import rendered_with
from kubectl_trainjob.repository.yaml.read import read_stream

_DEEPEST = 64  # overlays in a row
_MOST_EXHAUSTING = 5  # templates that used up a limit; each may take seconds, and the build fails anyway
# The cost of a setting for an object, compared with an image.
_LABEL, _SELECTION = 2, 20


Resources = tuple[Manifest | Unit, ...]


class _Resource(NamedTuple):
    """An entry of the resources of the overlay in `directory`: `above` are the directories of the overlays that use it,
    that one the last; `seen` is what the overlay has already, `place` the place of the entry.
    """

    overlay: OverlayFile
    root: Root
    directory: str
    above: tuple[str, ...]
    seen: set[str]
    place: Place


class _KnownOverlay(NamedTuple):
    """An overlay that was read; `resource_count` and `edits` are counts, `depth` is how many overlays are in a row in
    it.
    """

    units: list[Unit]
    resource_count: int
    edits: int
    depth: int


class Overlays:
    """Reads the overlays of one build. Files that several overlays list are read once.

    Counts the objects of all overlays and the edits of these, and reports the first excess of each limit.
    """

    def __init__(self, input_reader: InputReader, directories: Directories) -> None:
        self._input_reader = input_reader
        self._in_directory = directories.files
        self._limits = input_reader.limits
        self._gaps: set[Source] = set()  # overlays with resources that could not be read
        self._directories: dict[tuple[Root, str], list[str]] = {}
        self._known: dict[tuple[Root, str], _KnownOverlay] = {}
        self._components: dict[tuple[Root, str], OverlayFile | None] = {}
        self._depths: dict[Unit, int] = {}
        self._paths = Paths(input_reader)
        self._resource_count = self._edits = 0
        self._exceeded: set[Rule] = set()
        self._sent = self._exhausting = 0  # bytes for templates, and templates that used up a limit

    def unit(self, root: Root, inside: str, above: tuple[str, ...] = ()) -> list[Unit]:
        """The overlay in a directory, read once; none where its file cannot be read, which is reported."""
        known = self._known.get((root, inside))
        if known is not None:
            self._resource_count += known.resource_count
            self._edits += known.edits
            return known.units
        count, edits = self._resource_count, self._edits
        units = self._new_unit(root, inside, above)
        depth = max(map(self._depth, units), default=1)
        self._known[root, inside] = _KnownOverlay(units, self._resource_count - count, self._edits - edits, depth)
        return units

    def _depth(self, unit: Unit) -> int:
        if unit not in self._depths:
            below = (self._depth(resource) for resource in unit.resources if isinstance(resource, Unit))
            self._depths[unit] = 1 + max(below, default=0)
        return self._depths[unit]

    def _new_unit(self, root: Root, inside: str, above: tuple[str, ...]) -> list[Unit]:
        overlay = self._overlay_file(root, inside)
        return self._unit_of(overlay, root, inside, above) if overlay else []

    def _unit_of(
        self, overlay: OverlayFile, root: Root, inside: str, above: tuple[str, ...], given: Resources = ()
    ) -> list[Unit]:
        """The unit of an overlay; for a component, `given` are the resources before it."""
        before, noted = self._resource_count, len(self._input_reader.diagnostics)
        resources = (*given, *self._resources_of(overlay, root, inside, (*above, inside)))
        resources = self._with_components(overlay, root, inside, (*above, inside), resources)
        below = all(resource.overlay.is_complete for resource in resources if isinstance(resource, Unit))
        is_complete = (
            below and overlay.source not in self._gaps and not has_errors(self._input_reader.diagnostics[noted:])
        )
        patches = tuple(PatchFiles(self._input_reader, self._paths, root, inside).patches(overlay))
        settings = replace(overlay.settings, patches=patches, is_complete=is_complete)
        return [Unit(settings, resources)] if self._may_edit(settings, self._resource_count - before) else []

    def _with_components(
        self, overlay: OverlayFile, root: Root, inside: str, above: tuple[str, ...], resources: Resources
    ) -> Resources:
        """The resources after each component in turn: it changes all, and adds its own (kustomize's kusttarget.go)."""
        for index, written in enumerate(overlay.components):
            place = Place(overlay.source, ("components", index))
            path = self._paths.inside(written, root, inside, place)
            if path is None or not self._may_nest(path, _Resource(overlay, root, inside, above, set(), place)):
                continue
            component = self._component(root, path, place)
            if component:
                self._input_reader.read_from[root.real(path)] = None
                resources = tuple(self._unit_of(component, root, path, above, resources)) or resources
        return resources

    def _component(self, root: Root, path: str, place: Place) -> OverlayFile | None:
        """A component, read once; None where it cannot be read, which is reported at `place`."""
        if (root, path) not in self._components:
            self._components[root, path] = None
            try:
                if is_overlay(root.files, path, root.files.entries(path)):
                    self._components[root, path] = self._overlay_file(root, path, COMPONENT)
                else:
                    message = say('"{}" has no overlay.yaml; write one', root.show(path))
                    self._reject(rules.INVALID_OVERLAY, message, place)
            except (UnsafePathError, OSError) as error:
                self._paths.missing(root, path, place, error)
        return self._components[root, path]

    def _overlay_file(self, root: Root, inside: str, kind: str = OVERLAY) -> OverlayFile | None:
        path = posixpath.join(inside, OVERLAY_FILE)
        try:
            file = self._input_reader.file(root, path, root.show(path))
        except OSError as error:
            raise fault(root.show(path), error) from None
        if file is None:
            return None
        reading = read_stream(file, self._limits)
        self._input_reader.diagnostics += reading.diagnostics
        if len(reading.objects) != 1:
            if not reading.diagnostics:
                place = Place(Source(file, 1 if reading.objects else 0))
                self._reject(
                    rules.INVALID_OVERLAY, say("overlay.yaml must contain one document of kind Overlay"), place
                )
            return None
        overlay, diagnostics = read_overlay(*reading.objects[0], kind)
        self._input_reader.diagnostics += diagnostics
        return overlay

    def _resources_of(
        self, overlay: OverlayFile, root: Root, inside: str, above: tuple[str, ...]
    ) -> Iterator[Manifest | Unit]:
        seen: set[str] = set()
        for index, written in enumerate(overlay.resources):
            place = Place(overlay.source, ("resources", index))
            path = self._paths.inside(written, root, inside, place)
            if path is None:
                continue
            for resource in self._resource(path, _Resource(overlay, root, inside, above, seen, place)):
                if not self._may_add(place):
                    return
                yield resource

    def _may_add(self, place: Place) -> bool:
        """Count an object or overlay that the entry at `place` provides."""
        self._resource_count += 1
        most = self._limits.documents
        if self._resource_count > most:
            template = (
                "with this resource, the overlays have more than {} objects, the limit (limits.documents); "
                "list each directory once, or build fewer overlays at a time"
            )
            self._exceed(rules.TOO_MANY_RESOURCES, say(template, most), place)
        return self._resource_count <= most

    def _may_edit(self, overlay: Overlay, resources: int) -> bool:
        """Count what the overlay does to so many objects."""
        selections = len(overlay.patches) + len(overlay.sweeps)
        pairs = sum(len(labels.pairs) for labels in overlay.labels) + len(overlay.annotations)
        images = len(overlay.images)
        self._edits += (_SELECTION * selections + _LABEL * pairs + images) * resources
        if self._edits > self._limits.overlay_edits:
            words = (
                "{} patches and sweeps, {} labels and annotations, {} images for {} objects are more than the limit "
                "(limits.overlayEdits); build fewer overlays at a time"
            )
            self._exceed(rules.TOO_MANY_EDITS, say(words, selections, pairs, images, resources), Place(overlay.source))
        return self._edits <= self._limits.overlay_edits

    def _resource(self, path: str, entry: _Resource) -> Iterable[Manifest | Unit]:
        root = entry.root
        self._input_reader.read_from[root.real(path)] = None
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
        if not is_overlay(root.files, path, found):
            files = self._in_directory(root, path, root.show(path))
            self._directories[root, path] = [file for file, _ in files]
            return self._files(path, entry)
        return self.unit(root, path, entry.above) if self._may_nest(path, entry) else ()

    def _may_nest(self, path: str, entry: _Resource) -> bool:
        known = self._known.get((entry.root, path))
        is_deep = len(entry.above) + (known.depth if known else 1) > _DEEPEST
        if path in entry.above:
            shown = entry.root.show(path)
            message = say('the resources of "{}" contain this overlay; remove one of the entries', shown)
            self._reject(rules.OVERLAY_CYCLE, message, entry.place)
        elif is_deep:
            message = say("overlays are nested deeper than {} levels, the limit; combine some of them", _DEEPEST)
            self._reject(rules.TOO_MANY_RESOURCES, message, entry.place)
        return path not in entry.above and not is_deep

    def _files(self, path: str, entry: _Resource) -> Iterator[Manifest]:
        entry.seen.add(path)
        for found in self._directories[entry.root, path]:
            yield from self._file(found, entry)

    def _file(self, path: str, entry: _Resource) -> list[Manifest]:
        """The objects of a file; an overlay with a file that could not be read as a whole is incomplete."""
        if path in entry.seen:
            return []
        entry.seen.add(path)
        file = self._paths.text(entry.root, path, entry.place)
        if file is not None and path.endswith(TEMPLATE):
            file = self._render(file, entry.overlay, entry.root.real(entry.directory))
        manifests = self._input_reader.manifests(file) if file else []
        if file is None or self._input_reader.is_broken(file):
            self._gaps.add(entry.overlay.source)
        return manifests

    def _render(self, template: SourceFile, overlay: OverlayFile, directory: str) -> SourceFile | None:
        """The text of a template for the overlay in `directory` (a real path); None for an error."""
        if self._exhausting >= _MOST_EXHAUSTING:
            return None
        from kubectl_trainjob.repository.templates.render import encode_context, too_much

        settings = overlay.settings
        facts = {"name": os.path.basename(directory), "namespace": settings.namespace}
        facts |= {"namePrefix": settings.name_prefix, "nameSuffix": settings.name_suffix}
        context = encode_context({"values": overlay.values, "overlay": facts})
        self._sent += len(context)
        if self._sent > self._limits.build_bytes:
            rendered: SourceFile | Diagnostic = too_much(template, self._limits)
        else:
            rendered = self._input_reader.workspace.renderer().render(template, context, self._limits)
        if isinstance(rendered, SourceFile):
            written = replace(rendered.written, values=overlay.source) if rendered.written else None
            return replace(rendered, written=written)
        self._input_reader.diagnostics.append(replace(rendered, related=(rendered_with(overlay.source),)))
        self._exhausting += rendered.rule == rules.TEMPLATE_LIMIT
        return None

    def _exceed(self, rule: Rule, message: Message, place: Place) -> None:
        if rule not in self._exceeded:
            self._exceeded.add(rule)
            self._reject(rule, message, place)

    def _reject(self, rule: Rule, message: Message, place: Place) -> None:
        self._input_reader.diagnostics.append(Diagnostic(rule, message, place))
