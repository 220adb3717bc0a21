"""The ConfigMap with the scripts that install and start Flux.

Mirrors Build in trainer `pkg/runtime/framework/plugins/flux` (2.2, 2.3). The scripts in `flux/` are the content that
the controller writes (Apache-2.0, header included); `%s` marks what is filled in.
"""

from __future__ import annotations

from importlib.resources import files

from kubectl_trainjob.api.numbers import as_int32
from kubectl_trainjob.api.trainer import FLUX_ENTRYPOINT_SUFFIX, NODE
from kubectl_trainjob.draft import Cause, Draft
from kubectl_trainjob.expand.flux_settings import broker_settings
from kubectl_trainjob.expand.plan import RUNTIME, TRAIN_JOB, TRAINER, Plan
from kubectl_trainjob.expand.resources import gpu_count, node_resources

CAUSES: tuple[Cause, ...] = (
    (*TRAINER, "numNodes"),
    (*TRAINER, "numProcPerNode"),
    (RUNTIME, "spec", "mlPolicy", "flux"),
)


def build(plan: Plan, config_map: Draft) -> Draft:
    """`entrypoint.sh` for the application's container and `init.sh` for the installer."""
    config_map = config_map.step("flux").put(("apiVersion",), "v1").put(("kind",), "ConfigMap")
    config_map = config_map.put(("metadata", "name"), f"{plan.name}{FLUX_ENTRYPOINT_SUFFIX}")
    if plan.namespace:
        cause = (TRAIN_JOB, "metadata", "namespace")
        config_map = config_map.put(("metadata", "namespace"), plan.namespace, copied=cause)
    config_map = config_map.put(("data", "entrypoint.sh"), _entrypoint(plan), because=CAUSES)
    return config_map.put(("data", "init.sh"), _init(plan), because=CAUSES)


def _fill(template: str, *values: str) -> str:
    """The text of a template with its `%s` replaced one after the other."""
    parts = files(__package__).joinpath("flux", template).read_text(encoding="utf-8").split("%s")
    assert len(parts) == len(values) + 1
    return "".join(part + value for part, value in zip(parts, [*values, ""], strict=True))


def _entrypoint(plan: Plan) -> str:
    trainer = plan.trainer or {}
    nodes = trainer["numNodes"]
    tasks = trainer.get("numProcPerNode", (plan.policy("flux") or {}).get("numProcPerNode", 1))
    gpus = gpu_count(node_resources(plan)[0])
    resources, flags = f"--cores={_range(tasks)}", f"-N {nodes} -n {as_int32(tasks * nodes)}"
    if gpus > 0:
        resources, flags = f"{resources} --gpu={_range(gpus)}", f"{flags} -g {gpus}"
    return _fill("entrypoint.sh", resources, f"{plan.name}-{NODE}-0-0", flags)


def _init(plan: Plan) -> str:
    nodes = (plan.trainer or {})["numNodes"]
    hosts = f"{plan.name}-{NODE}-0-[{_range(nodes)}]"
    return _fill("init.sh", "/opt/view", f"{plan.name}-0", hosts, _broker(plan, hosts))


def _broker(plan: Plan, hosts: str) -> str:
    settings = broker_settings(plan)
    service = f"{plan.name}.{plan.namespace or 'default'}.svc.cluster.local"
    device, policy = settings["FLUX_NETWORK_DEVICE"], settings["FLUX_QUEUE_POLICY"]
    return _fill("broker.toml", f"tcp://{device}:%p", f"tcp://%h.{service}:%p", hosts, policy)


def _range(size: int) -> str:
    """Flux's notation of `size` indexes from 0; for none it is "0--1", as upstream writes it."""
    return "0" if size == 1 else f"0-{size - 1}"
