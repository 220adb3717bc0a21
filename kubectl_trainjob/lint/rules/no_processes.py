"""KTJ422: A launcher with no process for a Pod."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import pod_launches, reads_no_variables
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say

_NO_PROCESSES = "the launcher fails, because it has {} processes for each Pod ({}); set 1 or more"


def find(job: LintedJob) -> Iterator[Hit]:
    """Pods of such a launcher."""
    for launch in pod_launches(job):
        is_number = isinstance(launch.processes, int) and launch.processes < 1
        if is_number and not reads_no_variables(launch.node):
            yield Hit(say(_NO_PROCESSES, launch.processes, launch.setting), launch.at)
            return
