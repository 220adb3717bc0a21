"""torchtune's command line: which recipe and config fit the job, by the rules of the releases.

Mirrors getRecipeAndConfig and what is around it in trainer `pkg/runtime/framework/plugins/torch`: `torchtune.go`
(2.1-2.3), `torch.go` (2.0). The model is read from the runtime's *name*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kubectl_trainjob.compiler.expand.nodes import first_node, node_count
from kubectl_trainjob.compiler.expand.plan import JOB, JOB_SET, NAME, TRAINER, DerivedValue, Plan, ancestor_of
from kubectl_trainjob.compiler.expand.processes import Processes, node_resources
from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, pod_spec
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, NODE, TORCHTUNE_COMMAND, TRAINER_PORT
from kubectl_trainjob.model.draft import Cause

Args = Sequence[str]
Adapter = Literal["", "lora", "qlora"]


@dataclass(frozen=True, slots=True)
class Torchtune:
    """The rules of a release for torchtune.

    `models` can be trained; `runtime_args` are settings that only the runtime gives; `adapter` reads from the args what
    is trained instead of all weights. With `counts_gpus`, a node with one GPU counts as one device. A word for the
    number of processes then means one process for each GPU; else each word means several.
    """

    models: tuple[str, ...]
    runtime_args: frozenset[str]
    adapter: Callable[[Args], Adapter]
    counts_gpus: bool


def no_adapter(_args: Args) -> Adapter:
    """2.0 supports only full fine-tuning."""
    return ""


def mentioned_adapter(args: Args) -> Adapter:
    """A setting that exists counts, with any value (2.1, 2.2)."""
    if not _mentions(args, "model.use_dora") and _mentions(args, "model.quantize_base"):
        return "qlora"
    return "lora" if _mentions(args, "model.lora_attn_modules") else ""


def enabled_adapter(args: Args) -> Adapter:
    """A switch counts when it is on (2.3)."""
    if not _is_on(args, "model.use_dora") and _is_on(args, "model.quantize_base"):
        return "qlora"
    return "lora" if _mentions(args, "model.lora_attn_modules") else ""


def _mentions(args: Args, setting: str) -> bool:
    return any(setting in arg for arg in args)


def _is_on(args: Args, setting: str) -> bool:
    pairs = (arg.split("=", 1) for arg in args if "=" in arg)
    return any(setting in name and value.strip().lower() == "true" for name, value in pairs)


def is_used(plan: Plan) -> bool:
    """Whether the TrainJob's command is torchtune's."""
    return plan.command.value == TORCHTUNE_COMMAND


def arguments(plan: Plan, processes: Processes, known: Torchtune) -> DerivedValue[list[str]]:
    """What Trainer appends to `tune run`: rendezvous, recipe, config, the runtime's own settings."""
    nodes, nodes_because = node_count(plan)
    chosen, config = recipe(plan, nodes, processes, known)
    rendezvous = [f"--rdzv_endpoint={first_node(plan)}:{TRAINER_PORT}"]
    needed = nodes > 1 or _several_devices(plan, processes, known)
    settings = list(_runtime_settings(plan, known))
    words = [*(rendezvous if needed else ()), chosen, "--config", config, *(word for word, _ in settings)]
    args = [(*TRAINER, "args")] if plan.args else []
    name = (JOB, "spec", "runtimeRef", "name")
    gpus = node_resources(plan).gpus.because
    return DerivedValue(words, (name, *nodes_because, *gpus, *args, NAME, *(cause for _, cause in settings)))


def _several_devices(plan: Plan, processes: Processes, known: Torchtune) -> bool:
    if not known.counts_gpus:
        return processes != 1
    return (_gpus(plan) if isinstance(processes, str) else processes) > 1


def _gpus(plan: Plan) -> int:
    return node_resources(plan).gpus.value


def recipe(plan: Plan, nodes: int, processes: Processes, known: Torchtune) -> tuple[str, str]:
    """The recipe and the config's name, `<model><suffix>`."""
    name = model(plan)
    adapter = known.adapter(plan.args or ())
    if nodes == 1 and (processes == 1 or (known.counts_gpus and _gpus(plan) == 1)):
        if adapter:
            return "lora_finetune_single_device", f"{name}_{adapter}_single_device"
        return "full_finetune_single_device", f"{name}_full_single_device"
    if nodes == 1 and adapter:
        return "lora_finetune_distributed", f"{name}_{adapter}"
    return "full_finetune_distributed", f"{name}_full_multinode" if nodes > 1 else f"{name}_full"


def model(plan: Plan) -> str:
    """`torchtune-llama3.2-1b` → `llama3_2/1B`; "" when the name has not three parts."""
    parts = str(plan.job["runtimeRef"]["name"]).split("-")
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}" if len(parts) == 3 else ""


def _runtime_settings(plan: Plan, known: Torchtune) -> Iterator[tuple[str, Cause]]:
    """The settings that only the runtime may give, taken from the commands of its `node` containers."""
    for index in range(len(plan.jobset.get(*REPLICATED_JOBS) or ())):
        if ancestor_of(plan.jobset, index) == ANCESTOR_TRAINER:
            for position, container in enumerate(plan.jobset.get(*pod_spec(index), "containers") or ()):
                words = (container.get("command") or ()) if container.get("name") == NODE else ()
                for number, word in enumerate(words):
                    if word.split("=")[0] in known.runtime_args:
                        yield word, (JOB_SET, *pod_spec(index), "containers", position, "command", number)
