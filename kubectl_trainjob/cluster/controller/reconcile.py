"""One reconcile of one TrainingSet: read it and its source, build, apply, and write what changed to its status.

It starts from what the cluster has now, and keeps nothing for the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api, missing_kind
from kubectl_trainjob.cluster.apply import apply
from kubectl_trainjob.cluster.controller.client import Client
from kubectl_trainjob.cluster.controller.deadlines import ENDED, Deadlines, end_overdue
from kubectl_trainjob.cluster.controller.events import report
from kubectl_trainjob.cluster.controller.source import OpenSource, SourceError, SourceTree
from kubectl_trainjob.cluster.controller.training_set import SetKey, TrainingSet, read_training_set
from kubectl_trainjob.cluster.controller.verdict import (
    SourceRevision,
    Verdict,
    begun,
    difference,
    ended,
    has_new_verdict,
    shortened,
    verdict_of,
)
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.guards import is_trainer_alive
from kubectl_trainjob.cluster.parent import ForeignParentError, Store
from kubectl_trainjob.cluster.plan import ApplyPlan
from kubectl_trainjob.cluster.protocol import Clock
from kubectl_trainjob.cluster.result import ObjectResult
from kubectl_trainjob.cluster.runs import is_deleting
from kubectl_trainjob.cluster.steps import ApplyOptions
from kubectl_trainjob.cluster.stores import ConfigMapStore, TrainingSetStore, inherited_of, kind_and_name
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.stages import Body, ObjectId

_TRIES = 5
TO_READ = 60.0  # seconds to read TrainingSets, with the pauses that the server sets
_TO_END = 30.0  # seconds for deadlines, also if the time of the reconcile is over
_ACCOUNT = "system:serviceaccount:{}:{}"
_OLD = (
    "the definition of TrainingSets is older than this controller, and keeps no copy of the kinds of a set; "
    "install it again: kubectl trainjob integrations controller crd | kubectl apply -f -"
)
_TRAINER = "Trainer runs in this cluster and would create the JobSets, too; set emit: trainjob in trainjob.yaml"


def no_publisher(_tree: SourceTree, _wanted: TrainingSet, _api: Api) -> Verdict:
    """The publisher of a controller that serves no artifacts."""
    message = "the controller serves no artifacts; start `run` with --storage-adv-address"
    raise SourceError(message, "ReconciliationFailed")


def no_comparison(_wanted: TrainingSet, _api: Api) -> Verdict:
    """The comparison of a controller without --shadow."""
    message = "TrainJobs are only compared; start a controller with --shadow, or use another source"
    raise SourceError(message, "ShadowOnly")


class LoopSource(NamedTuple):
    """How the loop opens and builds sources. `account` is for TrainingSets without a service account."""

    open: OpenSource
    build: Callable[[SourceTree, TrainingSet], AbstractContextManager[ApplyPlan]]
    """Raises SourceError."""
    account: str
    crosses_namespaces: bool = False
    publish: Callable[[SourceTree, TrainingSet, Api], Verdict] = no_publisher
    """Serves the build as an artifact. Raises SourceError and ApiError."""
    forget: Callable[[SetKey], None] = lambda _: None
    """A TrainingSet no longer exists, or is not published."""
    compare: Callable[[TrainingSet, Api], Verdict] = no_comparison
    """Compares the TrainJobs of the namespace, as the service account. Raises SourceError and ApiError."""
    is_shadow: bool = False
    """Whether TrainJobs are compared, and sets of other sources are not reconciled."""

    def reads(self, wanted: TrainingSet) -> bool:
        """Whether the source of a TrainingSet is in a namespace that is allowed."""
        return self.crosses_namespaces or wanted.source.namespace == wanted.key.namespace


class Outcome(NamedTuple):
    """The end of a reconcile: no verdict for a TrainingSet that is left as it is, is being deleted or does not exist.

    `pause` has the seconds until the next reconcile is due, None for never. `has_changed`: this one changed something.
    """

    key: SetKey
    verdict: Verdict | None = None
    wanted: TrainingSet | None = None
    objects: tuple[ObjectResult, ...] = ()
    pause: float | None = None
    has_changed: bool = False
    note: str = ""
    """What a user should do, although the reconcile is complete."""

    @property
    def is_left(self) -> bool:
        """Whether a controller with --shadow left the TrainingSet as it is."""
        return self.verdict is None and self.wanted is not None and not self.wanted.is_suspended


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The end of the work on members."""

    verdict: Verdict
    attempted: SourceRevision
    objects: tuple[ObjectResult, ...] = ()


def reconcile_once(key: SetKey, source: LoopSource, client: Client, clock: Clock) -> Outcome:
    """Reconcile. Raises ApiError and EnvironmentFault if the TrainingSet cannot be read or written."""
    own = client.api("", clock, TO_READ)
    if not own.has_kind(key.id.api_version, key.id.kind):
        raise missing_kind(key.id)  # at once: no other TrainingSet waits for the definition
    live = own.get(key.id)
    wanted = read_training_set(live) if live and not is_deleting(live) else None
    if wanted is None or wanted.is_suspended or (source.is_shadow and not wanted.is_compared):
        return Outcome(key, wanted=wanted)
    own.extend(wanted.timeout + _TO_END)
    account = _ACCOUNT.format(key.namespace, wanted.account or source.account)
    as_account = client.api(account, clock, wanted.timeout)
    store = TrainingSetStore(own, key.namespace, key.name)
    attempt = _attempted(wanted, source, own, as_account, store)
    deadlines = Deadlines() if wanted.is_compared else _deadlines(as_account, store)
    verdict = _problem(deadlines.problem) if deadlines.problem and attempt.verdict.is_ready else attempt.verdict
    verdict = verdict._replace(message=shortened(verdict.message))
    own.extend(_TO_END)
    attempt = replace(attempt, verdict=verdict, objects=(*attempt.objects, *map(_ended_run, deadlines.ended)))
    has_changed = _recorded(own, wanted, attempt, has_written=own.counts.write + as_account.counts.write > 0)
    is_done = attempt.verdict.is_ready or attempt.verdict.is_stalled
    pause = min(wanted.interval if is_done else wanted.retry_interval, deadlines.left)
    note = _OLD if store.has_old_definition else ""
    return Outcome(key, attempt.verdict, wanted, attempt.objects, pause, has_changed, note)


