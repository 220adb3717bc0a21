"""The command lines of containers in words, and the flags of launchers in them.

Words are those that the container gets: the kubelet expands `$(NAME)`, and in the script of a `bash -c` the shell
expands `$NAME`. A flag has no value unless the result is plain text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.model.source import Pointer

_SHELLS = frozenset({"ash", "bash", "dash", "ksh", "sh", "zsh"})
_SCRIPT_FLAG = re.compile(r"-[a-zA-Z]*c")
_BEFORE = frozenset({"dumb-init", "env", "exec", "nice", "nohup", "numactl", "setsid", "stdbuf", "sudo", "time"})
_BEFORE |= {"timeout", "tini"}  # commands that run another one
_BETWEEN = re.compile(r"-.*|[A-Za-z_]\w*=.*|[0-9]+[smhd]?", re.DOTALL)  # their flags, assignments, seconds
_PYTHON = re.compile(r"python[0-9.]*")
_KUBELET = re.compile(r"\$\(([^()]*)\)")
_REFERENCE = re.compile(r"\$(?:\$|\(([A-Za-z_][A-Za-z0-9_.-]*)\))")
_SHELL = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_CONTINUED = re.compile(r"\\\n")
_LONGEST = 10_000  # characters of a line that is read: the time grows with their square
_NOT_PLAIN = re.compile(r"[$`]")
_VARIABLE = re.compile(r"[$\\]")  # a line that may contain a launcher's name in another form
_ANY = re.compile("")
_CACHED = 4096  # lines


class Word(NamedTuple):
    """A word; `pointer` leads to its item of `command` or `args`."""

    text: str
    pointer: Pointer


class Flag(NamedTuple):
    """A flag of a launcher: its name without dashes and with `-` for `_`; `value` is None unless it is plain text."""

    name: str
    written: str
    value: str | None
    pointer: Pointer

    def __str__(self) -> str:
        joint = "=" if self.written.startswith("--") else " "
        return f"{self.written}{joint}{self.value}" if self.value else self.written


class Launcher(NamedTuple):
    """A program that starts processes: its first words, or the modules that `python -m` runs.

    Lines of scripts are skipped if they have none of its `names` and no variable. `arity` says how many words follow a
    flag, as it is written.
    """

    names: re.Pattern[str]
    programs: Collection[tuple[str, ...]]
    modules: Collection[str]
    arity: Callable[[str], int]

    def end(self, words: Sequence[Word]) -> int | None:
        """The position after its name in a command, None for another command."""
        start = program_start(words)
        texts = [word.text for word in words[start:]]
        for program in self.programs if texts else ():
            if (base(texts[0]), *texts[1 : len(program)]) == program:
                return start + len(program)
        module = module_position(texts)
        return start + module + 1 if texts[module:] and texts[module] in self.modules else None

    def runs(self, container: ContainerSpec) -> list[LauncherRun]:
        """Its commands in a container."""
        found = ((words, self.end(words)) for words in commands(container, self.names))
        return [LauncherRun(words[:end], self._flags(words[end:])) for words, end in found if end is not None]

    def _flags(self, words: Sequence[Word]) -> dict[str, Flag]:
        """The flags before the first other word, which is the program."""
        found: dict[str, Flag] = {}
        position = 0
        while position < len(words) and words[position].text.startswith("-") and words[position].text != "--":
            word = words[position]
            written, equals, value = word.text.partition("=")
            following = 0 if equals else self.arity(written)
            if following:
                value = " ".join(each.text for each in words[position + 1 : position + 1 + following])
            name, plain = written.lstrip("-").replace("_", "-"), None if _NOT_PLAIN.search(value) else value
            found[name] = Flag(name, written, plain, word.pointer)
            position += 1 + following
        return found


class LauncherRun(NamedTuple):
    """A command that starts a launcher: the words up to its name, and its flags by their names."""

    words: Sequence[Word]
    flags: dict[str, Flag]


def switches(names: str) -> Callable[[str], int]:
    """The arity of flags that are all followed by a word, except those with these names."""
    known = frozenset(names.split())
    return lambda written: int(written.lstrip("-").replace("_", "-") not in known)


def flags(container: ContainerSpec, launcher: Launcher) -> dict[str, Flag]:
    """The flags of the launcher that a container runs, by their names; {} without one.

    If a script runs a launcher several times, a flag needs the same value each time to have one.
    """
    found = [run.flags for run in launcher.runs(container)]
    merged = {name: flag for each in found for name, flag in each.items()}
    return {
        name: flag
        if all(name in each and each[name].value == flag.value for each in found)
        else flag._replace(value=None)
        for name, flag in merged.items()
    }


def references(text: str) -> list[str]:
    """The variables that a text refers to as `$(NAME)`; `$$` is a dollar sign."""
    return [name for name in _REFERENCE.findall(text) if name]


def with_references(text: str, replace: Callable[[str], str | None]) -> str:
    """The text with references to variables replaced; None keeps one."""

    def new(match: re.Match[str]) -> str:
        found = replace(match[1]) if match[1] else None
        return match[0] if found is None else found

    return _REFERENCE.sub(new, text)


def program_start(words: Sequence[Word]) -> int:
    """The position of the command itself, after commands that run it (`exec`, `env A=b`, `tini --`)."""
    is_before = (base(word.text) in _BEFORE or _BETWEEN.fullmatch(word.text) is not None for word in words)
    return next((position for position, before in enumerate(is_before) if not before), len(words))


def module_position(texts: Sequence[str]) -> int:
    """The position of the module that Python runs, the end for other commands."""
    program = python_program(texts)
    return program if program and texts[program - 1] == "-m" else len(texts)


def python_program(texts: Sequence[str]) -> int:
    """The position of the file or module that Python runs, 0 without one and for other commands."""
    if not texts or not _PYTHON.fullmatch(base(texts[0])):
        return 0
    return next((index for index, text in enumerate(texts) if index and not text.startswith("-")), 0)


def base(path: str) -> str:
    """A program's name without the directories."""
    return path.rpartition("/")[2]


