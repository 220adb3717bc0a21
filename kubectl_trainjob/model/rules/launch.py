"""KTJ4xx: torch, torchtune and XGBoost."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule

TORCH_RESERVED = Rule(
    "KTJ401",
    "torch-reserved-env",
    """
    torchrun reads PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK, PET_MASTER_ADDR and PET_MASTER_PORT. Trainer
    sets them; a TrainJob that sets one is refused. Use numNodes and numProcPerNode.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torch}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torch}, trainer: {env: [{name: PET_NNODES, value: "2"}]}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torch}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torch}, trainer: {numNodes: 2}}
    """,
)

TORCHTUNE_MODEL = Rule(
    "KTJ409",
    "torchtune-model",
    """
    For the command `tune run` Trainer reads the model from the name of the runtime, `torchtune-<model>-<size>`,
    and knows four: llama3.2-1b, llama3.2-3b, llama3.3-70b and qwen2.5-1.5b.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: my-tune}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: my-tune}, trainer: {command: [tune, run]}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torchtune-llama3.2-1b}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torchtune-llama3.2-1b}, trainer: {command: [tune, run]}}
    """,
)

TORCHTUNE_TOPOLOGY = Rule(
    "KTJ410",
    "torchtune-topology",
    """
    torchtune trains on several nodes with llama3.3-70b only and never with LoRA; QLoRA needs one device for the
    small Llamas and does not exist for Qwen.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torchtune-llama3.2-1b}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torchtune-llama3.2-1b}, trainer: {command: [tune, run], numNodes: 2}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torchtune-llama3.2-1b}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torchtune-llama3.2-1b}, trainer: {command: [tune, run], numNodes: 1}}
    """,
)

TORCHTUNE_MANAGED_ARG = Rule(
    "KTJ411",
    "torchtune-managed-arg",
    """
    output_dir, tokenizer.path, tokenizer.merges_file and checkpointer.checkpoint_dir follow from the volumes of
    the runtime. A TrainJob may not set them in its args.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torchtune-llama3.2-1b}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torchtune-llama3.2-1b}, trainer: {command: [tune, run], args: [output_dir=/out]}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torchtune-llama3.2-1b}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torchtune-llama3.2-1b}, trainer: {command: [tune, run], args: [epochs=2]}}
    """,
)

JAX_TRAINER = Rule(
    "KTJ417",
    "jax-trainer-step",
    """
    Trainer 2.2's controller crashes on a JAX runtime in which no replicatedJob is the trainer's: the TrainJob is
    accepted and its JobSet never created. Label the replicatedJob, or move on to Trainer 2.3.

    Bad: (Trainer 2.2)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: jax}
        spec:
          mlPolicy: {jax: {}}
          template:
            spec:
              replicatedJobs:
              - name: node
                template: {spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: jax}}
    Good: (Trainer 2.2)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: jax}
        spec:
          mlPolicy: {jax: {}}
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                  spec: {template: {spec: {containers: [{name: node, image: "acme/train:1"}]}}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: jax}}
    """,
)

TORCHTUNE_NUM_NODES = Rule(
    "KTJ418",
    "torchtune-num-nodes",
    """
    Trainer 2.0 and 2.1: the webhook crashes on a TrainJob with the command `tune run` that states numProcPerNode but
    not numNodes, so the API server answers with an internal error. Write both.

    Bad: (Trainer 2.1)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torchtune-llama3.2-1b}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: torchtune-llama3.2-1b}, trainer: {command: [tune, run], numProcPerNode: 2}}
    Good: (Trainer 2.1)
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: torchtune-llama3.2-1b}
        spec:
          mlPolicy: {torch: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec:
          runtimeRef: {name: torchtune-llama3.2-1b}
          trainer: {command: [tune, run], numNodes: 1, numProcPerNode: 2}
    """,
)

XGBOOST_RESERVED = Rule(
    "KTJ416",
    "xgboost-reserved-env",
    """
    DMLC_TRACKER_URI, DMLC_TRACKER_PORT, DMLC_TASK_ID and DMLC_NUM_WORKER are how the workers find each other.
    Trainer sets them; a TrainJob that sets one is refused.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: xgboost}
        spec:
          mlPolicy: {xgboost: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: xgboost}, trainer: {env: [{name: DMLC_TASK_ID, value: "0"}]}}
    Good:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata: {name: xgboost}
        spec:
          mlPolicy: {xgboost: {}}
          template: {spec: {replicatedJobs: []}}
        ---
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata: {name: mnist}
        spec: {runtimeRef: {name: xgboost}, trainer: {numNodes: 2}}
    """,
)
