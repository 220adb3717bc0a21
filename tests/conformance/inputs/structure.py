"""Topics around containers: patches, initializers, a JobSet's own settings, metadata, several jobs."""

from __future__ import annotations

import random

from tests.conformance.inputs.containers import gang, policy
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

_VOLUMES: list[Body] = [
    {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
    {"name": "cfg", "configMap": {"name": "cfg"}},
    {"name": "shm", "emptyDir": {"medium": "Memory"}},
    {"name": "all", "projected": {"sources": [{"secret": {"name": "s"}}, {"configMap": {}}]}},
]
_TOLERATIONS: list[Body] = [
    {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "spot", "operator": "Equal", "value": "true", "effect": "NoExecute", "tolerationSeconds": 0},
    {"operator": "Exists"},
]


def _pod_patch(rng: random.Random) -> Body:
    zone = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [zone]}}
    options: Body = {
        "volumes": [*some(rng, _VOLUMES, 1, 3), {"name": "new", "emptyDir": {}}],
        "tolerations": some(rng, _TOLERATIONS, 1, 2),
        "initContainers": some(rng, [_container_patch(rng, name) for name in ("i0", "i1", "i2")], 1, 3),
        "containers": some(rng, [_container_patch(rng, name) for name in ("log", "node")], 1, 2),
        "nodeSelector": {"zone": "b", "disk": "ssd"},
        "affinity": {"nodeAffinity": required},
        "imagePullSecrets": [{"name": "r2"}, {"name": "r1"}],
        "securityContext": {"fsGroup": 0, "runAsNonRoot": False, "supplementalGroups": [2]},
        "serviceAccountName": rng.choice(["sa", ""]),
        "schedulingGates": [{"name": "acme.io/gate"}],
        "terminationGracePeriodSeconds": rng.choice([0, 5]),
    }
    return {key: options[key] for key in some(rng, list(options), 1, 6)}


def _container_patch(rng: random.Random, name: str) -> Body:
    options: Body = {
        "env": some(rng, [{"name": "A", "value": "patched"}, {"name": "B", "value": ""}, {"name": "C"}], 1),
        "volumeMounts": [{"name": "data", "mountPath": rng.choice(["/data", "/other"]), "readOnly": True}],
        "securityContext": {"privileged": False, "runAsUser": 0},
    }
    if name == "node":
        del options["env"]
    return {"name": name, **{key: options[key] for key in some(rng, list(options), 1)}}


def _patched_pod() -> Body:
    old = {"env": [{"name": "Z", "value": "1"}, {"name": "A", "value": "old"}]}
    return {
        "initContainers": [container(f"i{i}", **old) for i in range(3)],
        "volumes": _VOLUMES[:2],
        "tolerations": _TOLERATIONS[:2],
        "nodeSelector": {"zone": "a"},
        "imagePullSecrets": [{"name": "r1"}],
        "securityContext": {"fsGroup": 7, "supplementalGroups": [1]},
        "schedulingGates": [{"name": "acme.io/first"}],
    }


def patches(rng: random.Random) -> list[Body]:
    mounts = [{"name": "data", "mountPath": "/data"}, {"name": "cfg", "mountPath": "/cfg"}]
    main = container(env=[{"name": "A", "value": "old"}], volumeMounts=mounts)
    node = replicated(
        "node", main, container("log", "acme/log:1"), pod=_patched_pod(), job_metadata={"labels": {"t": "1"}}
    )
    made = []
    for manager in [f"acme.io/m{i}" for i in range(rng.randint(1, 3))]:
        levels = some(rng, ["job_metadata", "pod_metadata"])
        metadata = {level: {"labels": {"t": manager[-2:]}, "annotations": {"n": "é"}} for level in levels}
        jobs = [job_patch("node", _pod_patch(rng), **metadata)]
        if rng.random() < 0.3:
            jobs.insert(0, job_patch("model-initializer", {"nodeSelector": {"p": "1"}}))
        own = {"labels": {"from": manager[-2:]}, "annotations": {"a": "b"}} if rng.random() < 0.4 else None
        made.append(patch(*jobs, manager=manager, metadata=own))
    trainer = {"env": [{"name": "A", "value": "trainer"}]} if rng.random() < 0.3 else None
    return [runtime(policy(rng), *initializers(), node), trainjob(trainer, runtimePatches=made)]


