"""The consequence of a change in a cluster, in words.

Mirrors kubeflow/trainer 2.0 to 2.3: an existing JobSet is applied again only while it or its TrainJob is suspended
(pkg/runtime/framework/plugins/jobset/jobset.go, Build); since 2.3 a TrainJob is expanded from its runtime as of its
creation (pkg/runtime/core/snapshot.go); until 2.2 a finalizer keeps a runtime while TrainJobs refer to
it (pkg/controller/trainingruntime_controller.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_trainjob.kube.admission.jobset_defaults import webhook_defaults
from kubectl_trainjob.kube.facts.kinds import KindRole, is_job, role_of, starts_trials
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER, NEXT
from kubectl_trainjob.kube.updates.immutable import check_data_update
from kubectl_trainjob.kube.updates.result import STATES, RejectedChange, State, UpdateResult, possible_states
from kubectl_trainjob.model.message import Message, joined, listed, say
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId, is_named

_IN_PLACE = ("ConfigMap", "PodGroup", "Secret")
_SNAPSHOTS = (LATEST_TRAINER, NEXT)
_PRUNED = say("is deleted where pruning is on")
_RECREATE = say("use a new name (nameHash of an overlay gives TrainJobs one), or delete and create it again")
_ONLY: Mapping[frozenset[State], Message] = {
    frozenset(("running",)): say("applies only while suspended, before or after the update"),
    frozenset(("running", "resuming")): say("applies only while suspended after the update"),
}
_EFFECTS: Mapping[State, tuple[Message, Message]] = {
    "suspending": (say("suspends the job, and its Pods end"), say("would suspend the job")),
    "resuming": (say("starts the job"), say("would start the job")),
}


class _JobUpdate(NamedTuple):
    """The update of a TrainJob or JobSet; `jobset` is the result for the JobSet of a TrainJob, if that changes."""

    identity: ObjectId
    old: Body
    new: Body
    result: UpdateResult
    jobset: UpdateResult | None


def consequence(
    identity: ObjectId,
    result: UpdateResult | None,
    old: Body | None,
    new: Body | None,
    version: str,
    jobset: UpdateResult | None = None,
) -> Message:
    """The consequence of one object's change where the Trainer `version` runs: a predicate, such as "applies in place".

    `old` is None for a new object, `new` for a removed one. `result` is None for a kind without rules and an invalid
    JobSet. `jobset` is the result for the JobSet of a changed TrainJob, None if that JobSet does not change.
    """
    if old is None:
        return say("is created")
    if not is_named(old):
        return say("has no effect on existing objects: each kubectl create makes another one")
    if new is None:
        return _removal(identity, version)
    if role_of(identity) is KindRole.RUNTIME:
        return _changed_runtime(result, version)
    if not is_job(identity):
        return _changed_other(identity, result or check_data_update(old, new))
    return _changed_job(identity, result, old, new, jobset)


def _changed_job(
    identity: ObjectId, result: UpdateResult | None, old: Body, new: Body, jobset: UpdateResult | None
) -> Message:
    if result is None:
        return say("is not checked: the {} has errors", identity.kind)
    update = _JobUpdate(identity, old, new, result, jobset)
    states = possible_states(old, new)
    if len(states) == 1:
        return _suspended_or_started(update, states[0])
    return joined((_application(update), _follow_up(update), _lost_fields(update)), "")


def _removal(identity: ObjectId, version: str) -> Message:
    if is_job(identity):
        return say("{}: a running job ends", _PRUNED)
    if starts_trials(identity):
        return say("{}: its trials end", _PRUNED)
    if role_of(identity) is not KindRole.RUNTIME:
        return _PRUNED
    if version in _SNAPSHOTS:
        return say("{}: TrainJobs that refer to it continue to run, but can no longer be changed", _PRUNED)
    return say("{}, once no TrainJob refers to it", _PRUNED)


def _changed_runtime(result: UpdateResult | None, version: str) -> Message:
    if result is not None and result.rejections:
        return say("is rejected ({}); {}", _reasons(result), _RECREATE)
    if version in _SNAPSHOTS:
        return say(
            "has no effect on TrainJobs that exist: running jobs keep their runtime snapshot, and so do suspended ones"
        )
    return say("changes suspended TrainJobs, as far as JobSet allows; running ones keep their JobSets")


def _changed_other(identity: ObjectId, result: UpdateResult) -> Message:
    if result.rejections:
        return say("is rejected ({}); {}", _reasons(result), _RECREATE)
    if identity.kind in _IN_PLACE:
        return say("is updated in place")
    return say("is applied; the cluster decides whether it may change")


def _suspended_or_started(update: _JobUpdate, state: State) -> Message:
    """For files that suspend or start the job: no other state is possible."""
    effect, intention = _EFFECTS[state]
    result, jobset = update.result, update.jobset
    if result.accepts(state):
        stuck = Message() if jobset is None or jobset.accepts(state) else _stuck(jobset)
        return say("applies in place and {}{}{}", effect, stuck, _lost_fields(update))
    if result.accepts("suspended"):
        return say(
            "{}, but is rejected ({}): apply the other changes while it is suspended, then start it",
            intention,
            _reasons(result),
        )
    return say("{}, but is rejected in every state ({}){}", intention, _reasons(result), _advice(update))


def _application(update: _JobUpdate) -> Message:
    rejected = frozenset(state for state in STATES if not update.result.accepts(state))
    if not rejected:
        return say("applies in place")
    if rejected in _ONLY:
        return say("{} ({})", _ONLY[rejected], _reasons(update.result))
    assert rejected == frozenset(STATES)
    return say("is rejected in every state ({}){}", _reasons(update.result), _advice(update))


def _advice(update: _JobUpdate) -> Message:
    """What to do about rejections in every state."""
    always = [rejection for rejection in update.result.rejections if rejection.state == "suspended"]
    if all(rejection.is_emptied for rejection in always):
        return Message()  # the reason says what to do
    if role_of(update.identity) is KindRole.TRAINING_JOB and all(_is_respelled(each, update) for each in always):
        return say(
            ": Trainer's webhook rewrites quantities, which counts as a change; "
            "write them in canonical form, such as 1 for 1000m; for an existing job, {}",
            _RECREATE,
        )
    return say("; {}", _RECREATE)


def _is_respelled(rejection: RejectedChange, update: _JobUpdate) -> bool:
    """Whether the files do not change the value, or change only how a quantity is written."""
    before, after = value_at(update.old, rejection.pointer), value_at(update.new, rejection.pointer)
    if before == after:
        return before is not None
    if not all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in (before, after)):
        return False
    try:
        return Quantity.parse(before) == Quantity.parse(after)
    except QuantityError:
        return False


def _reasons(result: UpdateResult) -> Message:
    """The server's reasons, each once; if some hold in every state, only these."""
    always = [rejection.brief for rejection in result.rejections if rejection.state == "suspended"]
    return joined(dict.fromkeys(always or [rejection.brief for rejection in result.rejections]))


def _follow_up(update: _JobUpdate) -> Message:
    if update.jobset is None or not update.result.accepts("suspended"):
        return Message()
    if update.jobset.accepts("suspended"):
        return say("; a running JobSet stays unchanged until the job is suspended")
    return _stuck(update.jobset)


def _stuck(jobset: UpdateResult) -> Message:
    return say("; its JobSet cannot be updated ({}): {}", _reasons(jobset), _RECREATE)


def _lost_fields(update: _JobUpdate) -> Message:
    """Fields that the update removes, and for which only a new JobSet would get a default: probably not intended."""
    if role_of(update.identity) is not KindRole.JOB_SET or not update.result.accepts("suspended"):
        return Message()
    old, new, defaulted = update.old["spec"], update.new["spec"], webhook_defaults(update.new)["spec"]
    fields = [f"spec.{key}" for key in old if key in defaulted and key not in new]
    if not fields:
        return Message()
    if len(fields) == 1:
        return say("; {} is removed, and no default replaces it", *fields)
    return say("; {} are removed, and no default replaces them", listed(fields, template="{}"))
