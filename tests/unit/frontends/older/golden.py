"""One input of each rule, and what it becomes by the types of the release that has it (upstream's CRDs and changelogs).

A case has the rule, the file before, and the file after. `{api}` is the apiVersion of today.
"""

from __future__ import annotations

from textwrap import dedent
from typing import NamedTuple

API = "trainer.kubeflow.org/v1alpha1"
OLD = "kubeflow.org/v2alpha1"


class Golden(NamedTuple):
    """`asks` says whether a user has to check the result."""

    rule: str
    before: str
    after: str
    asks: bool = False
    to: str = "2.3"


def _runtime(spec: str, api: str = API) -> str:
    body = "\n".join(f"  {line}" if line else "" for line in dedent(spec).strip().splitlines())
    return f"apiVersion: {api}\nkind: TrainingRuntime\nmetadata: {{name: r}}\nspec:\n{body}\n"


def _job(spec: str, api: str = API) -> str:
    body = "\n".join(f"  {line}" if line else "" for line in dedent(spec).strip().splitlines())
    return f"apiVersion: {api}\nkind: TrainJob\nmetadata: {{name: j}}\nspec:\n{body}\n"


_REF = "runtimeRef: {kind: TrainingRuntime, name: r}\n"
_LABEL = "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}"


def _of_node(pod: str, name: str = "node") -> str:
    job = f"{{name: {name}, template: {{{_LABEL}, spec: {{template: {{spec: {pod}}}}}}}}}"
    return f"template: {{spec: {{replicatedJobs: [{job}]}}}}\n"


def _initializer(steps: str) -> str:
    job = f"{{name: initializer, template: {{spec: {{template: {{spec: {{initContainers: [{steps}]}}}}}}}}}}"
    return f"template: {{spec: {{replicatedJobs: [{job}]}}}}\n"


def _model_initializer() -> str:
    label = "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: model-initializer}}"
    pod = "{containers: [{name: model-initializer, image: m}]}"
    job = f"{{name: model-initializer, template: {{{label}, spec: {{template: {{spec: {pod}}}}}}}}}"
    return f"template: {{spec: {{replicatedJobs: [{job}]}}}}\n"


_NODE = "{containers: [{name: node, image: a}]}"
_PATCH = "kubectl-trainjob.dev/migrate"

