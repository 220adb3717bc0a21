"""The plan for a live run: whether it is as the files say, can be changed in place, or needs a new run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from kubectl_trainjob.cluster import kueue, marks
from kubectl_trainjob.cluster.advice import advice
from kubectl_trainjob.cluster.api import MANAGER
from kubectl_trainjob.cluster.decide import Change, Decision, decide
from kubectl_trainjob.cluster.desired_objects import DesiredObject
from kubectl_trainjob.cluster.errors import NEW, ApiError
from kubectl_trainjob.cluster.jobs_of import check_jobs
from kubectl_trainjob.cluster.marks import POLICIES, Policy
from kubectl_trainjob.cluster.runs import has_queue, state_of
from kubectl_trainjob.cluster.steps import Step, Work
from kubectl_trainjob.kube.facts.run_hash import hashed_spec
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.kube.updates.live import as_applied, frozen_changes
from kubectl_trainjob.kube.updates.managed_fields import fields_of, owned
from kubectl_trainjob.model.source import Pointer, show_pointer
from kubectl_trainjob.model.stages import Body

HOW_TO_RUN = "give it a new name, use --rerun, or set recreate to when-terminal"
_SERVER_FIELDS = ("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid")


class _LiveComparison(NamedTuple):
    """The paths that need a new run, the changed run by our rules, and the answer of the dry run."""

    frozen: tuple[Pointer, ...]
    after: Body | None
    answer: Any = None


def plan_live_run(work: Work, step: Step, live: Body, *, is_ours: bool) -> Step:
    """The plan; a run that is not ours is never recreated."""
    item = step.desired
    sent = with_metadata(kueue.to_apply(work.api, live, item.body), {"uid": live["metadata"]["uid"]})
    compared = _compare(work, item, live, sent)
    step = replace(step, after=compared.after)
    change: Change = "frozen" if compared.frozen else "mutable"
    policy = policy_of(work, item) if is_ours else "never"
    decision = decide(state_of(live), change, policy, is_rerun=is_rerun(work, item))
    if change == "frozen" and not is_ours:
        decision = Decision("refuse", "Frozen")
    fields = tuple(map(show_pointer, compared.frozen))
    if decision.plan == "recreate":
        return _recreate(work, replace(step, plan="recreate"), decision, fields)
    if decision.plan != "apply":
        is_over = decision.reason == "Finished"
        why = f"its content changed: {HOW_TO_RUN}" if is_over else advice(decision.reason, work.options.training_set)
        return left_alone(step, decision, why, fields).located(work, compared.frozen)
    if compared.answer is not None and is_same(compared.answer, live):
        return step.ended("unchanged")
    return replace(step, plan="apply", body=sent)


def left_alone(step: Step, decision: Decision, message: str, fields: tuple[str, ...] = ()) -> Step:
    """The step of a run that is kept, or whose change is not allowed."""
    return step.ended("kept" if decision.plan == "keep" else "refused", decision.reason, message, fields)


def policy_of(work: Work, item: DesiredObject) -> Policy:
    """The policy of a run: its annotation, else the option."""
    return next((each for each in POLICIES if each == item.policy), work.options.policy)


def is_rerun(work: Work, item: DesiredObject) -> bool:
    """Whether the user wants the run once more."""
    return any(item.answers_to(name) for name in work.options.reruns)


def with_metadata(body: Body, added: Mapping[str, Any]) -> Body:
    """A body with more metadata."""
    return {**body, "metadata": {**body["metadata"], **added}}


def is_same(answer: Body, live: Body) -> bool:
    """Whether the answer of a dry run says that nothing would change."""
    return bool(server_content(answer) == server_content(live))


def server_content(body: Body) -> Any:
    """A live object without its status and what the server writes to its metadata."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in _SERVER_FIELDS}
    return {**{key: value for key, value in body.items() if key != "status"}, "metadata": metadata}


def _compare(work: Work, item: DesiredObject, live: Body, sent: Body) -> _LiveComparison:
    fields = fields_of(live, MANAGER, "Apply")
    before = owned(live, fields) if fields else sent  # who owns nothing removes nothing
    after = as_applied(live, before, sent, work.trainer)
    if after is not None:
        is_queued = has_queue(live) or has_queue(item.body)
        frozen = frozen_changes(live, after, work.trainer, has_queue=is_queued)
        if frozen:
            return _LiveComparison(frozen, after)
    if kueue.leaves_queue(work.api, live, item.body):
        return _LiveComparison((("metadata", "labels", KUEUE_QUEUE_LABEL),), after)
    try:
        answer = work.api.apply(sent, dry_run=True, force=work.options.force_conflicts)
    except ApiError as error:
        if not error.is_frozen:
            raise
        return _LiveComparison(tuple((field,) for field in error.fields) or (("spec",),), after)
    known = marks.annotation(live, marks.RUN_HASH) or item.hash
    if known != item.hash and hashed_spec(answer) == hashed_spec(live):
        return _LiveComparison((("metadata", "annotations", marks.RUN_HASH),), after)
    return _LiveComparison((), after, answer)


def _recreate(work: Work, step: Step, decision: Decision, fields: tuple[str, ...]) -> Step:
    """A recreated run: the new one is tried under a free name first. A policy that rejects it then ends no run."""
    result = replace(step.result, reason=decision.reason, fields=fields)
    identity = replace(step.desired.id, name=_free_name(step.desired.id.name))
    body = kueue.to_create(work.api, step.desired.body)
    trial = with_metadata(body, {"name": identity.name})
    try:
        work.api.create(trial, dry_run=True)
    except ApiError as error:
        if error.reason != "Exists":  # the server looks for the name last
            raise
    problem = check_jobs(work, step.desired.id, trial)
    step = replace(step, result=result, body=with_metadata(body, {"resourceVersion": NEW}))
    return problem.on(work, step) if problem else step


def _free_name(name: str) -> str:
    """Another name of the same length, which no user chooses."""
    return name[0] + "z" * (len(name) - 1) if len(name) > 1 else "z" if name != "z" else "y"
