"""Names of OME's training API (ome.io/v1beta1) as its documentation has them, and what its conversion adds."""

from __future__ import annotations

GROUP = "ome.io"
API_VERSION = "ome.io/v1beta1"
TRAINING_JOB = "TrainingJob"
TRAINING_RUNTIME = "TrainingRuntime"
CLUSTER_TRAINING_RUNTIME = "ClusterTrainingRuntime"
BASE_MODEL = "BaseModel"
CLUSTER_BASE_MODEL = "ClusterBaseModel"

COMPARTMENT_ANNOTATION = "oci.oraclecloud.com/compartment"
EXPORTER = "model-exporter"
