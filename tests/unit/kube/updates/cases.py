"""Updates that a control plane was asked about, and what it said; tests/cluster/test_updates.py asks again.

`rejected` has the field that the server names, by state; states that are not there accept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.updates.jobset import check_jobset_update
from kubectl_trainjob.kube.updates.result import STATES, State, UpdateResult
from kubectl_trainjob.kube.updates.trainer import check_runtime_update, check_train_job_update

Object = dict[str, Any]
Rejected = Mapping[State, str]

NEVER: Rejected = {}


def always(field: str) -> Rejected:
    """Rejected in every state."""
    return dict.fromkeys(STATES, field)


def running(field: str) -> Rejected:
    """Rejected while nothing is suspended."""
    return {"running": field}


class Update(NamedTuple):
    """Two versions of an object, and what the server said to the second.

    `hidden` has the fields that the server would name if it did not stumble over null first; we report these.
    """

    name: str
    old: Object
    new: Object
    rejected: Rejected
    hidden: Rejected = NEVER


def verdict_on(update: Update) -> UpdateResult:
    """Ours."""
    if update.old["kind"] == "TrainingRuntime":
        return check_runtime_update(update.old, update.new, "2.3")
    if update.old["kind"] == "TrainJob":
        return check_train_job_update(update.old, update.new, "2.3")
    return check_jobset_update(update.old, update.new)


RUNTIME: Object = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainingRuntime",
    "metadata": {"name": "runtime"},
    "spec": {
        "mlPolicy": {"torch": {}},
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "a"}]}}},
                        },
                    }
                ]
            }
        },
    },
}
"""What the TrainJobs here refer to."""


def train_job(*, labels: Mapping[str, str] | None = None, **spec: Any) -> Object:
    """A TrainJob."""
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "job", **({"labels": labels} if labels else {})},
        "spec": {"runtimeRef": {"name": "runtime", "kind": "TrainingRuntime"}, **spec},
    }


def patch(manager: str = "example.com/a", **pod_spec: Any) -> Object:
    """An entry of runtimePatches."""
    job = {"name": "node", "template": {"spec": {"template": {"spec": pod_spec}}}}
    return {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job]}}}}


def jobset(*jobs: Object, labels: Mapping[str, str] | None = None, **spec: Any) -> Object:
    """A JobSet; of one job unless others are given."""
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "set", **({"labels": labels} if labels else {})},
        "spec": {"replicatedJobs": list(jobs or [job()]), **spec},
    }


def job(name: str = "node", *, spec: Object | None = None, pod: Object | None = None, **fields: Any) -> Object:
    """A replicatedJob as a build prints it: `spec` is the Job's, `pod` the Pod template."""
    template = {"spec": {"restartPolicy": "OnFailure", "containers": [container()]}}
    for key, value in (pod or {}).items():
        template[key] = {**template.get(key, {}), **value}
    counted = {"completionMode": "Indexed", "completions": 1, "parallelism": 1, **(spec or {})}
    return {
        "name": name,
        "groupName": "default",
        "replicas": 1,
        "template": {"spec": counted | {"template": template}},
    } | (fields)


def container(name: str = "node", **fields: Any) -> Object:
    """A container."""
    return {"name": name, "image": "a", **fields}


def of_pod(**spec: Any) -> Object:
    """A JobSet by the spec of its Pods."""
    return jobset(job(pod={"spec": spec}))


def of_container(**fields: Any) -> Object:
    """A JobSet by its container."""
    return of_pod(containers=[container(**fields)])


def variables(*names: str) -> list[Object]:
    """Environment variables."""
    return [{"name": name, "value": "1"} for name in names]


def _cpu(amount: str | int) -> Object:
    return {"resourcesPerNode": {"requests": {"cpu": amount}}}


_SELECTING = patch(nodeSelector={"a": "b"})
_JOBS = "spec.replicatedJobs"
_PATCHES = "spec.runtimePatches"
_PATCHED = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.spec"


def _claiming(mode: str) -> list[Object]:
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": [mode], "resources": {}}, "status": {}}
    return [{"retentionPolicy": {"whenDeleted": "Delete"}, "templates": [claim]}]


