"""Which resources are GPUs and other devices that models are trained on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubectl_trainjob.kube.facts.devices import uncounted
from kubectl_trainjob.kube.facts.node_counts import names_gpu
from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.review.diff.changes import Totals

# Shares of a device's memory and cores, which are not counted in devices: those of HAMi, Volcano, Koordinator, Alibaba
# Cloud and Intel.
_SHARE = re.compile(r"gpu-?(mem|core)|^gpu\.intel\.com/(memory|millicores|.*_monitoring$)", re.IGNORECASE)


def gpus(totals: Totals) -> Mapping[str, Quantity]:
    """The GPUs, TPUs and the like among what is asked for, by the names of their resources in order."""
    return {name: quantity for name, quantity in sorted((totals.resources or {}).items()) if is_gpu(name)}


def is_gpu(resource: str) -> bool:
    """Whether a resource of this name counts whole devices or parts that are devices to a container (MIG)."""
    is_device = names_gpu(resource) or uncounted({"limits": {resource: 1}}) is not None
    return is_device and _SHARE.search(resource) is None
