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


def pushed(registry):
    """The digest of what Flux and Argo CD unpack, and what is written about it."""
    connection = http.client.HTTPConnection(*registry.split(":"))
    accept = {"Accept": "application/vnd.oci.image.manifest.v1+json"}
    connection.request("GET", "/v2/training-prod/manifests/latest", headers=accept)
    response = connection.getresponse()
    assert response.status == 200
    found = json.loads(response.read())
    (layer,) = found["layers"]
    prefix = "org.opencontainers.image."
    return layer["digest"], {key.removeprefix(prefix): value for key, value in found["annotations"].items()}


def source(tmp_path, name):
    """A clone of the repository, with other times of its files."""
    repository = Repository(tmp_path / name)
    repository.commit(jobs.repository(NAME, "flux"))
    return repository


def files_of(folder: Path):
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_nothing_is_pushed_from_outside_of_a_repository(registry, tmp_path):
    for path, text in jobs.repository(NAME, "flux").items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    script = block("flux", "sh", "kubectl trainjob integrations flux push").partition("\n\n")[0]
    environment = {"FLUX_PUSH_FLAGS": "--insecure-registry", "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    with pytest.raises(AssertionError, match="not a git repository"):
        shell(script.replace(EXAMPLE, registry), tmp_path, **environment)
    with pytest.raises(AssertionError):
        pushed(registry)


def test_one_artifact_serves_flux_and_argocd(plane, flux, argo, registry, tmp_path):
    environment = {"KUBECONFIG": str(plane.kubeconfig), "FLUX_PUSH_FLAGS": "--insecure-registry"}
    script = block("flux", "sh", "kubectl trainjob integrations flux push").replace(EXAMPLE, registry)
    first, second = source(tmp_path, "first"), source(tmp_path, "second")
    shell(f"umask 077\n{script}", first.folder, **environment)
    digest, notes = pushed(registry)
    assert notes["source"] == "local"
    assert notes["revision"].startswith("main@sha1:")
    second.commit({"README.md": "Nothing that is built."})
    shell("git checkout --quiet --detach; git remote add origin https://ci:token@acme.example/a.git", second.folder)
    shell(f"umask 002\n{script}", second.folder, **environment)
    same, notes = pushed(registry)
    assert same == digest
    assert notes["source"] == "https://acme.example/a.git"
    assert notes["revision"].startswith("sha1:")

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
