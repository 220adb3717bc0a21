"""The settings of overlays that made an object on both sides, matched: by what they say, else by where they stand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from kubectl_trainjob.model.edited import Edited
from kubectl_trainjob.model.source import Place, Source
from kubectl_trainjob.review.diff.contents import Contents
from kubectl_trainjob.review.diff.ingredients import OverlaySetting

Pair = tuple[OverlaySetting | None, OverlaySetting | None]


def paired(old: list[OverlaySetting], new: list[OverlaySetting], contents: Contents) -> Iterator[Pair]:
    """The settings that do not say the same on both sides, the old one with the new one; None for what has no other.

    A setting is the same wherever it stands, and in whatever order they come.
    """
    start = _same_at_start(old, new, contents)
    old, new = old[start:], new[start:]
    if not (old or new):
        return
    _, old, new = _matched(old, new, lambda setting: (setting.step, contents.text(setting.place)))
    for key in (_step_and_file, _step):
        pairs, old, new = _matched(old, new, key)
        yield from pairs
    yield from ((None, setting) for setting in new)
    yield from ((setting, None) for setting in old)


def _same_at_start(old: list[OverlaySetting], new: list[OverlaySetting], contents: Contents) -> int:
    pairs = zip(old, new, strict=False)
    same = (one.step == other.step and contents.difference(one.place, other.place) is None for one, other in pairs)
    return next((index for index, is_same in enumerate(same) if not is_same), min(len(old), len(new)))


def _step_and_file(setting: OverlaySetting) -> Hashable:
    return setting.step, setting.path


def _step(setting: OverlaySetting) -> Hashable:
    return setting.step


def _matched(
    old: list[OverlaySetting], new: list[OverlaySetting], key: Callable[[OverlaySetting], Hashable]
) -> tuple[list[tuple[OverlaySetting, OverlaySetting]], list[OverlaySetting], list[OverlaySetting]]:
    """Pairs of one key, the first with the first; then what is left of both."""
    known: dict[Hashable, list[OverlaySetting]] = {}
    for setting in reversed(old):
        known.setdefault(key(setting), []).append(setting)
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
    """The overlays and patches of one side, by the files that they stand in, as both sides call them."""

    def __init__(self) -> None:
        self._files: dict[str, Source] = {}
        self._seen: set[int] = set()

    def add(self, source: Source) -> None:
        """Note what the edits of an object name."""
        while isinstance(edits := source.edits, Edited):
            if id(edits.inputs) not in self._seen:  # all objects of an overlay share them
                self._seen.add(id(edits.inputs))
                for each in edits.inputs.values():
                    if each.edits is None and each.file.written is None:
                        self._files.setdefault(each.file.common_path, each)
            source = edits.before.source

    def overlay(self, setting: OverlaySetting) -> Source | None:
        """The overlay of this side that stands where that of a setting of the other side does."""
        return self._files.get(setting.overlay.file.common_path)

    def patch(self, setting: OverlaySetting) -> Place | None:
        """The patch of this side that stands where one of the other side does; None where there is none."""
        found = self._files.get(setting.path)
        return Place(found) if found else None

    def has_same_patch(self, setting: OverlaySetting) -> bool:
        """Whether the file of a patch of the other side holds the same on this one; a patch in an overlay does."""
        found, own = self._files.get(setting.path), setting.place.source.file
        return own.written is not None or (found is not None and found.file.text == own.text)
