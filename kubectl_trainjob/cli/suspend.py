"""`suspend`: stop the Pods of jobs, and keep the jobs."""

from __future__ import annotations

from typing import Any

import click

from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.suspending import SuspendRequest, set_suspended, suspend_options


@click.command(cls=ManualCommand)
@suspend_options
def suspend(**given: Any) -> int:
    """Suspend each job."""
    return set_suspended(SuspendRequest(**given), wanted=True)
