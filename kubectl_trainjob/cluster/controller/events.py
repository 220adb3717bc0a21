"""Events on a TrainingSet: what a reconcile changed, and a new state of condition Ready."""

from __future__ import annotations

import socket
from uuid import uuid4

from kubectl_trainjob.cluster.api import MANAGER, Api
from kubectl_trainjob.cluster.controller.deadlines import ENDED
from kubectl_trainjob.cluster.controller.training_set import TrainingSet
from kubectl_trainjob.cluster.controller.verdict import Verdict, listed, shortened
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.result import ObjectResult
from kubectl_trainjob.model.stages import Body

_CHANGES = ("created", "configured", "recreated", "pruned")
_PROBLEMS = ("refused", "failed")


def report(api: Api, wanted: TrainingSet, verdict: Verdict, objects: tuple[ObjectResult, ...], *, is_new: bool) -> None:
    """Create the events; `is_new`: condition Ready says something else than before. An event may get lost."""
    fresh = [each for each in objects if is_new or each.action in _CHANGES or each.reason == ENDED]
    found = [(action, [each for each in fresh if each.action == action]) for action in (*_CHANGES, *_PROBLEMS)]
    notes = [(action.capitalize(), listed(group), action in _PROBLEMS) for action, group in found if group]
    if is_new:
        notes.append((verdict.reason, verdict.message, not verdict.is_ready))
    try:
        for reason, note, is_warning in notes:
            api.create(_event(api, wanted, reason, note, is_warning=is_warning))
    except ApiError:
        return


def _event(api: Api, wanted: TrainingSet, reason: str, note: str, *, is_warning: bool) -> Body:
    identity = wanted.key.id
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {
            "name": f"{wanted.key.name[:200].rstrip('-.')}.{uuid4().hex[:16]}",
            "namespace": wanted.key.namespace,
        },
        "eventTime": f"{api.date.removesuffix('Z')}.000000Z",
        "regarding": {
            "apiVersion": identity.api_version,
            "kind": identity.kind,
            "name": identity.name,
            "namespace": identity.namespace,
            "uid": wanted.uid,
        },
        "type": "Warning" if is_warning else "Normal",
        "reason": reason,
        "action": "Reconcile",
        "note": shortened(note),
        "reportingController": f"{MANAGER}.dev/controller",
        "reportingInstance": socket.gethostname()[:128] or MANAGER,
    }