def _mounting(mode: str | None) -> Object:
    mounted = job(pod={"spec": {"containers": [container(volumeMounts=[{"name": "data", "mountPath": "/data"}])]}})
    return jobset(mounted, **({"volumeClaimPolicies": _claiming(mode)} if mode else {}))


def _bare(**pod_spec: Any) -> Object:
    """A replicatedJob that leaves defaults to the server, as a build never does."""
    return {"name": "node", "template": {"spec": {"template": {"spec": {"containers": [container()], **pod_spec}}}}}


def _stated_template() -> Object:
    """The same with what JobSet's webhook sets on creation."""
    pods = {"spec": {"restartPolicy": "OnFailure", "containers": [container()]}}
    return {"spec": {"completionMode": "Indexed", "template": pods}}


TRAIN_JOBS = [
    Update("same", train_job(trainer={"numNodes": 1}), train_job(trainer={"numNodes": 1}), NEVER),
    Update("label", train_job(), train_job(labels={"a": "b"}), NEVER),
    Update("image", train_job(trainer={"image": "a"}), train_job(trainer={"image": "b"}), always("spec.trainer")),
    Update("trainer added", train_job(), train_job(trainer={"numNodes": 2}), NEVER),
    Update("trainer removed", train_job(trainer={"numNodes": 2}), train_job(), NEVER),
    Update("trainer filled", train_job(trainer={}), train_job(trainer={"numNodes": 2}), always("spec.trainer")),
    Update(
        "env in another order",
        train_job(trainer={"env": variables("A", "B")}),
        train_job(trainer={"env": variables("B", "A")}),
        NEVER,
    ),
    Update(
        "env with an empty value",
        train_job(trainer={"env": [{"name": "A", "value": ""}]}),
        train_job(trainer={"env": [{"name": "A"}]}),
        always("spec.trainer"),
    ),
    Update(
        "no args",
        train_job(trainer={"numNodes": 1, "args": []}),
        train_job(trainer={"numNodes": 1}),
        always("spec.trainer"),
    ),
    Update(
        "args in another order",
        train_job(trainer={"args": ["a", "b"]}),
        train_job(trainer={"args": ["b", "a"]}),
        always("spec.trainer"),
    ),
    Update("deadline added", train_job(), train_job(activeDeadlineSeconds=900), NEVER),
    Update("deadline removed", train_job(activeDeadlineSeconds=900), train_job(), NEVER),
    Update(
        "deadline",
        train_job(activeDeadlineSeconds=900),
        train_job(activeDeadlineSeconds=901),
        always("spec.activeDeadlineSeconds"),
    ),
    Update(
        "managedBy",
        train_job(),
        train_job(managedBy="kueue.x-k8s.io/multikueue"),
        always("spec.managedBy"),
    ),
    Update(
        "managedBy as by default", train_job(), train_job(managedBy="trainer.kubeflow.org/trainjob-controller"), NEVER
    ),
    Update(
        "runtimeRef as by default",
        train_job(),
        train_job(runtimeRef=train_job()["spec"]["runtimeRef"] | {"apiGroup": "trainer.kubeflow.org"}),
        NEVER,
    ),
    Update("patch added", train_job(), train_job(runtimePatches=[_SELECTING]), running(_PATCHES)),
    Update("patch removed", train_job(runtimePatches=[_SELECTING]), train_job(), running(_PATCHES)),
    Update(
        "patch",
        train_job(runtimePatches=[_SELECTING]),
        train_job(runtimePatches=[patch(nodeSelector={"a": "c"})]),
        running(_PATCHES),
    ),
    Update(
        "patches in another order",
        train_job(runtimePatches=[_SELECTING, patch("example.com/b")]),
        train_job(runtimePatches=[patch("example.com/b"), _SELECTING]),
        running(_PATCHES),
    ),
    Update(
        "patch by another manager",
        train_job(runtimePatches=[_SELECTING]),
        train_job(runtimePatches=[_SELECTING | {"manager": "example.com/b"}]),
        running(_PATCHES),
    ),
    Update(
        "patch with another time",
        train_job(runtimePatches=[_SELECTING | {"time": "2026-01-01T00:00:00Z"}]),
        train_job(runtimePatches=[_SELECTING | {"time": "2026-02-01T00:00:00Z"}]),
        NEVER,
    ),
    Update(
        "patch with nothing",
        train_job(runtimePatches=[patch(nodeSelector={})]),
        train_job(runtimePatches=[patch(tolerations=[])]),
        NEVER,
    ),
    Update(
        "patched volumes added",
        train_job(runtimePatches=[_SELECTING]),
        train_job(runtimePatches=[patch(nodeSelector={"a": "b"}, volumes=[{"name": "v", "emptyDir": {}}])]),
        running(_PATCHES),
    ),
    Update(
        "patched volume added",
        train_job(runtimePatches=[patch(volumes=[{"name": "v", "emptyDir": {}}])]),
        train_job(runtimePatches=[patch(volumes=[{"name": "v", "emptyDir": {}}, {"name": "w", "emptyDir": {}}])]),
        always(f"{_PATCHED}.volumes"),
    ),
    Update(
        "patched service account",
        train_job(runtimePatches=[patch(serviceAccountName="a")]),
        train_job(runtimePatches=[patch(serviceAccountName="b")]),
        always(f"{_PATCHED}.serviceAccountName"),
    ),
    Update(
        "patched tolerations",
        train_job(runtimePatches=[patch(tolerations=[{"key": "a", "operator": "Exists"}])]),
        train_job(runtimePatches=[patch(tolerations=[{"key": "b", "operator": "Exists"}])]),
        running(_PATCHES),
    ),
    # An empty mapping in place of what was stated becomes null, which no schema takes; an empty list says nothing.
    Update("trainer emptied", train_job(trainer={"numNodes": 1}), train_job(trainer={}), always("spec.trainer")),
    Update("env emptied", train_job(trainer={"env": variables("A")}), train_job(trainer={"env": []}), NEVER),
    Update(
        "env emptied beside others",
        train_job(trainer={"numNodes": 1, "env": variables("A")}),
        train_job(trainer={"numNodes": 1, "env": []}),
        always("spec.trainer"),
    ),
    Update("patches emptied", train_job(runtimePatches=[_SELECTING]), train_job(runtimePatches=[]), running(_PATCHES)),
    Update(
        "patched node selector emptied",
        train_job(runtimePatches=[_SELECTING]),
        train_job(runtimePatches=[patch(nodeSelector={})]),
        always(f"{_PATCHED}.nodeSelector"),
        running(_PATCHES),
    ),
    Update(
        "patch emptied",
        train_job(runtimePatches=[_SELECTING]),
        train_job(runtimePatches=[patch()]),
        always(_PATCHED),
        running(_PATCHES),
    ),
    Update(
        "patched size of a volume emptied",
        train_job(runtimePatches=[patch(volumes=[{"name": "v", "emptyDir": {"medium": "Memory"}}])]),
        train_job(runtimePatches=[patch(volumes=[{"name": "v", "emptyDir": {}}])]),
        always(f"{_PATCHED}.volumes[0].emptyDir"),
        always(f"{_PATCHED}.volumes"),
    ),
    # Quantities: the mutating webhook writes them anew where it stamps a patch, and only there.
    Update(
        "quantity spelt otherwise",
        train_job(trainer=_cpu("1000m")),
        train_job(trainer=_cpu("1")),
        always("spec.trainer"),
    ),
    Update("number for a quantity", train_job(trainer=_cpu(1)), train_job(trainer=_cpu("1")), always("spec.trainer")),
    Update(
        "same odd quantity, patched",
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING]),
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING]),
        always("spec.trainer"),
    ),
    Update(
        "odd quantity corrected, patched",
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING]),
        train_job(trainer=_cpu("1"), runtimePatches=[_SELECTING]),
        NEVER,
    ),
    Update(
        "same odd quantity, another patch",
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING]),
        train_job(trainer=_cpu("1000m"), runtimePatches=[patch(nodeSelector={"a": "c"})]),
        running(_PATCHES),
    ),
    Update(
        "same number for a quantity, patch added",
        train_job(trainer=_cpu(1)),
        train_job(trainer=_cpu(1), runtimePatches=[_SELECTING]),
        always("spec.trainer"),
    ),
    Update(
        "same odd quantity, patch removed",
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING]),
        train_job(trainer=_cpu("1000m")),
        always("spec.trainer"),
    ),
    Update(
        "same odd quantity, patch with a time",
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING | {"time": "2026-01-01T00:00:00Z"}]),
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING | {"time": "2026-01-01T00:00:00Z"}]),
        NEVER,
    ),
    Update(
        "same odd quantity, patch with another time",
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING | {"time": "2026-01-01T00:00:00Z"}]),
        train_job(trainer=_cpu("1000m"), runtimePatches=[_SELECTING | {"time": "2026-02-01T00:00:00Z"}]),
        always("spec.trainer"),
    ),
    Update(
        "resource in an env without divisor, patched",
        *[
            train_job(
                trainer={"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]},
                runtimePatches=[_SELECTING],
            )
        ]
        * 2,
        always("spec.trainer"),
    ),
    Update(
        "same odd size of a patched volume",
        *[train_job(runtimePatches=[patch(volumes=[{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}])])] * 2,
        always(f"{_PATCHED}.volumes"),
    ),
]

