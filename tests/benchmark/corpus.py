"""A repository of any size: seven runtimes as platform teams write them and TrainJobs over them, always the same.

One job in five carries a script of 100 lines; the mean job has about 79 lines and 2.2 KB.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_trainjob.repository.yaml.emit import Emitter

TEAMS = ("ads", "nlp", "ranking", "speech", "vision")
_API = "trainer.kubeflow.org/v1alpha1"
_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_OVERLAY = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources: [../../jobs/{team}]
namespace: team-{team}
labels:
- pairs: {{app.kubernetes.io/name: finetune}}
images:
- name: trainer
  newName: registry.example.com/{team}/trainer
"""
_OVERLAY_OF_ALL = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources:
"""


def runtimes() -> list[dict[str, Any]]:
    """torch, gang-scheduled torch, torch with initializers, MPI, JAX, XGBoost and plain."""
    torch = {"numNodes": 1, "torch": {}}
    mpi = {"mpiImplementation": "OpenMPI", "numProcPerNode": 8, "runLauncherAsNode": True}
    mpi["sshAuthMountPath"] = "/home/mpiuser/.ssh"
    gang = {"coscheduling": {"scheduleTimeoutSeconds": 120}}
    return [
        _runtime("torch-distributed", torch, [_trainer("torch")]),
        _runtime("torch-gang", torch, [_trainer("torch")], gang),
        _runtime("torch-finetune", torch, [_initializer("dataset"), _initializer("model"), _after_initializers()]),
        _runtime("deepspeed-distributed", {"numNodes": 1, "mpi": mpi}, [_ssh_node(), _launcher()]),
        _runtime("jax-distributed", {"numNodes": 1, "jax": {}}, [_trainer("jax")]),
        _runtime("xgboost-distributed", {"numNodes": 1, "xgboost": {}}, [_trainer("xgboost")]),
        _runtime("plain", {"numNodes": 1}, [_trainer("plain")]),
    ]


def train_job(number: int) -> dict[str, Any]:
    """One TrainJob; the same number gives the same job."""
    chance = random.Random(number)
    team, kind = TEAMS[number % len(TEAMS)], number % 7
    name = f"{team}-finetune-{number:05d}"
    job: dict[str, Any] = {"apiVersion": _API, "kind": "TrainJob"}
    job["metadata"] = {
        "name": name,
        "namespace": f"team-{team}",
        "labels": {
            "app.kubernetes.io/name": "finetune",
            "kueue.x-k8s.io/queue-name": f"{team}-queue",
            "example.com/owner": f"user{number % 97}",
        },
        "annotations": {"example.com/ticket": f"ML-{1000 + number}"},
    }
    job["spec"] = {"runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime"}}
    job["spec"]["runtimeRef"]["name"] = runtimes()[kind]["metadata"]["name"]
    if kind == 2:
        job["spec"]["initializer"] = {
            "dataset": {"storageUri": f"hf://example/corpus-{number % 11}"},
            "model": {"storageUri": "hf://example/llama-3-8b", "secretRef": {"name": "hf-token"}},
        }
    job["spec"]["trainer"] = _job_trainer(number, team, chance)
    job["spec"]["runtimePatches"] = [_patch("launcher" if kind == 3 else "node", number)]
    return job


def documents(count: int) -> Iterator[str]:
    """The runtimes, then `count` jobs, each as one YAML document."""
    emitter = Emitter()
    for body in runtimes():
        yield emitter.document(body)
    for number in range(count):
        yield emitter.document(train_job(number))


def write_files(folder: Path, count: int) -> None:
    """A repository as people keep it: a file a runtime, a file a job in its team's folder."""
    _write_runtimes(folder)
    emitter = Emitter()
    for number in range(count):
        write(_job_file(folder, number), emitter.document(train_job(number)))


