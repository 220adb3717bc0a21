"""The plan for each object: what is live, what the dry run of its write says, and what the policies allow.

Nothing is written here. The server's dry runs find its errors before the first write; paths that would freeze a run
are compared by us (`run_check`), because the server silently removes some fields.
"""

from __future__ import annotations

from dataclasses import replace

from kubectl_trainjob.cluster import kueue, marks
from kubectl_trainjob.cluster.advice import ADVICE, advice
from kubectl_trainjob.cluster.decide import Change, Decision, State, decide
from kubectl_trainjob.cluster.desired_objects import DesiredObject
from kubectl_trainjob.cluster.errors import NEW, ApiError
from kubectl_trainjob.cluster.guards import other_run
from kubectl_trainjob.cluster.inventory import InventoryEntry, entry_id
from kubectl_trainjob.cluster.jobs_of import check_jobs, pointer
from kubectl_trainjob.cluster.members import comes_later
from kubectl_trainjob.cluster.run_check import (
    HOW_TO_RUN,
    is_rerun,
    is_same,
    left_alone,
    plan_live_run,
    policy_of,
    with_metadata,
)
from kubectl_trainjob.cluster.runs import is_deleting, is_disabled
from kubectl_trainjob.cluster.secrets import with_placeholders
from kubectl_trainjob.cluster.steps import Step, Work, first_step
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.model.stages import Body

_TRIES = 5


def check(work: Work, item: DesiredObject) -> Step:
    """The plan for one object; of an object that changes meanwhile, the plan for its newest version."""
    step = first_step(item)
    try:
        if work.creates_types and not work.api.has_kind(item.id.api_version, item.id.kind):
            return replace(step, plan="create", is_deferred=True)
        for _ in range(_TRIES):
            try:
                return _plan_step(work, step, _live(work, item))
            except ApiError as error:
                if error.reason not in ("Stale", "Exists"):
                    raise
                _read_again(work, item)
        return step.ended("failed", "Error", "another client changes the object repeatedly; apply again later")
    except ApiError as error:
        live = work.members.get(item.id)
        failed = step.failed(error).located(work, map(pointer, error.fields))
        return replace(failed, live=live).with_uid(live) if live else failed


def recheck(work: Work, step: Step) -> Step:
    """The plan after another writer changed the object."""
    _read_again(work, step.desired)
    return check(work, step.desired)


def _read_again(work: Work, item: DesiredObject) -> None:
    live = work.api.get(item.id, is_secret=bool(item.makes))
    work.members.pop(item.id, None)
    if live is not None:
        work.members[item.id] = live


def _live(work: Work, item: DesiredObject) -> Body | None:
    """The live object. Of the others, which may exist without our label, a dry run of a new object finds those."""
    if item.id.kind == "Secret":  # its content is compared only if the files have it
        return work.api.get(item.id, is_secret=bool(item.makes))
    if item.id in work.members:
        return work.members[item.id]
    may_exist = entry_id(item.id) in work.inventory or work.options.adopt or work.options.adopt_from
    return work.api.get(item.id) if may_exist else None


def _plan_step(work: Work, step: Step, live: Body | None) -> Step:
    item = step.desired
    if live is None:
        return _planned_new(work, step)
    step = replace(step, live=live).with_uid(live)
    if is_deleting(live):
        return _planned_after(work, step)
    if item.makes:
        return step.ended("unchanged")
    owner = marks.label(live, marks.PART_OF)
    is_ours = owner == work.set_id
    may_take = owner == work.options.adopt_from if owner else work.options.adopt
    if not is_ours and not may_take:
        return _left_foreign(work, step, live, owner)
    if work.options.training_set and is_disabled(live, marks.RECONCILE):
        return step.ended("kept", "ReconcileDisabled", f"annotation {marks.RECONCILE} is {marks.DISABLED}")
    return plan_live_run(work, step, live, is_ours=is_ours) if item.is_run else _planned_other(work, step, live)


