"""`resume`: let suspended jobs continue."""

from __future__ import annotations

from typing import Any

import click

from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.suspending import SuspendRequest, set_suspended, suspend_options


@click.command(cls=ManualCommand)
@suspend_options
def resume(**given: Any) -> int:
    """Resume each job."""
    return set_suspended(SuspendRequest(**given), wanted=False)
