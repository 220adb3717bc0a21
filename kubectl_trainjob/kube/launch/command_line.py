"""The command lines of containers in words, and the flags that are given to launchers in them.

Words are taken as the container gets them: `$(NAME)` as the kubelet expands it, and, in the script of a `bash -c`,
`$NAME` as the shell does. Nothing is guessed: where that does not lead to a plain text, a flag has no value.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.model.source import Pointer

_SHELLS = frozenset({"ash", "bash", "dash", "ksh", "sh", "zsh"})
_SCRIPT_FLAG = re.compile(r"-[a-zA-Z]*c")
_BEFORE = frozenset({"dumb-init", "env", "exec", "nice", "nohup", "numactl", "setsid", "stdbuf", "sudo", "time"})
_BEFORE |= {"timeout", "tini"}  # commands that run another one
_BETWEEN = re.compile(r"-.*|[A-Za-z_]\w*=.*|[0-9]+[smhd]?", re.DOTALL)  # their flags, assignments, seconds
_KUBELET = re.compile(r"\$\(([^()]*)\)")
_REFERENCE = re.compile(r"\$(?:\$|\(([A-Za-z_][A-Za-z0-9_.-]*)\))")
_SHELL = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_CONTINUED = re.compile(r"\\\n")
_LONGEST = 10_000  # characters of a line that is looked at: it takes the square of the time
_NOT_PLAIN = re.compile(r"[$`]")
_MADE = re.compile(r"[$\\]")  # a line that may name a launcher in another spelling
_ANY = re.compile("")
_REMEMBERED = 4096  # lines


class Word(NamedTuple):
    """A word; `pointer` leads to the item of `command` or `args` that it stands in."""

    text: str
    pointer: Pointer


class Flag(NamedTuple):
    """A flag of a launcher: its name without dashes, `_` being `-`; `value` is None where it is not plain."""

    name: str
    spelled: str
    value: str | None
    pointer: Pointer

    def __str__(self) -> str:
        joint = "=" if self.spelled.startswith("--") else " "
        return f"{self.spelled}{joint}{self.value}" if self.value else self.spelled


Find = Callable[[Sequence[Word]], int | None]
"""Where the words behind a launcher's name begin, None for another command."""

Arity = Callable[[str], int]
"""How many words follow a flag, by the flag as it is spelled."""


def flags(container: ContainerSpec, names: re.Pattern[str], find: Find, arity: Arity) -> dict[str, Flag]:
    """The flags of the launcher that a container runs, by their names; {} without one.

    Lines of scripts in which none of the launcher's `names` stands, nor can come from a variable, are passed over. Of a
    launcher that a script has several times a flag has a value only if it is the same each time.
    """
    found = []
    for command in commands(container, names):
        start = find(command)
        if start is not None:
            found.append({flag.name: flag for flag in _flags(command[start:], arity)})
    merged = {name: flag for each in found for name, flag in each.items()}
    return {
        name: flag if all(name in each and each[name].value == flag.value for each in found) else _unsure(flag)
        for name, flag in merged.items()
    }


def _unsure(flag: Flag) -> Flag:
    return flag._replace(value=None)


def _flags(words: Sequence[Word], arity: Arity) -> Iterator[Flag]:
    """The flags up to the first word that is none, which is the program."""
    position = 0
    while position < len(words) and words[position].text.startswith("-") and words[position].text != "--":
        word = words[position]
        spelled, equals, value = word.text.partition("=")
        following = 0 if equals else arity(spelled)
        if following:
            value = " ".join(each.text for each in words[position + 1 : position + 1 + following])
        yield Flag(spelled.lstrip("-").replace("_", "-"), spelled, None if _NOT_PLAIN.search(value) else value, word[1])
        position += 1 + following


def references(text: str) -> list[str]:
    """The variables that a text refers to as `$(NAME)`; `$$` is a dollar sign."""
    return [name for name in _REFERENCE.findall(text) if name]


def behind(words: Sequence[Word]) -> int:
    """Where the command itself begins, behind what only runs it (`exec`, `env A=b`, `tini --`)."""
    position = 0
    for word in words:
        if base(word.text) not in _BEFORE and not _BETWEEN.fullmatch(word.text):
            break
        position += 1
    return position


def base(path: str) -> str:
    """A program's name without the directories."""
    return path.rpartition("/")[2]


def commands(container: ContainerSpec, names: re.Pattern[str] = _ANY) -> Iterator[list[Word]]:
    """The commands that a container runs: the one of its word list, or those of a shell's script, line by line."""
    words = [
        Word(_expanded(container, text), (*container.pointer, field, index))
        for field in ("command", "args")
        for index, text in enumerate(container.body.get(field) or ())
    ]
    script = script_of(words)
    if script is None:
        yield words
        return
    for line in _CONTINUED.sub(" ", script.text).splitlines():
        is_wanted = len(line) <= _LONGEST and (names.search(line) or _MADE.search(line))
        for command in _simple_commands(line) if is_wanted else ():
            yield [Word(_in_shell(container, text), script.pointer) for text in command]


def script_of(words: Sequence[Word]) -> Word | None:
    """The script that a shell is given with `-c`, None for other commands."""
    start = behind(words)
    if start < len(words) and base(words[start].text) in _SHELLS:
        flag = next((i for i, word in enumerate(words) if i > start and _SCRIPT_FLAG.fullmatch(word.text)), None)
        if flag is not None and flag + 1 < len(words):
            return words[flag + 1]
    return None


@lru_cache(_REMEMBERED)
def _simple_commands(line: str) -> tuple[tuple[str, ...], ...]:
    """The commands of a script's line, parted at `;`, `&&`, `|` and brackets; none where the line is no whole one.

    Jobs run the same scripts: what a line says is remembered.
    """
    return tuple(map(tuple, _parted(line)))


def _parted(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(_KUBELET.sub("$_", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    command: list[str] = []
    try:
        for word in lexer:
            if word and not set(word) - set("();<>|&"):
                yield command
                command = []
            else:
                command.append(word)
    except ValueError:  # a quotation that goes on in the next line
        return
    yield command


def _expanded(container: ContainerSpec, text: str) -> str:
    """The text as the kubelet hands it over, as far as that is known."""
    return _KUBELET.sub(lambda match: _value(container, match[1], match[0]), text)


def _in_shell(container: ContainerSpec, text: str) -> str:
    return _SHELL.sub(lambda match: _value(container, match[1] or match[2], match[0]), text)


def _value(container: ContainerSpec, name: str, otherwise: str) -> str:
    value = container.value(name)
    return otherwise if value is None else value
