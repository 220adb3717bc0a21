"""`explain`: the history of values, in a repository with a base, two overlays, a template, patches and values.

What is expected was read off the files by hand: each entry is `by VALUE FILE:LINE`, the newest first, and below it,
indented, what the value was made of.
"""

from __future__ import annotations

import gc
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.model.stages import BuildOptions
from tests import compiled
from tests.cli.test_diff_markdown import by_github
from tests.hostile.test_diff_pages import parsed
from tests.reading import read

FILES = {
    "trainjob.yaml": """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Config
""",
    "runtimes/torch.yaml": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 3
    torch: {}
  podGroupPolicy:
    coscheduling:
      scheduleTimeoutSeconds: 120
  template:
    metadata:
      labels:
        team: platform
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: pytorch:2.9
                      env:
                        - name: LOG_LEVEL
                          value: info
                      resources:
                        requests:
                          cpu: 4
                          nvidia.com/gpu: 2
""",
    "runtimes/mpi.yaml": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: mpi
  labels:
    trainer.kubeflow.org/framework: deepspeed
spec:
  mlPolicy:
    numNodes: 1
    mpi:
      numProcPerNode: 2
  template:
    spec:
      replicatedJobs:
        - name: launcher
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: deepspeed:1
        - name: node
          template:
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: deepspeed:1
""",
    "runtimes/torchtune-llama3.2-1b.yaml": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torchtune-llama3.2-1b
  labels:
    trainer.kubeflow.org/framework: torchtune
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: torchtune:1
                      command:
                        - tune
                        - run
                        - output_dir=/workspace/out
                      resources:
                        limits:
                          nvidia.com/gpu: 1
""",
    "jobs/llama.yaml": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: llama
spec:
  runtimeRef:
    name: torch
  trainer:
    image: acme/llama:1
    numNodes: 2
    env:
      - name: LOG_LEVEL
        value: debug
    resourcesPerNode:
      requests:
        memory: 64Gi
  runtimePatches:
    - manager: acme.io/team
      trainingRuntimeSpec:
        template:
          metadata:
            labels:
              team: llama
          spec:
            replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        nodeSelector:
                          zone: a
                        volumes:
                          - name: data
                            emptyDir: {}
""",
    "jobs/bert.yaml": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  runtimeRef: {name: mpi}
  trainer: {numNodes: 2}
""",
    "jobs/tuned.yaml": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: tuned
spec:
  runtimeRef:
    name: torchtune-llama3.2-1b
  trainer:
    numNodes: 1
    command: [tune, run]
    args: [dtype=bf16]
""",
    "jobs/sweep.yaml.j2": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: sweep
spec:
  runtimeRef:
    name: torch
  trainer:
    numNodes: {{ values.size.nodes }}
    args: ["--lr={{ values.rate }}"]
""",
    "base/overlay.yaml": """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources: [../jobs/llama.yaml, ../jobs/sweep.yaml.j2]
images:
  - name: acme/llama
    newTag: "2"
values:
  rate: 0.1
  size:
    nodes: 5
patches:
  - target: {kind: TrainJob, name: llama}
    patch:
      - op: replace
        path: /spec/trainer/numNodes
        value: 4
""",
    "prod/overlay.yaml": """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources: [../base]
namespace: research
nameSuffix: -prod
labels:
  - pairs: {stage: prod}
patches:
  - path: llama.yaml
""",
    "prod/llama.yaml": """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: llama
spec:
  trainer:
    numNodes: 8
""",
    "secret.yaml": """\
apiVersion: v1
kind: Secret
metadata:
  name: token
stringData:
  password: hunter2
""",
}
NODE = "spec.replicatedJobs[node].template.spec"
POD = f"{NODE}.template.spec"
CONTAINER = f"{POD}.containers[node]"


class ProcessResult(NamedTuple):
    """What a run left behind."""

    exit_code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path, text in FILES.items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def explain(capsys: pytest.CaptureFixture[str]) -> Callable[..., ProcessResult]:
    def call(*arguments: str) -> ProcessResult:
        code = run("kubectl-trainjob", ["explain", *arguments])
        gc.enable()
        return ProcessResult(code, *capsys.readouterr())

    return call


def reported(writes: list[dict[str, Any]], indent: str = "") -> Iterator[str]:
    """One line a write, and below it what it was made of and the history of that."""
    for write in writes:
        yield f"{indent}{write['by']} {json.dumps(write['value'])} {_where(write['source'])}".rstrip()
        for made_of in write["madeOf"]:
            name = f"{made_of['object']} " if made_of["object"] else ""
            yield f"{indent}  {name}{made_of['path']} {_where(made_of['source'])}"
            yield from reported(made_of["history"], f"{indent}    ")


def _where(source: dict[str, Any] | None) -> str:
    return f"{source['file']}:{source['line']}" if source else ""


SHORT = {
    "<runtime>": "spec.template.spec.replicatedJobs[node].template.spec.template.spec.containers[node]",
    "<container>": CONTAINER,
    "<node>": NODE,
    "<patch>": "<template>.spec.replicatedJobs[node].template.spec.template.spec",
    "<template>": "spec.runtimePatches[acme.io/team].trainingRuntimeSpec.template",
    "<tune>": "runtimes/torchtune-llama3.2-1b.yaml",
}
CASES = [
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        f"{CONTAINER}.env[PET_NNODES].value",
        """
        torch "2" jobs/llama.yaml:10
          TrainJob/llama spec.trainer.numNodes jobs/llama.yaml:10
            file 2 jobs/llama.yaml:10
        torch "3" runtimes/torch.yaml:9
          ClusterTrainingRuntime/torch spec.mlPolicy.numNodes runtimes/torch.yaml:9
            file 3 runtimes/torch.yaml:9
        """,
        id="env of a plugin",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        f"{CONTAINER}.env[LOG_LEVEL].value",
        """
        jobset "debug" jobs/llama.yaml:13
          TrainJob/llama spec.trainer.env[LOG_LEVEL].value jobs/llama.yaml:13
            file "debug" jobs/llama.yaml:13
        torch "debug" jobs/llama.yaml:13
          TrainJob/llama spec.trainer.env[LOG_LEVEL].value jobs/llama.yaml:13
            file "debug" jobs/llama.yaml:13
        runtime "info" runtimes/torch.yaml:33
          ClusterTrainingRuntime/torch <runtime>.env[LOG_LEVEL].value runtimes/torch.yaml:33
            file "info" runtimes/torch.yaml:33
        """,
        id="env of runtime and job",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        f"{CONTAINER}.env[PET_NPROC_PER_NODE].value",
        """
        torch "1" jobs/llama.yaml:14
          TrainJob/llama spec.trainer.resourcesPerNode jobs/llama.yaml:14
            file {"requests": {"memory": "64Gi"}} jobs/llama.yaml:14
        torch "auto" runtimes/torch.yaml:37
          the JobSet <container>.resources.requests[nvidia.com/gpu] runtimes/torch.yaml:37
            runtime "2" runtimes/torch.yaml:37
              ClusterTrainingRuntime/torch <runtime>.resources.requests[nvidia.com/gpu] runtimes/torch.yaml:37
                file 2 runtimes/torch.yaml:37
        """,
        id="the GPUs of the runtime do not count once the job states resources",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        f"{CONTAINER}.resources.requests.memory",
        """
        resourcesPerNode "64Gi" jobs/llama.yaml:16
          TrainJob/llama spec.trainer.resourcesPerNode.requests.memory jobs/llama.yaml:16
            file "64Gi" jobs/llama.yaml:16
        """,
        id="resources of the job",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        f"{CONTAINER}.resources.requests[nvidia.com/gpu]",
        """
        runtime "2" runtimes/torch.yaml:37
          ClusterTrainingRuntime/torch <runtime>.resources.requests[nvidia.com/gpu] runtimes/torch.yaml:37
            file 2 runtimes/torch.yaml:37
        """,
        id="resources of the runtime",
    ),
    pytest.param(
        "prod",
        "JobSet/llama-prod",
        f"{NODE}.parallelism",
        """
        jobset 8 prod/llama.yaml:7
          TrainJob/llama-prod spec.trainer.numNodes prod/llama.yaml:7
            overlay patch 8 prod/llama.yaml:7
              spec.trainer.numNodes prod/llama.yaml:7
            overlay patch 4 base/overlay.yaml:16
              patches[0].patch[0].value base/overlay.yaml:16
            file 2 jobs/llama.yaml:10
        jobset 3 runtimes/torch.yaml:9
          ClusterTrainingRuntime/torch spec.mlPolicy.numNodes runtimes/torch.yaml:9
            file 3 runtimes/torch.yaml:9
        """,
        id="counts through two patches",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        "metadata.labels.team",
        """
        trainJob "llama" jobs/llama.yaml:23
          TrainJob/llama <template>.metadata.labels.team jobs/llama.yaml:23
            file "llama" jobs/llama.yaml:23
        runtime "platform" runtimes/torch.yaml:17
          ClusterTrainingRuntime/torch spec.template.metadata.labels.team runtimes/torch.yaml:17
            file "platform" runtimes/torch.yaml:17
        """,
        id="labels",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        f"{POD}.nodeSelector.zone",
        """
        runtimePatches "a" jobs/llama.yaml:32
          TrainJob/llama <patch>.nodeSelector.zone jobs/llama.yaml:32
            file "a" jobs/llama.yaml:32
        """,
        id="a merged patch",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        f"{POD}.volumes[data].emptyDir",
        """
        runtimePatches {} jobs/llama.yaml:35
          TrainJob/llama <patch>.volumes[data].emptyDir jobs/llama.yaml:35
            file {} jobs/llama.yaml:35
        """,
        id="a volume",
    ),
    pytest.param(
        "jobs/bert.yaml",
        "JobSet/bert",
        f"{POD}.volumes[mpi-ssh-auth].secret.secretName",
        """
        mpi "bert-mpi-ssh-auth" jobs/bert.yaml:3
          TrainJob/bert metadata.name jobs/bert.yaml:3
            file "bert" jobs/bert.yaml:3
        """,
        id="a volume of a plugin",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "PodGroup/llama",
        "spec.minMember",
        """
        coscheduling 2 jobs/llama.yaml:10
          TrainJob/llama spec.trainer.numNodes jobs/llama.yaml:10
            file 2 jobs/llama.yaml:10
        coscheduling 3 runtimes/torch.yaml:9
          ClusterTrainingRuntime/torch spec.mlPolicy.numNodes runtimes/torch.yaml:9
            file 3 runtimes/torch.yaml:9
        """,
        id="Pods of a gang",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "PodGroup/llama",
        "spec.minResources[nvidia.com/gpu]",
        """
        coscheduling "4" jobs/llama.yaml:10
          TrainJob/llama spec.trainer.numNodes jobs/llama.yaml:10
            file 2 jobs/llama.yaml:10
          the JobSet <container>.resources.requests[nvidia.com/gpu] runtimes/torch.yaml:37
            runtime "2" runtimes/torch.yaml:37
              ClusterTrainingRuntime/torch <runtime>.resources.requests[nvidia.com/gpu] runtimes/torch.yaml:37
                file 2 runtimes/torch.yaml:37
        coscheduling "6" runtimes/torch.yaml:9
          ClusterTrainingRuntime/torch spec.mlPolicy.numNodes runtimes/torch.yaml:9
            file 3 runtimes/torch.yaml:9
          the JobSet <container>.resources.requests[nvidia.com/gpu] runtimes/torch.yaml:37
            runtime "2" runtimes/torch.yaml:37
              ClusterTrainingRuntime/torch <runtime>.resources.requests[nvidia.com/gpu] runtimes/torch.yaml:37
                file 2 runtimes/torch.yaml:37
        """,
        id="resources of a gang",
    ),
    pytest.param(
        "jobs/llama.yaml",
        "PodGroup/llama",
        "spec.scheduleTimeoutSeconds",
        """
        coscheduling 120 runtimes/torch.yaml:13
          ClusterTrainingRuntime/torch spec.podGroupPolicy.coscheduling.scheduleTimeoutSeconds runtimes/torch.yaml:13
            file 120 runtimes/torch.yaml:13
        """,
        id="a setting of a gang",
    ),
    pytest.param(
        "jobs/bert.yaml",
        "ConfigMap/bert-mpi-hostfile",
        "data.hostfile",
        r"""
        mpi "bert-node-0-0.bert slots=2\nbert-node-0-1.bert slots=2\n" runtimes/mpi.yaml:11
          ClusterTrainingRuntime/mpi spec.mlPolicy.mpi.numProcPerNode runtimes/mpi.yaml:11
            file 2 runtimes/mpi.yaml:11
          ClusterTrainingRuntime/mpi spec.mlPolicy.numNodes runtimes/mpi.yaml:9
            file 1 runtimes/mpi.yaml:9
          the JobSet spec.replicatedJobs[launcher].replicas runtimes/mpi.yaml:15
            runtime 1 runtimes/mpi.yaml:15
              ClusterTrainingRuntime/mpi spec.template.spec.replicatedJobs[launcher].replicas runtimes/mpi.yaml:15
                api 1 runtimes/mpi.yaml:15
          TrainJob/bert spec.trainer.numNodes jobs/bert.yaml:6
            file 2 jobs/bert.yaml:6
          ClusterTrainingRuntime/mpi spec.mlPolicy.mpi.runLauncherAsNode runtimes/mpi.yaml:10
            api false runtimes/mpi.yaml:10
          the JobSet spec.replicatedJobs[node].replicas runtimes/mpi.yaml:26
            runtime 1 runtimes/mpi.yaml:26
              ClusterTrainingRuntime/mpi spec.template.spec.replicatedJobs[node].replicas runtimes/mpi.yaml:26
                api 1 runtimes/mpi.yaml:26
          TrainJob/bert metadata.name jobs/bert.yaml:3
            file "bert" jobs/bert.yaml:3
        mpi "bert-node-0-0.bert slots=2\n" runtimes/mpi.yaml:11
          ClusterTrainingRuntime/mpi spec.mlPolicy.mpi.numProcPerNode runtimes/mpi.yaml:11
            file 2 runtimes/mpi.yaml:11
          ClusterTrainingRuntime/mpi spec.mlPolicy.numNodes runtimes/mpi.yaml:9
            file 1 runtimes/mpi.yaml:9
          the JobSet spec.replicatedJobs[launcher].replicas runtimes/mpi.yaml:15
            runtime 1 runtimes/mpi.yaml:15
              ClusterTrainingRuntime/mpi spec.template.spec.replicatedJobs[launcher].replicas runtimes/mpi.yaml:15
                api 1 runtimes/mpi.yaml:15
          ClusterTrainingRuntime/mpi spec.template.<node>.parallelism runtimes/mpi.yaml:28
            file null runtimes/mpi.yaml:28
          the JobSet spec.replicatedJobs[node].replicas runtimes/mpi.yaml:26
            runtime 1 runtimes/mpi.yaml:26
              ClusterTrainingRuntime/mpi spec.template.spec.replicatedJobs[node].replicas runtimes/mpi.yaml:26
                api 1 runtimes/mpi.yaml:26
          ClusterTrainingRuntime/mpi spec.mlPolicy.mpi.runLauncherAsNode runtimes/mpi.yaml:10
            api false runtimes/mpi.yaml:10
          TrainJob/bert metadata.name jobs/bert.yaml:3
            file "bert" jobs/bert.yaml:3
        """,
        id="lines of a hostfile",
    ),
    pytest.param(
        "jobs/tuned.yaml",
        "JobSet/tuned",
        f"{CONTAINER}.command[2]",
        """
        jobset "full_finetune_single_device" jobs/tuned.yaml:7
          TrainJob/tuned spec.runtimeRef.name jobs/tuned.yaml:7
            file "torchtune-llama3.2-1b" jobs/tuned.yaml:7
          TrainJob/tuned spec.trainer.numNodes jobs/tuned.yaml:9
            file 1 jobs/tuned.yaml:9
          the JobSet <container>.resources.limits[nvidia.com/gpu] <tune>:31
            runtime "1" <tune>:31
              ClusterTrainingRuntime/torchtune-llama3.2-1b <runtime>.resources.limits[nvidia.com/gpu] <tune>:31
                file 1 <tune>:31
          TrainJob/tuned spec.trainer.args jobs/tuned.yaml:11
            file ["dtype=bf16"] jobs/tuned.yaml:11
          TrainJob/tuned metadata.name jobs/tuned.yaml:4
            file "tuned" jobs/tuned.yaml:4
          the JobSet <container>.command[2] <tune>:28
            runtime "output_dir=/workspace/out" <tune>:28
              ClusterTrainingRuntime/torchtune-llama3.2-1b <runtime>.command[2] <tune>:28
                file "output_dir=/workspace/out" <tune>:28
        runtime "output_dir=/workspace/out" <tune>:28
          ClusterTrainingRuntime/torchtune-llama3.2-1b <runtime>.command[2] <tune>:28
            file "output_dir=/workspace/out" <tune>:28
        """,
        id="torchtune's command",
    ),
    pytest.param(
        "base",
        "JobSet/sweep",
        f"{NODE}.parallelism",
        """
        jobset 5 jobs/sweep.yaml.j2:9
          TrainJob/sweep spec.trainer.numNodes jobs/sweep.yaml.j2:9
            template 5 jobs/sweep.yaml.j2:9
              values.size.nodes base/overlay.yaml:10
        jobset 3 runtimes/torch.yaml:9
          ClusterTrainingRuntime/torch spec.mlPolicy.numNodes runtimes/torch.yaml:9
            file 3 runtimes/torch.yaml:9
        """,
        id="a template's value",
    ),
    pytest.param(
        "base",
        "JobSet/llama",
        f"{CONTAINER}.image",
        """
        jobset "acme/llama:2" base/overlay.yaml:6
          TrainJob/llama spec.trainer.image base/overlay.yaml:6
            overlay images "acme/llama:2" base/overlay.yaml:6
              images[0].newTag base/overlay.yaml:6
            file "acme/llama:1" jobs/llama.yaml:9
        runtime "pytorch:2.9" runtimes/torch.yaml:30
          ClusterTrainingRuntime/torch <runtime>.image runtimes/torch.yaml:30
            file "pytorch:2.9" runtimes/torch.yaml:30
        """,
        id="an overlay's image",
    ),
    pytest.param(
        "prod",
        "JobSet/llama-prod",
        "metadata.namespace",
        """
        jobset "research" prod/overlay.yaml:4
          TrainJob/llama-prod metadata.namespace prod/overlay.yaml:4
            overlay namespace "research" prod/overlay.yaml:4
              namespace prod/overlay.yaml:4
        """,
        id="an overlay's namespace",
    ),
    pytest.param(
        "prod",
        "TrainJob/llama-prod",
        "metadata.labels.stage",
        """
        overlay labels "prod" prod/overlay.yaml:7
          labels[0].pairs.stage prod/overlay.yaml:7
        """,
        id="an overlay's label on a TrainJob",
    ),
    pytest.param(
        "jobs/llama.yaml", "JobSet/llama", f"{NODE}.completionMode", 'jobset-defaults "Indexed"', id="JobSet's default"
    ),
    pytest.param(
        "jobs/llama.yaml",
        "JobSet/llama",
        "spec.replicatedJobs[node].groupName",
        """
        runtime "default" runtimes/torch.yaml:20
          ClusterTrainingRuntime/torch spec.template.spec.replicatedJobs[node].groupName runtimes/torch.yaml:20
            api "default" runtimes/torch.yaml:20
        """,
        id="a default of the API",
    ),
]


@pytest.mark.parametrize(("files", "target", "path", "expected"), CASES)
def test_the_history_of_a_value(explain, files, target, path, expected):
    result = explain("-f", files, target, path, "-o", "json")
    assert (result.exit_code, result.err) == (0, "")
    answer = json.loads(result.out)
    assert answer["schemaVersion"] == 1
    (field,) = answer["fields"]
    assert field["path"] == path
    for short, long in SHORT.items():
        expected = expected.replace(short, long)
    wanted = inspect.cleandoc(expected).splitlines()
    assert list(reported(field["history"])) == wanted
    assert field["value"] == field["history"][0]["value"]


def test_text_for_people(explain):
    result = explain("-f", "prod", "JobSet/llama", f"{NODE}.parallelism")
    assert (result.exit_code, result.err) == (0, "")
    assert (
        result.out
        == inspect.cleandoc(f"""
        JobSet/llama-prod {NODE}.parallelism
          is  8  Trainer's JobSet builder, copied from
              spec.trainer.numNodes of TrainJob/llama-prod
                is  8  an overlay's patch  prod/llama.yaml:7:15
                was 4  an overlay's patch  base/overlay.yaml:16:16
                was 2  written  jobs/llama.yaml:10:15
          was 3  Trainer's JobSet builder, copied from
              spec.mlPolicy.numNodes of ClusterTrainingRuntime/torch: 3  runtimes/torch.yaml:9:15
        """).replace("copied from", "computed from")
        + "\n"
    )


def test_a_whole_object_is_its_document_with_origins_beside_it(explain):
    built = built_by("jobs/llama.yaml")
    result = explain("-f", "jobs/llama.yaml", "PodGroup/llama")
    lines = [line.split("  # ") for line in result.out.splitlines()]
    assert yaml.safe_load(result.out) == next(body for body in built if body["kind"] == "PodGroup")
    assert [(line[0].strip(), line[1]) for line in lines if len(line) == 2] == [
        ("apiVersion: scheduling.x-k8s.io/v1alpha1", "coscheduling plugin"),
        ("kind: PodGroup", "coscheduling plugin"),
        ("name: llama", "jobs/llama.yaml:4"),
        ("minMember: 2", ":10 coscheduling plugin, was 3"),
        ("cpu: '8'", ":10 coscheduling plugin, was 12"),
        ("memory: 128Gi", ":10 coscheduling plugin"),
        ("nvidia.com/gpu: '4'", ":10 coscheduling plugin, was 6"),
        ("scheduleTimeoutSeconds: 120", "runtimes/torch.yaml:13"),
    ]


def test_every_object_of_a_build_is_the_same_document(explain):
    for body in built_by("prod", "secret.yaml"):
        if body["kind"] != "Secret":
            result = explain("-f", "prod", "-f", "secret.yaml", f"{body['kind']}/{body['metadata']['name']}")
            assert (result.exit_code, yaml.safe_load(result.out)) == (0, body)


def built_by(*paths: str) -> list[Any]:
    built = compiled.build(read(paths, lambda _: b""), BuildOptions())
    return [output.body for output in built.outputs]


@pytest.mark.parametrize(
    "path",
    [
        f"{CONTAINER}.env[LOG_LEVEL].value",
        "spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[0].value",
        "/spec/replicatedJobs/0/template/spec/template/spec/containers/0/env/0/value",
        "{.spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[0].value}",
    ],
)
def test_ways_to_write_a_path(explain, path):
    result = explain("-f", "jobs/llama.yaml", "jobsets/llama", path)
    assert result.out.startswith(f"JobSet/llama {CONTAINER}.env[LOG_LEVEL].value\n  is  debug  ")


def test_a_part_of_an_object(explain):
    result = explain("-f", "jobs/llama.yaml", "JobSet/llama", f"{CONTAINER}.resources")
    assert yaml.safe_load(result.out) == {
        "resources": {"requests": {"cpu": "4", "memory": "64Gi", "nvidia.com/gpu": "2"}}
    }
    answer = json.loads(explain("-f", "jobs/llama.yaml", "JobSet/llama", f"{CONTAINER}.resources", "-o", "json").out)
    assert [field["pointer"].rpartition("requests/")[2] for field in answer["fields"]] == [
        "cpu",
        "nvidia.com~1gpu",
        "memory",
    ]


def test_an_object_is_found_under_its_names_before_overlays(explain):
    answers = [explain("-f", "prod", f"JobSet/{name}", "metadata.name").out for name in ("llama", "llama-prod")]
    assert answers[0] == answers[1] != ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["JobSet/lama"], 'error: JobSet/lama does not exist; did you mean "llama"?\n'),
        (
            ["PodGroup/bert"],
            "error: TrainJob/bert generates no PodGroup/bert; it generates JobSet/bert, ConfigMap/bert-mpi-hostfile\n",
        ),
        (
            ["Deployment/llama"],
            "error: TrainJob/llama generates no Deployment/llama; it generates JobSet/llama, PodGroup/llama\n",
        ),
        (["JobSet/llama", "spec.nope"], 'error: spec has no "nope"'),
        (["JobSet/llama-prod"], "note: overlays are only read if passed with -f: base, prod\n"),
    ],
)
def test_what_is_not_there(explain, arguments, message):
    result = explain(*arguments)
    assert (result.exit_code, result.out) == (1, "")
    assert message in result.err


def test_several_matches_are_listed(repository, explain):
    text = FILES["jobs/llama.yaml"]
    (repository / "jobs/a.yaml").write_text(text.replace("name: llama\n", "name: llama\n  namespace: a\n", 1))
    (repository / "jobs/b.yaml").write_text(text.replace("name: llama\n", "name: llama\n  namespace: b\n", 1))
    result = explain("JobSet/llama", "kind")
    assert (result.exit_code, result.out) == (1, "")
    assert (
        result.err
        == inspect.cleandoc("""
        error: JobSet/llama matches 3 objects; choose one with -n, or pass its files with -f:
          JobSet/llama in namespace a (jobs/a.yaml:4)
          JobSet/llama in namespace b (jobs/b.yaml:4)
          JobSet/llama without a namespace (jobs/llama.yaml:4)
        note: overlays are only read if passed with -f: base, prod
        """)
        + "\n"
    )
    (repository / "jobs/llama.yaml").unlink()
    assert explain("JobSet/llama", "metadata.namespace", "-n", "b").out.splitlines()[1].endswith("jobs/b.yaml:5:14")


def test_a_rejected_job_says_why(repository, explain):
    (repository / "jobs/llama.yaml").write_text(FILES["jobs/llama.yaml"].replace("name: torch", "name: tors"))
    result = explain("JobSet/llama")
    assert (result.exit_code, result.out) == (1, "")
    assert "jobs/llama.yaml:7:11: error KTJ201" in result.err
    assert "error: TrainJob/llama cannot be built, therefore JobSet/llama does not exist\n" in result.err


def test_the_namespace_option_is_named(explain):
    result = explain("JobSet/llama", "metadata.namespace", "-n", "team-a")
    assert "is  team-a  the option -n" in result.out


@pytest.mark.parametrize("kind", ["secret", "SECRET"])
def test_secrets_of_another_spelling_stay_secret(repository, explain, kind):
    (repository / "s.yaml").write_text(
        f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: s}}\nstringData: {{p: HUNTER}}\n"
    )
    result = explain("-f", "s.yaml", f"{kind}/s")
    assert "HUNTER" not in result.out + result.err
    assert "***" in result.out


@pytest.mark.parametrize("arguments", [[], ["stringData.password"], ["-o", "json"], ["stringData", "-o", "json"]])
def test_secrets_stay_secret(explain, arguments):
    result = explain("-f", "secret.yaml", "Secret/token", *arguments)
    assert result.exit_code == 0
    assert "hunter2" not in result.out + result.err
    assert "***" in result.out


@pytest.mark.parametrize("target", ["JobSet/", "/llama", "JobSet/a/b", ""])
def test_what_names_no_object(explain, target):
    result = explain(target)
    assert (result.exit_code, result.out) == (2, "")
    assert "write KIND/NAME" in result.err


def test_files_that_cannot_matter_are_not_parsed(repository, explain):
    """And those that can are, however the name is written."""
    (repository / "jobs/other.yaml").write_text("apiVersion: {")
    assert explain("JobSet/llama", "kind").exit_code == 0
    for number, name in enumerate(('"\\x6clama"', '"ll\\\n    ama"', "&a llama", "!!str llama", ">-\n    llama")):
        namespace = f"n{number}"
        text = FILES["jobs/llama.yaml"].replace("name: llama", f"namespace: {namespace}\n  name: {name}", 1)
        (repository / "jobs/llama.yaml").write_text(text)
        assert explain("JobSet/llama", "metadata.namespace").out.splitlines()[1].startswith(f"  is  {namespace} ")


COPIES = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources: [map.yaml]
patches:
  - target: {kind: ConfigMap}
    patch:
      - {op: copy, from: /data/a, path: /data/b}
      - {op: remove, path: /data/c}
  - target: {kind: ConfigMap}
    patch: {data: {c: new, d: null}}
  - target: {kind: ConfigMap}
    patch: [{op: add, path: /data/d, value: again}]
"""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  a: one\n  b: two\n  c: three\n  d: four\n"


@pytest.mark.parametrize(
    ("key", "lines"),
    [
        (
            "b",
            [
                "is  one  an overlay's patch, copied from",
                "data.a of the ConfigMap: one  o/map.yaml:6:6",
                'patches[0].patch[0]: {"op": "copy", "from": "/data/a", "path": "/data/b"}  o/overlay.yaml:7:9',
                "was two  written  o/map.yaml:7:6",
            ],
        ),
        (
            "c",
            [
                "is  new  an overlay's patch  o/overlay.yaml:10:23",
                "was removed by an overlay's patch  o/overlay.yaml:8:9",
                "was three  written  o/map.yaml:8:6",
            ],
        ),
        (
            "d",
            [
                "is  again  an overlay's patch  o/overlay.yaml:12:45",
                "was removed by an overlay's patch  o/overlay.yaml:10:31",
                "was four  written  o/map.yaml:9:6",
            ],
        ),
    ],
)
def test_copies_and_removals_are_reported(repository, explain, key, lines):
    write_overlay(repository, COPIES, MAP)
    assert [line.strip() for line in explain("-f", "o", "ConfigMap/m", f"data.{key}").out.splitlines()[1:]] == lines


def write_overlay(repository: Path, overlay: str, body: str) -> None:
    (repository / "o").mkdir(exist_ok=True)
    (repository / "o/overlay.yaml").write_text(overlay)
    (repository / "o/map.yaml").write_text(body)


def test_a_removal_below_is_remembered_above(repository, explain):
    write_overlay(repository, COPIES, MAP)
    (repository / "p").mkdir()
    (repository / "p/overlay.yaml").write_text(
        "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../q]\n"
        "patches:\n- target: {kind: ConfigMap}\n  patch: {data: {a: back}}\n"
    )
    (repository / "q").mkdir()
    (repository / "q/overlay.yaml").write_text(
        "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../o]\n"
        "patches:\n- target: {kind: ConfigMap}\n"
        "  patch: [{op: remove, path: /data}, {op: add, path: /data, value: {}}]\n"
    )
    assert [line.strip() for line in explain("-f", "p", "ConfigMap/m", "data.a").out.splitlines()[1:]] == [
        "is  back  an overlay's patch  p/overlay.yaml:6:21",
        "was removed by an overlay's patch  q/overlay.yaml:6:11",
        "was one  written  o/map.yaml:6:6",
    ]


def test_a_thousand_writes_of_one_value(repository, explain):
    operations = "\n".join(f"      - {{op: replace, path: /data/a, value: v{n}}}" for n in range(1000))
    head = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [map.yaml]\npatches:\n"
    write_overlay(repository, f"{head}  - target: {{kind: ConfigMap}}\n    patch:\n{operations}\n", MAP)
    for output in ("text", "json"):
        result = explain("-f", "o", "ConfigMap/m", "data.a", "-o", output)
        assert (result.exit_code, result.err, result.out.count("v998")) == (0, "", 2 if output == "json" else 1)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("numNodes: {{ values.size.nodes }}", ["values.size.nodes"]),
        ("numNodes: {{ n }}", ["values.size"]),
        ("image: {{ i }}", ["values.tag", "namespace"]),
        ("image: x", []),
    ],
)
def test_what_a_template_line_mentions(repository, explain, line, names):
    field = line.partition(":")[0]
    (repository / "jobs/sweep.yaml.j2").write_text(
        "{% set i = values.tag ~ overlay.namespace %}\n{% for name, n in values.size | items %}\n"
        + FILES["jobs/sweep.yaml.j2"].partition("  trainer:")[0].replace("sweep", "s-{{ name }}")
        + f"  trainer:\n    {line}\n---\n{{% endfor %}}\n"
    )
    (repository / "base/overlay.yaml").write_text(
        "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nnamespace: ns\n"
        "resources: [../jobs/sweep.yaml.j2]\nvalues:\n  size: {nodes: 2}\n  tag: t\n"
    )
    answer = json.loads(explain("-f", "base", "TrainJob/s-nodes", f"spec.trainer.{field}", "-o", "json").out)
    write = answer["fields"][0]["history"][0]
    assert (write["by"], write["source"]["file"]) == ("template", "jobs/sweep.yaml.j2")
    assert [each["path"] for each in write["madeOf"]] == [
        {"values.tag": "values.tag", "namespace": "namespace"}.get(name, name) for name in names
    ]


