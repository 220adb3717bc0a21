"""`images`: other names, tags and digests for the images of containers.

Mirrors kustomize's api/filters/imagetag (updater.go, legacy.go), api/internal/image and the field specs in
api/internal/konfig/builtinpluginconsts/images.go: `containers` and `initContainers` anywhere, and volumes
of images. Other than kustomize:

- `spec.trainer.image` of TrainJobs and the image volumes of every Pod spec are changed, too;
- each change is made once (kustomize appends a `tagSuffix` twice in Pods and workloads);
- a `name` means the whole name (kustomize anchors only the ends of an alternation);
- digests of any algorithm are known as such (as in kustomize after 5.8).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from kubectl_trainjob.compiler.overlay.pattern import Pattern, PatternError, compile_pattern
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts.image import image_reference
from kubectl_trainjob.kube.facts.kinds import group_of, is_training_kind
from kubectl_trainjob.model.draft import Cause, Draft, Write
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.units import ImageChange

_TAG = re.compile(r"[a-zA-Z0-9_.{}-]*")
_DIGEST = re.compile(r"[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*")
_FIELDS = {"containers": ("image",), "initContainers": ("image",), "volumes": ("image", "reference")}
_TRAINER_IMAGE: Pointer = ("spec", "trainer", "image")
# The parts of a TrainJob that hold Pod specs: 2.0, 2.1, and 2.2 and later.
_OVERRIDES = (("spec", "podSpecOverrides"), ("spec", "podTemplateOverrides"), ("spec", "runtimePatches"))
_CHARACTERS = 64
_COMPARISON = 3  # in the time of a step that writes a value

FoundImage = tuple[Pointer, str]


class Images:
    """One overlay's `images`: applies all changes to an image, one after the other.

    A change whose name is not a valid pattern is ignored. Raises StepsError; comparing an image with a pattern takes
    `_COMPARISON` steps, `_CHARACTERS` of an image take one.
    """

    def __init__(self, changes: Sequence[ImageChange], steps: Steps) -> None:
        self.unknown: dict[int, Message] = {}
        """The changes whose names are not valid patterns, and why."""
        self.applied: set[int] = set()
        """The changes that were for some image so far."""
        self._changes = changes
        self._steps = steps
        self._known: dict[str, tuple[str, tuple[int, ...]]] = {}
        # The changes in their order: those that are for images of one name, of one length, or for any.
        self._by_name: dict[str | int | None, list[tuple[int, Pattern]]] = {}
        for index, change in enumerate(changes):
            self._add(index, change.name)

    def _add(self, index: int, name: str) -> None:
        try:
            pattern = compile_pattern(name, self._steps)
        except PatternError as error:
            self.unknown[index] = error.message
        else:
            self._by_name.setdefault(name if pattern.is_plain else pattern.length, []).append((index, pattern))

    def changed(self, image: str) -> tuple[str, tuple[int, ...]]:
        """An image after all changes, and the changes with an effect."""
        known = self._known.get(image)
        if known is None:
            known = self._known[image] = self._change(image)
        return known

    def fields(self, index: int) -> Iterator[Pointer]:
        """The fields of a change."""
        change = self._changes[index]
        specified = {
            "newName": change.new_name,
            "newTag": change.new_tag,
            "digest": change.digest,
            "tagSuffix": change.tag_suffix,
        }
        return ((index, field) for field, value in specified.items() if value)

    def _change(self, image: str) -> tuple[str, tuple[int, ...]]:
        matching: list[int] = []
        index = -1
        while (index := self._next(image, index + 1)) >= 0:
            self.applied.add(index)
            new = _replace_parts(image, self._changes[index])
            if new != image:
                image = new
                matching.append(index)
        return image, tuple(matching)

    def _next(self, image: str, start: int) -> int:
        """The first change from `start` on that is for the image; -1 where there is none."""
        self._steps.take(len(image) // _CHARACTERS)
        names = _names(image)
        found = -1
        for key in (*names, *dict.fromkeys(map(len, names)), None):
            group = self._by_name.get(key, ())
            for place in range(bisect_left(group, start, key=itemgetter(0)), len(group)):
                index, pattern = group[place]
                if 0 <= found < index:
                    break
                self._steps.take(_COMPARISON)
                if any(map(pattern.matches, names)):
                    found = index
                    break
        return found


def change_images(draft: Draft, kind: str, api_version: str, images: Images, cause: Cause) -> Draft:
    """Make the changes to every image of one object; `cause` is where their list is. Raises StepsError."""
    writes: list[Write] = []
    because: dict[str, tuple[Cause, ...]] = {}
    for pointer, image in _images(draft, kind, api_version):
        new, matching = images.changed(image)
        if matching:
            causes = because.get(image) or tuple(
                (*cause, *field) for index in matching for field in images.fields(index)
            )
            writes.append((pointer, new, None, because.setdefault(image, causes)))
    return draft.put_each(writes) if writes else draft


def _images(draft: Draft, kind: str, api_version: str) -> list[FoundImage]:
    found: list[FoundImage] = []
    if is_training_kind(group_of(api_version), kind):
        image = draft.get(*_TRAINER_IMAGE)
        if isinstance(image, str):
            found.append((_TRAINER_IMAGE, image))
        for pointer in _OVERRIDES:
            _collect(found, draft.get(*pointer), pointer)
    elif kind != "CustomResourceDefinition":
        _collect(found, draft.value, ())
    return found


def _collect(found: list[FoundImage], value: Any, pointer: Pointer) -> None:
    """Add the images of each value in the form of a Pod spec, in or below `value`."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if isinstance(entry, (dict, list)):
                if isinstance(entry, list) and key in _FIELDS:
                    found += _each(entry, (*pointer, key), _FIELDS[key])
                _collect(found, entry, (*pointer, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, (dict, list)):
                _collect(found, item, (*pointer, index))


def _each(items: list[Any], pointer: Pointer, field: tuple[str, ...]) -> Iterator[FoundImage]:
    for index, item in enumerate(items):
        image = value_at(item, field)
        if isinstance(image, str):
            yield (*pointer, index, *field), image


def _replace_parts(image: str, change: ImageChange) -> str:
    name, tag, digest = image_reference(image)
    if change.new_tag or change.digest:
        tag, digest = change.new_tag, change.digest
    elif change.tag_suffix:
        tag, digest = tag + change.tag_suffix, ""
    return (change.new_name or name) + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")


def _names(image: str) -> tuple[str, ...]:
    """What a pattern may match: the image itself, and without its digest, its tag or both."""
    head, at, digest = image.rpartition("@")
    tagged = (image, head) if at and _DIGEST.fullmatch(digest) else (image,)
    return tuple(dict.fromkeys(each for whole in tagged for each in _names_without_tag(whole)))


def _names_without_tag(whole: str) -> Iterator[str]:
    yield whole
    name, colon, tag = whole.rpartition(":")
    if colon and _TAG.fullmatch(tag):
        yield name
