"""What a cluster has, as far as the user may read it: None means unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from kubectl_trainjob.cluster import guards, kueue
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.doctor.delivery import Delivery, read_delivery
from kubectl_trainjob.cluster.errors import ApiError, or_none
from kubectl_trainjob.cluster.protocol import ApiAnswer, ApiRequest
from kubectl_trainjob.cluster.rights import ROLE, Right
from kubectl_trainjob.cluster.side_by_side import side_by_side
from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.kube.facts.trainer import KUEUE_QUEUE_LABEL
from kubectl_trainjob.kube.schemas.load import paths
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

JOB_SET = (jobset.API_VERSION, jobset.KIND)
TRAIN_JOB = (trainer.API_VERSION, trainer.TRAIN_JOB)
LEGACY = ("kubeflow.org/v1", "PyTorchJob")
GANGS = ((trainer.COSCHEDULING_API_VERSION, trainer.POD_GROUP), (trainer.VOLCANO_API_VERSION, trainer.POD_GROUP))
DEPLOYMENTS = {
    "JobSet": ("jobset-system", "jobset-controller-manager"),
    "Trainer": ("kubeflow-system", "kubeflow-trainer-controller-manager"),
    "Kueue": ("kueue-system", "kueue-controller-manager"),
}
"""The Deployment of each controller in the manifests of its releases."""

_PROBE = "kubectl-trainjob-doctor"
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


@dataclass(frozen=True, slots=True)
class Requirements:
    """What the files want: the emit and the Trainer ("" and the latest without files), and their objects.

    `runtimes` are those of the files, or without files of the catalogue. `errors` counts errors of the files.
    """

    trainer: str
    emit: str = ""
    objects: Sequence[tuple[ObjectId, Body]] = ()
    runtimes: Sequence[tuple[ObjectId, Body]] = ()
    errors: int = 0


class Controller(NamedTuple):
    """A Deployment: the version of its image, "" without a release, and how many of its Pods are ready."""

    version: str
    ready: int


@dataclass(frozen=True, slots=True, eq=False)
class ClusterFacts:
    """All that the checks look into. `namespace` is the one that rights were read for.

    `kinds` are served. `fields` are those of JobSets and TrainJobs. `probes` are answers to dry runs that create one.
    `webhooks` are the configurations, `endpoints` the ready addresses of their Services. `missing` are rights.
    """

    namespace: str
    kubernetes: str
    now: str
    kinds: frozenset[tuple[str, str]]
    fields: Mapping[tuple[str, str], frozenset[str]]
    controllers: Mapping[str, Controller | None]
    probes: Mapping[tuple[str, str], ApiAnswer]
    webhooks: Sequence[Body] | None
    endpoints: Mapping[tuple[str, str], int] = field(default_factory=dict)
    is_leased: bool | None = None
    missing: Mapping[Right, tuple[str, ...]] = field(default_factory=dict)
    kueue: str = ""
    queues: Mapping[tuple[str, str], Body | None] = field(default_factory=dict)
    runtimes: Mapping[ObjectId, Body] = field(default_factory=dict)
    delivery: Delivery = field(default_factory=Delivery)
    lacks_namespace: bool = False

    @property
    def has_trainer(self) -> bool:
        """Whether Trainer creates JobSets: it renews its Lease, or its webhook answers."""
        answer = self.probes.get(TRAIN_JOB)
        return bool(self.is_leased) or (answer is not None and "denied the request" in answer.message)


def read_facts(api: Api, namespace: str, wanted: Requirements) -> ClusterFacts:
    """Read everything. Raises EnvironmentFault if there is no cluster."""
    version = api.send(ApiRequest("GET", "/version"))
    needed = {(each.api_version, each.kind) for each, _ in wanted.objects}
    kinds = frozenset(each for each in {JOB_SET, TRAIN_JOB, LEGACY, *GANGS, *needed} if api.has_kind(*each))
    webhooks = or_none(lambda: list(_webhooks(api)))
    lacks_namespace = or_none(lambda: api.get(ObjectId("v1", "Namespace", "", namespace)) is None) is True
    probed = "default" if lacks_namespace else namespace
    return ClusterFacts(
        namespace,
        str(value_at(version.body, ("gitVersion",)) or ""),
        api.date,
        kinds,
        {each: found for each in (JOB_SET, TRAIN_JOB) if each in kinds and (found := _fields(api, *each))},
        {name: _controller(api, *place) for name, place in DEPLOYMENTS.items()},
        {each: _probe(api, probed, each) for each in (JOB_SET, TRAIN_JOB) if each in kinds},
        webhooks,
        dict(_endpoints(api, webhooks or ())),
        or_none(lambda: guards.is_trainer_alive(api)),
        dict(_missing(api, namespace, kinds)),
        kueue.version(api),
        dict(_queues(api, wanted)),
        dict(_runtimes(api, wanted)),
        read_delivery(api),
        lacks_namespace,
    )


def _webhooks(api: Api) -> Iterator[Body]:
    for kind in _WEBHOOKS:
        yield from api.list(api.resource(ObjectId("admissionregistration.k8s.io/v1", kind, "", "")), "")


def _fields(api: Api, api_version: str, kind: str) -> frozenset[str]:
    """The fields of a kind as the server publishes them; empty if it does not."""
    answer = api.send(ApiRequest("GET", f"/openapi/v3/apis/{api_version}"))
    schemas = value_at(answer.body, ("components", "schemas")) if answer.is_success else None
    wanted = {"group": group_of(api_version), "version": api_version.partition("/")[2], "kind": kind}

    def part(node: Any) -> Body:
        reference = node.get("$ref") or next((each["$ref"] for each in node.get("allOf") or () if "$ref" in each), "")
        found: Body = (schemas or {}).get(reference.rpartition("/")[2], {}) if reference else node
        return found

    roots = (each for each in (schemas or {}).values() if wanted in each.get("x-kubernetes-group-version-kind", ()))
    return frozenset(path for root in roots for path in paths(root, part))


def _controller(api: Api, namespace: str, name: str) -> Controller | None:
    live = or_none(lambda: api.get(ObjectId("apps/v1", "Deployment", namespace, name)))
    if live is None:
        return None
    containers = value_at(live, ("spec", "template", "spec", "containers")) or ()
    images = {each["name"]: str(each.get("image") or "") for each in containers}
    image = images.get("manager") or next(iter(images.values()), "")
    tag = image.partition("@")[0].rpartition(":")[2]
    ready = value_at(live, ("status", "readyReplicas")) or 0
    return Controller(tag.removeprefix("v") if tag[:2] in [f"v{digit}" for digit in range(10)] else "", ready)


def _probe(api: Api, namespace: str, kind: tuple[str, str]) -> ApiAnswer:
    """The answer to a dry run that creates an object: an error that does not pass is an answer, too."""
    container = {"name": "a", "image": "a"}
    job = {"name": "a", "template": {"spec": {"template": {"spec": {"containers": [container]}}}}}
    spec = {"replicatedJobs": [job]} if kind == JOB_SET else {"runtimeRef": {"name": _PROBE}}
    body = {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": _PROBE, "namespace": namespace}, "spec": spec}
    path = api.resource(ObjectId(*kind, namespace, "")).path(namespace)
    return api.send(ApiRequest("POST", path, {"dryRun": "All"}, body))


def _endpoints(api: Api, webhooks: Iterable[Body]) -> Iterator[tuple[tuple[str, str], int]]:
    services = {(each["namespace"], each["name"]) for each in services_of(webhooks)}
    for namespace, name in sorted(services):
        kind = ObjectId("discovery.k8s.io/v1", "EndpointSlice", namespace, "")
        slices = or_none(
            lambda kind=kind, space=namespace, name=name: list(  # type: ignore[misc]
                api.list(api.resource(kind), space, f"kubernetes.io/service-name={name}")
            )
        )
        if slices is not None:
            every = (end for each in slices for end in each.get("endpoints") or ())
            ready = (end for end in every if value_at(end, ("conditions", "ready")) is not False)
            yield (namespace, name), sum(len(end["addresses"]) for end in ready)


def services_of(webhooks: Iterable[Body]) -> Iterator[Body]:
    """The Services that serve webhooks of the kinds that we create."""
    for each in webhooks:
        for hook in (*hooks_of(each, JOB_SET), *hooks_of(each, TRAIN_JOB)):
            service = value_at(hook, ("clientConfig", "service"))
            if service:
                yield service


def hooks_of(configuration: Body, kind: tuple[str, str]) -> list[Body]:
    """The webhooks of a configuration that see objects of a group."""
    group, hooks = group_of(kind[0]), configuration.get("webhooks") or ()
    return [hook for hook in hooks if any(group in rule.get("apiGroups", ()) for rule in hook.get("rules") or ())]


def _missing(api: Api, namespace: str, kinds: Iterable[tuple[str, str]]) -> Iterator[tuple[Right, tuple[str, ...]]]:
    groups = {"", "batch", *(group_of(version) for version, _ in kinds)}
    groups |= {"kueue.x-k8s.io"} if kueue.version(api) else set()
    rows = [right for rule in ROLE for right in rule.rights if right.group in groups]
    reviews = [(right, verb) for right in rows for verb in right.verbs]
    answers = side_by_side(lambda review: _may(api, namespace, *review), reviews, lambda _done, _all: None)
    denied = [review for review, allowed in zip(reviews, answers, strict=True) if not allowed]
    for right in rows:
        verbs = tuple(verb for each, verb in denied if each == right)
        if verbs:
            yield right, verbs


def _may(api: Api, namespace: str, right: Right, verb: str) -> bool:
    asked = {"namespace": namespace, "group": right.group, "resource": right.resource, "verb": verb}
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {**asked, "subresource": right.subresource}},
    }
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    return value_at(api.send(ApiRequest("POST", path, body=body)).body, ("status", "allowed")) is not False


def _queues(api: Api, wanted: Requirements) -> Iterator[tuple[tuple[str, str], Body | None]]:
    """The LocalQueues that the files name."""
    version = kueue.version(api)
    labels = ((each, value_at(body, ("metadata", "labels", KUEUE_QUEUE_LABEL))) for each, body in wanted.objects)
    for namespace, name in sorted({(each.namespace, name) for each, name in labels if name}) if version else ():
        try:
            yield (namespace, name), api.get(ObjectId(version, "LocalQueue", namespace, name))
        except ApiError:
            continue


def _runtimes(api: Api, wanted: Requirements) -> Iterator[tuple[ObjectId, Body]]:
    """The live runtimes of these names."""
    for identity, _ in wanted.runtimes:
        if api.has_kind(identity.api_version, identity.kind):
            live = or_none(partial(api.get, identity))
            if live is not None:
                yield identity, live
