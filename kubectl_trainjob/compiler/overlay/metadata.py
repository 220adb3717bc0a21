"""`namespace`, `labels` and `annotations`: the metadata of every object, and of the templates of what makes Pods.

Mirrors kustomize's api/filters/fieldspec, namespace, labels and annotations, and their field specs in
api/internal/konfig/builtinpluginconsts (namespace.go, metadatalabels.go, commonannotations.go) as kubectl 1.37 has
them: a missing mapping on the way is created, a missing list is not. Other than kustomize, kinds without a namespace
that its OpenAPI data does not know, such as ClusterTrainingRuntime, get none. What Trainer and JobSet make Pods of is
added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED, group_of, is_training_kind
from kubectl_trainjob.model.draft import Cause, Draft, Write
from kubectl_trainjob.model.source import Pointer, list_at
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.model.units import LabelSet, Overlay

EACH = "[]"

Path = tuple[str, ...]


def path(text: str) -> Path:
    """A path as tables write it: keys between spaces."""
    return tuple(text.split())


def pointers(value: Any, keys: Path, pointer: Pointer = ()) -> Iterator[Pointer]:
    """Every place of the path below a value, existing or to be created; none below one of another type."""
    if not keys:
        yield pointer
    elif keys[0] == EACH:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from pointers(item, keys[1:], (*pointer, index))
    elif value is None or isinstance(value, dict):
        yield from pointers((value or {}).get(keys[0]), keys[1:], (*pointer, keys[0]))


def obstacles(value: Any, keys: Path, pointer: Pointer = ()) -> Iterator[tuple[Pointer, str]]:
    """The values of another type than the path needs, and that type: "a list" before `EACH`, else "a mapping"."""
    if value is None:
        return
    if keys[:1] == (EACH,):
        if not isinstance(value, list):
            yield pointer, "a list"
        else:
            for index, item in enumerate(value):
                yield from obstacles(item, keys[1:], (*pointer, index))
    elif not isinstance(value, dict):
        yield pointer, "a mapping"
    elif keys:
        yield from obstacles(value.get(keys[0]), keys[1:], (*pointer, keys[0]))


_METADATA = path("metadata namespace")
_NAME = path("metadata name")
_API_SERVICE = path("spec service namespace")
_CONVERSION = path("spec conversion webhook clientConfig service namespace")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def set_namespace(draft: Draft, kind: str, api_version: str, namespace: str, cause: Cause) -> Draft:
    """Set the namespace of one object, also if it has one; `cause` is where the namespace is written.

    Subjects of bindings follow where they are called "default"; others follow their ServiceAccount (`follow_names`).
    """
    places = _places(draft.value, kind, api_version)
    writes = [(place, namespace, cause, ()) for place in places if draft.get(*place) != namespace]
    return draft.put_each(writes) if writes else draft


def _places(body: Any, kind: str, api_version: str) -> Iterator[Pointer]:
    if kind not in CLUSTER_SCOPED:
        yield from pointers(body, _METADATA)
    elif kind == "Namespace" and api_version == "v1":
        yield from pointers(body, _NAME)
    elif kind == "APIService" and group_of(api_version) == "apiregistration.k8s.io":
        yield from pointers(body, _API_SERVICE)
    elif kind == "CustomResourceDefinition" and Draft(body).get(*_CONVERSION) is not None:
        yield _CONVERSION
    if kind in _BINDINGS:
        yield from _default_subjects(body)


def _default_subjects(body: Any) -> Iterator[Pointer]:
    for index, subject in enumerate(list_at(body, "subjects")):
        if isinstance(subject, dict) and subject.get("name") == "default":
            yield ("subjects", index, "namespace")


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

_OF_ANNOTATIONS: dict[str, _Templates] = {
    "ReplicationController": _CONTROLLER,
    "Deployment": _WORKLOAD,
    "ReplicaSet": _WORKLOAD,
    "DaemonSet": _WORKLOAD,
    "StatefulSet": _WORKLOAD,
    "Job": _JOB,
    "CronJob": _CRON_JOB,
}
_OF_LABELS: dict[str, _Templates] = {
    **_OF_ANNOTATIONS,
    "StatefulSet": _Templates((_POD, path("spec volumeClaimTemplates [] metadata")), "apps"),
    jobset.KIND: _Templates(
        (path(f"spec {_REPLICATED} metadata"), path(f"spec {_REPLICATED} spec template metadata")),
        group_of(jobset.API_VERSION),
    ),
    trainer.TRAINING_RUNTIME: _RUNTIME,
    trainer.CLUSTER_TRAINING_RUNTIME: _RUNTIME,
}
_JOB_LABELS = ("spec", "labels")
_PAIR = 8  # steps for a pair in one place


def add_labels(draft: Draft, kind: str, api_version: str, labels: LabelSet, cause: Cause, steps: Steps) -> Draft:
    """Write the pairs into one object's labels; `cause` is where the mapping of pairs is.

    With `include_templates` into those of its templates, too. For a TrainJob that is `spec.labels`, if it exists:
    Trainer 2.0 and 2.1 copy it to the JobSet, later versions reject it. Raises StepsError.
    """
    places: list[Path] = [("metadata", "labels")]
    if labels.include_templates:
        places += _templates(_OF_LABELS.get(kind), api_version, "labels")
        if is_training_kind(group_of(api_version), kind):
            places += [_JOB_LABELS] if draft.get(*_JOB_LABELS) is not None else []
    return _with_pairs(draft, places, labels.pairs, cause, steps)


def add_annotations(
    draft: Draft, kind: str, api_version: str, annotations: Mapping[str, str], cause: Cause, steps: Steps
) -> Draft:
    """Write the pairs into one object's annotations, and into those of a core workload's templates.

    `cause` is where the mapping of pairs is. Raises StepsError.
    """
    templates = _templates(_OF_ANNOTATIONS.get(kind), api_version, "annotations")
    return _with_pairs(draft, [("metadata", "annotations"), *templates], annotations, cause, steps)


def find_misplaced(body: Body, kind: str, api_version: str, overlay: Overlay) -> Iterator[tuple[Pointer, str, str]]:
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
