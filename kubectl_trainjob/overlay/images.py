"""`images`: other names, tags and digests for the images of containers.

Mirrors kustomize's api/filters/imagetag (updater.go, legacy.go), api/internal/image and the field specs in
api/internal/konfig/builtinpluginconsts/images.go: `containers` and `initContainers` wherever they stand, and volumes
made of images. Other than kustomize:

- `spec.trainer.image` of TrainJobs and the image volumes of every Pod spec are changed, too;
- each change is made once (kustomize appends a `tagSuffix` twice in Pods and workloads);
- a `name` means the whole name (kustomize anchors only the ends of an alternation);
- digests of any algorithm are known as such (as in kustomize after 5.8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from kubectl_trainjob.api import trainer
from kubectl_trainjob.api.kinds import group_of
from kubectl_trainjob.draft import Cause, Draft, Write
from kubectl_trainjob.overlay.pattern import PatternError, compile_pattern
from kubectl_trainjob.source import Pointer
from kubectl_trainjob.units import ImageChange

_TAG = re.compile(r"[a-zA-Z0-9_.{}-]*")
_DIGEST = re.compile(r"[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*")
_FIELDS = {"containers": ("image",), "initContainers": ("image",), "volumes": ("image", "reference")}
_TRAINER_IMAGE: Pointer = ("spec", "trainer", "image")
# The parts of a TrainJob that hold Pod specs: 2.0, 2.1, and 2.2 and later.
_OVERRIDES = (("spec", "podSpecOverrides"), ("spec", "podTemplateOverrides"), ("spec", "runtimePatches"))

Found = tuple[Pointer, str]


def change_images(draft: Draft, kind: str, api_version: str, changes: Sequence[ImageChange], cause: Cause) -> Draft:
    """Make the changes, one after the other, to every image of one object; `cause` is where their list stands.

    A name that is no pattern (`unknown_names`) matches no image.
    """
    writes: list[Write] = []
    for pointer, image in _images(draft, kind, api_version):
        new, because = image, tuple[Cause, ...]()
        for index, change in enumerate(changes):
            changed = _changed(new, change)
            if changed != new:
                new, because = changed, (*because, (*cause, index))
        if because:
            writes.append((pointer, new, None, because))
    return draft.put_each(writes) if writes else draft


def unknown_names(changes: Sequence[ImageChange]) -> Iterator[tuple[int, str]]:
    """The changes whose `name` is no pattern that can be matched, by index, and why."""
    for index, change in enumerate(changes):
        try:
            compile_pattern(change.name)
        except PatternError as error:
            yield index, str(error)


def has_image(draft: Draft, api_version: str, kind: str, change: ImageChange) -> bool:
    """Whether an object has an image that the change is for."""
    return any(_is_named(image, change.name) for _, image in _images(draft, kind, api_version))


def _images(draft: Draft, kind: str, api_version: str) -> list[Found]:
    found: list[Found] = []
    if kind == trainer.TRAIN_JOB and group_of(api_version) == trainer.GROUP:
        image = draft.get(*_TRAINER_IMAGE)
        if isinstance(image, str):
            found.append((_TRAINER_IMAGE, image))
        for pointer in _OVERRIDES:
            _collect(found, draft.get(*pointer), pointer)
    elif kind != "CustomResourceDefinition":
        _collect(found, draft.value, ())
    return found


def _collect(found: list[Found], value: Any, pointer: Pointer) -> None:
    """Add the images of whatever looks like a Pod spec, in or below `value`."""
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


def _each(items: list[Any], pointer: Pointer, field: tuple[str, ...]) -> Iterator[Found]:
    for index, item in enumerate(items):
        image = item
        for key in field:
            image = image.get(key) if isinstance(image, dict) else None
        if isinstance(image, str):
            yield (*pointer, index, *field), image


@lru_cache(maxsize=4096)
def _changed(image: str, change: ImageChange) -> str:
    if not _is_named(image, change.name):
        return image
    name, tag, digest = _parts(image)
    if change.new_tag or change.digest:
        tag, digest = change.new_tag, change.digest
    elif change.tag_suffix:
        tag, digest = tag + change.tag_suffix, ""
    return (change.new_name or name) + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")


def _is_named(image: str, name: str) -> bool:
    """Whether the pattern `name` matches the image without its digest or tag, or with some of them."""
    try:
        pattern = compile_pattern(name)
    except PatternError:
        return False
    head, at, digest = image.rpartition("@")
    tagged = (image, head) if at and _DIGEST.fullmatch(digest) else (image,)
    return any(pattern.matches(each) for whole in tagged for each in _untagged(whole))


def _untagged(image: str) -> Iterator[str]:
    yield image
    name, colon, tag = image.rpartition(":")
    if colon and _TAG.fullmatch(tag):
        yield name


def _parts(image: str) -> tuple[str, str, str]:
    """Name, tag and digest. A ":" before the first "/" belongs to the registry's host, one after "@" to the digest."""
    slash = max(image.find("/"), 0)
    rest, _, digest = image[slash:].partition("@")
    name, _, tag = rest.partition(":")
    return image[:slash] + name, tag, digest
