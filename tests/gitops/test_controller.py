"""The kustomize-controller applies what a running controller publishes of a TrainingSet."""

from __future__ import annotations

import pytest
import yaml

from kubectl_trainjob.integrations.files import content
from tests.cluster.apply.inputs import config, job
from tests.cluster.apply.loop_site import Loop, install
from tests.cluster.apply.site import open_site
from tests.cluster.apply.test_controller_run import replica
from tests.gitops.flux import ready

pytestmark = pytest.mark.cluster


def test_flux_applies_a_published_set(flux, plane, tmp_path):
    install(plane)
    with open_site(plane, "published", tmp_path) as site:
        site.files(job("a"), config("c", "1"))
        loop = Loop(site, output="ExternalArtifact", interval="1h")
        text = content("flux", "artifact").decode().replace("targetNamespace: training", "targetNamespace: published")
        kustomization = yaml.safe_load(text.replace("training-prod", "s"))
        kustomization["metadata"]["namespace"] = "published"
        kustomization["spec"] |= {"wait": False, "healthCheckExprs": []}  # its Pods never start
        with replica(site, "--leader-elect=false") as one:
            site.wait("published", lambda: loop.condition() == ("True", "ReconciliationSucceeded"))
            flux.client.create(kustomization)
            first = flux.wait_for("s", revision(loop), "True", "published")
            assert ready(first)["reason"] == "ReconciliationSucceeded"
            uid = site.uid("JobSet", "a")
            assert uid
            site.files(job("a"), config("d", "2"))
            loop.merge({"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": "now"}}})
            site.wait("done", lambda: loop.status.get("lastHandledReconcileAt") == "now")
            flux.wait_for("s", revision(loop), "True", "published")
            assert (site.live("ConfigMap", "d") or {})["data"] == {"key": "2"}
            site.wait("pruned", lambda: site.live("ConfigMap", "c") is None)
            assert site.uid("JobSet", "a") == uid
            assert one.stop().code == 0


def revision(loop):
    """The revision of the artifact."""
    site = loop.site
    path = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{site.namespace}/externalartifacts/s"
    return site.plane.client.request("GET", path)["status"]["artifact"]["revision"]