def test_what_only_kubernetes_writes_is_not_said_to_be_copied(explain):
    result = explain(
        "-f",
        "jobs/bert.yaml",
        "JobSet/bert",
        "spec.replicatedJobs[launcher].template.spec.template.spec.containers[node].resources",
    )
    assert result.out.splitlines()[1] == "  is  {}  the Kubernetes default, independent of the files"


def test_a_key_that_a_patch_is_merged_by_is_the_runtimes(explain):
    result = explain("-f", "jobs/llama.yaml", "JobSet/llama", "spec.replicatedJobs[0].name")
    assert "runtimes/torch.yaml:20" in result.out
    assert "runtimePatches" not in result.out


def test_the_end_of_a_path_is_enough_to_get_the_whole(explain):
    result = explain("-f", "jobs/llama.yaml", "JobSet/llama", "PET_NNODES")
    assert result.exit_code == 1
    assert f"note: this path exists: {CONTAINER}.env[PET_NNODES]\n" in result.err


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("TrainJob/llama", "spec.activeDeadlineSeconds"), "trainjob.spec.activeDeadlineSeconds"),
        (
            ("JobSet/llama", "spec.replicatedJobs[node].template.spec.suspend"),
            "jobset.spec.replicatedJobs.template.spec.suspend",
        ),
        (("TrainJob/llama", "spec.activeDeadline"), ""),
        (("TrainJob/llama", "spec.trainer..image"), ""),
    ],
)
def test_a_field_without_a_value_is_named(explain, words, field):
    """And the command of the note describes it."""
    result = explain("-f", "jobs/llama.yaml", *words)
    note = "note: the field has no value here; to read about it, run: kubectl trainjob explain "
    assert [line.removeprefix(note) for line in result.err.splitlines() if note in line] == [field] * bool(field)
    assert result.exit_code == 1
    assert not field or f"FIELD: {field.rpartition('.')[2]}" in explain(field).out


