"""Argo CD and Flux in a cluster: whether they deliver jobs with the settings that `integrations` prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.doctor.values import DoctorCheck, Level
from kubectl_trainjob.cluster.errors import or_none
from kubectl_trainjob.kube.facts.gitops import forces, prunes_unconfirmed, replaces_variables, sync_options, uses_plugin
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body, ObjectId

_NAMESPACE = "argocd"  # that of its releases
_APPLICATION = ("argoproj.io/v1alpha1", "Application")
_KUSTOMIZATION = ("kustomize.toolkit.fluxcd.io/v1", "Kustomization")
_JOBSET = "jobset.x-k8s.io_JobSet"
_HEALTH, _IGNORED = (f"resource.customizations.{each}.{_JOBSET}" for each in ("health", "ignoreDifferences"))
_SUSPEND = re.compile(r"/spec(/suspend)?(?![\w/])|\.spec\.suspend\b")
_GATE = "ExternalArtifact feature gate is disabled"  # a Kustomization without it has delivered nothing yet
_MOST = 300  # characters of a message of Argo CD or Flux


class Delivery(NamedTuple):
    """The Applications and Kustomizations that deliver JobSets, None if they cannot be read.

    `settings` is the ConfigMap argocd-cm and `repo_server` the Deployment with the plugin, None if unknown.
    """

    applications: Sequence[Body] | None = ()
    kustomizations: Sequence[Body] | None = ()
    settings: Body | None = None
    repo_server: Body | None = None


def read_delivery(api: Api) -> Delivery:
    """Read what the user may read."""
    applications = _list(api, _APPLICATION, _is_application)
    kustomizations = _list(api, _KUSTOMIZATION, _is_kustomization)
    if not applications:
        return Delivery(applications, kustomizations)
    settings = or_none(lambda: api.get(ObjectId("v1", "ConfigMap", _NAMESPACE, "argocd-cm")))
    repo_server = or_none(lambda: api.get(ObjectId("apps/v1", "Deployment", _NAMESPACE, "argocd-repo-server")))
    return Delivery(applications, kustomizations, settings, repo_server)


def check_delivery(found: Delivery) -> Iterator[DoctorCheck]:
    """Settings that lose or repeat runs, or that report a failed run as healthy."""
    yield from _checked("argocd", "Applications", found.applications, lambda each: _of_application(each, found))
    yield from _checked("flux", "Kustomizations", found.kustomizations, _of_kustomization)


Problem = tuple[Level, str, str]


def _checked(
    name: str, kinds: str, objects: Sequence[Body] | None, problems: Callable[[Body], Iterator[Problem]]
) -> Iterator[DoctorCheck]:
    if objects is None:
        yield DoctorCheck(name, "note", f"you may not list {kinds}", f"allow list on {kinds}")
        return
    is_in_order = True
    for each in objects:
        for level, message, advice in problems(each):
            is_in_order = False
            head = each["metadata"]
            yield DoctorCheck(name, level, f"{each['kind']} {head['namespace']}/{head['name']}: {message}", advice)
    if objects and is_in_order:
        yield DoctorCheck(name, "ok", f"{len(objects)} {kinds} deliver JobSets")


def _of_application(application: Body, found: Delivery) -> Iterator[Problem]:
    data = value_at(found.settings, ("data",)) or {}
    spec = application["spec"]
    advice = "compare it with: kubectl trainjob integrations argocd application"
    if found.settings is not None and _HEALTH not in data:
        yield "warning", "argocd-cm has no health of JobSets: a failed run is healthy", _use("argocd cm")
    if found.repo_server is not None and uses_plugin(spec) and not _has_sidecar(found.repo_server):
        yield "error", "the repo-server has no sidecar with a plugin", _use("argocd sidecar")
    if forcing := next(filter(forces, sync_options(spec)), None):
        yield "error", f"{forcing} ends running jobs", advice
    if "ServerSideDiff=true" in marks.annotation(application, "argocd.argoproj.io/compare-options"):
        yield "warning", "with ServerSideDiff, one immutable change hides all objects", advice
    if prunes_unconfirmed(spec):
        yield "warning", "automated prune ends running jobs without a confirmation", advice
    ignored = [*(spec.get("ignoreDifferences") or ()), data.get(_IGNORED, "")]
    if found.settings is not None and not _SUSPEND.search(str(ignored)):
        yield "warning", "it does not ignore what Kueue and the API server set", _use("argocd cm")
    for each in value_at(application, ("status", "conditions")) or ():
        if str(each.get("type")).endswith("Error"):
            yield "error", str(each.get("message"))[:_MOST], "correct the files, or the Application"


def _of_kustomization(kustomization: Body) -> Iterator[Problem]:
    spec, advice = kustomization["spec"], "compare it with: kubectl trainjob integrations flux kustomization"
    problem = _not_ready(kustomization)
    if _GATE in problem:
        yield "warning", problem, "start kustomize-controller with --feature-gates=ExternalArtifact=true"
        return
    if spec.get("force"):
        yield "error", "force: true ends running jobs, even for an error in a manifest", advice
    if not _has_health(spec) or not (spec.get("wait") or spec.get("healthChecks")):
        yield "warning", "it has no health of JobSets, or no wait: true: a failed run is ready", advice
    if replaces_variables(spec):
        yield "warning", "postBuild replaces variables in commands and scripts", advice
    if problem:
        yield "error", problem, "see: flux get kustomizations"


def _not_ready(kustomization: Body) -> str:
    """Why a Kustomization is not ready, "" if it is, or if that is not known yet."""
    conditions = value_at(kustomization, ("status", "conditions")) or ()
    found = (each.get("message") for each in conditions if (each.get("type"), each.get("status")) == ("Ready", "False"))
    return str(next(found, None) or "")[:_MOST]


def _use(name: str) -> str:
    return f"add what this prints: kubectl trainjob integrations {name}"


def _is_application(body: Body) -> bool:
    resources = value_at(body, ("status", "resources")) or ()
    return uses_plugin(body["spec"]) or any(each.get("kind") == "JobSet" for each in resources)


def _has_sidecar(deployment: Body) -> bool:
    containers = value_at(deployment, ("spec", "template", "spec", "containers")) or ()
    return any("argocd-cmp-server" in str(each.get("command")) for each in containers)


def _is_kustomization(body: Body) -> bool:
    entries = value_at(body, ("status", "inventory", "entries")) or ()
    has_jobset = _has_health(body["spec"]) or any(str(each.get("id")).endswith(_JOBSET) for each in entries)
    return has_jobset or _GATE in _not_ready(body)


def _has_health(spec: Body) -> bool:
    return any(each.get("kind") == "JobSet" for each in spec.get("healthCheckExprs") or ())


def _list(api: Api, kind: tuple[str, str], is_wanted: Callable[[Body], bool]) -> Sequence[Body] | None:
    if not api.has_kind(*kind):
        return ()
    return or_none(lambda: list(filter(is_wanted, api.list(api.resource(ObjectId(*kind, "", "")), ""))))
