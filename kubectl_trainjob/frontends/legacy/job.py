"""A job of an operator as values: its roles with their defaults, and its run policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.frontends.legacy.operators import MPI, V2BETA1, Operator
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Body, Manifest


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

    def place(self, *pointer: str | int) -> Place:
        """A place in the job's file."""
        return self.manifest.place(*pointer)

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
