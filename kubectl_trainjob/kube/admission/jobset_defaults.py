"""Defaults of JobSet's mutating webhook, and those that are always printed.

Mirrors sigs.k8s.io/jobset pkg/webhooks/jobset_webhook.go (Default, v0.12). The server sets these on creation only and
then compares them with what is applied: a JobSet printed without them can be applied once and never again. For the same
reason an empty `metadata` of a template is not printed: if it had labels before, server-side apply sets it to null,
which the schema rejects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.kube.facts.jobset import REPLICATED_JOBS, job_template, pod_spec, pod_template
from kubectl_trainjob.model.draft import Draft, Write, fixed
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Body

STEP = "jobset-defaults"


def render_create_defaults(draft: Draft) -> Draft:
    """A JobSet with the defaults that are always printed; the draft's value is the JobSet."""
    missing = [write for write in _defaults(draft) if _is_missing(draft, write[0])]
    draft = draft.step(STEP).put_each(missing) if missing else draft
    for index in range(len(draft.get(*REPLICATED_JOBS) or ())):
        for pointer in ((*job_template(index), "metadata"), (*pod_template(index), "metadata")):
            if draft.get(*pointer) == {}:
                draft = draft.step(STEP).drop(pointer)
    return draft


def _is_missing(draft: Draft, pointer: Pointer) -> bool:
    """Of the empty values only an empty name counts as missing: the others are pointers in Go, where "" is a value."""
    value = draft.get(*pointer)
    return value is None or (pointer[-1] == "name" and not value)


def _defaults(draft: Draft) -> Iterator[Write]:
    for index in range(len(draft.get(*REPLICATED_JOBS) or ())):
        yield fixed((*job_template(index), "spec", "completionMode"), "Indexed")
        yield fixed((*pod_spec(index), "restartPolicy"), "OnFailure")
    rules: Pointer = ("spec", "failurePolicy", "rules")
    for index in range(len(draft.get(*rules) or ())):
        yield fixed((*rules, index, "name"), f"failurePolicyRule{index}")
    policies: Pointer = ("spec", "volumeClaimPolicies")
    for index, policy in enumerate(draft.get(*policies) or ()):
        yield fixed((*policies, index, "retentionPolicy"), {"whenDeleted": "Delete"})
        for template in range(len(policy.get("templates") or ())):
            yield fixed((*policies, index, "templates", template, "status"), {})


def webhook_defaults(jobset: Body) -> dict[str, Any]:
    """A JobSet as the mutating webhook leaves it."""
    body: dict[str, Any] = render_create_defaults(Draft(jobset)).value
    spec = dict(body.get("spec") or {})
    if spec.get("successPolicy") is None:
        spec["successPolicy"] = {"operator": "All"}
    if spec.get("startupPolicy") is None:
        spec["startupPolicy"] = {"startupPolicyOrder": "AnyOrder"}
    network = spec.get("network") or {}
    given = {key: value for key, value in network.items() if value is not None}
    spec["network"] = {"enableDNSHostnames": True, "publishNotReadyAddresses": True, **given}
    return {**body, "spec": spec}
