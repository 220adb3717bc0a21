"""Gang scheduling with Volcano: the pods' annotation and the queue's name.

Mirrors trainer `pkg/runtime/framework/plugins/volcano` Validate and EnforcePodGroupPolicy (2.1-2.3). Whether a
PriorityClass exists only the cluster knows, so it is not judged here.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.kube.facts.trainer import VOLCANO_GROUP_ANNOTATION, VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import VOLCANO_QUEUE


def applies(plan: Plan) -> bool:
    """Runtimes with `podGroupPolicy.volcano`."""
    return plan.gang("volcano") is not None


def queue_named(plan: Plan) -> Iterator[Diagnostic]:
    """A queue that is named must have a name."""
    if plan.jobset.get("metadata", "annotations", VOLCANO_QUEUE_ANNOTATION) == "":
        place = plan.origin_place("metadata", "annotations", VOLCANO_QUEUE_ANNOTATION)
        yield Diagnostic(
            VOLCANO_QUEUE, f'annotation "{VOLCANO_QUEUE_ANNOTATION}" is empty; name a queue or remove it', place
        )


def enforce(plan: Plan) -> Plan:
    """Annotate every Pod with its PodGroup."""
    return plan._replace(pod_annotations={**(plan.pod_annotations or {}), VOLCANO_GROUP_ANNOTATION: plan.name})
