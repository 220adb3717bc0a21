"""`help`: print a page of the manual. Also `lint rules` and `lint explain`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from kubectl_trainjob.cli.pages import ManualCommand, read, summary, topics
from kubectl_trainjob.cli.streams import emit, page_width, rendered_page

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    if incomplete[:3].upper() == "KTJ":
        from kubectl_trainjob.cli import candidates

        return candidates.rules(_context, _parameter, incomplete)
    return [CompletionItem(name, help=summary(name)) for name in topics() if name.startswith(incomplete)]


@click.command(cls=ManualCommand)
@click.argument("topic", metavar="[TOPIC]", default="", shell_complete=_complete)
def help(topic: str) -> int:  # noqa: A001
    """Print the page of a topic, the manual of a rule, or the list of all pages."""
    name = topic.lower()
    if topic and name not in topics():
        return _print_rule(topic)
    emit([(rendered_page(read(name)) if topic else _list(page_width())).encode()])
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


def _print_rule(name: str) -> int:
    """Print the manual of a rule. Raises a usage error with the nearest names if there is none."""
    from kubectl_trainjob.model.rules import RULES, rule_named

    rule = rule_named(name.upper()) or rule_named(name.lower())
    if rule:
        return explain_rule(rule.id, as_json=False)
    known = [*topics(), *(text for each in RULES.values() for text in (each.id, each.name))]
    nearest = get_close_matches(name[:100], known) or get_close_matches(name.upper()[:100], known)
    meant = " or ".join(f'"{each}"' for each in nearest)
    hint = f"did you mean {meant}?" if meant else "`help` without a topic lists the pages"
    raise click.UsageError(f'page "{name[:100]}" does not exist; {hint}')


def wants_json(outputs: Iterable[tuple[str, str]]) -> bool:
    """Whether `outputs`, formats and files, request JSON. Raises a usage error for options that have no effect here."""
    rejected = [*_options_given(), *(f"-o {form}={file}" for form, file in outputs if file)]
    rejected += [f"-o {form}" for form, file in outputs if not file and form not in ("human", "json")]
    if rejected:
        raise click.UsageError(f"`lint rules` and `lint explain` accept only -o json; remove {', '.join(rejected)}")
    return any(form == "json" for form, _ in outputs)


def _options_given() -> Iterator[str]:
    """The options of the command line except `-o`."""
    context = click.get_current_context()
    for each in context.command.params:
        source = context.get_parameter_source(each.name or "")
        if (
            isinstance(each, click.Option)
            and each.name != "output"
            and source is click.core.ParameterSource.COMMANDLINE
        ):
            yield each.opts[-1]


def list_rules(*, as_json: bool) -> int:
    """Print a line for each rule: id, severity, class, name; a terminal that is wide enough shows a summary, too."""
    from kubectl_trainjob.model.rules import RULES
    from kubectl_trainjob.report.lint.rules import rule_lines, rules_as_json

    rules = RULES.values()
    text = rules_as_json(rules) if as_json else "".join(f"{line}\n" for line in rule_lines(rules, _width()))
    emit([text.encode()])
    return 0


def _width() -> int:
    """The columns of the terminal, 0 where there is none."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else 0


def explain_rule(name: str, *, as_json: bool) -> int:
    """Print the manual of a rule. Raises a usage error if there is none."""
    from kubectl_trainjob.lint.selection import unknown_rule
    from kubectl_trainjob.model.rules import rule_named
    from kubectl_trainjob.report.lint.manual import page
    from kubectl_trainjob.report.lint.rules import rule_as_json

    rule = rule_named(name) or rule_named(name.upper())
    if rule is None:
        raise click.UsageError(unknown_rule(name[:100]))
    emit([(rule_as_json(rule) if as_json else rendered_page(page(rule.id))).encode()])
    return 0
