"""The runtimes that come with the tool: one ClusterTrainingRuntime a file, named as the file.

A wheel has `runtimes/` and `overlays/` of the repository below `_examples/` (see pyproject.toml); a checkout has them
next to this package. A runtime with the name of one of Trainer's own has its content in a release of Trainer: of the
latest one in that directory, of others in `older_runtimes/` (manifests/base/runtimes of Trainer with the image tags of
manifests/overlays). An older release does not have all names.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER, TRAINER_VERSIONS, release_tag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubectl_trainjob.model.source import SourceFile

_SUFFIX = ".yaml"
_OLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "older_runtimes")
_OWN = ("deepspeed", "jax", "plain", "torch", "torch-coscheduling", "torch-finetune", "torch-volcano", "xgboost")


def directory() -> str:
    """The absolute path of the directory that holds the runtimes of the latest release."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    packaged = os.path.join(package, "_examples", "runtimes")
    return packaged if os.path.isdir(packaged) else os.path.join(os.path.dirname(package), "runtimes")


def holds(path: str) -> bool:
    """Whether a file, by the path that users see, belongs to the catalogue."""
    return os.path.isabs(path) and path.startswith((os.path.join(directory(), ""), os.path.join(_OLDER, "")))


def names(trainer: str = LATEST_TRAINER) -> tuple[str, ...]:
    """The names of the runtimes for a version of Trainer, sorted."""
    return tuple(sorted(_paths(trainer)))


def versions() -> Mapping[str, tuple[str, ...]]:
    """All names, each with the versions of Trainer that have it, from old to new."""
    found: dict[str, tuple[str, ...]] = {}
    for version in TRAINER_VERSIONS:
        for name in names(version):
            found[name] = (*found.get(name, ()), version)
    return found


def read(name: str, trainer: str = LATEST_TRAINER) -> str:
    """The manifest of a runtime, with its comments. Raises KeyError for a name that is not among `names(trainer)`."""
    return _read(_paths(trainer)[name], trainer)


def files(trainer: str) -> dict[str, SourceFile]:
    """The runtimes for a version of Trainer, by name, sorted."""
    from kubectl_trainjob.model.source import SourceFile  # completion only needs names

    return {name: SourceFile(path, _read(path, trainer)) for name, path in sorted(_paths(trainer).items())}


def _paths(trainer: str) -> dict[str, str]:
    """The file of each name."""
    latest = _files(directory())
    older = os.path.join(_OLDER, _minor(trainer))
    if not os.path.isdir(older):
        return latest
    return {name: path for name, path in latest.items() if name in _OWN} | _files(older)


def _files(path: str) -> dict[str, str]:
    files = (file for file in os.listdir(path) if file.endswith(_SUFFIX))
    return {file.removesuffix(_SUFFIX): os.path.join(path, file) for file in files}


def _minor(trainer: str) -> str:
    return ".".join(trainer.split(".")[:2])


def _read(path: str, trainer: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    if _minor(trainer) == trainer:
        return text
    tags = release_tag(_minor(trainer)), release_tag(trainer)  # an earlier patch release has other images only
    newest, wanted = (tag.removeprefix("v") for tag in tags)
    return text.replace(newest, wanted)
