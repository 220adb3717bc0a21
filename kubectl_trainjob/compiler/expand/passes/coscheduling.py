"""Gang scheduling with the scheduler-plugins: the pods' label.

Mirrors trainer `pkg/runtime/framework/plugins/coscheduling` EnforcePodGroupPolicy (2.0-2.3); the PodGroup itself is
made in `builders/pod_group.py`.
"""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.kube.facts.trainer import COSCHEDULING_LABEL


def applies(plan: Plan) -> bool:
    """Runtimes with `podGroupPolicy.coscheduling`."""
    return plan.gang("coscheduling") is not None


def applies_to_any_gang(plan: Plan) -> bool:
    """Runtimes with a `podGroupPolicy`, though it be empty (2.0)."""
    return plan.pod_group_policy is not None


def enforce(plan: Plan) -> Plan:
    """Label every Pod with its PodGroup."""
    return plan._replace(pod_labels={**(plan.pod_labels or {}), COSCHEDULING_LABEL: plan.name})
