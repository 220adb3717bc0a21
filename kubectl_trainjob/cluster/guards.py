"""Who else creates runs of the same names: Trainer in the cluster, and TrainJobs and JobSets that exist."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.resources import ApiResource
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.stages import Body, ObjectId

_LEASE = ObjectId("coordination.k8s.io/v1", "Lease", "kubeflow-system", "trainer.kubeflow.org")
_OTHERS = {
    KindRole.JOB_SET: (trainer.API_VERSION, trainer.TRAIN_JOB, "TrainJobExists"),
    KindRole.TRAINING_JOB: (jobset.API_VERSION, jobset.KIND, "JobSetExists"),
}


def other_run(identity: ObjectId) -> ObjectId | None:
    """The run of the same name with the other value of `emit`: the JobSet for a TrainJob, and back."""
    other = _OTHERS.get(role_of(identity))
    return ObjectId(other[0], other[1], identity.namespace, identity.name) if other else None


def check_no_trainer(api: Api) -> str:
    """A note if it is not known whether Trainer runs. Raises EnvironmentFault if one does."""
    try:
        is_alive = is_trainer_alive(api)
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        return f"cannot find out whether Trainer runs in the cluster ({error.reason}); apply assumes that it does not"
    if is_alive:
        raise EnvironmentFault(
            "Trainer runs in this cluster, and also creates the JobSets; use --emit trainjob, "
            "or set emit: trainjob in trainjob.yaml"
        )
    return ""


def is_trainer_alive(api: Api) -> bool:
    """Whether Trainer renews its Lease. Raises ApiError if the Lease may not be read."""
    lease = api.get(_LEASE)
    return lease is not None and _is_held(lease, api.date)


def _is_held(lease: Body, now: str) -> bool:
    spec = lease.get("spec") or {}
    age = seconds_between(spec.get("renewTime") or "", now)
    return bool(spec.get("holderIdentity")) and age < (spec.get("leaseDurationSeconds") or 0)


def rivals(api: Api, ids: Iterable[ObjectId]) -> dict[ObjectId, str]:
    """The runs that cannot be created, and why: a TrainJob has the name of a JobSet of ours, or the other way around.

    A JobSet with an owner is a controller's own.
    """
    found: dict[ObjectId, str] = {}
    for (role, namespace), runs in group(((role_of(each), each.namespace), each) for each in ids).items():
        other = _OTHERS.get(role)
        if other and api.has_kind(*other[:2]):
            resource = api.resource(ObjectId(*other[:2], namespace, ""))
            names = _names_without_owner(api, resource, namespace)
            found |= {each: other[2] for each in runs if each.name in names}
    return found


def _names_without_owner(api: Api, resource: ApiResource, namespace: str) -> set[str]:
    """The names of the objects of a kind; none without the right to list them: then this user has none."""
    try:
        listed = [live["metadata"] for live in api.list(resource, namespace, heads_only=True)]
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        return set()
    return {head["name"] for head in listed if not head.get("ownerReferences")}