GOLDENS = (
    Golden("api-version", _runtime("mlPolicy: {numNodes: 1}", OLD), _runtime("mlPolicy: {numNodes: 1}")),
    Golden("api-version", _job(_REF, "trainer.kubeflow.org/v2"), _job(_REF)),
    Golden(
        "lost-indentation",
        f"apiVersion: {API}\nkind: TrainingRuntime\nmetadata: {{name: r}}\nspec:\nmlPolicy:\n  torch:\n  numNodes: 2\n",
        _runtime("mlPolicy: {torch: null, numNodes: 2}"),
        asks=True,
    ),
    Golden(
        "lost-indentation",
        _runtime("podGroupPolicy: {coscheduling: null, scheduleTimeoutSeconds: 100}"),
        _runtime("podGroupPolicy: {coscheduling: {scheduleTimeoutSeconds: 100}}"),
        asks=True,
    ),
    Golden(
        "policy-names",
        _runtime("mlSpec: {torchSpec: {}}\npodGroupSpec: {plugin: coscheduling, scheduleTimeoutSeconds: 5}"),
        _runtime("mlPolicy: {torch: {}}\npodGroupPolicy: {coscheduling: {scheduleTimeoutSeconds: 5}}"),
    ),
    Golden(
        "policy-names",
        _runtime("podGroupSpec: {plugin: volcano}"),
        _runtime("podGroupPolicy: {volcano: {}}"),
    ),
    Golden("pytorch", _runtime("mlPolicy: {pytorch: {}}"), _runtime("mlPolicy: {torch: {}}")),
    Golden(
        "ssh-auth-mount-path",
        _runtime("mlPolicy: {mpi: {SSHAuthMountPath: /root/.ssh}}"),
        _runtime("mlPolicy: {mpi: {sshAuthMountPath: /root/.ssh}}"),
    ),
    Golden(
        "short-template",
        _runtime("template: {spec: {containers: [{name: node, image: a}]}}"),
        _runtime(
            "template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: " + _NODE + "}}}}]}}"
        ),
    ),
    Golden(
        "short-job",
        _runtime("template: {spec: {replicatedJobs: [{name: node, containers: [{name: node, image: a}]}]}}"),
        _runtime(
            "template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: " + _NODE + "}}}}]}}"
        ),
    ),
    Golden(
        "short-job",
        _runtime("template: {spec: {replicatedJobs: [{name: node, template: {spec: " + _NODE + "}}]}}"),
        _runtime(
            "template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: " + _NODE + "}}}}]}}"
        ),
    ),
    Golden(
        "initializer-job",
        _runtime(
            "template: {spec: {replicatedJobs: [{name: initializer, template: {spec: {template: {spec: "
            "{initContainers: [{name: dataset-initializer, image: d}, {name: model-initializer, image: m}]}}}}}]}}",
            OLD,
        ),
        _runtime(
            "template: {spec: {replicatedJobs: ["
            "{name: dataset-initializer, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: "
            "dataset-initializer}}, spec: {template: {spec: {containers: [{name: dataset-initializer, image: d}]}}}}}, "
            "{name: model-initializer, dependsOn: [{name: dataset-initializer, status: Complete}], template: "
            "{metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: model-initializer}}, "
            "spec: {template: {spec: {containers: [{name: model-initializer, image: m}]}}}}}]}}"
        ),
    ),
    Golden(
        "initializer-job",
        _runtime(
            "template: {spec: {successPolicy: {operator: All, targetReplicatedJobs: [initializer, node]}, "
            "replicatedJobs: [{name: initializer, replicas: 1, template: {metadata: {annotations: {a: b}}, "
            "spec: {backoffLimit: 3, template: {metadata: {labels: {c: d}}, spec: {initContainers: "
            "[{name: dataset-initializer, image: d}], containers: [{name: done, image: e}]}}}}}]}}",
            OLD,
        ),
        _runtime(
            "template: {spec: {successPolicy: {operator: All, targetReplicatedJobs: [dataset-initializer, node]}, "
            "replicatedJobs: [{name: dataset-initializer, replicas: 1, template: {metadata: {annotations: {a: b}, "
            "labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}, spec: {backoffLimit: 3, "
            "template: {metadata: {labels: {c: d}}, spec: {containers: [{name: dataset-initializer, image: d}]}}}}}]}}"
        ),
        asks=True,
    ),
    Golden(
        "job-names",
        _runtime(
            "template: {spec: {successPolicy: {operator: All, targetReplicatedJobs: [trainer-node]}, failurePolicy: "
            "{rules: [{action: FailJobSet, targetReplicatedJobs: [other, trainer-node]}]}, "
            "coordinator: {replicatedJob: trainer-node}, replicatedJobs: "
            "[{name: other, dependsOn: [{name: trainer-node, status: Ready}]}, {name: trainer-node}]}}",
            OLD,
        ),
        _runtime(
            "template: {spec: {successPolicy: {operator: All, targetReplicatedJobs: [node]}, failurePolicy: {rules: "
            "[{action: FailJobSet, targetReplicatedJobs: [other, node]}]}, coordinator: {replicatedJob: node}, "
            "replicatedJobs: [{name: other, dependsOn: [{name: node, status: Ready}]}, {name: node, template: "
            "{metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}]}}"
        ),
    ),
    Golden("job-names", _runtime(_of_node(_NODE, "trainer-node"), OLD), _runtime(_of_node(_NODE))),
    Golden(
        "container-names",
        _runtime(_of_node("{containers: [{name: trainer, image: a}]}"), OLD),
        _runtime(_of_node(_NODE)),
    ),
    Golden(
        "container-names",
        _runtime(_of_node("{containers: [{name: mine, image: a}]}"), OLD),
        _runtime(_of_node(_NODE)),
    ),
    Golden(
        "container-names",
        _runtime("mlPolicy: {mpi: {}}\n" + _of_node("{containers: [{name: trainer, image: a}]}", "launcher"), OLD),
        _runtime("mlPolicy: {mpi: {}}\n" + _of_node(_NODE, "launcher")),
    ),
    Golden(
        "initializer-volume",
        _runtime(
            _of_node(
                "{containers: [{name: node, volumeMounts: [{name: storage-initializer, mountPath: /w}]}], volumes: "
                "[{name: storage-initializer, persistentVolumeClaim: {claimName: storage-initializer}}]}"
            ),
            OLD,
        ),
        _runtime(
            _of_node(
                "{containers: [{name: node, volumeMounts: [{name: initializer, mountPath: /w}]}], volumes: "
                "[{name: initializer, persistentVolumeClaim: {claimName: initializer}}]}"
            )
        ),
    ),
    Golden(
        "ancestor-labels",
        _runtime(
            "template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: " + _NODE + "}}}}]}}",
            OLD,
        ),
        _runtime(_of_node(_NODE)),
    ),
    Golden(
        "runtime-processes", _runtime("mlPolicy: {torch: {numProcPerNode: auto}}"), _runtime("mlPolicy: {torch: {}}")
    ),
    Golden(
        "runtime-processes",
        _runtime("mlPolicy: {torch: {numProcPerNode: 4}}"),
        _runtime("mlPolicy: {torch: {}}"),
        asks=True,
    ),
    Golden(
        "runtime-processes",
        _runtime("mlPolicy: {torch: {numProcPerNode: gpu}}"),
        _runtime("mlPolicy: {torch: {}}"),
        asks=True,
    ),
    Golden(
        "job-processes",
        _runtime("mlPolicy: {torch: {numProcPerNode: 4}}") + "---\n" + _job(_REF + "trainer: {numNodes: 2}"),
        _runtime("mlPolicy: {torch: {}}") + "---\n" + _job(_REF + "trainer: {numNodes: 2, numProcPerNode: 4}"),
    ),
    Golden("job-processes", _job(_REF + 'trainer: {numProcPerNode: "2"}'), _job(_REF + "trainer: {numProcPerNode: 2}")),
    Golden(
        "elastic-policy",
        _runtime("mlPolicy: {torch: {elasticPolicy: {minNodes: 2, maxNodes: 2}}}"),
        _runtime("mlPolicy: {numNodes: 2, torch: {}}"),
    ),
    Golden(  # the runtime has one of the steps
        "initializer-job",
        _runtime(_initializer("{name: model-initializer, image: m}"), OLD)
        + "---\n"
        + _job(_REF + "podSpecOverrides: [{targetReplicatedJobs: [initializer, a], nodeSelector: {b: c}}]", OLD),
        _runtime(_model_initializer())
        + "---\n"
        + _job(_REF + "podSpecOverrides: [{targetJobs: [{name: a}, {name: model-initializer}], nodeSelector: {b: c}}]"),
        to="2.0",
    ),
    Golden(  # an init container is the container of its own job
        "initializer-job",
        _job(
            _REF + "podSpecOverrides: [{targetReplicatedJobs: [initializer, a], serviceAccountName: s, initContainers: "
            "[{name: dataset-initializer, volumeMounts: [{name: v, mountPath: /v}]}, {name: other}]}]",
            OLD,
        ),
        _job(
            _REF + "podSpecOverrides: ["
            "{targetJobs: [{name: a}], serviceAccountName: s, initContainers: [{name: other}]}, "
            "{targetJobs: [{name: dataset-initializer}], serviceAccountName: s, containers: "
            "[{name: dataset-initializer, volumeMounts: [{name: v, mountPath: /v}]}]}, "
            "{targetJobs: [{name: model-initializer}], serviceAccountName: s}]"
        ),
        asks=True,
        to="2.0",
    ),
    Golden(
        "initializer-job",
        _job(_REF + "podTemplateOverrides: [{targetJobs: [{name: initializer}], spec: {nodeSelector: {b: c}}}]", OLD),
        _job(
            _REF + "podTemplateOverrides: [{targetJobs: [{name: dataset-initializer}, {name: model-initializer}], "
            "spec: {nodeSelector: {b: c}}}]"
        ),
        asks=True,
        to="2.1",
    ),
    Golden(
        "container-names",
        _job(_REF + "podSpecOverrides: [{targetReplicatedJobs: [trainer-node], containers: [{name: trainer}]}]", OLD),
        _job(_REF + "podSpecOverrides: [{targetJobs: [{name: node}], containers: [{name: node}]}]"),
        to="2.0",
    ),
    Golden(
        "initializer-volume",
        _job(
            _REF + "podSpecOverrides: [{targetReplicatedJobs: [a], volumes: [{name: storage-initializer}], containers: "
            "[{name: b, volumeMounts: [{name: storage-initializer, mountPath: /w}]}]}]",
            OLD,
        ),
        _job(
            _REF + "podSpecOverrides: [{targetJobs: [{name: a}], volumes: [{name: initializer}], containers: "
            "[{name: b, volumeMounts: [{name: initializer, mountPath: /w}]}]}]"
        ),
        to="2.0",
    ),
    Golden("runtime-ref", _job("trainingRuntimeRef: {kind: TrainingRuntime, name: r}"), _job(_REF)),
    Golden(
        "runtime-ref-group",
        _job("runtimeRef: {apiGroup: kubeflow.org, kind: TrainingRuntime, name: r}"),
        _job("runtimeRef: {apiGroup: trainer.kubeflow.org, kind: TrainingRuntime, name: r}"),
    ),
    Golden(
        "dataset-config",
        _job(_REF + "datasetConfig: {storageUri: hf://a}"),
        _job(_REF + "initializer: {dataset: {storageUri: hf://a}}"),
    ),
    Golden(
        "model-config",
        _job(_REF + "modelConfig: {input: {storageUri: hf://a}}"),
        _job(_REF + "initializer: {model: {storageUri: hf://a}}"),
    ),
    Golden(
        "managed-by",
        _job(_REF + "managedBy: kubeflow.org/trainjob-controller"),
        _job(_REF + "managedBy: trainer.kubeflow.org/trainjob-controller"),
    ),
    Golden(
        "target-jobs",
        _job(_REF + "podTemplateOverrides: [{targetReplicatedJobs: [a]}]"),
        _job(_REF + "podTemplateOverrides: [{targetJobs: [{name: a}]}]"),
        to="2.1",
    ),
    Golden(
        "pod-spec-overrides",
        _job(_REF + "podSpecOverrides: [{targetJobs: [{name: a}], nodeSelector: {b: c}}]"),
        _job(_REF + "podTemplateOverrides: [{targetJobs: [{name: a}], spec: {nodeSelector: {b: c}}}]"),
        to="2.1",
    ),
    Golden(
        "pod-template-overrides",
        _job(
            _REF + "podTemplateOverrides: [{targetJobs: [{name: a}], spec: {nodeSelector: {b: c}}}, "
            "{targetJobs: [{name: a}], metadata: {labels: {d: e}}}]"
        ),
        _job(
            _REF + f"runtimePatches: [{{manager: {_PATCH}, trainingRuntimeSpec: {{template: {{spec: {{replicatedJobs: "
            "[{name: a, template: {spec: {template: {spec: {nodeSelector: {b: c}}}}}}]}}}}, "
            f"{{manager: {_PATCH}-2, trainingRuntimeSpec: {{template: {{spec: {{replicatedJobs: "
            "[{name: a, template: {spec: {template: {metadata: {labels: {d: e}}}}}}]}}}}]"
        ),
    ),
    Golden(
        "job-metadata",
        _job(_REF + "labels: {a: b}"),
        _job(
            _REF + f"runtimePatches: [{{manager: {_PATCH}, trainingRuntimeSpec: {{template: {{metadata: "
            "{labels: {a: b}}}}}]"
        ),
    ),
    Golden(
        "secret-namespace",
        _job(_REF + "initializer: {model: {secretRef: {name: s, namespace: other}}}"),
        _job(_REF + "initializer: {model: {secretRef: {name: s}}}"),
        asks=True,
    ),
)
ASK_ONLY = {
    "pod-spec-overrides": _job(_REF + "podSpecOverrides: [{targetJobs: [{name: node}]}]\nruntimePatches: []"),
    "pod-template-overrides": _job(_REF + "podTemplateOverrides: [{targetJobs: [{name: node}]}]\nruntimePatches: []"),
    "mpi-implementation": _runtime("mlPolicy: {mpi: {mpiImplementation: Intel}}"),
    "runtime-ref-kind": _job("runtimeRef: {kind: torch-distributed, name: x}"),
    "elastic-policy": _runtime("mlPolicy: {torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}"),
    "ancestor-replicas": _runtime(_of_node(_NODE).replace("name: node, t", "name: node, replicas: 2, t")),
    "model-config": _job(_REF + "modelConfig: {output: {storageUri: s3://a}}"),
    "job-processes": _job(_REF + "trainer: {numProcPerNode: many}"),
}
"""Rules that leave a decision to a user."""
