"""The example job of a runtime: right for its framework, whatever the runtime is called."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kubectl_trainjob.cli.scaffold.job import job, nodes
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.stages import BuildOptions
from tests.compiled import build
from tests.reading import read

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"


def step(job_name: str, ancestor: str = "", **container: Any) -> dict[str, Any]:
    """A replicatedJob with one container, which is called as it, the trainer's `node`."""
    labels = {"metadata": {"labels": {ANCESTOR: ancestor or job_name}}}
    name = "node" if ancestor == "trainer" else job_name
    mounts = [{"name": "initializer", "mountPath": "/workspace"}]
    pod = {"containers": [{"name": name, "image": "example.com/a:1", "volumeMounts": mounts, **container}]}
    pod["volumes"] = [{"name": "initializer", "emptyDir": {}}]
    return {"name": job_name, "template": {**labels, "spec": {"template": {"spec": pod}}}}


def runtime(policy: dict[str, Any], *steps: dict[str, Any], **metadata: str) -> dict[str, Any]:
    """A runtime; a TrainingRuntime where it has a namespace."""
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime" if metadata else "ClusterTrainingRuntime",
        "metadata": {"name": "own-runtime-x", **metadata},
        "spec": {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": list(steps)}}},
    }


def node(**container: Any) -> dict[str, Any]:
    return step("node", "trainer", **container)


def gpus(count: object) -> dict[str, Any]:
    return {"resources": {"limits": {"nvidia.com/gpu": count}}}


TUNE = [
    *("tune", "run", "--rdzv_endpoint=localhost:29500", "full_finetune_distributed", "--config", "qwen2_5/1.5B_full"),
    *("dataset=torchtune.datasets.instruct_dataset", "dataset.source=parquet", "output_dir=/workspace/output"),
    *("tokenizer.path=/workspace/model/vocab.json", "checkpointer.checkpoint_dir=/workspace/model"),
]
DATASET = step("dataset-initializer")
MODEL = step("model-initializer", env=[{"name": "STORAGE_URI", "value": "hf://acme/model: #1"}])


def written(body: dict[str, Any], version: str = "2.3") -> dict[str, Any]:
    """The example as YAML says it, which must build."""
    file = job("train", body, version)
    assert file.path == "jobs/train.yaml"
    assert built(file.text, body, version)[1] == ()
    return dict(yaml.safe_load(file.text))


def built(text: str, body: dict[str, Any], version: str) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    stream = f"{text}---\n{yaml.safe_dump(body)}"
    result = build(read(["-"], lambda _most: stream.encode()), BuildOptions("somewhere", version))
    return next((output for output in result.objects if output["kind"] == "JobSet"), {}), result.diagnostics


@pytest.mark.parametrize(
    ("body", "command", "resources"),
    [
        pytest.param(runtime({"torch": {}}, node()), ["torchrun", "--no-python", "python", "-c"], 1, id="torch"),
        pytest.param(
            runtime({"torch": {}}, node(**gpus(8))), ["torchrun", "--no-python", "python", "-c"], 8, id="gpus"
        ),
        pytest.param(runtime({"torch": {}}, node(**gpus("4"))), ["torchrun", "--no-python"], 4, id="gpus as text"),
        pytest.param(runtime({"jax": {}}, node()), ["python", "-c"], 1, id="jax"),
        pytest.param(runtime({"xgboost": {}}, node()), ["python", "-c"], 0, id="xgboost"),
        pytest.param(runtime({"flux": {}}, node()), ["hostname"], 0, id="flux"),
        pytest.param(runtime({}, node()), ["sh", "-c"], 0, id="no framework"),
        pytest.param(
            runtime({"mpi": {"mpiImplementation": "OpenMPI"}}, step("node", "-"), step("launcher", "trainer")),
            ["mpirun", "--hostfile", "/etc/mpi/hostfile", "python", "-c"],
            1,
            id="mpi",
        ),
    ],
)
def test_the_command_is_the_framework_s(body: dict[str, Any], command: list[str], resources: int) -> None:
    trainer = written(body)["spec"]["trainer"]
    assert trainer["command"][: len(command)] == command
    assert trainer["numNodes"] == nodes(body) == 2
    assert trainer["resourcesPerNode"]["limits"].get("nvidia.com/gpu", 0) == resources
    if "python" in command:
        compile(trainer["command"][-1], "script", "exec")


@pytest.mark.parametrize(
    ("steps", "initializer"),
    [
        pytest.param([node()], None, id="none"),
        pytest.param([DATASET, node()], {"dataset": {"storageUri": "hf://tatsu-lab/alpaca"}}, id="dataset"),
        pytest.param([MODEL, node()], {"model": {"storageUri": "hf://acme/model: #1"}}, id="the runtime's own model"),
        pytest.param([DATASET, MODEL, node()], ["dataset", "model"], id="both"),
    ],
)
def test_initializers_are_those_of_the_runtime(steps: list[dict[str, Any]], initializer: object) -> None:
    found = written(runtime({"torch": {}}, *steps))["spec"].get("initializer")
    assert (list(found) if isinstance(initializer, list) else found) == initializer


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_torchtune_s_recipe_is_left_to_trainer(version: str) -> None:
    body = runtime({"torch": {}}, node(command=TUNE, **gpus(2)))
    body["metadata"]["name"] = "torchtune-qwen2.5-1.5b"
    file = job("train", body, version)
    trainer = yaml.safe_load(file.text)["spec"]["trainer"]
    assert trainer["command"] == ["tune", "run"]
    assert trainer["args"] == ["dataset=torchtune.datasets.instruct_dataset", "dataset.source=parquet", "epochs=1"]
    jobset, diagnostics = built(file.text, body, version)
    assert diagnostics == ()
    (container,) = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]
    words = [*container["command"], *container.get("args", ())]
    assert words[words.index("--config") + 1] == "qwen2_5/1.5B_full"
    assert sorted(word for word in words if "=" in word and not word.startswith("-")) == sorted(
        [*trainer["args"], *(word for word in TUNE[6:] if not word.startswith("dataset"))]
    )


def test_a_runtime_of_a_namespace_is_referred_to_as_such() -> None:
    example = written(runtime({"torch": {}}, node(), namespace="team-a"))
    assert example["metadata"] == {"name": "train", "namespace": "team-a"}
    assert example["spec"]["runtimeRef"] == {"kind": "TrainingRuntime", "name": "own-runtime-x"}


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([], id="no replicatedJob"),
        pytest.param([{"name": "node", "template": {"spec": {"template": {}}}}], id="an empty template"),
        pytest.param([step("other", "trainer", name="other")], id="another container"),
        pytest.param([node(command=["tune"])], id="half a command"),
        pytest.param([node(**gpus("500m"))], id="half a GPU"),
    ],
)
def test_a_strange_runtime_is_survived(steps: list[dict[str, Any]]) -> None:
    assert yaml.safe_load(job("train", runtime({"torch": {}}, *steps), "2.3").text)["kind"] == "TrainJob"
