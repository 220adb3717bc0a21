"""Settings of Flux's broker, taken from the environment of the trainer's container.

Mirrors brokerSettingsFromEnvironment in trainer `pkg/runtime/framework/plugins/flux` (2.2, 2.3).
"""

from __future__ import annotations

from kubectl_trainjob.api.trainer import ANCESTOR_TRAINER, NODE
from kubectl_trainjob.expand.plan import Plan

DEFAULTS = {
    "FLUX_VIEW_IMAGE": "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy",
    "FLUX_NETWORK_DEVICE": "eth0",
    "FLUX_QUEUE_POLICY": "fcfs",
}


def broker_settings(plan: Plan) -> dict[str, str]:
    """The known settings: the runtime's env over the defaults, the TrainJob's over both."""
    container = plan.container(ANCESTOR_TRAINER, NODE)
    of_runtime = (plan.jobset.get(*container, "env") if container else None) or ()
    settings = DEFAULTS | {
        entry["name"]: entry["value"] for entry in of_runtime if entry["name"] in DEFAULTS and "value" in entry
    }
    of_job = (plan.trainer or {}).get("env") or ()
    return settings | {entry["name"]: entry.get("value", "") for entry in of_job if entry["name"] in DEFAULTS}
