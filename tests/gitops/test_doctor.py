"""`doctor` finds settings of Argo CD and Flux that lose or repeat runs."""

from __future__ import annotations

import pytest
import yaml

from kubectl_trainjob.integrations.files import content
from tests.cluster.commands import Program

pytestmark = pytest.mark.cluster

CM = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm", "namespace": "argocd"}}
KINDS = "Application", "Kustomization"
HEAD = {"name": "argocd-repo-server", "namespace": "argocd"}
SERVER = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": HEAD}


@pytest.fixture
def messages(plane):
    """The lines about one object: the level of each message."""

    def messages(check, place):
        ran = Program(plane.kubeconfig)("doctor", "-o", "json")
        found = [each for each in ran.data["checks"] if each["id"] == check and f" {place}: " in each["message"]]
        assert all(each["advice"] for each in found)
        return {each["message"].partition(": ")[2]: each["level"] for each in found}

    return messages


@pytest.fixture
def create(argo, flux):
    """Creates an object that is printed, with another name and changes. No repository is there for it."""

    def create(system, name, change):
        body = next(each for each in yaml.safe_load_all(content(*system)) if each["kind"] in KINDS)
        body["metadata"]["name"] = name
        if body["kind"] == "Application":
            body["spec"]["source"]["repoURL"] = "file:///none"
        change(body)
        argo.client.create(body)

    assert flux
    return create


def unsettled(found):
    """Without what Argo CD says about the missing repository."""
    return {message: level for message, level in found.items() if not message.startswith("Failed to load target state")}


def test_the_printed_application_is_in_order(create, messages):
    create(("argocd", "application"), "in-order", lambda _: None)
    assert unsettled(messages("argocd", "argocd/in-order")) == {}


def test_what_is_missing_in_argocd(argo, create, messages):
    create(("argocd", "application"), "missing", lambda body: body["spec"].pop("ignoreDifferences"))
    assert unsettled(messages("argocd", "argocd/missing")) == {}  # argocd-cm has them
    create(("argocd", "application"), "created-once", _ignore_all)
    before = argo.client.request("GET", argo.client.path(CM))["data"]
    containers = argo.client.request("GET", argo.client.path(SERVER))["spec"]["template"]["spec"]["containers"]
    argo.client.merge(CM, {"data": dict.fromkeys(before)})
    other = [each for each in containers if each["name"] != "trainjob"]
    argo.client.merge(SERVER, {"spec": {"template": {"spec": {"containers": other}}}})
    try:
        assert unsettled(messages("argocd", "argocd/missing")) == {
            "argocd-cm has no health of JobSets: a failed run is healthy": "warning",
            "it does not ignore what Kueue and the API server set": "warning",
            "the repo-server has no sidecar with a plugin": "error",
        }
        assert "it does not ignore what Kueue and the API server set" not in messages("argocd", "argocd/created-once")
    finally:
        argo.client.merge(CM, {"data": before})
        argo.client.merge(SERVER, {"spec": {"template": {"spec": {"containers": containers}}}})


def _ignore_all(body):
    body["spec"]["ignoreDifferences"] = [{"group": "jobset.x-k8s.io", "kind": "JobSet", "jsonPointers": ["/spec"]}]


def test_an_application_with_several_sources_is_checked(create, messages):
    def change(body):
        spec = body["spec"]
        spec["sources"] = [{**spec["source"], "plugin": None}, spec.pop("source")]
        spec["syncPolicy"] = {"automated": {"prune": True}}

    create(("argocd", "application"), "several", change)
    assert unsettled(messages("argocd", "argocd/several")) == {
        "automated prune ends running jobs without a confirmation": "warning"
    }


def test_automation_that_is_off_prunes_nothing(create, messages):
    create(
        ("argocd", "application"),
        "off",
        lambda body: body["spec"].update(syncPolicy={"automated": {"prune": True, "enabled": False}}),
    )
    assert unsettled(messages("argocd", "argocd/off")) == {}


def test_what_ends_runs_in_argocd(create, messages):
    def change(body):
        body["metadata"]["annotations"] = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
        body["spec"]["syncPolicy"]["syncOptions"] = ["ServerSideApply=true", "Replace=true"]

    create(("argocd", "application"), "ends-runs", change)
    assert unsettled(messages("argocd", "argocd/ends-runs")) == {
        "Replace=true ends running jobs": "error",
        "with ServerSideDiff, one immutable change hides all objects": "warning",
        "automated prune ends running jobs without a confirmation": "warning",
    }


def test_what_is_missing_in_flux(create, messages):
    create(("flux", "artifact"), "suspended", lambda body: body["spec"].update(suspend=True))
    assert messages("flux", "flux-system/suspended") == {}
    checks = [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "job", "namespace": "training"}]
    listed = {"suspend": True, "wait": False, "healthChecks": checks, "postBuild": {"substitute": {"a": "b"}}}
    create(("flux", "artifact"), "listed", lambda body: body["spec"].update(listed))
    assert messages("flux", "flux-system/listed") == {}

    def change(body):
        body["spec"].update(suspend=True, force=True, wait=False, postBuild={"substitute": {"a": "b"}})
        del body["spec"]["patches"]

    create(("flux", "artifact"), "forced", change)
    assert messages("flux", "flux-system/forced") == {
        "force: true ends running jobs, even for an error in a manifest": "error",
        "it has no health of JobSets, or no wait: true: a failed run is ready": "warning",
        "postBuild replaces variables in commands and scripts": "warning",
    }


def test_the_feature_gate_of_artifacts_is_off(flux, messages):
    """A Kustomization that has delivered nothing yet, and has no health checks."""
    head = {"name": "gated", "namespace": "flux-system"}
    spec = {"interval": "1m", "prune": True, "sourceRef": {"kind": "ExternalArtifact", "name": "gated"}}
    body = {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": head, "spec": spec}
    flux.publish("gated", {"a.yaml": b""})
    expected = "can't access 'ExternalArtifact/flux-system/gated', ExternalArtifact feature gate is disabled"
    with flux.without_gate():
        flux.client.create(body)
        flux.client.wait("the condition", lambda: expected in messages("flux", "flux-system/gated"))
        assert messages("flux", "flux-system/gated") == {expected: "warning"}
    flux.client.wait("the gate is on", lambda: messages("flux", "flux-system/gated") == {})
