"""`integrations`: files for Argo CD, Flux and the controller, ready to commit."""

from __future__ import annotations

import click

from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import emit
from kubectl_trainjob.integrations.files import FILES, content


@click.command(cls=ManualCommand)
@click.argument("system", metavar="[SYSTEM]", type=click.Choice(list(FILES)), required=False)
@click.argument("name", metavar="[NAME]", default="")
def integrations(system: str | None, name: str) -> int:
    """Print a file, or the list of files."""
    if system == "controller":
        name = name or "install"
    if not name:
        emit([_list([system] if system else list(FILES)).encode()])
        return 0
    assert system is not None
    if name not in FILES[system]:
        raise click.UsageError(f'file "{name[:100]}" of {system} does not exist; use one of {", ".join(FILES[system])}')
    emit([content(system, name)])
    return 0


def _list(systems: list[str]) -> str:
    rows = [(f"{each} {name}", file.summary) for each in systems for name, file in FILES[each].items()]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:{width}}   {about}\n" for name, about in rows)