def test_a_problem_elsewhere_is_reported_and_counts(repository, explain):
    (repository / "jobs/bert.yaml").write_text(FILES["jobs/bert.yaml"] + "---\nllama: [\n")
    result = explain("JobSet/bert", "kind")
    assert (result.exit_code, result.out.splitlines()[0]) == (1, "JobSet/bert kind")
    assert "jobs/bert.yaml" in result.err


@pytest.mark.parametrize("value", ["{}", '"***"', "{q: null}", "{q: other}"])
def test_what_a_secret_was_stays_secret(repository, explain, value):
    path = "/stringData/q" if value.startswith('"') else "/stringData"
    head = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [map.yaml]\npatches:\n"
    copy = "{op: copy, from: /stringData/p, path: /metadata/annotations/x}"
    operations = f"[{copy}, {{op: replace, path: {path}, value: {value}}}]"
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: {}}\nstringData: {p: HUNTER, q: H2}\n"
    write_overlay(repository, f"{head}- target: {{kind: Secret}}\n  patch: {operations}\n", secret)
    for arguments in ([], ["stringData"], ["metadata.annotations"], ["-o", "json"], ["stringData", "-o", "json"]):
        result = explain("-f", "o", "Secret/s", *arguments)
        assert result.exit_code == 0
        assert not {"HUNTER", "H2", "other"} & set(result.out.replace('"', " ").split())


