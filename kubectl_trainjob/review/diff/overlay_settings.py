"""The settings of overlays that changed an object, and those of base and head matched: by content, else by location."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple

from kubectl_trainjob.model.edited_object import AppliedEdits
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.source import Place, Source
from kubectl_trainjob.model.stages import Body, Manifest
from kubectl_trainjob.review.diff.contents import Contents

OVERLAY = "overlay"
PATCH = "overlay patch"
IMAGES = "overlay images"


class OverlaySetting(NamedTuple):
    """One edit of an object: its `step`, and its `place`, in the document of `overlay` or in the file of a patch.
    `before` is the object before that overlay.
    """

    step: str
    place: Place
    overlay: Source
    before: Body

    @property
    def path(self) -> str:
        """The file that has the setting, as base and head call it."""
        return self.place.source.file.common_path


SettingPair = tuple[OverlaySetting | None, OverlaySetting | None]


def levels(source: Source) -> Iterator[AppliedEdits]:
    """The edits of an object by each overlay, the last first."""
    while isinstance(edits := source.edits, AppliedEdits):
        yield edits
        source = edits.before.source


def as_read(manifest: Manifest) -> Manifest:
    """The object before all edits."""
    return [manifest, *(level.before for level in levels(manifest.source))][-1]


def settings_of(source: Source) -> list[OverlaySetting]:
    """The settings that changed an object, in their order."""
    return [setting for level in reversed([*levels(source)]) for setting in _settings(level)]


def _settings(level: AppliedEdits) -> Iterator[OverlaySetting]:
    overlay = level.inputs.get(OVERLAY)
    for edit in level.edits if overlay else ():
        name, *pointer = edit.cause or ("",)
        source = level.inputs.get(str(name))
        if overlay and source:
            whole = tuple(pointer if edit.step == PATCH else pointer[:2])  # not only the pairs of labels
            yield OverlaySetting(edit.step, Place(source, whole), overlay, level.before.body)


def find_renamed(source: Source) -> Iterator[Source]:
    """The renamed objects for which references of an object were changed."""
    for level in levels(source):
        yield from (each for name, each in level.inputs.items() if name.startswith("renamed."))


def pair_settings(old: list[OverlaySetting], new: list[OverlaySetting], contents: Contents) -> Iterator[SettingPair]:
    """The settings whose content differs, the old one with the new one; None if a tree has no such setting.

    A setting is the same in any place and order.
    """
    pairs = zip(old, new, strict=False)
    same = (one.step == other.step and contents.difference(one.place, other.place) is None for one, other in pairs)
    start = next((index for index, is_same in enumerate(same) if not is_same), min(len(old), len(new)))
    old, new = old[start:], new[start:]
    if not (old or new):
        return
    _, old, new = _match(old, new, lambda setting: (setting.step, contents.text(setting.place)))
    same_file, old, new = _match(old, new, lambda setting: (setting.step, setting.path))
    same_step, old, new = _match(old, new, lambda setting: setting.step)
    yield from (*same_file, *same_step)
    yield from ((None, setting) for setting in new)
    yield from ((setting, None) for setting in old)


def _match(
    old: list[OverlaySetting], new: list[OverlaySetting], key: Callable[[OverlaySetting], Hashable]
) -> tuple[list[tuple[OverlaySetting, OverlaySetting]], list[OverlaySetting], list[OverlaySetting]]:
    """Pairs of one key, the first with the first; then the rest of both."""
    known = group((key(setting), setting) for setting in reversed(old))
    pairs, rest = [], []
    for setting in new:
        same = known.get(key(setting))
        if same:
            pairs.append((same.pop(), setting))
        else:
            rest.append(setting)
    left = {id(setting) for settings in known.values() for setting in settings}
    return pairs, [setting for setting in old if id(setting) in left], rest


class OverlayDocuments:
    """The overlays and patches of one tree, by their files as base and head call them."""

    def __init__(self) -> None:
        self._files: dict[str, Source] = {}
        self._seen: set[int] = set()

    def add(self, source: Source) -> None:
        """Add the inputs of the edits of an object."""
        for level in levels(source):
            if id(level.inputs) not in self._seen:  # all objects of an overlay share them
                self._seen.add(id(level.inputs))
                for each in level.inputs.values():
                    if each.edits is None and each.file.written is None:
                        self._files.setdefault(each.file.common_path, each)

    def overlay(self, setting: OverlaySetting) -> Source | None:
        """The overlay of this tree in the file of the overlay of a setting of the other tree."""
        return self._files.get(setting.overlay.file.common_path)

    def patch(self, setting: OverlaySetting) -> Place | None:
        """The patch of this tree in the file of a patch of the other tree; None without such a file."""
        found = self._files.get(setting.path)
        return Place(found) if found else None

    def has_same_patch(self, setting: OverlaySetting) -> bool:
        """Whether the file of a patch of the other tree has the same text in this one; true for patches in overlays."""
        found, own = self._files.get(setting.path), setting.place.source.file
        return own.written is not None or (found is not None and found.file.text == own.text)
