"""Inputs with one mistake each, at many depths: unknown names, wrong types, values out of range."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.conformance.inputs.shapes import Body, Topic, container, patch, replicated, runtime, trainjob

_POD = ("spec", "template", "spec", "replicatedJobs", 0, "template", "spec", "template", "spec")
_CONTAINER = (*_POD, "containers", 0)
_JOBSET = ("spec", "template", "spec")

# Where, the field, its value; the first of the pair says whether the runtime or the TrainJob gets it.
MISTAKES: tuple[tuple[str, tuple[str | int, ...], str, object], ...] = (
    ("runtime", _CONTAINER, "imagePullPolicy", 5),
    ("runtime", _CONTAINER, "comand", ["x"]),
    ("runtime", _CONTAINER, "volumeMounts", [{"name": "v"}]),
    ("runtime", _CONTAINER, "volumeMounts", [{"name": "v", "mountPath": "/a"}, {"name": "w", "mountPath": "/a"}]),
    ("runtime", _CONTAINER, "ports", [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]),
    ("runtime", _CONTAINER, "ports", [{"name": "x"}]),
    ("runtime", _CONTAINER, "resources", {"limits": {"cpu": "1 Gi"}}),
    ("runtime", _CONTAINER, "resources", {"limit": {"cpu": "1"}}),
    ("runtime", _CONTAINER, "env", [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}]),
    ("runtime", _POD, "hostNetwork", "true"),
    ("runtime", _POD, "tolerations", {"key": "a"}),
    ("runtime", _POD, "terminationGracePeriodSeconds", 1.5),
    ("runtime", _POD, "topologySpreadConstraints", [{"maxSkew": 1, "topologyKey": "zone"}]),
    ("runtime", _POD, "hostAliases", [{"hostnames": ["a"]}]),
    ("runtime", _JOBSET, "network", {"subdomain": "Not_A_Name"}),
    ("runtime", _JOBSET, "failurePolicy", {"rules": [{"action": "Explode"}]}),
    ("runtime", _JOBSET, "failurePolicy", {"rules": [{"action": "FailJobSet", "name": "a"}] * 2}),
    ("runtime", _JOBSET, "failurePolicy", {"rules": [{"action": "FailJobSet", "targetReplicatedJobs": ["ghost"]}]}),
    ("runtime", _JOBSET, "failurePolicy", {"restartStrategy": "InPlaceRestart"}),
    ("runtime", _JOBSET, "successPolicy", {"operator": "Some"}),
    ("runtime", _JOBSET, "successPolicy", {"operator": "All", "targetReplicatedJobs": ["ghost"]}),
    ("runtime", _JOBSET, "startupPolicy", {"startupPolicyOrder": "Reverse"}),
    ("runtime", _JOBSET, "coordinator", {"replicatedJob": "ghost"}),
    ("runtime", _JOBSET, "coordinator", {"replicatedJob": "node", "podIndex": 99}),
    ("runtime", _JOBSET, "managedBy", "not a path"),
    ("runtime", _JOBSET, "ttlSecondsAfterFinished", -1),
    ("runtime", (*_JOBSET, "replicatedJobs", 0), "dependsOn", [{"name": "node", "status": "Ready"}]),
    ("runtime", (*_JOBSET, "replicatedJobs", 0), "name", "Upper"),
    ("runtime", (*_JOBSET, "replicatedJobs", 0), "replicas", "1"),
    ("runtime", ("spec", "mlPolicy"), "numNodes", 0),
    ("runtime", ("spec", "mlPolicy"), "jax", {}),
    ("runtime", ("spec", "mlPolicy"), "torch", {"elasticPolicy": {"minNodes": 1}}),
    ("runtime", ("spec",), "podGroupPolicy", {"coscheduling": {"scheduleTimeoutSeconds": "60"}}),
    ("runtime", ("spec",), "podGroupPolicy", {"gang": {}}),
    ("runtime", ("metadata",), "labels", {"a": 1}),
    ("runtime", ("metadata",), "labels", {"a": "b c"}),
    ("runtime", ("metadata",), "annotations", {"a b": "c"}),
    ("runtime", ("spec", "template"), "metadata", {"labels": {"a": "b c"}}),
    ("runtime", ("spec", "template"), "metadata", {"labels": {"a/b/c": ""}}),
    ("runtime", ("spec", "template"), "metadata", {"annotations": {"Upper.io/k": "v", "-k": "v"}}),
    ("runtime", ("spec", "template"), "metadata", {"name": "mine", "namespace": "other", "finalizers": ["x"]}),
    ("runtime", (*_JOBSET, "replicatedJobs", 0, "template"), "metadata", {"labels": {"a": "b c"}}),
    ("job", ("metadata",), "labels", {"a": "b c"}),
    ("job", ("metadata",), "labels", {"kueue.x-k8s.io/queue-name": "b c"}),
    ("job", ("metadata",), "namespace", "Team"),
    ("job", ("metadata",), "finalizers", ["acme.io/f"]),
    ("job", ("spec",), "runtimeRef", {"name": "rt", "kind": "Runtime"}),
    ("job", ("spec",), "runtimeRef", {"name": "missing"}),
    ("job", ("spec",), "runtimeRef", {"name": ""}),
    ("job", ("spec",), "runtimeRef", {}),
    ("job", ("spec",), "runtimeReference", {"name": "rt"}),
    ("job", ("spec",), "activeDeadlineSeconds", 0),
    ("job", ("spec",), "activeDeadlineSeconds", -5),
    ("job", ("spec",), "managedBy", "acme.io/other"),
    ("job", ("spec",), "suspend", "yes"),
    ("job", ("spec",), "initializer", {"dataset": {"storageUri": "://"}}),
    ("job", ("spec",), "initializer", {"data": {}}),
    ("job", ("spec",), "runtimePatches", [{"trainingRuntimeSpec": {}}]),
    ("job", ("spec",), "runtimePatches", [patch(manager="acme.io/a"), patch(manager="acme.io/a")]),
    ("job", ("spec",), "runtimePatches", [{**patch(manager="acme.io/a"), "time": "yesterday"}]),
    ("job", ("spec",), "runtimePatches", [patch({"name": "node", "replicas": 3})]),
    ("job", ("spec",), "podTemplateOverrides", []),
    ("job", ("spec", "trainer"), "numNodes", 0),
    ("job", ("spec", "trainer"), "numNodes", 1.5),
    ("job", ("spec", "trainer"), "numNodes", 3000000000),
    ("job", ("spec", "trainer"), "numProcPerNode", 0),
    ("job", ("spec", "trainer"), "numProcPerNode", "auto"),
    ("job", ("spec", "trainer"), "command", "python train.py"),
    ("job", ("spec", "trainer"), "args", ["--lr", 0.1]),
    ("job", ("spec", "trainer"), "env", {"A": "b"}),
    ("job", ("spec", "trainer"), "env", [{"name": "A", "valu": "b"}]),
    ("job", ("spec", "trainer"), "env", [{"name": "A"}, {"name": "A"}]),
    ("job", ("spec", "trainer"), "env", [{"name": ""}]),
    ("job", ("spec", "trainer"), "resourcesPerNode", {"limits": {"nvidia.com/gpu": "one"}}),
    ("job", ("spec", "trainer"), "resourcesPerNode", {"limits": {"cpu": -1}}),
    ("job", ("spec", "trainer"), "resourcesPerNode", {"claims": [{"name": "a"}, {"name": "a"}]}),
    ("job", ("metadata",), "name", "-job"),
    ("job", ("metadata",), "annotations", {"a": True}),
)


def _mistaken(of: str, path: tuple[str | int, ...], key: str, value: object) -> Callable[[random.Random], list[Body]]:
    def make(_rng: random.Random) -> list[Body]:
        node = replicated(
            "node", container(), pod={"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "emptyDir": {}}]}
        )
        rt, job = runtime({"numNodes": 2, "torch": {}}, node), trainjob({"image": "acme/train:2"})
        place: Body = rt if of == "runtime" else job
        for step in path:
            place = place[step]  # type: ignore[index]
        place[key] = value
        return [rt, job]

    return make


TOPICS = tuple(Topic(f"refused-{key}", 1, _mistaken(of, path, key, value)) for of, path, key, value in MISTAKES)
