"""Ports of containers, and the probes and lifecycle hooks that use them.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateContainerPorts, validateProbe, validateLifecycle).
"""

from __future__ import annotations

from kubectl_trainjob.kube.facts.validation import header_name, port_name
from kubectl_trainjob.kube.pods.visit import Check, Visit, between, choice, every, fields
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.rules import POD_FIELD_NAME_INVALID
from kubectl_trainjob.model.stages import Body

_PROTOCOLS = ("TCP", "UDP", "SCTP")
_LAST = 65535


def ports(value: list[Body], visit: Visit) -> None:
    """The ports of one container."""
    names: set[str] = set()
    for port in visit.items(value):
        number, protocol = port.get("containerPort"), port.get("protocol")
        if not number:
            visit.reject_missing("containerPort")
        elif not 1 <= number <= _LAST:
            visit.check_between("containerPort", number, 1, _LAST, "containerPort")
        if port.get("hostPort"):
            visit.check_between("hostPort", port["hostPort"], 1, _LAST, "hostPort")
        name, rule = port.get("name"), POD_FIELD_NAME_INVALID
        if name and visit.check_text("port name", name, port_name, "name", rule=rule):
            visit.check_unique("port name", name, names, "name", rule=rule)
        if protocol:
            visit.check_choice("protocol", protocol, _PROTOCOLS, "protocol")


def port_number_or_name(value: int | str, visit: Visit) -> None:
    """A port of a probe: a number, or the name of one of the container's ports."""
    if isinstance(value, str):
        visit.check_text(visit.field(), value, port_name)
    elif not 1 <= value <= _LAST:
        visit.check_between(visit.field(), value, 1, _LAST)


def host_ports(container: Body, taken: set[tuple[str, str, int]], visit: Visit) -> None:
    """The ports of the node, each for one container only; the container is the current value."""
    for index, port in enumerate(container.get("ports") or ()):
        if not port.get("hostPort"):
            continue
        host_port = (port.get("protocol") or _PROTOCOLS[0], port.get("hostIP") or "", port["hostPort"])
        if host_port in taken:
            message = say('hostPort "{}" is used by another port; use another number', port["hostPort"])
            visit.reject(message, "ports", index, "hostPort", rule=POD_FIELD_NAME_INVALID)
        taken.add(host_port)


def host_network_ports(containers: list[Body], visit: Visit) -> None:
    """In the node's network a container's port is the node's; the list of containers is the current value."""
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort")
            if host and host != port.get("containerPort"):
                message = say('hostPort "{}" must equal the containerPort, because of hostNetwork', host)
                visit.reject(message, index, "ports", number, "hostPort")


def _headers(value: list[Body], visit: Visit) -> None:
    for index, header in enumerate(value):
        visit.check_text("header", header.get("name", ""), header_name, shown=(index, "name"))


def _sleep(value: Body, visit: Visit) -> None:
    seconds, most = value.get("seconds", 0), visit.pod.grace_period
    if not 0 <= seconds <= most:
        template = 'sleep "{}" must be between 0 and the terminationGracePeriodSeconds, which is {}'
        visit.reject(say(template, seconds, most), shown=("seconds",))


_HANDLERS: dict[str, Check] = {
    "exec": fields({}, ("command",)),
    "httpGet": fields({"port": port_number_or_name, "scheme": choice("HTTP", "HTTPS"), "httpHeaders": _headers}),
    "tcpSocket": fields({"port": port_number_or_name}),
    "grpc": fields({"port": port_number_or_name}),
    "sleep": _sleep,
}


def _handler(*names: str) -> Check:
    def check(value: Body, visit: Visit) -> None:
        given = [name for name in names if value.get(name) is not None]
        if not given:
            visit.reject(say("{} has no handler; add {}", Message(visit.field()), listed(names, "or", "{}")))
        for name in given[:1]:
            visit.enter(name, value[name], _HANDLERS[name])
        for name in given[1:]:
            template = "{} already has the handler {}; remove one of them"
            visit.reject(say(template, Message(visit.field()), Message(given[0])), name, on="key")

    return check


_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_probe: Check = every(
    _handler("exec", "httpGet", "tcpSocket", "grpc"),
    fields({name: between(0, None) for name in _NUMBERS} | {"terminationGracePeriodSeconds": between(1, None)}),
)
_hook: Check = _handler("exec", "httpGet", "tcpSocket", "sleep")
lifecycle: Check = fields({"postStart": _hook, "preStop": _hook})


def _restarting_probe(value: Body, visit: Visit) -> None:
    """A livenessProbe or startupProbe: one success is enough."""
    _probe(value, visit)
    threshold = value.get("successThreshold") or 1
    if threshold > 1:
        message = say('successThreshold "{}" of a {} must be 1', threshold, Message(visit.field()))
        visit.reject(message, "successThreshold")


def _readiness_probe(value: Body, visit: Visit) -> None:
    _probe(value, visit)
    if value.get("terminationGracePeriodSeconds") is not None:
        message = say("a readinessProbe does not end the container; remove terminationGracePeriodSeconds")
        visit.reject(message, "terminationGracePeriodSeconds", on="key")


PROBES: dict[str, Check] = {
    "livenessProbe": _restarting_probe,
    "readinessProbe": _readiness_probe,
    "startupProbe": _restarting_probe,
}
