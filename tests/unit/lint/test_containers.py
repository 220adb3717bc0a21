"""The rules of single containers: their commands, images and amounts."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.lint.containers import Find
from kubectl_trainjob.lint.rules import (
    command_in_one_string,
    image_invalid,
    memory_too_small,
    unknown_extended_resource,
)
from kubectl_trainjob.model.source import value_at
from tests.loops import for_each
from tests.unit.lint.launched import of_rule, role, runtime, train_job
from tests.unit.lint.reported import reported


def values(find: Find, container: Mapping[str, Any]) -> list[Any]:
    """The values that a rule points at."""
    return [value_at(container, each.pointer) for each in find(container)]


ONE_STRING = {
    "a program": ["torchrun train.py"],
    "a path": ["/usr/bin/python3 train.py --lr 0.1"],
    "a shell": ["bash -c 'python train.py'"],
    "after another command": ["timeout", "10", "torchrun train.py"],
    "lines": ["python\ntrain.py"],
    "a script": ["python", "train.py --lr 0.1"],
    "a script of torchrun": ["torchrun", "--nnodes=2", "/app/train.py --lr 0.1"],
    "a script of the shell": ["bash", "run.sh prod"],
}
WORDS = {
    "words": ["torchrun", "train.py", "--lr", "0.1"],
    "a script for the shell": ["sh", "-c", "torchrun train.py --lr 0.1"],
    "a script with options": ["bash", "-euxo", "pipefail", "-c", "torchrun train.py"],
    "an argument with blanks": ["python", "train.py", "--prompt", "a b"],
    "a command as an argument": ["python", "train.py", "--run", "python eval.py --all"],
    "code": ["python", "-c", "import a; a.run('x.py b')"],
    "an assignment before": ["env", "A=b c", "torchrun", "train.py"],
}


@for_each("command", ONE_STRING, at_least=8)
def test_a_command_in_one_string(command: list[str]) -> None:
    [found] = values(command_in_one_string.find, {"command": command})
    assert len(found.split()) > 1
    split: dict[str, Any] = {"command": command[:1], "args": command[1:]}
    assert len(values(command_in_one_string.find, split)) == 1


@for_each("command", WORDS, at_least=7)
def test_a_command_in_words(command: list[str]) -> None:
    assert values(command_in_one_string.find, {"command": command}) == []
    assert values(command_in_one_string.find, {"args": command}) == []


@pytest.mark.parametrize("command", [["sh -c true"], ["env", "A=b", "sh -c true"], ["sh", "true.sh now"]])
def test_a_command_in_one_string_does_not_start(command: Sequence[str]) -> None:
    assert len(values(command_in_one_string.find, {"command": command})) == 1
    try:
        code = subprocess.run(command, check=False, capture_output=True).returncode
    except FileNotFoundError:
        code = 127
    assert code not in (0, 1)


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        pytest.param("torchrun train.py", 'write each word as an item: ["torchrun", "train.py"]', id="words"),
        pytest.param("python 'a b.py'", 'write each word as an item: ["python", "a b.py"]', id="quotes"),
        pytest.param("cd /app && ./run", 'run a shell: `command: [sh, -c, "..."]`', id="two commands"),
        pytest.param("python $HOME/a.py", 'run a shell: `command: [sh, -c, "..."]`', id="a variable"),
        pytest.param("python 'a", 'run a shell: `command: [sh, -c, "..."]`', id="an open quotation"),
    ],
)
def test_what_to_write_instead(command: str, advice: str) -> None:
    [found] = command_in_one_string.find({"command": [command]})
    assert found.message.endswith(f"; {advice}")


SIZES: dict[str, tuple[str | int, bool]] = {
    "milli": ("64m", True),
    "bytes": (64, True),
    "bytes as a string": ("64", True),
    "k": ("64k", True),
    "Ki": ("1023Ki", True),
    "less than a byte": ("0.5", True),
    "a MiB": ("1Mi", False),
    "many bytes": (68719476736, False),
    "many thousandths": ("68719476736000m", False),
    "none": (0, False),
    "Gi": ("64Gi", False),
}


@for_each("size", SIZES, at_least=11)
def test_memory(size: tuple[str | int, bool]) -> None:
    amount, is_small = size
    for name in ("memory", "ephemeral-storage"):
        for field, severity in (("limits", None), ("requests", "warning")):
            found = list(memory_too_small.find({"resources": {field: {name: amount, "cpu": "64m"}}}))
            assert [each.severity for each in found] == ([severity] if is_small else [])


DEVICES = {
    "nvidia.com/gpus": "nvidia.com/gpu",
    "nvidia.com/GPU": "nvidia.com/gpu",
    "nvidia/gpu": "nvidia.com/gpu",
    "nvidia/gpus": "nvidia.com/gpu",
    "nvidia-com/gpu": "nvidia.com/gpu",
    "nvdia.com/gpu": "nvidia.com/gpu",
    "amd.com/gpus": "amd.com/gpu",
    "amd/gpu": "amd.com/gpu",
    "google.com/tpus": "google.com/tpu",
    "habana.ai/gaudis": "habana.ai/gaudi",
    "aws.amazon.com/neuroncores": "aws.amazon.com/neuroncore",
}
OTHERS = [
    *("nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb", "nvidia.com/gpumem", "nvidia.com/gpucores"),
    *("nvidia.com/vgpu", "nvidia.com/pgpu", "amd.com/gpu", "google.com/tpu", "gpu.intel.com/i915", "habana.ai/gaudi"),
    *("aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice", "rdma/hca_shared_devices_a"),
    *("vpc.amazonaws.com/efa", "huawei.com/Ascend910", "metax-tech.com/gpu", "koordinator.sh/gpu", "cpu", "memory"),
    *("aliyun.com/gpu-mem", "volcano.sh/vgpu-number", "example.com/gpus", "tencent.com/vcuda-core", "nvidia.com/a100"),
]


@for_each("pair", {name: (name, device) for name, device in DEVICES.items()}, at_least=11)
def test_a_name_like_that_of_a_device(pair: tuple[str, str]) -> None:
    name, device = pair
    [found] = unknown_extended_resource.find({"resources": {"limits": {name: 1}, "requests": {name: 1}}})
    assert found.pointer == ("resources", "limits", name)
    assert found.message.endswith(f'write "{device}"')


@for_each("name", OTHERS, at_least=26)
def test_a_name_of_another_device(name: str) -> None:
    assert list(unknown_extended_resource.find({"resources": {"limits": {name: 1}}})) == []


IMAGES = {
    "https://ghcr.io/acme/train:1": "begins with a scheme; remove it",
    "ghcr.io/acme/train: 1": "contains blanks; remove them",
    "ghcr.io/Acme/Train:1": 'has capitals in its repository; write "ghcr.io/acme/train:1"',
    "ghcr.io/acme/train:-1": 'has the invalid tag "-1"; use letters, digits and - _ . only',
    "ghcr.io/acme/train:1:2": 'has the invalid tag "1:2"; use letters, digits and - _ . only',
    "$(IMAGE)": "is not an image reference; write registry/repository:tag",
    "<image>": "is not an image reference; write registry/repository:tag",
}


@pytest.mark.parametrize(("image", "advice"), IMAGES.items())
def test_an_invalid_image(image: str, advice: str) -> None:
    [found] = image_invalid.find({"image": image})
    assert found.message == f'"{image}" {advice}'


def test_an_image_with_blanks_around_it() -> None:
    # ValidatePodCreate rejects blanks around it, and ValidatePodTemplateSpec does not: the Job never has a Pod
    for image in (" acme/train:1", "acme/train:1 "):
        assert [each.pointer for each in image_invalid.find({"image": image})] == [("image",)]


def test_the_runtime_and_what_a_job_changes_are_reported_once_each(tmp_path: Path) -> None:
    fields = (
        "image: ghcr.io/Acme/train:1",
        "command: [torchrun train.py]",
        "resources: {limits: {memory: 64m}}",
    )
    container = role(*fields).replace("            image: acme/train:1.4\n", "")
    text = runtime("{torch: {}}", container) + train_job(name="a") + train_job("trainer: {image: '<b>'}", name="b")
    expected = {
        "KTJ910": ["image: ghcr.io/Acme/train:1", "trainer: {image: '<b>'}"],
        "KTJ419": ["command: [torchrun train.py]"],
        "KTJ317": ["resources: {limits: {memory: 64m}}"],
        "KTJ901": [],
    }
    for rule, lines in expected.items():
        assert of_rule(tmp_path / rule, rule, text) == lines
    assert not [each for each in reported(tmp_path, text) if each.rule == "KTJ901"]
