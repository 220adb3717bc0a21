"""An `Environment` as JSON.

    schemaVersion       1; what is added later leaves it as it is
    trainJob            {namespace, name}; namespace "" where none is stated
    trainerVersion      the Trainer that was meant
    roles[]             {name, ancestor, pods, hostnames[], subdomain, dns[], namesLeftOut, processesPerNode,
                        containers[]}; at most 1000 names of a role are listed, hostnames and dns alike
      processesPerNode  {value: number or word or null, why, setting, source}; null for a role that takes no part
      containers[]      {name, init, image, command[], args[], origins, env[], envFrom[], ports[]}, init containers
                        first; image is null and command and args are empty where the image's own count
        origins         {image, command, args}, as far as they are stated, each {by, source}
        env[]           {name, value or valueFrom, by, source}, as in the Pod, JOB_COMPLETION_INDEX included; `by` is
                        TrainJob, runtime, "Job controller", or the plugin that wrote it
        envFrom[]       {configMapRef or secretRef, prefix, by, source}
        ports[]         as in the Pod, with by and source
    worldSize           {value: number or null, formula, nodes, source}; null where nothing says how many take part;
                        source: where the nodes are stated, or a command that says otherwise
    master              {address, port, setting, source}, or null
    hostfile            {configMap, lines[]}, or null
    needs               {secrets[], configMaps[]}
      each              {name, from, optional, purpose, uses[{role, what, optional, source}]}; `from`: build, inputs,
                        controller (Trainer's, else somebody must) or cluster; `purpose` of what is generated
    warnings[]          {message, source}

`source` is {file, line} of the line to edit, or null. Characters that nobody sees are escaped.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from kubectl_trainjob.explain.environment.values import (
    Container,
    Environment,
    Master,
    Need,
    Processes,
    Role,
    Variable,
    WorldSize,
    Written,
)
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.repository.output.jsontext import write_json
from kubectl_trainjob.repository.positions import Settle

SCHEMA_VERSION = 1
MOST_NAMES = 1000


def as_json(environment: Environment, version: str, settle: Settle) -> str:
    """The JSON text, with a line end; `settle` finds the lines of places."""
    body = _Writer(settle).environment(environment, version)
    return write_json(body, "", body) + "\n"


class _Writer:
    def __init__(self, settle: Settle) -> None:
        self._settle = settle

    def environment(self, of: Environment, version: str) -> dict[str, Any]:
        world, master, hostfile = of.world, of.master, of.hostfile
        return {
            "schemaVersion": SCHEMA_VERSION,
            "trainJob": {"namespace": of.namespace, "name": of.name},
            "trainerVersion": version,
            "roles": [self._role(role) for role in of.roles],
            "worldSize": self._world(world) if world else None,
            "master": self._master(master) if master else None,
            "hostfile": {"configMap": hostfile.config_map, "lines": [*hostfile.lines]} if hostfile else None,
            "needs": {
                key: [self._need(need) for need in of.needs if need.kind == kind]
                for key, kind in (("secrets", "Secret"), ("configMaps", "ConfigMap"))
            },
            "warnings": [{"message": each.message, "source": self._source(each.place)} for each in of.cautions],
        }

    def _world(self, of: WorldSize) -> dict[str, Any]:
        return {"value": of.value, "formula": of.formula, "nodes": of.nodes, "source": self._source(of.place)}

    def _master(self, of: Master) -> dict[str, Any]:
        told = {"address": of.address, "port": of.port, "setting": of.setting}
        return {**told, "source": self._source(of.place)}

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
            "processesPerNode": self._processes(role.processes) if role.processes else None,
            "containers": [self._container(container) for container in role.containers],
        }

    def _processes(self, of: Processes) -> dict[str, Any]:
        return {"value": of.value, "why": of.why, "setting": of.setting or None, "source": self._source(of.place)}

    def _container(self, container: Container) -> dict[str, Any]:
        return {
            "name": container.name,
            "init": container.is_init,
            "image": container.body.get("image"),
            "command": container.body.get("command") or [],
            "args": container.body.get("args") or [],
            "origins": {field: self._origin(each) for field, each in container.fields.items()},
            "env": [self._variable(variable) for variable in container.variables],
            "envFrom": [{**each.value, **self._origin(each)} for each in container.imported],
            "ports": [{**each.value, **self._origin(each)} for each in container.ports],
        }

    def _origin(self, of: Variable | Written) -> dict[str, Any]:
        return {"by": of.by, "source": self._source(of.place)}

    def _variable(self, variable: Variable) -> dict[str, Any]:
        key, value = ("value", variable.value) if variable.reference is None else ("valueFrom", variable.reference)
        return {"name": variable.name, key: value, **self._origin(variable)}

    def _need(self, need: Need) -> dict[str, Any]:
        uses = [
            {"role": use.role, "what": use.what, "optional": use.is_optional, "source": self._source(use.place)}
            for use in need.uses
        ]
        told = {"name": need.name, "from": need.provider, "optional": need.is_optional, "uses": uses}
        return {**told, "purpose": need.purpose} if need.purpose else told

    def _source(self, place: Place | None) -> dict[str, Any] | None:
        if place is None:
            return None
        spot = self._settle(place)
        return {"file": printable(spot.file.path), "line": spot.span.line}
