"""The runtimes of the catalogue as objects."""

from __future__ import annotations

from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.files.classify import classify
from kubectl_trainjob.repository.yaml.read import read_stream


def packaged_runtimes(trainer: str) -> tuple[Manifest, ...]:
    """The runtimes for a version of Trainer, sorted by name."""
    found = (classify(*each) for file in catalogue.files(trainer).values() for each in read_stream(file).objects)
    return tuple(each for each in found if isinstance(each, Manifest))
