"""Inputs in the shape of one release: its overrides, its words for processes, its policies, all mixed."""

from __future__ import annotations

import random
from typing import Any

from tests.conformance.inputs.shapes import (
    Body,
    Topic,
    container,
    job_patch,
    patch,
    replicated,
    runtime,
    some,
    trainjob,
)

_RESOURCES = ["cpu", "memory", "nvidia.com/gpu", "example.com/fpga"]
_AMOUNTS: dict[str, list[Any]] = {
    "cpu": ["500m", 2, "1.5", "4", 0],
    "memory": ["1Gi", "1.5Gi", "500M", "0"],
    "nvidia.com/gpu": [1, 2, "1", 4, "0"],
    "example.com/fpga": [1, "2"],
}
_RESERVED = ["PET_NNODES", "OMPI_MCA_plm_rsh_args", "DMLC_TASK_ID"]
_MODELS = ["llama3.2-1b", "llama3.2-3b", "llama3.2-7b", "llama3.3-70b", "qwen2.5-1.5b", "gemma2-9b"]
_TUNE_ARGS = [
    "epochs=2",
    "model.lora_attn_modules=[q]",
    "model.quantize_base=True",
    "model.quantize_base=False",
    "model.use_dora=True",
    "model.use_dora=False",
    "output_dir=/x",
]
_TUNE = ["tune", "run", "output_dir=/w", "tokenizer.merges_file=/m", "checkpointer.checkpoint_dir=/c"]
_QUEUE = "scheduling.volcano.sh/queue-name"


def _may(rng: random.Random, chance: float = 0.5) -> bool:
    return rng.random() < chance


def _resources(rng: random.Random) -> Body:
    return {
        field: {name: rng.choice(_AMOUNTS[name]) for name in some(rng, _RESOURCES)}
        for field in some(rng, ["limits", "requests"])
    }


def _env(rng: random.Random, *more: str) -> list[Body]:
    sources: list[Body] = [
        {"value": "x"},
        {"value": ""},
        {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"valueFrom": {"configMapKeyRef": {"name": "cm", "key": "k", "optional": True}}},
    ]
    return [{"name": name, **rng.choice(sources)} for name in some(rng, ["A", "B", "LOG", *more], most=3)]


def _container(rng: random.Random, name: str) -> Body:
    fields: Body = {
        "command": rng.choice([["python", "train.py"], _TUNE, ["bash", "-c", "echo"]]),
        "args": ["--x"],
        "env": _env(rng, *_RESERVED, "FLUX_VIEW_IMAGE"),
        "ports": rng.choice([[{"containerPort": 8080, "name": "http"}], [{"containerPort": 9400}]]),
        "resources": _resources(rng),
        "volumeMounts": [{"name": "data", "mountPath": rng.choice(["/w", "/root/.ssh", "/etc/mpi"])}],
    }
    return container(name, **{field: fields[field] for field in some(rng, list(fields))})


def _pod(rng: random.Random) -> Body:
    fields: Body = {
        "initContainers": [_container(rng, "setup"), {**_container(rng, "side"), "restartPolicy": "Always"}],
        "volumes": [{"name": "data", "emptyDir": {}}, {"name": "mpi-ssh-auth", "emptyDir": {}}],
        "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "imagePullSecrets": [{"name": "reg"}],
        "priorityClassName": rng.choice(["high", "system-node-critical"]),
        "schedulingGates": [{"name": "g"}],
        "resources": {"requests": {"cpu": "8", "hugepages-2Mi": "4Mi"}},
        "overhead": {"cpu": "250m"},
    }
    return {field: fields[field] for field in some(rng, list(fields), most=3)}


def _job(rng: random.Random, name: str, step: str | None, *containers: str) -> Body:
    fields: Body = {
        "replicas": 2 if _may(rng, 0.2) else 1,
        "job": {"parallelism": rng.randint(1, 3)},
        "pod_metadata": {"labels": {"l": "1"}, "annotations": {"an": "22"}},
        "job_metadata": {"annotations": {"x": "why"}},
    }
    kept = {field: fields[field] for field in some(rng, list(fields), most=2)}
    return replicated(name, *(_container(rng, each) for each in containers), step=step, pod=_pod(rng), **kept)


