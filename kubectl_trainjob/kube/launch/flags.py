"""What the command lines of torchrun and mpirun set, which beats what Trainer tells them by variables and files.

torchrun: get_args_parser, get_rdzv_endpoint and run in torch `torch/distributed/run.py` (2.8), which
`torch.distributed.launch` and torchtune's `tune run` parse with, too. mpirun: the options of Open MPI 4 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubectl_trainjob.kube.launch.command_line import Flag, Word, base, behind, commands, flags
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
_MPI_WITH_WORDS = {
    **dict.fromkeys(("mca", "gmca", "prtemca", "pmixmca"), 2),
    **dict.fromkeys(("np", "n", "c", "N", "npernode", "npersocket", "x", "H", "host", "hostfile", "machinefile"), 1),
    **dict.fromkeys(("default-hostfile", "map-by", "rank-by", "bind-to", "wdir", "wd", "path", "prefix", "output"), 1),
    **dict.fromkeys(("output-filename", "timeout", "cpus-per-proc", "cpu-set", "cpu-list", "rankfile", "rf"), 1),
    **dict.fromkeys(("display", "personality", "runtime-options", "app", "am", "tune", "stdin", "xterm", "pernode"), 1),
}
_MPI_WITH_WORDS["pernode"] = 0
_HOSTFILE = "/etc/mpi/hostfile"  # where Trainer mounts its own
_NUMBER = re.compile(r"-?[0-9]{1,10}")

JAX_VARIABLES = frozenset({"JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"})
"""What Trainer tells JAX. Mirrors trainer `pkg/runtime/framework/plugins/jax` (2.2, 2.3)."""

PER_DEVICE = ("auto", "gpu")
"""Words that torchrun takes for one process a GPU."""


def number(text: str | None) -> int | None:
    """The number that a text spells, None for any other text."""
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
    """What a flag sets; `value` is None where it is not plain."""

    flag: Flag
    value: str | None


def torch_flags(container: ContainerSpec) -> dict[str, FlagValue]:
    """What the container's torchrun is told by flags, by the names of the variables that mean the same."""
    found = flags(container, _TORCH_NAMES, _behind_torchrun, _torch_words)
    told = {
        variable: FlagValue(found[name], found[name].value)
        for variable, name in (("PET_NNODES", "nnodes"), ("PET_NPROC_PER_NODE", "nproc-per-node"))
        if name in found
    }
    if (nodes := told.get("PET_NNODES")) and nodes.value is not None:
        fewest, _, most = nodes.value.partition(":")
        told["PET_NNODES"] = nodes._replace(value=fewest if most in ("", fewest) else None)
    return {**told, **_rendezvous(found)}


def _rendezvous(found: dict[str, Flag]) -> dict[str, FlagValue]:
    """Where the processes meet. With another backend than `static` nobody looks at master's address and port."""
    backend, endpoint = found.get("rdzv-backend"), found.get("rdzv-endpoint")
    if "standalone" in found:
        return _meeting(found["standalone"], "localhost", "")
    if endpoint is not None:
        if endpoint.value is None:
            return _meeting(endpoint, None, None)
        host, _, port = endpoint.value.rpartition(":") if ":" in endpoint.value else (endpoint.value, "", "")
        return _meeting(endpoint, host, port)
    if backend is not None and backend.value != "static":
        return _meeting(backend, "localhost" if backend.value else None, "")
    named = (("PET_MASTER_ADDR", "master-addr"), ("PET_MASTER_PORT", "master-port"))
    return {variable: FlagValue(found[name], found[name].value) for variable, name in named if name in found}


def _meeting(flag: Flag, host: str | None, port: str | None) -> dict[str, FlagValue]:
    return {"PET_MASTER_ADDR": FlagValue(flag, host), "PET_MASTER_PORT": FlagValue(flag, port)}


def _behind_torchrun(words: Sequence[Word]) -> int | None:
    start = behind(words)
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
    """The Python that a container runs at last, where it runs a file or module that is known for no launcher.

    None besides where torchrun stands anywhere, and for code in the command (`python -c`).
    """
    found = [words for words in commands(container) if words]
    if not found or any(_behind_torchrun(words) is not None for words in found):
        return None
    words = found[-1][behind(found[-1]) :]
    if not words or not _PYTHON.fullmatch(base(words[0].text)):
        return None
    program = next((index for index, word in enumerate(words) if index and not word.text.startswith("-")), 0)
    text, is_module = words[program].text, words[program - 1].text == "-m"
    is_plain = text.partition(".")[0] not in _LAUNCHING if is_module else text.endswith(".py")
    return words[0] if program and is_plain else None


def _torch_words(spelled: str) -> int:
    is_switch = spelled.replace("_", "-") in _TORCH_SWITCHES
    return 0 if is_switch or (not spelled.startswith("--") and len(spelled) > 2) else 1


class Ranks(NamedTuple):
    """How many ranks mpirun starts: `total` of them, or `each` on a host; neither where the command decides."""

    flag: Flag
    total: int | None = None
    each: int | None = None


def mpi_ranks(container: ContainerSpec) -> Ranks | None:
    """What the container's mpirun is told by flags; None where the hostfile alone decides."""
    found = flags(container, _MPI_NAMES, _behind_mpirun, _mpi_words)
    for name in ("hostfile", "machinefile", "default-hostfile", "host", "H", "app", "map-by"):
        flag = found.get(name)
        if flag is not None and _decides(flag):
            return Ranks(flag)
    for name in ("np", "n", "c", "N", "npernode", "pernode"):
        flag = found.get(name)
        if flag is not None:
            stated = 1 if name == "pernode" else number(flag.value)
            return Ranks(flag, each=stated) if name in ("N", "npernode", "pernode") else Ranks(flag, total=stated)
    return None


def _decides(flag: Flag) -> bool:
    return "ppr" in (flag.value or "") if flag.name == "map-by" else flag.value != _HOSTFILE


def _behind_mpirun(words: Sequence[Word]) -> int | None:
    start = behind(words)
    return start + 1 if start < len(words) and base(words[start].text) in _MPI_RUNNERS else None


def _mpi_words(spelled: str) -> int:
    return _MPI_WITH_WORDS.get(spelled.lstrip("-"), 0)
