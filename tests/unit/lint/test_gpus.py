"""The rules that hold processes against GPUs: what they find, where, for which Trainer, and what they leave alone."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.unit.lint.launched import (
    SHM,
    STEP,
    addresses,
    amounts,
    built,
    environment,
    example,
    of_rule,
    pod_of,
    role,
    runtime,
    train_job,
)
from tests.unit.lint.reported import mended, reported

GPU8 = amounts(nvidia_com__gpu=8)
GPU1 = amounts(nvidia_com__gpu=1)
TORCH, XGBOOST, JAX, FLUX = "{torch: {}}", "{xgboost: {}}", "{jax: {}}", "{flux: {}}"
MPI = "{mpi: {mpiImplementation: OpenMPI}}"
MPI4 = "{mpi: {mpiImplementation: OpenMPI, numProcPerNode: 4}}"
LAUNCHER = role("command: [mpirun, python, train.py]", name="launcher")
RUN = "command: [torchrun, train.py]"


def trainer(*fields: str) -> str:
    """A TrainJob with these fields of its trainer."""
    return train_job("\n".join(["trainer:", *(f"  {line}" for field in fields for line in field.splitlines())]))


def node(*fields: str) -> str:
    """MPI's nodes."""
    return role(*fields, step="")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH, role(GPU8)) + trainer("numNodes: 1"), [], id="auto"),
        pytest.param(runtime(TORCH, role(GPU8)) + trainer("numProcPerNode: 8"), [], id="as-many"),
        pytest.param(runtime(TORCH, role()) + trainer("numProcPerNode: 8"), [], id="no-gpus"),
        pytest.param(
            runtime(TORCH, role(GPU8)) + trainer("numProcPerNode: 2"), ["numProcPerNode: 2"], id="stated-too-few"
        ),
        pytest.param(
            runtime(TORCH, role(GPU1)) + trainer("numProcPerNode: 2"), ["numProcPerNode: 2"], id="stated-too-many"
        ),
        pytest.param(
            runtime(TORCH, role(GPU8)) + trainer("resourcesPerNode:", "  requests:", "    cpu: 4"),
            ["cpu: 4"],
            id="resources-of-the-job-alone-are-counted",
        ),
        pytest.param(
            runtime(TORCH, role(GPU8, "command:", "- torchrun", "- --nproc-per-node=4", "- t.py"))
            + trainer("numNodes: 1"),
            ["- --nproc-per-node=4"],
            id="a-flag",
        ),
        pytest.param(
            runtime(TORCH, role(GPU8, "command: [torchrun, --nproc-per-node=8, t.py]")) + trainer("numProcPerNode: 2"),
            [],
            id="a-flag-that-is-right-wins",
        ),
        pytest.param(
            runtime(TORCH, role(GPU8, "command: [bash, -c, 'torchrun --nproc-per-node=$(nproc) t.py']"))
            + trainer("numProcPerNode: 2"),
            [],
            id="a-flag-that-is-not-known",
        ),
        pytest.param(runtime(TORCH, role(GPU8)) + train_job(), [], id="nothing-is-told"),
        pytest.param(
            runtime(TORCH, role(amounts(nvidia_com__gpu=2, nvidia_com__gpumem=4000))) + trainer("numProcPerNode: 1"),
            [],
            id="several-names-are-unclear",
        ),
        pytest.param(runtime(MPI, node(GPU8), LAUNCHER) + trainer("numNodes: 2"), [], id="mpi-one-a-gpu"),
        pytest.param(
            runtime(MPI, LAUNCHER.replace("- name: node", "- name: node # of launcher"), node(GPU8))
            + trainer("numNodes: 2"),
            ["- name: node # of launcher"],
            id="mpi-counts-in-the-first",
        ),
        pytest.param(
            runtime(MPI4, LAUNCHER, node(GPU8)) + trainer("numNodes: 2"),
            ["mlPolicy: {mpi: {mpiImplementation: OpenMPI, numProcPerNode: 4}}"],
            id="mpi-stated-in-the-runtime",
        ),
        pytest.param(
            runtime(MPI, LAUNCHER, node(GPU8)) + trainer("numNodes: 2", "numProcPerNode: 4"),
            ["numProcPerNode: 4"],
            id="mpi-stated-in-the-job",
        ),
        pytest.param(
            runtime(MPI4, role("command: [mpirun, -N, '8', train]", name="launcher"), node(GPU8))
            + trainer("numNodes: 2"),
            [],
            id="mpirun-says-so",
        ),
        pytest.param(
            runtime(MPI, role("command: [mpirun, -np, '4', train]", name="launcher"), node(GPU8))
            + trainer("numNodes: 2"),
            ["command: [mpirun, -np, '4', train]"],
            id="mpirun-says-otherwise",
        ),
        pytest.param(runtime(XGBOOST, role(GPU8)) + trainer("numNodes: 2"), [], id="xgboost"),
        pytest.param(
            runtime(XGBOOST, role(GPU8)) + trainer("resourcesPerNode:", "  limits:", "    cpu: 4"),
            ["resourcesPerNode:"],
            id="xgboost-counts-in-the-job-alone",
        ),
        pytest.param(runtime(JAX, role(GPU8)) + trainer("numNodes: 2"), [], id="a-process-of-jax-uses-all"),
        pytest.param(runtime(XGBOOST, role(GPU8)) + trainer("numNodes: 0"), [], id="no-nodes"),
        pytest.param(runtime("{numNodes: 1}", role(GPU8)) + trainer("numProcPerNode: 2"), [], id="no-launcher"),
    ],
)
def test_processes_against_gpus(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ305", text) == expected


@pytest.mark.parametrize(("version", "is_found"), [("2.0", True), ("2.1", True), ("2.2", False), ("2.3", False)])
def test_a_number_in_a_runtime_counts_where_there_is_such_a_field(version: str, is_found: bool, tmp_path: Path) -> None:
    policy = "{torch: {numProcPerNode: 2}}" if is_found else TORCH
    text = runtime(policy, role(GPU8)) + trainer("numNodes: 1")
    assert bool(of_rule(tmp_path, "KTJ305", text, version)) == is_found


def test_the_expansion_starts_other_processes_than_there_are_gpus(tmp_path: Path) -> None:
    jobset = built(tmp_path, example("KTJ305"))["JobSet"]
    held = pod_of(jobset)["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
    assert (environment(jobset)["PET_NPROC_PER_NODE"], str(held)) == ("4", "8")


def test_the_hostfile_has_other_slots_than_there_are_gpus(tmp_path: Path) -> None:
    text = runtime(MPI4, LAUNCHER, node(GPU8)) + trainer("numNodes: 2")
    made = built(tmp_path / "made", text)
    assert {line.split()[1] for line in made["ConfigMap"]["data"]["hostfile"].splitlines()} == {"slots=4"}
    assert str(pod_of(made["JobSet"])["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]) == "8"
    assert {line.split()[0] for line in made["ConfigMap"]["data"]["hostfile"].splitlines()} < addresses(made["JobSet"])
    assert of_rule(tmp_path / "linted", "KTJ305", text)


@pytest.mark.parametrize("rule", ["KTJ305", "KTJ307"])
def test_the_fix_states_as_many_processes_as_devices(rule: str, tmp_path: Path) -> None:
    text = example(rule)
    [found] = reported(tmp_path / "before", text)
    assert found.finding.fix is not None
    assert not found.finding.fix.is_safe
    assert reported(tmp_path / "after", mended(text, found.finding.fix)) == []


def test_what_a_patch_says_is_reported_where_the_patch_says_it(tmp_path: Path) -> None:
    files = {
        "base/all.yaml": runtime(TORCH, role(GPU8)) + trainer("numNodes: 1"),
        "overlay.yaml": "resources: [base/all.yaml]\npatches:\n- path: patch.yaml\n  target: {kind: TrainJob}\n",
        "patch.yaml": "spec:\n  trainer:\n    numProcPerNode: 3\n",
    }
    lines = [each.line for each in reported(tmp_path, files, "overlay.yaml") if each.rule == "KTJ305"]
    assert lines == ["numProcPerNode: 3"]


TWO = amounts(nvidia_com__gpu=1, nvidia_com__gpumem=3)
ONE_IS_ZERO = amounts(nvidia_com__gpu=0, nvidia_com__gpumem=3)
UNLIKE = amounts(amd_com__gpu=1, nvidia_com__gpu=3)
THE_SAME = amounts(nvidia_com__gpu=2, nvidia_com__gpumem=2)
TUNE = ["command: [tune, run]", "numNodes: 1"]
FIRST = "limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3}"
FIRST_OF_ZERO = "limits: {nvidia.com/gpu: 0, nvidia.com/gpumem: 3}"
# Upstream's own answers to these and more: tests/conformance/test_nondeterministic.py.
AMBIGUOUS = [
    pytest.param(runtime(XGBOOST, role(TWO)) + trainer("numNodes: 1"), [FIRST], "2.3", id="xgboost"),
    pytest.param(runtime(XGBOOST, role(TWO)) + train_job(), [], "2.3", id="xgboost-without-a-trainer"),
    pytest.param(runtime(XGBOOST, role(THE_SAME)) + trainer("numNodes: 1"), [], "2.3", id="the-same-number"),
    pytest.param(runtime(XGBOOST, role(GPU8)) + trainer("numNodes: 1"), [], "2.3", id="one-name"),
    pytest.param(runtime(TORCH, role(TWO)) + trainer("numNodes: 1"), [], "2.3", id="torch-is-auto-either-way"),
    pytest.param(
        runtime(TORCH, role(ONE_IS_ZERO)) + trainer("numNodes: 1"), [FIRST_OF_ZERO], "2.3", id="torch-auto-or-cpus"
    ),
    pytest.param(runtime(TORCH, role(ONE_IS_ZERO)) + trainer("numProcPerNode: 3"), [], "2.3", id="torch-stated"),
    pytest.param(runtime(TORCH, role(ONE_IS_ZERO)) + train_job(), [], "2.3", id="torch-without-a-trainer"),
    pytest.param(runtime(TORCH, role(ONE_IS_ZERO)) + trainer("numNodes: 1"), [FIRST_OF_ZERO], "2.1", id="torch-2.1"),
    pytest.param(runtime(TORCH, role(ONE_IS_ZERO)) + trainer("numNodes: 1"), [], "2.0", id="torch-2.0-counts-none"),
    pytest.param(runtime(MPI, LAUNCHER, node(TWO)) + trainer("numNodes: 2"), [], "2.3", id="mpi-first-node-has-none"),
    pytest.param(runtime(MPI, node(TWO), LAUNCHER) + trainer("numNodes: 2"), [FIRST], "2.3", id="mpi"),
    pytest.param(runtime(MPI, node(TWO), LAUNCHER) + trainer("numNodes: 2"), [], "2.0", id="mpi-2.0-counts-none"),
    pytest.param(
        runtime(MPI4, node(TWO), LAUNCHER) + trainer("numNodes: 2"), [], "2.3", id="mpi-stated-in-the-runtime"
    ),
    pytest.param(
        runtime(MPI, node(TWO), LAUNCHER) + trainer("numProcPerNode: 1"), [], "2.3", id="mpi-stated-in-the-job"
    ),
    pytest.param(
        runtime(XGBOOST, role())
        + trainer("resourcesPerNode:", "  limits:", "    nvidia.com/gpu: 1", "    nvidia.com/gpumem: 2"),
        ["nvidia.com/gpu: 1"],
        "2.3",
        id="in-the-job",
    ),
    pytest.param(
        runtime(XGBOOST, role(TWO)) + trainer("resourcesPerNode: {limits: {nvidia.com/gpu: 2}}"),
        [],
        "2.3",
        id="the-job-decides",
    ),
    pytest.param(runtime(JAX, role(TWO)) + trainer("numNodes: 2"), [], "2.3", id="jax-counts-none"),
    pytest.param(runtime("{numNodes: 1}", role(TWO)) + trainer("numNodes: 2"), [], "2.3", id="no-launcher"),
    pytest.param(
        (runtime(TORCH, role(TWO)) + trainer(*TUNE)).replace("name: training", "name: torchtune-llama3.2-1b"),
        [FIRST],
        "2.3",
        id="torchtune-on-one-device-or-several",
    ),
    pytest.param(
        (runtime(TORCH, role(TWO)) + trainer(*TUNE, "numProcPerNode: 1")).replace(
            "name: training", "name: torchtune-llama3.2-1b"
        ),
        [],
        "2.3",
        id="torchtune-on-one-process",
    ),
]


@pytest.mark.parametrize(("text", "expected", "version"), AMBIGUOUS)
def test_several_names_of_gpus(text: str, expected: list[str], version: str, tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ306", text, version) == expected


def test_the_message_has_what_is_undefined_and_what_this_build_counts(tmp_path: Path) -> None:
    [found] = [each for each in reported(tmp_path / "lint", example("KTJ306")) if each.rule == "KTJ306"]
    assert "DMLC_NUM_WORKER depends on it: 2 or 16000 GPUs" in found.finding.message
    assert '"nvidia.com/gpu", the first by name: 2' in found.finding.message
    assert len(found.finding.related) == 1
    assert environment(built(tmp_path / "made", example("KTJ306"))["JobSet"])["DMLC_NUM_WORKER"] == "4"


VENDORS = amounts(amd_com__gpu=2, nvidia_com__gpu=2)
BOTH = "limits: {amd.com/gpu: 2, nvidia.com/gpu: 2}"
ONE_MORE = trainer("numNodes: 1", "resourcesPerNode:", "  limits:", "    nvidia.com/gpu: 4")
INIT = f"initContainers:\n- name: fetch\n  image: acme/fetch:1\n{indent(VENDORS, '  ')}\n{SHM}"
TWO_VENDORS = [
    *(
        pytest.param(runtime(policy, role(VENDORS)) + trainer("numNodes: 1"), [BOTH], version, id=f"{policy}-{version}")
        for policy in (TORCH, "{numNodes: 1}")
        for version in ("2.0", "2.1", "2.2", "2.3")
    ),
    pytest.param(runtime(XGBOOST, role(VENDORS)) + train_job(), [BOTH], "2.3", id="nothing-is-counted"),
    pytest.param(
        runtime(TORCH, role(amounts(amd_com__gpu=8))) + ONE_MORE, ["nvidia.com/gpu: 4"], "2.3", id="the-job-adds-one"
    ),
    pytest.param(runtime(TORCH, role(amounts(amd_com__gpu=8))) + ONE_MORE, [], "2.2", id="the-job-replaces-all"),
    pytest.param(runtime(TORCH, role(pod=INIT)) + trainer("numNodes: 1"), [BOTH], "2.3", id="init-container"),
    pytest.param(
        runtime(TORCH, role(amounts(amd_com__gpu=0, nvidia_com__gpu=2))) + trainer("numProcPerNode: 2"),
        [],
        "2.3",
        id="none-of-one",
    ),
    pytest.param(runtime(TORCH, role(TWO)) + trainer("numNodes: 1"), [], "2.3", id="memory"),
    pytest.param(
        runtime(TORCH, role(amounts(nvidia_com__gpu=1, koordinator_sh__gpu=50))) + trainer("numNodes: 1"),
        [],
        "2.3",
        id="a-share",
    ),
    pytest.param(
        runtime(TORCH, role(amounts(nvidia_com__gpu=1, nvidia_com__gpu_shared=2))) + trainer("numNodes: 1"),
        [],
        "2.3",
        id="one-vendor",
    ),
    pytest.param(
        runtime(TORCH, role(amounts(nvidia_com__gpu=1, gpu_intel_com__i915=1))) + trainer("numNodes: 1"),
        ["limits: {nvidia.com/gpu: 1, gpu.intel.com/i915: 1}"],
        "2.3",
        id="Intel",
    ),
]


@pytest.mark.parametrize(("text", "expected", "version"), TWO_VENDORS)
def test_gpus_of_two_vendors(text: str, expected: list[str], version: str, tmp_path: Path) -> None:
    found = [each for each in reported(tmp_path, text, trainer=version) if each.rule == "KTJ306"]
    assert [each.line for each in found] == expected
    assert all("waits for a node that has both" in each.finding.message for each in found)


def test_a_container_asks_for_gpus_of_two_vendors_although_nobody_wrote_both(tmp_path: Path) -> None:
    text = runtime(TORCH, role(amounts(amd_com__gpu=8))) + ONE_MORE
    for version, limits in (("2.2", {"nvidia.com/gpu": "4"}), ("2.3", {"amd.com/gpu": "8", "nvidia.com/gpu": "4"})):
        [container] = pod_of(built(tmp_path / version, text, version)["JobSet"])["containers"]
        assert container["resources"]["limits"] == limits


def test_an_undefined_count_is_reported(tmp_path: Path) -> None:
    [found] = [
        each
        for each in reported(tmp_path, runtime(XGBOOST, role(UNLIKE)) + trainer("numNodes: 1"))
        if each.rule == "KTJ306"
    ]
    assert "in undefined order" in found.finding.message


MIG = amounts(nvidia_com__mig_1g_10gb=2, cpu=8).replace("mig.1g", "mig-1g")
MIG_LINE = "limits: {nvidia.com/mig-1g.10gb: 2, cpu: 8}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH, role(MIG)) + trainer("numNodes: 1"), [MIG_LINE], id="torch"),
        pytest.param(runtime(TORCH, role(MIG)) + trainer("numProcPerNode: 2"), [], id="stated"),
        pytest.param(runtime(TORCH, role(MIG)) + train_job(), [], id="nothing-is-told"),
        pytest.param(
            runtime(TORCH, role(MIG.replace("cpu: 8", "cpu: 2"))) + trainer("numNodes: 1"), [], id="as-many-by-chance"
        ),
        pytest.param(
            runtime(TORCH, role(MIG, "command: [torchrun, --nproc-per-node=2, t.py]")) + trainer("numNodes: 1"),
            [],
            id="a-flag",
        ),
        pytest.param(runtime(MPI, LAUNCHER, node(MIG)) + trainer("numNodes: 2"), [MIG_LINE], id="mpi"),
        pytest.param(runtime(XGBOOST, role(MIG)) + trainer("numNodes: 2"), [MIG_LINE], id="xgboost"),
        pytest.param(runtime(JAX, role(MIG)) + trainer("numNodes: 2"), [], id="jax"),
        pytest.param(
            runtime(TORCH, role()) + trainer("resourcesPerNode:", "  limits:", "    google.com/tpu: 4"),
            ["google.com/tpu: 4"],
            id="tpu-in-the-job",
        ),
        pytest.param(
            runtime(TORCH, role("resources:\n  claims: [{name: gpu}]")) + trainer("numNodes: 1"),
            ["claims: [{name: gpu}]"],
            id="claims",
        ),
        pytest.param(
            runtime(TORCH, role("resources:\n  claims: [{name: gpu}]")) + trainer("numProcPerNode: 4"),
            [],
            id="claims-and-a-number",
        ),
        pytest.param(
            runtime(MPI4, LAUNCHER, node("resources:\n  claims: [{name: gpu}]")) + trainer("numNodes: 2"),
            [],
            id="claims-and-a-number-of-the-runtime",
        ),
        pytest.param(
            runtime(TORCH, role(amounts(nvidia_com__gpu=2, google_com__tpu=4))) + trainer("numNodes: 1"),
            [],
            id="gpus-besides",
        ),
    ],
)
def test_devices_that_are_not_counted(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ307", text) == expected


def test_a_word_for_torchrun_finds_all_devices(tmp_path: Path) -> None:
    text = runtime("{torch: {numProcPerNode: auto}}", role(MIG)) + trainer("numNodes: 1")
    assert of_rule(tmp_path / "2.0", "KTJ307", text, "2.0") == []
    assert of_rule(tmp_path / "2.1", "KTJ307", text, "2.1") == [MIG_LINE]


DISK = "volumes: [{name: shm, emptyDir: {}}]"
MOUNT = "volumeMounts:\n- name: shm\n  mountPath: /dev/shm/"


def bare(*fields: str, pod: str = "restartPolicy: Never", **others: str) -> str:
    """A replicatedJob without shared memory."""
    return role(*fields, pod=pod, **others)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH, bare(GPU8)) + trainer("numNodes: 1"), ["- name: node"], id="gpus"),
        pytest.param(runtime(TORCH, bare(GPU1)) + trainer("numNodes: 1"), [], id="one-gpu"),
        pytest.param(runtime(TORCH, bare(GPU1)) + trainer("numNodes: 2"), ["- name: node"], id="one-gpu-on-each-node"),
        pytest.param(runtime(TORCH, bare()) + trainer("numNodes: 2"), [], id="no-gpus"),
        pytest.param(runtime(TORCH, role(GPU8)) + trainer("numNodes: 2"), [], id="mounted"),
        pytest.param(runtime(TORCH, bare(GPU8, MOUNT, pod=SHM)) + trainer("numNodes: 2"), [], id="with-a-slash"),
        pytest.param(
            runtime(TORCH, bare(GPU8, MOUNT, pod=DISK)) + trainer("numNodes: 2"), ["- name: shm"], id="a-disk"
        ),
        pytest.param(
            runtime(TORCH, bare(GPU8, MOUNT, pod="volumes: [{name: shm, hostPath: {path: /dev/shm}}]"))
            + trainer("numNodes: 2"),
            [],
            id="the-host's",
        ),
        pytest.param(runtime(TORCH, bare(GPU8, pod="hostIPC: true")) + trainer("numNodes: 2"), [], id="host-ipc"),
        pytest.param(
            runtime(
                TORCH,
                bare(
                    GPU8,
                    name="loader",
                    step=STEP.replace("trainer}", "dataset-initializer}"),
                    container="dataset-initializer",
                ),
                role(),
            )
            + trainer("numNodes: 2"),
            [],
            id="an-initializer",
        ),
        pytest.param(
            runtime(TORCH, bare()) + trainer("numNodes: 1", "resourcesPerNode: {limits: {nvidia.com/gpu: 4}}"),
            ["- name: node"],
            id="gpus-of-the-job",
        ),
    ],
)
def test_shared_memory(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ309", text) == expected
