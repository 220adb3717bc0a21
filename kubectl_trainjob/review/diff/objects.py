"""The objects of two sides, paired, with what changed in them and what a cluster says to that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from kubectl_trainjob.kube.admission.spelling import as_stored
from kubectl_trainjob.kube.facts.kinds import KindRole, print_order, role_of
from kubectl_trainjob.kube.updates.consequence import consequence
from kubectl_trainjob.kube.updates.immutable import immutable_verdict
from kubectl_trainjob.kube.updates.jobset import jobset_verdict
from kubectl_trainjob.kube.updates.runtime import runtime_verdict
from kubectl_trainjob.kube.updates.train_job import train_job_verdict
from kubectl_trainjob.kube.updates.verdict import Verdict
from kubectl_trainjob.model.stages import JobId, ObjectId, is_same
from kubectl_trainjob.review.diff.causes import causes, changed_inputs
from kubectl_trainjob.review.diff.changed_inputs import Changed
from kubectl_trainjob.review.diff.changes import Change, Compiled, Difference, FieldChange, Incomplete
from kubectl_trainjob.review.diff.completed import completed
from kubectl_trainjob.review.diff.effects import Touched, effective
from kubectl_trainjob.review.diff.fields import field_changes
from kubectl_trainjob.review.diff.pairing import Pair, PlainObject, pair_jobs, pair_made, pair_objects
from kubectl_trainjob.review.diff.secrets import is_secret
from kubectl_trainjob.review.diff.side import SAME, JobPair, Shared, Side
from kubectl_trainjob.review.diff.summaries import Jobs, groups_of, summary_of

_MOST_TRACED = 100


def difference_of(old: Side, new: Side, shared: Shared, overlay: str) -> Difference:
    """All that differs in what an overlay builds; `shared` is what the TrainJobs ask for that both sides have just so.

    A TrainJob that one side cannot build differs in nothing: nobody knows what it would become.
    """
    every = pair_jobs(*([each.compiled for each in side.jobs] for side in (old, new)))
    pairs = _told(every, old, new)
    others = [pair for pair in pair_objects(old.others, new.others) if _is_told(pair, old, new)]
    of_jobs = [(pair, list(_of_job(pair, old, new))) for pair in pairs]
    found = [change for _, changes in of_jobs for change in changes]
    found += [change for pair in others for change in _of_other(pair, new.trainer)]
    differing = [
        pair for pair, changes in of_jobs if changes or (new.emit == "trainjob" and _becomes_another(pair, new.trainer))
    ]
    changes = (replace(change, overlay=overlay) for change in sorted(found, key=_print_key))
    inputs = _inputs([pair for pair in differing if pair.by], old, new)
    known = set(map(id, pairs))
    jobs = Jobs(differing, [pair for pair in every if id(pair) not in known], (old, new))
    summary = summary_of(jobs, groups_of(pairs, (old, new), shared), causes(inputs, overlay), overlay)
    unbuilt, broken = _unbuilt(every, old, new)
    incomplete = () if old.is_complete and new.is_complete else (_incomplete(old, new, overlay),)
    return Difference(
        tuple(changes),
        summary,
        tuple(JobId(identity, overlay) for identity in unbuilt),
        incomplete,
        broken=tuple(JobId(identity, overlay) for identity in broken),
    )


def _unbuilt(pairs: Iterable[JobPair], old: Side, new: Side) -> tuple[list[ObjectId], list[ObjectId]]:
    """The TrainJobs that a side cannot build, by their new names, and those that the new side alone cannot."""
    unbuilt, broken = old.unbuilt & new.unbuilt, set[ObjectId]()  # pairs hold no TrainJobs that both have just so
    for pair in pairs:
        before, after = (job.manifest.id if job else None for job in pair[:2])
        lacks = before in old.unbuilt, after in new.unbuilt
        named = after or before
        if any(lacks) and named is not None:
            unbuilt = (unbuilt - {before}) | {named}
        if after is not None and lacks == (False, True):
            broken.add(after)
    return sorted(unbuilt), sorted(broken)


def _incomplete(old: Side, new: Side, overlay: str) -> Incomplete:
    return Incomplete(overlay, not old.is_complete, not new.is_complete)


def _told(pairs: Iterable[JobPair], old: Side, new: Side) -> list[JobPair]:
    """The pairs of which both sides are known."""
    unbuilt = old.unbuilt | new.unbuilt
    return [
        pair
        for pair in pairs
        if _is_told(pair, old, new) and not any(job and job.manifest.id in unbuilt for job in pair[:2])
    ]


def _is_told(pair: Pair[Any], old: Side, new: Side) -> bool:
    """Whether what only one side has is really missing on the other one, as far as anybody knows."""
    return (pair.old is not None or old.is_complete) and (pair.new is not None or new.is_complete)


def _print_key(change: Change) -> tuple[Any, ...]:
    identity = change.identity
    return print_order(identity.kind), identity.kind, identity.namespace, identity.name, identity.api_version


def _of_job(pair: JobPair, old: Side, new: Side) -> Iterator[Change]:
    """What is printed for a TrainJob: itself, or what it becomes."""
    made = _jobset_verdict(pair, new.trainer) if new.emit == "trainjob" else None
    for each in _printed_pairs(pair, old.emit, new.emit, new.trainer):
        for change in _compared(each, new.trainer, made):
            job = pair.old if change.change == "removed" else pair.new
            yield replace(change, job=job.manifest.id if job else None)


def _of_other(pair: Pair[PlainObject], version: str) -> Iterator[Change]:
    hides = is_secret(pair.old) or is_secret(pair.new)
    for change in _compared(pair, version):
        yield replace(change, is_secret=hides)


def _printed_pairs(pair: JobPair, old_emit: str, new_emit: str, version: str) -> list[Pair[PlainObject]]:
    """What both sides print for a TrainJob. One may print the TrainJob, the other what it becomes."""
    if old_emit != new_emit:
        alone = Pair(pair.old, None), Pair(None, pair.new)
        sides = zip(alone, (old_emit, new_emit), strict=True)
        return [each for side, emit in sides if any(side[:2]) for each in _printed_pairs(side, emit, emit, version)]
    if new_emit == "jobset":
        return pair_made(pair)
    return [Pair(_printed(pair.old, version), _printed(pair.new, version), pair.by)]


def _printed(job: Compiled | None, version: str) -> PlainObject | None:
    """The TrainJob as it is printed for a Trainer."""
    return PlainObject(job.manifest.id, as_stored(job.manifest.body, f"trainer-{version}")) if job else None


def _compared(pair: Pair[PlainObject], version: str, made: Verdict | None = None) -> Iterator[Change]:
    """The change of an object, or two where a cluster sees another object."""
    if pair.old is None or pair.new is None:
        alone = pair.old or pair.new
        assert alone is not None
        yield _alone(alone, version, is_new=pair.old is None)
        return
    before, after = pair.old, pair.new
    fields = _fields(before, after, version)
    if pair.by in SAME:
        if fields:
            verdict, words = _judged(before, after, made, version)
            yield Change(after.identity, "changed", before.body, after.body, fields, verdict, words, made=made)
        return
    yield replace(_alone(before, version, is_new=False), counterpart=after.identity)
    yield replace(_alone(after, version, is_new=True), counterpart=before.identity, old=before.body, fields=fields)


def _fields(old: PlainObject, new: PlainObject, version: str) -> tuple[FieldChange, ...]:
    """What differs to a cluster."""
    if is_same(old.body, new.body) or not field_changes(old.body, new.body):
        return ()
    return field_changes(completed(old.body, version), completed(new.body, version))


def _alone(printed: PlainObject, version: str, *, is_new: bool) -> Change:
    old, body = (None, printed.body) if is_new else (printed.body, None)
    change: Literal["added", "removed"] = "added" if is_new else "removed"
    words = consequence(printed.identity, None, old, body, version)
    return Change(printed.identity, change, old, body, consequence=words)


def _judged(old: PlainObject, new: PlainObject, made: Verdict | None, version: str) -> tuple[Verdict | None, str]:
    """What admission says, None for kinds without rules, and what that means.

    `made` is what it says of the JobSet that a TrainJob becomes, None where that is the same.
    """
    role, verdict = role_of(new.identity), None
    if role is KindRole.JOB_SET:
        verdict = jobset_verdict(old.body, new.body)
    elif role is KindRole.TRAINING_JOB:
        verdict = train_job_verdict(old.body, new.body, version)
    elif role is KindRole.RUNTIME:
        refused = runtime_verdict(old.body, new.body, version)
        verdict = refused if refused.refused else None  # a runtime knows no suspension, and has rules for few fields
    elif new.identity.api_version == "v1" and new.identity.kind in ("ConfigMap", "Secret"):
        refused = immutable_verdict(old.body, new.body)
        verdict = refused if refused.refused else None
    return verdict, consequence(new.identity, verdict, old.body, new.body, version, made)


def _jobset_verdict(pair: JobPair, version: str) -> Verdict | None:
    """What admission says of the JobSet that a TrainJob becomes; None where that is the same, or not there."""
    for made in pair_made(pair):
        if made.old and made.new and role_of(made.new.identity) is KindRole.JOB_SET:
            return jobset_verdict(made.old.body, made.new.body) if _differs(made, version) else None
    return None


def _differs(pair: Pair[PlainObject], version: str) -> bool:
    return pair.old is None or pair.new is None or bool(_fields(pair.old, pair.new, version))


def _inputs(pairs: Sequence[JobPair], old: Side, new: Side) -> dict[ObjectId, tuple[Changed, ...]]:
    """What differs in the inputs of each TrainJob, but for what has no part in what changed.

    To find that out a TrainJob is expanded again, so only where several inputs differ, and for `_MOST_TRACED` of a
    unit: of those behind them all inputs are told.
    """
    inputs = dict(changed_inputs([(pair.old, pair.new) for pair in pairs]))
    several = [pair for pair in pairs if pair.new and len(inputs[pair.new.manifest.id]) > 1]
    for pair in several[:_MOST_TRACED]:
        assert pair.new is not None
        job = pair.new.manifest.id
        inputs[job] = effective(inputs[job], _touched(pair, new.trainer), (old.find, new.find))
    settings = tuple(_settings(old, new))
    return {job: (*found, *settings) for job, found in inputs.items()}


def _settings(old: Side, new: Side) -> Iterator[Changed]:
    """What a `trainjob.yaml` decides otherwise; it changes every TrainJob that differs, as far as anybody knows."""
    for what, differs in (("target.trainer", old.trainer != new.trainer), ("emit", old.emit != new.emit)):
        place = new.settings.get(what) or old.settings.get(what)
        if differs and place is not None:
            yield Changed(what, place, is_gone=what not in new.settings)


def _touched(pair: JobPair, version: str) -> Iterator[Touched]:
    """What differs in anything that a TrainJob becomes."""
    for before, after, _ in pair_made(pair):
        if before is None or after is None:
            yield Touched(before and (before.identity, ()), after and (after.identity, ()))
            continue
        for field in _fields(before, after, version):
            yield Touched(
                None if field.old_pointer is None else (before.identity, field.old_pointer),
                None if field.new_pointer is None else (after.identity, field.new_pointer),
            )


def _becomes_another(pair: JobPair, version: str) -> bool:
    """Whether anything that the controllers make of the TrainJob differs, or the TrainJob as a Trainer gets it."""
    return any(_differs(made, version) for made in pair_made(pair))
