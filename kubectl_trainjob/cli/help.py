"""`help`: a page of the manual, which is `manual/*.md` beside this module, or the manual of a rule."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from kubectl_trainjob.cli.streams import emit, has_colour

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "manual")
_SUFFIX = ".md"
_WIDTH, _WIDEST = 80, 100  # columns

_HELP = """Print a page of the manual.

TOPIC is a page, or the id or the name of a rule. Without TOPIC, the command lists the pages.

\b
Examples:
  # List the pages
  kubectl trainjob help

\b
  # Print a page
  kubectl trainjob help overlays

\b
  # Print the manual of a rule
  kubectl trainjob help KTJ301

Exit codes: 0 printed, 2 no such page or rule.
"""


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=summary(name)) for name in topics() if name.startswith(incomplete)]


def topics() -> list[str]:
    """The names of all pages, sorted."""
    return sorted(file.removesuffix(_SUFFIX) for file in os.listdir(_FOLDER) if file.endswith(_SUFFIX))


def read(topic: str) -> str:
    """The page of a topic, as Markdown."""
    with open(os.path.join(_FOLDER, topic + _SUFFIX), encoding="utf-8") as file:
        return file.read()


def summary(topic: str) -> str:
    """The sentence below the title of a page."""
    return read(topic).split("\n", 3)[2]


@click.command(help=_HELP)
@click.argument("topic", metavar="[TOPIC]", default="", shell_complete=_complete)
def help(topic: str) -> int:  # noqa: A001
    """Print the page of a topic, the manual of a rule, or the list of all pages."""
    name = topic.lower()
    if topic and name not in topics():
        return _print_rule(topic)
    emit([(rendered(read(name)) if topic else _list(_width())).encode()])
    return 0


def _list(width: int) -> str:
    """The names of all pages with their summaries: first those of commands, in their usual order."""
    context = click.get_current_context()
    group = context.find_root().command
    assert isinstance(group, click.Group)
    commands = group.list_commands(context)
    formatter = click.HelpFormatter(width=width)
    for title, names in (("Commands", commands), ("Topics", [name for name in topics() if name not in commands])):
        with formatter.section(title):
            formatter.write_dl([(name, summary(name)) for name in names])
    formatter.write_paragraph()
    formatter.write(f"Print a page: {context.command_path} TOPIC\nPrint a rule: {context.command_path} KTJ301\n")
    return formatter.getvalue().lstrip("\n")


def _width() -> int:
    """The columns of the terminal, in bounds; a fixed number without one."""
    from shutil import get_terminal_size

    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return min(get_terminal_size((_WIDTH, 0)).columns, _WIDEST) if is_terminal else _WIDTH


def rendered(markdown: str) -> str:
    """A page as the terminal shows it."""
    from kubectl_trainjob.report.manual_text import as_text

    return as_text(markdown, _width(), colour=has_colour(sys.stdout))


def _print_rule(name: str) -> int:
    """Print the manual of a rule. Raises a usage error with the nearest names if there is none."""
    from kubectl_trainjob.cli.lint_manual import explain_rule
    from kubectl_trainjob.model.rules import RULES, rule_named

    rule = rule_named(name.upper()) or rule_named(name.lower())
    if rule:
        return explain_rule(rule.id, as_json=False)
    known = [*topics(), *(text for each in RULES.values() for text in (each.id, each.name))]
    nearest = get_close_matches(name[:100], known) or get_close_matches(name.upper()[:100], known)
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else "`help` without a topic lists the pages"
    raise click.UsageError(f'there is no page "{name[:100]}"; {hint}')