def odd_patches(rng: random.Random) -> list[Body]:
    """Patches that name what is not there, or nothing."""
    options = [
        patch(job_patch("node", {"containers": [{"name": "ghost", "env": [{"name": "A"}]}]})),
        patch(job_patch("ghost", {"nodeSelector": {"a": "b"}})),
        patch(),
        {"manager": "acme.io/one"},
        patch(job_patch("node", {})),
        patch(job_patch("node", {"containers": [], "volumes": []})),
        patch(job_patch("node", {"volumes": [{"name": "data", "emptyDir": {}}]})),
        patch(job_patch("node", {"containers": [{"name": "node", "env": [{"name": "PET_NNODES", "value": "9"}]}]})),
        patch(metadata={"labels": {"kueue.x-k8s.io/queue-name": "q"}, "name": "other"}),
    ]
    index = rng.randrange(10**6) % len(options)
    node = replicated("node", pod={"volumes": _VOLUMES[:2]})
    return [runtime(policy(rng), node), trainjob(runtimePatches=[options[index]])]


def initializer(rng: random.Random) -> list[Body]:
    entry: Body = {
        "storageUri": "hf://org/name",
        "env": [{"name": "T", "value": "x"}, {"name": "STORAGE_URI", "value": "y"}],
    }
    secret = {"secretRef": {"name": "token"}}
    options = [{}, entry, secret, {**entry, **secret}, {"storageUri": "s3://b/k?x=1#f"}, {"storageUri": "cache://x"}]
    chosen = {kind: rng.choice(options) for kind in some(rng, ["dataset", "model"], 1)}
    first, second = initializers(mount=rng.random() < 0.5)
    first["template"]["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "STORAGE_URI", "value": "old"}]
    if rng.random() < 0.2:
        second["replicas"] = 2
    node = replicated(dependsOn=[{"name": first["name"], "status": "Complete"}])
    present = [first, second, node] if rng.random() < 0.8 else [first, node]
    return [runtime(policy(rng), *present), trainjob(initializer=chosen)]


def job_set(rng: random.Random) -> list[Body]:
    rule: Body = {
        "action": rng.choice(["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob"])
    }
    named = {**rule, "name": "mine", "onJobFailureReasons": ["BackoffLimitExceeded"], "targetReplicatedJobs": ["node"]}
    template = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": rng.choice(["0.5Ti", "10Gi"])}},
        },
    }
    retention: list[Body] = [{}, {"retentionPolicy": {"whenDeleted": "Retain"}}, {"retentionPolicy": {}}]
    options: Body = {
        "failurePolicy": {
            "maxRestarts": rng.choice([0, 3]),
            "rules": rng.choice([[], [rule], [named, rule], [rule, rule]]),
        },
        "successPolicy": {"operator": rng.choice(["All", "Any"]), "targetReplicatedJobs": rng.choice([[], ["node"]])},
        "startupPolicy": {"startupPolicyOrder": rng.choice(["AnyOrder", "InOrder"])},
        "network": rng.choice(
            [
                {},
                {"subdomain": "sub"},
                {"enableDNSHostnames": False},
                {"publishNotReadyAddresses": False, "subdomain": ""},
            ]
        ),
        "coordinator": {"replicatedJob": rng.choice(["node", "side"]), "jobIndex": 0, "podIndex": rng.choice([0, 1])},
        "ttlSecondsAfterFinished": rng.choice([0, 60]),
        "suspend": rng.choice([True, False]),
        "managedBy": rng.choice(["jobset.sigs.k8s.io/jobset-controller", "acme.io/x"]),
        "volumeClaimPolicies": [{"templates": [template], **rng.choice(retention)}],
    }
    fields = {key: options[key] for key in some(rng, list(options), 2, 5)}
    mounts = [{"name": "data", "mountPath": "/data"}] if rng.random() < 0.8 else []
    jobs = [replicated("side", step=None), replicated("node", container(volumeMounts=mounts))]
    return [runtime(policy(rng), *jobs, **fields), trainjob({"numNodes": 2})]


