"""A TrainingSet as the loop reads it. The API server has checked its fields and filled in their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.marks import POLICIES, Policy
from kubectl_trainjob.cluster.result import set_named
from kubectl_trainjob.cluster.times import parsed_duration
from kubectl_trainjob.model.stages import Body, ObjectId

REQUESTED_AT = "reconcile.fluxcd.io/requestedAt"
_TRAIN_JOBS = "TrainJobs"


class SetKey(NamedTuple):
    """The namespace and the name of a TrainingSet."""

    namespace: str
    name: str

    @property
    def id(self) -> ObjectId:
        """The identity of the object."""
        return set_named("TrainingSet", *self).parent


class SourceRef(NamedTuple):
    """The kind, the name and the namespace of a source; TrainJobs have no name."""

    kind: str
    name: str
    namespace: str


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The spec of a TrainingSet, its status, and the requests in its annotations; times are seconds."""

    key: SetKey
    uid: str
    generation: int
    source: SourceRef
    path: str
    interval: float
    retry_interval: float
    timeout: float
    is_suspended: bool
    has_prune: bool
    is_published: bool
    """Whether Flux applies the objects, not the loop."""
    policy: Policy
    account: str
    requested_at: str
    adopt_from: str
    status: Body

    @property
    def is_compared(self) -> bool:
        """Whether its source is only compared."""
        return self.source.kind == _TRAIN_JOBS


def read_training_set(body: Body) -> TrainingSet:
    """The TrainingSet of an object."""
    metadata, spec = body["metadata"], body["spec"]
    notes = metadata.get("annotations") or {}
    source = spec["sourceRef"]
    interval = _seconds(spec["interval"])
    return TrainingSet(
        key=SetKey(metadata["namespace"], metadata["name"]),
        uid=metadata["uid"],
        generation=metadata["generation"],
        source=SourceRef(source["kind"], source.get("name", ""), source.get("namespace") or metadata["namespace"]),
        path=spec.get("path", "."),
        interval=interval,
        retry_interval=_seconds(spec["retryInterval"]) if "retryInterval" in spec else interval,
        timeout=_seconds(spec.get("timeout", "5m")),
        is_suspended=spec.get("suspend", False),
        has_prune=spec.get("prune", False),
        is_published=spec.get("output") == "ExternalArtifact",
        policy=next(each for each in POLICIES if each == spec.get("recreate", "never")),
        account=spec.get("serviceAccountName", ""),
        requested_at=notes.get(REQUESTED_AT, ""),
        adopt_from=notes.get(marks.ADOPT_FROM, ""),
        status=body.get("status") or {},
    )


def _seconds(text: str) -> float:
    found = parsed_duration(text)
    assert found is not None, "the definition has a pattern"
    return found
