"""The kinds of the operators: their fields, roles and defaults.

Mirrors kubeflow/training-operator `pkg/apis/kubeflow.org/v1` (1.9.3) and kubeflow/mpi-operator
`pkg/apis/kubeflow/v2beta1` (0.8.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_trainjob.model.stages import ObjectId

V1, V2BETA1 = "kubeflow.org/v1", "kubeflow.org/v2beta1"
PYTORCH, TENSORFLOW, XGBOOST, JAX, PADDLE, MPI = "PyTorchJob", "TFJob", "XGBoostJob", "JAXJob", "PaddleJob", "MPIJob"


class Operator(NamedTuple):
    """How an operator reads one kind.

    `field` has the replicas of each role; `leader` is the first role of a job, "" without one. `container` is the one
    that gets the launch's variables and `port`, "" for the first. `schemas` is the name of the packaged schemas.
    """

    kind: str
    api_version: str
    field: str
    roles: tuple[str, ...]
    container: str
    port_name: str
    port: int
    restart: str
    schemas: str = "training-operator-1.9"

    @property
    def has_roles_in_any_case(self) -> bool:
        """Whether the names of roles are accepted in any case: only TFJob's webhook does not check them."""
        return self.kind == TENSORFLOW


_OPERATORS = (
    Operator(
        PYTORCH, V1, "pytorchReplicaSpecs", ("Master", "Worker"), "pytorch", "pytorchjob-port", 23456, "OnFailure"
    ),
    Operator(
        TENSORFLOW, V1, "tfReplicaSpecs", ("Chief", "Master", "Evaluator", "PS", "Worker"), "tensorflow",
        "tfjob-port", 2222, "Never",
    ),
    Operator(XGBOOST, V1, "xgbReplicaSpecs", ("Master", "Worker"), "xgboost", "xgboostjob-port", 9999, "Never"),
    Operator(JAX, V1, "jaxReplicaSpecs", ("Worker",), "jax", "jaxjob-port", 6666, "Never"),
    Operator(PADDLE, V1, "paddleReplicaSpecs", ("Master", "Worker"), "paddle", "master", 36543, "OnFailure"),
    Operator(MPI, V1, "mpiReplicaSpecs", ("Launcher", "Worker"), "", "", 0, "Never"),
    Operator(MPI, V2BETA1, "mpiReplicaSpecs", ("Launcher", "Worker"), "", "", 0, "Never", "mpi-operator-0.8"),
)  # fmt: skip
_BY_KIND: Mapping[tuple[str, str], Operator] = {(each.api_version, each.kind): each for each in _OPERATORS}
KINDS = tuple(dict.fromkeys(each.kind for each in _OPERATORS))


def operator_of(identity: ObjectId) -> Operator | None:
    """The operator of an object's kind and version, None for others."""
    return _BY_KIND.get((identity.api_version, identity.kind))


def is_operator_kind(identity: ObjectId) -> bool:
    """Whether the kind is one of the operators', in any version."""
    return identity.kind in KINDS and identity.api_version.startswith("kubeflow.org/")


def versions_of(kind: str) -> list[str]:
    """The versions of a kind that an operator reads."""
    return [each.api_version for each in _OPERATORS if each.kind == kind]
