"""`resume`: let suspended jobs continue."""

from __future__ import annotations

from typing import Any

import click

from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.suspend import SuspendRequest, suspend_options, suspend_or_resume


@click.command(cls=ManualCommand)
@suspend_options("Wait until the Pods have started.")
def resume(**given: Any) -> int:
    """Resume each job."""
    return suspend_or_resume(SuspendRequest(**given), wanted=False)
