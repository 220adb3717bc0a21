"""What a TrainJob with torchtune's command may not request; the torch pass writes the command line.

Mirrors validateTorchTune in trainer `pkg/runtime/framework/plugins/torch/torchtune.go` (2.1-2.3), and the end of
Validate in `torch.go` (2.0).
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand import torchtune
from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.compiler.expand.processes import AUTO
from kubectl_trainjob.compiler.expand.torchtune import Torchtune
from kubectl_trainjob.model.diagnostic import Diagnostic, Edit, Fix
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.rules import TORCHTUNE_MANAGED_ARG, TORCHTUNE_MODEL, TORCHTUNE_NUM_NODES, TORCHTUNE_TOPOLOGY

MULTI_NODE_MODEL = "llama3_3/70B"
QWEN = "qwen2_5/1.5B"
SMALL_LLAMAS = ("llama3_2/1B", "llama3_2/3B")
_UNKNOWN_MODEL = (
    'model "{}", from the name of the runtime, is not supported; name it torchtune-MODEL-SIZE after one of {}'
)


def applies(plan: Plan) -> bool:
    """Torch runtimes with a TrainJob whose command is `tune run`."""
    return plan.policy("torch") is not None and torchtune.is_used(plan)


def applies_with_processes(plan: Plan) -> bool:
    """The same, but the webhook checks only TrainJobs with numProcPerNode (2.0, 2.1)."""
    return applies(plan) and (plan.trainer or {}).get("numProcPerNode") is not None


def known_model(known: Torchtune, plan: Plan) -> Iterator[Diagnostic]:
    """The runtime is named after a model that Trainer knows."""
    model = torchtune.model(plan)
    if model not in known.models:
        message = say(_UNKNOWN_MODEL, model, listed(known.models, "or", "{}"))
        yield Diagnostic(TORCHTUNE_MODEL, message, plan.job_place("spec", "runtimeRef", "name"))


def nodes_specified(_known: Torchtune, plan: Plan) -> Iterator[Diagnostic]:
    """The webhook reads numNodes without a check that it exists (2.0, 2.1)."""
    if (plan.trainer or {}).get("numNodes") is None:
        message = say("torchtune with numProcPerNode but without numNodes crashes the webhook; write numNodes")
        yield Diagnostic(TORCHTUNE_NUM_NODES, message, plan.job_place("spec", "trainer").key())


def one_node(_known: Torchtune, plan: Plan) -> Iterator[Diagnostic]:
    """Only the largest model trains on several nodes."""
    nodes, model = _nodes(plan), torchtune.model(plan)
    if nodes > 1 and model != MULTI_NODE_MODEL:
        message = say('numNodes is {}, but model "{}" trains on one node; set it to 1', nodes, model)
        yield Diagnostic(TORCHTUNE_TOPOLOGY, message, plan.job_place("spec", "trainer", "numNodes"))


def no_adapter_across_nodes(known: Torchtune, plan: Plan) -> Iterator[Diagnostic]:
    """There is no LoRA recipe for several nodes (2.3)."""
    nodes, args = _nodes(plan), plan.args or ()
    if nodes > 1 and known.adapter(args):
        message = say(
            "numNodes is {}, but torchtune has no LoRA recipe for several nodes; set it to 1 or remove the LoRA args",
            nodes,
        )
        yield Diagnostic(TORCHTUNE_TOPOLOGY, message, plan.job_place("spec", "trainer", "numNodes"))


def qlora_device(known: Torchtune, plan: Plan) -> Iterator[Diagnostic]:
    """QLoRA needs one device for the small Llamas and does not exist for Qwen (2.1-2.3)."""
    model, processes = torchtune.model(plan), (plan.trainer or {}).get("numProcPerNode", AUTO)
    _, config = torchtune.recipe(plan, _nodes(plan), processes, known)
    if "_qlora" not in config:
        return
    if model == QWEN:
        message = say('QLoRA is not available for model "{}"; remove model.quantize_base', model)
        yield Diagnostic(TORCHTUNE_TOPOLOGY, message, plan.job_place("spec", "runtimeRef", "name"))
    if "_qlora_single_device" not in config and model in SMALL_LLAMAS:
        message = say('QLoRA on model "{}" runs on one device; set numProcPerNode to 1 or request one GPU', model)
        specified = [field for field in ("numProcPerNode", "resourcesPerNode") if field in (plan.trainer or {})]
        for field in specified or ["resourcesPerNode"]:
            yield Diagnostic(TORCHTUNE_TOPOLOGY, message, plan.job_place("spec", "trainer", field))


def unmanaged_args(known: Torchtune, plan: Plan) -> Iterator[Diagnostic]:
    """The TrainJob's args do not have what the runtime sets (2.3)."""
    for index, arg in enumerate((plan.trainer or {}).get("args") or ()):
        name = arg.split("=", 1)[0]
        if name in known.runtime_args:
            message = say('"{}" is set by the runtime and not allowed in spec.trainer.args; remove it', name)
            place = plan.job_place("spec", "trainer", "args", index)
            yield Diagnostic(TORCHTUNE_MANAGED_ARG, message, place, fix=Fix(say("remove {}", name), (Edit(place),)))


def _nodes(plan: Plan) -> int:
    nodes: int = (plan.trainer or {}).get("numNodes", 1)
    return nodes
