"""What differs in the inputs of a TrainJob between the two sides: documents, settings of overlays, patches, templates.

In: what became of the TrainJob on each side. Out: each part of its inputs that does not say the same any more. Only
contents are compared: comments, the order of keys and the way in which a document is written change nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.model.edited import Edited
from kubectl_trainjob.model.source import Place, Source, Written, show_pointer
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.review.diff.changes import Compiled
from kubectl_trainjob.review.diff.contents import Contents, difference
from kubectl_trainjob.review.diff.image_entries import Entry, differing, meant
from kubectl_trainjob.review.diff.ingredients import (
    IMAGES,
    OVERLAY,
    PATCH,
    OverlaySetting,
    as_read,
    renamed,
    settings_of,
)
from kubectl_trainjob.review.diff.settings import OverlayDocuments, paired
from kubectl_trainjob.review.diff.templated import reasons

Pair = tuple[Compiled, Compiled]

_RENAMING = (PATCH, "overlay namespace", "overlay nameSuffix", "overlay nameHash")


class Changed(NamedTuple):
    """A part of the inputs that differs: `what` it is, and its place on the new side, on the old one if it `is_gone`.

    `what` is an object's kind and name, "patch", "template", "overlay", or a setting of an overlay such as
    `images[0].newTag` or `values.model`. `is_own`: the TrainJob's own document. What rests on it was written, on either
    side, at or below `old` or `new`, or around them; with neither that cannot be told.
    """

    what: str
    place: Place
    is_own: bool = False
    is_gone: bool = False
    old: Place | None = None
    new: Place | None = None


class ChangedInputs:
    """Compares the inputs of pairs; those that several have in common once."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._contents = Contents()
        self._documents = OverlayDocuments(), OverlayDocuments()
        for pair in pairs:
            for compiled, documents in zip(pair, self._documents, strict=True):
                for manifest in (compiled.manifest, compiled.runtime):
                    if manifest is not None:
                        documents.add(manifest.source)
        self._runtimes: dict[tuple[Manifest, Manifest], tuple[Changed, ...]] = {}
        self._templates: dict[Hashable, tuple[Changed, ...]] = {}
        self._images: dict[tuple[Place, Place], list[Entry]] = {}
        self._renamed: dict[Hashable, tuple[Changed, ...]] = {}

    def of(self, old: Compiled, new: Compiled) -> tuple[Changed, ...]:
        """What differs; () where the inputs say the same, so that only the Trainer can be another one.

        If several parts differ, all are told, although one of them may have no effect.
        """
        found = (*self._of_object(old.manifest, new.manifest, is_own=True), *self._of_runtime(old.runtime, new.runtime))
        found = found or self._of_names(old.manifest, new.manifest)
        return tuple(dict.fromkeys(found or self._of_resources(new.manifest)))

    def _of_runtime(self, old: Manifest | None, new: Manifest | None) -> tuple[Changed, ...]:
        if old is None or new is None:
            only = old or new
            return (_document(only, is_gone=new is None),) if only else ()
        if _read_as(old) != _read_as(new):
            return ()  # the TrainJob refers to another one, and what says so differs
        known = self._runtimes.get((old, new))
        if known is None:
            known = self._runtimes[old, new] = tuple(self._of_object(old, new))
        return known

    def _of_object(self, old: Manifest, new: Manifest, *, is_own: bool = False) -> Iterator[Changed]:
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
                yield Changed(str(after.id), places[1], is_own, False, *places)
        yield from self._of_settings(settings_of(old.source), settings_of(new.source))

    def _of_template(self, old: Written | None, new: Written) -> tuple[Changed, ...]:
        key = old and (old.file, old.values), (new.file, new.values)
        known = self._templates.get(key)
        if known is None:
            found = reasons(old, new, self._contents)
            known = self._templates[key] = tuple(Changed(what, place, is_gone=gone) for what, place, gone in found)
        return known

    def _of_settings(self, old: list[OverlaySetting], new: list[OverlaySetting]) -> Iterator[Changed]:
        for before, after in paired(old, new, self._contents):
            if before and after:
                yield from self._of_both(before, after)
            elif only := before or after:
                yield from self._of_one(only, is_gone=after is None)

    def _of_both(self, old: OverlaySetting, new: OverlaySetting) -> Iterator[Changed]:
        if old.step == IMAGES:
            yield from self._of_images(old.place, new.place, (old, new))
            return
        way = self._contents.difference(old.place, new.place) or ()
        yield self._setting(new.step, old.place.child(*way), new.place.child(*way))

    def _of_one(self, only: OverlaySetting, *, is_gone: bool) -> Iterator[Changed]:
        """A setting that changes the object on one side alone: it is new or gone, or for other objects than before."""
        found = self._why_one(only, is_gone=is_gone)
        old, new = (only.place, None) if is_gone else (None, only.place)
        return (each if only.step == IMAGES else each._replace(old=old, new=new) for each in found)

    def _why_one(self, only: OverlaySetting, *, is_gone: bool) -> Iterator[Changed]:
        others = self._documents[is_gone]
        other = others.overlay(only)
        if other is None:
            yield Changed(_what(only.step, only.place), only.place, is_gone=is_gone)
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
            yield Changed("patch", others.patch(only) or only.place if is_gone else only.place)

    def _of_images(self, old: Place, new: Place, settings: Iterable[OverlaySetting]) -> Iterator[Changed]:
        entries = self._images.get((old, new))
        if entries is None:
            entries = self._images[old, new] = differing(self._contents.at(old), self._contents.at(new))
        for way in meant(entries, (each.before for each in settings)):
            yield self._setting(IMAGES, old, new.child(*way))

    def _setting(self, step: str, old: Place, new: Place) -> Changed:
        """A setting that both sides have, or that nothing is left of on the new one."""
        is_gone = self._contents.at(new) is None and self._contents.at(old) is not None
        place = old if is_gone else new
        return Changed(_what(step, place), place, is_gone=is_gone, old=old, new=new)

    def _of_names(self, old: Manifest, new: Manifest) -> tuple[Changed, ...]:
        """Why an object that the TrainJob refers to is called otherwise."""
        before, after = (list(renamed(manifest.source)) for manifest in (old, new))
        key = tuple(map(id, before)), tuple(map(id, after))
        known = self._renamed.get(key)
        if known is None:
            known = self._renamed[key] = tuple(self._of_renamed(before, after))
        return known

    def _of_renamed(self, old: list[Source], new: list[Source]) -> Iterator[Changed]:
        before, after = map(_renaming, (old, new))
        for name in {**before, **after}:
            yield from self._of_settings(before.get(name, []), after.get(name, []))

    def _of_resources(self, new: Manifest) -> Iterator[Changed]:
        """Overlays that lie over other things than before."""
        for setting in settings_of(new.source):
            before, place = self._documents[0].overlay(setting), Place(setting.overlay, ("resources",))
            way = self._contents.difference(Place(before, place.pointer), place) if before else None
            if way is not None:
                place = place.child(*way)
                yield Changed(show_pointer(place.pointer), place)


def _read_as(manifest: Manifest) -> tuple[str, str]:
    identity = as_read(manifest).id
    return identity.kind, identity.name


def _renaming(sources: Iterable[Source]) -> dict[tuple[str, str], list[OverlaySetting]]:
    """What may have renamed each of some renamed objects, by what they were called when they were read."""
    found = {}
    for source in sources:
        if isinstance(source.edits, Edited):
            settings = settings_of(source)
            found[_read_as(source.edits.before)] = [each for each in settings if each.step in _RENAMING]
    return found


def _document(manifest: Manifest, *, is_gone: bool) -> Changed:
    found = as_read(manifest)
    place = Place(found.source)
    return Changed(str(found.id), place, False, is_gone, place if is_gone else None, None if is_gone else place)


def _what(step: str, place: Place) -> str:
    return "patch" if step == PATCH else show_pointer(place.pointer)
