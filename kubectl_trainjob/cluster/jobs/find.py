"""Which jobs there are: the runs in the cluster, those that a set started and that no longer exist, and their names.

A TrainJob and its JobSet are one job, and so are a JobSet and its Jobs. A Job without such an owner is listed in two
cases: it belongs to a set of ours, or a user names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.inventory import InventoryEntry, entry_id
from kubectl_trainjob.cluster.jobs.sets import KnownSet, known_sets, object_of
from kubectl_trainjob.cluster.runs import is_run
from kubectl_trainjob.compiler.overlay.select import compile_selector
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.kube.facts.kinds import means_kind, object_words
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId, identity_of
from kubectl_trainjob.model.units import Selector

JOB = ("batch/v1", "Job")
KINDS = ((trainer.API_VERSION, trainer.TRAIN_JOB), (jobset.API_VERSION, jobset.KIND), JOB)
"""The kinds of runs."""
_MOST_NAMED = 20
_HASH = re.compile(r"-[0-9a-f]{10}\Z")

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class FoundJob:
    """The objects of one job. `run` is what a user writes, None if it no longer exists; `jobset` runs its Pods.

    `jobs` are the Jobs that create the Pods. `entry` is what the inventory of a set says about the run.
    """

    id: ObjectId
    run: Body | None = None
    jobset: Body | None = None
    jobs: tuple[Body, ...] = ()
    entry: InventoryEntry | None = None

    @property
    def train_job(self) -> str:
        """The name of the TrainJob that it was built from, "" if that is unknown."""
        if self.id.kind == trainer.TRAIN_JOB:
            return self.id.name
        return marks.label(self.run or {}, marks.TRAIN_JOB)

    @property
    def objects(self) -> tuple[Body, ...]:
        """The run, its JobSet and its Jobs."""
        found = [self.run, *([self.jobset] if self.jobset is not self.run else []), *self.jobs]
        return tuple(each for each in found if each is not None)

    def __str__(self) -> str:
        return f"{self.id.kind.lower()}/{self.id.name}"


class JobQuery(NamedTuple):
    """Which jobs to show: `namespace` "" means all; `home` is the namespace of the set `set_name`."""

    namespace: str
    home: str
    names: tuple[str, ...] = ()
    selector: str = ""
    set_name: str = ""


class JobChoice(NamedTuple):
    """The jobs that match a query, and errors for names without a job."""

    jobs: list[FoundJob]
    errors: list[str]


def find_jobs(api: Api, query: JobQuery, note: Note) -> JobChoice:
    """The jobs of a query. Raises ApiError if no kind of run can be listed, EnvironmentFault for a foreign set."""
    sets = list(known_sets(api, query.home if query.set_name else query.namespace, query.set_name, note))
    spaces = sorted({space for each in sets for space in each.namespaces}) if query.set_name else [query.namespace]
    errors, live = live_jobs(api, spaces)
    for kind, error in errors.items():
        note(f"{kind}s are not shown ({error.reason}: {error.message})")
    jobs = [*_with_entries(live, sets), *_gone(live, sets, errors, query)]
    jobs.sort(key=lambda job: (job.id.namespace, job.id.name, job.id.kind))
    selected = list(_select(jobs, query, sets))
    choice = _choose(selected, query.names)
    existing = [str(job) for job in selected if job.run is not None and job.id.kind != JOB[1]]
    if choice.errors and existing:
        more = f" and {len(existing) - _MOST_NAMED} more" if len(existing) > _MOST_NAMED else ""
        note(f"these jobs exist: {', '.join(existing[:_MOST_NAMED])}{more}")
    return choice


def live_jobs(api: Api, spaces: Iterable[str]) -> tuple[dict[str, ApiError], list[FoundJob]]:
    """The errors of kinds that cannot be listed, and the jobs that exist. Raises ApiError if none can be listed."""
    runs: list[Body] = []
    served = [(version, kind) for version, kind in KINDS if api.has_kind(version, kind)]
    errors = dict[str, ApiError]()
    for version, kind in served:
        try:
            resource = api.resource(ObjectId(version, kind, "", ""))
            runs += (each for space in spaces for each in api.list(resource, space))
        except ApiError as error:
            errors[kind] = error
    if errors and len(errors) == len(served):
        raise next(iter(errors.values()))
    return errors, list(_group_runs(runs))


def _group_runs(runs: Sequence[Body]) -> Iterator[FoundJob]:
    known = {each["metadata"]["uid"] for each in runs}
    owned = group((owner_of(each), each) for each in runs)
    for each in runs:
        if owner_of(each) in known or (each["kind"] == "Job" and owner_of(each)):
            continue
        children = owned.get(each["metadata"]["uid"], [])
        if each["kind"] == "Job":
            yield FoundJob(identity_of(each), each, None, (each,))
            continue
        inner = each if each["kind"] == jobset.KIND else next((c for c in children if c["kind"] == jobset.KIND), None)
        jobs = owned.get(inner["metadata"]["uid"], []) if inner else []
        yield FoundJob(identity_of(each), each, inner, tuple(jobs))


def owner_of(body: Body) -> str:
    """The uid of the object that controls another, "" for none."""
    owners = body["metadata"].get("ownerReferences") or ()
    return next((str(each["uid"]) for each in owners if each.get("controller")), "")


def _with_entries(live: Iterable[FoundJob], sets: Sequence[KnownSet]) -> Iterator[FoundJob]:
    entries = {key: entry for each in reversed(sets) for key, entry in each.inventory.items()}
    for job in live:
        yield FoundJob(job.id, job.run, job.jobset, job.jobs, entries.get(entry_id(job.id)))


def _gone(
    live: Iterable[FoundJob], sets: Iterable[KnownSet], unknown: Container[str], query: JobQuery
) -> Iterator[FoundJob]:
    """The runs that a set started, and that no longer exist."""
    present = {entry_id(identity_of(each)) for job in live for each in job.objects}
    for entry in (entry for each in sets for entry in each.inventory.values()):
        identity = object_of(entry)
        is_here = query.set_name or query.namespace in ("", identity.namespace)
        is_known = identity.kind not in unknown and entry.id not in present
        if is_run(identity) and entry.state == "started" and is_known and is_here:
            yield FoundJob(identity, entry=entry)


def _select(jobs: Iterable[FoundJob], query: JobQuery, sets: Sequence[KnownSet]) -> Iterator[FoundJob]:
    """The jobs of the set with the labels. Without a name, these are only jobs that train."""
    matches = compile_selector(Selector(label_selector=query.selector), Steps(LIMITS)) if query.selector else None
    ids = {each.id for each in sets}
    for job in jobs:
        labels = value_at(job.run, ("metadata", "labels")) or {}
        is_member = job.entry is not None or labels.get(marks.PART_OF) in ids
        if query.set_name and not is_member:
            continue
        if job.id.kind == "Job" and not query.names and marks.PART_OF not in labels and job.entry is None:
            continue
        if matches is None or (job.run is not None and matches([job.id], labels, {})):
            yield job


def _choose(jobs: list[FoundJob], names: Sequence[str]) -> JobChoice:
    if not names:
        return JobChoice(jobs, [])
    found: dict[FoundJob, None] = {}
    errors: list[str] = []
    by_name = group((name, job) for job in jobs for name in {job.id.name, _HASH.sub("", job.id.name)})
    for text in dict.fromkeys(object_words(names)[0]):
        matching = _jobs_named(by_name, text)
        if len(matching) == 1:
            found |= dict.fromkeys(matching)
        elif matching:
            errors.append(f"{text} matches several jobs; use one of: {', '.join(map(str, matching))}")
        else:
            errors.append(f'job "{text}" does not exist; status -A lists all jobs')
    return JobChoice(list(found), errors)


def _jobs_named(jobs: Mapping[str, Sequence[FoundJob]], text: str) -> list[FoundJob]:
    """The jobs that match a name: with exactly this name, else with a hash; existing ones, else recorded ones.

    `jobs` are by their names, and by those without a hash.
    """
    kind, _, name = text.rpartition("/")
    word = kind.partition(".")[0]
    of_name = jobs.get(name, ())
    of_kind = [job for job in of_name if not kind or any(means_kind(word, each) for each in _kinds_of(job))]
    matching = [job for job in of_kind if job.id.name == name] or of_kind
    return [job for job in matching if job.run is not None] or matching


def _kinds_of(job: FoundJob) -> Iterator[str]:
    yield job.id.kind
    if job.train_job:
        yield trainer.TRAIN_JOB
    if job.jobset is not None:
        yield jobset.KIND
