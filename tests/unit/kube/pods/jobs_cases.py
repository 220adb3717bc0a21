"""Jobs: counts, policies, metadata, names: which fields are rejected."""

from __future__ import annotations

from collections.abc import Iterator

from tests.unit.kube.pods.building import IN, POD, RULE, SELECTOR, Case, job, jobset, pod, rules


def _of_jobs() -> Iterator[Case]:
    yield Case("restarts always", pod(restartPolicy="Always"), (f"KTJ711 {POD}.restartPolicy",))
    yield Case("unknown policy", pod(restartPolicy="Sometimes"), (f"KTJ711 {POD}.restartPolicy",))
    yield Case("policy of failures", rules(RULE))
    yield Case(
        "policy of failures of Pods that restart",
        job(podFailurePolicy={"rules": [RULE]}),
        (f"KTJ711 {POD}.restartPolicy",),
    )
    at = "spec.podFailurePolicy.rules"
    yield Case("many rules", rules(*[RULE] * 21), (f"KTJ724 {at}",))
    yield Case(
        "order",
        rules({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [2, 1]}}),
        (f"KTJ724 {at}[0].onExitCodes.values",),
    )
    yield Case(
        "exit code twice",
        rules({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 1]}}),
        (f"KTJ724 {at}[0].onExitCodes.values[1]",),
    )
    yield Case(
        "success as a failure",
        rules({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [0]}}),
        (f"KTJ724 {at}[0].onExitCodes.values[0]",),
    )
    yield Case(
        "many codes",
        rules({"action": "FailJob", "onExitCodes": {"operator": "In", "values": list(range(1, 257))}}),
        (f"KTJ724 {at}[0].onExitCodes.values",),
    )
    yield Case(
        "no such container",
        rules({"action": "FailJob", "onExitCodes": {**IN, "containerName": "x"}}),
        (f"KTJ724 {at}[0].onExitCodes.containerName",),
    )
    yield Case(
        "many conditions",
        rules({"action": "FailJob", "onPodConditions": [{"type": "A"}] * 21}),
        (f"KTJ724 {at}[0].onPodConditions",),
    )
    yield Case("rule of nothing", rules({"action": "FailJob"}), (f"KTJ724 {at}[0]",))
    yield Case("index", rules({"action": "FailIndex", "onExitCodes": IN}), (f"KTJ724 {at}[0].action",))
    yield Case("index with a limit", rules({"action": "FailIndex", "onExitCodes": IN}, backoffLimitPerIndex=1))
    yield Case(
        "replacement", rules(RULE, podReplacementPolicy="TerminatingOrFailed"), ("KTJ724 spec.podReplacementPolicy",)
    )
    yield Case("negative", job(backoffLimit=-1), ("KTJ726 spec.backoffLimit",))
    yield Case("failed indexes alone", job(maxFailedIndexes=1), ("KTJ726 spec.backoffLimitPerIndex",))
    yield Case(
        "more failed than all", job(backoffLimitPerIndex=1, maxFailedIndexes=3), ("KTJ726 spec.maxFailedIndexes",)
    )
    yield Case("too many", job(parallelism=100_001), ("KTJ726 spec.parallelism",))
    yield Case(
        "too many with indexes",
        job(completions=100_001, parallelism=10_001, backoffLimitPerIndex=1),
        ("KTJ726 spec.maxFailedIndexes", "KTJ726 spec.parallelism"),
    )
    yield Case("success", job(successPolicy={"rules": [{"succeededIndexes": "0-1", "succeededCount": 2}]}))
    yield Case(
        "more successes than Pods",
        job(successPolicy={"rules": [{"succeededCount": 3}]}),
        ("KTJ726 spec.successPolicy.rules[0].succeededCount",),
    )
    yield Case(
        "many ways to succeed",
        job(successPolicy={"rules": [{"succeededCount": 1}] * 21}),
        ("KTJ726 spec.successPolicy.rules",),
    )
    yield Case(
        "indexes in no order",
        job(successPolicy={"rules": [{"succeededIndexes": "1,0"}]}),
        ("KTJ726 spec.successPolicy.rules[0].succeededIndexes",),
    )
    yield Case(
        "without indexes",
        job(completionMode="NonIndexed", backoffLimitPerIndex=1),
        ("KTJ726 spec.backoffLimitPerIndex",),
    )
    yield Case("empty mode", job(completionMode=""), ("KTJ729 spec.completionMode",))
    yield Case("manager", job(managedBy="acme"), ("KTJ729 spec.managedBy",))


def _of_metadata() -> Iterator[Case]:
    yield Case("label of a Job", job({"labels": {"a": "b/c"}}), ("KTJ727 metadata.labels",))
    yield Case("label of a Pod", job(labels={"labels": {"a/b/c": "d"}}), ("KTJ727 spec.template.metadata.labels",))
    yield Case("annotation of a Pod", job(labels={"annotations": {"A.b/C": "any thing"}}))
    yield Case(
        "key of an annotation", job(labels={"annotations": {"-": "a"}}), ("KTJ727 spec.template.metadata.annotations",)
    )
    yield Case(
        "large annotations",
        job(labels={"annotations": {"a": "x" * 262_144}}),
        ("KTJ727 spec.template.metadata.annotations",),
    )
    uid = "batch.kubernetes.io/controller-uid"
    yield Case(
        "label of the API server's",
        job(labels={"labels": {uid: "a"}}),
        ("KTJ727 spec.template.metadata.labels", f"KTJ727 spec.template.metadata.labels[{uid}]"),
    )
    yield Case("own selector", job(selector=SELECTOR), ("KTJ727 spec.selector", "KTJ727 spec.template.metadata.labels"))
    yield Case("manual selector", job(manualSelector=True, selector=SELECTOR, labels={"labels": {"a": "b"}}))
    yield Case(
        "manual selector of others",
        job(manualSelector=True, selector=SELECTOR),
        ("KTJ727 spec.template.metadata.labels",),
    )
    seccomp = {"annotations": {"seccomp.security.alpha.kubernetes.io/pod": "localhost/a"}}
    profile = {"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "b"}}}
    yield Case(
        "two profiles",
        job(pod=profile, labels=seccomp),
        (f"KTJ729 {POD}.securityContext.seccompProfile.localhostProfile",),
    )


def _of_names() -> Iterator[Case]:
    template = job()["spec"]["replicatedJobs"][0]["template"]
    yield Case("long name of a Pod", jobset(template, "j" * 56), ("KTJ730 metadata.name",))
    labels = "KTJ730 spec.template.metadata.labels"
    yield Case("long name of a Job", jobset(template, "j" * 57), ("KTJ730 metadata.name", labels))
    yield Case("name with a dot", jobset(template, "a.b"), ("KTJ730 metadata.name",))
    yield Case("name in upper case", jobset(template, "A"), ("KTJ730 metadata.name",))


def cases() -> Iterator[Case]:
    yield from _of_jobs()
    yield from _of_metadata()
    yield from _of_names()