def _jobs(rng: random.Random, kind: str) -> list[Body]:
    names = [name for name in ("dataset-initializer", "model-initializer") if _may(rng, 0.25)]
    jobs = [_job(rng, name, name, name) for name in names]
    if kind == "mpi":
        main = rng.choice(["node", "node", "launcher"])
        jobs += [_job(rng, "node", rng.choice([None, "trainer"]), "node"), _job(rng, "launcher", "trainer", main)]
        return jobs if _may(rng, 0.8) else jobs[:-1]
    jobs.append(_job(rng, rng.choice(["node", "node", "worker"]), "trainer", *["node", "side"][: rng.randint(1, 2)]))
    if _may(rng, 0.1):
        jobs.append(_job(rng, "second", "trainer", "node"))
    return jobs if _may(rng, 0.9) else [_job(rng, "ps", None, "main")]


def _policy(rng: random.Random, version: str, kind: str) -> Body | None:
    nodes = {"numNodes": rng.randint(1, 3)} if _may(rng, 0.4) else {}
    if kind == "none":
        return nodes or None
    settings: Body = {}
    if kind == "torch" and version < "2.2":
        word = {"numProcPerNode": rng.choice(["auto", "cpu", "gpu", 1, 2, 4, "4"])}
        settings = rng.choice([{}, word, word, {"elasticPolicy": {"minNodes": 1, "maxNodes": 2}}])
    elif kind == "mpi":
        fields = {"numProcPerNode": 8, "runLauncherAsNode": _may(rng), "sshAuthMountPath": "/home/mpi/.ssh"}
        settings = {field: fields[field] for field in some(rng, list(fields))}
    elif kind == "flux":
        settings = rng.choice([{}, {"numProcPerNode": 2}])
    return {**nodes, kind: settings}


def _gang(rng: random.Random, version: str) -> Body | None:
    gangs: list[Body | None] = [
        None,
        None,
        None,
        {"coscheduling": {}},
        {"coscheduling": {"scheduleTimeoutSeconds": 30}},
    ]
    if version > "2.0":
        gangs += [{"volcano": {}}, {"volcano": {"networkTopology": {"mode": "soft", "highestTierAllowed": 2}}}]
    return rng.choice(gangs)


def _runtime(rng: random.Random, version: str, kind: str) -> Body:
    fields: Body = {
        "metadata": {"labels": {"team": "a", "x": "rt"}, "annotations": {_QUEUE: rng.choice(["q", "q", ""])}},
        "network": {"subdomain": "sub"},
        "gang": _gang(rng, version),
    }
    kept = {field: fields[field] for field in some(rng, list(fields))}
    return runtime(_policy(rng, version, kind), *_jobs(rng, kind), **kept)


