"""The objects of two trees, paired, with what changed in them and which updates a cluster rejects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kubectl_trainjob.kube.admission.created_jobset import create_jobset
from kubectl_trainjob.kube.admission.spelling import as_stored
from kubectl_trainjob.kube.facts.kinds import KindRole, print_order, role_of
from kubectl_trainjob.kube.facts.masking import is_secret_kind
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.updates.consequence import consequence
from kubectl_trainjob.kube.updates.immutable import check_data_update
from kubectl_trainjob.kube.updates.jobset import check_jobset_update
from kubectl_trainjob.kube.updates.result import UpdateResult
from kubectl_trainjob.kube.updates.trainer import check_runtime_update, check_train_job_update
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Body, JobId, ObjectId, identity_of, is_named, is_same
from kubectl_trainjob.review.diff.causes import DifferingPair, Find, causes, changed_inputs, effective
from kubectl_trainjob.review.diff.changed_inputs import ChangedInput
from kubectl_trainjob.review.diff.changes import Change, ComparedJob, Difference, FieldChange, Incomplete
from kubectl_trainjob.review.diff.fields import field_changes
from kubectl_trainjob.review.diff.overlay_settings import levels
from kubectl_trainjob.review.diff.pairing import SAME, JobPair, Pair, pair_jobs, pair_made, pair_objects
from kubectl_trainjob.review.diff.renames import PlainObject
from kubectl_trainjob.review.diff.summaries import JobPairs, SharedTotals, groups_of, summary_of

_JOBSET = "jobset-0.12"
_MOST_TRACED = 100


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The result of one tree of a unit: the TrainJobs that are not equal in the other tree, and all other printed
    objects. `find` returns the origins of their values.

    `unbuilt` are those of `jobs` that cannot be built. With `is_complete` everything was read. `settings` are the
    places in a `trainjob.yaml` that set the Trainer version and the printed kinds, by the settings' names.
    """

    trainer: str
    emit: str
    jobs: tuple[ComparedJob, ...]
    others: tuple[PlainObject, ...]
    find: Find
    unbuilt: frozenset[ObjectId]
    is_complete: bool
    settings: Mapping[str, Place]


def difference_of(old: Side, new: Side, shared: SharedTotals, overlay: str) -> Difference:
    """The difference between the results of an overlay; `shared` is what the TrainJobs request that are in base and
    head.

    A TrainJob that one tree cannot build has no difference: its objects are unknown.
    """
    every = pair_jobs(old.jobs, new.jobs)
    unbuilt = old.unbuilt | new.unbuilt
    pairs, unknown = list[JobPair](), list[JobPair]()
    for pair in every:
        is_built = all(job.manifest.id not in unbuilt for job in pair[:2] if job)
        (pairs if is_built and _is_known(pair, old, new) else unknown).append(pair)
    others = [pair for pair in pair_objects(old.others, new.others) if _is_known(pair, old, new)]
    of_jobs = [(pair, list(_of_job(pair, old, new))) for pair in pairs]
    found = [change for _, changes in of_jobs for change in changes]
    found += [change for pair in others for change in _of_other(pair, new.trainer)]
    differing = [
        pair for pair, changes in of_jobs if changes or (new.emit == "trainjob" and _differ(pair, new.trainer))
    ]
    inputs = _inputs([pair for pair in differing if pair.by], old, new)
    jobs = JobPairs(differing, unknown, (old.unbuilt, new.unbuilt))
    unbuilt_jobs, broken = _unbuilt(every, old, new)
    is_complete = old.is_complete and new.is_complete
    return Difference(
        tuple(replace(change, overlay=overlay) for change in sorted(found, key=_print_key)),
        summary_of(jobs, groups_of(pairs, shared), causes(inputs, overlay), overlay),
        tuple(JobId(identity, overlay) for identity in unbuilt_jobs),
        () if is_complete else (Incomplete(overlay, not old.is_complete, not new.is_complete),),
        broken=tuple(JobId(identity, overlay) for identity in broken),
    )


def _is_known(pair: Pair[Any], old: Side, new: Side) -> bool:
    """Whether an object of one tree is certainly missing in the other one."""
    return (pair.old is not None or old.is_complete) and (pair.new is not None or new.is_complete)


