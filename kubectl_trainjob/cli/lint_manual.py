"""`lint rules` and `lint explain`: what rules there are, and their manuals."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import click

from kubectl_trainjob.cli.streams import emit


def wants_json(outputs: Iterable[tuple[str, str]]) -> bool:
    """Whether `outputs`, formats and files, ask for JSON. Raises a usage error for options that mean nothing here."""
    refused = [*_options_given(), *(f"-o {form}={file}" for form, file in outputs if file)]
    refused += [f"-o {form}" for form, file in outputs if not file and form not in ("human", "json")]
    if refused:
        raise click.UsageError(f"`lint rules` and `lint explain` take -o json alone; leave out {', '.join(refused)}")
    return any(form == "json" for form, _ in outputs)


def _options_given() -> Iterator[str]:
    """The options of the command line, but for `-o`."""
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
    """Print the manual of a rule. Raises a usage error where there is none of that name."""
    from kubectl_trainjob.cli.help import rendered
    from kubectl_trainjob.lint.selection import hint
    from kubectl_trainjob.model.rules import rule_named
    from kubectl_trainjob.report.lint.manual import page
    from kubectl_trainjob.report.lint.rules import rule_as_json

    rule = rule_named(name) or rule_named(name.upper())
    if rule is None:
        raise click.UsageError(f'there is no rule "{name[:100]}"{hint(name[:100])}')
    emit([(rule_as_json(rule) if as_json else rendered(page(rule.id))).encode()])
    return 0