def _pod_override(rng: random.Random, version: str, names: list[str]) -> Body:
    mounts = [{"name": "data", "mountPath": "/data"}, {"name": "w2", "mountPath": "/w"}]
    env = [{"name": "OV", "value": "1"}] if _may(rng, 0.3) else []
    fields: Body = {
        "serviceAccountName": "over",
        "nodeSelector": {"pool": "b", "zone": "z"},
        "tolerations": rng.choice([[{"key": "b"}], []]),
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}, {"name": "w2", "emptyDir": {}}],
        "containers": [{"name": rng.choice([*names, "new"]), "volumeMounts": some(rng, mounts), "env": env}],
        "initContainers": [{"name": rng.choice(["setup", "new-init"])}],
        "schedulingGates": [{"name": "kueue"}],
    }
    if version > "2.0":
        fields["imagePullSecrets"] = [{"name": "reg2"}]
        fields["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
    return {field: fields[field] for field in some(rng, list(fields))}


def _override(rng: random.Random, version: str, jobs: list[Body], number: int) -> Body:
    job = rng.choice(jobs)
    name = job["name"] if _may(rng, 0.95) else "missing"
    names = [each["name"] for each in job["template"]["spec"]["template"]["spec"]["containers"]]
    pod = _pod_override(rng, version, names)
    metadata = rng.choice([{}, {"labels": {"o": "1", "l": "over"}, "annotations": {"oa": "1"}}])
    if version > "2.1":
        levels = dict.fromkeys(some(rng, ["pod_metadata", "job_metadata"]), metadata)
        of_jobset = rng.choice([None, {"labels": {"x": "patch"}, "annotations": {_QUEUE: "pq"}}])
        return patch(job_patch(name, pod, **levels), manager=f"acme.io/m{number}", metadata=of_jobset)
    targets = [{"name": each} for each in {name, rng.choice([name, jobs[0]["name"]])}]
    targets.sort(key=lambda target: target["name"])
    if version > "2.0":
        return {"targetJobs": targets, "metadata": metadata, **rng.choice([{}, {"spec": pod}, {"spec": pod}])}
    return {"targetJobs": targets, **pod}


def _trainer(rng: random.Random, version: str, *, tune: bool) -> Body:
    processes: list[Any] = [1, 2, 4, 0]
    fields: Body = {
        "image": "acme/mine:3",
        "command": ["torchrun", "x.py"],
        "args": rng.choice([["--a"], []]),
        "env": _env(rng, *(_RESERVED if _may(rng, 0.2) else ())),
        "numNodes": rng.choice([1, 1, 2, 3]),
        "resourcesPerNode": _resources(rng),
        "numProcPerNode": rng.choice(processes + ["auto", "cpu", "gpu", "many"] * (version < "2.2")),
    }
    kept = {field: fields[field] for field in some(rng, list(fields))}
    return {**kept, "command": ["tune", "run"], "args": some(rng, _TUNE_ARGS, most=3)} if tune else kept


def _initializer(rng: random.Random, jobs: list[Body]) -> Body:
    settings: Body = {"storageUri": "hf://a/b", "env": [{"name": "I", "value": "1"}], "secretRef": {"name": "s"}}
    names = {job["name"].removesuffix("-initializer") for job in jobs} if _may(rng, 0.9) else {"dataset"}
    wanted = [name for name in ("dataset", "model") if name in names]
    return {name: {field: settings[field] for field in some(rng, list(settings))} for name in wanted}


def _make(rng: random.Random, version: str) -> list[Body]:
    kinds = ["none", "torch", "torch", "torch", "mpi", "mpi", *(["jax", "xgboost", "flux"] if version > "2.1" else [])]
    kind = rng.choice(kinds)
    tune = kind == "torch" and _may(rng, 0.3)
    of_runtime = _runtime(rng, version, kind)
    jobs = of_runtime["spec"]["template"]["spec"]["replicatedJobs"]
    override = {"2.0": "podSpecOverrides", "2.1": "podTemplateOverrides"}.get(version, "runtimePatches")
    fields: Body = {
        override: [_override(rng, version, jobs, number) for number in range(rng.randint(1, 2))],
        "initializer": _initializer(rng, jobs),
        "suspend": _may(rng),
        "managedBy": rng.choice(["trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue"]),
        "metadata": {"labels": {"kueue.x-k8s.io/queue-name": "lq"}},
    }
    if version < "2.2":
        fields |= {"labels": {"x": "job", "jl": "1"}, "annotations": {_QUEUE: rng.choice(["jq", "jq", ""])}}
    trainer = _trainer(rng, version, tune=tune) if tune or _may(rng, 0.85) else None
    made = trainjob(trainer, **{field: fields[field] for field in some(rng, list(fields), most=3)})
    if tune:
        name = f"torchtune-{rng.choice(_MODELS)}"
        of_runtime["metadata"]["name"] = made["spec"]["runtimeRef"]["name"] = name
    return [of_runtime, made]


def topics(version: str, count: int) -> tuple[Topic, ...]:
    """One topic of `count` inputs for a Trainer version."""
    return (Topic(f"trainer-{version}", count, lambda rng: _make(rng, version)),)
