"""Probes and lifecycle hooks. Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateProbe, validateLifecycle)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.kube.pods.ports import port_number_or_name
from kubectl_trainjob.kube.pods.texts import header_name
from kubectl_trainjob.kube.pods.visit import Check, Visit, at_least, at_most_one, choice, fields
from kubectl_trainjob.kube.schemas.messages import listed, quoted


def _headers(value: list[Mapping[str, Any]], visit: Visit) -> None:
    for index, header in enumerate(value):
        name = header.get("name", "")
        if wrong := header_name(name):
            visit.refuse(f"header {quoted(name)} {wrong}", shown=(index, "name"))


def _sleep(value: Mapping[str, Any], visit: Visit) -> None:
    seconds, grace = value.get("seconds", 0), visit.pod.grace
    if not 0 <= seconds <= grace:
        message = f"sleep {quoted(seconds)} must be between 0 and the terminationGracePeriodSeconds, which is {grace}"
        visit.refuse(message, shown=("seconds",))


_HANDLERS: dict[str, Check] = {
    "exec": fields({}, ("command",)),
    "httpGet": fields({"port": port_number_or_name, "scheme": choice("HTTP", "HTTPS"), "httpHeaders": _headers}),
    "tcpSocket": fields({"port": port_number_or_name}),
    "grpc": fields({"port": port_number_or_name}),
    "sleep": _sleep,
}


def _handler(*names: str) -> Check:
    one = at_most_one("the handler", names)

    def check(value: Mapping[str, Any], visit: Visit) -> None:
        given = next((name for name in names if value.get(name) is not None), None)
        if given is None:
            visit.refuse(f"{visit.field()} does nothing; add {listed(names, 'or')}")
        else:
            visit.enter(given, value[given], _HANDLERS[given])
            one(value, visit)

    return check


_probe_handler: Check = _handler("exec", "httpGet", "tcpSocket", "grpc")
_hook_handler: Check = _handler("exec", "httpGet", "tcpSocket", "sleep")
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_numbers: Check = fields({name: at_least(0) for name in _NUMBERS} | {"terminationGracePeriodSeconds": at_least(1)})


def _probe(value: Mapping[str, Any], visit: Visit) -> None:
    _probe_handler(value, visit)
    _numbers(value, visit)


def restarting_probe(value: Mapping[str, Any], visit: Visit) -> None:
    """A livenessProbe or startupProbe: one success is enough."""
    _probe(value, visit)
    threshold = value.get("successThreshold") or 1
    if threshold > 1:
        visit.refuse(f"successThreshold {quoted(threshold)} of a {visit.field()} must be 1", "successThreshold")


def readiness_probe(value: Mapping[str, Any], visit: Visit) -> None:
    """A readinessProbe: it ends nothing."""
    _probe(value, visit)
    if value.get("terminationGracePeriodSeconds") is not None:
        message = "a readinessProbe ends no container; remove terminationGracePeriodSeconds"
        visit.refuse(message, "terminationGracePeriodSeconds", on="key")


PROBES: dict[str, Check] = {
    "livenessProbe": restarting_probe,
    "readinessProbe": readiness_probe,
    "startupProbe": restarting_probe,
}
lifecycle: Check = fields({"postStart": _hook_handler, "preStop": _hook_handler})