def _unbuilt(pairs: Iterable[JobPair], old: Side, new: Side) -> tuple[list[ObjectId], list[ObjectId]]:
    """The TrainJobs that a tree cannot build, by their new names, and those that only the head cannot build."""
    unbuilt, broken = set[ObjectId](), set[ObjectId]()
    for pair in pairs:
        before, after = (job.manifest.id if job else None for job in pair[:2])
        lacks = before in old.unbuilt, after in new.unbuilt
        named = after or before
        if any(lacks) and named is not None:
            unbuilt.add(named)
        if after is not None and lacks == (False, True):
            broken.add(after)
    return sorted(unbuilt), sorted(broken)


def _print_key(change: Change) -> tuple[Any, ...]:
    identity = change.identity
    return print_order(identity.kind), identity.kind, identity.namespace, identity.name, identity.api_version


def _of_job(pair: JobPair, old: Side, new: Side) -> Iterator[Change]:
    """The changes of the objects that are printed for a TrainJob: itself, or the generated ones."""
    generated = _jobset_result(pair, new.trainer) if new.emit == "trainjob" else None
    for each in _printed_pairs(pair, old.emit, new.emit, new.trainer):
        for change in _changes(each, new.trainer, generated):
            job = pair.old if change.change == "removed" else pair.new
            yield replace(change, job=job.manifest.id if job else None)


def _of_other(pair: Pair[PlainObject], version: str) -> Iterator[Change]:
    hides = any(_is_secret(each) for each in pair[:2] if each)
    return (replace(change, is_secret=hides) for change in _changes(pair, version))


def _is_secret(printed: PlainObject) -> bool:
    """Whether an object is a Secret, of any group and in any spelling, or was one before overlays."""
    before = (level.before.id.kind for level in (levels(printed.source) if printed.source else ()))
    return any(map(is_secret_kind, (printed.identity.kind, *before)))


def _printed_pairs(pair: JobPair, old_emit: str, new_emit: str, version: str) -> list[Pair[PlainObject]]:
    """What base and head print for a TrainJob. One may print the TrainJob, the other the generated objects."""
    if old_emit != new_emit:
        single = (Pair(pair.old, None), old_emit), (Pair(None, pair.new), new_emit)
        return [each for side, emit in single if any(side[:2]) for each in _printed_pairs(side, emit, emit, version)]
    if new_emit == "jobset":
        return pair_made(pair)
    return [Pair(_printed_job(pair.old, version), _printed_job(pair.new, version), pair.by)]


def _printed_job(job: ComparedJob | None, version: str) -> PlainObject | None:
    """The TrainJob as it is printed for a Trainer version."""
    return PlainObject(job.manifest.id, as_stored(job.manifest.body, f"trainer-{version}")) if job else None


def _changes(pair: Pair[PlainObject], version: str, generated: UpdateResult | None = None) -> Iterator[Change]:
    """The change of an object, or two if a cluster sees two objects."""
    before, after = pair.old, pair.new
    if before is None or after is None:
        if single := before or after:
            yield _added_or_removed(single, version, is_new=before is None)
        return
    fields = _fields(before, after, version)
    if pair.by not in SAME:
        old, new = (_added_or_removed(each, version, is_new=each is after) for each in (before, after))
        if is_named(before.body) and is_named(after.body):
            old = replace(old, counterpart=after.identity)
            new = replace(new, counterpart=before.identity, old=before.body, fields=fields)
        yield from (old, new)
    elif fields:
        verdict = _update_result(before, after, version) if is_named(after.body) else None
        words = consequence(after.identity, verdict, before.body, after.body, version, generated)
        yield Change(
            _identity_in_reports(after),
            "changed",
            before.body,
            after.body,
            fields,
            verdict,
            words,
            generated_result=generated,
        )


def _identity_in_reports(printed: PlainObject) -> ObjectId:
    """The identity; `bert-*` is the name of an object that the cluster names, which is another one each time."""
    if is_named(printed.body):
        return printed.identity
    return replace(printed.identity, name=f"{printed.body['metadata']['generateName']}*")


def _added_or_removed(printed: PlainObject, version: str, *, is_new: bool) -> Change:
    old, body = (None, printed.body) if is_new else (printed.body, None)
    words = consequence(printed.identity, None, old, body, version)
    return Change(_identity_in_reports(printed), "added" if is_new else "removed", old, body, consequence=words)