def _planned_after(work: Work, step: Step) -> Step:
    """The plan for an object that is being deleted: it is created again, unless it is a run that has ended."""
    decision = _decided_new(work, step.desired) if step.desired.is_run else Decision("create")
    if decision.plan == "create":
        return replace(step, plan="wait")
    return left_alone(step, decision, _why_not_created(work, step.desired, decision))


def _left_foreign(work: Work, step: Step, live: Body, owner: str) -> Step:
    """A cluster-scoped object of another set with the same content stays there; all others are errors."""
    if owner and not step.desired.id.namespace:
        labels = {**step.desired.body["metadata"]["labels"], marks.PART_OF: owner}
        body = with_metadata(step.desired.body, {"uid": live["metadata"]["uid"], "labels": labels})
        if is_same(work.api.apply(body, dry_run=True), live):
            return step.ended("unchanged")
    reason = "OtherSet" if owner else "NotOurs"
    return step.ended("refused", reason, advice(reason, work.options.training_set))


def _planned_new(work: Work, step: Step) -> Step:
    item = step.desired
    decision = _decided_new(work, item) if item.is_run else Decision("create")
    if decision.plan != "create":
        return left_alone(step, decision, _why_not_created(work, item, decision))
    rival = work.rivals.get(item.id)
    if rival:
        return step.ended("refused", rival, advice(rival, work.options.training_set))
    body = with_metadata(kueue.to_create(work.api, item.body) if item.is_run else item.body, {"resourceVersion": NEW})
    return _dry_run_new(work, replace(step, plan="create", body=body))


def _known_entry(work: Work, item: DesiredObject) -> InventoryEntry | None:
    """The entry of a run, or of one that was started with the other value of `emit`: a name runs once."""
    entry = work.inventory.get(entry_id(item.id))
    other = other_run(item.id)
    if entry or other is None or item.id in work.rivals:
        return entry
    found = work.inventory.get(entry_id(other))
    return replace(found, hash=item.hash) if found else None  # the contents of two kinds cannot be compared


def _decided_new(work: Work, item: DesiredObject) -> Decision:
    """The decision for a run that does not exist."""
    entry = _known_entry(work, item)
    state: State = "absent" if entry is None else "gone" if entry.state == "started" else "starting"
    change: Change = "same" if entry is None or entry.hash == item.hash else "frozen"
    age = seconds_between(entry.at, work.api.date) if entry else 0.0
    may_have_run = item.ttl is not None and age > item.ttl
    return decide(state, change, policy_of(work, item), is_rerun=is_rerun(work, item), may_have_run=may_have_run)


def _why_not_created(work: Work, item: DesiredObject, decision: Decision) -> str:
    if decision.reason in ADVICE:
        return advice(decision.reason, work.options.training_set)
    entry = _known_entry(work, item)
    if entry is not None and entry.id != entry_id(item.id):
        return "it ran with another value of emit; use --rerun to start it again"
    has_changed = entry is not None and entry.hash != item.hash
    return f"it ran with other content: {HOW_TO_RUN}" if has_changed else ""


def _dry_run_new(work: Work, step: Step) -> Step:
    item = step.desired
    try:
        if item.makes:
            work.api.create(with_placeholders(item.body, item.makes), dry_run=True)
        else:
            work.api.apply(step.body, dry_run=True)
    except ApiError as error:
        if work.creates_types and comes_later(error):
            return replace(step, is_deferred=True)
        raise
    problem = check_jobs(work, item.id, step.body)
    return problem.on(work, step) if problem else step


def _planned_other(work: Work, step: Step, live: Body) -> Step:
    body = with_metadata(step.desired.body, {"uid": live["metadata"]["uid"]})
    answer = work.api.apply(body, dry_run=True, force=work.options.force_conflicts)
    if is_same(answer, live):
        return step.ended("unchanged")
    return replace(step, plan="apply", body=body)