JOBSETS = [
    Update("same", jobset(), jobset(), NEVER),
    Update("label", jobset(), jobset(labels={"a": "b"}), NEVER),
    Update("ttl", jobset(), jobset(ttlSecondsAfterFinished=3), NEVER),
    Update("coordinator added", jobset(), jobset(coordinator={"replicatedJob": "node"}), NEVER),
    Update(
        "coordinator",
        jobset(coordinator={"replicatedJob": "node"}),
        jobset(coordinator={"replicatedJob": "node", "podIndex": 0}),
        NEVER,
    ),
    Update("managedBy added", jobset(), jobset(managedBy="example.com/a"), always("spec.managedBy")),
    Update("managedBy removed", jobset(managedBy="example.com/a"), jobset(), always("spec.managedBy")),
    Update("successPolicy removed", jobset(successPolicy={"operator": "Any"}), jobset(), NEVER),
    Update("successPolicy as by default", jobset(), jobset(successPolicy={"operator": "All"}), NEVER),
    Update("successPolicy added", jobset(), jobset(successPolicy={"operator": "Any"}), always("spec.successPolicy")),
    Update(
        "successPolicy without targets",
        jobset(successPolicy={"operator": "All", "targetReplicatedJobs": ["node"]}),
        jobset(successPolicy={"operator": "All"}),
        always("spec.successPolicy"),
    ),
    Update(
        "startupPolicy added",
        jobset(),
        jobset(startupPolicy={"startupPolicyOrder": "InOrder"}),
        always("spec.startupPolicy"),
    ),
    Update("startupPolicy removed", jobset(startupPolicy={"startupPolicyOrder": "InOrder"}), jobset(), NEVER),
    Update("network removed", jobset(network={"enableDNSHostnames": True}), jobset(), NEVER),
    Update("subdomain removed with all of network", jobset(network={"subdomain": "s"}), jobset(), NEVER),
    Update("subdomain added", jobset(), jobset(network={"subdomain": "s"}), always("spec.network")),
    Update("subdomain", jobset(network={"subdomain": "s"}), jobset(network={"subdomain": "t"}), always("spec.network")),
    Update("network emptied", jobset(network={"subdomain": "s"}), jobset(network={}), always("spec.network")),
    Update(
        "subdomain removed",
        jobset(network={"subdomain": "s", "enableDNSHostnames": True}),
        jobset(network={"enableDNSHostnames": True}),
        always("spec.network"),
    ),
    Update("network as by default", jobset(), jobset(network={"enableDNSHostnames": True}), NEVER),
    Update("no host names", jobset(), jobset(network={"enableDNSHostnames": False}), always("spec.network")),
    Update("failurePolicy added", jobset(), jobset(failurePolicy={"maxRestarts": 3}), NEVER),
    Update("failurePolicy removed", jobset(failurePolicy={"maxRestarts": 3}), jobset(), NEVER),
    Update(
        "failurePolicy",
        jobset(failurePolicy={"maxRestarts": 3}),
        jobset(failurePolicy={"maxRestarts": 4}),
        always("spec.failurePolicy"),
    ),
    Update(
        "failurePolicy with a default",
        jobset(failurePolicy={"maxRestarts": 3}),
        jobset(failurePolicy={"maxRestarts": 3, "restartStrategy": "Recreate"}),
        NEVER,
    ),
    Update("claims", _mounting("ReadWriteOnce"), _mounting("ReadWriteMany"), always("spec.volumeClaimPolicies")),
    Update("claims removed", _mounting("ReadWriteOnce"), _mounting(None), NEVER),
    # An empty mapping in place of what was stated becomes null, which no schema takes; an empty list says nothing.
    Update("labels emptied", jobset(labels={"a": "b"}), {**jobset(), "metadata": {"name": "set", "labels": {}}}, NEVER),
    Update(
        "failurePolicy emptied",
        jobset(failurePolicy={"maxRestarts": 3}),
        jobset(failurePolicy={}),
        always("spec.failurePolicy"),
    ),
    Update(
        "successPolicy emptied",
        jobset(successPolicy={"operator": "Any"}),
        jobset(successPolicy={}),
        always("spec.successPolicy"),
    ),
    Update(
        "pod metadata emptied",
        jobset(job(pod={"metadata": {"labels": {"a": "b"}}})),
        jobset(job(pod={"metadata": {}})),
        always(f"{_JOBS}[0].template.spec.template.metadata"),
        running(_JOBS),
    ),
    Update(
        "pod labels emptied",
        jobset(job(pod={"metadata": {"labels": {"a": "b"}}})),
        jobset(job(pod={"metadata": {"labels": {}}})),
        always(f"{_JOBS}[0].template.spec.template.metadata.labels"),
        running(_JOBS),
    ),
    Update("pod labels removed", jobset(job(pod={"metadata": {"labels": {"a": "b"}}})), jobset(), running(_JOBS)),
    Update("node selector emptied", of_pod(nodeSelector={"a": "b"}), of_pod(nodeSelector={}), running(_JOBS)),
    Update(
        "tolerations emptied",
        of_pod(tolerations=[{"key": "a", "operator": "Exists"}]),
        of_pod(tolerations=[]),
        running(_JOBS),
    ),
    Update(
        "scheduling gates emptied",
        of_pod(schedulingGates=[{"name": "example.com/a"}]),
        of_pod(schedulingGates=[]),
        running(_JOBS),
    ),
    Update("env emptied", of_container(env=variables("A")), of_container(env=[]), always(_JOBS)),
    Update(
        "resources emptied",
        of_container(resources={"requests": {"cpu": "1"}}),
        of_container(resources={}),
        always(f"{_JOBS}[0].template.spec.template.spec.containers[0].resources"),
        always(_JOBS),
    ),
    Update("image", jobset(), of_container(image="b"), always(_JOBS)),
    Update("replicas", jobset(), jobset(job(replicas=2)), always(_JOBS)),
    Update("parallelism", jobset(), jobset(job(spec={"parallelism": 2, "completions": 2})), always(_JOBS)),
    Update("backoffLimit", jobset(), jobset(job(spec={"backoffLimit": 2})), always(_JOBS)),
    Update("group", jobset(job(groupName="a")), jobset(), always(_JOBS)),
    Update("group as by default", jobset(), jobset({k: v for k, v in job().items() if k != "groupName"}), NEVER),
    Update("job added", jobset(), jobset(job(), job("other")), always(_JOBS)),
    Update("job renamed", jobset(), jobset(job("other")), always(_JOBS)),
    Update("jobs in another order", jobset(job(), job("other")), jobset(job("other"), job()), always(_JOBS)),
    Update(
        "dependsOn",
        jobset(job(), job("b"), job("c", dependsOn=[{"name": "node", "status": "Ready"}])),
        jobset(job(), job("b"), job("c", dependsOn=[{"name": "b", "status": "Ready"}])),
        always("spec.replicatedJobs[2].dependsOn"),
    ),
    Update(
        "dependsOn added",
        jobset(job(), job("b")),
        jobset(job(), job("b", dependsOn=[{"name": "node", "status": "Ready"}])),
        always(_JOBS),
    ),
    Update(
        "env in another order",
        of_container(env=variables("A", "B")),
        of_container(env=variables("B", "A")),
        always(_JOBS),
    ),
    Update("empty env", of_container(env=[]), jobset(), NEVER),
    Update(
        "env with an empty value",
        of_container(env=[{"name": "A", "value": ""}]),
        of_container(env=[{"name": "A"}]),
        NEVER,
    ),
    Update(
        "containers in another order",
        of_pod(containers=[container(), container("b")]),
        of_pod(containers=[container("b"), container()]),
        always(_JOBS),
    ),
    Update(
        "quantity spelt otherwise",
        of_container(resources={"requests": {"cpu": "1000m", "memory": "1Gi"}}),
        of_container(resources={"requests": {"cpu": "1", "memory": "1073741824"}}),
        NEVER,
    ),
    Update(
        "quantity",
        of_container(resources={"requests": {"cpu": "1"}}),
        of_container(resources={"requests": {"cpu": "1500m"}}),
        always(_JOBS),
    ),
    Update("empty resources", of_container(resources={}), jobset(), NEVER),
    Update("empty security context", of_pod(securityContext={}), jobset(), always(_JOBS)),
    Update("empty affinity", jobset(), of_pod(affinity={}), always(_JOBS)),
    Update(
        "protocol as by default",
        of_container(ports=[{"containerPort": 80}]),
        of_container(ports=[{"containerPort": 80, "protocol": "TCP"}]),
        NEVER,
    ),
    Update("priority class", jobset(), of_pod(priorityClassName="system-node-critical"), always(_JOBS)),
    Update("pod labels", jobset(), jobset(job(pod={"metadata": {"labels": {"a": "b"}}})), running(_JOBS)),
    Update("pod annotations", jobset(job(pod={"metadata": {"annotations": {"a": "b"}}})), jobset(), running(_JOBS)),
    Update(
        "pod labels and finalizers",
        jobset(),
        jobset(job(pod={"metadata": {"labels": {"a": "b"}, "finalizers": ["example.com/a"]}})),
        always(_JOBS),
    ),
    Update("node selector", jobset(), of_pod(nodeSelector={"a": "b"}), running(_JOBS)),
    Update(
        "tolerations",
        of_pod(tolerations=[{"key": "a", "operator": "Exists"}]),
        of_pod(tolerations=[{"key": "b", "operator": "Exists"}]),
        running(_JOBS),
    ),
    Update("scheduling gates", jobset(), of_pod(schedulingGates=[{"name": "example.com/a"}]), running(_JOBS)),
    Update(
        "node selector and image",
        jobset(),
        of_pod(nodeSelector={"a": "b"}, containers=[container(image="b")]),
        always(_JOBS),
    ),
    Update(
        "job label",
        jobset(),
        jobset({**job(), "template": {**job()["template"], "metadata": {"labels": {"a": "b"}}}}),
        always(_JOBS),
    ),
    Update(
        "defaults of creation stated later", jobset(_bare()), jobset(_bare() | {"template": _stated_template()}), NEVER
    ),
    Update(
        "defaults of creation stated no more",
        jobset(),
        jobset(job() | {"template": _bare()["template"]}),
        always(_JOBS),
    ),
    Update(
        "node selector beside defaults of creation",
        jobset(_bare()),
        jobset(_bare(nodeSelector={"a": "b"})),
        running(_JOBS),
    ),
]


