"""The variables that an operator adds to the containers of a role, with the addresses of the new Pods.

Mirrors `setPodEnv` in kubeflow/training-operator `pkg/controller.v1/{pytorch,xgboost,jax,paddlepaddle}` and
`SetClusterSpec` in `…/tensorflow` (1.9.3). A variable comes after those of the user, and wins over one of its name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.operators import JAX, PADDLE, PYTORCH, TENSORFLOW, XGBOOST, JobRole, LegacyJob
from kubectl_trainjob.model.stages import Body

JOBSET_NAME = "JOBSET_NAME"
"""The variable with the name of the JobSet, which is that of the TrainJob: addresses refer to it."""

TASK_INDEX = "TASK_INDEX"
HELPERS = (JOBSET_NAME, TASK_INDEX)
UNBUFFERED = "PYTHONUNBUFFERED"
LAUNCH_IP = "POD_IP_DUMMY"
"""The variable of PaddleJobs with the IP of the first Pod."""


class AddedVariable(NamedTuple):
    """A variable: a text, or the field of the Pod that has its value. `is_counted` depends on the number of Pods."""

    name: str
    value: str = ""
    field: str = ""
    is_counted: bool = False

    @property
    def entry(self) -> dict[str, Any]:
        """The item of `env`."""
        if self.field:
            return {"name": self.name, "valueFrom": {"fieldRef": {"fieldPath": self.field}}}
        return {"name": self.name, "value": self.value}


class Layout(NamedTuple):
    """Where the Pods of a job are: `host` gives the address of a role's Pod by its index or, for TFJob, by a text.

    `rank_field` has the number of a Pod over all roles. `index_field` has its number inside the role, "" for none.
    """

    host: Callable[[str, int | str], str]
    rank_field: str
    index_field: str


JOBSET_NAME_VARIABLE = AddedVariable(JOBSET_NAME, field="metadata.labels['jobset.sigs.k8s.io/jobset-name']")


def variables(job: LegacyJob, role: JobRole, layout: Layout) -> list[AddedVariable]:
    """The variables of a role's containers, in the operator's order."""
    make = _MAKERS.get(job.operator.kind)
    return list(make(job, role, layout)) if make else []


def helpers(used: list[AddedVariable], layout: Layout) -> list[AddedVariable]:
    """The variables that others refer to."""
    texts = "".join(variable.value for variable in used)
    found = [JOBSET_NAME_VARIABLE] if f"$({JOBSET_NAME})" in texts else []
    return [*found, AddedVariable(TASK_INDEX, field=layout.index_field)] if f"$({TASK_INDEX})" in texts else found


def _pytorch(job: LegacyJob, _role: JobRole, layout: Layout) -> Iterator[AddedVariable]:
    yield AddedVariable(UNBUFFERED, "1")
    master = job.role("Master")
    if master is not None:
        for name, value in (("ADDR", layout.host("master", 0)), ("PORT", str(job.port(master)))):
            yield AddedVariable(f"MASTER_{name}", value)
            yield AddedVariable(f"PET_MASTER_{name}", value)
        yield AddedVariable("WORLD_SIZE", str(job.pods * _processes(job.spec)), is_counted=True)
        yield AddedVariable("RANK", field=layout.rank_field)
        yield AddedVariable("PET_NODE_RANK", field=layout.rank_field)
    elastic = job.spec.get("elasticPolicy")
    if elastic is None or "nProcPerNode" not in elastic:
        yield AddedVariable("PET_NPROC_PER_NODE", processes_per_node(job.spec))
    if elastic is None:
        yield AddedVariable("PET_NNODES", str(job.pods), is_counted=True)
    else:
        yield from _elastic(job, elastic, layout)


def processes_per_node(spec: Body) -> str:
    """The text of PET_NPROC_PER_NODE."""
    elastic = spec.get("elasticPolicy") or {}
    return str(elastic.get("nProcPerNode") or spec.get("nprocPerNode") or "auto")


def _processes(spec: Body) -> int:
    text = spec.get("nprocPerNode") or ""
    return int(text) if text.lstrip("+-").isdecimal() else 1


def _elastic(job: LegacyJob, policy: Body, layout: Layout) -> Iterator[AddedVariable]:
    """Mirrors `…/pytorch/elastic.go`."""
    worker = job.role("Worker")
    assert worker is not None, "the webhook requires it"
    host = policy.get("rdzvHost") or layout.host("worker", 0)
    yield AddedVariable("PET_RDZV_ENDPOINT", f"{host}:{policy.get('rdzvPort') or job.port(worker)}")
    yield AddedVariable("PET_RDZV_BACKEND", policy.get("rdzvBackend") or "c10d")
    least, most = policy.get("minReplicas"), policy.get("maxReplicas")
    default = worker.count if least is None and most is None else None
    least, most = (next(n for n in pair if n is not None) for pair in ((least, most, default), (most, least, default)))
    yield AddedVariable("PET_NNODES", f"{least}:{most}")
    for name, field in (("MAX_RESTARTS", "maxRestarts"), ("NPROC_PER_NODE", "nProcPerNode"), ("RDZV_ID", "rdzvId")):
        if field in policy:
            yield AddedVariable(f"PET_{name}", str(policy[field]))
    if policy.get("rdzvConf"):
        pairs = (f"{each.get('key', '')}={each.get('value', '')}" for each in policy["rdzvConf"])
        yield AddedVariable("PET_RDZV_CONF", ",".join(pairs))
    if policy.get("standalone"):
        yield AddedVariable("PET_STANDALONE", "")


def _xgboost(job: LegacyJob, _role: JobRole, layout: Layout) -> Iterator[AddedVariable]:
    master, worker = job.role("Master"), job.role("Worker")
    assert master is not None, "the webhook requires it"
    yield AddedVariable("MASTER_PORT", str(job.port(master)))
    yield AddedVariable("MASTER_ADDR", layout.host("master", 0))
    yield AddedVariable("WORLD_SIZE", str(job.pods), is_counted=True)
    yield AddedVariable("RANK", field=layout.rank_field)
    yield AddedVariable(UNBUFFERED, "1")
    if worker is not None:
        yield AddedVariable("WORKER_PORT", str(job.port(worker)))
        hosts = ",".join(layout.host("worker", index) for index in range(worker.count))
        yield AddedVariable("WORKER_ADDRS", hosts, is_counted=True)


def _jax(job: LegacyJob, role: JobRole, layout: Layout) -> Iterator[AddedVariable]:
    yield AddedVariable(UNBUFFERED, "1")
    yield AddedVariable("COORDINATOR_PORT", str(job.port(role)))
    yield AddedVariable("COORDINATOR_ADDRESS", layout.host("worker", 0))
    yield AddedVariable("NUM_PROCESSES", str(job.pods), is_counted=True)
    yield AddedVariable("PROCESS_ID", field=layout.rank_field)


def _paddle(job: LegacyJob, role: JobRole, layout: Layout) -> Iterator[AddedVariable]:
    """The operator gives the first Pod its own IP, which is its name here: a JobSet's Pods resolve their own names."""
    yield AddedVariable(UNBUFFERED, "1")
    yield AddedVariable("PADDLE_JOB_ID", f"$({JOBSET_NAME})")
    yield AddedVariable("PADDLE_NNODES", str(job.pods), is_counted=True)
    master = job.role("Master")
    leader = master or role
    if role is leader:
        yield AddedVariable(LAUNCH_IP, field="status.podIP")
    yield AddedVariable("PADDLE_MASTER", f"{layout.host(leader.name, 0)}:{job.port(leader)}")
    if master is not None:
        yield AddedVariable("PADDLE_SERVER_NUM" if role is master else "PADDLE_TRAINER_NUM", "1")


