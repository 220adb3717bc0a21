"""`resume`: let suspended jobs continue."""

from __future__ import annotations

from typing import Any

import click

from kubectl_trainjob.cli.suspending import SuspendRequest, set_suspended, suspend_options

_HELP = """Let suspended jobs continue.

JOB is NAME, KIND/NAME or KIND NAME. A job that Kueue manages goes back to its queue. If the files set suspend, change
the files: the command then reports which field manager suspends the job.

\b
Examples:
  # Resume a job, and wait until it has Pods
  kubectl trainjob resume bert --wait --timeout 10m

Exit codes: 0 resumed, 1 a job does not exist or is still suspended, 2 the command failed.
"""


@click.command(help=_HELP)
@suspend_options
def resume(**given: Any) -> int:
    """Resume each job."""
    return set_suspended(SuspendRequest(**given), wanted=False)
