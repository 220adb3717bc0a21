"""KTJ310: No node has a resource that no device plugin provides: a Pod that requests it stays pending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.resources import misspelled_device
from kubectl_trainjob.lint.containers import ContainerProblem
from kubectl_trainjob.model.message import say

_UNKNOWN = 'no device plugin provides "{}", so the Pod stays pending; write "{}"'


def find(container: Mapping[str, Any]) -> Iterator[ContainerProblem]:
    """Resources whose names are like that of a device, each name once."""
    resources = container.get("resources") or {}
    fields = {name: field for field in ("requests", "limits") for name in resources.get(field) or ()}
    for name, field in fields.items():
        device = misspelled_device(name)
        if device is not None:
            yield ContainerProblem(("resources", field, name), name, say(_UNKNOWN, name, device), "key")
