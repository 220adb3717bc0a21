"""The loop: watches say which TrainingSets are due, workers reconcile them, and the Lease says whether they may."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_trainjob.cluster.controller.artifact import flux_source
from kubectl_trainjob.cluster.controller.client import Client, LeaseLostError
from kubectl_trainjob.cluster.controller.due_keys import DueKeys
from kubectl_trainjob.cluster.controller.leader import LEASE, Leader
from kubectl_trainjob.cluster.controller.metrics import Metrics
from kubectl_trainjob.cluster.controller.reconcile import TO_READ, LoopSource, Outcome, reconcile_once
from kubectl_trainjob.cluster.controller.source import SourceTree
from kubectl_trainjob.cluster.controller.source_watches import SourceWatches
from kubectl_trainjob.cluster.controller.training_set import SetKey, TrainingSet, read_training_set
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.plan import ApplyPlan
from kubectl_trainjob.cluster.protocol import Clock
from kubectl_trainjob.cluster.watching import WatchedKind, follow
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.stages import Body, ObjectId

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 900.0  # seconds after an error
_STALLED = 3  # times the resync: a watch that has not moved for so long is not alive
_TO_STOP = 60.0  # seconds for reconciles that are under way


class LoopOptions(NamedTuple):
    """What the loop watches ("" for all namespaces), and how much it does at once; `resync` is seconds."""

    namespace: str
    concurrent: int
    resync: float


@dataclass
class Loop:
    """The parts of one loop, and what it remembers: only what to do when."""

    client: Client
    source: LoopSource
    clock: Clock
    options: LoopOptions
    metrics: Metrics
    log: Callable[[str], None]
    stop: threading.Event = field(default_factory=threading.Event)
    is_lost: bool = False
    """Whether a write was not sent because the Lease was lost: then this replica ends, even if it has it again."""
    is_ready: bool = False
    """Whether all TrainingSets were listed once."""

    def __post_init__(self) -> None:
        self._moved_at = self.clock.monotonic()
        self.due: DueKeys[SetKey] = DueKeys(self.clock.monotonic)
        self._known: dict[SetKey, tuple[str | int, ...]] = {}
        self._failures: dict[SetKey, int] = {}
        self._sources = SourceWatches(self._follow_sources, self.due.add, is_everywhere=not self.options.namespace)
        self._said: dict[str, str] = {}

    @property
    def is_alive(self) -> bool:
        """Whether the watch moved, or listed again, in the last time."""
        return self.clock.monotonic() - self._moved_at < _STALLED * self.options.resync

    def page(self) -> tuple[int, str]:
        """The page of the metrics."""
        self.metrics.set("workqueue_depth", len(self.due), name="trainingset")
        return 200, self.metrics.text()

    def watch(self) -> None:
        """Follow the TrainingSets until `stop`."""
        kind, space = SetKey("", "").id, self.options.namespace
        parts = self._listed, self._changed, self._moved, self._restarted(kind), lambda body: self._gone(_key(body))
        self._follow(WatchedKind(kind, space, self.options.resync, *parts))

    def _follow_sources(self, kind: str, namespace: str, changed: Callable[[Body], None]) -> None:
        source = flux_source(kind)
        parts = lambda found: [*map(changed, found)], changed, lambda: None, self._restarted(source)
        self._follow(WatchedKind(source, namespace, self.options.resync, *parts))

    def _follow(self, watched: WatchedKind) -> None:
        follow(watched, lambda: self.client.api("", self.clock, TO_READ), self.clock, self.stop)

    def _restarted(self, kind: ObjectId) -> Callable[[str, str], None]:
        def restarted(reason: str, message: str) -> None:
            self.metrics.count("trainjob_watch_restarts_total", kind=kind.kind, reason=reason)
            self.log_once(f"objects of kind {kind.kind} cannot be listed: ", message)

        return restarted

    def work(self) -> None:
        """Reconcile what is due until the queue is closed."""
        while (key := self.due.take()) is not None:
            try:
                self._reconcile(key)
            except LeaseLostError:
                self.is_lost = True
                return
            except Exception as error:  # a bug must not end the loop for all other sets
                self.log(f"{key.namespace}/{key.name}: error: {error}\n{traceback.format_exc()}")
                self._retry(key, _LONGEST_PAUSE)
            finally:
                self.due.done(key)

    def _reconcile(self, key: SetKey) -> None:
        start = self.clock.monotonic()
        try:
            outcome = reconcile_once(key, self.source, self.client, self.clock)
        except (ApiError, EnvironmentFault) as error:
            if key in self._known:
                self.log(f"{key.namespace}/{key.name}: {error}")
                self._retry(key, _LONGEST_PAUSE)
            else:
                self._forget(key)
            self.metrics.count("controller_runtime_reconcile_total", controller="trainingset", result="error")
            return
        self._note(outcome, self.clock.monotonic() - start)
        if outcome.wanted is None:
            self._forget(key)
        if outcome.verdict is None or outcome.pause is None:
            self._failures.pop(key, None)
        elif outcome.verdict.is_ready or outcome.verdict.is_stalled:
            self._failures.pop(key, None)
            self.due.add(key, outcome.pause)
        else:
            self._retry(key, outcome.pause)

    def _retry(self, key: SetKey, longest: float) -> None:
        """Try again after a random time, which grows with each failure."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self.due.add(key, min(longest, _FIRST_PAUSE * 2 ** min(failures, 20)) * self.clock.jitter())

    def _note(self, outcome: Outcome, seconds: float) -> None:
        key, verdict = outcome.key, outcome.verdict
        labels = {"namespace": key.namespace, "name": key.name}
        result = "success" if verdict is None or verdict.is_ready else "error"
        self.metrics.count("controller_runtime_reconcile_total", controller="trainingset", result=result)
        if outcome.is_left:
            self.log_once(f"{key.namespace}/{key.name}: ", "left unchanged: --shadow only compares TrainJobs")
        if outcome.note:
            self.log_once("note: ", outcome.note)
        if verdict is None or outcome.wanted is None:
            return
        if outcome.wanted.is_compared:
            self.metrics.replace("trainjob_compared_jobs", labels, "result", verdict.summary or {})
        self.metrics.observe("gotk_reconcile_duration_seconds", seconds, kind="TrainingSet", **labels)
        if outcome.has_changed:
            self.log(f"{key.namespace}/{key.name}: {verdict.reason}: {verdict.message}")
        if verdict.is_ready:
            self.metrics.set("trainjob_last_success_timestamp_seconds", time.time(), **labels)
        self._note_objects(outcome, labels)

    def _note_objects(self, outcome: Outcome, labels: dict[str, str]) -> None:
        counts: dict[str, int] = {}
        for each in outcome.objects:
            if each.action == "pruned":
                self.metrics.count("trainjob_pruned_total", kind=each.id.kind)
            elif each.action == "refused":
                self.metrics.count("trainjob_refused_total", reason=each.reason)
            elif each.is_fine:
                counts[each.id.kind] = counts.get(each.id.kind, 0) + 1
        if outcome.objects:
            self.metrics.replace("trainjob_applied_objects", labels, "kind", counts)

    def _moved(self) -> None:
        self._moved_at = self.clock.monotonic()

    def log_once(self, what: str, problem: str) -> None:
        """Log a problem that is new, "" for none: each is tried again for ever."""
        if problem and self._said.get(what) != problem:
            self.log(what + problem)
        self._said[what] = problem

    def _listed(self, bodies: Sequence[Body]) -> None:
        """Note all TrainingSets; those that are new or changed are due."""
        keys = {_key(each) for each in bodies}
        for key in self._known.keys() - keys:
            self._gone(key)
        for body in bodies:
            self._changed(body)
        self.is_ready = True

    def _gone(self, key: SetKey) -> None:
        """A TrainingSet was deleted: a last reconcile finds that, and forgets it."""
        self._known.pop(key, None)
        self._sources.forget(key)
        self.due.add(key)

    def _forget(self, key: SetKey) -> None:
        self.metrics.forget(*key)
        if key not in self._known:  # no reconcile that could store anything follows
            self.source.forget(key)

    def _changed(self, body: Body) -> None:
        """A TrainingSet is due if its spec or a request is new; the loop itself changes only the rest."""
        metadata, wanted = body["metadata"], read_training_set(body)
        if self.source.reads(wanted):
            self._sources.note(wanted)
        seen = metadata["uid"], metadata["generation"], wanted.requested_at, wanted.adopt_from
        if self._known.get(_key(body)) != seen:
            self._known[_key(body)] = seen
            self.due.add(_key(body))


