"""What the cases are made with: JobSets of one replicatedJob in which one thing is special."""

from __future__ import annotations

from typing import Any, NamedTuple

Body = dict[str, Any]
POD = "spec.template.spec"
MAIN = f"{POD}.containers[0]"
INIT = f"{POD}.initContainers[0]"


class Case(NamedTuple):
    """`rejected` are "RULE field" with the fields of the Job, `body` is the JobSet."""

    name: str
    body: Body
    rejected: tuple[str, ...] = ()


def jobset(template: Body, name: str = "js") -> Body:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name},
        "spec": {"replicatedJobs": [{"name": "node", "replicas": 1, "template": template}]},
    }


def container(**fields: Any) -> Body:
    return {"name": "c", "image": "acme/c:1", **fields}


def job(metadata: Body | None = None, *, pod: Body | None = None, labels: Body | None = None, **spec: Any) -> Body:
    template: Body = {"spec": {"containers": [container()], **(pod or {})}}
    if labels is not None:
        template["metadata"] = labels
    counts = {"parallelism": 2, "completions": 2}
    made: Body = {"spec": {**counts, "template": template, **spec}}
    return jobset({**made, "metadata": metadata} if metadata else made)


def pod(**fields: Any) -> Body:
    return job(pod=fields)


def main(**fields: Any) -> Body:
    return pod(containers=[container(**fields)])


def init(*, pod_fields: Body | None = None, **fields: Any) -> Body:
    return pod(initContainers=[{"name": "i", "image": "acme/i:1", **fields}], **(pod_fields or {}))


def resources(requests: Body | None = None, limits: Body | None = None, **more: Any) -> Body:
    return main(resources={"requests": requests or {}, "limits": limits or {}, **more})


def volume(**source: Any) -> Body:
    return pod(volumes=[{"name": "v", **source}])


def mounted(*mounts: Body, **fields: Any) -> Body:
    volumes = [{"name": "v", "emptyDir": {}}, {"name": "claim", "persistentVolumeClaim": {"claimName": "a"}}]
    return pod(volumes=volumes, containers=[container(volumeMounts=list(mounts), **fields)])


def claim(**spec: Any) -> Body:
    given = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    return volume(ephemeral={"volumeClaimTemplate": {"spec": given}})


def rules(*made: Body, **fields: Any) -> Body:
    return job(podFailurePolicy={"rules": list(made)}, pod={"restartPolicy": "Never"}, **fields)


EXEC: Body = {"exec": {"command": ["a"]}}
IN: Body = {"operator": "In", "values": [1]}
SELECTOR: Body = {"matchLabels": {"a": "b"}}
RULE: Body = {"action": "FailJob", "onExitCodes": IN}