def _tensorflow(job: LegacyJob, role: JobRole, layout: Layout) -> Iterator[AddedVariable]:
    """`SetClusterSpec`: nothing for a job with one Pod. Every role is in the cluster, the evaluator too."""
    if job.pods == 1:
        return
    config: dict[str, Any] = {"cluster": _cluster(job, role, layout)}
    config["task"] = {"type": role.name, "index": 0}
    if not job.spec.get("enableDynamicWorker"):
        config["environment"] = "cloud"
    text = json.dumps(config, separators=(",", ":"))
    yield AddedVariable("TF_CONFIG", text.replace('"index":0', f'"index":$({TASK_INDEX})'), is_counted=True)


def _cluster(job: LegacyJob, role: JobRole, layout: Layout) -> dict[str, Any]:
    def addresses(each: JobRole) -> list[str]:
        return [f"{layout.host(each.name, index)}:{job.port(each)}" for index in range(each.count)]

    if not job.spec.get("enableDynamicWorker"):
        return {each.name: addresses(each) for each in job.roles}
    own = f"{layout.host(role.name, f'$({TASK_INDEX})')}:{job.port(role)}"
    servers = job.role("PS")
    if role.key == "Worker":
        return {"worker": {f"$({TASK_INDEX})": own}, "ps": addresses(servers) if servers else None}
    return {"worker": {}, "ps": [own] if role.key == "PS" else []}


_MAKERS: dict[str, Callable[[LegacyJob, JobRole, Layout], Iterator[AddedVariable]]] = {
    PYTORCH: _pytorch,
    TENSORFLOW: _tensorflow,
    XGBOOST: _xgboost,
    JAX: _jax,
    PADDLE: _paddle,
}
