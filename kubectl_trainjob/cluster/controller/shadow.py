"""`--shadow`: the TrainJobs of a namespace, built and compared with what Trainer created. Only reads are sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.controller.comparison import object_differences
from kubectl_trainjob.cluster.controller.verdict import READY, Verdict, first_of
from kubectl_trainjob.cluster.runs import ending, is_deleting
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.compiler.compilation import Compilation, CompiledJob
from kubectl_trainjob.compiler.pipeline import build
from kubectl_trainjob.compiler.printing import PrintedJob
from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Source, SourceFile, show_pointer, value_at
from kubectl_trainjob.model.stages import Body, BuildOptions, Manifest, Object, ObjectId, identity_of
from kubectl_trainjob.model.units import Documents

_CHILDREN = (
    (jobset.API_VERSION, jobset.KIND),
    (trainer.COSCHEDULING_API_VERSION, trainer.POD_GROUP),
    (trainer.VOLCANO_API_VERSION, trainer.POD_GROUP),
    ("v1", "ConfigMap"),
)
_SNAPSHOT = "-runtime-snapshot"  # a ConfigMap only for Trainer itself
_PAUSE = 2.0  # seconds in which Trainer follows a change
_TO_CREATE = 30.0  # seconds after which a TrainJob without a JobSet is a difference

Comparison = Literal["equal", "different", "invalid", "skipped"]


class JobComparison(NamedTuple):
    """The result for one TrainJob; skipped are those that Trainer does not follow now. `problems` name fields."""

    result: Comparison
    problems: tuple[str, ...] = ()


def compare_jobs(api: Api, namespace: str, version: str) -> Verdict:
    """Compare all TrainJobs of a namespace; `version` is the release of Trainer, "" for the latest. Raises ApiError.

    Trainer may be about to follow a change. Therefore a difference counts only if it still exists a moment later.
    """
    found = _compared(api, namespace, version)
    if differing := {uid for uid, each in found.items() if each.problems}:
        api.clock.sleep(_PAUSE)
        equal = {uid: each for uid, each in found.items() if uid not in differing}
        found = {**equal, **_compared(api, namespace, version, differing)}
    summary = Counter[str](each.result for each in found.values())
    every = (problem for each in found.values() for problem in each.problems)
    problems = list(dict.fromkeys(every))  # jobs share runtimes
    if problems:
        reason = "DifferenceFound" if summary["different"] else "BuildFailed"
        return Verdict(reason, first_of(problems), dict(summary))
    message = f"Compared TrainJobs: {summary['equal']} equal, {summary['skipped']} skipped"
    return Verdict(READY, message, dict(summary))


def _compared(api: Api, namespace: str, version: str, uids: Container[str] | None = None) -> dict[str, JobComparison]:
    """The results by the uids of the TrainJobs: of all, or of some."""
    every = _listed(api, trainer.API_VERSION, trainer.TRAIN_JOB, namespace)
    live = [each for each in every if uids is None or each["metadata"]["uid"] in uids]
    followed = [each for each in live if _is_followed(each)]
    compilation = _built(api, namespace, followed, version)
    children = _children(api, namespace)
    jobs = {job.source.id: job for job in compilation.jobs}
    found = {each["metadata"]["uid"]: JobComparison("skipped") for each in live}
    for each in followed:
        identity = identity_of(each)
        found[each["metadata"]["uid"]] = (
            _result(api, each, jobs[identity], compilation, children)
            if identity in jobs
            else JobComparison("invalid", (f"{identity} has no build",))
        )
    return found


def _is_followed(job: Body) -> bool:
    manager = value_at(job, ("spec", "managedBy")) or trainer.MANAGED_BY_TRAINER
    return bool(manager == trainer.MANAGED_BY_TRAINER) and not is_deleting(job)


def _listed(api: Api, api_version: str, kind: str, namespace: str, *, heads_only: bool = False) -> Iterator[Body]:
    head = {"apiVersion": api_version, "kind": kind}
    resource = api.resource(ObjectId(api_version, kind, namespace, ""))
    return ({**each, **head} for each in api.list(resource, namespace, heads_only=heads_only))


def _built(api: Api, namespace: str, jobs: Iterable[Body], version: str) -> Compilation[PrintedJob]:
    """TrainJobs, built with the runtimes of the cluster and no others."""
    kinds = (trainer.TRAINING_RUNTIME, trainer.CLUSTER_TRAINING_RUNTIME)
    runtimes = (each for kind in kinds for each in _listed(api, trainer.API_VERSION, kind, namespace))
    documents = Documents(inputs=tuple(map(_manifest, jobs)), library=tuple(map(_manifest, runtimes)))
    return build(documents, BuildOptions(namespace, version, "jobset"))


def _manifest(live: Body) -> Manifest:
    """An object as its user wrote it. In messages, it is its own file."""
    metadata = {key: live["metadata"][key] for key in _OF_USER if key in live["metadata"]}
    body = {**{key: each for key, each in live.items() if key != "status"}, "metadata": metadata}
    identity = identity_of(body)
    return Manifest(identity, body, Source(SourceFile(str(identity), "")))


_OF_USER = ("name", "namespace", "labels", "annotations")


def _children(api: Api, namespace: str) -> dict[str, dict[ObjectId, Body]]:
    """The objects that have a controller, by its uid. Of ConfigMaps, there are many others: only their heads."""
    found: dict[str, dict[ObjectId, Body]] = {}
    for api_version, kind in _CHILDREN:
        if api.has_kind(api_version, kind):
            for live in _listed(api, api_version, kind, namespace, heads_only=kind == "ConfigMap"):
                owners = live["metadata"].get("ownerReferences") or ()
                owner = next((each["uid"] for each in owners if each.get("controller")), "")
                found.setdefault(owner, {})[identity_of(live)] = live
    return found


def _result(
    api: Api,
    live: Body,
    job: CompiledJob[PrintedJob],
    compilation: Compilation[PrintedJob],
    children: Mapping[str, Mapping[ObjectId, Body]],
) -> JobComparison:
    created = children.get(live["metadata"]["uid"], {})
    runs = [each for identity, each in created.items() if identity.kind == jobset.KIND]
    result = _invalid(job, compilation)
    if result is None:
        if any(map(is_deleting, runs)) or (not runs and _is_waiting(api, live)):
            return JobComparison("skipped")
        result = _compared_objects(api, job, created, compilation.target.trainer)
    # a run that is over keeps what it was created with, and its JobSet may not exist
    return JobComparison("skipped") if result.problems and ending(live) else result


def _is_waiting(api: Api, live: Body) -> bool:
    """Whether Trainer may not have seen a TrainJob yet."""
    return seconds_between(live["metadata"]["creationTimestamp"], api.date) < _TO_CREATE


def _invalid(job: CompiledJob[PrintedJob], compilation: Compilation[PrintedJob]) -> JobComparison | None:
    """The errors of a build, as with --strict."""
    own = (each for each in compilation.findings if each.place.source == job.source.source)
    errors = [each for each in (*own, *job.findings, *job.creation_findings) if each.severity is Severity.ERROR]
    lines = (f"{each.place.source.file.path}: {show_pointer(each.place.pointer)}: {each.message}" for each in errors)
    return JobComparison("invalid", tuple(dict.fromkeys(lines))) if errors else None


def _compared_objects(
    api: Api, job: CompiledJob[PrintedJob], created: Mapping[ObjectId, Body], version: str
) -> JobComparison:
    built = {each.id: each.body for each in job.note.objects if isinstance(each, Object)}
    live = {each: body for each, body in created.items() if not each.name.endswith(_SNAPSHOT)}
    whole: dict[ObjectId, Any] = {
        each: api.get(each) if each.kind == "ConfigMap" else body for each, body in live.items()
    }
    present = {each: body for each, body in whole.items() if body}
    problems = [f"{each} {how}" for each, how in object_differences(built, present, version)]
    return JobComparison("different", tuple(problems)) if problems else JobComparison("equal")
