"""`completion`: the scripts for bash, zsh and fish, and the candidates that they and kubectl ask for at each <TAB>.

One protocol for all four, kubectl's: a candidate a line, a tab before its description, `:N` as the last line, where N
adds up cobra's ShellCompDirective (k8s.io/kubectl pkg/cmd/plugin/plugin_completion.go, spf13/cobra completions.go).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")

_FILES, _NOTHING, _DIRECTORIES = 0, 4, 16  # ShellCompDirectiveDefault, …NoFileComp, …FilterDirs

# What a parameter takes that has neither a type nor a function to say so: told by its place in the usage text.
_BY_METAVAR = {"PATH": "file", "FILE": "file", "DIR": "dir", "DIRECTORY": "dir"}

_HELP = """Print the script that completes kubectl-trainjob in a shell.

kubectl 1.26 and later completes "kubectl trainjob" without this script, if completion of kubectl is on. It asks the
program kubectl_complete-trainjob, which is installed beside kubectl-trainjob. The script completes "kubectl-trainjob".

\b
Examples:
  # bash: for this session; add the line to ~/.bashrc for all
  source <(kubectl-trainjob completion bash)
\b
  # zsh: the same in ~/.zshrc, after "autoload -U compinit; compinit"
  source <(kubectl-trainjob completion zsh)
\b
  # fish
  kubectl-trainjob completion fish > ~/.config/fish/completions/kubectl-trainjob.fish
"""


class Answer(NamedTuple):
    """What may stand at the end of a command line: candidates with descriptions, and a ShellCompDirective."""

    candidates: list[tuple[str, str]]
    directive: int

    def lines(self) -> Iterator[str]:
        """The answer in kubectl's protocol."""
        for value, description in self.candidates:
            yield f"{value}\t{description}" if description else value
        yield f":{self.directive}"


@click.command(help=_HELP)
@click.argument("shell", type=click.Choice(SHELLS), required=False, metavar="bash|zsh|fish")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="")
def completion(shell: str | None, words: tuple[str, ...]) -> int:
    """Print the script; with words, as the script itself calls this, the candidates for the last of them."""
    if words:
        return _say(words)
    if shell is None:
        raise click.UsageError("name the shell: bash, zsh or fish")
    from kubectl_trainjob.cli.streams import emit

    emit([_script(shell).encode()])
    return 0


def answer_kubectl() -> int:
    """The program kubectl_complete-trainjob: kubectl calls it with the words behind `kubectl trainjob`."""
    return _say(sys.argv[1:])


def _say(words: Sequence[str]) -> int:
    """Print the answer; whatever goes wrong, a person who types must not see it."""
    try:
        answer = complete(words)
    except Exception:  # also a bug in a command: nothing to offer
        answer = Answer([], _NOTHING)
    try:
        sys.stdout.buffer.write("".join(f"{line}\n" for line in answer.lines()).encode())
        sys.stdout.buffer.flush()
    except (AttributeError, OSError):  # nobody listens any more
        return 1
    return 0


def complete(words: Sequence[str]) -> Answer:
    """What the last word may become; the words before it are complete."""
    *before, incomplete = _joined(words) or [""]
    context = _context(before)
    if context is None:
        return Answer([], _NOTHING)
    if "--" not in before and incomplete.startswith("-"):
        option, equals, value = incomplete.partition("=")
        if not equals:
            return _answer(context.command.shell_complete(context, incomplete))
        before, incomplete = [*before, option], value
    parameter = _parameter(context, before)
    if parameter is None:
        return _answer(context.command.shell_complete(context, incomplete))
    return _answer(parameter.shell_complete(context, incomplete) or _by_usage(parameter, incomplete))


def _joined(words: Sequence[str]) -> list[str]:
    """The words with `--option = value` made one again, which bash takes apart."""
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


def _context(words: list[str]) -> click.Context | None:
    """The command that the words lead to, and what they have already said to it; None when there is none."""
    from kubectl_trainjob.cli.app import app

    context = app.make_context("kubectl trainjob", [], resilient_parsing=True)
    while isinstance(context.command, click.Group):
        name = next((position for position, word in enumerate(words) if not word.startswith("-")), None)
        if name is None:
            break
        command = context.command.get_command(context, words[name])
        if command is None:
            return None
        words = words[name + 1 :]
        context = command.make_context(command.name, list(words), parent=context, resilient_parsing=True)
    return context


def _parameter(context: click.Context, before: list[str]) -> click.Parameter | None:
    """What takes the next word: the option that stands before it, else the first argument that has room."""
    parameters = context.command.get_params(context)
    if before and "--" not in before[:-1]:
        for parameter in parameters:
            if _takes_a_value(parameter) and before[-1] in parameter.opts:
                return parameter
    arguments = (parameter for parameter in parameters if isinstance(parameter, click.Argument))
    return next((each for each in arguments if each.nargs == -1 or not _is_given(context, each)), None)


def _takes_a_value(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and not (parameter.is_flag or parameter.count)


def _is_given(context: click.Context, argument: click.Argument) -> bool:
    return context.get_parameter_source(argument.name or "") is click.core.ParameterSource.COMMANDLINE


def _by_usage(parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from kubectl_trainjob.kube.facts.supported import TRAINER_VERSIONS

    if parameter.name == "trainer_version":
        return [CompletionItem(version) for version in TRAINER_VERSIONS if version.startswith(incomplete)]
    kind = _BY_METAVAR.get((parameter.metavar or "").strip("[].").upper())
    return [CompletionItem(incomplete, type=kind)] if kind else []


def _answer(items: Iterable[CompletionItem]) -> Answer:
    items = list(items)
    kinds = {item.type for item in items}
    candidates = [(str(item.value), _first_sentence(item.help)) for item in items if item.type == "plain"]
    directive = _FILES if "file" in kinds else _DIRECTORIES if "dir" in kinds else _NOTHING
    return Answer(candidates, _NOTHING if candidates and directive == _DIRECTORIES else directive)


def _first_sentence(text: str | None) -> str:
    return " ".join((text or "").split()).partition(". ")[0].removesuffix(".")


def _script(shell: str) -> str:
    from kubectl_trainjob.cli.shells import SCRIPTS

    return SCRIPTS[shell]
