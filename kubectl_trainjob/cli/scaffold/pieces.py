"""The texts of a new repository: its settings, a runtime, overlays. The example job is in `job`."""

from __future__ import annotations

from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.output.new_files import NewFile
from kubectl_trainjob.repository.yaml.quoting import scalar

JOBS = "jobs"
_HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: "


def settings(trainer_version: str, emit: str) -> NewFile:
    """`trainjob.yaml`."""
    text = f"""\
# What holds for the whole repository. Its root is the directory of this file.
{_HEAD}Config
target:
  trainer: "{trainer_version}" # the Trainer that runs in the cluster, or whose behaviour is wanted
# What a build prints. jobset: what Trainer would create, for clusters without Trainer. trainjob: the TrainJobs
# themselves, after the same checks, for clusters that run it.
emit: {emit}
runtimes: # the folders in which a runtimeRef is looked up
  - runtimes
"""
    return NewFile("trainjob.yaml", text)


def runtime(name: str, folder: str) -> NewFile:
    """A runtime of the catalogue, as it is there. Raises KeyError for a name that is not."""
    return NewFile(f"{folder}/{name}.yaml", catalogue.read(name))


def overlay(name: str, namespace: str, about: str, settings: str) -> NewFile:
    """An overlay over the jobs; `about` is its comment, `settings` are what it changes, as YAML."""
    text = f"""\
# {about}
{_HEAD}Overlay
resources: # files, directories, other overlays
  - ../../{JOBS}
namespace: {scalar(namespace)}
{settings}"""
    return NewFile(f"overlays/{name}/overlay.yaml", text)


def added_overlay(name: str, namespace: str) -> NewFile:
    """An overlay for a repository whose jobs are not known: what else it may change stands in comments."""
    return overlay(name, namespace, "The jobs in another environment.", f"{_QUEUE}{_IMAGES}{_PATCHES}")


def development() -> NewFile:
    """The overlay `dev` of a new repository."""
    return overlay("dev", "dev", "The jobs as they are tried out.", f"{_QUEUE}{_IMAGES}{_PATCHES}")


def production(job: str, nodes: int) -> NewFile:
    """The overlay `prod` of a new repository; `nodes` is what it gives the job, 0 for what the job says."""
    changes = f"{_HASH}{_QUEUE}{_IMAGES}{_more_nodes(job, nodes) if nodes else _PATCHES}"
    return overlay("prod", "prod", "The jobs as they run for real.", changes)


_HASH = """\
# A changed job gets another name, so it is a new run: a cluster refuses to change one that is there.
nameHash: true
"""

_QUEUE = """\
# labels: # with Kueue: the queue that the jobs wait in
#   - pairs:
#       kueue.x-k8s.io/queue-name: training
"""

_IMAGES = """\
# images: # other images, or other versions of them
#   - name: ghcr.io/acme/train
#     newTag: "1.0"
"""

_PATCHES = """\
# patches: # whatever else differs
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