def commands(container: ContainerSpec, names: re.Pattern[str] = _ANY) -> Iterator[list[Word]]:
    """The commands that a container runs: the one of its word list, or those of a shell's script, line by line."""
    values = container.values
    words = [word._replace(text=_replace_variables(_KUBELET, values, word.text)) for word in words_of(container)]
    script = script_of(words)
    if script is None:
        yield words
        return
    for line in _CONTINUED.sub(" ", script.text).splitlines():
        is_wanted = len(line) <= _LONGEST and (names.search(line) or _VARIABLE.search(line))
        for command in _simple_commands(line) if is_wanted else ():
            yield [Word(_replace_variables(_SHELL, values, text), script.pointer) for text in command]


def words_of(container: ContainerSpec) -> list[Word]:
    """The items of its command and args, as they are written."""
    return [
        Word(text, (*container.pointer, field, index))
        for field in ("command", "args")
        for index, text in enumerate(container.body.get(field) or ())
    ]


def script_of(words: Sequence[Word]) -> Word | None:
    """The script of a shell's `-c`, None for other commands."""
    start = program_start(words)
    if start < len(words) and base(words[start].text) in _SHELLS:
        flag = next((i for i, word in enumerate(words) if i > start and _SCRIPT_FLAG.fullmatch(word.text)), None)
        if flag is not None and flag + 1 < len(words):
            return words[flag + 1]
    return None


@lru_cache(_CACHED)
def _simple_commands(line: str) -> tuple[tuple[str, ...], ...]:
    """The commands of a script's line, split at `;`, `&&`, `|` and brackets; none of an incomplete line.

    Jobs run the same scripts, so lines are cached.
    """
    lexer = shlex.shlex(_KUBELET.sub("$_", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word and not set(word) - set("();<>|&"):
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:  # a quotation that continues in the next line
        found.pop()
    return tuple(map(tuple, found))


def _replace_variables(pattern: re.Pattern[str], values: Mapping[str, str], text: str) -> str:
    """The text with the values of variables, as far as they are known."""
    return pattern.sub(lambda match: values.get(match[match.lastindex or 0], match[0]), text)
