"""What overlays and kustomizations say of a job is not lost when the job is replaced."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.test_migrate import JOB, Command, git

OVERLAY = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
namespace: prod
resources: [../../base]
patches:
- patch: |
    - op: replace
      path: /spec/pytorchReplicaSpecs/Master/template/spec/containers/0/image
      value: acme/mnist:2
  target: {kind: PyTorchJob, name: mnist}
- path: more.yaml
"""
MERGE = "# larger\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: mnist}\nspec: {nprocPerNode: '4'}\n"
KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../../base]
images: [{name: acme/mnist, newTag: '3'}]
patches:
- path: more.yaml
- target: {kind: PyTorchJob}
  patch: '[{op: remove, path: /spec/nprocPerNode}]'
- target: {kind: ConfigMap}
  patch: '[{op: remove, path: /data/a}]'
"""


@pytest.fixture
def migrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    command = Command(tmp_path, monkeypatch)
    command.file("base/job.yaml", JOB)
    return command


@pytest.mark.parametrize("paths", [("-f", "overlays/prod"), (".",), ("base", "-k", "overlays/prod")])
def test_the_resources_of_an_overlay_are_migrated_and_its_patches_reported(
    paths: tuple[str, ...], migrate: Command
) -> None:
    migrate.file("overlays/prod/overlay.yaml", OVERLAY)
    migrate.file("overlays/prod/more.yaml", MERGE)
    assert migrate(*paths) == 1
    assert [each["kind"] for each in yaml.safe_load_all(migrate.out)] == ["TrainingRuntime", "TrainJob"]
    assert "overlays/prod/overlay.yaml:7:5: warning KTJ1053" in migrate.err
    assert "overlays/prod/more.yaml:2:1: warning KTJ1053" in migrate.err
    assert migrate.err.count("a patch changes a job that migrate replaces") == 2


def test_patches_and_images_of_a_kustomization_are_reported(migrate: Command) -> None:
    migrate.file("base/kustomization.yaml", "resources: [job.yaml]\n")
    migrate.file("overlays/prod/kustomization.yaml", KUSTOMIZATION)
    migrate.file("overlays/prod/more.yaml", MERGE)
    assert migrate(".") == 1
    assert [each["kind"] for each in yaml.safe_load_all(migrate.out)] == ["TrainingRuntime", "TrainJob"]
    assert "overlays/prod/more.yaml:2:1: warning KTJ1053" in migrate.err
    assert "overlays/prod/kustomization.yaml:7:3: warning KTJ1053" in migrate.err
    assert "overlays/prod/kustomization.yaml:4:1: warning KTJ1053" in migrate.err
    assert migrate.err.count("a patch changes a job that migrate replaces") == 2


def test_a_patch_of_another_kind_is_not_reported(migrate: Command) -> None:
    migrate.file("overlays/prod/overlay.yaml", OVERLAY[: OVERLAY.index("patches:")])
    assert migrate("overlays/prod") == 0


def test_a_job_of_a_template_is_reported(migrate: Command) -> None:
    migrate.file(
        "overlays/prod/overlay.yaml", OVERLAY[: OVERLAY.index("patches:")].replace("../../base", "job.yaml.j2")
    )
    migrate.file("overlays/prod/job.yaml.j2", JOB)
    assert migrate("overlays/prod") == 1
    assert 'the template renders PyTorchJob "mnist", and templates are not migrated' in migrate.err


def test_a_skipped_chart_is_named(migrate: Command) -> None:
    migrate.file("chart/Chart.yaml", "name: a\n")
    migrate.file("chart/templates/job.yaml", JOB)
    migrate(".")
    assert "note: Helm charts are not rendered: chart" in migrate.err


def test_jobs_that_are_deployed_separately_share_no_runtime(migrate: Command) -> None:
    for folder in ("a", "b", "c"):
        for name in ("one", "two"):
            migrate.file(f"{folder}/{name}.yaml", JOB.replace("mnist}", f"{folder}-{name}}}"))
    migrate.file("c/kustomization.yaml", "resources: [one.yaml]\n")
    assert migrate("a", "b", "c") == 0
    found = [each for each in yaml.safe_load_all(migrate.out) if each["kind"] == "TrainingRuntime"]
    assert [each["metadata"]["name"] for each in found] == [
        f"{one}-runtime" for one in ("a-one", "b-one", "c-one", "c-two")
    ]
