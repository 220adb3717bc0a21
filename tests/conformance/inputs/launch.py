"""Topics of how a job is launched: MPI, Flux, torch, and how many nodes of what."""

from __future__ import annotations

import random

from tests.conformance.inputs.containers import asked, gang, policy
from tests.conformance.inputs.shapes import (
    Body,
    Topic,
    container,
    initializers,
    job_patch,
    patch,
    replicated,
    runtime,
    some,
    trainjob,
)


def mpi(rng: random.Random) -> list[Body]:
    as_node = rng.random() < 0.5
    settings: Body = {}
    for key, value in (
        ("numProcPerNode", rng.choice([1, 4])),
        ("mpiImplementation", "OpenMPI"),
        ("sshAuthMountPath", "/root/.ssh"),
    ):
        if rng.random() < 0.5:
            settings[key] = value
    if as_node or rng.random() < 0.3:
        settings["runLauncherAsNode"] = as_node
    launched = container(
        "node" if as_node else "launcher", resources=asked(rng), env=[{"name": "OMPI_MCA_x", "value": "1"}]
    )
    launcher = replicated("launcher", launched, step="trainer" if as_node or rng.random() < 0.5 else None)
    worker = container(resources={"limits": {"nvidia.com/gpu": rng.choice([1, "8"])}} if rng.random() < 0.5 else {})
    node = replicated("node", worker, step=None if as_node else rng.choice(["trainer", None]))
    extra = {"gang": gang(rng)} if rng.random() < 0.4 else {}
    if rng.random() < 0.4:
        extra["network"] = {"subdomain": "nodes"}
    trainer = {"numNodes": rng.randint(1, 4), **({"numProcPerNode": 2} if rng.random() < 0.4 else {})}
    if rng.random() < 0.3:
        trainer["resourcesPerNode"] = {"limits": {"nvidia.com/gpu": 2}}
    return [runtime({"numNodes": rng.randint(1, 3), "mpi": settings}, launcher, node, **extra), trainjob(trainer)]


def flux(rng: random.Random) -> list[Body]:
    pod: Body = {
        "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
        "initContainers": [container("mine", "acme/i:1")],
    }
    node = replicated("node", container(command=["sleep"], args=["1"]), pod=pod if rng.random() < 0.5 else {})
    settings: Body = {"numNodes": rng.randint(1, 3), "flux": rng.choice([{}, {"numProcPerNode": 2}])}
    env_ = [{"name": "FLUX_VIEW_IMAGE", "value": "acme/view:1"}, {"name": "FLUX_INTERACTIVE", "value": "true"}]
    trainer: Body = {"env": some(rng, env_), "command": ["python", "train.py", "--x=a b"]}
    for key, value in (
        ("numNodes", rng.choice([1, 2, 12])),
        ("numProcPerNode", 3),
        ("resourcesPerNode", {"limits": {"cpu": 4}}),
    ):
        if rng.random() < 0.5:
            trainer[key] = value
    extra: Body = {"gang": gang(rng)} if rng.random() < 0.3 else {}
    return [runtime(settings, node, **extra), trainjob(trainer, name=rng.choice(["job", "a-1"]))]


def torch(rng: random.Random) -> list[Body]:
    targets = [{"jobName": "side", "containerNames": ["side"]}, {"jobName": "node", "containerNames": ["node", "log"]}]
    injection: Body = {"envInjection": {"targets": some(rng, targets, 1)}} if rng.random() < 0.6 else {}
    limits = rng.choice([{"cpu": "3500m"}, {"nvidia.com/gpu": 2}, {"cpu": 2, "amd.com/gpu": "4"}, {"memory": "1Gi"}])
    kept = {"env": [{"name": "PET_NNODES", "value": "mine"}, {"name": "K", "value": "1"}]} if rng.random() < 0.3 else {}
    node = replicated(
        "node", container(resources={rng.choice(["limits", "requests"]): limits}, **kept), container("log")
    )
    trainer: Body = {}
    for key, value in (
        ("numNodes", rng.randint(1, 3)),
        ("numProcPerNode", rng.randint(1, 9)),
        ("resourcesPerNode", {"requests": limits}),
    ):
        if rng.random() < 0.5:
            trainer[key] = value
    return [runtime({"torch": injection, "numNodes": 2}, replicated("side", step=None), node), trainjob(trainer)]


def counts(rng: random.Random) -> list[Body]:
    """Parallelism, completions and replicas of several jobs; several trainers."""
    side = replicated(
        "side",
        container("side", resources=asked(rng)),
        step=rng.choice([None, "trainer", "other"]),
        replicas=rng.choice([1, 2, 3]),
        job={"parallelism": rng.choice([1, 2]), "completions": rng.choice([1, 2, 4])},
    )
    node = replicated(
        job={"parallelism": 3, "completionMode": rng.choice(["Indexed", "NonIndexed"])},
        groupName=rng.choice(["g", "default"]),
    )
    again = replicated(
        "node-2", container("node"), container("other"), step="trainer", dependsOn=[{"name": "node", "status": "Ready"}]
    )
    settings = rng.choice([policy(rng), None, {}])
    trainer = {"numNodes": rng.randint(1, 4)} if rng.random() < 0.7 else None
    jobs = [side, node, again][: rng.randint(2, 3)]
    return [runtime(settings, *jobs, gang=gang(rng)), trainjob(trainer)]


