"""Gang scheduling: the label and the annotation that connect Pods with their PodGroup, and the queue of Volcano.

Mirrors EnforcePodGroupPolicy in trainer `pkg/runtime/framework/plugins/coscheduling` (2.0-2.3), and Validate and
EnforcePodGroupPolicy in `…/volcano` (2.1-2.3). `builders/pod_group.py` builds the PodGroups. Whether
a PriorityClass exists is not checked: only the cluster knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.kube.facts.trainer import COSCHEDULING_LABEL, VOLCANO_GROUP_ANNOTATION, VOLCANO_QUEUE_ANNOTATION
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import VOLCANO_QUEUE


def applies(scheduler: str, plan: Plan) -> bool:
    """Runtimes with `podGroupPolicy.coscheduling` or `podGroupPolicy.volcano`."""
    return plan.gang(scheduler) is not None


def applies_to_any(plan: Plan) -> bool:
    """Runtimes with a `podGroupPolicy`, even an empty one (2.0)."""
    return plan.pod_group_policy is not None


def has_queue_name(plan: Plan) -> Iterator[Diagnostic]:
    """The annotation for the queue is not empty."""
    if plan.jobset.get("metadata", "annotations", VOLCANO_QUEUE_ANNOTATION) == "":
        place = plan.origin_place("metadata", "annotations", VOLCANO_QUEUE_ANNOTATION)
        message = say('annotation "{}" is empty; write the name of a queue or remove it', VOLCANO_QUEUE_ANNOTATION)
        yield Diagnostic(VOLCANO_QUEUE, message, place)


def label_pods(plan: Plan) -> Plan:
    """Label every Pod with its PodGroup (coscheduling)."""
    return plan._replace(pod_labels={**(plan.pod_labels or {}), COSCHEDULING_LABEL: plan.name})


def annotate_pods(plan: Plan) -> Plan:
    """Annotate every Pod with its PodGroup (Volcano)."""
    return plan._replace(pod_annotations={**(plan.pod_annotations or {}), VOLCANO_GROUP_ANNOTATION: plan.name})
