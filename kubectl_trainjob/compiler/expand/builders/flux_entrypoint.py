"""The ConfigMap with the scripts that install and start Flux.

Mirrors Build in trainer `pkg/runtime/framework/plugins/flux` (2.2, 2.3). The scripts in `flux/` are the content that
the controller writes (Apache-2.0, header included); `%s` marks what is filled in.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.flux_parts import broker_settings
from kubectl_trainjob.compiler.expand.plan import JOB, NAME, RUNTIME, TRAINER, Plan, identity
from kubectl_trainjob.compiler.expand.processes import node_resources
from kubectl_trainjob.kube.facts.numbers import as_int32
from kubectl_trainjob.kube.facts.trainer import FLUX_ENTRYPOINT_SUFFIX, NODE
from kubectl_trainjob.model.draft import Cause, Draft, computed, fixed

_SCRIPT = "#!/bin/sh"
_SIZE: tuple[Cause, ...] = (
    (*TRAINER, "numNodes"),
    (*TRAINER, "numProcPerNode"),
    (RUNTIME, "spec", "mlPolicy", "flux", "numProcPerNode"),
)


def build(plan: Plan, config_map: Draft) -> Draft:
    """`entrypoint.sh` for the application's container and `init.sh` for the installer (2.3)."""
    return _build(plan, config_map, _entrypoint(plan, _resources(plan)), _init(plan))


def build_local(plan: Plan, config_map: Draft) -> Draft:
    """The same without the licence, and each node finds out about its resources itself (2.2)."""
    scripts = _entrypoint(plan, "--local"), _init(plan)
    return _build(plan, config_map, *(text[text.index(_SCRIPT) :] for text in scripts))


def _build(plan: Plan, config_map: Draft, entrypoint: str, init: str) -> Draft:
    return config_map.put_each(
        [
            fixed(("apiVersion",), "v1"),
            fixed(("kind",), "ConfigMap"),
            *identity(plan, FLUX_ENTRYPOINT_SUFFIX),
            computed(("data", "entrypoint.sh"), entrypoint, (*_SIZE, *node_resources(plan).gpus.because, NAME)),
            computed(("data", "init.sh"), init, (*_SIZE, *_init_from(plan))),
        ]
    )


def _fill(template: str, *values: str) -> str:
    """The text of a template with its `%s` replaced one after the other."""
    from importlib.resources import files  # few jobs are Flux jobs, and it is slow to import

    parts = files(__package__).joinpath("flux", template).read_text(encoding="utf-8").split("%s")
    assert len(parts) == len(values) + 1
    return "".join(part + value for part, value in zip(parts, [*values, ""], strict=True))


def _entrypoint(plan: Plan, resources: str) -> str:
    nodes, tasks, gpus = _size(plan)
    flags = f"-N {nodes} -n {as_int32(tasks * nodes)}{f' -g {gpus}' if gpus > 0 else ''}"
    return _fill("entrypoint.sh", resources, f"{plan.name}-{NODE}-0-0", flags)


def _resources(plan: Plan) -> str:
    _, tasks, gpus = _size(plan)
    return f"--cores={_range(tasks)}{f' --gpu={_range(gpus)}' if gpus > 0 else ''}"


def _size(plan: Plan) -> tuple[int, int, int]:
    """Nodes, and the tasks and GPUs of each."""
    trainer = plan.trainer or {}
    tasks = trainer.get("numProcPerNode", (plan.policy("flux") or {}).get("numProcPerNode", 1))
    return trainer["numNodes"], tasks, node_resources(plan).gpus.value


def _init(plan: Plan) -> str:
    nodes = (plan.trainer or {})["numNodes"]
    hosts = f"{plan.name}-{NODE}-0-[{_range(nodes)}]"
    return _fill("init.sh", "/opt/view", f"{plan.name}-0", hosts, _broker(plan, hosts))


def _init_from(plan: Plan) -> Iterator[Cause]:
    for setting in broker_settings(plan).values():
        yield from setting.because
    yield NAME
    yield (JOB, "metadata", "namespace")


def _broker(plan: Plan, hosts: str) -> str:
    settings = {name: setting.value for name, setting in broker_settings(plan).items()}
    service = f"{plan.name}.{plan.namespace or 'default'}.svc.cluster.local"
    device, policy = settings["FLUX_NETWORK_DEVICE"], settings["FLUX_QUEUE_POLICY"]
    return _fill("broker.toml", f"tcp://{device}:%p", f"tcp://%h.{service}:%p", hosts, policy)


def _range(size: int) -> str:
    """Flux's notation of `size` indexes from 0; for none it is "0--1", as upstream writes it."""
    size = as_int32(size)
    return "0" if size == 1 else f"0-{as_int32(size - 1)}"