def runtime(*, labels: Mapping[str, str] | None = None, **spec: Any) -> Object:
    """A runtime by its JobSet's spec."""
    template = {"spec": {**RUNTIME["spec"]["template"]["spec"], **spec}}
    metadata = {"name": "runtime", **({"labels": labels} if labels else {})}
    return {**RUNTIME, "metadata": metadata, "spec": {**RUNTIME["spec"], "template": template}}


_NETWORK = "spec.template.spec.network"

RUNTIMES = [
    Update("same", runtime(), runtime(), NEVER),
    Update("label", runtime(), runtime(labels={"a": "b"}), NEVER),
    Update("ttl", runtime(ttlSecondsAfterFinished=3), runtime(ttlSecondsAfterFinished=4), NEVER),
    Update("network added", runtime(), runtime(network={"subdomain": "s"}), NEVER),
    Update("network removed", runtime(network={"subdomain": "s"}), runtime(), NEVER),
    Update("network", runtime(network={"subdomain": "s"}), runtime(network={"subdomain": "t"}), always(_NETWORK)),
    Update("network emptied", runtime(network={"subdomain": "s"}), runtime(network={}), always(_NETWORK)),
    Update(
        "successPolicy",
        runtime(successPolicy={"operator": "All"}),
        runtime(successPolicy={"operator": "Any"}),
        always("spec.template.spec.successPolicy"),
    ),
]
