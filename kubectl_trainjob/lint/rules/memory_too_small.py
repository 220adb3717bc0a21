"""KTJ317: No container runs in less than a MiB. `m` means thousandths, and a number without a unit means bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.lint.containers import ContainerProblem
from kubectl_trainjob.model.message import Message, plural, say
from kubectl_trainjob.model.rules import Severity

_LEAST = Quantity.parse("1Mi")
_IN_BYTES = ("memory", "ephemeral-storage")
_TOO_SMALL = '{} "{}" {}; write a unit such as "{}"'


def find(container: Mapping[str, Any]) -> Iterator[ContainerProblem]:
    """Amounts of memory that are too small for any program. A request only misleads the scheduler."""
    resources = container.get("resources") or {}
    for field in ("limits", "requests"):
        for name in _IN_BYTES:
            amount = (resources.get(field) or {}).get(name)
            if amount is not None and Quantity.ZERO < Quantity.parse(amount) < _LEAST:
                message = say(_TOO_SMALL, say("{}", name), str(amount), _meaning(amount), _with_unit(str(amount)))
                severity = Severity.WARNING if field == "requests" else None
                value = field, name, str(Quantity.parse(amount))
                yield ContainerProblem(("resources", field, name), value, message, severity=severity)


def _meaning(amount: str | int | float) -> Message:
    size = plural(Quantity.parse(amount).value(), "byte")
    if str(amount).endswith("m"):
        return say("is not more than {}, because m means thousandths", size)
    return say("is {}", size)


def _with_unit(amount: str) -> str:
    number = re.match(r"[0-9.]+", amount.removeprefix("+"))
    return f"{number[0] if number else 1}Mi"
