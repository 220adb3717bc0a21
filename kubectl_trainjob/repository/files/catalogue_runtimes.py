"""The runtimes of the catalogue as objects."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.files.classify import classify
from kubectl_trainjob.repository.yaml.read import read_stream


def packaged_runtimes(trainer: str) -> tuple[Manifest, ...]:
    """The runtimes for a version of Trainer, sorted by name."""
    return tuple(_runtimes(trainer))


def _runtimes(trainer: str) -> Iterator[Manifest]:
    for file in catalogue.files(trainer).values():
        ((body, source),) = read_stream(file).objects
        found = classify(body, source)
        assert isinstance(found, Manifest)
        yield found
