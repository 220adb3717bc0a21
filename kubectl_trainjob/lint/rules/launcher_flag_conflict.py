"""KTJ407: Flags of torchrun and deepspeed override the numbers and addresses that Trainer sets."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.resources import devices
from kubectl_trainjob.kube.launch import flags
from kubectl_trainjob.kube.launch.accelerate import launch_flags, remedy
from kubectl_trainjob.kube.launch.command_line import Flag
from kubectl_trainjob.kube.launch.flags import DeepSpeed, FlagValue, deepspeed, number
from kubectl_trainjob.kube.launch.launchers import launch_of
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import launching_node, process_count_place, trainer_node
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import Message, plural, say

_ENDPOINT = "PET_RDZV_ENDPOINT"
_SAME_RANK = "{} gives {} Pods the same rank, and the training never starts; remove the flag"
_NOT_FOUND = "with {}, each of {} Pods waits for the others at its own address; remove the flag"
_OVERRIDES = "{} overrides numProcPerNode {}; remove one of them"
_NO_HOSTS = "with {}, deepspeed stops: it needs a hostfile, and the command has none; remove the flag"
_DEVICES = '{} uses {} of each Pod, which requests "{}"; write the same number in both'


def find(job: LintedJob) -> Iterator[Hit]:
    """Flags that stop a training, or leave some of its Pods or devices unused."""
    trainer, node = job.trainer_job(), trainer_node(job)
    if trainer is not None and node is not None and job.policy("mpi") is None:
        yield from _of_torchrun(job, node, trainer.pods)
    launching = launching_node(job)
    command = deepspeed(launching) if launching else None
    if launching is not None and command is not None:
        yield from _of_deepspeed(job, launching, command)


def _of_torchrun(job: LintedJob, node: ContainerSpec, pods: int) -> Iterator[Hit]:
    found = launch_flags(node)
    nodes = found.get(flags.NODES)
    count = number(nodes.value) if nodes else None
    has_torch = job.policy("torch") is not None
    if nodes is not None and count is not None and count != pods and (has_torch or count > 1):
        yield _hit(job, nodes, _other_count(nodes.flag, count, pods))
    elif pods > 1 and (count == pods or (has_torch and nodes is None)):
        rank, address = found.get(flags.RANK), found.get(flags.ADDRESS)
        if rank is not None and number(rank.value) is not None:
            yield _hit(job, rank, say(_SAME_RANK, str(rank.flag), pods))
        if address is not None and address.value in flags.LOOPBACK and node.variable(_ENDPOINT) is None:
            yield _hit(job, address, say(_NOT_FOUND, str(address.flag), pods))
    yield from _processes(job, node, found.get(flags.PER_NODE))


def _other_count(flag: Flag, count: int, pods: int) -> Message:
    if count > pods:
        waits = say("waits for {} more", plural(count - pods, "Pod"))
        return say("{} {}, but the job has {}; {}", str(flag), waits, plural(pods, "Pod"), remedy(flag))
    effect = say("lets each of {} Pods train separately", pods)
    other = say("leaves {} of {} Pods idle", pods - count, pods)
    return say("{} {}; {}", str(flag), effect if count == 1 else other, remedy(flag))


def _processes(job: LintedJob, node: ContainerSpec, found: FlagValue | None) -> Iterator[Hit]:
    """A number that is not the one of numProcPerNode; another rule compares it with GPUs."""
    place, gpus = process_count_place(job), devices(node.resources)
    count = number(found.value) if found else None
    if found is None or count is None or place is None or count == place.value or (gpus and gpus.pieces != count):
        return
    related = ((say("numProcPerNode"), place.at),)
    yield Hit(say(_OVERRIDES, str(found.flag), place.value), job.generated(found.flag.pointer), related)


def _of_deepspeed(job: LintedJob, node: ContainerSpec, command: DeepSpeed) -> Iterator[Hit]:
    nodes = command.flags.get("num-nodes")
    count = number(nodes.value) if nodes else None
    hosts = launch_of(job.runtime_spec, job.objects).hosts
    if nodes is not None and count is not None:
        if command.is_local and count > 1:
            yield Hit(say(_NO_HOSTS, str(nodes)), job.generated(nodes.pointer))
        elif hosts is not None and command.reads_own_hostfile and count != len(hosts):
            yield Hit(_other_count(nodes, count, len(hosts)), job.generated(nodes.pointer))
    gpus, flag = devices(node.resources), command.flags.get("num-gpus") or command.flags.get("num-accelerators")
    count = number(flag.value) if flag else None
    if flag is not None and gpus is not None and count is not None and count != gpus.pieces:
        request = job.generated((*node.pointer, "resources", gpus.field, gpus.name))
        message = say(_DEVICES, str(flag), plural(count, "device"), str(gpus))
        yield Hit(message, job.generated(flag.pointer), ((say("the GPUs are requested here"), request),))


def _hit(job: LintedJob, found: FlagValue, message: Message) -> Hit:
    return Hit(message, job.generated(found.flag.pointer))
