"""The kustomize-controller applies what `build` writes, with the Kustomization that `integrations flux` prints."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from kubectl_trainjob.integrations.files import content
from tests.gitops import jobs, programs
from tests.gitops.flux import ready
from tests.unit.lint.test_manuals import findings

pytestmark = pytest.mark.cluster
KINDS = (
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime"),
    ("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime"),
    ("kubeflow.org/v1beta1", "Experiment"),
    ("v1", "ConfigMap"),
)
_ANNOTATED = "{metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}}"
_STAYS = f"{{manager: acme.example/team, trainingRuntimeSpec: {{template: {_ANNOTATED}}}}}"


@pytest.fixture
def deliver(flux, tmp_path, request):
    """Builds a repository with these files, and publishes the result; its name and revision."""
    name = request.node.name.removeprefix("test_").partition("[")[0].replace("_", "-")[:30].strip("-")
    flux.client.create_namespace(name)

    def deliver(files):
        for path, text in files.items():
            file = tmp_path / "repository" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink() if text is None else file.write_text(text)
        command = [sys.executable, "-m", "kubectl_trainjob", "build", "overlays/prod", "-O", str(tmp_path / "output")]
        done = subprocess.run(command, cwd=tmp_path / "repository", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        written = (each for each in (tmp_path / "output").rglob("*") if each.is_file())
        return flux.publish(name, {str(each.relative_to(tmp_path / "output")): each.read_bytes() for each in written})

    revision = deliver(jobs.repository(name, "flux", getattr(request, "param", "hang")))
    text = content("flux", "artifact").decode()
    for old, new in (("targetNamespace: training", f"targetNamespace: {name}"), ("training-prod", name)):
        assert old in text
        text = text.replace(old, new)
    kustomization = yaml.safe_load(text)
    kustomization["spec"]["postBuild"] = {"substitute": {"cluster": "a"}}  # the most that it may break
    flux.client.create(kustomization)
    return name, revision, deliver


def _substituted(text):
    """What Flux makes of a text with `postBuild`; None if it rejects the text."""
    command = [programs.path("flux"), "envsubst", "--strict"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, env={})
    return done.stdout.removesuffix("\n") if done.returncode == 0 else None


def test_lint_finds_what_flux_replaces_or_rejects(tmp_path):
    script = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {script: 'TEXT'}\n"
    untouched = ("$A", "$${A}", "$(A)", "$${{ a }}", "a$", "{A}")
    replaced = ("${A}", "$$${A}", "${A:-x}", "${A/b/c}", "${A[0]}", "${a.b}")
    rejected = ("${1}", "${1:-x}", "${@}", "${#}", "${#A}", "${!A}", "${}", "${{ a }}", "${", "${é}", "${?}", "x${ A }")
    for number, text in enumerate((*untouched, *replaced, *rejected)):
        found = findings(tmp_path / str(number), script.replace("TEXT", text), "delivery: flux\n", "2.3")
        is_reported = [each.rule.name for each in found] == ["flux-substitution"]
        assert is_reported == (_substituted(text) != text.replace("$$", "$")), text


def test_the_kustomization_leaves_variables_alone(tmp_path):
    objects = []
    for number, (version, kind) in enumerate(KINDS):
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": f"a{number}", "namespace": "training"}}
        objects.append({**body, "spec": {"text": "${trialParameters.rate} ${RANK}"}})
    (tmp_path / "output").mkdir()
    (tmp_path / "output/all.yaml").write_text(yaml.safe_dump_all(objects))
    kustomization = list(yaml.safe_load_all(content("flux", "kustomization")))[-1]
    kustomization["spec"]["postBuild"] = {"substitute": {"RANK": "1"}}
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    where = ["--kustomization-file", tmp_path / "kustomization.yaml", "--path", tmp_path / "output"]
    name = [kustomization["metadata"]["name"], "--namespace", kustomization["metadata"]["namespace"]]
    command = [programs.path("flux"), "build", "kustomization", *name, *where, "--dry-run", "--strict-substitute"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    built = [each for each in yaml.safe_load_all(done.stdout) if each is not None]
    assert [each["spec"] for each in built] == [each["spec"] for each in objects]


def test_a_run_is_applied_and_others_change_beside_it(flux, deliver):
    name, revision, deliver = deliver
    assert ready(flux.wait_for(name, revision, "True"))["reason"] == "ReconciliationSucceeded"
    before = jobs.live_jobset(flux.client, name)
    assert jobs.container(before)["command"] == ["sh", "-c", "echo ${PET_NNODES} $${HOME}"]
    assert jobs.live_config(flux.client, name) == {"rate": "1", "script": "echo ${RANK}"}
    flux.wait_for(name, deliver({"jobs/settings.yaml": jobs.config(2)}), "True")
    assert jobs.live_config(flux.client, name)["rate"] == "2"
    flux.wait_for(name, deliver({"jobs/settings.yaml": None}), "True")
    assert jobs.live_config(flux.client, name) is None
    after = jobs.live_jobset(flux.client, name)
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["spec"] == before["spec"]
    assert jobs.is_running(flux.client, name)


@pytest.mark.parametrize("deliver", ["succeed"], indirect=True, ids=["x"])
def test_a_complete_run_is_ready(flux, deliver):
    name, revision, _ = deliver
    flux.wait_for(name, revision, "True")
    conditions = jobs.live_jobset(flux.client, name)["status"]["conditions"]
    assert [each["type"] for each in conditions if each["status"] == "True"] == ["Completed"]


@pytest.mark.parametrize("deliver", ["fail"], indirect=True, ids=["x"])
def test_a_failed_run_is_not_ready(flux, deliver):
    name, revision, _ = deliver
    found = ready(flux.wait_for(name, revision, "False"))
    assert found["reason"] == "HealthCheckFailed"
    assert f"JobSet/{name}/{name} status: 'Failed'" in found["message"]


def test_an_immutable_change_is_reported_and_not_forced(flux, deliver):
    name, revision, deliver = deliver
    flux.wait_for(name, revision, "True")
    before = jobs.live_jobset(flux.client, name)
    changed = {"jobs/job.yaml": jobs.job(name, version=2), "jobs/settings.yaml": jobs.config(2)}
    found = ready(flux.wait_for(name, deliver(changed), "False"))
    assert found["reason"] == "ReconciliationFailed"
    assert "field is immutable" in found["message"]
    after = jobs.live_jobset(flux.client, name)
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert jobs.container(after)["image"] == "acme/train:1"
    assert jobs.live_config(flux.client, name)["rate"] == "1"


def test_a_removed_run_ends_at_once_unless_it_says_otherwise(flux, deliver):
    name, _, deliver = deliver
    stays = jobs.job("stays").replace("spec:\n", f"spec:\n  runtimePatches: [{_STAYS}]\n", 1)
    flux.wait_for(name, deliver({"jobs/ends.yaml": jobs.job("ends"), "jobs/stays.yaml": stays}), "True")
    assert jobs.live_runs(flux.client, name) == {name, "ends", "stays"}
    flux.wait_for(name, deliver({"jobs/ends.yaml": None, "jobs/stays.yaml": None}), "True")
    assert jobs.live_runs(flux.client, name) == {name, "stays"}
