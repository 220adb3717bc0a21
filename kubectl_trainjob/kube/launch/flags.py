"""The flags of torchrun, mpirun and deepspeed, which override the variables and files of Trainer.

torchrun: get_args_parser, get_rdzv_endpoint and run in torch `torch/distributed/run.py` (2.8), which
`torch.distributed.launch` and torchtune's `tune run` parse with, too. mpirun: the options of Open MPI 4 and 5,
MPICH 4 and Intel MPI 2021.
deepspeed: parse_args, fetch_hostfile and main in DeepSpeed `deepspeed/launcher/runner.py` (0.17).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from kubectl_trainjob.kube.facts.mpi import HOSTFILE, IMPLEMENTATIONS
from kubectl_trainjob.kube.launch.command_line import (
    Flag,
    Launcher,
    Word,
    commands,
    flags,
    program_start,
    python_program,
    switches,
)
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec

_LAUNCHING = frozenset(
    {"accelerate", "colossalai", "composer", "deepspeed", "horovod", "mpi4py", "ray", "torch", "xla"}
)
_TORCH_SWITCHES = frozenset(
    {"--help", "--module", "--no-python", "--run-path", "--standalone", "--use-env", "--virtual-local-rank", "-h", "-m"}
)
_MPI_RUNNERS = frozenset(
    {"mpiexec", "mpirun", "orterun", "prterun", "mpiexec.hydra"}
    | {f"{name}.{implementation}" for name in ("mpiexec", "mpirun") for implementation in ("mpich", "openmpi")}
)
_MPI_WITH_TWO_WORDS = frozenset(("mca", "gmca", "prtemca", "pmixmca", "genv", "env"))
_MPI_WITH_WORD = """
    np n c N npernode npersocket x H host hostfile machinefile default-hostfile map-by rank-by bind-to wdir wd path
    prefix output output-filename timeout cpus-per-proc cpu-set cpu-list rankfile rf display personality
    runtime-options app am tune stdin xterm cartofile cf cpus-per-rank debugger hnp launch-agent max-restarts
    max-vm-size ompi-server ppr preload-files report-events report-pid report-uri xml-file
"""
_HYDRA_WITH_WORD = """
    f hosts configfile genvlist envlist launcher launcher-exec rmk topolib bind-to map-by membind demux iface ppn
    prepend-pattern outfile-pattern errfile-pattern nameserver order-nodes localhost usize gpus-per-proc
    bootstrap bootstrap-exec perhost machine machinefile hosts-group gtool gtoolfile s cpu-bind
"""
_MPI_WITH_ONE_WORD = frozenset(_MPI_WITH_WORD.split() + _HYDRA_WITH_WORD.split())
_HOSTFILE_VARIABLES = frozenset(
    name for each in IMPLEMENTATIONS.values() for name, value in each.launcher_variables.items() if value == HOSTFILE
)
_HOST_FLAGS = (
    *("hostfile", "machinefile", "default-hostfile", "host", "H", "app"),
    *("f", "hosts", "hosts-group", "machine", "configfile"),
)
_HOST_LINE = re.compile(r"(.*?)(?: slots=|:)(.*)", re.DOTALL)  # as Open MPI reads it, or Hydra
_NUMBER = re.compile(r"-?[0-9]{1,10}")

NODES, PER_NODE, RANK = "PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK"
ADDRESS, PORT = "PET_MASTER_ADDR", "PET_MASTER_PORT"
"""The variables of torchrun."""

JAX_VARIABLES = frozenset({"JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"})
"""The variables of Trainer for JAX. Mirrors trainer `pkg/runtime/framework/plugins/jax` (2.2, 2.3)."""

PER_DEVICE = ("auto", "gpu")
"""Words that mean one process a GPU to torchrun."""


LOOPBACK = ("localhost", "127.0.0.1")
"""Addresses of the Pod itself."""


def _torch_words(written: str) -> int:
    is_switch = written.replace("_", "-") in _TORCH_SWITCHES
    return 0 if is_switch or (not written.startswith("--") and len(written) > 2) else 1


def _mpi_words(written: str) -> int:
    name = written.lstrip("-")
    return 2 if name in _MPI_WITH_TWO_WORDS else int(name in _MPI_WITH_ONE_WORD)


TORCHRUN = Launcher(
    re.compile(r"torchrun|tune|torch\.distributed"),
    (("torchrun",), ("tune", "run")),
    ("torch.distributed.launch", "torch.distributed.run"),
    _torch_words,
)
MPIRUN = Launcher(re.compile("mpiexec|mpirun|orterun|prterun"), [(name,) for name in _MPI_RUNNERS], (), _mpi_words)
DEEPSPEED = Launcher(
    re.compile("deepspeed"),
    (("deepspeed",), ("deepspeed.pt",)),
    ("deepspeed", "deepspeed.launcher.runner"),
    switches("""
        help h module no-python no-local-rank no-ssh no-ssh-check force-multi save-pid elastic-training
        bind-cores-to-rank
    """),
)


def number(text: str | None) -> int | None:
    """The number of a text, None for any other text."""
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None


class Host(NamedTuple):
    """A line of MPI's hostfile: a host's DNS name, and how many processes it takes."""

    name: str
    slots: int


def hosts(lines: Iterable[str]) -> list[Host]:
    """The hosts of a hostfile as Trainer writes it."""
    parts = (_HOST_LINE.fullmatch(line) for line in lines)
    return [Host(part[1], number(part[2]) or 0) for part in parts if part]


class FlagValue(NamedTuple):
    """The effective value of a flag; None unless it is plain text."""

    flag: Flag
    value: str | None


def torch_flags(container: ContainerSpec) -> dict[str, FlagValue]:
    """The flags of the container's torchrun, by the names of the variables that they override."""
    found = flags(container, TORCHRUN)
    values = _values(found, {"nnodes": NODES, "nproc-per-node": PER_NODE})
    if (nodes := values.get(NODES)) and nodes.value is not None:
        fewest, _, most = nodes.value.partition(":")
        values[NODES] = nodes._replace(value=fewest if most in ("", fewest) else None)
    return {**values, **_rendezvous(found)}


