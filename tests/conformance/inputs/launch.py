"""Topics of how a job is launched: MPI, Flux, torch, and how many nodes of what."""

from __future__ import annotations

import random

from tests.conformance.inputs.containers import asked, gang, policy
from tests.conformance.inputs.shapes import Body, Topic, container, replicated, runtime, some, trainjob


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


TOPICS = (
    Topic("mpi", 16, mpi),
    Topic("flux", 10, flux),
    Topic("counts", 12, counts),
    Topic("torch", 12, torch),
)
