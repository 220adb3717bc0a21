"""What Trainer's admission says to the update of a runtime.

Mirrors the CRDs of TrainingRuntime and ClusterTrainingRuntime (2.0 to 2.3), which hold JobSet's rules for the template.
Their webhooks look at the new object alone (pkg/webhooks/trainingruntime_webhook.go), as a build does.
"""

from __future__ import annotations

from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.updates.applying import ATOMIC_IN_JOBSETS, applied
from kubectl_trainjob.kube.updates.refusals import always, broken_transitions, verdict_of
from kubectl_trainjob.kube.updates.verdict import Verdict
from kubectl_trainjob.model.stages import Body


def runtime_verdict(old: Body, new: Body, version: str) -> Verdict:
    """What a server with that Trainer says when the runtime `new` is applied where one manager applied `old`.

    Both as written or as admitted. A runtime knows no suspension: what is refused is so in every state.
    """
    schema = schema_for(f"trainer-{version}", str(new["apiVersion"]), str(new["kind"]))
    after, emptied = applied(old, old, new, schema.root, ATOMIC_IN_JOBSETS)
    return verdict_of(always(broken_transitions(old, after, schema.root)), emptied)
