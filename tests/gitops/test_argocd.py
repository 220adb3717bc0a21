"""Argo CD delivers the example and running jobs, with the Application of `integrations argocd application`."""

from __future__ import annotations

import shutil

import pytest
import yaml

from kubectl_trainjob.integrations.files import content
from tests.examples.examples import ROOT
from tests.gitops import jobs
from tests.gitops.argocd import Repository, conditions, operation, state

pytestmark = pytest.mark.cluster

SETTINGS = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\ndelivery: argocd\n"


def deliver(argo, repository, name, path, kind="application", number=0):
    """Create the Application for a folder of a repository, in the namespace of its name."""
    text = content("argocd", kind).decode().split("\n---\n")[number]
    for old, new in (
        ("https://github.com/acme/training.git", repository.url),
        ("path: overlays/prod", f"path: {path}"),
        ("namespace: training", f"namespace: {name}"),
        ("training-prod", name),
    ):
        assert old in text
        text = text.replace(old, new)
    argo.client.create_text(yaml.safe_load(text), text)


@pytest.fixture
def running(argo, tmp_path, request):
    """A delivered JobSet that runs, and a ConfigMap: the repository, and the name of all."""
    name = request.node.name.removeprefix("test_").replace("_", "-")[:30].strip("-")
    argo.client.create_namespace(name)
    repository = Repository(tmp_path / "repository")
    files = jobs.repository(name, "argocd")
    ttl = "      ttlSecondsAfterFinished: 1\n"
    repository.commit(
        {**files, "jobs/runtime.yaml": files["jobs/runtime.yaml"].replace("      rep", f"{ttl}      rep")}
    )
    deliver(argo, repository, name, "overlays/prod")
    argo.wait_for(name, "Synced", "Progressing")
    argo.client.wait("it runs", lambda: jobs.is_running(argo.client, name))
    return repository, name


def test_the_manual_adds_the_sidecar(argo):
    path = "/apis/apps/v1/namespaces/argocd/deployments/argocd-repo-server"
    server, ours = argo.client.request("GET", path)["spec"]["template"]["spec"]["containers"]
    assert {server["name"], ours["name"]} == {"argocd-repo-server", "trainjob"}
    context = (server if server["name"] == "trainjob" else ours)["securityContext"]
    assert (context["runAsUser"], context["readOnlyRootFilesystem"]) == (999, True)


def test_the_example_becomes_synced_and_healthy(argo, example, tmp_path):
    repository = Repository(tmp_path / "repository")
    for name in ("overlays", "runtimes"):
        shutil.copytree(ROOT / name, repository.folder / name)
    repository.commit({"trainjob.yaml": SETTINGS})
    argo.client.create_namespace("vision-dev")
    for namespace, name in example.secrets:
        metadata = {"namespace": namespace, "name": name}
        argo.client.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"key": "dummy"}})
    deliver(argo, repository, "vision-dev", "overlays/vision/dev")
    app = argo.wait_for("vision-dev", "Synced", "Healthy")
    assert len(app["status"]["resources"]) == len(example.objects)
    assert state(argo.refresh("vision-dev")) == ("Synced", "Healthy")


def test_what_kueue_writes_is_no_difference(argo, running):
    _, name = running
    before = jobs.live_jobset(argo.client, name)
    argo.client.merge(before, {"spec": {"suspend": True}})
    argo.client.wait("it is suspended", lambda: not jobs.is_running(argo.client, name))
    argo.refresh(name)
    argo.wait_for(name, "Synced", "Suspended")
    roles = jobs.live_jobset(argo.client, name)["spec"]["replicatedJobs"]
    template = roles[0]["template"]["spec"]["template"]
    template["metadata"].setdefault("labels", {})["kueue.x-k8s.io/podset"] = "node"
    template["metadata"].setdefault("annotations", {})["kueue.x-k8s.io/workload"] = "a"
    template["spec"]["nodeSelector"] = {"flavor": "a"}
    template["spec"]["tolerations"] = [{"key": "flavor", "operator": "Exists"}]
    argo.client.merge(before, {"spec": {"suspend": False, "replicatedJobs": roles}})
    argo.client.wait("runs again", lambda: not jobs.live_jobset(argo.client, name)["spec"]["suspend"])
    argo.refresh(name)
    argo.wait_for(name, "Synced", "Progressing")
    after = jobs.live_jobset(argo.client, name)
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["spec"]["replicatedJobs"] == roles


