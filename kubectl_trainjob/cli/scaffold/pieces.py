"""The texts of a new repository: its settings, a runtime, overlays. The example job is in `job`."""

from __future__ import annotations

import posixpath
from pkgutil import get_data

from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.output.new_files import NewFile
from kubectl_trainjob.repository.yaml.quoting import scalar

JOBS = "jobs"
SCHEMA = ".trainjob.schema.json"
_CHANGES = ("changes", "patches")


def with_schema(file: NewFile) -> NewFile:
    """A file with the line that names the schema for yaml-language-server."""
    path = posixpath.relpath(SCHEMA, posixpath.dirname(file.path))
    return NewFile(file.path, f"# yaml-language-server: $schema={path}\n{file.text}")


def packaged(*parts: str, **values: object) -> str:
    """The texts of these names, joined; each `@NAME@` is replaced by its value."""
    text = "".join((get_data(__package__, f"texts/{part}.yaml") or b"").decode() for part in parts)
    for name, value in values.items():
        text = text.replace(f"@{name.upper()}@", str(value))
    return text


def settings(trainer_version: str, emit: str) -> NewFile:
    """`trainjob.yaml`."""
    return NewFile("trainjob.yaml", packaged("config", trainer=trainer_version, emit=emit))


def runtime(name: str, folder: str, trainer_version: str) -> NewFile:
    """A runtime of the catalogue, unchanged. Raises KeyError for an unknown name."""
    return NewFile(f"{folder}/{name}.yaml", catalogue.read(name, trainer_version))


def added_overlay(name: str, namespace: str) -> NewFile:
    """An overlay for a repository with unknown jobs: its comments show other changes."""
    return _overlay(name, namespace, "The jobs in another environment.", *_CHANGES)


def development() -> NewFile:
    """The overlay `dev` of a new repository."""
    return _overlay("dev", "dev", "The jobs for tests.", "no_name_hash", *_CHANGES)


def production(job: str, nodes: int) -> NewFile:
    """The overlay `prod` of a new repository; `nodes` is the number of nodes of the job, 0 for no change."""
    changes = ("changes", "more_nodes") if nodes else _CHANGES
    return _overlay("prod", "prod", "The jobs of production.", "name_hash", *changes, job=scalar(job), nodes=nodes)


def _overlay(name: str, namespace: str, about: str, *changes: str, **values: object) -> NewFile:
    """An overlay for the jobs; `about` is its comment."""
    text = packaged("overlay", *changes, about=about, namespace=scalar(namespace), **values)
    return NewFile(f"overlays/{name}/overlay.yaml", text)
