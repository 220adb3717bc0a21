"""Topics inside containers and pods: ports, env, empty values, quantities, resources."""

from __future__ import annotations

import random

from tests.conformance.inputs.shapes import Body, Topic, container, replicated, runtime, some, trainjob

_POLICIES: list[Body] = [{"torch": {}}, {"jax": {}}, {"xgboost": {}}, {}, {"flux": {}}, {"mpi": {}}]
_SPELLINGS = [
    "1e3", "0.5", "1500m", "1Ei", "1024Ki", "100000u", "1E", "1e-3", ".5",
    "5.", "+2", "0", "0Gi", "1.5Gi", "1000", "1k",
    "12345678901234567890", "0.1Ki", "3e0", "1E2", "1000000n", "1n", "2048Mi", "0.0001", "1.024k", "100m",
    "00012",
]  # fmt: skip
_NUMBERS: list[object] = [1, 0, 4, 16]
_GPUS = [
    "nvidia.com/gpu",
    "amd.com/gpu",
    "google.com/tpu",
    "aws.amazon.com/neuron",
    "nvidia.com/mig-1g.5gb",
    "gpu.intel.com/i915",
]


def policy(rng: random.Random, nodes: int | None = None) -> Body:
    chosen = rng.choice(_POLICIES[:4])
    return {"numNodes": nodes or rng.randint(1, 4), **chosen}


def ports(rng: random.Random) -> list[Body]:
    numbers = rng.sample([80, 443, 8080, 9400, 29500, 29501, 6006], 4)
    listed = [
        {"containerPort": number, **_port_details(rng, index)}
        for index, number in enumerate(numbers[: rng.randint(0, 4)])
    ]
    if listed and rng.random() < 0.5:
        listed.append({"containerPort": listed[0]["containerPort"], "protocol": "UDP"})
    others = [container("side", ports=[{"containerPort": 9400}, {"containerPort": 9401, "name": "m"}])]
    node = replicated("node", container(ports=listed), *others[: rng.randint(0, 1)])
    return [runtime(policy(rng), node), trainjob({"numNodes": rng.randint(1, 3)})]


def _port_details(rng: random.Random, index: int) -> Body:
    details: Body = {}
    if rng.random() < 0.5:
        details["name"] = f"p{index}"
    if rng.random() < 0.4:
        details["protocol"] = rng.choice(["TCP", "UDP", "SCTP"])
    if rng.random() < 0.2:
        details["hostPort"] = 30000 + index
    return details


def _sources(rng: random.Random) -> list[Body]:
    return [
        {"name": "PLAIN", "value": "a b"},
        {"name": "EMPTY", "value": ""},
        {"name": "NONE"},
        {"name": "REF", "value": "$(PLAIN)/$$(X)"},
        {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP", "apiVersion": "v1"}}},
        {"name": "NOTE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['a.io/b']"}}},
        {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        {
            "name": "MEM",
            "valueFrom": {
                "resourceFieldRef": {
                    "containerName": "node",
                    "resource": "requests.memory",
                    "divisor": rng.choice(["1Mi", "0", 1, "1e6", "0.5Gi"]),
                }
            },
        },
        {"name": "CFG", "valueFrom": {"configMapKeyRef": {"key": "k", "optional": rng.choice([True, False])}}},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "FILE", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "env", "key": "K"}}},
        {"name": "MAY", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "e", "key": "K", "optional": True}}},
    ]


def env(rng: random.Random) -> list[Body]:
    from_ = [{"configMapRef": {"name": "c", "optional": True}}, {"prefix": "S_", "secretRef": {}}, {"prefix": "X"}]
    base = {"env": some(rng, _sources(rng), 1), "envFrom": some(rng, from_)}
    node = replicated("node", container(**base), pod={"volumes": [{"name": "v", "emptyDir": {}}]})
    trainer: Body = {"env": some(rng, _sources(rng), 1, 6)}
    return [runtime(policy(rng), node), trainjob(trainer)]


