"""The plan for each object: what is live, what the dry run of its write says, and what the policies allow.

Nothing is written here. The server's dry runs find its errors before the first write; paths that would freeze a run
are compared by us, because the server removes some fields without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kubectl_trainjob.cluster import kueue, marks
from kubectl_trainjob.cluster.api import MANAGER
from kubectl_trainjob.cluster.decide import Change, Decision, State, decide
from kubectl_trainjob.cluster.desired import Desired
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import InventoryEntry, entry_id
from kubectl_trainjob.cluster.jobs_of import check_jobs
from kubectl_trainjob.cluster.marks import POLICIES, Policy
from kubectl_trainjob.cluster.runs import has_queue, is_deleting, state_of
from kubectl_trainjob.cluster.steps import Step, Work, first_step
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.kube.updates.live import as_applied, frozen_changes
from kubectl_trainjob.kube.updates.managed_fields import fields_of, owned
from kubectl_trainjob.model.source import Pointer, show_pointer
from kubectl_trainjob.model.stages import Body

_NEW = {"resourceVersion": "1"}
_SERVER_FIELDS = ("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid")
_TRIES = 5
_HOW_TO_RUN = "give it a new name, use --rerun, or set recreate to when-terminal"
_ADVICE = {
    "MayHaveRun": "an apply was interrupted when it started this run, which may have run; use --rerun to start it",
    "TrainJobExists": "a TrainJob of this name exists, and its JobSet would have this name, too",
    "JobSetExists": "a JobSet of this name exists, which the TrainJob would need",
    "NotOurs": "the object exists and belongs to no set; use --adopt to take it",
    "OtherSet": "the object belongs to another set; use --adopt-from to move that set's objects here",
    "Running": "the change needs a new run, and the policy waits for the end of this one",
    "Frozen": "a live run cannot change these fields; see --recreate, or give it a new name",
}


def check(work: Work, item: Desired) -> Step:
    """The plan for one object; of an object that changes meanwhile, the plan for its newest version."""
    step = first_step(item)
    try:
        for _ in range(_TRIES):
            try:
                return _planned(work, step, work.members.get(item.id) or _known(work, item))
            except ApiError as error:
                if error.reason not in ("Stale", "Exists"):
                    raise
                work.members.pop(item.id, None)
                live = work.api.get(item.id)
                if live is not None:
                    work.members[item.id] = live
        return step.ended("failed", "Error", "the object changes all the time")
    except ApiError as error:
        live = work.members.get(item.id)
        failed = step.failed(error)
        return replace(failed, live=live).with_uid(live) if live else failed


def recheck(work: Work, step: Step) -> Step:
    """The plan after another writer changed the object."""
    live = work.api.get(step.desired.id)
    work.members.pop(step.desired.id, None)
    if live is not None:
        work.members[step.desired.id] = live
    return check(work, step.desired)


def _known(work: Work, item: Desired) -> Body | None:
    """The live object where it may exist without our label; a dry run of a new object finds all others."""
    may_exist = entry_id(item.id) in work.parent.inventory or work.options.adopt or work.options.adopt_from
    return work.api.get(item.id) if may_exist else None


def _planned(work: Work, step: Step, live: Body | None) -> Step:
    item = step.desired
    if live is None:
        return _planned_new(work, step)
    step = replace(step, live=live).with_uid(live)
    if is_deleting(live):
        return replace(step, plan="wait")
    owner = (live["metadata"].get("labels") or {}).get(marks.PART_OF, "")
    if owner != work.set_id and not _may_take(work, owner):
        reason = "OtherSet" if owner else "NotOurs"
        return _left_foreign(work, step, live, reason, owner)
    return _planned_run(work, step, live) if item.is_run else _planned_other(work, step, live)


def _may_take(work: Work, owner: str) -> bool:
    return work.options.adopt if not owner else owner == work.options.adopt_from


def _left_foreign(work: Work, step: Step, live: Body, reason: str, owner: str) -> Step:
    """A cluster-scoped object of another set with the same content stays there; all others are errors."""
    if owner and not step.desired.id.namespace:
        body = _with_metadata(step.desired.body, {"uid": live["metadata"]["uid"]}, without=marks.PART_OF)
        if _is_same(work.api.apply(body, dry_run=True), live):
            return step.ended("unchanged")
    return step.ended("refused", reason, _ADVICE[reason])


def _planned_new(work: Work, step: Step) -> Step:
    item = step.desired
    entry = work.parent.inventory.get(entry_id(item.id))
    decision = Decision("create")
    if item.is_run:
        state: State = "absent" if entry is None else "gone" if entry.state == "started" else "starting"
        change: Change = "same" if entry is None or entry.hash == item.hash else "frozen"
        may_have_run = entry is not None and _may_have_run(work, item, entry)
        is_rerun = _is_rerun(work, item)
        decision = decide(state, change, _policy(work, item), is_rerun=is_rerun, may_have_run=may_have_run)
        if decision.plan != "create":
            message = f"it ran with other content: {_HOW_TO_RUN}" if change == "frozen" else ""
            return _without_write(step, decision, _ADVICE.get(decision.reason, message))
    rival = work.rivals.get(item.id)
    if rival:
        return step.ended("refused", rival, _ADVICE[rival])
    body = _with_metadata(kueue.to_create(work.api, item.body) if item.is_run else item.body, _NEW)
    return _dry_run_new(work, replace(step, plan="create", body=body))


def _dry_run_new(work: Work, step: Step) -> Step:
    try:
        work.api.apply(step.body, dry_run=True)
    except ApiError as error:
        if _comes_later(work, error):
            return replace(step, is_deferred=True)
        raise
    problem = check_jobs(work, step.desired.id, step.body)
    return problem.on(step) if problem else step


def _comes_later(work: Work, error: ApiError) -> bool:
    """Whether the error may come from a Namespace, definition or runtime that this apply creates."""
    return work.creates_types and (error.reason == "NotFound" or "must be created before the TrainJob" in error.message)


def _may_have_run(work: Work, item: Desired, entry: InventoryEntry) -> bool:
    return item.ttl is not None and seconds_between(entry.at, work.api.date) > item.ttl


def _planned_other(work: Work, step: Step, live: Body) -> Step:
    body = _with_metadata(step.desired.body, {"uid": live["metadata"]["uid"]})
    answer = work.api.apply(body, dry_run=True, force=work.options.force_conflicts)
    if _is_same(answer, live):
        return step.ended("unchanged")
    return replace(step, plan="apply", body=body)


def _planned_run(work: Work, step: Step, live: Body) -> Step:
    item = step.desired
    sent = _with_metadata(kueue.to_apply(work.api, live, item.body), {"uid": live["metadata"]["uid"]})
    frozen, after, answer = _compared(work, item, live, sent)
    step = replace(step, after=after)
    change: Change = "frozen" if frozen else "mutable"
    decision = decide(state_of(live), change, _policy(work, item), is_rerun=_is_rerun(work, item))
    fields = tuple(map(show_pointer, frozen))
    if decision.plan == "recreate":
        return _recreated(work, replace(step, plan="recreate"), decision, fields)
    if decision.plan != "apply":
        message = f"its content changed: {_HOW_TO_RUN}" if decision.reason == "Finished" else _ADVICE[decision.reason]
        return _without_write(step, decision, message, fields)
    if answer is not None and _is_same(answer, live):
        return step.ended("unchanged")
    return replace(step, plan="apply", body=sent)


def _compared(work: Work, item: Desired, live: Body, sent: Body) -> tuple[tuple[Pointer, ...], Body | None, Any]:
    """The frozen paths, the run after the change by our rules, and the answer of the dry run if nothing is frozen."""
    is_queued = has_queue(live) or has_queue(item.body)
    before = owned(live, fields_of(live, MANAGER, "Apply"))
    after = as_applied(live, before, sent, work.trainer)
    if after is not None:
        frozen = frozen_changes(live, after, work.trainer, has_queue=is_queued)
        if frozen:
            return frozen, after, None
    known = (live["metadata"].get("annotations") or {}).get(marks.RUN_HASH, item.hash)
    if known != item.hash:
        return (("metadata", "annotations", marks.RUN_HASH),), after, None
    if kueue.leaves_queue(work.api, live, item.body):
        return (("metadata", "labels", "kueue.x-k8s.io/queue-name"),), after, None
    try:
        return (), after, work.api.apply(sent, dry_run=True, force=work.options.force_conflicts)
    except ApiError as error:
        if not error.is_frozen:
            raise
        return tuple((field,) for field in error.fields) or (("spec",),), after, None


def _recreated(work: Work, step: Step, decision: Decision, fields: tuple[str, ...]) -> Step:
    """A recreated run: the new one is tried under a free name first, so that a policy that rejects it ends nothing."""
    result = replace(step.result, reason=decision.reason, fields=fields)
    body = kueue.to_create(work.api, step.desired.body)
    name = step.desired.id.name
    trial = _with_metadata(body, {"name": _free_name(name)})
    work.api.create(trial, dry_run=True)
    problem = check_jobs(work, step.desired.id, body)
    step = replace(step, result=result, body=_with_metadata(body, _NEW))
    return problem.on(step) if problem else step


def _free_name(name: str) -> str:
    """Another name of the same length, which no user chooses."""
    return f"{name[:-1]}{'0' if name[-1] != '0' else '1'}" if len(name) == 1 else f"{name[0]}{'z' * (len(name) - 1)}"


def _without_write(step: Step, decision: Decision, message: str, fields: tuple[str, ...] = ()) -> Step:
    return step.ended("kept" if decision.plan == "keep" else "refused", decision.reason, message, fields)


def _policy(work: Work, item: Desired) -> Policy:
    return next((each for each in POLICIES if each == item.policy), work.options.policy)


def _is_rerun(work: Work, item: Desired) -> bool:
    return bool({item.train_job, item.id.name, f"{item.id.kind}/{item.id.name}"} & work.options.reruns)


def _with_metadata(body: Body, added: Mapping[str, str], without: str = "") -> Body:
    metadata = {**body["metadata"], **added}
    if without:
        metadata["labels"] = {key: value for key, value in metadata["labels"].items() if key != without}
    return {**body, "metadata": metadata}


def _is_same(answer: Body, live: Body) -> bool:
    return bool(server_content(answer) == server_content(live))


def server_content(body: Body) -> Any:
    """A live object without its status and what the server writes to its metadata."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in _SERVER_FIELDS}
    return {**{key: value for key, value in body.items() if key != "status"}, "metadata": metadata}
