"""What a container starts, and which variables its command line and env mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from kubectl_trainjob.model.source import leaves
from kubectl_trainjob.model.stages import Body

_TORCHRUN = re.compile(r"\btorchrun\b|\btorch\.distributed\.(?:run|launch)\b")
_ACCELERATE = re.compile(r"\baccelerate\s+launch\b")
_PYTHON = re.compile(r"(?:^|[\s;&|/])python[0-9.]*(?=\s|$)")
_PROCESSES = re.compile(r"--?nproc[-_]per[-_]node\b")
_HOST_NAME = re.compile(r"(?:^|[\s;|&`(])hostname\b(?!=)|\$\{?HOSTNAME\b|\bgethostname\b|\buname\s+-n\b", re.MULTILINE)
_DISCOVERY = "discover_hosts"
_WITH_VARIABLES = ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "volumeMounts")
"""Fields whose commands and paths may also refer to variables."""


class Start(Enum):
    """The program that starts the training."""

    TORCHRUN = auto()
    ACCELERATE = auto()
    PYTHON = auto()
    OPAQUE = auto()
    """A script, or the entry point of the image: it may read any variable."""


def start_of(container: Body) -> Start:
    """What a container starts."""
    line = " ".join(_words(container))
    if _TORCHRUN.search(line):
        return Start.TORCHRUN
    if _ACCELERATE.search(line):
        return Start.ACCELERATE
    return Start.PYTHON if _PYTHON.search(line) and container.get("command") else Start.OPAQUE


def has_process_count(container: Body) -> bool:
    """Whether the command line sets the number of processes of a node."""
    return _PROCESSES.search(" ".join(_words(container))) is not None


def uses_host_discovery(container: Body) -> bool:
    """Whether the command line uses the MPI operator's script that lists the hosts."""
    return any(_DISCOVERY in text for text in texts_of(container))


def reads_host_name(container: Body) -> bool:
    """Whether the command line or env uses the name of the host, which is that of the Pod."""
    return any(_HOST_NAME.search(text) for text in texts_of(container))


def mentioned(names: Iterable[str], container: Body) -> set[str]:
    """Those of the names that a container's command, args or env refer to."""
    text = "\n".join(texts_of(container))
    return {name for name in names if name in text and _reference(name).search(text)}


def _reference(name: str) -> re.Pattern[str]:
    return re.compile(rf"\$\(?{name}\b|\$\{{{name}\b|'{name}'|\"{name}\"")


def _words(container: Body) -> list[str]:
    return [*(container.get("command") or ()), *(container.get("args") or ())]


def texts_of(container: Body) -> Iterator[str]:
    """The items of command and args, the values of env, and the texts of probes, hooks and mounts."""
    yield from _words(container)
    for entry in container.get("env") or ():
        yield entry.get("value") or ""
    for key in _WITH_VARIABLES:
        yield from (text for _, text in leaves(container.get(key)) if isinstance(text, str))
