"""Command lines of containers that override the variables and files of Trainer."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.launch.command_line import commands
from kubectl_trainjob.kube.launch.flags import NODES, PER_NODE
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from tests.unit.explain.environment.jobs import Object, asking, container, environment_of, line_of, manifests, role

GPU8 = asking(nvidia_com__gpu=8)
DIST = ["python", "-m", "torch.distributed.run"]


def torch_job(command: list[str], args: list[str] | None = None, nodes: int = 4) -> str:
    """Nodes with 8 GPUs each: PET_NNODES is their number, PET_NPROC_PER_NODE `auto`."""
    trainer: Object = {"numNodes": nodes, "resourcesPerNode": GPU8, "command": command}
    return manifests({"torch": {}}, job={"trainer": {**trainer, "args": args} if args else trainer})


# torchrun's flags beat PET_*, which only give defaults (class env in torch/distributed/argparse_util.py).
@pytest.mark.parametrize(
    ("command", "world", "per_node"),
    [
        pytest.param(["torchrun", "train.py"], 32, "auto", id="no flags"),
        pytest.param(["torchrun", "--nnodes=1", "--nproc_per_node=2", "train.py"], 2, 2, id="both"),
        pytest.param(["torchrun", "--nproc-per-node", "2", "train.py"], 8, 2, id="a word of its own"),
        pytest.param(["torchrun", "--nproc_per_node", "gpu", "train.py"], 32, "gpu", id="a word of torchrun"),
        pytest.param(["torchrun", "--nnodes", "2:2", "train.py"], 16, "auto", id="a range of one"),
        pytest.param(["torchrun", "--nnodes=1:4", "train.py"], None, "auto", id="elastic"),
        pytest.param([*DIST, "--nproc_per_node=2", "train.py"], 8, 2, id="as a module"),
        pytest.param(
            ["/usr/bin/python3.11", "-u", "-m", "torch.distributed.launch", "--use-env", "--nproc_per_node=2", "t.py"],
            8,
            2,
            id="torch.distributed.launch",
        ),
        pytest.param(["torchrun", "train.py", "--nproc_per_node=2"], 32, "auto", id="flags of the script"),
        pytest.param(["torchrun", "-m", "train", "--nnodes=2"], 32, "auto", id="flags of a module"),
        pytest.param(["torchrun", "-r3", "--nnodes=2", "train.py"], 16, "auto", id="a short flag with its value"),
        pytest.param(["torchrun", "--nnodes=$(PET_NNODES)", "train.py"], 32, "auto", id="the variable itself"),
        pytest.param(["python", "train.py", "--launcher", "torchrun", "--nnodes=1"], 32, "auto", id="another command"),
        pytest.param(["env", "A=b", "torchrun", "--nnodes=2", "train.py"], 16, "auto", id="behind env"),
        pytest.param(["tini", "--", "torchrun", "--nnodes=2", "train.py"], 16, "auto", id="behind tini"),
        pytest.param(["bash", "-c", "cd /app && exec torchrun --nnodes=2 train.py"], 16, "auto", id="a script"),
        pytest.param(["sh", "-euxc", "torchrun \\\n  --nnodes=2 \\\n  train.py"], 16, "auto", id="lines that go on"),
        pytest.param(["bash", "-c", "torchrun --nnodes=${PET_NNODES} t.py"], 32, "auto", id="the shell's variable"),
        pytest.param(["bash", "-c", "torchrun --nproc_per_node=$(nproc) --nnodes=2 t.py"], None, None, id="not plain"),
        pytest.param(["bash", "-c", "echo torchrun --nnodes=2"], 32, "auto", id="only said"),
        pytest.param(["bash", "-c", "# torchrun --nnodes=2\ntorchrun t.py"], 32, "auto", id="a comment"),
        pytest.param(
            ["bash", "-c", "cat <<'E' >a.py\nprint('it\nE\ntorchrun --nnodes=2 a.py"], 16, "auto", id="a text"
        ),
        pytest.param(
            ["bash", "-c", "if x; then\ntorchrun --nnodes=1 a.py\nelse\ntorchrun --nnodes=2 b.py\nfi"],
            None,
            "auto",
            id="two that differ",
        ),
    ],
)
def test_torchrun(command: list[str], world: int | None, per_node: int | str | None) -> None:
    environment = environment_of(torch_job(command))
    assert environment.launch.total is not None
    assert environment.roles[0].processes is not None
    assert (environment.launch.total.value, environment.roles[0].processes.value) == (world, per_node)
    said = any("in the command" in each.message for each in environment.cautions)
    assert said == (world != 32)


# Without the policy Trainer sets no PET_*; torchrun's defaults are --nnodes=1:1 and --nproc-per-node=1
# (get_args_parser in torch/distributed/run.py).
@pytest.mark.parametrize(
    ("command", "env", "world", "per_node", "why"),
    [
        (["torchrun", "--nnodes=2", "--nproc-per-node=4", "t.py"], {}, 8, 4, "--nproc-per-node=4 in the command"),
        (["torchrun", "t.py"], {}, 1, 1, "torchrun in the command"),
        ([*DIST, "--nnodes=2", "t.py"], {}, 2, 1, "torch.distributed.run in the command"),
        (["sh", "-c", "torchrun --nproc-per-node=$N t.py"], {}, None, None, "--nproc-per-node in the command"),
        (["torchrun", "t.py"], {NODES: "2", PER_NODE: "gpu"}, 16, "gpu", f"{PER_NODE} is set in env"),
        (["torchrun", "t.py"], {NODES: "2:2", PER_NODE: "3"}, 6, 3, f"{PER_NODE} is set in env"),
        (["torchrun", "t.py"], {NODES: "1:2", PER_NODE: "3"}, None, 3, f"{PER_NODE} is set in env"),
        (["accelerate", "launch", "--multi-gpu", "--num-processes=6", "--num-machines=2", "t.py"], {}, 6, 3, None),
        (["python", "t.py"], {NODES: "2", PER_NODE: "3"}, 2, 1, "the runtime has no launcher: each Pod runs its"),
    ],
)
def test_torchrun_without_its_policy(
    *, command: list[str], env: dict[str, str], world: int | None, per_node: int | str | None, why: str | None
) -> None:
    entries = [{"name": name, "value": value} for name, value in env.items()]
    trainer: Object = {"numNodes": 2, "resourcesPerNode": GPU8, "command": command, "env": entries}
    environment = environment_of(manifests({"numNodes": 2}, job={"trainer": trainer}))
    processes, total = environment.roles[0].processes, environment.launch.total
    assert processes is not None
    assert total is not None
    assert (total.value, processes.value) == (world, per_node)
    assert environment.roles[0].reason.why.startswith(why or "")
    assert environment.cautions == ()


def test_variables_of_an_unknown_source_may_be_those_of_torchrun() -> None:
    node = {**container(), "command": ["torchrun", "t.py"], "envFrom": [{"configMapRef": {"name": "sizes"}}]}
    environment = environment_of(manifests({"numNodes": 2}, role("node", node)))
    assert environment.launch.total is not None
    assert environment.launch.total.value is None


@pytest.mark.parametrize(
    ("command", "cautions"),
    [
        pytest.param(
            ["torchrun", "--nproc_per_node=2", "train.py"],
            [
                (
                    '--nproc_per_node=2 in the command overrides PET_NPROC_PER_NODE, which is "auto"; remove the '
                    "flag, or set numProcPerNode instead",
                    "- --nproc_per_node=2",
                ),
                (
                    'container "node" of "node" requests nvidia.com/gpu: 8, but 2 processes are started on a node '
                    "(--nproc_per_node=2 in the command); set both to the same number",
                    "- --nproc_per_node=2",
                ),
            ],
            id="processes",
        ),
        pytest.param(
            ["torchrun", "--nnodes", "1:4", "train.py"],
            [
                (
                    '--nnodes=1:4 in the command overrides PET_NNODES, which is "4"; remove the flag',
                    "- --nnodes",
                )
            ],
            id="nodes",
        ),
        pytest.param(
            ["torchrun", "--rdzv_endpoint=localhost:29500", "train.py"],
            [
                (
                    "--rdzv_endpoint=localhost:29500 in the command overrides PET_MASTER_ADDR, which is "
                    '"j-node-0-0.j"; remove the flag',
                    "- --rdzv_endpoint=localhost:29500",
                )
            ],
            id="rendezvous",
        ),
        pytest.param(["torchrun", "--nnodes=4", "--nproc_per_node=8", "--master_port=29500", "t.py"], [], id="agrees"),
        pytest.param(["torchrun", "--nproc_per_node=gpu", "t.py"], [], id="one a GPU"),
        pytest.param(["torchrun", "--rdzv_endpoint=j-node-0-0.j.team.svc:29500", "t.py"], [], id="the whole name"),
    ],
)
def test_where_a_command_disagrees(command: list[str], cautions: list[tuple[str, str]]) -> None:
    text = torch_job(command)
    assert [(each.message, line_of(text, each.place)) for each in environment_of(text).cautions] == cautions


# accelerate starts torchrun's code, which reads PET_*: tests/launchers runs these forms.
@pytest.mark.parametrize(
    ("flags", "world", "per_node", "says"),
    [
        pytest.param(["--multi_gpu"], 32, 8, "", id="one for each GPU"),
        pytest.param([], 32, 8, "", id="several GPUs"),
        pytest.param(["--multi_gpu", "--num_processes=2"], 8, 2, "--num_processes=2", id="a number"),
        pytest.param(["--num-machines", "2", "--num-processes", "6"], 6, 3, "--num-machines", id="machines"),
        pytest.param(["--num_processes=1"], 1, 1, "accelerate launch", id="the program itself"),
        pytest.param(["--config_file=a.yaml"], None, None, "accelerate launch", id="a file"),
        pytest.param(["--num_processes=$(WORLD)"], None, None, "accelerate launch", id="not plain"),
    ],
)
def test_accelerate(flags: list[str], world: int | None, per_node: int | None, says: str) -> None:
    for command in (["accelerate", "launch"], ["accelerate-launch"], ["python", "-m", "accelerate.commands.launch"]):
        environment = environment_of(torch_job([*command, *flags, "train.py", "--num_machines=7"]))
        assert environment.launch.total is not None
        assert environment.roles[0].processes is not None
        assert (environment.launch.total.value, environment.roles[0].processes.value) == (world, per_node)
        cautions = " ".join(each.message for each in environment.cautions)
        assert says in cautions if says else cautions == ""


# fetch_hostfile in deepspeed/launcher/runner.py: without its own hostfile, it starts processes where it runs.
@pytest.mark.parametrize(
    "command", [["deepspeed", "t.py"], ["python", "-m", "deepspeed", "t.py"], ["bash", "-c", "cd a; deepspeed t.py"]]
)
def test_deepspeed_decides_the_processes(command: list[str]) -> None:
    environment = environment_of(torch_job(command))
    assert environment.launch.total is not None
    assert environment.launch.total.value is None
    assert environment.launch.total.formula.startswith("the command decides: ")
    assert environment.roles[0].processes is not None
    assert environment.roles[0].processes.value is None


# get_rdzv_endpoint in torch/distributed/run.py: an endpoint beats the address, which only `static` looks at.
@pytest.mark.parametrize(
    ("flags", "address", "port", "setting"),
    [
        pytest.param(["--master_addr=foo"], "foo", "29500", "--master_addr", id="address"),
        pytest.param(["--master-port", "1234"], "j-node-0-0.j", "1234", "PET_MASTER_ADDR", id="port"),
        pytest.param(["--rdzv-endpoint", "foo:1"], "foo", "1", "--rdzv-endpoint", id="endpoint"),
        pytest.param(["--rdzv_endpoint=foo", "--master_addr=bar"], "foo", "", "--rdzv_endpoint", id="endpoint first"),
        pytest.param(["--standalone"], "localhost", "", "--standalone", id="standalone"),
        pytest.param(["--rdzv_backend=c10d"], "localhost", "", "--rdzv_backend", id="c10d without endpoint"),
        pytest.param(["--rdzv_backend=static"], "j-node-0-0.j", "29500", "PET_MASTER_ADDR", id="static"),
        pytest.param(["--master_addr=$(WHO)"], "unknown", "29500", "--master_addr", id="not plain"),
    ],
)
def test_where_torchrun_meets(flags: list[str], address: str, port: str, setting: str) -> None:
    text = torch_job(["torchrun", *flags, "train.py"])
    environment = environment_of(text)
    master = environment.launch.rendezvous
    assert master is not None
    assert (master.address, master.port, master.setting.name) == (address, port, setting)
    expected = f"- {flags[0]}" if setting in flags[0] else "name: j"
    assert line_of(text, environment.origins.place(master.setting)) == expected


def test_a_runtime_of_torchtune_whose_job_states_no_command() -> None:
    """Trainer rewrites the command only of jobs that have it themselves; the packaged runtime meets at localhost."""
    own = container(command=["tune", "run", "--rdzv_endpoint=localhost:29500", "full_finetune_distributed"])
    environment = environment_of(manifests({"torch": {}}, role("node", own), job={"trainer": {"numNodes": 2}}))
    assert environment.launch.rendezvous is not None
    assert (environment.launch.rendezvous.address, environment.launch.rendezvous.setting.name) == (
        "localhost",
        "--rdzv_endpoint",
    )
    [caution] = environment.cautions
    assert caution.message.startswith("--rdzv_endpoint=localhost:29500 in the command overrides PET_MASTER_ADDR")


@pytest.mark.parametrize("flag", ["--standalone", "--rdzv_endpoint=localhost:0", "--master_addr=127.0.0.1"])
def test_a_single_node_may_meet_itself(flag: str) -> None:
    assert environment_of(torch_job(["torchrun", flag, "train.py"], nodes=1)).cautions == ()
    assert environment_of(torch_job(["torchrun", flag, "train.py"], nodes=2)).cautions != ()


def test_a_hostile_script_takes_no_time() -> None:
    script = "$(" * 200_000 + "\n" + "torchrun '" * 20_000 + "\n" + ";" * 200_000
    assert environment_of(torch_job(["bash", "-c", script])).launch.total is not None


LAUNCHER = role("launcher", container(command=["mpirun"]), step="trainer")
NODES = role("node", container(resources=GPU8), step="")
MPI: Object = {"mpi": {"mpiImplementation": "OpenMPI"}}


# The options of Open MPI's mpirun(1): -n, --n, -c, -np for all ranks, -N and -npernode for those of a node.
@pytest.mark.parametrize(
    ("command", "world", "per_node"),
    [
        pytest.param(["mpirun", "python", "train.py"], 24, 8, id="the hostfile"),
        pytest.param(["mpirun", "-np", "2", "python", "train.py"], 2, None, id="-np"),
        pytest.param(["mpirun", "-n", "2", "python", "train.py"], 2, None, id="-n"),
        pytest.param(["mpirun", "-np", "24", "python", "train.py"], 24, 8, id="as many as slots"),
        pytest.param(["mpirun", "-N", "2", "python", "train.py"], 6, 2, id="-N"),
        pytest.param(["mpirun", "--npernode", "8", "python", "train.py"], 24, 8, id="as many as slots of a node"),
        pytest.param(
            ["mpirun", "--allow-run-as-root", "--mca", "btl", "tcp", "-x", "A", "-np", "2", "x"], 2, None, id="others"
        ),
        pytest.param(["mpirun", "--hostfile", "/etc/mpi/hostfile", "x"], 24, 8, id="its own hostfile"),
        pytest.param(["mpirun", "--hostfile", "/hosts", "-np", "2", "x"], None, None, id="another hostfile"),
        pytest.param(["mpirun", "--map-by", "ppr:2:node", "x"], None, None, id="ppr"),
        pytest.param(["mpirun", "--map-by", "slot", "x"], 24, 8, id="map by slot"),
        pytest.param(["mpirun", "python", "train.py", "-n", "2"], 24, 8, id="flags of the script"),
        pytest.param(["bash", "-c", "mpirun -np $(wc -l </etc/hosts) x"], None, None, id="not plain"),
        pytest.param(["bash", "-c", "sleep 5; mpirun -np 2 x"], 2, None, id="a script"),
    ],
)
def test_mpirun(command: list[str], world: int | None, per_node: int | None) -> None:
    text = manifests(MPI, LAUNCHER, NODES, job={"trainer": {"numNodes": 3, "numProcPerNode": 8, "command": command}})
    environment = environment_of(text)
    processes = environment.roles[1].processes
    assert processes is not None
    assert environment.launch.total is not None
    assert (environment.launch.total.value, processes.value) == (world, per_node)
    cautions = [each for each in environment.cautions if "in the command" in each.message]
    assert bool(cautions) == (world != 24)
    for caution in cautions:
        assert line_of(text, caution.place).startswith("- ")
        assert "24 slots; remove the flag" in caution.message or "set both to the same number" in caution.message


def test_references_are_expanded_as_far_as_they_are_known() -> None:
    env = [{"name": "A", "value": "x"}, {"name": "B", "valueFrom": {}}]
    body = {"env": env, "name": "c", "command": ["bash", "-c"], "args": ["run $(A) ${A} $B $(date) | $A"]}
    found = [[word.text for word in each] for each in commands(ContainerSpec((), body))]
    assert found == [["run", "x", "x", "$B", "$_"], ["x"]]


@pytest.mark.parametrize(
    ("fields", "cautions"),
    [
        pytest.param({"args": ["--name=$(NOPE)"], "command": ["run"]}, [("NOPE", "the command")], id="args"),
        pytest.param({"command": ["run", "$(OWN)", "$(PET_NNODES)", "$(JOB_COMPLETION_INDEX)"]}, [], id="known"),
        pytest.param({"command": ["run", "$$(NOPE)", "$(NOPE", "$NOPE", "$(a b)"]}, [], id="no references"),
        pytest.param({"command": ["bash", "-c", "echo $(date) $(nproc)"]}, [], id="commands of a shell"),
        pytest.param({"command": ["bash", "-c", "echo $(NOPE)"]}, [("NOPE", "the command")], id="in a script"),
        pytest.param({"args": ["$(date)"]}, [], id="what the image starts may be a shell"),
        pytest.param({"command": ["run", "$(DB_SERVICE_HOST)", "$(KUBERNETES_PORT)"]}, [], id="of Services"),
        pytest.param({"env": [{"name": "X", "value": "$(OWN)"}]}, [], id="stands before"),
        pytest.param({"env": [{"name": "X", "value": "$(NOPE)"}]}, [("NOPE", "the value of X")], id="in a value"),
        pytest.param({"env": [{"name": "X", "value": "$(X)"}]}, [("X", "the value of X")], id="to itself"),
        pytest.param(
            {"command": ["$(NOPE)"], "envFrom": [{"secretRef": {"name": "s"}}]}, [], id="envFrom may bring anything"
        ),
    ],
)
def test_references_that_stay_as_they_are(fields: Object, cautions: list[tuple[str, str]]) -> None:
    """Expand and makeEnvironmentVariables of the kubelet: a value refers to variables before it."""
    own = container(**{**fields, "env": [{"name": "OWN", "value": "x"}, *fields.get("env", [])]})
    found = environment_of(manifests({"torch": {}}, role("node", own), job={"trainer": {}})).cautions
    expected = [f"$({name}) in {where} is not replaced" for name, where in cautions]
    assert [each.message.partition(":")[0] for each in found] == expected


def test_a_value_that_refers_to_a_later_variable() -> None:
    """Trainer appends its variables to the TrainJob's."""
    job: Object = {"trainer": {"env": [{"name": "RANK", "value": "$(PET_NODE_RANK)"}]}}
    text = manifests({"torch": {}}, job=job)
    [caution] = environment_of(text).cautions
    assert caution.message == (
        "$(PET_NODE_RANK) in the value of RANK is not replaced: env has PET_NODE_RANK only after it; use "
        "PET_NODE_RANK in the command"
    )
    assert line_of(text, caution.place) == "value: $(PET_NODE_RANK)"
