"""`version`: the version of this tool, and the versions of Trainer that it builds for."""

from __future__ import annotations

import click

from kubectl_trainjob import __version__
from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import emit
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER, SUPPORTED_TARGETS


@click.command(cls=ManualCommand)
@options.output_format("text", "json")
def version(output: str) -> int:
    """Print the versions."""
    if output == "json":
        import json

        found = {"version": __version__, "supported": SUPPORTED_TARGETS, "defaultTrainer": LATEST_TRAINER}
        emit([f"{json.dumps(found, indent=2)}\n".encode()])
        return 0
    lines = [f"{name}: {', '.join(versions)}" for name, versions in SUPPORTED_TARGETS.items()]
    emit([f"{line}\n".encode() for line in (f"kubectl-trainjob {__version__}", *lines)])
    return 0