def write_overlays(folder: Path, count: int) -> Path:
    """The same objects by way of overlays; returns the overlay of all teams.

    A team's overlay knows its namespace, a label and where its images come from; its jobs leave that out.
    """
    _write_runtimes(folder)
    write(folder / "trainjob.yaml", "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n")
    emitter = Emitter()
    for number in range(count):
        job = train_job(number)
        del job["metadata"]["namespace"], job["metadata"]["labels"]["app.kubernetes.io/name"]
        job["spec"]["trainer"]["image"] = job["spec"]["trainer"]["image"].rpartition("/")[2]
        write(_job_file(folder, number), emitter.document(job))
    teams = TEAMS[:count]
    for team in teams:
        write(folder / "overlays" / team / "overlay.yaml", _OVERLAY.format(team=team))
    everything = _OVERLAY_OF_ALL + "".join(f"- ../{team}\n" for team in teams)
    write(folder / "overlays" / "all" / "overlay.yaml", everything)
    return folder / "overlays" / "all"


def write_stream(file: Path, count: int) -> None:
    """The same in one file."""
    write(file, "---\n".join(documents(count)))


def by_job(built: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """What was made of each job, by the job's number, sorted by kind; names begin with the job's."""
    jobs: dict[int, list[dict[str, Any]]] = {}
    for body in sorted(built, key=lambda body: body["kind"]):
        jobs.setdefault(int(body["metadata"]["name"].split("-")[2]), []).append(body)
    return [jobs[number] for number in range(len(jobs))]


def runtime_of(number: int) -> str:
    """The name of the runtime that a job refers to."""
    name: str = train_job(number)["spec"]["runtimeRef"]["name"]
    return name


def write(file: Path, text: str) -> None:
    """Write a file and make its folders."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _write_runtimes(folder: Path) -> None:
    emitter = Emitter()
    for body in runtimes():
        write(folder / "runtimes" / f"{body['metadata']['name']}.yaml", emitter.document(body))


def _job_file(folder: Path, number: int) -> Path:
    return folder / "jobs" / TEAMS[number % len(TEAMS)] / f"{train_job(number)['metadata']['name']}.yaml"


def _runtime(name: str, ml: dict[str, Any], jobs: list[Any], gang: dict[str, Any] | None = None) -> dict[str, Any]:
    spec: dict[str, Any] = {"mlPolicy": ml}
    if gang:
        spec["podGroupPolicy"] = gang
    spec["template"] = {
        "spec": {
            "network": {"publishNotReadyAddresses": True},
            "successPolicy": {"operator": "All", "targetReplicatedJobs": [jobs[-1]["name"]]},
            "failurePolicy": {"maxRestarts": 3},
            "replicatedJobs": jobs,
        }
    }
    labels = {"trainer.kubeflow.org/framework": name.split("-", maxsplit=1)[0]}
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": _API, "kind": "ClusterTrainingRuntime", "metadata": metadata, "spec": spec}


def _replicated_job(name: str, step: str | None, pod: dict[str, Any], **more: Any) -> dict[str, Any]:
    template: dict[str, Any] = {"metadata": {"labels": {_STEP: step}}} if step else {}
    template["spec"] = {"backoffLimit": 0, "template": {"spec": pod}}
    return {"name": name, **more, "template": template}


def _trainer(framework: str, **more: Any) -> dict[str, Any]:
    pod = {
        "serviceAccountName": "trainer",
        "terminationGracePeriodSeconds": 120,
        "securityContext": {"fsGroup": 1000},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "ScheduleAnyway"},
        ],
        "initContainers": [
            {
                "name": "warm",
                "image": "busybox:1.36",
                "command": ["sh", "-c", "ls /data"],
                "volumeMounts": [{"name": "data", "mountPath": "/data", "readOnly": True}],
            }
        ],
        "containers": [
            {
                "name": "node",
                "image": f"registry.example.com/base/{framework}:2.13.0-cuda13.0",
                "command": ["python", "train.py"],
                "env": [
                    {"name": "NCCL_SOCKET_IFNAME", "value": "eth0"},
                    {"name": "NCCL_DEBUG", "value": "WARN"},
                    {"name": "OMP_NUM_THREADS", "value": "8"},
                ],
                "ports": [{"name": "rdzv", "containerPort": 29400}],
                "securityContext": {"runAsUser": 1000, "capabilities": {"add": ["IPC_LOCK"]}},
                "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}, {"name": "data", "mountPath": "/data"}],
            }
        ],
        "volumes": [
            {"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}},
            {"name": "data", "persistentVolumeClaim": {"claimName": f"data-{framework}"}},
        ],
    }
    return _replicated_job("node", "trainer", pod, **more)


def _initializer(what: str) -> dict[str, Any]:
    mounts = [{"name": "initializer", "mountPath": "/workspace"}]
    container = {
        "name": f"{what}-initializer",
        "image": f"registry.example.com/base/{what}:2.3",
        "volumeMounts": mounts,
    }
    volume = {"name": "initializer", "persistentVolumeClaim": {"claimName": "workspace"}}
    return _replicated_job(
        f"{what}-initializer", f"{what}-initializer", {"containers": [container], "volumes": [volume]}
    )


def _after_initializers() -> dict[str, Any]:
    names = ("dataset-initializer", "model-initializer")
    return _trainer("torch", dependsOn=[{"name": name, "status": "Complete"} for name in names])


def _ssh_node() -> dict[str, Any]:
    container = {
        "name": "node",
        "image": "registry.example.com/base/deepspeed:0.18",
        "command": ["/usr/sbin/sshd"],
        "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
        "securityContext": {"runAsUser": 1000},
        "readinessProbe": {"tcpSocket": {"port": 2222}, "initialDelaySeconds": 5},
    }
    return _replicated_job("node", None, {"securityContext": {"fsGroup": 1000}, "containers": [container]})


def _launcher() -> dict[str, Any]:
    container = {
        "name": "node",
        "image": "registry.example.com/base/deepspeed:0.18",
        "securityContext": {"runAsUser": 1000},
        "env": [{"name": "NCCL_DEBUG", "value": "WARN"}],
    }
    pod = {"securityContext": {"fsGroup": 1000}, "containers": [container]}
    return _replicated_job("launcher", "trainer", pod, dependsOn=[{"name": "node", "status": "Ready"}])


def _job_trainer(number: int, team: str, chance: random.Random) -> dict[str, Any]:
    rate = chance.choice(["1e-5", "3e-4", "5e-5"])
    trainer: dict[str, Any] = {"image": f"registry.example.com/{team}/trainer:v{number % 13}.{number % 7}"}
    if number % 5 == 0:
        trainer |= {"command": ["bash", "-c"], "args": [_script(number)]}
    else:
        trainer["command"] = ["python", "-m", "train"]
        trainer["args"] = ["--model=llama-3-8b", f"--lr={rate}", f"--seed={number}", "--bf16=true"]
    trainer["numNodes"] = chance.choice([1, 2, 4, 8])
    trainer["numProcPerNode"] = 8
    trainer["env"] = [
        {"name": "NCCL_DEBUG", "value": "INFO"},
        {"name": "WANDB_PROJECT", "value": f"{team}-llm"},
        {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}},
    ]
    gpus = {"nvidia.com/gpu": 8}
    trainer["resourcesPerNode"] = {"requests": {"cpu": "96", "memory": "1000Gi", **gpus}, "limits": gpus}
    return trainer


def _patch(target: str, number: int) -> dict[str, Any]:
    pod = {"spec": {"nodeSelector": {"example.com/accelerator": f"h200-{number % 3}"}}}
    job = {"name": target, "template": {"spec": {"template": pod}}}
    spec = {"template": {"spec": {"replicatedJobs": [job]}}}
    return {"manager": "example.com/platform", "trainingRuntimeSpec": spec}


def _script(number: int) -> str:
    lines = ["set -euo pipefail", f'export RUN_ID="run-{number}"']
    for shard in range(1, 21):
        lines += [
            f"# stage {shard}: shard {shard} of the corpus",
            f'if [[ ! -f "/data/shard-{shard:04d}.idx" ]]; then',
            f'  echo "fetch shard {shard}: $(date -u +%FT%TZ)" >&2',
            f'  python -m tools.fetch --shard={shard} --out="/data/shard-{shard:04d}" || exit 1',
            "fi",
        ]
    return "\n".join(lines[:100]) + "\n"
