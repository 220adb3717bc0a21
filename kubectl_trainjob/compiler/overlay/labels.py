"""`labels` and `annotations`: pairs for every object, and for the templates of what makes Pods.

Mirrors kustomize's api/filters/labels and annotations, and their field specs in
api/internal/konfig/builtinpluginconsts (metadatalabels.go, commonannotations.go) as kubectl 1.37 has them. What
Trainer and JobSet make Pods of is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubectl_trainjob.compiler.overlay.fields import Path, obstacles, path, pointers
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.kube.facts.kinds import KindRole, group_of, has_role
from kubectl_trainjob.model.draft import Cause, Draft, Write
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.model.units import LabelSet, Overlay


class _Templates(NamedTuple):
    """The metadata of a kind's templates; `group` None: in any group, `version` "": in any version."""

    paths: tuple[Path, ...]
    group: str | None = None
    version: str = ""


_POD = path("spec template metadata")
_REPLICATED = "replicatedJobs [] template"
_JOBS_OF_RUNTIME = tuple(map(path, ("spec template metadata", f"spec template spec {_REPLICATED} metadata")))
_PODS_OF_RUNTIME = path(f"spec template spec {_REPLICATED} spec template metadata")
_RUNTIME = _Templates((*_JOBS_OF_RUNTIME, _PODS_OF_RUNTIME), trainer.GROUP)
_CRON_JOB = _Templates((path("spec jobTemplate metadata"), path("spec jobTemplate spec template metadata")), "batch")
_JOB = _Templates((_POD,), "batch")
_WORKLOAD = _Templates((_POD,))
_CONTROLLER = _Templates((_POD,), version="v1")

_OF_LABELS: dict[str, _Templates] = {
    "ReplicationController": _CONTROLLER,
    "Deployment": _WORKLOAD,
    "ReplicaSet": _WORKLOAD,
    "DaemonSet": _WORKLOAD,
    "StatefulSet": _Templates((_POD, path("spec volumeClaimTemplates [] metadata")), "apps"),
    "Job": _JOB,
    "CronJob": _CRON_JOB,
    jobset.KIND: _Templates(
        (path(f"spec {_REPLICATED} metadata"), path(f"spec {_REPLICATED} spec template metadata")),
        group_of(jobset.API_VERSION),
    ),
    trainer.TRAINING_RUNTIME: _RUNTIME,
    trainer.CLUSTER_TRAINING_RUNTIME: _RUNTIME,
}
_OF_ANNOTATIONS: dict[str, _Templates] = {
    "ReplicationController": _CONTROLLER,
    "Deployment": _WORKLOAD,
    "ReplicaSet": _WORKLOAD,
    "DaemonSet": _WORKLOAD,
    "StatefulSet": _WORKLOAD,
    "Job": _JOB,
    "CronJob": _CRON_JOB,
}
_JOB_LABELS = ("spec", "labels")
_PAIR = 8  # steps for a pair in one place


def add_labels(draft: Draft, kind: str, api_version: str, labels: LabelSet, cause: Cause, steps: Steps) -> Draft:
    """Write the pairs into one object's labels; `cause` is where the mapping of pairs stands.

    With `include_templates` into those of its templates, too. For a TrainJob that is `spec.labels`, which Trainer 2.0
    and 2.1 hand on to the JobSet and later versions refuse: only where it is there. Raises StepsError.
    """
    places: list[Path] = [("metadata", "labels")]
    if labels.include_templates:
        places += _templates(_OF_LABELS.get(kind), api_version, "labels")
        if has_role(KindRole.TRAINING_JOB, group_of(api_version), kind):
            places += [_JOB_LABELS] if draft.get(*_JOB_LABELS) is not None else []
    return _with_pairs(draft, places, labels.pairs, cause, steps)


def add_annotations(
    draft: Draft, kind: str, api_version: str, annotations: Mapping[str, str], cause: Cause, steps: Steps
) -> Draft:
    """Write the pairs into one object's annotations, and into those of a core workload's templates.

    `cause` is where the mapping of pairs stands. Raises StepsError.
    """
    templates = _templates(_OF_ANNOTATIONS.get(kind), api_version, "annotations")
    return _with_pairs(draft, [("metadata", "annotations"), *templates], annotations, cause, steps)


def misplaced(body: Body, kind: str, api_version: str, overlay: Overlay) -> Iterator[tuple[Pointer, str, str]]:
    """Where an overlay's labels or annotations cannot be written into an object; kustomize fails there.

    Gives the place, what is needed there ("a mapping" or "a list"), and what cannot be written ("labels" or
    "annotations").
    """
    places: list[Path] = [("metadata", "labels")] if overlay.labels else []
    if any(labels.include_templates for labels in overlay.labels):
        places += _templates(_OF_LABELS.get(kind), api_version, "labels")
    if overlay.annotations:
        places += [("metadata", "annotations"), *_templates(_OF_ANNOTATIONS.get(kind), api_version, "annotations")]
    seen = set()
    for place in places:
        for pointer, needed in obstacles(body, place):
            if pointer not in seen:
                seen.add(pointer)
                yield pointer, needed, place[-1]


def _templates(templates: _Templates | None, api_version: str, field: str) -> Iterator[Path]:
    if templates is None:
        return
    group, _, version = api_version.rpartition("/")
    if templates.group in (None, group) and templates.version in ("", version):
        for each in templates.paths:
            yield (*each, field)


def _with_pairs(draft: Draft, paths: Iterable[Path], pairs: Mapping[str, str], cause: Cause, steps: Steps) -> Draft:
    writes: list[Write] = []
    for each in paths:
        for place in pointers(draft.value, each):
            steps.take(_PAIR * len(pairs), draft)
            there = draft.get(*place)
            if there is None or isinstance(there, dict):
                writes += [
                    ((*place, key), value, (*cause, key), ())
                    for key, value in pairs.items()
                    if (there or {}).get(key) != value
                ]
    return draft.put_each(writes) if writes else draft
