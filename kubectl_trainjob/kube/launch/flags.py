"""The flags of torchrun and mpirun, which override the variables and files of Trainer.

torchrun: get_args_parser, get_rdzv_endpoint and run in torch `torch/distributed/run.py` (2.8), which
`torch.distributed.launch` and torchtune's `tune run` parse with, too. mpirun: the options of Open MPI 4 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_trainjob.kube.launch.command_line import Flag, Word, base, commands, flags, program_start
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec

_PYTHON = re.compile(r"python[0-9.]*")
_MODULES = frozenset({"torch.distributed.launch", "torch.distributed.run"})
_LAUNCHING = frozenset(
    {"accelerate", "colossalai", "composer", "deepspeed", "horovod", "mpi4py", "ray", "torch", "xla"}
)
_TORCH_SWITCHES = frozenset(
    {"--help", "--module", "--no-python", "--run-path", "--standalone", "--use-env", "--virtual-local-rank", "-h", "-m"}
)
_TORCH_NAMES = re.compile(r"torchrun|tune|torch\.distributed")
_MPI_RUNNERS = frozenset({"mpiexec", "mpirun", "mpirun.openmpi", "orterun", "prterun"})
_MPI_NAMES = re.compile("mpiexec|mpirun|orterun|prterun")
_MPI_WITH_TWO_WORDS = frozenset(("mca", "gmca", "prtemca", "pmixmca"))
_MPI_WITH_WORD = """
    np n c N npernode npersocket x H host hostfile machinefile default-hostfile map-by rank-by bind-to wdir wd path
    prefix output output-filename timeout cpus-per-proc cpu-set cpu-list rankfile rf display personality
    runtime-options app am tune stdin xterm
"""
_MPI_WITH_ONE_WORD = frozenset(_MPI_WITH_WORD.split())
_HOSTFILE = "/etc/mpi/hostfile"  # where Trainer mounts the hostfile
_NUMBER = re.compile(r"-?[0-9]{1,10}")

JAX_VARIABLES = frozenset({"JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"})
"""The variables of Trainer for JAX. Mirrors trainer `pkg/runtime/framework/plugins/jax` (2.2, 2.3)."""

PER_DEVICE = ("auto", "gpu")
"""Words that mean one process a GPU to torchrun."""


def number(text: str | None) -> int | None:
    """The number of a text, None for any other text."""
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None


class Host(NamedTuple):
    """A line of MPI's hostfile: a host's DNS name, and how many processes it takes."""

    name: str
    slots: int


def hosts(lines: Iterable[str]) -> list[Host]:
    """The hosts of a hostfile as Trainer writes it."""
    parts = (line.partition(" slots=") for line in lines)
    return [Host(name, number(slots) or 0) for name, _, slots in parts]


class FlagValue(NamedTuple):
    """The effective value of a flag; None unless it is plain text."""

    flag: Flag
    value: str | None


def torch_flags(container: ContainerSpec) -> dict[str, FlagValue]:
    """The flags of the container's torchrun, by the names of the variables that they override."""
    found = flags(container, _TORCH_NAMES, _after_torchrun, _torch_words)
    values = _values(found, {"nnodes": "PET_NNODES", "nproc-per-node": "PET_NPROC_PER_NODE"})
    if (nodes := values.get("PET_NNODES")) and nodes.value is not None:
        fewest, _, most = nodes.value.partition(":")
        values["PET_NNODES"] = nodes._replace(value=fewest if most in ("", fewest) else None)
    return {**values, **_rendezvous(found)}


def _rendezvous(found: dict[str, Flag]) -> dict[str, FlagValue]:
    """The rendezvous address. Only the backend `static` reads the flags --master-addr and --master-port."""
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
    return _values(found, {"master-addr": "PET_MASTER_ADDR", "master-port": "PET_MASTER_PORT"})


def _values(found: dict[str, Flag], variables: dict[str, str]) -> dict[str, FlagValue]:
    return {each: FlagValue(found[name], found[name].value) for name, each in variables.items() if name in found}


def _at(flag: Flag, host: str | None, port: str | None) -> dict[str, FlagValue]:
    return {"PET_MASTER_ADDR": FlagValue(flag, host), "PET_MASTER_PORT": FlagValue(flag, port)}


def _after_torchrun(words: Sequence[Word]) -> int | None:
    start = program_start(words)
    texts = [word.text for word in words[start:]]
    name = base(texts[0]) if texts else ""
    if name == "torchrun":
        return start + 1
    if name == "tune" and texts[1:2] == ["run"]:
        return start + 2
    if _PYTHON.fullmatch(name):
        module = next((index for index, text in enumerate(texts) if index and not text.startswith("-")), 0)
        if texts[module - 1] == "-m" and texts[module] in _MODULES:
            return start + module + 1
    return None


def plain_python(container: ContainerSpec) -> Word | None:
    """The Python that a container runs last, if it runs a file or a module that is not a known launcher.

    None if any command is torchrun, and for code in the command (`python -c`).
    """
    found = [words for words in commands(container) if words]
    if not found or any(_after_torchrun(words) is not None for words in found):
        return None
    words = found[-1][program_start(found[-1]) :]
    if not words or not _PYTHON.fullmatch(base(words[0].text)):
        return None
    program = next((index for index, word in enumerate(words) if index and not word.text.startswith("-")), 0)
    text, is_module = words[program].text, words[program - 1].text == "-m"
    is_plain = text.partition(".")[0] not in _LAUNCHING if is_module else text.endswith(".py")
    return words[0] if program and is_plain else None


def _torch_words(written: str) -> int:
    is_switch = written.replace("_", "-") in _TORCH_SWITCHES
    return 0 if is_switch or (not written.startswith("--") and len(written) > 2) else 1


class Ranks(NamedTuple):
    """How many ranks mpirun starts: `total`, or `each` on a host; neither if only the command knows."""

    flag: Flag
    total: int | None = None
    each: int | None = None


def mpi_ranks(container: ContainerSpec) -> Ranks | None:
    """The ranks that flags of the container's mpirun set; None if only the hostfile does."""
    found = flags(container, _MPI_NAMES, _after_mpirun, _mpi_words)
    for name in ("hostfile", "machinefile", "default-hostfile", "host", "H", "app", "map-by"):
        flag = found.get(name)
        if flag is not None and _decides(flag):
            return Ranks(flag)
    for name in ("np", "n", "c", "N", "npernode", "pernode"):
        flag = found.get(name)
        if flag is not None:
            count = 1 if name == "pernode" else number(flag.value)
            return Ranks(flag, each=count) if name in ("N", "npernode", "pernode") else Ranks(flag, total=count)
    return None


def _decides(flag: Flag) -> bool:
    return "ppr" in (flag.value or "") if flag.name == "map-by" else flag.value != _HOSTFILE


def _after_mpirun(words: Sequence[Word]) -> int | None:
    start = program_start(words)
    return start + 1 if start < len(words) and base(words[start].text) in _MPI_RUNNERS else None


def _mpi_words(written: str) -> int:
    name = written.lstrip("-")
    return 2 if name in _MPI_WITH_TWO_WORDS else int(name in _MPI_WITH_ONE_WORD)
