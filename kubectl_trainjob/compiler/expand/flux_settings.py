"""Settings of Flux's broker, taken from the environment of the trainer's container.

Mirrors brokerSettingsFromEnvironment in trainer `pkg/runtime/framework/plugins/flux` (2.2, 2.3).
"""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.plan import JOB_SET, TRAINER, Counted, Plan
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE

DEFAULTS = {
    "FLUX_VIEW_IMAGE": "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy",
    "FLUX_NETWORK_DEVICE": "eth0",
    "FLUX_QUEUE_POLICY": "fcfs",
}


def broker_settings(plan: Plan) -> dict[str, Counted[str]]:
    """The known settings: the runtime's env over the defaults, the TrainJob's over both."""
    settings = {name: Counted(value) for name, value in DEFAULTS.items()}
    container = plan.container(ANCESTOR_TRAINER, NODE)
    of_runtime = (plan.jobset.get(*container, "env") if container else None) or ()
    for index, entry in enumerate(of_runtime):
        if entry["name"] in DEFAULTS and "value" in entry and container:
            settings[entry["name"]] = Counted(entry["value"], ((JOB_SET, *container, "env", index, "value"),))
    for index, entry in enumerate((plan.trainer or {}).get("env") or ()):
        if entry["name"] in DEFAULTS:
            settings[entry["name"]] = Counted(entry.get("value", ""), ((*TRAINER, "env", index, "value"),))
    return settings