def test_a_changed_image_is_reported_and_ends_no_run(argo, running):
    repository, name = running
    before = jobs.live_jobset(argo.client, name)
    assert "ttlSecondsAfterFinished" not in before["spec"]
    repository.commit({"jobs/job.yaml": jobs.job(name, version=2), "jobs/settings.yaml": jobs.config(2)})
    argo.refresh(name)
    argo.client.wait("the sync", lambda: jobs.live_config(argo.client, name)["rate"] == "2")
    wanted = {"JobSet": "OutOfSync", "ConfigMap": "Synced"}
    app = argo.wait(
        name, str(wanted), lambda app: {each["kind"]: each["status"] for each in app["status"]["resources"]} == wanted
    )
    assert state(app) == ("OutOfSync", "Progressing")
    after = jobs.live_jobset(argo.client, name)
    assert (after["metadata"]["uid"], jobs.container(after)["image"]) == (before["metadata"]["uid"], "acme/train:1")
    assert jobs.is_running(argo.client, name)


def test_an_error_leaves_the_cluster_as_it_was(argo, running):
    repository, name = running
    before = jobs.live_jobset(argo.client, name)
    broken = jobs.job(name, runtime="tortch")
    repository.commit({"jobs/job.yaml": broken, "jobs/settings.yaml": jobs.config(2)})
    argo.refresh(name)
    app = argo.wait(name, "failed", conditions)
    assert "jobs/job.yaml:5:" in conditions(app)
    assert "KTJ201" in conditions(app)
    assert state(app)[0] == "Unknown"
    assert jobs.live_config(argo.client, name)["rate"] == "1"
    assert jobs.live_jobset(argo.client, name)["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]


def test_a_removed_run_waits_for_a_confirmation(argo, running):
    repository, name = running
    before = jobs.live_jobset(argo.client, name)
    repository.commit({"jobs/job.yaml": None})
    argo.refresh(name)
    app = argo.wait(name, "asked", lambda app: "confirmation" in operation(app))
    assert f"jobset.x-k8s.io/JobSet/{name}" in operation(app)
    assert jobs.live_jobset(argo.client, name)["metadata"]["uid"] == before["metadata"]["uid"]


def test_the_hydrator_writes_a_branch(argo, tmp_path):
    repository = Repository(tmp_path / "repository")
    repository.commit(jobs.repository("job", "argocd"))
    argo.client.create_namespace("hydrated")
    for kind in ("repository", "repository-write"):
        head = {"name": kind, "namespace": "argocd", "labels": {"argocd.argoproj.io/secret-type": kind}}
        data = {"url": repository.url, "type": "git"}
        argo.client.create({"apiVersion": "v1", "kind": "Secret", "metadata": head, "stringData": data})
    deliver(argo, repository, "hydrated", "overlays/prod", number=1)
    argo.wait_for("hydrated-hydrated", "Synced", "Progressing")
    written = repository.show("environments/prod", "overlays/prod/manifest.yaml")
    assert {each["kind"] for each in yaml.safe_load_all(written)} == {"JobSet", "ConfigMap"}
    repository.commit({"jobs/job.yaml": jobs.job("job", runtime="tortch")})
    argo.refresh("hydrated-hydrated")
    hydrator = lambda app: (app["status"].get("sourceHydrator") or {}).get("currentOperation") or {}  # noqa: E731
    app = argo.wait("hydrated-hydrated", "failed", lambda app: hydrator(app).get("phase") == "Failed")
    assert "jobs/job.yaml:5:" in hydrator(app)["message"]
    assert repository.show("environments/prod", "overlays/prod/manifest.yaml") == written


def test_an_application_set_finds_the_overlays(argo, tmp_path):
    repository = Repository(tmp_path / "repository")
    files = jobs.repository("job", "argocd")
    overlay = files["overlays/prod/overlay.yaml"]
    others = {"overlays/dev/overlay.yaml": f"{overlay}nameSuffix: -dev\n", "overlays/none/README.md": "No overlay.\n"}
    repository.commit({**files, **others})
    argo.client.create_namespace("set")
    text = content("argocd", "applicationset").decode().replace("https://github.com/acme/training.git", repository.url)
    argo.client.create_text(yaml.safe_load(text), text.replace("namespace: training", "namespace: set"))
    for name in ("training-prod", "training-dev"):
        argo.wait_for(name, "Synced", "Progressing")
    names = {each["metadata"]["name"] for each in argo.client.items("argoproj.io/v1alpha1", "Application")}
    assert {each for each in names if each.startswith("training-")} == {"training-prod", "training-dev"}
