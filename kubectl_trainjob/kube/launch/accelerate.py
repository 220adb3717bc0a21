"""The flags of `accelerate launch`, which starts processes with torchrun's code: PET_* variables fill what it leaves.

Mirrors _validate_launch_command and launch_command in accelerate `commands/launch.py`, and prepare_multi_gpu_env in
`utils/launch.py` (1.0). A default configuration file in the image is not considered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubectl_trainjob.kube.facts.resources import devices
from kubectl_trainjob.kube.launch import flags
from kubectl_trainjob.kube.launch.command_line import Flag, Launcher, Word, switches
from kubectl_trainjob.kube.launch.flags import FlagValue, number, torch_flags
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.model.message import Message, say

_LAUNCH = "accelerate"
ACCELERATE = Launcher(
    re.compile("accelerate"),
    (("accelerate-launch",), ("accelerate", "launch")),
    ("accelerate.commands.launch",),
    switches("""
        help quiet cpu multi-gpu tpu ipex enable-cpu-affinity dynamo-use-fullgraph dynamo-use-dynamic use-deepspeed
        use-fsdp use-megatron-lm use-xpu same-network module no-python tpu-cluster no-tpu-cluster tpu-use-sudo
        downcast-bf16 fp8-use-autocast-during-eval debug h q m
    """),
)
_DISTRIBUTED = frozenset({"multi-gpu", "use-fsdp", "use-megatron-lm", "use-deepspeed"})
# What starts processes otherwise, or sets numbers in a file.
_OTHER = frozenset({"config-file", "cpu", "tpu", "tpu-cluster", "mpirun-hostfile", "deepspeed-hostfile"})


def launch_flags(container: ContainerSpec) -> dict[str, FlagValue]:
    """The flags of the container's torchrun or accelerate, by the names of the variables that they override."""
    found = ACCELERATE.runs(container)
    if not found:
        return torch_flags(container)
    launch = Flag(_LAUNCH, "accelerate launch", None, found[-1].words[-1].pointer)
    return _values(found[-1].flags, launch, container)


def torchrun_of(container: ContainerSpec) -> Word | None:
    """The word of the command that starts torchrun or accelerate; None for other commands."""
    runs = ACCELERATE.runs(container) or flags.TORCHRUN.runs(container)
    return runs[-1].words[-1] if runs else None


def remedy(flag: Flag) -> Message:
    """What a user does about a flag that overrides the settings of Trainer."""
    return say("start torchrun") if flag.name == _LAUNCH else say("remove the flag")


def _values(found: Mapping[str, Flag], launch: Flag, container: ContainerSpec) -> dict[str, FlagValue]:
    processes, machines, gpus = found.get("num-processes", launch), found.get("num-machines"), _gpus(container)
    total = gpus if processes is launch else number(processes.value)
    nodes = 1 if machines is None else number(machines.value)
    is_certain = _OTHER.isdisjoint(found) and (gpus is not None or not _DISTRIBUTED.isdisjoint(found))
    if not is_certain or total is None or nodes is None:
        return {flags.NODES: FlagValue(machines or launch, None), flags.PER_NODE: FlagValue(processes, None)}
    if _DISTRIBUTED.isdisjoint(found) and min(total, gpus or 0) < 2:  # it runs the program itself, without ranks
        return {flags.NODES: FlagValue(launch, "1"), flags.PER_NODE: FlagValue(launch, "1")}
    values = {flags.PER_NODE: FlagValue(processes, str(total // max(nodes, 1)))}
    own = {flags.PORT: "main-process-port"}
    if machines is not None and nodes > 1:
        values[flags.NODES] = FlagValue(machines, str(nodes))
        own |= {flags.ADDRESS: "main-process-ip", flags.RANK: "machine-rank"}
    return values | {name: FlagValue(found[flag], found[flag].value) for name, flag in own.items() if flag in found}


def _gpus(container: ContainerSpec) -> int | None:
    gpus = devices(container.resources)
    return gpus.pieces if gpus else None
