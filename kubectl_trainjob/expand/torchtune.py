"""torchtune: which recipe and config fit the job, and what a TrainJob may not ask for.

Mirrors trainer `pkg/runtime/framework/plugins/torch/torchtune.go` (2.3). The model is read from the runtime's *name*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.api.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.api.trainer import (
    ANCESTOR_TRAINER,
    NODE,
    TORCHTUNE_MODELS,
    TORCHTUNE_RUNTIME_ARGS,
    TRAINER_PORT,
)
from kubectl_trainjob.expand.nodes import first_node, node_count
from kubectl_trainjob.expand.plan import Plan, ancestor_of
from kubectl_trainjob.expand.resources import gpu_count, node_resources
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.launch import TORCHTUNE_MANAGED_ARG, TORCHTUNE_MODEL, TORCHTUNE_TOPOLOGY

MULTI_NODE_MODEL = "llama3_3/70B"
QWEN = "qwen2_5/1.5B"
SMALL_LLAMAS = ("llama3_2/1B", "llama3_2/3B")


def arguments(plan: Plan, processes: int | None) -> list[str]:
    """What Trainer appends to `tune run`: rendezvous, recipe, config, and the runtime's own settings.

    `processes` is the number a node, None for "auto" (one a GPU).
    """
    nodes, _ = node_count(plan)
    recipe, config = _recipe(plan, nodes, processes)
    devices = _gpus(plan) if processes is None else processes
    rendezvous = [f"--rdzv_endpoint={first_node(plan)}:{TRAINER_PORT}"] if nodes > 1 or devices > 1 else []
    return [*rendezvous, recipe, "--config", config, *_runtime_settings(plan)]


def _gpus(plan: Plan) -> int:
    return gpu_count(node_resources(plan)[0])


def _recipe(plan: Plan, nodes: int, processes: int | None) -> tuple[str, str]:
    """The recipe and the config's name, `<model><suffix>`."""
    args = plan.args or []
    model = _model(plan)
    lora, qlora = _has_lora(args), _has_qlora(args)
    if nodes == 1 and (processes == 1 or _gpus(plan) == 1):
        if qlora:
            return "lora_finetune_single_device", f"{model}_qlora_single_device"
        if lora:
            return "lora_finetune_single_device", f"{model}_lora_single_device"
        return "full_finetune_single_device", f"{model}_full_single_device"
    if nodes == 1 and (qlora or lora):
        return "lora_finetune_distributed", f"{model}_qlora" if qlora else f"{model}_lora"
    return "full_finetune_distributed", f"{model}_full_multinode" if nodes > 1 else f"{model}_full"


def _model(plan: Plan) -> str:
    """`torchtune-llama3.2-1b` → `llama3_2/1B`; "" when the name has not three parts."""
    parts = str(plan.job["runtimeRef"]["name"]).split("-")
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}" if len(parts) == 3 else ""


def _has_lora(args: Sequence[str]) -> bool:
    return any("model.lora_attn_modules" in arg for arg in args)


def _has_qlora(args: Sequence[str]) -> bool:
    return not _is_on(args, "model.use_dora") and _is_on(args, "model.quantize_base")


def _is_on(args: Sequence[str], setting: str) -> bool:
    pairs = (arg.split("=", 1) for arg in args if "=" in arg)
    return any(setting in name and value.strip().lower() == "true" for name, value in pairs)


def _runtime_settings(plan: Plan) -> list[str]:
    """The settings that only the runtime may give, taken from the commands of its `node` containers."""
    settings: list[str] = []
    for index in range(len(plan.jobset.get(*REPLICATED_JOBS) or ())):
        if ancestor_of(plan.jobset, index) == ANCESTOR_TRAINER:
            for container in plan.jobset.get(*pod_spec(index), "containers") or ():
                if container.get("name") == NODE:
                    words = container.get("command") or ()
                    settings += [word for word in words if word.split("=")[0] in TORCHTUNE_RUNTIME_ARGS]
    return settings


def validate(plan: Plan) -> Iterator[Diagnostic]:
    """The conditions of validateTorchTune, each at the field that breaks it."""
    trainer = plan.trainer or {}
    model = _model(plan)
    nodes = trainer.get("numNodes", 1)
    if model not in TORCHTUNE_MODELS:
        known = ", ".join(TORCHTUNE_MODELS)
        message = f'the runtime is not named torchtune-<model>-<size> after a supported model ({known}), but "{model}"'
        yield Diagnostic(TORCHTUNE_MODEL, message, plan.job_place("spec", "runtimeRef", "name"))
    yield from _validate_nodes(plan, model, nodes)
    yield from _validate_qlora(plan, model, _recipe(plan, nodes, trainer.get("numProcPerNode"))[1])
    for index, arg in enumerate(trainer.get("args") or ()):
        name = arg.split("=", 1)[0]
        if name in TORCHTUNE_RUNTIME_ARGS:
            message = f'"{name}" is set by the runtime and must not stand in spec.trainer.args; remove it'
            yield Diagnostic(TORCHTUNE_MANAGED_ARG, message, plan.job_place("spec", "trainer", "args", index))


def _validate_nodes(plan: Plan, model: str, nodes: int) -> Iterator[Diagnostic]:
    place = plan.job_place("spec", "trainer", "numNodes")
    args = plan.args or []
    if nodes > 1 and model != MULTI_NODE_MODEL:
        yield Diagnostic(
            TORCHTUNE_TOPOLOGY, f'numNodes {nodes}: model "{model}" trains on one node; set it to 1', place
        )
    if nodes > 1 and (_has_lora(args) or _has_qlora(args)):
        message = (
            f"numNodes {nodes}: torchtune has no LoRA recipe for several nodes; set it to 1 or remove the LoRA args"
        )
        yield Diagnostic(TORCHTUNE_TOPOLOGY, message, place)


def _validate_qlora(plan: Plan, model: str, config: str) -> Iterator[Diagnostic]:
    if "_qlora" not in config:
        return
    if model == QWEN:
        message = f'QLoRA is not available for model "{model}"; remove model.quantize_base'
        yield Diagnostic(TORCHTUNE_TOPOLOGY, message, plan.job_place("spec", "runtimeRef", "name"))
    if "_qlora_single_device" not in config and model in SMALL_LLAMAS:
        message = f'QLoRA on model "{model}" runs on one device: set numProcPerNode to 1 or ask for one GPU'
        yield Diagnostic(TORCHTUNE_TOPOLOGY, message, plan.job_place("spec", "trainer", "resourcesPerNode"))
