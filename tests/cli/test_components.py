"""Components of overlays in a repository, and prefixes of names, with runtimes and TrainJobs."""

from __future__ import annotations

import json

import pytest

from kubectl_trainjob.cli.app import run
from tests.cli.conftest import Repository
from tests.cli.manifests import train_job
from tests.cli.test_habits import OVERLAY, PLAIN

COMPONENT = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Component\n"
PATCH = "patches:\n- target: {kind: TrainJob}\n  patch: [{op: add, path: /spec/trainer, value: {numNodes: 3}}]\n"
RUNTIME = {**PLAIN, "kind": "TrainingRuntime"}
JOB = train_job("a", "plain")
JOB["spec"]["runtimeRef"] = {"kind": "TrainingRuntime", "name": "plain"}


@pytest.fixture
def overlays(repository: Repository) -> Repository:
    """A base, two environments, and a component that both use."""
    repository.write(
        {
            "base/overlay.yaml": f"{OVERLAY}resources: [jobs.yaml]\n",
            "base/jobs.yaml": [RUNTIME, JOB],
            "parts/three/overlay.yaml": COMPONENT + PATCH,
            "dev/overlay.yaml": f"{OVERLAY}resources: [../base]\ncomponents: [../parts/three]\nnamePrefix: dev-\n",
            "prod/overlay.yaml": f"{OVERLAY}resources: [../base]\nnamePrefix: p-\nnameSuffix: -x\nnamespace: prod\n",
        }
    )
    return repository


def test_references_follow_a_prefix_and_a_component_applies(overlays: Repository) -> None:
    dev, prod = overlays.build("dev"), overlays.build("prod")
    assert (dev.names, dev.err) == (["JobSet/dev-a"], "")
    assert (prod.names, prod.err) == (["JobSet/p-a-x"], "")
    [[of_dev], [of_prod]] = dev.objects, prod.objects
    parallelism = [each["spec"]["replicatedJobs"][0]["template"]["spec"]["parallelism"] for each in (of_dev, of_prod)]
    assert parallelism == [3, 1]
    emitted = overlays.build("dev", "--emit", "trainjob").objects
    assert [each["metadata"]["name"] for each in emitted] == ["dev-plain", "dev-a"]
    assert emitted[1]["spec"]["runtimeRef"]["name"] == "dev-plain"


def test_a_component_is_no_unit(overlays: Repository, capfd: pytest.CaptureFixture[str]) -> None:
    built = overlays.build(".", "--allow-empty")
    assert built.err == "note: overlays are only built if passed with -f: base, dev, prod\n"
    assert run("kubectl-trainjob", ["lint", "-o", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["results"] == []


def test_the_origin_is_a_line_of_the_component(overlays: Repository, capfd: pytest.CaptureFixture[str]) -> None:
    del overlays
    assert run("kubectl-trainjob", ["explain", "-f", "dev", "TrainJob/a", "spec.trainer.numNodes"]) == 0
    assert "parts/three/overlay.yaml:5:" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("file", "text", "rule", "message"),
    [
        pytest.param("dev/overlay.yaml", "components: [../prod]\n", "KTJ050", 'must be "Component"', id="an overlay"),
        pytest.param("dev/overlay.yaml", "resources: [../parts/three]\n", "KTJ050", 'must be "Overlay"', id="resource"),
        pytest.param("dev/overlay.yaml", "components: [../parts/tree]\n", "KTJ051", 'did you mean "three"?', id="none"),
        pytest.param("dev/overlay.yaml", "components: [../parts]\n", "KTJ050", "has no overlay.yaml", id="nothing"),
        pytest.param("parts/three/overlay.yaml", "components: [.]\n", "KTJ052", "contain this overlay", id="cycle"),
    ],
)
def test_what_is_no_component(file: str, text: str, rule: str, message: str, overlays: Repository) -> None:
    start = OVERLAY if file.startswith("dev") else COMPONENT
    overlays.write({file: start + text + ("" if "resources" in text or "[.]" in text else "resources: [../base]\n")})
    built = overlays.build("dev")
    assert (built.exit_code, built.out) == (1, "")
    assert rule in [found for found, _, _ in built.findings]
    assert message in built.err
