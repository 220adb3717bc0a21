"""What an object of the inputs is made of: the document that it was read from, and the settings of overlays that
changed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.model.edited import Edit, Edited
from kubectl_trainjob.model.source import Place, Pointer, Source
from kubectl_trainjob.model.stages import Body, Manifest

OVERLAY = "overlay"
PATCH = "overlay patch"
IMAGES = "overlay images"


class OverlaySetting(NamedTuple):
    """One edit of an object: `step` makes it, and it stands at `place`, in the document of `overlay` or in a patch of
    its own; `before` is the object as it was before that overlay.
    """

    step: str
    place: Place
    overlay: Source
    before: Body

    @property
    def path(self) -> str:
        """The file that it stands in, as both sides call it."""
        return self.place.source.file.common_path


def as_read(manifest: Manifest) -> Manifest:
    """The object before all edits."""
    while isinstance(edits := manifest.source.edits, Edited):
        manifest = edits.before
    return manifest


def settings_of(source: Source) -> list[OverlaySetting]:
    """The settings that made an object what it is, in the order in which they did."""
    levels = []
    while isinstance(edits := source.edits, Edited):
        levels.append(edits)
        source = edits.before.source
    return [setting for level in reversed(levels) for setting in _settings(level)]


def renamed(source: Source) -> Iterator[Source]:
    """The objects that were renamed, to which an object's references were brought up to date."""
    while isinstance(edits := source.edits, Edited):
        yield from (each for name, each in edits.inputs.items() if name.startswith("renamed."))
        source = edits.before.source


def _settings(level: Edited) -> Iterator[OverlaySetting]:
    overlay = level.inputs.get(OVERLAY)
    for edit in level.edits if overlay else ():
        name, *pointer = edit.cause or ("",)
        source = level.inputs.get(str(name))
        if overlay and source:
            yield OverlaySetting(edit.step, Place(source, _whole(edit, tuple(pointer))), overlay, level.before.body)


def _whole(edit: Edit, pointer: Pointer) -> Pointer:
    """A patch's own place, or an item of labels with its flags: what a cause names is the pairs alone."""
    return pointer if edit.step == PATCH else pointer[:2]