_EMPTY_CONTAINER: Body = {
    "command": [], "args": [], "env": [], "envFrom": [], "ports": [], "volumeMounts": [], "volumeDevices": [],
    "workingDir": "", "image": "", "resources": {}, "securityContext": {}, "lifecycle": {}, "stdin": False,
    "tty": False,
    "imagePullPolicy": "", "terminationMessagePath": "", "resizePolicy": [], "livenessProbe": {}, "startupProbe": {},
}  # fmt: skip
_EMPTY_POD: Body = {
    "nodeSelector": {}, "tolerations": [], "volumes": [], "initContainers": [], "imagePullSecrets": [], "affinity": {},
    "securityContext": {}, "hostNetwork": False, "serviceAccountName": "", "schedulerName": "", "hostAliases": [],
    "topologySpreadConstraints": [], "dnsConfig": {}, "readinessGates": [], "restartPolicy": "",
    "priorityClassName": "",
    "terminationGracePeriodSeconds": 0, "activeDeadlineSeconds": 1, "automountServiceAccountToken": False,
    "overhead": {},
    "schedulingGates": [], "shareProcessNamespace": False, "enableServiceLinks": False, "hostUsers": False,
    "subdomain": "",
}  # fmt: skip
_EMPTY_JOB: Body = {
    "backoffLimit": 0, "suspend": False, "ttlSecondsAfterFinished": 0, "podFailurePolicy": {"rules": []},
    "parallelism": 0,
    "successPolicy": {"rules": []}, "maxFailedIndexes": 0, "completions": 0, "manualSelector": False, "selector": {},
}  # fmt: skip


def _few(rng: random.Random, options: Body, most: int) -> Body:
    return {key: options[key] for key in some(rng, list(options), 1, most)}


def empties(rng: random.Random) -> list[Body]:
    node = replicated(
        "node",
        {**container(), **_few(rng, _EMPTY_CONTAINER, 8)},
        pod=_few(rng, _EMPTY_POD, 10),
        job=_few(rng, _EMPTY_JOB, 3),
        pod_metadata={"labels": {}, "annotations": {}},
    )
    trainer = _few(rng, {"command": [], "args": [], "env": [], "image": "", "resourcesPerNode": {}}, 4)
    return [runtime(policy(rng), node, metadata={"labels": {}}), trainjob(trainer, runtimePatches=[])]


def amount(rng: random.Random) -> object:
    return rng.choice(_NUMBERS) if rng.random() < 0.15 else rng.choice(_SPELLINGS)


def resources(rng: random.Random) -> Body:
    names = ["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", *rng.sample(_GPUS, 2)]
    kinds = some(rng, ["limits", "requests"], 1)
    return {kind: {name: amount(rng) for name in some(rng, names, 1, 4)} for kind in kinds}


def gang(rng: random.Random) -> Body:
    options: list[Body] = [
        {"coscheduling": {}},
        {"coscheduling": {"scheduleTimeoutSeconds": 120}},
        {"volcano": {}},
        {"volcano": {"networkTopology": {"mode": "soft", "highestTierAllowed": 2}}},
    ]
    return rng.choice(options)


def quantities(rng: random.Random) -> list[Body]:
    volumes = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": amount(rng)}}]
    claim = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": amount(rng)}}}}
    volumes.append({"name": "scratch", "ephemeral": {"volumeClaimTemplate": claim}})
    node = replicated("node", container(resources=resources(rng)), pod={"volumes": some(rng, volumes)})
    extra = {"gang": gang(rng)} if rng.random() < 0.7 else {}
    trainer = {"numNodes": rng.randint(1, 7), "resourcesPerNode": resources(rng)}
    return [runtime(policy(rng), node, **extra), trainjob(trainer if rng.random() < 0.8 else None)]


