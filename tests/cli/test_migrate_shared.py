"""Jobs that share a runtime keep what each of them had."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.test_migrate import JOB, Command

TWO_ROLES = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {{name: {name}}}
spec:
  tfReplicaSpecs:
    Chief: {{replicas: 1, template: {{spec: {{containers: [{{name: tensorflow, image: a, command: [chief]}}]}}}}}}
    Worker:
      replicas: 1
      template:
        spec:
          containers:
          - name: tensorflow
            image: a
            command: [worker]
            env:
            - {{name: RUN, value: {name}}}
            - {{name: DIRECTORY, value: "/runs/$(RUN)"}}
            - {{name: SEED, value: {name}}}
"""


@pytest.fixture
def migrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch)


def test_a_variable_that_another_one_uses_keeps_its_place(migrate: Command) -> None:
    text = "---\n".join(TWO_ROLES.format(name=name) for name in ("one", "two"))
    assert migrate("-", stdin=text) == 0
    found = [each for each in yaml.safe_load_all(migrate.out) if each["kind"] == "TrainingRuntime"]
    runs = []
    for runtime in found:
        worker = runtime["spec"]["template"]["spec"]["replicatedJobs"][1]
        names = [each["name"] for each in worker["template"]["spec"]["template"]["spec"]["containers"][0]["env"]]
        assert names.index("RUN") < names.index("DIRECTORY")
        runs.append(runtime["metadata"]["name"])
    assert runs == ["one-runtime", "two-runtime"]


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_a_shared_runtime_builds_with_the_target(version: str, migrate: Command) -> None:
    lines = TWO_ROLES.replace("/runs/$(RUN)", "/runs")
    text = "---\n".join(lines.format(name=name) for name in ("one", "two"))
    assert migrate("-", "--to", version, stdin=text) == 0
    migrate.file("new.yaml", migrate.out)
    assert migrate.build("new.yaml", "--trainer-version", version) == 0
    jobs = [each for each in yaml.safe_load_all(migrate.out) if each["kind"] == "JobSet"]
    for job in jobs:
        pod = job["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]["spec"]
        env = {each["name"]: each.get("value") for each in pod["containers"][0]["env"]}
        assert (env["RUN"], env["SEED"]) == (job["metadata"]["name"],) * 2
    assert len(jobs) == 2


GPUS = JOB.replace("[python,", "[torchrun,") + "              resources: {limits: {nvidia.com/gpu: 2}}\n"


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_there_is_a_process_for_each_gpu_of_the_limits(version: str, migrate: Command) -> None:
    """Trainer 2.0 starts one process if a TrainJob has limits and no requests."""
    assert migrate("-", "--to", version, stdin=GPUS) == 0
    migrate.file("new.yaml", migrate.out)
    assert migrate.build("new.yaml", "--trainer-version", version) == 0
    pod = yaml.safe_load(migrate.out)["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    env = {each["name"]: each.get("value") for each in pod["containers"][0]["env"]}
    assert env["PET_NPROC_PER_NODE"] in ("auto", "gpu", "2")
