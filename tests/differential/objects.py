"""Objects of Kubernetes' own kinds that overlays are laid over: every shape that a transformer looks at."""

from __future__ import annotations

from typing import Any

from tests.differential.kustomize import Body, body

_RBAC = "rbac.authorization.k8s.io"
_LABELS = {"app": "old", "kept": "yes"}


def pod_spec(**more: Any) -> Body:
    """A Pod spec with an image of each kind."""
    return {
        "containers": [
            {"name": "a", "image": "nginx:1.25"},
            {"name": "b", "image": "ghcr.io/acme/app@sha256:0123"},
            {"name": "c"},
        ],
        "initContainers": [{"name": "d", "image": "ghcr.io:5000/acme/app:v1"}],
        "volumes": [{"name": "m", "image": {"reference": "ghcr.io/acme/model:v1"}}],
        **more,
    }


def template(**metadata: Any) -> Body:
    """A Pod template."""
    return {"metadata": metadata, "spec": pod_spec()} if metadata else {"spec": pod_spec()}


OBJECTS: dict[str, Body] = {
    "ConfigMap": body("v1", "ConfigMap", data={"image": "nginx:1.25"}),
    "ConfigMap with everything": body(
        "v1",
        "ConfigMap",
        "full",
        "elsewhere",
        metadata={"labels": _LABELS, "annotations": {"note": "old", "kept": "yes"}},
    ),
    "ConfigMap with nulls": body("v1", "ConfigMap", "nulls", metadata={"labels": None}),
    "ConfigMap that has it all": body(
        "v1",
        "ConfigMap",
        "same",
        "new",
        metadata={"labels": {"app": "demo", "team": "ml"}, "annotations": {"note": "new", "owner": "ml"}},
    ),
    "Secret": body("v1", "Secret", stringData={"a": "b"}),
    "ServiceAccount": body("v1", "ServiceAccount"),
    "ServiceAccount default": body("v1", "ServiceAccount", "default"),
    "Service": body("v1", "Service", spec={"selector": {"app": "old"}}),
    "PersistentVolumeClaim": body("v1", "PersistentVolumeClaim", spec={"volumeName": "b"}),
    "PersistentVolume": body("v1", "PersistentVolume"),
    "Namespace": body("v1", "Namespace", "old"),
    "Pod": body("v1", "Pod", spec=pod_spec()),
    "Pod without images": body("v1", "Pod", "bare", spec={"containers": [{"name": "a", "image": None}, {"name": "b"}]}),
    "ReplicationController": body("v1", "ReplicationController", spec={"template": template(labels=_LABELS)}),
    "Deployment": body(
        "apps/v1", "Deployment", spec={"template": template(labels=_LABELS, annotations={"note": "old"})}
    ),
    "Deployment without a template": body("apps/v1", "Deployment", "bare"),
    "Deployment with a null spec": body("apps/v1", "Deployment", "null", spec=None),
    "Deployment of another group": body("acme.io/v1", "Deployment", "other", spec={"template": template()}),
    "ReplicaSet": body("apps/v1", "ReplicaSet", spec={"template": template()}),
    "DaemonSet": body("apps/v1", "DaemonSet", spec={"template": template()}),
    "StatefulSet": body(
        "apps/v1",
        "StatefulSet",
        spec={
            "template": template(),
            "volumeClaimTemplates": [{"metadata": {"name": "a", "labels": _LABELS}}, {"spec": {}}],
        },
    ),
    "StatefulSet of another group": body("acme.io/v1", "StatefulSet", "other", spec={"template": template()}),
    "Job": body("batch/v1", "Job", spec={"template": template()}),
    "Job of another group": body("acme.io/v1", "Job", "other", spec={"template": template()}),
    "CronJob": body(
        "batch/v1",
        "CronJob",
        spec={"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"image": "nginx"}]}}}}},
    ),
    "HorizontalPodAutoscaler": body(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "bare"}},
    ),
    "Ingress": body(
        "networking.k8s.io/v1",
        "Ingress",
        spec={"rules": [{"http": {"paths": [{"backend": {"service": {"name": "a"}}}]}}], "tls": [{"secretName": "a"}]},
    ),
    "NetworkPolicy": body(
        "networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": {"matchLabels": {"app": "old"}}}
    ),
    "PodDisruptionBudget": body("policy/v1", "PodDisruptionBudget", spec={"selector": {"matchLabels": {"app": "old"}}}),
    "Role": body(f"{_RBAC}/v1", "Role", rules=[{"resources": ["configmaps"], "resourceNames": ["full", "a", "z"]}]),
    "RoleBinding": body(
        f"{_RBAC}/v1",
        "RoleBinding",
        roleRef={"apiGroup": _RBAC, "kind": "Role", "name": "a"},
        subjects=[
            {"kind": "ServiceAccount", "name": "default"},
            {"kind": "ServiceAccount", "name": "default", "namespace": "elsewhere"},
            {"kind": "ServiceAccount", "name": "a", "namespace": "default"},
            {"kind": "ServiceAccount", "name": "stranger", "namespace": "elsewhere"},
            {"kind": "Group", "apiGroup": _RBAC, "name": "team"},
        ],
    ),
    "ClusterRole": body(f"{_RBAC}/v1", "ClusterRole"),
    "ClusterRoleBinding": body(
        f"{_RBAC}/v1",
        "ClusterRoleBinding",
        roleRef={"apiGroup": _RBAC, "kind": "ClusterRole", "name": "a"},
        subjects=[
            {"kind": "ServiceAccount", "name": "default", "namespace": "default"},
            {"kind": "User", "name": "me"},
        ],
    ),
    "StorageClass": body("storage.k8s.io/v1", "StorageClass", parameters={"secretName": "a"}),
    "PriorityClass": body("scheduling.k8s.io/v1", "PriorityClass", value=1),
    "APIService": body("apiregistration.k8s.io/v1", "APIService", "v1.acme.io"),
    "APIService with a service": body(
        "apiregistration.k8s.io/v1", "APIService", "v2.acme.io", spec={"service": {"name": "a", "namespace": "default"}}
    ),
    "CustomResourceDefinition": body(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "foos.acme.io",
        spec={
            "containers": [{"image": "nginx:1.25"}],
            "conversion": {"webhook": {"clientConfig": {"service": {"name": "a", "namespace": "old"}}}},
        },
    ),
    "CustomResourceDefinition without conversion": body(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", "b.acme.io"
    ),
    "ValidatingWebhookConfiguration": body(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        webhooks=[{"clientConfig": {"service": {"name": "a", "namespace": "default"}}}, {"clientConfig": {"url": "x"}}],
    ),
    "custom resource with containers": body(
        "acme.io/v1",
        "Foo",
        containers={"image": "nginx:1.25"},
        spec={"deep": [{"containers": [{"image": "nginx:1.25", "containers": [{"image": "nginx"}]}]}, [1, None]]},
    ),
}
"""By what is special about them."""
