"""An `Environment` as JSON: `cli/manual/json.md` describes it."""

from __future__ import annotations

from itertools import islice
from typing import Any

from kubectl_trainjob.explain.environment.values import (
    Container,
    ContainerValue,
    Environment,
    RequiredObject,
    Role,
    Variable,
)
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.repository.output.render import write_json
from kubectl_trainjob.repository.positions import ResolvePlace

SCHEMA_VERSION = 1
MOST_NAMES = 1000


def as_json(environment: Environment, version: str, resolve: ResolvePlace) -> str:
    """The JSON text, with a line end; `resolve` finds the lines of places."""
    body = _EnvironmentJson(resolve).environment(environment, version)
    return write_json(body, "", body) + "\n"


class _EnvironmentJson:
    def __init__(self, resolve: ResolvePlace) -> None:
        self._resolve = resolve

    def environment(self, environment: Environment, version: str) -> dict[str, Any]:
        hosts = environment.launch.hosts
        return {
            "schemaVersion": SCHEMA_VERSION,
            "trainJob": {"namespace": environment.namespace, "name": environment.name},
            "trainerVersion": version,
            "roles": [self._role(role) for role in environment.roles],
            "worldSize": self._world(environment),
            "master": self._master(environment),
            "hostfile": {"configMap": environment.hostfile, "lines": [*hosts]} if hosts is not None else None,
            "needs": {
                key: [self._required_object(need) for need in environment.needs if need.kind == kind]
                for key, kind in (("secrets", "Secret"), ("configMaps", "ConfigMap"))
            },
            "warnings": [
                {"message": str(each.message), "source": self._source(each.place)} for each in environment.cautions
            ],
        }

    def _world(self, environment: Environment) -> dict[str, Any] | None:
        total = environment.launch.total
        if total is None:
            return None
        source = self._source(environment.origins.place(total.setting))
        return {"value": total.value, "formula": str(total.formula), "nodes": total.nodes, "source": source}

    def _master(self, environment: Environment) -> dict[str, Any] | None:
        rendezvous = environment.launch.rendezvous
        if rendezvous is None:
            return None
        address = {"address": rendezvous.address, "port": rendezvous.port, "setting": rendezvous.setting.name}
        return {**address, "source": self._source(environment.origins.place(rendezvous.setting))}

    def _role(self, role: Role) -> dict[str, Any]:
        pods = role.pods
        hostnames = list(islice(pods.hostnames(), MOST_NAMES))
        return {
            "name": role.name,
            "ancestor": role.ancestor,
            "pods": pods.count,
            "hostnames": hostnames,
            "subdomain": pods.subdomain or None,
            "dns": list(islice(pods.dns(), MOST_NAMES)),
            "namesLeftOut": pods.count - len(hostnames) if hostnames else 0,
            "processesPerNode": self._processes(role),
            "containers": [self._container(container) for container in role.containers],
        }

    def _processes(self, role: Role) -> dict[str, Any] | None:
        if role.processes is None:
            return None
        setting, source = role.processes.setting, self._source(role.reason.place)
        number = {
            "value": role.processes.value,
            "why": str(role.reason.why),
            "setting": setting.name if setting else None,
        }
        return {**number, "source": source}

    def _container(self, container: Container) -> dict[str, Any]:
        values = {field: each.value for field, each in container.fields.items()}
        return {
            "name": container.spec.name,
            "init": container.spec.is_init,
            "image": values.get("image"),
            "command": values.get("command", []),
            "args": values.get("args", []),
            "origins": {field: self._origin(each) for field, each in container.fields.items()},
            "env": [self._variable(variable) for variable in container.variables],
            "envFrom": [{**each.value, **self._origin(each)} for each in container.imported],
            "ports": [{**each.value, **self._origin(each)} for each in container.ports],
        }

    def _origin(self, value: Variable | ContainerValue) -> dict[str, Any]:
        return {"by": value.by, "source": self._source(value.place)}

    def _variable(self, variable: Variable) -> dict[str, Any]:
        key, value = ("value", variable.value) if variable.reference is None else ("valueFrom", variable.reference)
        return {"name": variable.name, key: value, **self._origin(variable)}

    def _required_object(self, need: RequiredObject) -> dict[str, Any]:
        uses = [
            {"role": use.role, "what": use.what, "optional": use.is_optional, "source": self._source(use.place)}
            for use in need.uses
        ]
        about = {"name": need.name, "from": need.provider, "optional": need.is_optional, "uses": uses}
        return {**about, "purpose": need.purpose} if need.purpose else about

    def _source(self, place: Place | None) -> dict[str, Any] | None:
        if place is None:
            return None
        location = self._resolve(place)
        return {"file": printable(location.file.path), "line": location.span.line}
