"""Names that Kubeflow Trainer owns (2.0-2.3). Mirrors `pkg/constants`, and volcano's and scheduler-plugins'."""

from __future__ import annotations

GROUP = "trainer.kubeflow.org"
API_VERSION = "trainer.kubeflow.org/v1alpha1"
TRAIN_JOB = "TrainJob"
TRAINING_RUNTIME = "TrainingRuntime"
CLUSTER_TRAINING_RUNTIME = "ClusterTrainingRuntime"

ANCESTOR_LABEL = "trainer.kubeflow.org/trainjob-ancestor-step"
SUPPORT_LABEL = "trainer.kubeflow.org/support"
DATASET_INITIALIZER = "dataset-initializer"
MODEL_INITIALIZER = "model-initializer"
ANCESTOR_TRAINER = "trainer"
INITIALIZERS = {"dataset": DATASET_INITIALIZER, "model": MODEL_INITIALIZER}
"""By the field of `spec.initializer`: the name of its replicatedJob, ancestor step and container."""

NODE = "node"
LAUNCHER = "launcher"
TRAINER_PORT = 29500
COMPLETION_INDEX_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']"

POD_SPEC_OVERRIDES = "podSpecOverrides"
POD_TEMPLATE_OVERRIDES = "podTemplateOverrides"
RUNTIME_PATCHES = "runtimePatches"
OVERRIDES = frozenset({POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES})
"""What a TrainJob changes the runtime's template with: in 2.0, in 2.1, and since 2.2."""

INITIALIZER_VOLUME = "initializer"
INITIALIZER_STORAGE_ENV = "STORAGE_URI"

MANAGED_BY_TRAINER = "trainer.kubeflow.org/trainjob-controller"
KUEUE_LABEL_PREFIX = "kueue.x-k8s.io/"
KUEUE_QUEUE_LABEL = f"{KUEUE_LABEL_PREFIX}queue-name"

POD_GROUP = "PodGroup"
COSCHEDULING_API_VERSION = "scheduling.x-k8s.io/v1alpha1"
COSCHEDULING_LABEL = "scheduling.x-k8s.io/pod-group"
VOLCANO_API_VERSION = "scheduling.volcano.sh/v1beta1"
VOLCANO_GROUP_ANNOTATION = "scheduling.k8s.io/group-name"
VOLCANO_QUEUE_ANNOTATION = "scheduling.volcano.sh/queue-name"

TORCH_RESERVED_ENV = frozenset(
    {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"}
)
XGBOOST_RESERVED_ENV = frozenset({"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"})
MPI_RESERVED_ENV = frozenset(
    {
        "OMPI_MCA_orte_default_hostfile",
        "OMPI_MCA_plm_rsh_args",
        "OMPI_MCA_orte_keep_fqdn_hostnames",
        "OMPI_MCA_orte_set_default_slots",
    }
)
OPEN_MPI = "OpenMPI"
SSH_AUTH_SUFFIX = "-mpi-ssh-auth"
SSH_PRIVATE_KEY = "ssh-privatekey"
SSH_PUBLIC_KEY = "ssh-publickey"
HOSTFILE_SUFFIX = "-mpi-hostfile"

TORCHTUNE_COMMAND = ["tune", "run"]

FLUX_CURVE_SUFFIX = "-flux-curve"
FLUX_CURVE_KEY = "curve.cert"
FLUX_ENTRYPOINT_SUFFIX = "-flux-entrypoint"
FLUX_INSTALLER = "flux-installer"
