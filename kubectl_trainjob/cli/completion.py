"""`completion`: the scripts for bash, zsh and fish, and the candidates that they and kubectl request at each <TAB>.

One protocol for all four, kubectl's: a candidate a line, a tab before its description, and `:N` as the last line. N
adds up cobra's ShellCompDirective (k8s.io/kubectl pkg/cmd/plugin/plugin_completion.go, spf13/cobra completions.go).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from kubectl_trainjob.cli.pages import ManualCommand

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")

_FILES, _NOTHING, _DIRECTORIES = 0, 4, 16  # ShellCompDirectiveDefault, …NoFileComp, …FilterDirs

_WORD = re.compile(r"[\w./:,@%+=^-]*")  # no shell takes it for more than a word, when it is put into a command line


@click.command(cls=ManualCommand)
@click.argument("shell", type=click.Choice(SHELLS), required=False, metavar="bash|zsh|fish")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="")
def completion(shell: str | None, words: tuple[str, ...]) -> int:
    """Print the script; with words, as the script itself calls this, the candidates for the last of them."""
    if words:
        return _say(words)
    if shell is None:
        raise click.UsageError("pass the shell: bash, zsh or fish")
    from pathlib import Path

    from kubectl_trainjob.cli.streams import emit

    emit([(Path(__file__).parent / "shells" / f"completion.{shell}").read_bytes()])
    return 0


def answer_kubectl() -> int:
    """The program kubectl_complete-trainjob: kubectl calls it with the words after `kubectl trainjob`."""
    return _say(sys.argv[1:])


def _say(words: Sequence[str]) -> int:
    try:
        sys.stdout.buffer.write("".join(f"{line}\n" for line in complete(words)).encode())
        sys.stdout.buffer.flush()
    except (AttributeError, OSError):  # the reader closed the pipe
        return 1
    return 0


def complete(words: Sequence[str]) -> list[str]:
    """The answer in kubectl's protocol: the completions of the last word."""
    from click.shell_completion import ShellComplete

    from kubectl_trainjob.cli.app import app

    *before, incomplete = _join(words) or [""]
    try:
        items = ShellComplete(app, {}, "kubectl trainjob", "").get_completions(before, incomplete)
    except Exception:  # an unknown command, or a bug in one: users who type must not see a traceback
        items = []
    candidates = [_line(item) for item in items if item.type == "plain" and _WORD.fullmatch(item.value)]
    kinds = {item.type for item in items}
    directive = _FILES if "file" in kinds else _DIRECTORIES if "dir" in kinds and not candidates else _NOTHING
    return [*candidates, f":{directive}"]


def _join(words: Sequence[str]) -> list[str]:
    """The words with `--option = value` as one word again: bash splits it."""
    joined: list[str] = []
    value_follows = False
    for word in words:
        is_sign = word == "=" and not value_follows and bool(joined) and joined[-1].startswith("--")
        if is_sign or value_follows:
            joined[-1] += word
        else:
            joined.append(word)
        value_follows = is_sign
    return joined


def _line(item: CompletionItem) -> str:
    description = " ".join((item.help or "").split()).partition(". ")[0].removesuffix(".")
    return f"{item.value}\t{description}" if description else str(item.value)
