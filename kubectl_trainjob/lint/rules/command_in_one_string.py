"""KTJ419: A container starts the program whose name is the first item of its command. No shell splits it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.launch.command_line import program_start, script_of, words_of
from kubectl_trainjob.kube.launch.replicated_jobs import ContainerSpec
from kubectl_trainjob.lint.containers import ContainerProblem
from kubectl_trainjob.model.message import Message, say

_ONE_STRING = '"{}" is one word, and no file has this name; {}'
_SCRIPT_WITH_ARGUMENTS = re.compile(r"\S+\.(?:py|sh)\s+\S.*", re.DOTALL)
_HAS_SCRIPT = re.compile(r".*\.(?:py|sh)\b.*", re.DOTALL)
_LONGEST = 200


def find(container: Mapping[str, Any]) -> Iterator[ContainerProblem]:
    """Programs, or the scripts that they run, which are written in one item with their arguments."""
    words = words_of(ContainerSpec((), container))
    command = container.get("command") or ()
    if not command or script_of(words) is not None:
        return
    program = words[min(program_start(words), len(words) - 1)]
    script = next((word for word in words if _HAS_SCRIPT.fullmatch(word.text)), program)
    is_program = len(program.text.split()) > 1
    if is_program or _SCRIPT_WITH_ARGUMENTS.fullmatch(script.text):
        word = program if is_program else script
        yield ContainerProblem(word.pointer, word.text, say(_ONE_STRING, word.text, _advice(word.text)))


def _advice(text: str) -> Message:
    """The items, or a shell where the text needs one."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    needs_shell = not words or len(text) > _LONGEST or bool(re.search(r"[$&|;<>`*\n]", text))
    if needs_shell:
        return say('run a shell: `command: [sh, -c, "..."]`')
    return say("write each word as an item: {}", json.dumps(words, ensure_ascii=False))
