"""`integrations`: files for Argo CD, Flux and the controller, ready to commit."""

from __future__ import annotations

import click

from kubectl_trainjob.cli.streams import emit, page_width
from kubectl_trainjob.integrations.files import FILES, content

_HELP = """Print files for Argo CD, Flux and the controller, ready to commit.

Without SYSTEM and NAME, the command lists the files. `help argocd`, `help flux` and `help controller` describe how to
use them. For `controller`, the default NAME is `install`.

\b
Examples:
  # List the files
  kubectl trainjob integrations

\b
  # The plugin of Argo CD
  kubectl trainjob integrations argocd plugin > plugin.yaml

\b
  # Apply what Flux needs
  kubectl trainjob integrations flux kustomization | kubectl apply -f -

Exit codes: 0 printed, 2 the file does not exist.
"""


@click.command(help=_HELP)
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
    formatter = click.HelpFormatter(width=page_width())
    rows = [(f"{each} {name}", file.summary) for each in systems for name, file in FILES[each].items()]
    formatter.write_dl(rows)
    return formatter.getvalue()
