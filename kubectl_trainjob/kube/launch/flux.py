"""The launch of Flux, read from the entrypoint that Trainer generates.

Mirrors trainer `pkg/runtime/framework/plugins/flux` (2.2, 2.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubectl_trainjob.kube.facts.trainer import FLUX_ENTRYPOINT_SUFFIX, NODE
from kubectl_trainjob.kube.launch.values import GeneratedObjects, Launch, PodProcesses, Rendezvous, Setting, times

_FLAGS = r'(?m)^ +flags="-N (-?[0-9]+) -n (-?[0-9]+)'
_HOST = r'(?m)^mainHost="([^"]*)"'
_PORT = r"(?m)^default_port = ([0-9]+)$"


def flux_launch(generated: GeneratedObjects) -> Launch:
    """Flux: the entrypoint of the first node runs the command as a number of tasks on a number of nodes."""
    _, data = generated.config_map(FLUX_ENTRYPOINT_SUFFIX) or (0, {})
    entrypoint = data.get("entrypoint.sh", "")
    flags = re.search(_FLAGS, entrypoint)
    job = next((each for each in generated.jobs if each.name == NODE), None)
    if flags is None or job is None:
        return Launch("flux")
    nodes, tasks = int(flags[1]), int(flags[2])
    each = tasks // nodes if nodes else None
    processes = PodProcesses(each, job.node(), Setting("flux run -n", ()))
    total = times(nodes, each, tasks, generated.nodes())
    return Launch("flux", {job.position: processes}, total, _broker(generated.name, entrypoint, data))


def _broker(name: str, entrypoint: str, data: Mapping[str, str]) -> Rendezvous | None:
    """The node that runs the command; the Service always has the job's name."""
    host = re.search(_HOST, entrypoint)
    port = re.search(_PORT, data.get("init.sh", ""))
    if host is None:
        return None
    return Rendezvous(f"{host[1]}.{name}", port[1] if port else "", Setting("the broker", ("metadata", "name")))
