"""The kinds of the operators, with their fields, roles and defaults, and a job of one of them as values.

Mirrors kubeflow/training-operator `pkg/apis/kubeflow.org/v1` (1.9.3) and kubeflow/mpi-operator
`pkg/apis/kubeflow/v2beta1` (0.8.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kubectl_trainjob.model.stages import Body, Manifest, ObjectId

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


@dataclass(frozen=True, slots=True, eq=False)
class JobRole:
    """The Pods of one role: `key` is its field, `name` the role in names of Pods."""

    key: str
    count: int
    restart: str
    template: Body

    @property
    def name(self) -> str:
        """The role in names: `master`, `ps`."""
        return self.key.lower()

    @property
    def pod(self) -> Body:
        """The spec of its Pods."""
        spec: Body = self.template.get("spec") or {}
        return spec


@dataclass(frozen=True, slots=True, eq=False)
class LegacyJob:
    """A job that its operator accepts. Roles are in the order of ranks."""

    manifest: Manifest
    operator: Operator
    roles: tuple[JobRole, ...]

    @property
    def name(self) -> str:
        """The name of the job."""
        return self.manifest.id.name

    @property
    def spec(self) -> Body:
        """The spec as written, without nulls."""
        spec: Body = self.manifest.body["spec"]
        return spec

    @property
    def run_policy(self) -> Body:
        """`spec.runPolicy`, {} for none."""
        policy: Body = self.spec.get("runPolicy") or {}
        return policy

    @property
    def pods(self) -> int:
        """The number of Pods."""
        return sum(role.count for role in self.roles)

    def role(self, key: str) -> JobRole | None:
        """The role of a field."""
        return next((role for role in self.roles if role.key == key), None)

    def main(self, role: JobRole) -> int:
        """The index of the container that trains."""
        names = [container.get("name") for container in role.pod["containers"]]
        return names.index(self.operator.container) if self.operator.container in names else 0

    def port(self, role: JobRole) -> int:
        """The port of the launch: the container's port of the operator's name, else the default."""
        ports = role.pod["containers"][self.main(role)].get("ports") or ()
        named = (port["containerPort"] for port in ports if port.get("name") == self.operator.port_name)
        return next(named, self.operator.port)


def read_job(manifest: Manifest, operator: Operator) -> LegacyJob:
    """The job with the operator's defaults; for a body that `admission` accepted."""
    specs: Mapping[str, Any] = manifest.body["spec"].get(operator.field) or {}
    written = {role_key(key, operator): (key, spec) for key, spec in specs.items()}
    roles = [_role(key, written[key][1], operator) for key in operator.roles if key in written]
    return LegacyJob(manifest, operator, tuple(role for role in roles if role.count))


def role_key(key: str, operator: Operator) -> str:
    """The role of a field in `operator.field`."""
    if not operator.has_roles_in_any_case:
        return key
    return next((role for role in operator.roles if role.lower() == key.lower()), key)


def _role(key: str, spec: Body, operator: Operator) -> JobRole:
    fewest = 0 if (operator.kind, key) == (MPI, "Worker") else 1
    restart = spec.get("restartPolicy") or operator.restart
    if operator.api_version == V2BETA1 and key == "Launcher" and not spec.get("restartPolicy"):
        restart = "OnFailure"
    return JobRole(key, spec.get("replicas", fewest), restart, spec["template"])