def metadata(rng: random.Random) -> list[Body]:
    own = {"labels": {"kueue.x-k8s.io/queue-name": "q", "own": "1"}, "annotations": {"own": "2"}}
    inherited = {"labels": {"team": "ml", "own": "rt"}, "annotations": {"cost": "42", "multi": "a\nb"}}
    node = replicated(
        job_metadata={"annotations": {"j": "1"}}, pod_metadata={"labels": {"p": "1"}, "annotations": {"p": ""}}
    )
    kinds = rng.choice([True, False])
    patched = patch(metadata={"labels": {"own": "patch"}, "annotations": {"multi": "c"}})
    fields: Body = {"runtimePatches": [patched]} if rng.random() < 0.5 else {}
    if rng.random() < 0.4:
        fields["suspend"] = rng.choice([True, False])
    if rng.random() < 0.3:
        fields["managedBy"] = "trainer.kubeflow.org/trainjob-controller"
    if rng.random() < 0.3:
        fields["activeDeadlineSeconds"] = 60
    given = own if rng.random() < 0.6 else {}
    extra: Body = {"metadata": inherited} if rng.random() < 0.7 else {}
    extra |= {"gang": gang(rng)} if rng.random() < 0.3 else {}
    job = trainjob(cluster=kinds, metadata=given, **fields)
    if kinds and rng.random() < 0.6:
        del job["metadata"]["namespace"]
    return [runtime(policy(rng), node, cluster=kinds, labels={"trainer.kubeflow.org/framework": "x"}, **extra), job]


def several(rng: random.Random) -> list[Body]:
    """Jobs of one runtime, in two namespaces or none, sound and broken ones."""
    jobs = []
    for name in ("one", "two", "three"):
        trainer: Body = {"numNodes": rng.randint(1, 3)}
        fields: Body = {}
        if rng.random() < 0.35:
            broken: list[Body] = [{"numNode": 1}, {"env": [{"name": "PET_NNODES", "value": "1"}]}, {"numNodes": -1}]
            trainer |= rng.choice(broken)
        if rng.random() < 0.2:
            fields["managedBy"] = "kueue.x-k8s.io/multikueue"
        jobs.append(trainjob(trainer, name=name, metadata=rng.choice([{}, {"namespace": "team-b"}]), **fields))
    return [jobs[0], runtime({"torch": {}, "numNodes": 2}), *jobs[1:]]


def spelling(rng: random.Random) -> list[Body]:
    """Texts that a YAML reader could take for something else; `generate` writes these documents in several styles."""
    odd = [
        "yes",
        "0o17",
        "0x1F",
        "1_000",
        "12:30:00",
        "~",
        "null",
        ".inf",
        "=",
        "<<",
        "2026-01-01",
        "1e3",
        "- a",
        "#",
        "a: b",
    ]
    odd += [
        "",
        " ",
        "a\tb",
        "é ✓ 😀",
        "'",
        '"',
        "\\",
        "a\n\nb\n",
        "\u2028",
        "\ufeff",
        "%a",
        "@b",
        "`c",
        "!d",
        "&e",
        "*f",
        "{g}",
        "|",
    ]
    texts = rng.sample(odd, 8)
    env = [{"name": f"V{i}", "value": text} for i, text in enumerate(texts)]
    node = replicated("node", container(env=env, args=texts[:4]), pod={"nodeSelector": {"a": texts[4]}})
    return [runtime(policy(rng), node), trainjob({"command": texts[5:], "numNodes": rng.randint(1, 3)})]


TOPICS = (
    Topic("patch", 24, patches),
    Topic("odd-patch", 12, odd_patches),
    Topic("initializer", 12, initializer),
    Topic("jobset", 24, job_set),
    Topic("metadata", 16, metadata),
    Topic("several", 10, several),
    Topic("spelling", 15, spelling),
)
