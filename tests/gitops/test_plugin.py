"""Argo CD's sidecar runs the plugin on the example, on folders that are no overlays, and on errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time

import pytest

from kubectl_trainjob import __version__
from tests.examples.examples import ROOT
from tests.gitops import programs, sidecar

pytestmark = pytest.mark.cluster

SETTINGS = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [job.yaml]\n"
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: job
spec:
  runtimeRef:
    name: torch-distributed
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A running sidecar."""
    folder = tmp_path_factory.mktemp("s")
    environment = {**os.environ, **sidecar.prepare(folder)}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(sidecar.command(), cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        while not sidecar.socket(folder).exists():
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.05)
        yield folder
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def ask(folder, tmp_path):
    """Asks the sidecar about a folder of the repository in `tmp_path`, with variables."""

    def ask(call, app, **variables):
        if app:
            variables.setdefault("ARGOCD_APP_SOURCE_PATH", app)
        env = [part for name, value in variables.items() for part in ("-env", f"{name}={value}")]
        where = ("-socket", sidecar.socket(folder), "-repo", tmp_path, "-app", app)
        (answer,) = programs.answers("argo-judge", "cmp", *where, *env, call)
        return answer

    return ask


@pytest.fixture(autouse=True)
def repository(tmp_path):
    """The example, and one more overlay with an error."""
    for name in ("overlays", "runtimes"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "trainjob.yaml").write_text(SETTINGS)
    for name, text in (("overlay.yaml", OVERLAY), ("job.yaml", JOB.replace("torch-dist", "tortch-dist"))):
        (tmp_path / "overlays/broken").mkdir(exist_ok=True)
        (tmp_path / "overlays/broken" / name).write_text(text)
    return tmp_path


def built(answer):
    assert not answer.get("error"), answer["error"]
    return [json.loads(each) for each in answer["manifests"]]


def identified(objects):
    return sorted((each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]) for each in objects)


@pytest.mark.parametrize("overlay", ["vision/dev", "vision/prod"])
def test_the_example_is_what_build_prints(ask, overlay, example):
    objects = built(ask("generate", f"overlays/{overlay}"))
    assert objects
    if overlay == "vision/dev":
        assert identified(objects) == identified(example.objects)
    jobsets = [each for each in objects if each["kind"] == "JobSet"]
    assert jobsets
    ports = [port for each in jobsets for port in _ports(each)]
    assert ports
    assert all(port["protocol"] for port in ports)
    assert not any("ttlSecondsAfterFinished" in each["spec"] for each in jobsets)


def _ports(jobset):
    for job in jobset["spec"]["replicatedJobs"]:
        for container in job["template"]["spec"]["template"]["spec"]["containers"]:
            yield from container.get("ports", [])


def test_the_parameter_names_an_overlay(ask):
    of_folder = built(ask("generate", "overlays/vision/dev"))
    for text in ("null", "[]"):
        assert built(ask("generate", "overlays/vision/dev", ARGOCD_APP_PARAMETERS=text)) == of_folder
    parameters = json.dumps([{"name": "overlay", "string": "vision/dev"}])
    assert built(ask("generate", "overlays", ARGOCD_APP_PARAMETERS=parameters)) == of_folder
    assert built(ask("generate", "overlays", ARGOCD_ENV_OVERLAY="vision/dev")) == of_folder
    for value in ("../runtimes", 3):
        parameters = json.dumps([{"name": "overlay", "string": value}])
        assert "error: the " in ask("generate", "overlays", ARGOCD_APP_PARAMETERS=parameters)["error"]


def test_only_folders_of_this_tool_are_accepted(ask, repository):
    shutil.copytree(repository / "runtimes", repository / "plain")
    found = {app: ask("match", app)["supported"] for app in ("", "overlays/vision/dev", "plain", "overlays")}
    assert found == {"": True, "overlays/vision/dev": True, "plain": False, "overlays": False}


def test_an_error_is_at_its_line_and_nothing_is_rendered(ask):
    answer = ask("generate", "overlays/broken")
    assert not answer.get("manifests")
    assert "exit status 1: overlays/broken/job.yaml:7:11: error KTJ201 runtime-not-found: " in answer["error"]
    assert "\n" not in answer["error"]


def test_an_empty_result_is_an_error(ask, repository):
    shutil.copytree(repository / "runtimes", repository / "overlays/none")
    (repository / "overlays/none/trainjob.yaml").write_text(SETTINGS)
    assert "delete all objects" in ask("generate", "overlays/none")["error"]


def test_the_version_is_pinned(ask):
    built(ask("generate", "overlays/vision/dev", ARGOCD_ENV_TRAINJOB_VERSION=__version__))
    answer = ask("generate", "overlays/vision/dev", ARGOCD_ENV_TRAINJOB_VERSION="99.0.0")
    assert "TRAINJOB_VERSION is 99.0.0, but" in answer["error"]
    assert __version__ in answer["error"]


def test_a_reason_comes_before_the_sidecar_ends_the_program(ask, repository):
    loop = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}" + JOB
    (repository / "overlays/broken/job.yaml.j2").write_text(loop)
    overlay = OVERLAY.replace("job.yaml", "job.yaml.j2") + "values: {a: 1}\n"
    (repository / "overlays/broken/overlay.yaml").write_text(overlay)
    answer = ask("generate", "overlays/broken", ARGOCD_ENV_TRAINJOB_TIMEOUT="1")
    assert "longer than 1 s" in answer["error"]