def _key(body: Body) -> SetKey:
    return SetKey(body["metadata"]["namespace"], body["metadata"]["name"])


def measured(source: LoopSource, metrics: Metrics, clock: Clock) -> LoopSource:
    """A source whose builds are measured."""

    @contextmanager
    def build(tree: SourceTree, wanted: TrainingSet) -> Iterator[ApplyPlan]:
        start, result = clock.monotonic(), "error"
        with ExitStack() as stack:
            try:
                plan = stack.enter_context(source.build(tree, wanted))
                result = "success"
            finally:
                metrics.observe("trainjob_compile_duration_seconds", clock.monotonic() - start, result=result)
            yield plan

    return source._replace(build=build)


def run(loop: Loop, leader: Leader | None, retry_period: float) -> bool:
    """Run until `loop.stop` is set: False if the Lease was lost. Threads that still wait end with the process."""
    threading.Thread(target=loop.watch, daemon=True, name="watch").start()
    workers = [threading.Thread(target=loop.work, daemon=True, name="worker") for _ in range(loop.options.concurrent)]
    is_leader = leader is None
    if is_leader:
        _start(workers)
    while not loop.stop.is_set():
        if leader:
            leader.renew()
            loop.log_once("the Lease cannot be renewed: ", leader.problem)
            is_lost = loop.is_lost or (is_leader and not leader.may_write)
            loop.metrics.set("leader_election_master_status", float(leader.may_write), name=LEASE)
            if is_lost:
                return False
            if not is_leader and leader.may_write:
                loop.log(f"{leader.identity} holds the Lease")
                _start(workers)
                is_leader = True
        loop.stop.wait(retry_period)
    return _stopped(loop, workers if is_leader else [], leader)


def _start(workers: list[threading.Thread]) -> None:
    for each in workers:
        each.start()


def _stopped(loop: Loop, workers: list[threading.Thread], leader: Leader | None) -> bool:
    """Finish what is under way, then let another replica go on."""
    loop.due.close()
    end = loop.clock.monotonic() + _TO_STOP
    while (left := [each for each in workers if each.is_alive()]) and loop.clock.monotonic() < end:
        left[0].join(1.0)
        if leader:
            leader.renew()
    if leader:
        leader.release()
    return True
