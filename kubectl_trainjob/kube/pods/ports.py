"""Ports of containers. Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateContainerPorts)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.pods.texts import port_name
from kubectl_trainjob.kube.pods.visit import Visit, missing
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.rules import POD_FIELD_NAME_INVALID

_PROTOCOLS = ("TCP", "UDP", "SCTP")
_LAST = 65535


def ports(value: list[Mapping[str, Any]], visit: Visit) -> None:
    """The ports of one container."""
    names: set[str] = set()
    for index, port in enumerate(value):
        visit.trail.append(index)
        _number(port, "containerPort", visit)
        if port.get("hostPort"):
            _number(port, "hostPort", visit)
        if port.get("name"):
            _name(port["name"], names, visit)
        protocol = port.get("protocol") or _PROTOCOLS[0]
        if protocol not in _PROTOCOLS:
            visit.refuse(f"protocol {quoted(protocol)} does not exist; use {listed(_PROTOCOLS, 'or')}", "protocol")
        visit.trail.pop()


def _name(name: str, names: set[str], visit: Visit) -> None:
    if wrong := port_name(name):
        visit.refuse(f"port name {quoted(name)} {wrong}", "name", rule=POD_FIELD_NAME_INVALID)
    elif name in names:
        visit.refuse(f"two ports are called {quoted(name)}; rename one", "name", rule=POD_FIELD_NAME_INVALID)
    names.add(name)


def _number(port: Mapping[str, Any], key: str, visit: Visit) -> None:
    number = port.get(key)
    if not number:
        missing(key, visit)
    elif not 1 <= number <= _LAST:
        visit.refuse(f"{key} {quoted(number)} must be between 1 and {_LAST}", key)


def port_number_or_name(value: int | str, visit: Visit) -> None:
    """A port of a probe: a number, or the name of one of the container's ports."""
    if isinstance(value, str):
        if wrong := port_name(value):
            visit.refuse(f"{visit.field()} {quoted(value)} {wrong}")
    elif not 1 <= value <= _LAST:
        visit.refuse(f"{visit.field()} {quoted(value)} must be between 1 and {_LAST}")


def host_ports(container: Mapping[str, Any], taken: set[tuple[str, str, int]], visit: Visit) -> None:
    """The ports of the node, which only one container may take; `visit` stands at the container."""
    for index, port in enumerate(container.get("ports") or ()):
        if not port.get("hostPort"):
            continue
        wanted = (port.get("protocol") or _PROTOCOLS[0], port.get("hostIP") or "", port["hostPort"])
        if wanted in taken:
            message = f"hostPort {quoted(port['hostPort'])} is taken by another port; use another number"
            visit.refuse(message, "ports", index, "hostPort", rule=POD_FIELD_NAME_INVALID)
        taken.add(wanted)


def host_network_ports(containers: list[Mapping[str, Any]], visit: Visit) -> None:
    """In the node's network a container's port is the node's; `visit` stands at the list of containers."""
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort")
            if host and host != port.get("containerPort"):
                message = f"hostPort {quoted(host)} must be the containerPort, because of hostNetwork"
                visit.refuse(message, index, "ports", number, "hostPort")
