"""JobSets in which nothing is wrong, to be changed at random: one as people write it, one with a bit of everything."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]


def jobset(template: Body) -> Body:
    """A JobSet of one replicatedJob."""
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "job", "namespace": "default"},
        "spec": {"replicatedJobs": [{"name": "node", "replicas": 1, "template": template}]},
    }


_EXEC: Body = {"exec": {"command": ["a"]}}
_SELECTOR: Body = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "b", "operator": "In", "values": ["c"]}]}
_POD_TERM: Body = {
    "labelSelector": _SELECTOR,
    "matchLabelKeys": ["c"],
    "mismatchLabelKeys": ["d"],
    "namespaces": ["a"],
    "topologyKey": "zone",
}
_NODE_TERM: Body = {
    "matchExpressions": [{"key": "a", "operator": "Exists"}],
    "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}],
}
_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
_PODS: Body = {_REQUIRED: [_POD_TERM], _PREFERRED: [{"weight": 1, "podAffinityTerm": _POD_TERM}]}
_CLAIM: Body = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "a",
        "dataSource": {"apiGroup": "", "kind": "PersistentVolumeClaim", "name": "a"},
        "dataSourceRef": {"apiGroup": "", "kind": "PersistentVolumeClaim", "name": "a"},
    },
}
_VOLUMES: list[Body] = [
    {"name": "vol", "emptyDir": {"sizeLimit": "1Gi"}},
    {"name": "a", "persistentVolumeClaim": {"claimName": "a"}},
    {"name": "b", "ephemeral": {"volumeClaimTemplate": _CLAIM}},
    {"name": "c", "csi": {"driver": "acme.io", "nodePublishSecretRef": {"name": "a"}}},
    {"name": "d", "downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}]}},
    {"name": "e", "configMap": {"name": "a", "items": [{"key": "a", "path": "b"}]}},
    {"name": "f", "secret": {"secretName": "a", "items": [{"key": "a", "path": "b"}]}},
    {
        "name": "g",
        "projected": {
            "sources": [
                {"secret": {"name": "a", "items": [{"key": "a", "path": "a"}]}},
                {"configMap": {"name": "a", "items": [{"key": "a", "path": "c"}]}},
                {"serviceAccountToken": {"path": "t", "expirationSeconds": 600}},
            ]
        },
    },
    {"name": "h", "hostPath": {"path": "/a", "type": "Directory"}},
    {"name": "i", "fc": {"targetWWNs": ["a"], "lun": 1}},
    {"name": "l", "iscsi": {"targetPortal": "a", "iqn": "iqn.2026-01.a:b", "lun": 1}},
    {"name": "n", "nfs": {"server": "a", "path": "/a"}},
]
_CONTAINER: Body = {
    "name": "a",
    "image": "acme/a:1",
    "env": [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "C", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}},
        {"name": "D", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1"}}},
    ],
    "envFrom": [{"configMapRef": {"name": "a"}}, {"secretRef": {"name": "b"}, "prefix": "P_"}],
    "ports": [
        {"name": "http", "containerPort": 80, "hostPort": 80},
        {"name": "ssh", "containerPort": 22, "hostPort": 22},
    ],
    "volumeMounts": [{"name": "vol", "mountPath": "/a"}, {"name": "e", "mountPath": "/b", "readOnly": True}],
    "volumeDevices": [{"name": "a", "devicePath": "/dev/a"}, {"name": "b", "devicePath": "/dev/b"}],
    "resources": {
        "limits": {"cpu": "2", "nvidia.com/gpu": "1", "hugepages-2Mi": "4Mi"},
        "requests": {"cpu": "1", "nvidia.com/gpu": "1", "hugepages-2Mi": "4Mi"},
        "claims": [{"name": "a", "request": "b"}, {"name": "b"}],
    },
    "livenessProbe": _EXEC,
    "readinessProbe": {"httpGet": {"port": 80, "httpHeaders": [{"name": "A", "value": "b"}]}, "successThreshold": 2},
    "startupProbe": {"tcpSocket": {"port": "http"}},
    "lifecycle": {"preStop": {"sleep": {"seconds": 5}}, "postStart": _EXEC},
    "securityContext": {
        "runAsUser": 1,
        "allowPrivilegeEscalation": False,
        "capabilities": {"add": ["CHOWN"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    },
}
_SIDECAR: Body = {"name": "n1", "image": "acme/c:1", "restartPolicy": "Always", "startupProbe": _EXEC}
_POD: Body = {
    "restartPolicy": "Never",
    "containers": [_CONTAINER, {"name": "b", "image": "acme/b:1"}],
    "initContainers": [_SIDECAR, {"name": "main", "image": "acme/d:1"}],
    "volumes": _VOLUMES,
    "os": {"name": "linux"},
    "resources": {"limits": {"cpu": "4", "hugepages-2Mi": "4Mi"}, "requests": {"cpu": "2", "hugepages-2Mi": "4Mi"}},
    "resourceClaims": [{"name": "a", "resourceClaimName": "a"}, {"name": "b", "resourceClaimTemplateName": "b"}],
    "affinity": {
        "nodeAffinity": {
            _REQUIRED: {"nodeSelectorTerms": [_NODE_TERM]},
            _PREFERRED: [{"weight": 1, "preference": _NODE_TERM}],
        },
        "podAffinity": _PODS,
        "podAntiAffinity": _PODS,
    },
    "tolerations": [{"key": "a", "operator": "Exists"}, {"key": "b", "value": "c", "effect": "NoSchedule"}],
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": _SELECTOR},
        {"maxSkew": 1, "topologyKey": "host", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": _SELECTOR},
    ],
    "schedulingGates": [{"name": "a"}, {"name": "b"}],
    "securityContext": {
        "sysctls": [{"name": "a.b", "value": "1"}, {"name": "c", "value": "1"}],
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    "dnsPolicy": "None",
    "dnsConfig": {"nameservers": ["10.0.0.1"], "searches": ["a.b"], "options": [{"name": "a"}]},
    "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a"]}],
    "nodeSelector": {"a": "b"},
}
_FAILURES: Body = {
    "rules": [
        {"action": "FailJob", "onExitCodes": {"operator": "In", "containerName": "a", "values": [1, 2]}},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
    ]
}

PLAIN: Body = jobset(
    {
        "spec": {
            "parallelism": 3,
            "completions": 3,
            "completionMode": "Indexed",
            "template": {
                "spec": {
                    "restartPolicy": "OnFailure",
                    "containers": [
                        {
                            "name": "a",
                            "image": "acme/a:1",
                            "resources": {
                                "limits": {"cpu": "2", "nvidia.com/gpu": "1"},
                                "requests": {"cpu": "1", "nvidia.com/gpu": "1"},
                            },
                            "env": [{"name": "A", "value": "1"}],
                            "ports": [{"name": "http", "containerPort": 80}],
                            "volumeMounts": [{"name": "vol", "mountPath": "/a"}],
                        },
                        {"name": "b", "image": "acme/b:1"},
                    ],
                    "initContainers": [{"name": "n1", "image": "acme/c:1"}],
                    "volumes": [{"name": "vol", "emptyDir": {}}],
                }
            },
        }
    }
)
RICH: Body = jobset(
    {
        "metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}},
        "spec": {
            "parallelism": 3,
            "completions": 3,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": 1,
            "maxFailedIndexes": 2,
            "podFailurePolicy": _FAILURES,
            "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 1}]},
            "template": {"metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}}, "spec": _POD},
        },
    }
)
