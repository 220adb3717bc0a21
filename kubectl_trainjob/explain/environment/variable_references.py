"""`$(NAME)` in values, commands and args, which the kubelet replaces by variables of the container that it knows.

Mirrors Expand in k8s.io/kubernetes `third_party/forked/golang/expansion/expand.go`, and makeEnvironmentVariables in
`pkg/kubelet/kubelet_pods.go` (1.36): a value may refer to what stands before it, command and args to everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.explain.environment.values import Caution, Container
from kubectl_trainjob.kube.launch.command_line import Word, references, script_of
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import TracedJob

_NO_COMMAND = re.compile(r"[A-Z_][A-Z0-9_]*")  # in a shell, $(date) runs date
_OF_SERVICES = re.compile(r"KUBERNETES_.*|.*_SERVICE_(HOST|PORT)(_.*)?|.*_PORT_[0-9]+_(TCP|UDP|SCTP)(_.*)?")


def unresolved(job: TracedJob, container: Container) -> Iterator[Caution]:
    """References that stay as they are; what `envFrom` brings is not known, so then nothing is said."""
    if container.imported:
        return
    known: set[str] = set()
    names = {variable.name for variable in container.variables}
    for variable in container.variables:
        for name in _references(variable.value or "", is_shell=False):
            if name not in known:
                is_later = name in names
                yield Caution(_message(name, f"the value of {variable.name}", is_later=is_later), variable.place)
        known.add(variable.name)
    yield from _in_command(job.objects[0].draft, container, names)


def _in_command(jobset: Draft, container: Container, names: set[str]) -> Iterator[Caution]:
    words = [
        Word(text, (*container.pointer, field, index))
        for field in ("command", "args")
        for index, text in enumerate(container.body.get(field) or ())
    ]
    is_clear = bool(container.body.get("command")) and script_of(words) is None
    told: dict[str, Pointer] = {}
    for word in words:
        for name in _references(word.text, is_shell=not is_clear):
            if name not in names:
                told.setdefault(name, word.pointer)
    for name, pointer in told.items():
        origin = jobset.origin(pointer)
        yield Caution(_message(name, "the command"), origin.first_place() if origin else None)


def _references(text: str, *, is_shell: bool) -> list[str]:
    """The names that are referred to, each once, without those that Services may have."""
    names = dict.fromkeys(name for name in references(text) if not _OF_SERVICES.fullmatch(name))
    return [name for name in names if not is_shell or _NO_COMMAND.fullmatch(name)]


def _message(name: str, where: str, *, is_later: bool = False) -> str:
    if is_later:
        return f"$({name}) in {where} stays as it is: {name} stands behind it in env; refer to it in the command"
    return f"$({name}) in {where} stays as it is: the container has no variable {name}; define it"