def _update_result(old: PlainObject, new: PlainObject, version: str) -> UpdateResult | None:
    """The answer of the API server to an update; None for kinds without rules, and for JobSets that it rejects."""
    role = role_of(new.identity)
    if role is KindRole.JOB_SET:
        is_invalid = create_jobset(old.body).problems or create_jobset(new.body).problems
        return None if is_invalid else check_jobset_update(old.body, new.body)
    if role is KindRole.TRAINING_JOB:
        return check_train_job_update(old.body, new.body, version)
    is_runtime = role is KindRole.RUNTIME
    found = check_runtime_update(old.body, new.body, version) if is_runtime else check_data_update(old.body, new.body)
    return found if found.rejections else None  # such kinds cannot be suspended, and have rules for few fields


def _jobset_result(pair: JobPair, version: str) -> UpdateResult | None:
    """The answer to the update of the JobSet of a TrainJob; None without an update."""
    for generated in pair_made(pair):
        if generated.old and generated.new and role_of(generated.new.identity) is KindRole.JOB_SET:
            return (
                check_jobset_update(generated.old.body, generated.new.body)
                if _fields(generated.old, generated.new, version)
                else None
            )
    return None


def _differ(pair: JobPair, version: str) -> bool:
    """Whether the controllers generate different objects for the two TrainJobs."""
    return any(old is None or new is None or _fields(old, new, version) for old, new, _ in pair_made(pair))


def _fields(old: PlainObject, new: PlainObject, version: str) -> tuple[FieldChange, ...]:
    """What differs to a cluster, which fills in the defaults of schemas."""
    if is_same(old.body, new.body) or not field_changes(old.body, new.body):
        return ()
    return field_changes(_with_defaults(old.body, version), _with_defaults(new.body, version))


def _with_defaults(body: Body, version: str) -> Body:
    """The body with the defaults of the API of that Trainer version, or of JobSet; other kinds unchanged."""
    identity = identity_of(body)
    role = role_of(identity)
    if role is KindRole.JOB_SET:
        schemas = _JOBSET
    elif role in (KindRole.TRAINING_JOB, KindRole.RUNTIME):
        schemas = f"trainer-{version}"
    else:
        return body
    return schema_for(schemas, identity.api_version, identity.kind).check(body).value


def _inputs(pairs: Sequence[JobPair], old: Side, new: Side) -> dict[ObjectId, tuple[ChangedInput, ...]]:
    """The changed inputs of each TrainJob, without those that have no effect on its objects.

    The effects are known when the TrainJob is expanded again. That happens only if several inputs changed, and for
    `_MOST_TRACED` of a unit: of others all inputs are reported.
    """
    inputs = dict(changed_inputs([(pair.old, pair.new) for pair in pairs if pair.old and pair.new]))
    several = [pair for pair in pairs if pair.new and len(inputs[pair.new.manifest.id]) > 1]
    for pair in several[:_MOST_TRACED]:
        assert pair.new is not None
        job = pair.new.manifest.id
        inputs[job] = effective(inputs[job], _changed_objects(pair, new.trainer), (old.find, new.find))
    settings = tuple(_settings(old, new))
    return {job: (*found, *settings) for job, found in inputs.items()}


def _settings(old: Side, new: Side) -> Iterator[ChangedInput]:
    """The changed settings of a `trainjob.yaml`, which may affect every TrainJob that differs."""
    for what, differs in (("target.trainer", old.trainer != new.trainer), ("emit", old.emit != new.emit)):
        place = new.settings.get(what) or old.settings.get(what)
        if differs and place is not None:
            yield ChangedInput(what, place, is_gone=what not in new.settings)


def _changed_objects(pair: JobPair, version: str) -> Iterator[DifferingPair]:
    """The values that differ in the generated objects of a TrainJob."""
    for before, after, _ in pair_made(pair):
        if before is None or after is None:
            yield DifferingPair(before and (before.identity, ()), after and (after.identity, ()))
            continue
        for field in _fields(before, after, version):
            yield DifferingPair(
                None if field.old_pointer is None else (before.identity, field.old_pointer),
                None if field.new_pointer is None else (after.identity, field.new_pointer),
            )
