"""`suspend`: stop the Pods of jobs, and keep the jobs."""

from __future__ import annotations

from typing import Any

import click

from kubectl_trainjob.cli.suspending import SuspendRequest, set_suspended, suspend_options

_HELP = """Stop the Pods of jobs, and keep the jobs.

JOB is NAME, KIND/NAME or KIND NAME. A job that Kueue manages leaves its queue until you resume it. A later apply does
not start the job.

\b
Examples:
  # Suspend a job, and wait until its Pods have ended
  kubectl trainjob suspend bert --wait

\b
  # Test it
  kubectl trainjob suspend bert gpt -n research --dry-run=server

Exit codes: 0 suspended, 1 a job does not exist or was not suspended, 2 the command failed.
"""


@click.command(help=_HELP)
@suspend_options
def suspend(**given: Any) -> int:
    """Suspend each job."""
    return set_suspended(SuspendRequest(**given), wanted=True)