def _rendezvous(found: dict[str, Flag]) -> dict[str, FlagValue]:
    """The rendezvous address. Only the backend `static` reads other flags."""
    backend, endpoint = found.get("rdzv-backend"), found.get("rdzv-endpoint")
    if "standalone" in found:
        return _at(found["standalone"], "localhost", "")
    if endpoint is not None:
        if endpoint.value is None:
            return _at(endpoint, None, None)
        host, _, port = endpoint.value.rpartition(":") if ":" in endpoint.value else (endpoint.value, "", "")
        return _at(endpoint, host, port)
    if backend is not None and backend.value != "static":
        return _at(backend, "localhost" if backend.value else None, "")
    static = {"master-addr": ADDRESS, "master-port": PORT, "node-rank": RANK}
    return _values(found, static)


def _values(found: dict[str, Flag], variables: dict[str, str]) -> dict[str, FlagValue]:
    return {each: FlagValue(found[name], found[name].value) for name, each in variables.items() if name in found}


def _at(flag: Flag, host: str | None, port: str | None) -> dict[str, FlagValue]:
    return {ADDRESS: FlagValue(flag, host), PORT: FlagValue(flag, port)}


def plain_python(container: ContainerSpec) -> Word | None:
    """The Python that a container runs last, if its file or module is not a known launcher.

    None if any command is torchrun, and for code in the command (`python -c`).
    """
    found = [words for words in commands(container) if words]
    if not found or any(TORCHRUN.end(words) is not None for words in found):
        return None
    words = found[-1][program_start(found[-1]) :]
    program = python_program([word.text for word in words])
    if not program:
        return None
    text, is_module = words[program].text, words[program - 1].text == "-m"
    is_plain = text.partition(".")[0] not in _LAUNCHING if is_module else text.endswith(".py")
    return words[0] if is_plain else None


class DeepSpeed(NamedTuple):
    """A command that starts deepspeed: its first word, and its flags."""

    word: Word
    flags: dict[str, Flag]

    @property
    def hostfile(self) -> Flag | None:
        """The flag that names its hosts."""
        return self.flags.get("hostfile") or self.flags.get("H")

    @property
    def reads_own_hostfile(self) -> bool:
        """Whether it reads the hostfile of Trainer."""
        return self.hostfile is not None and self.hostfile.value == HOSTFILE

    @property
    def is_local(self) -> bool:
        """Whether it starts processes only in its own Pod."""
        return self.hostfile is None and "no-ssh" not in self.flags

    @property
    def has_all_hosts(self) -> bool:
        """Whether it starts what Trainer's hostfile says."""
        filters = {"include", "i", "exclude", "e", "num-nodes", "num-gpus", "num-accelerators"}
        return self.reads_own_hostfile and filters.isdisjoint(self.flags)


def deepspeed(container: ContainerSpec) -> DeepSpeed | None:
    """The last deepspeed that a container runs."""
    found = DEEPSPEED.runs(container)
    return DeepSpeed(found[-1].words[program_start(found[-1].words)], found[-1].flags) if found else None


def other_launcher(container: ContainerSpec, launcher: str) -> Word | None:
    """The program that starts processes without what Trainer sets for the runtime's launcher."""
    command = deepspeed(container)
    if command is not None:
        return None if command.has_all_hosts else command.word
    last = [[], *commands(container, TORCHRUN.names)][-1]
    return last[program_start(last)] if launcher == "mpi" and TORCHRUN.end(last) is not None else None


class Ranks(NamedTuple):
    """How many ranks mpirun starts: `total`, or `each` on a host; neither if only the command knows."""

    flag: Flag
    total: int | None = None
    each: int | None = None


def mpi_ranks(container: ContainerSpec) -> Ranks | None:
    """The ranks that flags of the container's mpirun set; None if only the hostfile does."""
    found = flags(container, MPIRUN)
    for name in (*_HOST_FLAGS, "map-by"):
        flag = found.get(name)
        if flag is not None and _decides(flag):
            return Ranks(flag)
    for name in ("np", "n", "c", "N", "npernode", "pernode"):
        flag = found.get(name)
        if flag is not None:
            count = 1 if name == "pernode" else number(flag.value)
            return Ranks(flag, each=count) if name in ("N", "npernode", "pernode") else Ranks(flag, total=count)
    return None


def mpirun_without_hosts(container: ContainerSpec, variables: Collection[str] = _HOSTFILE_VARIABLES) -> Word | None:
    """The mpirun that a container runs; None if flags, or variables with these names, name its hosts."""
    if container.body.get("envFrom") or any(map(container.variable, variables)):
        return None
    found = MPIRUN.runs(container)
    if not found or any(flag in run.flags for run in found for flag in _HOST_FLAGS):
        return None
    return found[0].words[-1]


def _decides(flag: Flag) -> bool:
    return "ppr" in (flag.value or "") if flag.name == "map-by" else flag.value != HOSTFILE
