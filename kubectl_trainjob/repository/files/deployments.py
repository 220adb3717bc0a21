"""The overlays and kustomizations of the inputs: which files they deploy, and which objects they patch."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.model.source import Place, Source, SourceFile, list_at, value_at
from kubectl_trainjob.model.units import Unit, manifests_of
from kubectl_trainjob.repository.files.input_reader import InputReader
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import UnsafePathError
from kubectl_trainjob.repository.files.walk import KUSTOMIZATIONS

_DEEPEST = 16  # kustomizations in a row
_RESOURCES = ("resources", "bases", "components")
_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")


class ObjectPatch(NamedTuple):
    """A patch and what it says of its object: "" for what it does not say, `name` may be a pattern."""

    place: Place
    kind: str
    name: str


class Deployment(NamedTuple):
    """An overlay, or a kustomization with its `settings`: the files of its resources, and its patches."""

    source: Source
    files: frozenset[SourceFile]
    patches: tuple[ObjectPatch, ...]
    settings: tuple[str, ...] = ()


def of_unit(unit: Unit) -> Deployment:
    """An overlay with those among its resources."""
    files = frozenset(each.source.file for each in manifests_of(unit))
    return Deployment(unit.overlay.source, files, tuple(_patches_of(unit)))


def _patches_of(unit: Unit) -> Iterator[ObjectPatch]:
    for below in unit.resources:
        if isinstance(below, Unit):
            yield from _patches_of(below)
    for patch in unit.overlay.patches:
        place = Place(patch.source, patch.pointer)
        if patch.target is not None:
            yield ObjectPatch(place, patch.target.kind, patch.target.name)
        else:
            yield _merge_patch(patch.body, place)


def _merge_patch(body: Any, place: Place) -> ObjectPatch:
    return ObjectPatch(place, *(str(value_at(body, at) or "") for at in (("kind",), ("metadata", "name"))))


def of_kustomization(reader: InputReader, root: Root, inside: str) -> Iterator[Deployment]:
    """A kustomization as far as it can be read: kustomize itself reports errors."""
    for body, source in _documents(reader, root, inside):
        if isinstance(body, dict):
            directory = posixpath.dirname(inside)
            files = frozenset(_files(reader, root, directory, body, _DEEPEST))
            patches = tuple(_kustomize_patches(reader, root, directory, body, source))
            yield Deployment(source, files, patches, tuple(key for key, value in body.items() if value))


def _documents(reader: InputReader, root: Root, inside: str) -> list[tuple[Any, Source]]:
    """The documents of a file; none if it cannot be read."""
    try:
        file = reader.file(root, inside, root.show(inside))
    except (UnsafePathError, OSError, ValueError):
        return []
    return reader.values(file) if file else []


def _files(reader: InputReader, root: Root, directory: str, body: Any, left: int) -> Iterator[SourceFile]:
    for written in (each for field in _RESOURCES for each in list_at(body, field)):
        path = _inside(directory, written)
        if path is None:
            continue
        try:
            entries = root.files.entries(path)
        except NotADirectoryError:
            file = reader.file(root, path, root.show(path))
            yield from (file,) if file else ()
            continue
        except (UnsafePathError, OSError, ValueError):
            continue
        for name in KUSTOMIZATIONS & {entry.name for entry in entries} if left else ():
            for below, _ in _documents(reader, root, posixpath.join(path, name)):
                yield from _files(reader, root, path, below, left - 1)


def _kustomize_patches(
    reader: InputReader, root: Root, directory: str, body: Any, source: Source
) -> Iterator[ObjectPatch]:
    for field in _PATCHES:
        for index, item in enumerate(list_at(body, field)):
            place = Place(source, (field, index))
            target = value_at(item, ("target",))
            text = value_at(item, ("patch",)) if isinstance(item, dict) else item
            path = value_at(item, ("path",)) or (text if isinstance(text, str) and "\n" not in text else None)
            if isinstance(target, dict):
                yield ObjectPatch(place, str(target.get("kind") or ""), str(target.get("name") or ""))
            elif isinstance(path, str) and (file := _inside(directory, path)) is not None:
                for merge, own in _documents(reader, root, file):
                    yield _merge_patch(merge, Place(own))
            elif isinstance(text, str):
                for merge, _ in reader.values(SourceFile(source.file.path, text)):
                    yield _merge_patch(merge, place)


def _inside(directory: str, written: Any) -> str | None:
    """A path from the root; None for an address, and for one that leads out of the root."""
    if not isinstance(written, str) or not written or "://" in written or written.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(directory, written))
    return None if path.startswith("..") else "" if path == "." else path