_MODELS = ("llama3.2-1b", "llama3.2-3b", "llama3.3-70b", "qwen2.5-1.5b", "llama3.2-1B", "gpt-2-big", "llama3.2")
_TUNE_ARGS = (
    "model.lora_attn_modules=[q_proj,v_proj]",
    "model.quantize_base=True",
    "model.quantize_base=False",
    "model.use_dora= true",
    "model.use_dora=False",
    "model.quantize_base",
    "batch_size=8",
    "output_dir=/x",
    "dataset.source=parquet",
)


def torchtune(rng: random.Random) -> list[Body]:
    name = f"torchtune-{rng.choice(_MODELS)}"
    command = ["tune", "run", "output_dir=/w/out", "tokenizer.path=/w/t", "tokenizer.merges_file=/w/m", "x=y"]
    limits = rng.choice([{"nvidia.com/gpu": 1}, {"nvidia.com/gpu": "2"}, {"cpu": 4}])
    present: list[Body] = [
        *initializers()[: rng.randint(0, 2)],
        replicated("node", container(command=command[: rng.randint(2, 6)], resources={"limits": limits})),
    ]
    trainer: Body = {"args": some(rng, list(_TUNE_ARGS), 0, 3)}
    if rng.random() < 0.8:
        trainer["command"] = rng.choice([["tune", "run"], ["tune", "run"], ["tune", "run"], ["tune"], ["python"]])
    for key, value in (("numNodes", rng.choice([1, 2])), ("numProcPerNode", rng.randint(1, 2))):
        if rng.random() < 0.4:
            trainer[key] = value
    if rng.random() < 0.4:
        trainer["resourcesPerNode"] = {rng.choice(["limits", "requests"]): {"nvidia.com/gpu": rng.choice([1, 4])}}
    dataset = {"initializer": {"dataset": {"storageUri": "hf://org/set/split"}}} if rng.random() < 0.4 else {}
    made = runtime({"numNodes": rng.choice([1, 1, 2]), "torch": {}}, *present)
    job = trainjob(trainer, **dataset)
    made["metadata"]["name"] = job["spec"]["runtimeRef"]["name"] = name
    return [made, job]


_RESERVED = (
    "PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT", "DMLC_NUM_WORKER",
    "DMLC_TASK_ID", "DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID",
    "JAX_COORDINATOR_ADDRESS", "OMPI_MCA_orte_default_hostfile", "FLUX_VIEW_IMAGE", "DMLC_ROLE", "PET_RDZV_BACKEND",
)  # fmt: skip


def reserved(rng: random.Random) -> list[Body]:
    """Env that a policy keeps to itself, from the runtime, the TrainJob or a patch."""
    env = [{"name": name, "value": "mine"} for name in rng.sample(_RESERVED, 3)]
    source = rng.choice([{"torch": {}}, {"jax": {}}, {"xgboost": {}}, {"mpi": {}}, {"flux": {}}, {}])
    node = replicated("node", container(env=env if rng.random() < 0.5 else []))
    extra = {"name": "node", "env": env}
    patched = {"runtimePatches": [patch(job_patch("node", {"containers": [extra]}))]} if rng.random() < 0.3 else {}
    return [runtime({"numNodes": 2, **source}, node), trainjob({"env": env} if rng.random() < 0.4 else None, **patched)]


def gangs(rng: random.Random) -> list[Body]:
    """What a PodGroup takes from annotations, priority classes and every job's size."""
    notes = {"scheduling.volcano.sh/queue-name": "q1", "scheduling.k8s.io/group-name": "mine", "other": "1"}
    inherited = {
        "annotations": dict(some(rng, list(notes.items()))),
        "labels": {"scheduling.x-k8s.io/pod-group": "mine"},
    }
    pod = {"priorityClassName": rng.choice(["high", "batch-low", ""]), "schedulerName": rng.choice(["volcano", ""])}
    jobs = [
        replicated(
            "first", container("a", resources=asked(rng)), step=None, pod=pod, job={"parallelism": rng.randint(0, 2)}
        ),
        *initializers()[: rng.randint(0, 2)],
        replicated("node", container(resources=asked(rng)), pod=pod if rng.random() < 0.5 else {}),
    ]
    rng.shuffle(jobs)
    trainer = {"numNodes": rng.randint(1, 3), **({"resourcesPerNode": asked(rng)} if rng.random() < 0.5 else {})}
    own: Body = {"metadata": inherited} if rng.random() < 0.7 else {}
    return [runtime(policy(rng), *jobs, gang=gang(rng), **own), trainjob(trainer)]


def names(rng: random.Random) -> list[Body]:
    """Names whose sum meets the limits of what is made of them."""
    job, replica = "j" * rng.choice([1, 40, 52, 55, 57, 60, 63, 64]), rng.choice(["node", "n" * 10, "a-1"])
    node = replicated(replica, container("node"), step="trainer")
    source = rng.choice([{"torch": {}}, {"jax": {}}, {"mpi": {}}, {"flux": {}}, {"xgboost": {}}, {}])
    extra: Body = {"gang": gang(rng)} if rng.random() < 0.3 else {}
    if rng.random() < 0.3:
        extra["network"] = {"subdomain": rng.choice(["s" * 63, "s" * 64, "s.t", "1s"])}
    size = {"numNodes": rng.choice([1, 11, 1001])}
    return [runtime({"numNodes": 1, **source}, node, **extra), trainjob(size, name=job)]


TOPICS = (
    Topic("mpi", 16, mpi),
    Topic("flux", 10, flux),
    Topic("counts", 12, counts),
    Topic("torch", 12, torch),
    Topic("torchtune", 24, torchtune),
    Topic("reserved", 16, reserved),
    Topic("gang", 14, gangs),
    Topic("names", 20, names),
)
