"""KTJ5xx: MPI and Flux."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

MPI_RESERVED = Rule(
    "KTJ501",
    "mpi-reserved-env",
    """
    Trainer sets OMPI_MCA_orte_default_hostfile, OMPI_MCA_plm_rsh_args, OMPI_MCA_orte_keep_fqdn_hostnames and
    OMPI_MCA_orte_set_default_slots in the launcher. A TrainJob that sets one is refused.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}, trainer: {env: [{name: OMPI_MCA_plm_rsh_args, value: "-v"}]}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 2}}
    """,
)

MPI_IMPLEMENTATION = Rule(
    "KTJ502",
    "mpi-implementation",
    """
    Trainer runs Open MPI. An empty mpiImplementation passes the API server; then the controller fails on it and
    never creates the JobSet.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {mpiImplementation: ""}}
          template:
            spec:
              replicatedJobs:
              - name: launcher
                template:
                  spec:
                    template:
                      spec:
                        containers: [{name: node, image: "acme/train:1"}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {mpiImplementation: OpenMPI}}
          template:
            spec:
              replicatedJobs:
              - name: launcher
                template:
                  spec:
                    template:
                      spec:
                        containers: [{name: node, image: "acme/train:1"}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}}
    """,
)

MPI_JOBS_MISSING = Rule(
    "KTJ503",
    "mpi-jobs-missing",
    """
    With runLauncherAsNode the launcher is the first node and the others run in the replicatedJob `node`. For
    two nodes or more the runtime must have both.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {runLauncherAsNode: true}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 2}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {runLauncherAsNode: true}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 1}}
    """,
)

FLUX_RESERVED_INIT = Rule(
    "KTJ511",
    "flux-reserved-init",
    """
    Trainer adds the init container `flux-installer` to the pods of a Flux job. A runtime that has one of this
    name is refused with every TrainJob.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: flux}
        spec:
          mlPolicy: {flux: {}}
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        initContainers: [{name: flux-installer, image: "a:1"}]
                        containers: [{name: node, image: "acme/train:1"}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, namespace: team-a}
        spec: {runtimeRef: {name: flux}, trainer: {numNodes: 1}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: flux}
        spec:
          mlPolicy: {flux: {}}
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        containers: [{name: node, image: "acme/train:1"}]
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, namespace: team-a}
        spec: {runtimeRef: {name: flux}, trainer: {numNodes: 1}}
    """,
)

FLUX_NUM_NODES = Rule(
    "KTJ512",
    "flux-num-nodes-missing",
    """
    A Flux job is accepted without spec.trainer.numNodes. Then the controller crashes while it writes the host
    list, and goes on crashing at every retry.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: flux}
        spec:
          mlPolicy: {flux: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, namespace: team-a}
        spec: {runtimeRef: {name: flux}, trainer: {}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: flux}
        spec:
          mlPolicy: {flux: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, namespace: team-a}
        spec: {runtimeRef: {name: flux}, trainer: {numNodes: 2}}
    """,
)
FLUX_PROCESSES = Rule(
    "KTJ513",
    "flux-processes",
    """
    A Flux job runs at least one process a node. The schemas of TrainJob and runtime refuse smaller numbers already, so
    this is met only where a schema is older than the webhook.
    """,
)

HOSTFILE_TOO_LARGE = Rule(
    "KTJ515",
    "hostfile-too-large",
    """
    The hostfile has a line for every host and stands in a ConfigMap, which holds 1 MiB at most. The API server admits
    the TrainJob; then the controller fails to create the ConfigMap. Mostly numNodes is a slip.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {}}
          template:
            spec:
              replicatedJobs:
              - name: node
                template: {spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 1000000}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: mpi}
        spec:
          mlPolicy: {mpi: {}}
          template:
            spec:
              replicatedJobs:
              - name: node
                template: {spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 1000}}
    """,
    rule_class=RuleClass.LATE,
)

FLUX_NAMESPACE = Rule(
    "KTJ514",
    "flux-namespace-assumed",
    """
    Flux's configuration holds host names with the namespace in them. For a TrainJob that states none, `default` is
    written there; applied to another namespace the nodes would not find each other.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: flux}
        spec:
          mlPolicy: {flux: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: flux}, trainer: {numNodes: 2}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: flux}
        spec:
          mlPolicy: {flux: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist, namespace: team-a}
        spec: {runtimeRef: {name: flux}, trainer: {numNodes: 2}}
    """,
    severity=Severity.WARNING,
    rule_class=RuleClass.MISBEHAVES,
)
