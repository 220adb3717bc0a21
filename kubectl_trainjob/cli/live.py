"""`diff --live`: compare the files with the cluster."""

from __future__ import annotations

import sys

from kubectl_trainjob.cli.cluster_options import USUAL_TIMEOUT, connect
from kubectl_trainjob.cli.planning import NoPlan, PlanRequest, api_errors, plan_files
from kubectl_trainjob.cli.streams import emit, has_colour


def diff_live(request: PlanRequest, output: str) -> int:
    """Compare, and write what an apply would change: the exit code."""
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.cluster.live_diff import live_diff
    from kubectl_trainjob.cluster.steps import ApplyOptions
    from kubectl_trainjob.cluster.stores import store_of
    from kubectl_trainjob.report.cluster.live_diff import format_report

    api = connect(request, USUAL_TIMEOUT)
    with open_session() as session:
        plan = plan_files(request, session, request.namespace or api.connection.namespace)
        if isinstance(plan, NoPlan):
            return 2
        with api_errors():
            store = store_of(api, plan.namespace, request.parent)
            found = live_diff(plan, ApplyOptions(), store, api, session.context.progress)
    emit([format_report(found, output, colour=output == "text" and has_colour(sys.stdout)).encode()])
    return int(bool(found))