def test_a_runtime_in_an_odd_file_is_found(repository, explain):
    runtime = json.dumps(yaml.safe_load(FILES["runtimes/torch.yaml"]))
    (repository / "runtimes/torch.yaml").write_text(
        "apiVersion: v1\nkind: List\nmetadata: {annotations: {note: 'one\nkind: TrainJob\ntwo'}}\nitems:\n- " + runtime
    )
    assert explain("JobSet/llama", "kind").exit_code == 0
    assert explain("-f", "jobs", "ClusterTrainingRuntime/torch", "kind").exit_code == 0


def test_a_path_in_place_of_an_object(explain):
    result = explain("jobs/llama.yaml", "JobSet/llama")
    assert (result.exit_code, result.out) == (2, "")
    assert '"jobs/llama.yaml" is a path; write -f jobs/llama.yaml JobSet/NAME' in result.err


@pytest.mark.slow
def test_a_value_that_was_copied_to_and_fro(repository, explain):
    ways = ("{op: copy, from: /data/a, path: /data/b}", "{op: copy, from: /data/b, path: /data/a}")
    operations = "\n".join(f"      - {ways[n % 2]}" for n in range(400))
    head = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [map.yaml]\npatches:\n"
    write_overlay(repository, f"{head}  - target: {{kind: ConfigMap}}\n    patch:\n{operations}\n", MAP)
    result = explain("-f", "o", "ConfigMap/m", "data.a")
    assert (result.exit_code, result.out.splitlines()[-1]) == (0, "  was one  written  o/map.yaml:6:6")
    assert result.out.count("was two") < 500


@pytest.mark.parametrize(("form", "tags"), [("markdown", ("h3", "ul", "pre")), ("html", ("h1", "pre", "pre"))])
def test_pages_say_what_the_text_says(explain, form, tags):
    def element(tag, *arguments):
        page = explain("JobSet/llama", *arguments, "-o", form).out
        return next((by_github if form == "markdown" else parsed)(page).iter(tag))

    def words(text):
        return "".join(text.split())

    title, history, yaml_lines = tags
    path = "spec.replicatedJobs[node].template.spec.parallelism"
    first, *lines = explain("JobSet/llama", path).out.splitlines()
    assert "".join(element(title, path).itertext()) == first
    assert words("".join(element(history, path).itertext())) == words("".join(lines))
    assert words("".join(element(yaml_lines).itertext())) == words(explain("JobSet/llama").out)
