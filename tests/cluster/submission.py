"""Gives inputs to a plane with Trainer and collects what the server answers and what the controllers make of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.cluster.inputs import Job, namespace_of
from tests.cluster.ownership import Object, owner
from tests.cluster.plane import components
from tests.cluster.plane.client import ApiError, Client
from tests.cluster.plane.plane import Plane
from tests.conformance.stream import Document

KINDS = (
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    ("scheduling.x-k8s.io/v1alpha1", "PodGroup"),
    ("scheduling.volcano.sh/v1beta1", "PodGroup"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
)
_NOT_YET = "must be created before"
_STALL = 60.0  # seconds without a new object after which none is expected any more
_QUIET = 5
_THREADS = 4


@dataclass
class Treatment:
    """How the cluster treated one TrainJob: the server's rejections, else Trainer's errors and the objects."""

    rejections: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    objects: list[Object] = field(default_factory=list)

    @property
    def is_rejected(self) -> bool:
        """Whether the server rejected a document or no JobSet came."""
        return bool(self.rejections) or not any(one["kind"] == "JobSet" for one in self.objects)

    @property
    def said(self) -> str:
        """The cluster's own words; what was not in a cache yet is no reason."""
        errors = [error for error in self.errors if not error.endswith("not found")]
        return "\n".join(self.rejections or errors) or "(nothing: admitted and left alone)"


def submit(plane: Plane, jobs: Sequence[Job]) -> dict[str, Treatment]:
    """Create all runtimes, then all TrainJobs, wait until nothing more comes, and sort it by the job's id."""
    client = plane.client
    treatments = {job.id: Treatment() for job in jobs}
    namespaces = {namespace_of(d, job.namespace) for job in jobs for d in _readable(job)}
    with ThreadPoolExecutor(_THREADS) as pool:
        list(
            pool.map(lambda name: _create_namespace(client, name), sorted(namespaces | {job.namespace for job in jobs}))
        )
        answers = list(pool.map(lambda job: _create_all(client, job, jobs=False), _first_of_each_case(jobs)))
        of_case = {job.case.id: said for job, said in zip(_first_of_each_case(jobs), answers, strict=True)}
        _wait_for_runtimes(client)
        answers = list(pool.map(lambda job: _create_all(client, job, jobs=True), jobs))
    for job, said in zip(jobs, answers, strict=True):
        treatments[job.id].rejections = of_case[job.case.id] + said
    _collect(plane, jobs, treatments)
    return treatments


def _readable(job: Job) -> list[Document]:
    return job.documents if job.document else []


def _first_of_each_case(jobs: Iterable[Job]) -> list[Job]:
    return list({job.case.id: job for job in reversed(list(jobs))}.values())


def _create_namespace(client: Client, name: str) -> None:
    """Create it unless the input's name for it is no name: then the server rejects all that should go there."""
    try:
        client.create_namespace(name)
    except ApiError as error:
        if error.status != 422:
            raise


def _create_all(client: Client, job: Job, *, jobs: bool) -> list[str]:
    """The rejections of the TrainJob, or of all else in the input."""
    if job.document is None:
        return _create(client, job, None) if jobs else []
    chosen = [d for d in job.documents if d.is_job == jobs]
    return [message for document in chosen for message in _create(client, job, document)]


def _create(client: Client, job: Job, document: Document | None) -> list[str]:
    """Send the document's text; without one the whole text of the input, which nobody can read."""
    known = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": document.kind if document else "TrainJob"}
    metadata = {"namespace": namespace_of(document, job.namespace) if document else job.namespace}
    # The line that separates it from the next document ends the last line of this one.
    text = job.text if document is None else document.text + ("" if document is job.documents[-1] else "\n")
    try:
        client.create_text({**known, "metadata": metadata}, text)
    except ApiError as error:
        return [str(error)]
    return []


def _wait_for_runtimes(client: Client) -> None:
    """Trainer's webhook looks runtimes up in a cache, which is behind: ask for two that come after all others."""
    body = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "metadata": {"name": "the-last", "namespace": "default"}}
    job = {
        "name": "node",
        "template": {"spec": {"template": {"spec": {"containers": [{"name": "node", "image": "a"}]}}}},
    }
    job["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    for kind in ("ClusterTrainingRuntime", "TrainingRuntime"):
        client.create({**body, "kind": kind, "spec": {"template": {"spec": {"replicatedJobs": [job]}}}})
        trainjob = {**body, "kind": "TrainJob", "spec": {"runtimeRef": {"name": "the-last", "kind": kind}}}
        client.wait(f"Trainer's sight of {kind}", lambda one=trainjob: client.create(one, dry_run=True))


def _collect(plane: Plane, jobs: Sequence[Job], treatments: dict[str, Treatment]) -> None:
    ids = {(job.target, job.name): job.id for job in jobs}
    expected = {
        (job.target, one["kind"], one["metadata"]["name"])
        for job in jobs
        if job.outcome.exit_code == 0 and not treatments[job.id].rejections
        for one in job.outcome.objects
    }
    for one in _settled(plane.client, expected):
        if treatment := treatments.get(ids.get((one["metadata"]["namespace"], owner(one) or ""), "")):
            treatment.objects.append(one)
    for entry in components.errors(plane.log("trainer-manager")):
        key = entry.get("namespace", ""), entry.get("name", "")
        if key in ids and entry["error"] not in treatments[ids[key]].errors:
            treatments[ids[key]].errors.append(entry["error"])


def _settled(client: Client, expected: set[tuple[str, str, str]]) -> list[Object]:
    """All objects of our kinds once the expected ones are there, or nothing new has come for a while."""
    seen: set[tuple[str, str, str]] = set()
    last_news = time.monotonic()
    while True:
        live = [one for version, kind in KINDS for one in client.items(version, kind)]
        now = {(one["metadata"]["namespace"], one["kind"], one["metadata"]["name"]) for one in live}
        if now != seen:
            seen, last_news = now, time.monotonic()
        # What ours rejects would come unexpected, and late: a while without news even when all that we expect is there.
        if time.monotonic() - last_news > (_QUIET if expected <= now else _STALL):
            return live
        time.sleep(1)
