"""Compares the built objects of a migrated job with the recorded facts of the operators.

The rules are those of the record: see README.md in this directory. A difference is a text that begins with the path of
the fact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.conformance.legacy import pods
from tests.conformance.legacy.pods import Pod, pods_of

_FIRST_FIELDS = ("image", "imagePullPolicy", "workingDir", "envFrom", "securityContext", "lifecycle")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_RANK_NAMES = {
    "PyTorchJob": ("PET_NODE_RANK", "RANK"),
    "XGBoostJob": ("RANK",),
    "JAXJob": ("PROCESS_ID", "JAX_PROCESS_ID"),
}
_PORTS = {"MASTER_PORT", "PET_MASTER_PORT", "WORKER_PORT", "COORDINATOR_PORT"}
_ENDPOINTS = {"PET_RDZV_ENDPOINT", "PADDLE_MASTER"}
_MEETING = {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"}
_OF_TRAINER = re.compile(
    r"PET_.*|JAX_(?:NUM_PROCESSES|PROCESS_ID|COORDINATOR_ADDRESS)|DMLC_.*|OMPI_MCA_.*|JOB_COMPLETION_INDEX"
    r"|K_MPI_JOB_ROLE|PYTHONUNBUFFERED"
)
_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_LABELS = ("training.kubeflow.org/", "jobset.sigs.k8s.io/", "batch.kubernetes.io/")
_DEFAULT_BACKOFF = 6

Body = Mapping[str, Any]


class Built:
    """One migrated job: its TrainJob, its JobSet and the other objects of the build."""

    def __init__(self, job: Body, train_job: Body, objects: Sequence[Body]) -> None:
        self.job, self.train_job = job, train_job
        own = [each for each in objects if each["metadata"]["name"].startswith(job["job"])]
        self.jobset = next(each for each in own if each["kind"] == "JobSet" and each["metadata"]["name"] == job["job"])
        self.pod_group = next((each for each in own if each["kind"] == "PodGroup"), None)
        self.config_maps = {each["metadata"]["name"]: each for each in own if each["kind"] == "ConfigMap"}
        self.pods = self._in_order(pods_of(self.jobset))
        self.peers = {rank["peer"]: pod for rank, pod in zip(job["ranks"], self.pods, strict=False)}

    def _in_order(self, found: list[Pod]) -> list[Pod]:
        job = self.job
        if job["kind"] == "MPIJob":
            return sorted(found, key=lambda pod: pod.replicated_job != "launcher")
        for name in _RANK_NAMES.get(job["kind"], ()):
            ranks = [pods.effective_env(pod, pod.container("node", job["main"]), "").get(name, "") for pod in found]
            if len(set(ranks)) == len(found) and all(str(rank).isdecimal() for rank in ranks):
                return sorted(
                    found, key=lambda pod: ranks.index(ranks[found.index(pod)]) and int(ranks[found.index(pod)])
                )
        by_role = [[pod for pod in found if pod.replicated_job == rank["role"]] for rank in job["ranks"]]
        if all(by_role) and len({pod.hostname for each in by_role for pod in each}) == len(found):
            return [each[rank["index"]] for rank, each in zip(job["ranks"], by_role, strict=True)]
        return found

    def text(self, value: Any) -> Any:
        """A value with addresses of peers as `{peer}`; an old name that is left becomes a difference."""
        if isinstance(value, list):
            return [self.text(item) for item in value]
        if isinstance(value, dict):
            return {key: self.text(item) for key, item in value.items()}
        if not isinstance(value, str):
            return value
        for peer, pod in self.peers.items():
            value = re.sub(
                rf"(?<![\w.-]){re.escape(pod.address)}(?![\w-])(?:\.{re.escape(self.namespace)})?(?:\.svc)?(?:\.cluster\.local)?",
                f"{{{peer}}}", value,
            )  # fmt: skip
        return value

    @property
    def namespace(self) -> str:
        return self.job.get("namespace") or "default"


def differences(job: Body, train_job: Body, objects: Sequence[Body]) -> Iterator[str]:
    """All differences between the recorded job and the built objects."""
    built = Built(job, train_job, objects)
    elastic = (job.get("torch") or {}).get("elastic") or {}
    if len(built.pods) not in {len(job["ranks"]), elastic.get("max")}:
        yield f"ranks.count: {len(built.pods)} Pods, not {len(job['ranks'])}"
        return
    for rank, pod in zip(job["ranks"], built.pods, strict=False):
        yield from (f"ranks.{rank['peer']}.{each}" for each in _pod(built, rank, pod))
        yield from (f"restart.{rank['role']}: {each}" for each in _restart(job, rank, pod))
    yield from _shared_ports(built)
    yield from _run(built)
    if job["kind"] == "MPIJob":
        yield from (f"mpi.{each}" for each in _mpi(built))
    yield from (f"gang{each}" for each in _gang(built))
    if job.get("hpa"):
        yield "hpa: none"


def _pod(built: Built, rank: Body, pod: Pod) -> Iterator[str]:
    is_v1_worker = built.job["kind"] == "MPIJob" and built.job["mpi"]["kubectlExec"] and rank["role"] == "worker"
    main = pod.container("node", rank["main"])
    others = {each["name"]: each for each in pod.spec["containers"] if each is not main}
    expected = {name: each for name, each in rank["containers"].items() if name != rank["main"]}
    if others.keys() != expected.keys():
        yield f"containers: {sorted(others)}, not {sorted(expected)}"
    pairs = [(rank["main"], main), *((name, others[name]) for name in expected if name in others)]
    for name, container in pairs:
        is_main = container is main
        facts = rank["containers"][name]
        yield from _container(
            built, rank, pod, container, facts, skips_command=is_v1_worker and is_main, is_main=is_main
        )
    initial = [each for each in pod.spec.get("initContainers") or () if each["name"] != "kubectl-delivery"]
    recorded = rank.get("initContainers") or []
    if [each["name"] for each in initial] != [each["name"] for each in recorded]:
        yield f"initContainers: {[each['name'] for each in initial]}"
    for container, facts in zip(initial, recorded, strict=False):
        yield from _container(built, rank, pod, container, facts)
    yield from _same("pod", _sorted_tolerations(_fields(built, rank, pod)), _sorted_tolerations(rank.get("pod") or {}))
    yield from _same("placement", _selected(built, pods.placement(pod.spec)), rank.get("placement") or {})
    for key in ("labels", "annotations"):
        found = dict(pod.metadata.get(key) or {})
        for name, value in (rank.get(key) or {}).items():
            is_renamed = name == _DEFAULT_CONTAINER and value == rank["main"]
            if found.get(name) != (main["name"] if is_renamed else value):
                yield f"{key}.{name}: {found.get(name)!r}, not {value!r}"


def _fields(built: Built, rank: Body, pod: Pod) -> dict[str, Any]:
    found = pods.pod_fields(pod.spec)
    if "gang" in built.job and "schedulerName" not in (rank.get("pod") or {}):
        found.pop("schedulerName", None)
    searches = (found.get("dnsConfig") or {}).get("searches")
    if searches:
        found.pop("dnsConfig")
    return found


def _sorted_tolerations(fields: Body) -> dict[str, Any]:
    tolerations = sorted(fields.get("tolerations") or (), key=str)
    return {**fields, "tolerations": tolerations} if tolerations else dict(fields)


def _selected(built: Built, value: Any) -> Any:
    """Placement with selectors of training labels as the peers that they select."""
    if isinstance(value, list):
        return [_selected(built, item) for item in value]
    if not isinstance(value, dict):
        return value
    selector = value.get("labelSelector")
    if selector and any(label in json.dumps(selector) for label in _LABELS):
        peers = [
            peer
            for peer, pod in built.peers.items()
            if _matches(selector, {**(pod.metadata.get("labels") or {}), **pod.names})
        ]
        rest = {key: item for key, item in value.items() if key != "labelSelector"}
        return {"selects": sorted(peers), **rest}
    return {key: _selected(built, item) for key, item in value.items()}


def _matches(selector: Body, labels: Body) -> bool:
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for each in selector.get("matchExpressions") or ():
        value, values = labels.get(each["key"]), each.get("values") or ()
        found = {"In": value in values, "NotIn": value not in values, "Exists": value is not None}
        if not found[each["operator"]]:
            return False
    return True


def _container(
    built: Built,
    rank: Body,
    pod: Pod,
    container: Body,
    facts: Body,
    *,
    skips_command: bool = False,
    is_main: bool = False,
) -> Iterator[str]:
    env = pods.effective_env(pod, container, rank["main"])
    words = [pods.expand(word, env) for word in (*(container.get("command") or ()), *(container.get("args") or ()))]
    name = container["name"]
    if skips_command:
        if not any("sshd" in word for word in words):
            yield f"{name}.argv: no SSH server"
    else:
        key = "argv" if container.get("command") else "args"
        expected = facts.get("argv") or facts.get("args") or []
        expanded = [built.text(word) for word in words]
        recorded = [_known(word, facts) for word in expected]
        if expanded != recorded or (key not in facts and words):
            yield f"{name}.argv: {expanded}, not {recorded}"
    allowed = {"readinessProbe"} if built.job["kind"] == "MPIJob" and rank["role"] == "worker" else set()
    for key in (*_FIRST_FIELDS, *_PROBES):
        if built.text(container.get(key)) != facts.get(key) and key not in allowed:
            yield f"{name}.{key}: {container.get(key)}, not {facts.get(key)}"
    yield from _same(
        f"{name}.resources",
        pods.quantities(container.get("resources") or {}),
        pods.quantities(facts.get("resources") or {}),
    )
    yield from _same(f"{name}.mounts", pods.mounts(pod.spec, container), _mounts(facts.get("mounts") or {}))
    ports = {f"{each['containerPort']}/{each.get('protocol', 'TCP')}" for each in container.get("ports") or ()}
    missing = set(facts.get("ports") or ()) - ports
    if missing:
        yield f"{name}.ports: {sorted(missing)} are missing"
    yield from _env(built, rank, container, env, facts, is_main=is_main)


def _mounts(recorded: Body) -> dict[str, Any]:
    return {path: {**mount, "from": pods.without_default_mode(mount["from"])} for path, mount in recorded.items()}


def _known(word: str, facts: Body) -> str:
    return pods.expand(word, facts["env"]) if "$(" in word else word


def _env(built: Built, rank: Body, container: Body, env: Body, facts: Body, *, is_main: bool) -> Iterator[str]:
    injected, needed = set(facts.get("injected") or ()), set(facts.get("needed") or ())
    recorded = facts.get("env") or {}
    is_torchrun = facts.get("starts") == "torchrun"
    helpers = {
        entry["name"] for entry in container.get("env") or ()
        if any(label in json.dumps(entry.get("valueFrom") or {}) for label in _LABELS)
    }  # fmt: skip
    is_static = _meets_statically(built, env)
    for name, value in recorded.items():
        is_required = name not in injected or name in needed
        if is_static and name in ("PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT"):
            continue
        if name == "PET_NPROC_PER_NODE" and (facts.get("nprocInCommand") or name not in needed):
            continue
        if name not in env:
            if is_required:
                yield f"env.{name}: missing, not {value!r}"
        elif not _is_equal(name, built.text(env[name]), value, rank):
            path = "nproc" if name == "PET_NPROC_PER_NODE" else f"env.{name}"
            yield f"{path}: {built.text(env[name])!r}, not {value!r}"
    for name in env.keys() - recorded.keys() - helpers:
        if not _OF_TRAINER.fullmatch(name) and not (is_torchrun and is_main and name in _MEETING):
            yield f"env.{name}: added"


def _meets_statically(built: Built, env: Body) -> bool:
    elastic = (built.job.get("torch") or {}).get("elastic") or {}
    is_c10d = elastic.get("min") == elastic.get("max") and elastic.get("backend") == "c10d"
    return (
        bool(elastic)
        and is_c10d
        and "PET_RDZV_ENDPOINT" not in env
        and built.text(env.get("PET_MASTER_ADDR")) == "{worker-0}"
    )


def _is_equal(name: str, found: Any, value: Any, rank: Body) -> bool:
    if found == value:
        return True
    if not isinstance(found, str) or not isinstance(value, str):
        return False
    if name in _PORTS:
        return found.isdecimal()  # that all ranks have the same one is compared later
    same = _SAME.get(name)
    return same is not None and same(found, value, rank)


def _same_endpoint(found: str, value: str, rank: Body) -> bool:
    (host, _, port), (old, _, _) = found.rpartition(":"), value.rpartition(":")
    own = {f"{{{rank['peer']}}}", "$(POD_IP_DUMMY)", "$(POD_IP)"}
    is_own = value.startswith("$(POD_IP_DUMMY)") and host in own
    return port.isdecimal() and (is_own or (host == old and host.startswith("{")))


def _same_processes(found: str, value: str, rank: Body) -> bool:
    gpus = rank["gpus"]
    return {found, value} <= ({"auto", "gpu", str(gpus)} if gpus else {"auto", "cpu"})


def _nodes(text: str) -> str:
    least, _, most = text.partition(":")
    return least if least == most else text


_SAME: Mapping[str, Callable[[str, str, Body], bool]] = {
    "TF_CONFIG": lambda found, value, _rank: bool(json.loads(found) == json.loads(value)),
    "PET_NNODES": lambda found, value, _rank: _nodes(found) == _nodes(value),
    "PET_NPROC_PER_NODE": _same_processes,
    **dict.fromkeys(_ENDPOINTS, _same_endpoint),
}


def _shared_ports(built: Built) -> Iterator[str]:
    """A port may be another one, but the same for all ranks."""
    for name in sorted(_PORTS | _ENDPOINTS):
        found = set()
        for rank, pod in zip(built.job["ranks"], built.pods, strict=False):
            container = pod.container("node", rank["main"])
            value = pods.effective_env(pod, container, rank["main"]).get(name)
            found.add(str(value).rpartition(":")[2] if value is not None else None)
        if len(found - {None}) > 1:
            yield f"ranks.*.env.{name}: {sorted(found, key=str)}"


def _restart(job: Body, rank: Body, pod: Pod) -> Iterator[str]:
    policy, built, limit = (
        rank["restartPolicy"],
        pod.spec.get("restartPolicy", "OnFailure"),
        pod.job.get("backoffLimit"),
    )
    written = job["run"].get("backoffLimit")
    if job["kind"] == "MPIJob" and job["apiVersion"].endswith("v2beta1"):
        if policy != built:
            yield f"{built}, not {policy}"
        if rank["role"] == "launcher" and _limit(limit) != _limit(written):
            yield f"backoffLimit {limit}, not {written}"
    elif job["kind"] == "MPIJob" and rank["role"] == "worker":
        return
    elif policy == "ExitCode":
        if built != "Never" or "podFailurePolicy" not in pod.job:
            yield f"{built} without podFailurePolicy, not ExitCode"
    elif policy == "Never":
        yield from _same(": Never", (built, limit), ("Never", 0))
    elif built != "OnFailure" or (written is not None and _limit(limit) != written):
        yield f"{built} and backoffLimit {limit}, not {policy} and {written}"


def _limit(limit: int | None) -> int:
    return _DEFAULT_BACKOFF if limit is None else limit


def _run(built: Built) -> Iterator[str]:
    job, run, jobset, train_job = built.job, built.job["run"], built.jobset, built.train_job
    if (jobset["spec"].get("failurePolicy") or {}).get("maxRestarts"):
        yield "restart: the whole JobSet restarts"
    yield from _same("run.ttl", jobset["spec"].get("ttlSecondsAfterFinished"), run.get("ttlSecondsAfterFinished"))
    yield from _same("run.deadline", train_job["spec"].get("activeDeadlineSeconds"), run.get("activeDeadlineSeconds"))
    yield from _same("run.suspend", bool(train_job["spec"].get("suspend")), run["suspend"])
    names = [each["name"] for each in jobset["spec"]["replicatedJobs"]]
    roles = {rank["role"]: pod.replicated_job for rank, pod in zip(job["ranks"], built.pods, strict=False)}
    expected = {roles[role] for role in job["done"]}
    found = set((jobset["spec"].get("successPolicy") or {}).get("targetReplicatedJobs") or names)
    if len(names) > 1 and found != (expected or set(names)):
        yield f"done: {sorted(found)}, not {sorted(expected)}"
    metadata = train_job["metadata"]
    for key in ("labels", "annotations"):
        for name, value in job[key].items():
            if (metadata.get(key) or {}).get(name) != value:
                yield f"{key}.{name}: missing"
            if (
                name.startswith("kueue.x-k8s.io/")
                and key == "labels"
                and (jobset["metadata"].get(key) or {}).get(name) != value
            ):
                yield f"{key}.{name}: not on the JobSet"


def _mpi(built: Built) -> Iterator[str]:
    mpi, name = built.job["mpi"], built.job["job"]
    config = built.config_maps.get(f"{name}-mpi-hostfile")
    hosts = [
        _host(built.text(line)) for line in (config or {"data": {"hostfile": ""}})["data"]["hostfile"].splitlines()
    ]
    yield from _same("hosts", hosts, [(f"{{{each['peer']}}}", each["slots"]) for each in mpi["hosts"]])
    for rank, pod in zip(built.job["ranks"], built.pods, strict=False):
        container = pod.container("node", rank["main"])
        found = {each["name"]: each["mountPath"] for each in container.get("volumeMounts") or ()}
        path = mpi.get("sshAuthMountPath", found.get("mpi-ssh-auth"))
        if found.get("mpi-ssh-auth") != path or path is None:
            yield f"ssh: mounted at {found.get('mpi-ssh-auth')} in {rank['peer']}"
        if rank["role"] == "launcher" and found.get("mpi-hostfile") != "/etc/mpi":
            yield "hosts: no hostfile in the launcher"
    launcher = next(each for each in built.jobset["spec"]["replicatedJobs"] if each["name"] == "launcher")
    waits = any(each.get("status") == "Ready" for each in launcher.get("dependsOn") or ())
    if mpi["waitForWorkers"] and not waits:
        yield "waitForWorkers: the launcher does not wait"


def _host(line: str) -> tuple[str, int]:
    host, _, slots = line.replace(" slots=", ":").rpartition(":")
    return host, int(slots or 0)


def _gang(built: Built) -> Iterator[str]:
    gang, group = built.job.get("gang"), built.pod_group
    if gang is None or group is None:
        if (gang is None) != (group is None):
            yield ": no PodGroup" if gang else ": a PodGroup"
        return
    spec = group["spec"]
    yield from _same(".minMember", spec.get("minMember"), gang["minMember"])
    if gang["scheduler"] == "volcano":
        yield from _same(".queue", spec.get("queue") or "default", gang.get("queue") or "default")
        yield from _same(".priorityClassName", spec.get("priorityClassName"), gang.get("priorityClassName"))
    elif gang.get("scheduleTimeoutSeconds"):
        yield from _same(".scheduleTimeoutSeconds", spec.get("scheduleTimeoutSeconds"), gang["scheduleTimeoutSeconds"])


def _same(path: str, found: Any, expected: Any) -> Iterator[str]:
    if found != expected:
        yield f"{path}: {found}, not {expected}"
