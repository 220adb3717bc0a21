"""The rules of launchers: what they find, where, and what they leave alone; and that what they say comes true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.repository.positions import Locator
from tests.unit.lint.launched import (
    addresses,
    amounts,
    built,
    environment,
    example,
    of_rule,
    role,
    runtime,
    train_job,
)
from tests.unit.lint.reported import mended, reported

GPU8 = amounts(nvidia_com__gpu=8)
GPU1 = amounts(nvidia_com__gpu=1)
TORCH, XGBOOST, JAX = "{torch: {}}", "{xgboost: {}}", "{jax: {}}"
TWO = "{numNodes: 2, torch: {}}"
MPI = "{mpi: {mpiImplementation: OpenMPI}}"
MPI_NODE = "{mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}}"
TRAINER = train_job("trainer: {numNodes: 2}")
PLAIN = ["python", "train.py"]


def has_env(*names: str, **others: str) -> str:
    """A replicatedJob whose container has variables of these names."""
    return role("env:\n" + "\n".join(f"- name: {name}\n  value: mine" for name in names), **others)


LAUNCHER_ENV = "OMPI_MCA_plm_rsh_args"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH, has_env("PET_NNODES")), ["- name: PET_NNODES"], id="torch"),
        pytest.param(runtime(TORCH, has_env("PET_MAX_RESTARTS")), [], id="torchrun's-that-Trainer-leaves-alone"),
        pytest.param(runtime(JAX, has_env("JAX_PROCESS_ID", "PET_NNODES")), ["- name: JAX_PROCESS_ID"], id="jax"),
        pytest.param(runtime(XGBOOST, has_env("DMLC_TASK_ID")), ["- name: DMLC_TASK_ID"], id="xgboost"),
        pytest.param(runtime("{numNodes: 1}", has_env("PET_NNODES")), [], id="no-launcher"),
        pytest.param(
            runtime(TORCH, has_env("PET_MASTER_PORT").replace("mine", "'29500'")), [], id="the-port-that-Trainer-sets"
        ),
        pytest.param(
            runtime(MPI, has_env(LAUNCHER_ENV, name="launcher"), role(step="")), [f"- name: {LAUNCHER_ENV}"], id="mpi"
        ),
        pytest.param(runtime(MPI, role(name="launcher"), has_env(LAUNCHER_ENV, step="")), [], id="mpi's-nodes"),
        pytest.param(
            runtime(TORCH, role(), has_env("PET_NNODES", name="monitor", step="", container="log")), [], id="elsewhere"
        ),
        pytest.param(
            runtime(
                "{torch: {envInjection: {targets: [{jobName: monitor, containerNames: [log]}]}}}",
                role(),
                has_env("PET_NNODES", name="monitor", step="", container="log"),
            ),
            ["- name: PET_NNODES"],
            id="where-they-are-injected",
        ),
    ],
)
def test_variables_of_launchers_in_runtimes(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ402", text) == expected


def test_a_variable_that_an_overlay_adds_is_reported_in_its_patch(tmp_path: Path) -> None:
    files = {
        "base/all.yaml": runtime(TORCH, has_env("EPOCHS")),
        "overlay.yaml": "resources: [base/all.yaml]\npatches:\n- path: patch.yaml\n",
        "patch.yaml": runtime(TORCH, has_env("PET_NNODES")),
    }
    [found] = [each for each in reported(tmp_path, files, "overlay.yaml") if each.rule == "KTJ402"]
    assert found.line == "- name: PET_NNODES"
    assert Path(Locator().resolve(found.finding.place).file.path).name == "patch.yaml"


def test_the_value_that_the_user_wrote_is_gone(tmp_path: Path) -> None:
    bad = example("KTJ402")
    assert 'value: "23456"' in bad
    jobset = built(tmp_path, bad + train_job("trainer: {}"))["JobSet"]
    assert environment(jobset)["PET_MASTER_PORT"] == "29500"


@pytest.mark.parametrize(
    ("policy", "name", "version"),
    [
        pytest.param(TORCH, "PET_NNODES", "2.0", id="torch"),
        pytest.param(JAX, "JAX_NUM_PROCESSES", "2.3", id="jax"),
        pytest.param(XGBOOST, "DMLC_NUM_WORKER", "2.3", id="xgboost"),
    ],
)
def test_a_value_of_each_launcher_is_gone(policy: str, name: str, version: str, tmp_path: Path) -> None:
    jobset = built(tmp_path, runtime(policy, has_env(name)) + TRAINER, version)["JobSet"]
    assert environment(jobset)[name] == "2"


def test_a_value_of_mpi_is_gone(tmp_path: Path) -> None:
    text = runtime(MPI, has_env(LAUNCHER_ENV, name="launcher"), role(step="")) + TRAINER
    assert environment(built(tmp_path, text)["JobSet"], "launcher")[LAUNCHER_ENV] == "-o ConnectionAttempts=10"


FLAGS = "command: [torchrun, --nnodes=2, --nproc-per-node=8, --rdzv-endpoint=a:1, train.py]"


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        pytest.param(runtime(TWO) + train_job(), True, id="nodes"),
        pytest.param(runtime(TORCH, role(GPU8)) + train_job(), True, id="gpus"),
        pytest.param(runtime(TORCH, role(GPU1)) + train_job(), False, id="one-process"),
        pytest.param(runtime(TORCH) + train_job(), False, id="one-node"),
        pytest.param(runtime(TWO) + train_job("trainer: {}"), False, id="empty"),
        pytest.param(runtime(TWO, role(GPU8, FLAGS)) + train_job(), False, id="flags-say-it"),
        pytest.param(
            runtime(TWO, role(GPU8, FLAGS.replace("--nnodes=2, ", ""))) + train_job(), True, id="flags-say-half-of-it"
        ),
        pytest.param(runtime(TWO, has_env("PET_NNODES")) + train_job(), False, id="the-runtime-says-it"),
        pytest.param(runtime("{numNodes: 2, jax: {}}") + train_job(), True, id="jax"),
        pytest.param(runtime(JAX, role(GPU8)) + train_job(), False, id="a-process-of-jax-uses-all"),
        pytest.param(runtime("{numNodes: 2, xgboost: {}}") + train_job(), True, id="xgboost"),
        pytest.param(runtime("{numNodes: 2}") + train_job(), False, id="no-launcher"),
        pytest.param(runtime(MPI, role(name="launcher"), role(GPU8, step="")) + train_job(), False, id="mpi"),
    ],
)
def test_a_job_without_a_trainer(text: str, is_found: bool, tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ403", text) == (["spec:"] if is_found else [])


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_without_a_trainer_no_variable_is_set(version: str, tmp_path: Path) -> None:
    bad, good = example("KTJ403"), example("KTJ403", "Good")
    without = environment(built(tmp_path / "bad", bad, version)["JobSet"])
    assert [name for name in without if name.startswith("PET_")] == []
    beside = environment(built(tmp_path / "good", good, version)["JobSet"])
    assert (beside["PET_NNODES"], beside["PET_NPROC_PER_NODE"]) == ("2", "auto")
    assert of_rule(tmp_path / "linted", "KTJ403", bad, version) == ["spec: # <- KTJ403"]


def test_the_fix_writes_an_empty_trainer(tmp_path: Path) -> None:
    text = example("KTJ403")
    [found] = reported(tmp_path / "before", text)
    assert found.finding.fix is not None
    assert reported(tmp_path / "after", mended(text, found.finding.fix)) == []


WORKER = role(name="worker")
ELSEWHERE = "command: [torchrun, --rdzv-endpoint=store:29400, --rdzv-backend=c10d, train.py]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH, WORKER), ["- name: worker"], id="torch"),
        pytest.param(runtime(JAX, WORKER), ["- name: worker"], id="jax"),
        pytest.param(runtime(XGBOOST, WORKER), ["- name: worker"], id="xgboost"),
        pytest.param(runtime("{numNodes: 2}", WORKER), [], id="no-launcher"),
        pytest.param(runtime(MPI, role(name="launcher"), role(step="")), [], id="mpi"),
        pytest.param(runtime(TORCH, WORKER, role(step="")), ["- name: worker"], id="another-one-is-node"),
        pytest.param(runtime(TORCH, role(name="worker", step=""), role()), [], id="node-trains"),
        pytest.param(runtime(TORCH, role(ELSEWHERE, name="worker")), [], id="they-meet-elsewhere"),
    ],
)
def test_the_name_of_what_trains(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ404", text) == expected


RUNS_PYTHON = "command: [python, train.py]"
HANDS_OVER = "command: [python, train.py, --master=$(PET_MASTER_ADDR)]"


@pytest.mark.parametrize(
    ("policy", "command", "job", "is_read"),
    [
        pytest.param(TORCH, RUNS_PYTHON, "", False, id="one-Pod"),
        pytest.param("{numNodes: 0, torch: {}}", RUNS_PYTHON, "", False, id="0-means-1"),
        pytest.param(TORCH, RUNS_PYTHON, train_job("trainer: {}"), False, id="a-job-that-asks-for-nothing"),
        pytest.param(TORCH, RUNS_PYTHON, train_job("trainer: {numNodes: 1}"), False, id="a-job-that-asks-for-one"),
        pytest.param(TORCH, RUNS_PYTHON, train_job("trainer: {command: [python, b.py]}"), False, id="another-file"),
        pytest.param(TORCH, RUNS_PYTHON, TRAINER, True, id="a-job-that-asks-for-more"),
        pytest.param(
            TORCH, RUNS_PYTHON, train_job("trainer: {command: [torchrun, b.py]}"), True, id="a-job-with-torchrun"
        ),
        pytest.param(
            TORCH, RUNS_PYTHON, train_job("trainer: {numProcPerNode: 4}"), True, id="a-job-of-several-processes"
        ),
        pytest.param(
            TORCH, RUNS_PYTHON, train_job("trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}"), True, id="GPUs"
        ),
        pytest.param(
            TORCH, RUNS_PYTHON, train_job("trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 1}}}"), False, id="GPU"
        ),
        pytest.param(TORCH, f"{RUNS_PYTHON}\n{GPU8}", "", True, id="GPUs-of-the-runtime"),
        pytest.param(TORCH, f"{RUNS_PYTHON}\n{GPU1}", "", False, id="a-GPU-of-the-runtime"),
        pytest.param(
            TORCH,
            RUNS_PYTHON,
            train_job("trainer: {args: [train.py, $(PET_MASTER_ADDR)]}"),
            True,
            id="a-job-that-reads",
        ),
        pytest.param(
            TORCH, RUNS_PYTHON, train_job("runtimePatches: [{manager: a.b/c}]"), True, id="a-job-that-may-change-it"
        ),
        pytest.param(
            TORCH, RUNS_PYTHON, TRAINER.replace("name: training", "name: other"), False, id="a-job-of-another-runtime"
        ),
        pytest.param(TWO, RUNS_PYTHON, "", True, id="two-Pods"),
        pytest.param(TORCH, HANDS_OVER, "", True, id="it-is-handed-over"),
        pytest.param(TORCH, "command: [torchrun, train.py]", "", True, id="torchrun"),
        pytest.param(TORCH, "args: [train.py]", "", True, id="the-image's"),
        pytest.param(JAX, RUNS_PYTHON, "", True, id="jax-is-read-by-the-program"),
    ],
)
def test_an_address_that_nothing_reads(policy: str, command: str, job: str, is_read: bool, tmp_path: Path) -> None:
    named = runtime(policy, role(command, name="worker")) + job
    assert bool(of_rule(tmp_path / "name", "KTJ404", named)) == is_read
    below = runtime(policy, role(command), spec=SUBDOMAIN) + job
    assert bool(of_rule(tmp_path / "subdomain", "KTJ405", below)) == is_read


@pytest.mark.parametrize(
    ("number", "version", "is_read"),
    [
        pytest.param(2, "2.1", True, id="two"),
        pytest.param(1, "2.1", False, id="one"),
        pytest.param(2, "2.3", False, id="2.3-has-no-such-field"),
    ],
)
def test_an_address_of_processes_that_a_runtime_states(
    number: int, version: str, is_read: bool, tmp_path: Path
) -> None:
    text = runtime(f"{{torch: {{numProcPerNode: {number}}}}}", role(RUNS_PYTHON, name="worker"))
    assert bool(of_rule(tmp_path, "KTJ404", text, version)) == is_read


@pytest.mark.parametrize(
    ("trainer", "is_read"),
    [
        pytest.param("[]", False, id="no-mapping"),
        pytest.param("{command: python}", True, id="command"),
        pytest.param("{args: [1]}", True, id="args"),
        pytest.param("{resourcesPerNode: {limits: {1: a, nvidia.com/gpu: many}}}", True, id="resources"),
    ],
)
def test_a_job_whose_types_are_wrong(trainer: str, is_read: bool, tmp_path: Path) -> None:
    text = runtime(TORCH, role(RUNS_PYTHON, name="worker")) + train_job(f"trainer: {trainer}")
    assert bool(of_rule(tmp_path, "KTJ404", text)) == is_read


def meeting(jobset: Any, role: str = "node") -> str:
    """The host where the processes meet."""
    reported = environment(jobset, role)
    found = [
        reported[name]
        for name in ("PET_MASTER_ADDR", "JAX_COORDINATOR_ADDRESS", "DMLC_TRACKER_URI")
        if name in reported
    ]
    return str(found[0]).partition(":")[0]


@pytest.mark.parametrize("policy", [TORCH, JAX, XGBOOST])
@pytest.mark.parametrize(
    ("name", "spec", "is_found_there"),
    [
        pytest.param("node", "", True, id="as-it-should-be"),
        pytest.param("worker", "", False, id="another-name"),
        pytest.param("node", "network: {subdomain: workers}", False, id="another-subdomain"),
    ],
)
def test_the_processes_meet_at_a_pod_only_if_names_are_trainers(
    policy: str, name: str, spec: str, is_found_there: bool, tmp_path: Path
) -> None:
    text = runtime(policy, role(name=name), spec=spec) + TRAINER
    jobset = built(tmp_path / "made", text)["JobSet"]
    assert (meeting(jobset, name) in addresses(jobset)) == is_found_there
    rules = {each.rule for each in reported(tmp_path / "linted", text)} & {"KTJ404", "KTJ405"}
    assert bool(rules) == (not is_found_there)


@pytest.mark.parametrize(("rule", "name"), [("KTJ404", "worker"), ("KTJ405", "node")])
def test_the_examples_meet_at_no_pod(rule: str, name: str, tmp_path: Path) -> None:
    for title, is_found_there in (("Bad", False), ("Good", True)):
        text = example(rule, title) + TRAINER
        jobset = built(tmp_path / title, text)["JobSet"]
        assert (meeting(jobset, "node" if is_found_there else name) in addresses(jobset)) == is_found_there


SUBDOMAIN = "network:\n  subdomain: workers"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH, spec=SUBDOMAIN), ["subdomain: workers"], id="torch"),
        pytest.param(runtime(JAX, spec=SUBDOMAIN), ["subdomain: workers"], id="jax"),
        pytest.param(runtime(XGBOOST, spec=SUBDOMAIN), ["subdomain: workers"], id="xgboost"),
        pytest.param(runtime("{numNodes: 2}", spec=SUBDOMAIN), [], id="no-launcher"),
        pytest.param(runtime(TORCH, spec="network: {publishNotReadyAddresses: true}"), [], id="none"),
        pytest.param(runtime(TORCH, spec=SUBDOMAIN) + train_job(name="workers"), [], id="the-name-of-the-job"),
        pytest.param(runtime(TORCH, role(ELSEWHERE), spec=SUBDOMAIN), [], id="they-meet-elsewhere"),
        pytest.param(
            runtime(TORCH, spec=SUBDOMAIN + "\n  enableDNSHostnames: false"),
            [],
            id="no-names-at-all-is-another-mistake",
        ),
    ],
)
def test_a_subdomain(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ405", text) == expected


def test_mpi_finds_its_hosts_below_a_subdomain(tmp_path: Path) -> None:
    text = runtime(MPI, role(name="launcher"), role(step=""), spec=SUBDOMAIN) + TRAINER
    made = built(tmp_path / "made", text)
    assert {line.split()[0] for line in made["ConfigMap"]["data"]["hostfile"].splitlines()} < addresses(made["JobSet"])
    assert of_rule(tmp_path / "linted", "KTJ405", text) == []


def runs(*command: str, nodes: int = 2, resources: str = "") -> str:
    """A job whose container runs this."""
    words = "\n".join(f"- {word!r}" for word in command)
    return runtime(TORCH, role(f"command:\n{words}", resources)) + train_job(f"trainer: {{numNodes: {nodes}}}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runs(*PLAIN), ["- 'python'"], id="python"),
        pytest.param(runs("/usr/bin/python3.11", "-u", "train.py"), ["- '/usr/bin/python3.11'"], id="a-version"),
        pytest.param(runs("python", "-m", "acme.train"), ["- 'python'"], id="a-module"),
        pytest.param(
            runs("bash", "-c", "pip install acme && python train.py"),
            ["- 'pip install acme && python train.py'"],
            id="a-script",
        ),
        pytest.param(runs(*PLAIN, nodes=1), [], id="one-node"),
        pytest.param(runs(*PLAIN, nodes=1, resources=GPU8), ["- 'python'"], id="gpus"),
        pytest.param(runs(*PLAIN, nodes=1, resources=GPU1), [], id="one-gpu"),
        pytest.param(runs(*PLAIN, nodes=1, resources=amounts(cpu=8)), [], id="processes-that-nobody-asked-for"),
        pytest.param(
            runs(*PLAIN, nodes=1).replace("numNodes: 1}", "numNodes: 1, numProcPerNode: 4}"),
            ["- 'python'"],
            id="processes-that-somebody-asked-for",
        ),
        pytest.param(runs("torchrun", "train.py"), [], id="torchrun"),
        pytest.param(runs("python", "-m", "torch.distributed.run", "train.py"), [], id="as-a-module"),
        pytest.param(runs("python", "-m", "accelerate.commands.launch", "train.py"), [], id="accelerate"),
        pytest.param(runs("accelerate", "launch", "train.py"), [], id="another-launcher"),
        pytest.param(runs("deepspeed", "train.py"), ["- 'deepspeed'"], id="deepspeed"),
        pytest.param(runs("deepspeed", "--num_gpus", "8", "train.py", "-H", "a"), ["- 'deepspeed'"], id="its-script"),
        pytest.param(runs("deepspeed", "train.py", nodes=1, resources=GPU8), [], id="deepspeed-in-one-Pod"),
        pytest.param(runs("deepspeed", "--hostfile=/app/hosts", "train.py"), [], id="deepspeed-with-hosts"),
        pytest.param(
            runs("deepspeed", "--no_ssh", "--node_rank=$(PET_NODE_RANK)", "train.py"), [], id="deepspeed-in-each-Pod"
        ),
        pytest.param(runs("bash", "run.sh"), [], id="a-file"),
        pytest.param(runs("python", "-c", "import train"), [], id="code"),
        pytest.param(runs("bash", "-c", "python prepare.py\ntorchrun train.py"), [], id="torchrun-at-last"),
        pytest.param(runs("bash", "-c", "torchrun train.py\npython upload.py"), [], id="torchrun-before"),
        pytest.param(runs(*PLAIN, "--master=$(PET_MASTER_ADDR)"), [], id="it-is-handed-over"),
        pytest.param(
            runtime(TORCH, role("command: [python, train.py]", "env: [{name: MASTER, value: $(PET_MASTER_ADDR)}]"))
            + TRAINER,
            [],
            id="a-variable-hands-it-over",
        ),
        pytest.param(
            runtime(
                TORCH,
                role(
                    "command: [python, train.py]",
                    "env: [{name: MASTER_ADDR, value: a}, {name: RANK, value: b}, {name: WORLD_SIZE, value: c}]",
                ),
            )
            + TRAINER,
            [],
            id="torch's-own-variables",
        ),
        pytest.param(runtime(TORCH) + TRAINER, [], id="the-image's"),
        pytest.param(runtime(TORCH, role("args: [python, train.py]")) + TRAINER, [], id="args-of-the-image's"),
        pytest.param(runtime(JAX, role("command: [python, train.py]")) + TRAINER, [], id="jax"),
        pytest.param(
            runtime(TORCH) + train_job("trainer:", "  numNodes: 2", "  command: [python, train.py]"),
            ["command: [python, train.py]"],
            id="of-the-job",
        ),
        pytest.param(runtime(TWO, role("command: [python, train.py]")) + train_job(), [], id="nothing-is-set"),
    ],
)
def test_what_reads_the_variables(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ406", text) == expected


FLAG = "flag"


def flags(*given: str, nodes: int = 2, policy: str = TORCH, more: str = "", env: str = "") -> str:
    """A job whose torchrun gets these flags, the first of which is marked."""
    words = [f"- {word}{f' # {FLAG}' if number == 0 else ''}" for number, word in enumerate(given)]
    command = "\n".join(["command:", "- torchrun", *words, "- train.py"])
    container = role(*(each for each in (command, env, more) if each))
    return runtime(policy, container) + train_job(f"trainer: {{numNodes: {nodes}}}")


SEPARATE = "lets each of 2 Pods train separately"
AT_ITSELF = "each of 2 Pods waits for the others at its own address"


# get_args_parser, config_from_args and get_rdzv_endpoint in torch/distributed/run.py: flags override PET_*.
@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(flags("--nnodes=1"), SEPARATE, id="one-node"),
        pytest.param(flags("--nnodes=1:1"), SEPARATE, id="a-range-of-one"),
        pytest.param(flags("--nnodes=4"), "waits for 2 Pods more, but the job has 2 Pods", id="more-nodes"),
        pytest.param(flags("--nnodes=2", nodes=4), "leaves 2 of 4 Pods idle", id="fewer-nodes"),
        pytest.param(flags("--nnodes=2"), "", id="the-same-nodes"),
        pytest.param(flags("--nnodes=1", nodes=1), "", id="one-of-one"),
        pytest.param(flags("--nnodes=1:4"), "", id="elastic"),
        pytest.param(flags("--nnodes=$(PET_NNODES)"), "", id="the-variable"),
        pytest.param(flags("--nnodes=4", policy="{numNodes: 2}"), "waits for 2 Pods more", id="no-torch"),
        pytest.param(flags("--nnodes=1", policy="{numNodes: 2}"), "", id="separate-on-purpose"),
        pytest.param(flags("--standalone"), AT_ITSELF, id="standalone"),
        pytest.param(flags("--standalone", nodes=1), "", id="standalone-in-one-Pod"),
        pytest.param(flags("--rdzv_endpoint=localhost:29500"), AT_ITSELF, id="localhost"),
        pytest.param(flags("--master-addr=127.0.0.1"), AT_ITSELF, id="address"),
        pytest.param(flags("--rdzv_backend=c10d"), AT_ITSELF, id="c10d-without-endpoint"),
        pytest.param(
            flags("--rdzv_backend=c10d", env="env: [{name: PET_RDZV_ENDPOINT, value: 'store:1'}]"),
            "",
            id="its-variable",
        ),
        pytest.param(flags("--rdzv_endpoint=etcd.team.svc:2379", "--rdzv_backend=etcd-v2"), "", id="a-store"),
        pytest.param(flags("--node_rank=0"), "gives 2 Pods the same rank", id="rank"),
        pytest.param(flags("--node_rank=0", "--rdzv_backend=c10d", "--rdzv_endpoint=a:1"), "", id="c10d-ignores-ranks"),
        pytest.param(flags("--node_rank=$(PET_NODE_RANK)"), "", id="the-rank-itself"),
        pytest.param(flags("--nproc-per-node=4", more=GPU8), "", id="another-rule-compares-with-gpus"),
        pytest.param(flags("--nproc-per-node=4"), "", id="no-number-of-processes"),
    ],
)
def test_flags_that_conflict(text: str, said: str, tmp_path: Path) -> None:
    found = [each for each in reported(tmp_path, text) if each.rule == "KTJ407"]
    assert len(found) == bool(said)
    for each in found:
        assert said in each.finding.message
        assert each.line.endswith(f"# {FLAG}")


@pytest.mark.parametrize(
    ("number", "each", "is_found"),
    [("numProcPerNode: 8", 4, True), ("numProcPerNode: 4", 4, False), ("numProcPerNode: auto", 4, True)],
)
def test_a_flag_against_the_number_of_processes(number: str, each: int, is_found: bool, tmp_path: Path) -> None:
    text = flags(f"--nproc-per-node={each}").replace("{numNodes: 2}", f"{{numNodes: 2, {number}}}")
    lines = of_rule(tmp_path, "KTJ407", text, "2.1" if "auto" in number else "2.3")
    assert bool(lines) == is_found


@pytest.mark.parametrize(
    ("words", "resources", "said"),
    [
        pytest.param("--num_nodes=2", GPU8, "deepspeed stops", id="nodes-without-hosts"),
        pytest.param("--num_nodes=1", GPU8, "", id="one-node"),
        pytest.param("--num_gpus=4", GPU8, 'uses 4 devices of each Pod, which requests "nvidia.com/gpu: 8"', id="GPUs"),
        pytest.param("--num_accelerators=4", GPU8, "uses 4 devices", id="accelerators"),
        pytest.param("--num_gpus=8", GPU8, "", id="the-same-GPUs"),
        pytest.param("--num_gpus=4", "", "", id="no-GPUs"),
    ],
)
def test_flags_of_deepspeed(words: str, resources: str, said: str, tmp_path: Path) -> None:
    text = runs("deepspeed", words, "train.py", resources=resources)
    found = [each for each in reported(tmp_path, text) if each.rule == "KTJ407"]
    assert len(found) == bool(said)
    assert all(said in each.finding.message and each.line == f"- {words!r}" for each in found)


ZERO = "{numNodes: 0, torch: {}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH) + train_job("trainer:", "  numNodes: 0"), ["numNodes: 0"], id="in-the-job"),
        pytest.param(runtime(ZERO) + train_job("trainer: {}"), [], id="in-the-runtime-it-means-1"),
        pytest.param(runtime(ZERO) + train_job("trainer:", "  numNodes: 0"), ["numNodes: 0"], id="in-both"),
        pytest.param(runtime(ZERO) + TRAINER, [], id="the-job-says-otherwise"),
        pytest.param(runtime(ZERO), [], id="no-job"),
        pytest.param(runtime(TORCH) + train_job("trainer: {}"), [], id="not-stated"),
    ],
)
def test_no_nodes(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ412", text) == expected


def test_no_nodes_of_mpi(tmp_path: Path) -> None:
    """The launcher is there, and its hostfile names nobody, or itself where it is a node; so says the message."""
    roles, no_nodes = (role(step=""), role("command: [mpirun]", name="launcher")), train_job("trainer: {numNodes: 0}")
    for policy, hosts, words in ((MPI, 0, ["leaves the hostfile empty"]), (MPI_NODE, 2, [])):
        text = runtime(policy, *roles) + no_nodes
        made = built(tmp_path / f"made{hosts}", text)
        assert len(made["ConfigMap"]["data"]["hostfile"].splitlines()) == hosts
        [launcher] = [each for each in made["JobSet"]["spec"]["replicatedJobs"] if each["name"] == "launcher"]
        assert launcher["template"]["spec"]["parallelism"] == 1
        every = reported(tmp_path / f"linted{hosts}", text)
        messages = [each.finding.message for each in every if each.rule == "KTJ412"]
        assert len(messages) == len(words)
        assert all(word in message for word, message in zip(words, messages, strict=True))
        assert ("KTJ506" in {each.rule for each in every}) == (policy == MPI_NODE)


@pytest.mark.parametrize(("more", "is_advised"), [("", True), ("suspend: false", True), ("suspend: true", False)])
def test_what_is_suspended_is_not_reported(more: str, is_advised: bool, tmp_path: Path) -> None:
    text = runtime(TORCH) + train_job("trainer: {numNodes: 0}", *([more] if more else []))
    [found] = [each.finding for each in reported(tmp_path, text) if each.rule == "KTJ412"]
    assert ("`suspend: true`" in found.message) == is_advised


def test_no_nodes_are_a_job_that_kubernetes_takes_for_complete(tmp_path: Path) -> None:
    [job] = built(tmp_path, example("KTJ412"))["JobSet"]["spec"]["replicatedJobs"]
    assert (job["template"]["spec"]["parallelism"], job["template"]["spec"]["completions"]) == (0, 0)


RANDOM = "completionMode: NonIndexed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(runtime(TORCH, role(job=RANDOM)), [RANDOM], id="torch"),
        pytest.param(runtime(XGBOOST, role(job=RANDOM)), [RANDOM], id="xgboost"),
        pytest.param(runtime(TORCH, role(job="completionMode: Indexed")), [], id="indexed"),
        pytest.param(runtime(TORCH, role()), [], id="not-stated"),
        pytest.param(runtime("{numNodes: 2}", role(job=RANDOM)), [], id="no-launcher"),
        pytest.param(runtime(TORCH, role(name="loader", step="", job=RANDOM), role()), [], id="another-one"),
        pytest.param(runtime(MPI, role(name="launcher"), role(step="", job=RANDOM)), [RANDOM], id="mpi"),
        pytest.param(runtime(MPI, role(name="launcher", job=RANDOM), role(step="")), [], id="mpi's-launcher"),
        pytest.param(
            runtime(MPI_NODE, role(name="launcher", job=RANDOM), role(step="")), [RANDOM], id="mpi's-launcher-as-node"
        ),
    ],
)
def test_pods_without_an_index(text: str, expected: list[str], tmp_path: Path) -> None:
    assert of_rule(tmp_path, "KTJ413", text) == expected


def test_pods_without_an_index_are_found_nowhere_and_a_safe_fix_finds_them(tmp_path: Path) -> None:
    text = example("KTJ413")
    jobset = built(tmp_path / "made", text + TRAINER)["JobSet"]
    assert meeting(jobset)
    assert addresses(jobset) == set()
    [found] = reported(tmp_path / "before", text)
    assert found.finding.fix is not None
    assert found.finding.fix.is_safe
    assert reported(tmp_path / "after", mended(text, found.finding.fix)) == []


def names(value: str, *, ahead: str = "", variable: str = "TRACKER", policy: str = XGBOOST) -> str:
    """A job with a variable of this value; `ahead` is one of the runtime's."""
    env = [f"env: [{{name: {ahead}, value: mine}}]"] if ahead else []
    return runtime(policy, role(*env)) + train_job(
        "trainer:", "  env:", f"  - name: {variable}", f"    value: '{value}'"
    )


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        pytest.param(names("$(DMLC_TRACKER_URI)"), True, id="refers"),
        pytest.param(names("x-$(DMLC_TASK_ID)-y"), True, id="within-a-text"),
        pytest.param(names("$$(DMLC_TRACKER_URI)"), False, id="no-reference"),
        pytest.param(names("$(OTHER)"), False, id="another-variable"),
        pytest.param(names("abc"), False, id="the-order-alone-changes-nothing"),
        pytest.param(names("$(DMLC_TRACKER_URI)", policy="{numNodes: 1}"), False, id="no-xgboost"),
        pytest.param(names("$(DMLC_TRACKER_URI)", ahead="DMLC_TRACKER_URI"), False, id="it-stands-in-the-runtime"),
        pytest.param(names("$(DMLC_TRACKER_URI)", ahead="TRACKER"), False, id="this-one-stands-in-the-runtime"),
        pytest.param(names("$(DMLC_TRACKER_URI)", ahead="OTHER"), True, id="another-one-stands-in-the-runtime"),
    ],
)
def test_variables_that_refer_to_the_launchers(text: str, is_found: bool, tmp_path: Path) -> None:
    found = [each for each in reported(tmp_path, text) if each.rule == "KTJ810"]
    assert len(found) == is_found
    if found:
        assert found[0].line.startswith("value: ")
        assert "undefined order" in found[0].finding.message
        assert "this build writes TRACKER first" in found[0].finding.message


def test_this_build_writes_the_variable_first(tmp_path: Path) -> None:
    written = list(environment(built(tmp_path, example("KTJ810"))["JobSet"]))
    assert written.index("TRACKER") < written.index("DMLC_TRACKER_URI")


@pytest.mark.parametrize(("command", "is_found"), [("[torchrun, train.py]", True), ("[python, train.py]", False)])
def test_only_a_launcher_fails_without_a_process(tmp_path: Path, command: str, is_found: bool) -> None:
    text = runtime(TORCH, role(f"command: {command}")) + train_job("trainer: {numProcPerNode: 0}")
    assert bool(of_rule(tmp_path, "KTJ422", text)) == is_found
