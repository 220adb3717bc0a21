"""The desired objects of a compilation, with our labels, in groups that change together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.runs import is_run
from kubectl_trainjob.cluster.secrets import secret_head
from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob, Target
from kubectl_trainjob.compiler.printing import PrintedJob, print_job, printed_objects
from kubectl_trainjob.kube.facts.run_hash import run_hash
from kubectl_trainjob.model.source import Place, value_at
from kubectl_trainjob.model.stages import Body, Object, ObjectId, RequiredSecret

_ORDER = """
    Namespace CustomResourceDefinition PriorityClass ServiceAccount Role ClusterRole RoleBinding ClusterRoleBinding
    ConfigMap Secret PersistentVolume PersistentVolumeClaim Service
""".split()  # noqa: SIM905
_LAST = ("ClusterTrainingRuntime", "TrainingRuntime", "PodGroup")
_RUNS = 1000
_OF_SERVER = frozenset({"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"})
"""What `kubectl get -o yaml` prints, and no apply may set."""
_HASHED = re.compile(r"-[0-9a-f]{10}")


class TrainJobSettings(NamedTuple):
    """The settings of a TrainJob for apply, and its printed objects."""

    printed: PrintedJob
    labels: Mapping[str, str]
    policy: str
    run: str
    deadline: int | None


@dataclass(frozen=True, slots=True, eq=False)
class DesiredObject:
    """One object as we apply it. `group` names what changes together: a TrainJob, or the object itself.

    `policy` is the annotation of the user ("" for none). `hash` is the content of a run, "" for other objects.
    `makes` is the purpose of a Secret whose content is generated when it is created, else "".
    """

    id: ObjectId
    body: Body
    place: Place
    group: tuple[str, str]
    train_job: str = ""
    policy: str = ""
    hash: str = ""
    labels: Mapping[str, str] | None = None
    makes: str = ""

    @property
    def is_run(self) -> bool:
        """Whether it starts Pods."""
        return bool(self.hash)

    def answers_to(self, name: str) -> bool:
        """Whether a user means this run: `NAME`, `KIND/NAME`, or the name before `nameHash`."""
        kind, _, rest = name.rpartition("/")
        names = {self.train_job, self.id.name} - {""}
        is_named = rest in names or any(_HASHED.fullmatch(each.removeprefix(rest)) for each in names)
        return is_named and kind.lower().split(".")[0] in (
            "",
            self.id.kind.lower(),
            "trainjob" if self.train_job else "",
        )

    @property
    def unmarked(self) -> Body:
        """The object without the marks of a set."""
        metadata = {key: value for key, value in self.body["metadata"].items() if key != "labels"}
        return {**self.body, "metadata": {**metadata, "labels": {marks.TRAIN_JOB: self.train_job}}}

    @property
    def ttl(self) -> int | None:
        """Seconds after which a finished run is deleted."""
        found = value_at(self.body, ("spec", "ttlSecondsAfterFinished"))
        return found if isinstance(found, int) else None


def wish(job: CompiledJob[Any], target: Target) -> TrainJobSettings:
    """The part of a compiled job that apply keeps."""
    notes = _texts(job.source.body, "annotations")
    deadline = value_at(job.source.body, ("spec", "activeDeadlineSeconds"))
    return TrainJobSettings(
        print_job(job, target, None),
        _texts(job.source.body, "labels"),
        notes.get(marks.RECREATE, ""),
        notes.get(marks.RUN, ""),
        deadline if target.emit == "jobset" else None,
    )


def desired_objects(compilation: Compilation[TrainJobSettings], set_id: str) -> list[DesiredObject]:
    """All objects in the order in which they are applied."""
    wishes = {job.source.id: job.note for job in compilation.jobs}
    objects = printed_objects(compilation.noted(lambda note: note.printed))
    found = [_desired_object(each, wishes, set_id) for each in objects if isinstance(each, Object)]
    if compilation.target.emit != "trainjob":  # where Trainer expands the TrainJobs, it creates the Secrets
        found += [_secret(each, job, set_id) for job in compilation.jobs for each in job.secrets]
    return sorted(found, key=lambda each: (order(each.id), each.id))


def order(identity: ObjectId) -> int:
    """The position of a kind in an apply; a prune goes the other way."""
    if identity.kind in _LAST:
        return 200 + _LAST.index(identity.kind)
    if is_run(identity):
        return _RUNS
    return _ORDER.index(identity.kind) if identity.kind in _ORDER else 100


def _desired_object(each: Object, wishes: Mapping[ObjectId, TrainJobSettings], set_id: str) -> DesiredObject:
    owner = each.owner or (each.id if is_run(each.id) else None)
    found = wishes.get(owner) if owner else None
    notes = _texts(each.body, "annotations")
    run = found.run if found else notes.get(marks.RUN, "")
    content = run_hash(each.body, run) if is_run(each.id) else ""
    labels = {marks.PART_OF: set_id, **({marks.TRAIN_JOB: owner.name} if found and owner else {})}
    annotations = {marks.RUN_HASH: content} if content else {}
    if content and found and found.deadline is not None:
        annotations[marks.DEADLINE] = str(found.deadline)
    return DesiredObject(
        each.id,
        _add_marks(each.body, labels, annotations),
        each.place,
        (owner.namespace, owner.name) if owner else (each.id.namespace, f"{each.id.kind}/{each.id.name}"),
        owner.name if found and owner else "",
        found.policy if found else notes.get(marks.RECREATE, ""),
        content,
        found.labels if found else _texts(each.body, "labels"),
    )


def _secret(each: RequiredSecret, job: CompiledJob[TrainJobSettings], set_id: str) -> DesiredObject:
    owner = job.source.id
    body = _add_marks(secret_head(each), {marks.PART_OF: set_id, marks.TRAIN_JOB: owner.name}, {})
    identity = ObjectId("v1", "Secret", each.namespace, each.name)
    group = owner.namespace, owner.name
    return DesiredObject(
        identity, body, job.source.place("metadata", "name"), group, owner.name, labels=job.note.labels, makes=each.kind
    )


def _texts(body: Body, key: str) -> Mapping[str, Any]:
    """The labels or annotations of an object; none where they are not a mapping, which is an error of the plan."""
    found = value_at(body, ("metadata", key))
    return found if isinstance(found, dict) else {}


def _add_marks(body: Body, labels: Mapping[str, str], annotations: Mapping[str, str]) -> Body:
    metadata = {key: value for key, value in body["metadata"].items() if key not in _OF_SERVER}
    for key, added in (("labels", labels), ("annotations", annotations)):
        if added and isinstance(metadata.get(key) or {}, dict):
            metadata[key] = {**(metadata.get(key) or {}), **added}
    return {**body, "metadata": metadata}
