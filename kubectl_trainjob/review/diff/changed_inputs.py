"""The changed inputs of a TrainJob: documents, settings of overlays, patches, templates.

Only contents are compared: comments, the order of keys and the YAML style make no difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.model.edited_object import AppliedEdits
from kubectl_trainjob.model.source import Place, Pointer, Source, TextOrigin, show_pointer
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.review.diff.changes import ComparedJob
from kubectl_trainjob.review.diff.contents import Contents, difference
from kubectl_trainjob.review.diff.overlay_settings import (
    IMAGES,
    OVERLAY,
    PATCH,
    OverlayDocuments,
    OverlaySetting,
    as_read,
    find_renamed,
    pair_settings,
    settings_of,
)
from kubectl_trainjob.review.diff.templates import reasons

CompiledPair = tuple[ComparedJob, ComparedJob]
"""A TrainJob of base and head, old and new."""

ImageEntry = tuple[str, Pointer]
"""The name of an entry of `images`, and the pointer to what differs in it, in the new list; () for a removed entry."""

_RENAMING = (PATCH, "overlay namespace", "overlay namePrefix", "overlay nameSuffix", "overlay nameHash")
_PLAIN = re.compile(r"[\w./:@-]+")


class ChangedInput(NamedTuple):
    """A changed part of the inputs: `what` it is, and its place in the head, in the base if it `is_gone`.

    `what` is an object's kind and name, "patch", "template", "overlay", or a setting of an overlay: `images[0].newTag`.
    `is_own`: the TrainJob's own document. Values that depend on it come, on either tree, from a place at, below or
    around `old` or `new`; without both the dependency is unknown.
    """

    what: str
    place: Place
    is_own: bool = False
    is_gone: bool = False
    old: Place | None = None
    new: Place | None = None


class ChangedInputs:
    """Compares the inputs of pairs; those that several have in common once."""

    def __init__(self, pairs: Iterable[CompiledPair]) -> None:
        self._contents = Contents()
        self._documents = OverlayDocuments(), OverlayDocuments()
        for pair in pairs:
            for compiled, documents in zip(pair, self._documents, strict=True):
                for manifest in (compiled.manifest, compiled.runtime):
                    if manifest is not None:
                        documents.add(manifest.source)
        self._runtimes: dict[tuple[Manifest, Manifest], tuple[ChangedInput, ...]] = {}
        self._templates: dict[Hashable, tuple[ChangedInput, ...]] = {}
        self._images: dict[tuple[Place, Place], list[ImageEntry]] = {}
        self._renamed: dict[Hashable, tuple[ChangedInput, ...]] = {}

    def of(self, old: ComparedJob, new: ComparedJob) -> tuple[ChangedInput, ...]:
        """All changed inputs, also those without effect; () if only the Trainer version can differ."""
        found = (*self._of_object(old.manifest, new.manifest, is_own=True), *self._of_runtime(old.runtime, new.runtime))
        found = found or self._of_names(old.manifest, new.manifest)
        return tuple(dict.fromkeys(found or self._of_resources(new.manifest)))

    def _of_runtime(self, old: Manifest | None, new: Manifest | None) -> tuple[ChangedInput, ...]:
        if old is None or new is None:
            only = old or new
            return (_document(only, is_gone=new is None),) if only else ()
        if _read_as(old) != _read_as(new):
            return ()  # the TrainJob refers to another one, and this reference differs
        if (old, new) not in self._runtimes:
            self._runtimes[old, new] = tuple(self._of_object(old, new))
        return self._runtimes[old, new]

    def _of_object(self, old: Manifest, new: Manifest, *, is_own: bool = False) -> Iterator[ChangedInput]:
        before, after = as_read(old), as_read(new)
        way = difference(before.body, after.body)
        if way is not None:
            places = before.place(*way), after.place(*way)
            if before.source.file.common_path != after.source.file.common_path:
                yield from self._of_resources(new)
            written = after.source.file.written
            if written:
                found = self._of_template(before.source.file.written, written)
                yield from (each._replace(old=places[0], new=places[1]) for each in found)
            else:
                yield ChangedInput(str(after.id), places[1], is_own, False, *places)
        yield from self._of_settings(settings_of(old.source), settings_of(new.source))

    def _of_template(self, old: TextOrigin | None, new: TextOrigin) -> tuple[ChangedInput, ...]:
        key = old and (old.file, old.values), (new.file, new.values)
        if key not in self._templates:
            found = reasons(old, new, self._contents)
            self._templates[key] = tuple(ChangedInput(what, place, is_gone=gone) for what, place, gone in found)
        return self._templates[key]

    def _of_settings(self, old: list[OverlaySetting], new: list[OverlaySetting]) -> Iterator[ChangedInput]:
        for before, after in pair_settings(old, new, self._contents):
            if before and after:
                yield from self._of_both(before, after)
            elif only := before or after:
                yield from self._of_one(only, is_gone=after is None)

    def _of_both(self, old: OverlaySetting, new: OverlaySetting) -> Iterator[ChangedInput]:
        if old.step == IMAGES:
            yield from self._of_images(old.place, new.place, (old, new))
            return
        way = self._contents.difference(old.place, new.place) or ()
        yield self._setting(new.step, old.place.child(*way), new.place.child(*way))

    def _of_one(self, only: OverlaySetting, *, is_gone: bool) -> Iterator[ChangedInput]:
        """A setting that changes the object in one tree only: it was added or removed, or selects other objects."""
        found = self._why_one(only, is_gone=is_gone)
        old, new = (only.place, None) if is_gone else (None, only.place)
        return (each if only.step == IMAGES else each._replace(old=old, new=new) for each in found)

    def _why_one(self, only: OverlaySetting, *, is_gone: bool) -> Iterator[ChangedInput]:
        others = self._documents[is_gone]
        other = others.overlay(only)
        if other is None:
            yield ChangedInput(_what(only.step, only.place), only.place, is_gone=is_gone)
            return
        old, new = (only.overlay, other) if is_gone else (other, only.overlay)
        pointer = ("patches",) if only.step == PATCH else only.place.pointer[:1]
        before, after = Place(old, pointer), Place(new, pointer)
        way = self._contents.difference(before, after)
        if way is not None and only.step == IMAGES:
            yield from self._of_images(before, after, (only,))
        elif way is not None:
            yield self._setting(OVERLAY, before.child(*way), after.child(*way))
        elif only.step == PATCH and not others.has_same_patch(only):
            yield ChangedInput("patch", others.patch(only) or only.place if is_gone else only.place)

    def _of_images(self, old: Place, new: Place, settings: Iterable[OverlaySetting]) -> Iterator[ChangedInput]:
        if (old, new) not in self._images:
            self._images[old, new] = _changed_images(self._contents.at(old), self._contents.at(new))
        for way in _matching_images(self._images[old, new], [repr(each.before) for each in settings]):
            yield self._setting(IMAGES, old, new.child(*way))

    def _setting(self, step: str, old: Place, new: Place) -> ChangedInput:
        """A setting of base and head, or one that the head has no longer."""
        is_gone = self._contents.at(new) is None and self._contents.at(old) is not None
        place = old if is_gone else new
        return ChangedInput(_what(step, place), place, is_gone=is_gone, old=old, new=new)

    def _of_names(self, old: Manifest, new: Manifest) -> tuple[ChangedInput, ...]:
        """Why an object that the TrainJob refers to has another name."""
        before, after = (list(find_renamed(manifest.source)) for manifest in (old, new))
        key = tuple(map(id, before)), tuple(map(id, after))
        if key not in self._renamed:
            settings = _renaming(before), _renaming(after)
            self._renamed[key] = tuple(
                change
                for name in {**settings[0], **settings[1]}
                for change in self._of_settings(*(each.get(name, []) for each in settings))
            )
        return self._renamed[key]

    def _of_resources(self, new: Manifest) -> Iterator[ChangedInput]:
        """Changed lists of resources of overlays."""
        for setting in settings_of(new.source):
            before, place = self._documents[0].overlay(setting), Place(setting.overlay, ("resources",))
            way = self._contents.difference(Place(before, place.pointer), place) if before else None
            if way is not None:
                place = place.child(*way)
                yield ChangedInput(show_pointer(place.pointer), place)


def _read_as(manifest: Manifest) -> tuple[str, str]:
    identity = as_read(manifest).id
    return identity.kind, identity.name


def _renaming(sources: Iterable[Source]) -> dict[tuple[str, str], list[OverlaySetting]]:
    """The settings that may have renamed each of some objects, by their names before overlays."""
    return {
        _read_as(source.edits.before): [each for each in settings_of(source) if each.step in _RENAMING]
        for source in sources
        if isinstance(source.edits, AppliedEdits)
    }


def _document(manifest: Manifest, *, is_gone: bool) -> ChangedInput:
    found = as_read(manifest)
    place = Place(found.source)
    return ChangedInput(str(found.id), place, False, is_gone, place if is_gone else None, None if is_gone else place)


def _what(step: str, place: Place) -> str:
    return "patch" if step == PATCH else show_pointer(place.pointer)


def _changed_images(old: Any, new: Any) -> list[ImageEntry]:
    """The entries of two lists of images that only one tree has, in any order."""
    before, after = _image_entries(old), _image_entries(new)
    removed = {str(entry.get("name")): entry for text, (_, entry) in before.items() if text not in after}
    found: list[ImageEntry] = []
    for text, (index, entry) in after.items():
        if text not in before:
            name = str(entry.get("name"))
            found.append((name, (index, *(difference(removed.pop(name, None), entry) or ()))))
    return [*found, *((name, ()) for name in removed)]


def _image_entries(images: Any) -> dict[str, tuple[int, dict[str, Any]]]:
    """Each entry and its index, by its content; the check of the overlay has reported entries that are not mappings."""
    entries = enumerate(images if isinstance(images, list) else ())
    return {json.dumps(each, sort_keys=True): (i, each if isinstance(each, dict) else {}) for i, each in entries}


def _matching_images(entries: list[ImageEntry], texts: list[str]) -> list[Pointer]:
    """The pointers to entries for images in these texts of objects, else to all; () if only the order differs."""
    matching = [way for name, way in entries if not _PLAIN.fullmatch(name) or any(name in text for text in texts)]
    return list(dict.fromkeys(matching or [way for _, way in entries] or [()]))