def _attempted(wanted: TrainingSet, source: LoopSource, own: Api, as_account: Api, store: Store) -> _Attempt:
    attempted = SourceRevision()
    try:
        if not source.reads(wanted):
            raise SourceError("the source must be in the namespace of the TrainingSet", "AccessDenied")
        if wanted.is_compared:
            return _Attempt(source.compare(wanted, as_account), attempted)
        with source.open(wanted, own) as tree:
            attempted = SourceRevision(tree.revision, tree.time)
            try:
                if wanted.is_published:
                    return _Attempt(source.publish(tree, wanted, own), attempted)
                with source.build(tree, wanted) as plan:
                    tree.check()
                    if begun(wanted, wanted.status, tree.revision, own.date) != wanted.status:
                        _write_status(own, wanted, lambda status: begun(wanted, status, tree.revision, own.date))
                    if plan.emit == "jobset" and _has_trainer(own):
                        return _Attempt(Verdict("TrainerActive", _TRAINER), attempted)
                    source.forget(wanted.key)  # the archive of a set that was published before
                    return _applied(plan, _options(wanted, own, as_account), store, as_account, attempted)
            except SourceError:
                tree.check()  # files that changed meanwhile are not errors of the files
                raise
    except (SourceError, ApiError, EnvironmentFault) as error:
        # an older artifact that a user requested is tried again
        time = attempted.time or getattr(error, "time", "")
        return _Attempt(_problem(error), attempted._replace(time=time))


def _problem(error: SourceError | ApiError | EnvironmentFault) -> Verdict:
    if isinstance(error, SourceError):
        return Verdict(error.reason, str(error))
    if isinstance(error, EnvironmentFault):
        reason = "ConflictBlocked" if isinstance(error, ForeignParentError) else "ReconciliationFailed"
        return Verdict(reason, str(error))
    reason = "AccessDenied" if error.reason in ("Forbidden", "Unauthorized") else "ReconciliationFailed"
    return Verdict(reason, f"{error.reason}: {error.message}")


def _applied(plan: ApplyPlan, options: ApplyOptions, store: Store, api: Api, attempted: SourceRevision) -> _Attempt:
    result = apply(plan, options, store, api, lambda *_: None)
    built = {each.id for each in plan.objects}
    return _Attempt(verdict_of(result, built, attempted.revision), attempted, result.objects)


def _has_trainer(api: Api) -> bool:
    """Whether Trainer runs; False if the loop may not read its Lease."""
    try:
        return is_trainer_alive(api)
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        return False


def _options(wanted: TrainingSet, own: Api, api: Api) -> ApplyOptions:
    options = ApplyOptions(wanted.policy, prune=wanted.has_prune, training_set=wanted.key.name)
    if not wanted.adopt_from:
        return options
    try:
        kind, name = kind_and_name(wanted.adopt_from)
    except ValueError as error:
        raise EnvironmentFault(f"annotation {marks.ADOPT_FROM}: {error}") from None
    namespace, is_config_map = wanted.key.namespace, kind == "ConfigMap"
    other: Store = ConfigMapStore(api, namespace, name) if is_config_map else TrainingSetStore(own, namespace, name)
    return replace(options, adopt_from=other.name.id, inherited=inherited_of(other))


def _deadlines(api: Api, store: Store) -> Deadlines:
    """End what has had its time, also after an error of the apply; an error here is tried again soon."""
    api.extend(_TO_END)
    try:
        return end_overdue(api, store)
    except (ApiError, EnvironmentFault) as error:
        return Deadlines(left=_TO_END, problem=error)


def _ended_run(identity: ObjectId) -> ObjectResult:
    return ObjectResult(identity, "failed", ENDED, "its activeDeadlineSeconds are over")


def _recorded(own: Api, wanted: TrainingSet, attempt: _Attempt, *, has_written: bool) -> bool:
    """Write the status, if it has anything new: whether this reconcile changed anything."""

    def change(status: Body) -> Body:
        after = ended(wanted, status, attempt.verdict, attempt.attempted, own.date)
        is_new = has_written or wanted.is_compared or difference(status, after)
        return {**after, "summary": attempt.verdict.summary} if is_new and attempt.verdict.summary else after

    if not has_written and not difference(wanted.status, change(wanted.status)):
        return False
    _write_status(own, wanted, change)
    is_new = has_new_verdict(wanted.status, attempt.verdict)
    report(own, wanted, attempt.verdict, attempt.objects, is_new=is_new)
    return True


def _write_status(own: Api, wanted: TrainingSet, change: Callable[[Body], Body]) -> None:
    """Write what a function changes of the status as it is now, if the TrainingSet still exists."""
    for number in range(_TRIES):
        live = own.get(wanted.key.id)
        if live is None or live["metadata"]["uid"] != wanted.uid:
            return
        status = live.get("status") or {}
        patch = difference(status, change(status))
        if not patch:
            return
        head = {"resourceVersion": live["metadata"]["resourceVersion"]}
        try:
            own.merge(wanted.key.id, {"metadata": head, "status": patch}, part="/status")
            return
        except ApiError as error:
            if error.reason not in ("Stale", "NotFound") or number == _TRIES - 1:
                raise
