"""The texts of a new repository: its settings, a runtime, overlays. The example job is in `job`."""

from __future__ import annotations

import posixpath

from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.output.new_files import NewFile
from kubectl_trainjob.repository.yaml.quoting import scalar

JOBS = "jobs"
SCHEMA = ".trainjob.schema.json"
_HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: "


def with_schema(file: NewFile) -> NewFile:
    """A file with the line that names the schema for yaml-language-server."""
    path = posixpath.relpath(SCHEMA, posixpath.dirname(file.path))
    return NewFile(file.path, f"# yaml-language-server: $schema={path}\n{file.text}")


def settings(trainer_version: str, emit: str) -> NewFile:
    """`trainjob.yaml`."""
    text = f"""\
# Settings of the whole repository. Its root is the directory of this file.
{_HEAD}Config
target:
  trainer: "{trainer_version}" # the Trainer version of the cluster
# What a build prints. jobset: the objects that Trainer creates, for clusters without Trainer. trainjob: the TrainJobs,
# after the same checks, for clusters with Trainer.
emit: {emit}
runtimes: # directories with runtimes
  - runtimes
deploy: # what build, lint, diff and review read without PATH
  - overlays/*
"""
    return NewFile("trainjob.yaml", text)


def runtime(name: str, folder: str, trainer_version: str) -> NewFile:
    """A runtime of the catalogue, unchanged. Raises KeyError for an unknown name."""
    return NewFile(f"{folder}/{name}.yaml", catalogue.read(name, trainer_version))


def overlay(name: str, namespace: str, about: str, settings: str) -> NewFile:
    """An overlay for the jobs; `about` is its comment, `settings` are its changes, as YAML."""
    text = f"""\
# {about}
{_HEAD}Overlay
resources: # files, directories, other overlays
  - ../../{JOBS}
namespace: {scalar(namespace)}
{settings}"""
    return NewFile(f"overlays/{name}/overlay.yaml", text)


def added_overlay(name: str, namespace: str) -> NewFile:
    """An overlay for a repository with unknown jobs: its comments show other changes."""
    return overlay(name, namespace, "The jobs in another environment.", f"{_QUEUE}{_IMAGES}{_PATCHES}")


def development() -> NewFile:
    """The overlay `dev` of a new repository."""
    return overlay("dev", "dev", "The jobs for tests.", f"{_NO_HASH}{_QUEUE}{_IMAGES}{_PATCHES}")


def production(job: str, nodes: int) -> NewFile:
    """The overlay `prod` of a new repository; `nodes` is the number of nodes of the job, 0 for no change."""
    changes = f"{_HASH}{_QUEUE}{_IMAGES}{_more_nodes(job, nodes) if nodes else _PATCHES}"
    return overlay("prod", "prod", "The jobs of production.", changes)


_HASH = """\
# A changed job gets another name, and is a new run: a cluster rejects most changes of an existing job.
nameHash: true
"""

_NO_HASH = "# nameHash: true # a changed job is a new run, under another name\n"

_QUEUE = """\
# labels: # with Kueue: the queue of the jobs
#   - pairs:
#       kueue.x-k8s.io/queue-name: training
"""

_IMAGES = """\
# images: # other images or versions
#   - name: ghcr.io/acme/train
#     newTag: "1.0"
"""

_PATCHES = """\
# patches: # other differences
#   - target:
#       kind: TrainJob
#     patch:
#       spec:
#         trainer:
#           env:
#             - name: LOG_LEVEL
#               value: debug
"""


def _more_nodes(job: str, nodes: int) -> str:
    return f"""\
patches:
  - target:
      kind: TrainJob
      name: {scalar(job)}
    patch:
      spec:
        trainer:
          numNodes: {nodes}
"""
