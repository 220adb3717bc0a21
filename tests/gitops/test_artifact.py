"""The commands of the manual push one artifact, which both Flux and Argo CD apply."""

from __future__ import annotations

import http.client
import json
import subprocess
from pathlib import Path

import pytest
import yaml

from kubectl_trainjob.integrations.files import content
from tests.gitops import jobs, programs
from tests.gitops.argocd import Repository
from tests.gitops.manual import block, shell

pytestmark = pytest.mark.cluster

EXAMPLE = "ghcr.io/acme"  # in the manual
NAME = "training"  # of the namespace and the jobs


@pytest.fixture
def registry():
    """The address of a registry."""
    with subprocess.Popen([programs.path("oci-registry")], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.kill()


def layer(registry, tag):
    """The digest of what Flux and Argo CD unpack."""
    connection = http.client.HTTPConnection(*registry.split(":"))
    accept = {"Accept": "application/vnd.oci.image.manifest.v1+json"}
    connection.request("GET", f"/v2/training-prod/manifests/{tag}", headers=accept)
    (found,) = json.loads(connection.getresponse().read())["layers"]
    return found["digest"]


def source(tmp_path, name):
    """A clone of the repository, with other times of its files."""
    repository = Repository(tmp_path / name)
    repository.commit(jobs.repository(NAME, "flux"))
    return repository


def files_of(folder: Path):
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_one_artifact_serves_flux_and_argocd(plane, flux, argo, registry, tmp_path):
    environment = {"KUBECONFIG": str(plane.kubeconfig), "FLUX_PUSH_FLAGS": "--insecure-registry"}
    script = block("flux", "sh", "kubectl trainjob integrations flux push").replace(EXAMPLE, registry)
    first, second = source(tmp_path, "first"), source(tmp_path, "second")
    shell(script, first.folder, **environment)
    digest = layer(registry, "latest")
    second.commit({"README.md": "Nothing that is built."})
    shell(script, second.folder, **environment)
    assert layer(registry, "latest") == digest

    pulled = tmp_path / "pulled"
    pulled.mkdir()
    pull = f"flux pull artifact oci://{registry}/training-prod:latest --output {pulled} --insecure-registry"
    shell(pull, tmp_path)
    shell(f"kubectl trainjob build overlays/prod -O {tmp_path / 'built'}", first.folder)
    built = files_of(tmp_path / "built")
    assert files_of(pulled) == built

    argo.client.create_namespace(NAME)
    revision = flux.publish("training-prod", built, kind="OCIRepository")
    flux.wait_for("training-prod", revision, "True")
    assert jobs.container(jobs.live_jobset(flux.client, NAME))["image"] == "acme/train:1"

    argo.client.create_namespace("by-argocd")
    secret = {"name": "registry", "namespace": "argocd", "labels": {"argocd.argoproj.io/secret-type": "repository"}}
    url = f"oci://{registry}/training-prod"
    data = {"url": url, "type": "oci", "insecureOCIForceHttp": "true"}
    argo.client.create({"apiVersion": "v1", "kind": "Secret", "metadata": secret, "stringData": data})
    application = yaml.safe_load(content("argocd", "application").decode().split("\n---\n")[0])
    shown = yaml.safe_load(block("flux", "yaml", "source:").replace(EXAMPLE, registry))
    application["spec"] |= {**shown, "destination": {**application["spec"]["destination"], "namespace": "by-argocd"}}
    application["metadata"]["name"] = "by-argocd"
    argo.client.create(application)
    argo.wait_for("by-argocd", "Synced", "Progressing")
    assert jobs.container(jobs.live_jobset(argo.client, "by-argocd"))["command"]
