"""Numbers, names, needs and cautions, by the facts of Trainer, JobSet and Kubernetes."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.kube.launch.replicated_jobs import Pods
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.report.env_document import in_ranges
from tests.unit.explain.environment.jobs import Object, asking, container, environment_of, line_of, manifests, role

GPU4 = asking(nvidia_com__gpu=4)
TORCH: Object = {"numNodes": 2, "torch": {}}
MPI: Object = {"numNodes": 2, "mpi": {"mpiImplementation": "OpenMPI"}}
LAUNCHER = role("launcher", step="trainer")
NODES = role("node", container(resources=GPU4), step="")


def trainer(**fields: Any) -> Object:
    return {"trainer": fields}


# Upstream facts: torch.go, mpi.go, xgboost.go and jax.go of the releases, as recorded in tests/conformance.
@pytest.mark.parametrize(
    ("policy", "resources", "job", "value", "why", "line", "world"),
    [
        pytest.param(
            TORCH,
            GPU4,
            trainer(),
            "auto",
            'container "node" requests nvidia.com/gpu: 4',
            "nvidia.com/gpu: 4",
            8,
            id="gpus",
        ),
        pytest.param(
            TORCH,
            {},
            trainer(),
            1,
            'container "node" requests neither GPUs nor CPUs',
            "resources: {}",
            2,
            id="nothing asked",
        ),
        pytest.param(
            TORCH,
            asking(cpu="2500m"),
            trainer(),
            3,
            'container "node" requests cpu: 2500m and no GPU',
            "cpu: 2500m",
            6,
            id="cpus are rounded up",
        ),
        pytest.param(
            TORCH,
            GPU4,
            trainer(numNodes=3, numProcPerNode=2),
            2,
            "spec.trainer.numProcPerNode of the TrainJob is 2",
            "numProcPerNode: 2",
            6,
            id="stated",
        ),
        pytest.param(
            TORCH,
            {},
            trainer(resourcesPerNode=GPU4),
            "auto",
            "resourcesPerNode requests nvidia.com/gpu: 4",
            "nvidia.com/gpu: 4",
            8,
            id="the job's gpus",
        ),
        pytest.param(
            TORCH,
            GPU4,
            trainer(resourcesPerNode=asking(memory="1Gi")),
            1,
            "resourcesPerNode requests neither GPUs nor CPUs",
            "resourcesPerNode:",
            2,
            id="more memory and the runtime's gpus are not counted",
        ),
        pytest.param(
            {"numNodes": 2, "jax": {}}, GPU4, trainer(), 1, "JAX starts one process per node", None, 2, id="jax"
        ),
        pytest.param(
            {"numNodes": 3, "xgboost": {}},
            GPU4,
            trainer(),
            4,
            'container "node" requests nvidia.com/gpu: 4',
            "nvidia.com/gpu: 4",
            12,
            id="xgboost: a worker a gpu",
        ),
        pytest.param(
            {"numNodes": 3, "xgboost": {}},
            {},
            trainer(),
            1,
            'container "node" requests no GPU',
            "resources: {}",
            3,
            id="xgboost",
        ),
        pytest.param(
            {"xgboost": {}},
            {"limits": {"nvidia.com/gpu": 8}, "requests": {"nvidia.com/gpu": 4}},
            trainer(),
            4,
            'container "node" requests nvidia.com/gpu: 4',
            "nvidia.com/gpu: 4",
            4,
            id="requests count before limits",
        ),
        pytest.param(
            {"flux": {"numProcPerNode": 4}},
            {},
            trainer(numNodes=2, command=["lmp"]),
            4,
            "spec.mlPolicy.flux.numProcPerNode of the runtime is 4",
            "numProcPerNode: 4",
            8,
            id="flux",
        ),
        pytest.param(
            {"numNodes": 2},
            GPU4,
            trainer(),
            1,
            "the runtime has no launcher: each Pod runs its command once",
            None,
            2,
            id="plain",
        ),
    ],
)
def test_processes(
    *, policy: Object, resources: Object, job: Object, value: int | str, why: str, line: str | None, world: int
) -> None:
    text = manifests(policy, role("node", container(resources=resources)), job=job)
    environment = environment_of(text)
    processes, reason = environment.roles[0].processes, environment.roles[0].reason
    assert processes is not None
    assert (processes.value, reason.why) == (value, why)
    assert (line_of(text, reason.place) if reason.place else None) == line
    assert environment.launch.total is not None
    assert environment.launch.total.value == world


@pytest.mark.parametrize(
    ("version", "policy", "resources", "job", "value", "world", "formula"),
    [
        pytest.param("2.3", {}, GPU4, {}, "auto", 4, "1 node × auto (4 GPUs → 4) = 4", id="auto is a process a gpu"),
        pytest.param(
            "2.0", {}, {}, {}, "auto", None, "1 node × auto, which torchrun decides in the container", id="without gpus"
        ),
        pytest.param(
            "2.0",
            {"numProcPerNode": "cpu"},
            GPU4,
            {},
            "cpu",
            None,
            "1 node × cpu, which torchrun decides in the container",
            id="cpu",
        ),
        pytest.param(
            "2.1",
            {"numProcPerNode": "gpu"},
            asking(amd_com__gpu=2),
            {},
            "gpu",
            2,
            "1 node × gpu (2 GPUs → 2) = 2",
            id="gpu",
        ),
        pytest.param(
            "2.3",
            {},
            asking(nvidia_com__gpu=1, nvidia_com__gpumem=4000),
            {},
            "auto",
            None,
            "1 node × auto, which torchrun decides in the container",
            id="two names",
        ),
    ],
)
def test_words_of_torchrun(
    *, version: str, policy: Object, resources: Object, job: Object, value: str, world: int | None, formula: str
) -> None:
    text = manifests({"torch": policy}, role("node", container(resources=resources)), job=trainer(**job))
    environment = environment_of(text, version)
    assert environment.roles[0].processes is not None
    assert environment.roles[0].processes.value == value
    assert environment.launch.total is not None
    assert (environment.launch.total.value, environment.launch.total.formula) == (world, formula)


def test_mpi() -> None:
    """The lines are those of the real controller, see reference cases mpi/*-plain: the launcher is no host."""
    environment = environment_of(manifests(MPI, LAUNCHER, NODES, job=trainer(numNodes=3, numProcPerNode=4)))
    assert environment.hostfile == "j-mpi-hostfile"
    assert list(environment.launch.hosts) == [f"j-node-0-{index}.j slots=4" for index in range(3)]
    launcher, node = environment.roles
    assert launcher.processes is None
    assert node.processes is not None
    assert (node.processes.value, node.reason.why) == (4, "spec.trainer.numProcPerNode of the TrainJob is 4")
    assert environment.launch.total is not None
    assert environment.launch.total.formula == "3 nodes × 4 slots = 12"
    assert environment.launch.rendezvous is None
    [secret, hosts] = environment.needs
    assert (secret.kind, secret.name, secret.provider) == ("Secret", "j-mpi-ssh-auth", "controller")
    assert (hosts.kind, hosts.name, hosts.provider) == ("ConfigMap", "j-mpi-hostfile", "build")


def test_a_launcher_that_is_a_node() -> None:
    """Of three nodes one is the launcher (control-plane record: `launcher-0-0`, `node-0-0`, `node-0-1`)."""
    policy = {"mpi": {"mpiImplementation": "OpenMPI", "runLauncherAsNode": True}}
    launcher = role("launcher", container(resources=GPU4), step="trainer")
    environment = environment_of(manifests(policy, launcher, NODES, job=trainer(numNodes=3)))
    assert environment.launch.hosts is not None
    names = ("j-launcher-0-0", "j-node-0-0", "j-node-0-1")
    assert list(environment.launch.hosts) == [f"{name}.j slots=4" for name in names]
    assert [each.processes and each.processes.value for each in environment.roles] == [4, 4]
    assert environment.launch.total is not None
    assert (environment.launch.total.value, environment.launch.total.nodes) == (12, 3)
    assert environment.cautions == ()


def test_an_initializer_may_replace_what_the_runtime_says() -> None:
    own = container("model-initializer", env=[{"name": "A", "value": "runtime"}, {"name": "STORAGE_URI", "value": "x"}])
    own["volumeMounts"] = [{"name": "initializer", "mountPath": "/workspace"}]
    pod = {"volumes": [{"name": "initializer", "emptyDir": {}}]}
    initializer = role("model-initializer", own, step="model-initializer", pod=pod)
    wanted = {
        "model": {"storageUri": "hf://acme/m", "env": [{"name": "A", "value": "job"}], "secretRef": {"name": "hub"}}
    }
    environment = environment_of(
        manifests({"torch": {}}, initializer, role(), job={"initializer": wanted, **trainer()})
    )
    found = {each.name: each for each in environment.roles[0].containers[0].variables}
    assert (found["A"].value, found["A"].by, found["A"].instead_of) == ("job", "TrainJob", None)
    assert (found["STORAGE_URI"].value, found["STORAGE_URI"].by) == ("hf://acme/m", "jobset")
    assert environment.cautions == (), "the runtime's value is the default for jobs that state none"
    [need] = environment.needs
    assert (need.name, [use.what for use in need.uses]) == ("hub", ['container "model-initializer", envFrom'])


@pytest.mark.parametrize(
    ("policy", "job", "master"),
    [
        pytest.param(TORCH, trainer(), ("j-node-0-0.j", "29500", "PET_MASTER_ADDR"), id="torch"),
        pytest.param({"jax": {}}, trainer(), ("j-node-0-0.j", "29500", "JAX_COORDINATOR_ADDRESS"), id="jax"),
        pytest.param({"xgboost": {}}, trainer(), ("j-node-0-0.j", "29500", "DMLC_TRACKER_URI"), id="xgboost"),
        pytest.param({"flux": {}}, trainer(numNodes=2), ("j-node-0-0.j", "8050", "the broker"), id="flux"),
        pytest.param(TORCH, {}, None, id="no spec.trainer"),
        pytest.param({"numNodes": 2}, trainer(), None, id="plain"),
    ],
)
def test_master(policy: Object, job: Object, master: tuple[str, str, str] | None) -> None:
    found = environment_of(manifests(policy, job=job)).launch.rendezvous
    assert (found and (found.address, found.port, found.setting.name)) == master


def test_torchtune_meets_at_an_address_in_its_command() -> None:
    text = manifests({"torch": {}}, job=trainer(command=["tune", "run"], numNodes=2, resourcesPerNode=GPU4))
    text = text.replace("name: r\n", "name: torchtune-llama3.3-70b\n")
    master = environment_of(text).launch.rendezvous
    assert master is not None
    assert (master.address, master.port, master.setting.name) == ("j-node-0-0.j", "29500", "--rdzv_endpoint")


def pods(replicas: int = 1, size: int = 1, **fields: Any) -> Pods:
    given = {"subdomain": "j", "has_service": True, "is_indexed": True, **fields}
    return Pods("j", "node", replicas, size, **given)


@pytest.mark.parametrize(
    ("of", "hostnames", "dns", "as_range"),
    [
        pytest.param(pods(), ["j-node-0-0"], ["j-node-0-0.j"], "j-node-0-0", id="one"),
        pytest.param(
            pods(2, 2, subdomain="net"),
            ["j-node-0-0", "j-node-0-1", "j-node-1-0", "j-node-1-1"],
            ["j-node-0-0.net", "j-node-0-1.net", "j-node-1-0.net", "j-node-1-1.net"],
            "j-node-[0-1]-[0-1]",
            id="replicas",
        ),
        pytest.param(pods(1, 2, has_service=False), ["j-node-0-0", "j-node-0-1"], [], "j-node-0-[0-1]", id="no DNS"),
        pytest.param(pods(1, 2, is_indexed=False), [], [], "", id="not Indexed"),
        pytest.param(pods(0, 2), [], [], "", id="no replica"),
        pytest.param(pods(1, -1), [], [], "", id="no Pod"),
    ],
)
def test_names(of: Pods, hostnames: list[str], dns: list[str], as_range: str) -> None:
    assert (list(of.hostnames()), list(of.dns()), of.as_range()) == (hostnames, dns, as_range)
    assert all(of.has(name) for name in dns)
    others = [f"j-node-{of.replicas}-0.j", f"j-node-0-{of.size}.j", "j-node-0-0", "x-node-0-0.j", "j-node-0-00.j"]
    assert not any(of.has(name) for name in others)


@pytest.mark.parametrize(
    ("network", "subdomain", "dns"),
    [
        pytest.param({}, "j", ["j-node-0-0.j"], id="nothing stated"),
        pytest.param({"network": {"enableDNSHostnames": True}}, "j", ["j-node-0-0.j"], id="on"),
        pytest.param({"network": {"subdomain": "net"}}, "net", ["j-node-0-0.net"], id="a subdomain"),
        pytest.param({"network": {"enableDNSHostnames": False, "subdomain": "net"}}, "", [], id="off"),
    ],
)
def test_network(network: Object, subdomain: str, dns: list[str]) -> None:
    [found] = environment_of(manifests(None, job=trainer(), **network)).roles
    assert (found.pods.subdomain, list(found.pods.dns())) == (subdomain, dns)


def test_a_job_of_a_billion_pods_is_described_in_no_time() -> None:
    environment = environment_of(manifests({"torch": {}}, job=trainer(numNodes=2_000_000_000)))
    [found] = environment.roles
    assert found.pods.count == 2_000_000_000
    assert found.pods.as_range() == "j-node-0-[0-1999999999]"
    assert found.pods.has("j-node-0-1999999999.j")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["a-0.x s=1"], ["a-0.x s=1"], id="one"),
        pytest.param(["a-0.x s=1", "a-1.x s=1", "a-2.x s=1"], ["a-[0-2].x s=1"], id="a run"),
        pytest.param(["a-0.x s=1", "a-2.x s=1"], ["a-0.x s=1", "a-2.x s=1"], id="a gap"),
        pytest.param(["a-0.x s=1", "a-1.x s=2"], ["a-0.x s=1", "a-1.x s=2"], id="other slots"),
        pytest.param(["a-0-1.x", "a-1-0.x", "a-1-1.x"], ["a-0-1.x", "a-1-[0-1].x"], id="replicas"),
        pytest.param(["host", "other line"], ["host", "other line"], id="no numbers"),
    ],
)
def test_ranges(lines: list[str], expected: list[str]) -> None:
    assert list(in_ranges(lines)) == expected


def test_the_lost_value_is_where_a_patch_wrote_it() -> None:
    """The entry is the runtime's, its value the patch's: Trainer writes over both (torch's envInjection)."""
    sidecar = container("sidecar", env=[{"name": "PET_NNODES", "value": "7"}])
    injection = {"targets": [{"jobName": "node", "containerNames": ["sidecar"]}]}
    text = manifests(
        {"numNodes": 2, "torch": {"envInjection": injection}},
        role("node", container(), sidecar),
        job=trainer() | patched("sidecar", {"name": "PET_NNODES", "value": "9"}),
    )
    [caution] = environment_of(text).cautions
    assert caution.message == 'the value "9" is overwritten: Trainer sets PET_NNODES; remove the entry'
    assert line_of(text, caution.place) == "value: '9'"


def test_the_lost_value_of_another_kind_is_where_a_patch_wrote_it() -> None:
    sidecar = container("sidecar", env=[{"name": "PET_NODE_RANK", "value": "7"}])
    injection = {"targets": [{"jobName": "node", "containerNames": ["sidecar"]}]}
    text = manifests(
        {"numNodes": 2, "torch": {"envInjection": injection}},
        role("node", container(), sidecar),
        job=trainer() | patched("sidecar", {"name": "PET_NODE_RANK", "value": "9"}),
    )
    [caution] = environment_of(text).cautions
    assert (caution.message.partition(" is overwritten")[0], line_of(text, caution.place)) == (
        'the value "9"',
        "value: '9'",
    )


def patched(name: str, variable: Object) -> Object:
    """Of a TrainJob: another entry for the env of one container of `node`."""
    pod = {"spec": {"containers": [{"name": name, "env": [variable]}]}}
    jobs = [{"name": "node", "template": {"spec": {"template": pod}}}]
    spec = {"template": {"spec": {"replicatedJobs": jobs}}}
    return {"runtimePatches": [{"manager": "acme.example/defaults", "trainingRuntimeSpec": spec}]}


INITIALIZER = role(
    "model-initializer",
    {
        **container("model-initializer", env=[{"name": "STORAGE_URI", "value": "hf://default"}]),
        "volumeMounts": [{"name": "initializer", "mountPath": "/workspace"}],
    },
    step="model-initializer",
    pod={"volumes": [{"name": "initializer", "emptyDir": {}}]},
)


@pytest.mark.parametrize(
    ("model", "uri", "cautions"),
    [
        pytest.param({"storageUri": "hf://own"}, "hf://own", [], id="instead of the runtime's default"),
        pytest.param({"env": [{"name": "STORAGE_URI", "value": "hf://own"}]}, "hf://own", [], id="by env"),
        pytest.param(
            {"storageUri": "hf://lost", "env": [{"name": "STORAGE_URI", "value": "hf://own"}]},
            "hf://own",
            [
                (
                    'the value "hf://lost" is overwritten: env sets STORAGE_URI; remove one of the two',
                    "storageUri: hf://lost",
                )
            ],
            id="both",
        ),
    ],
)
def test_where_a_model_is(model: Object, uri: str, cautions: list[tuple[str, str]]) -> None:
    """Trainer writes storageUri first, then the initializer's env (builder.go, Initializer)."""
    text = manifests({"torch": {}}, INITIALIZER, role(), job={"initializer": {"model": model}, **trainer()})
    environment = environment_of(text)
    variable = environment.roles[0].containers[0].variable("STORAGE_URI")
    assert variable is not None
    assert variable.value == uri
    assert [(each.message, line_of(text, each.place)) for each in environment.cautions] == cautions


def test_who_wrote_the_rest_of_a_container() -> None:
    ports = [{"containerPort": 80, "name": "http"}]
    own = container(command=["a"], args=["b"], ports=ports, envFrom=[{"secretRef": {"name": "s"}}])
    text = manifests(TORCH, role("node", own), job=trainer(image="acme/other:2", command=["c"]))
    [found] = environment_of(text).roles[0].containers
    lines = {name: (each.by, line_of(text, each.place)) for name, each in found.fields.items()}
    assert lines == {
        "image": ("TrainJob", "image: acme/other:2"),
        "command": ("TrainJob", "command:"),
        "args": ("runtime", "args:"),
    }
    [port, added] = found.ports
    assert (port.by, line_of(text, port.place)) == ("runtime", "- containerPort: 80")
    assert (added.by, added.place) == ("torch", None)
    assert [(each.by, line_of(text, each.place)) for each in found.imported] == [("runtime", "- secretRef:")]


@pytest.mark.parametrize(
    "policy",
    [{"torch": {}}, {"jax": {}}, {"xgboost": {}}, {"flux": {}}, {"numNodes": 1}],
    ids=["torch", "jax", "xgboost", "flux", "plain"],
)
def test_numbers_have_lines(policy: Object) -> None:
    text = manifests(policy, job=trainer(numNodes=3))
    environment = environment_of(text)
    assert environment.launch.total is not None
    assert line_of(text, environment.origins.place(environment.launch.total.setting)) == "numNodes: 3"
    if environment.launch.rendezvous is not None:
        assert line_of(text, environment.origins.place(environment.launch.rendezvous.setting)) == "name: j"


def test_who_wrote_a_variable() -> None:
    own = [{"name": "A", "value": "runtime"}, {"name": "B", "value": "runtime"}, {"name": "PET_NNODES", "value": "9"}]
    job = trainer(env=[{"name": "B", "value": "job"}, {"name": "C"}])
    text = manifests(TORCH, role("node", container(env=own)), job=job)
    [found] = environment_of(text).roles
    by_name = {each.name: each for each in found.containers[0].variables}
    assert {name: each.by for name, each in by_name.items()} == {
        "A": "runtime",
        "B": "TrainJob",
        "C": "TrainJob",
        "PET_NNODES": "torch",
        "PET_NPROC_PER_NODE": "torch",
        "PET_NODE_RANK": "torch",
        "PET_MASTER_ADDR": "torch",
        "PET_MASTER_PORT": "torch",
        "JOB_COMPLETION_INDEX": "Job controller",
    }
    assert line_of(text, by_name["B"].place) == "value: job"
    assert line_of(text, by_name["PET_NNODES"].place) == "numNodes: 2"
    assert by_name["B"].instead_of is None, "a TrainJob may replace what the runtime says"
    assert by_name["PET_NNODES"].instead_of is not None
    assert by_name["C"].value == ""


@pytest.mark.parametrize(
    ("pod", "needs"),
    [
        pytest.param({"imagePullSecrets": [{"name": "a"}]}, [("Secret", "a", False)], id="imagePullSecrets"),
        pytest.param(
            {"volumes": [{"name": "v", "secret": {"secretName": "a"}}]}, [("Secret", "a", False)], id="secret"
        ),
        pytest.param(
            {"volumes": [{"name": "v", "secret": {"secretName": "a", "optional": True}}]},
            [("Secret", "a", True)],
            id="optional",
        ),
        pytest.param(
            {"volumes": [{"name": "v", "configMap": {"name": "a"}}]}, [("ConfigMap", "a", False)], id="configMap"
        ),
        pytest.param(
            {
                "volumes": [
                    {
                        "name": "v",
                        "projected": {
                            "sources": [{"secret": {"name": "a"}}, {"configMap": {"name": "b", "optional": True}}]
                        },
                    }
                ]
            },
            [("Secret", "a", False), ("ConfigMap", "b", True)],
            id="projected",
        ),
        pytest.param(
            {"volumes": [{"name": "v", "csi": {"driver": "x.y", "nodePublishSecretRef": {"name": "a"}}}]},
            [("Secret", "a", False)],
            id="csi",
        ),
        pytest.param(
            {
                "initContainers": [
                    container("i", envFrom=[{"secretRef": {"name": "a"}}, {"configMapRef": {"name": "b"}}])
                ]
            },
            [("Secret", "a", False), ("ConfigMap", "b", False)],
            id="envFrom",
        ),
        pytest.param({"volumes": [{"name": "v", "emptyDir": {}}]}, [], id="none"),
    ],
)
def test_needs(pod: Object, needs: list[tuple[str, str, bool]]) -> None:
    found = environment_of(manifests({"torch": {}}, role("node", pod=pod), job=trainer())).needs
    assert [(each.kind, each.name, each.is_optional) for each in found] == needs
    assert {each.provider for each in found} <= {"cluster"}


def test_a_need_of_several_uses_is_optional_only_where_all_are() -> None:
    env = [
        {"name": name, "valueFrom": {"secretKeyRef": {"name": "a", "key": "k", "optional": optional}}}
        for name, optional in (("FIRST", True), ("SECOND", False))
    ]
    [need] = environment_of(manifests({"torch": {}}, job=trainer(env=env))).needs
    assert (need.is_optional, [use.what for use in need.uses]) == (
        False,
        ['container "node", env FIRST', 'container "node", env SECOND'],
    )


def test_what_is_among_the_inputs() -> None:
    job = trainer(env=[{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "k"}}}])
    inputs = frozenset({ObjectId("v1", "ConfigMap", "", "a"), ObjectId("v1", "ConfigMap", "other", "b")})
    [need] = environment_of(manifests({"torch": {}}, job=job), inputs=inputs).needs
    assert need.provider == "inputs"


# Each a defect that users have reported, or that the reported ones lead to.
@pytest.mark.parametrize(
    ("text", "cautions"),
    [
        pytest.param(manifests(TORCH, role("node", container(resources=GPU4)), job=trainer()), [], id="nothing to say"),
        pytest.param(
            manifests(
                TORCH,
                role("node", container(resources=GPU4)),
                job=trainer(resourcesPerNode={"requests": {"memory": "64Gi"}}),
            ),
            [
                (
                    'container "node" of "node" requests nvidia.com/gpu: 4, but 1 process is started on a node '
                    "(resourcesPerNode requests neither GPUs nor CPUs); set the GPUs in resourcesPerNode, or set "
                    "numProcPerNode",
                    "resourcesPerNode:",
                )
            ],
            id="only memory is raised: trainer#3974",
        ),
        pytest.param(
            manifests(TORCH, job=trainer(resourcesPerNode=asking(nvidia_com__mig_1g=2, cpu=8))).replace(
                "nvidia.com/mig.1g", "nvidia.com/mig-1g.5gb"
            ),
            [
                (
                    'container "node" of "node" requests nvidia.com/mig-1g.5gb: 2, which Trainer does not count: '
                    "8 processes are started on a node (resourcesPerNode requests cpu: 8 and no GPU); set "
                    "numProcPerNode",
                    "nvidia.com/mig-1g.5gb: 2",
                )
            ],
            id="MIG is not counted: sdk#204",
        ),
        pytest.param(
            manifests(
                TORCH, role("node", container(resources=asking(nvidia_com__gpu=1, nvidia_com__gpumem=9))), job=trainer()
            ),
            [
                (
                    'container "node" of "node" requests nvidia.com/gpu and nvidia.com/gpumem, and Trainer counts any '
                    "one of them; set numProcPerNode",
                    "nvidia.com/gpu: 1",
                )
            ],
            id="two names of GPUs",
        ),
        pytest.param(
            manifests(MPI, LAUNCHER, NODES, job=trainer(numProcPerNode=2)),
            [
                (
                    'container "node" of "node" requests nvidia.com/gpu: 4, but 2 processes are started on a node '
                    "(spec.trainer.numProcPerNode of the TrainJob is 2); set both to the same number",
                    "numProcPerNode: 2",
                )
            ],
            id="slots and GPUs: distributed-workloads#751",
        ),
        pytest.param(
            manifests(TORCH, role("node", container(env=[{"name": "PET_NNODES", "value": "9"}])), job=trainer()),
            [('the value "9" is overwritten: Trainer sets PET_NNODES; remove the entry', "value: '9'")],
            id="overwritten: trainer#3956",
        ),
        pytest.param(
            manifests(TORCH, role("node", container(env=[{"name": "PET_NNODES", "value": "2"}])), job=trainer()),
            [],
            id="overwritten by the same",
        ),
        pytest.param(
            manifests(TORCH, job={}),
            [
                (
                    "the TrainJob has no spec.trainer, so Trainer does not set PET_NPROC_PER_NODE; "
                    "add at least `trainer: {}`",
                    "spec:",
                )
            ],
            id="no spec.trainer",
        ),
        pytest.param(
            manifests(TORCH, job=trainer(), network={"subdomain": "net"}),
            [
                (
                    'PET_MASTER_ADDR has "j-node-0-0.j", which is not the name of a Pod: the names end in '
                    '".net", the subdomain',
                    "subdomain: net",
                )
            ],
            id="a subdomain that Trainer does not know of",
        ),
        pytest.param(
            manifests(MPI, LAUNCHER, role("node", step=""), job=trainer(), network={"enableDNSHostnames": False}),
            [
                (
                    'the hostfile has "j-node-0-0.j", which is not the name of a Pod: '
                    "network.enableDNSHostnames is false, so Pods have no DNS names",
                    "enableDNSHostnames: false",
                )
            ],
            id="no DNS",
        ),
        pytest.param(
            manifests(TORCH, role("worker"), job=trainer()),
            [
                (
                    'PET_MASTER_ADDR has "j-node-0-0.j", which is not the name of a Pod: the runtime has no such '
                    "replicatedJob, or its Jobs are not Indexed",
                    "name: r",
                )
            ],
            id="another name of the trainer",
        ),
        pytest.param(
            manifests({"jax": {}}, job=trainer(numProcPerNode=4)),
            [
                (
                    "numProcPerNode 4 is ignored: 1 process is started on a node (JAX starts one process per node); "
                    "remove it",
                    "numProcPerNode: 4",
                )
            ],
            id="numProcPerNode and JAX",
        ),
        pytest.param(
            manifests({"xgboost": {}}, role("node", container(resources=GPU4)), job=trainer(numProcPerNode=2)),
            [
                (
                    'numProcPerNode 2 is ignored: 4 processes are started on a node (container "node" requests '
                    "nvidia.com/gpu: 4); remove it",
                    "numProcPerNode: 2",
                )
            ],
            id="numProcPerNode and XGBoost",
        ),
        pytest.param(
            manifests({"numNodes": 2}, job=trainer(numProcPerNode=4)),
            [
                (
                    "numProcPerNode 4 is ignored: 1 process is started on a node (the runtime has no launcher: each "
                    "Pod runs its command once); remove it",
                    "numProcPerNode: 4",
                )
            ],
            id="numProcPerNode and no launcher",
        ),
        pytest.param(
            manifests(
                {"mpi": {"mpiImplementation": "OpenMPI", "runLauncherAsNode": True}},
                role("launcher", container(resources=GPU4), step="trainer"),
                NODES,
                job=trainer(numNodes=1),
            ),
            [("numNodes is 1, but 2 nodes take part; set 2, or use another runtime", "numNodes: 1")],
            id="a node besides the launcher: control-plane record",
        ),
    ],
)
def test_cautions(text: str, cautions: list[tuple[str, str]]) -> None:
    assert [(each.message, line_of(text, each.place)) for each in environment_of(text).cautions] == cautions


def test_the_completion_index_is_not_added_twice_nor_to_other_jobs() -> None:
    own = container(env=[{"name": "JOB_COMPLETION_INDEX", "value": "mine"}])
    other = role(
        "other",
        container("a"),
        step="",
        spec={"completionMode": "NonIndexed"},
        pod={"initContainers": [container("i")]},
    )
    node, rest = environment_of(manifests(None, role("node", own), other, job=trainer())).roles
    assert [(each.name, each.value, each.by) for each in node.containers[0].variables] == [
        ("JOB_COMPLETION_INDEX", "mine", "runtime")
    ]
    assert [each.variables for each in rest.containers] == [(), ()]