def asked(rng: random.Random) -> Body:
    return {"requests": {"cpu": rng.choice(["1", "250m", "2.5"]), "memory": rng.choice(["1Gi", "512Mi", "1G"])}}


def sidecars(rng: random.Random) -> list[Body]:
    inits = [
        container(
            f"i{i}", "acme/i:1", resources=asked(rng), **({"restartPolicy": "Always"} if rng.random() < 0.5 else {})
        )
        for i in range(rng.randint(1, 4))
    ]
    main = [container(resources=asked(rng)), container("log", "acme/log:1", resources=asked(rng))]
    node = replicated("node", *main[: rng.randint(1, 2)], pod={"initContainers": inits})
    extra = replicated("extra", container("x", resources=asked(rng)), job={"parallelism": rng.randint(1, 3)})
    jobs = [node, extra][: rng.randint(1, 2)]
    return [runtime(policy(rng), *jobs, gang=gang(rng)), trainjob({"numNodes": rng.randint(1, 5)})]


def pod_level(rng: random.Random) -> list[Body]:
    pod: Body = {
        "resources": some(
            rng, [asked(rng), {"limits": {"cpu": "8", "memory": "9Gi"}}, {**asked(rng), "limits": {"cpu": 4}}], 1
        )[0]
    }
    if rng.random() < 0.6:
        pod["overhead"] = {"cpu": "100m", "memory": "64Mi", **({"example.com/x": 1} if rng.random() < 0.5 else {})}
    if rng.random() < 0.4:
        pod["initContainers"] = [container("i", resources=asked(rng), restartPolicy="Always")]
    node = replicated("node", container(resources=asked(rng) if rng.random() < 0.7 else {}), pod=pod)
    trainer = {"numNodes": rng.randint(1, 4), **({"resourcesPerNode": asked(rng)} if rng.random() < 0.3 else {})}
    return [runtime(policy(rng), node, gang=gang(rng)), trainjob(trainer)]


def hollow(rng: random.Random) -> list[Body]:
    """What Go's types write as null, or keep although empty, where the YAML has nothing or "" in it."""
    claim: Body = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    if rng.random() < 0.6:
        group: Body = rng.choice([{}, {"apiGroup": ""}, {"apiGroup": "snapshot.storage.k8s.io"}])
        claim["dataSource"] = {"kind": "VolumeSnapshot", "name": "other", **group}
    pods: list[Body] = [
        {"volumes": [{"name": "v", "projected": {}}]},
        {"volumes": [{"name": "v", "projected": {"sources": []}}]},
        {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": claim}}}]},
        {"volumes": [{"name": "v", "ephemeral": {}}]},
        {"hostAliases": [{"ip": "1.2.3.4"}], "dnsConfig": {"options": [{}]}},
        {
            "volumes": [
                {"name": "v", "projected": {"sources": [{"downwardAPI": {}}, {"clusterTrustBundle": {"path": "p"}}]}}
            ]
        },
    ]
    index = rng.randrange(10**6)
    mounts = [{"name": "c", "mountPath": "/c"}]
    node = container(livenessProbe={"grpc": {"port": 1}}, startupProbe={"exec": {}}, volumeMounts=mounts)
    job: Body = rng.choice([{"completionMode": ""}, {}, {"podReplacementPolicy": ""}])
    pod = pods[index % len(pods)]
    fields: Body = {}
    if index % 3 == 0:
        fields["volumeClaimPolicies"] = [{"templates": [{"metadata": {"name": "c"}, "spec": claim}]}]
    return [runtime(policy(rng), replicated("node", node, pod=pod, job=job), **fields), trainjob()]


TOPICS = (
    Topic("ports", 12, ports),
    Topic("env", 12, env),
    Topic("empty", 16, empties),
    Topic("quantity", 24, quantities),
    Topic("sidecar", 10, sidecars),
    Topic("podlevel", 8, pod_level),
    Topic("hollow", 18, hollow),
)
