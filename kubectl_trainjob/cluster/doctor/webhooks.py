"""Webhooks of JobSet and Trainer: without them objects get no defaults, or cannot be created at all."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from datetime import datetime

from kubectl_trainjob.cluster.doctor.facts import JOB_SET, TRAIN_JOB, ClusterFacts, Requirements, hooks_of
from kubectl_trainjob.cluster.doctor.values import DoctorCheck, Level
from kubectl_trainjob.cluster.errors import mask_data
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

_NO_DEFAULTS = "no webhook sets the defaults of JobSets"
_INSTALL = "install the webhook configurations of JobSet"
_NAMES = {JOB_SET: "JobSet", TRAIN_JOB: "Trainer"}


def check_probes(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Whether a dry run that creates an object passes its webhooks."""
    for kind, answer in facts.probes.items():
        name = f"webhook-{kind[1].lower()}"
        if answer.status == 403 and "denied the request" not in answer.message:
            yield DoctorCheck(
                name, "note", f"the webhooks of {_NAMES[kind]} are not tested: you may not create a {kind[1]}"
            )
        elif "failed calling webhook" in answer.message or "failed to call webhook" in answer.message:
            yield DoctorCheck(
                name, _level(kind, wanted), mask_data(answer.message, None), _why(answer.message, _NAMES[kind])
            )
        elif kind == JOB_SET and answer.is_success and value_at(answer.body, ("spec", "successPolicy")) is None:
            yield DoctorCheck(name, "error", _NO_DEFAULTS, _INSTALL)
        elif kind == TRAIN_JOB and answer.is_success:
            yield _without_trainer(name, wanted)
        elif not answer.is_success and (kind == JOB_SET or "denied the request" not in answer.message):
            yield DoctorCheck(name, "warning", f"a dry run of a {kind[1]} fails: {mask_data(answer.message, None)}")
        else:
            yield DoctorCheck(name, "ok", f"the webhooks of {_NAMES[kind]} answer")


def _level(kind: tuple[str, str], wanted: Requirements) -> Level:
    """Webhooks of Trainer matter only where TrainJobs are applied."""
    return "error" if kind == JOB_SET or wanted.emit == "trainjob" else "warning"


def _without_trainer(name: str, wanted: Requirements) -> DoctorCheck:
    message = "no webhook checks TrainJobs: Trainer is not complete"
    if wanted.emit == "trainjob":
        return DoctorCheck(name, "error", message, "install Trainer, or use emit: jobset")
    return DoctorCheck(name, "note", message)


def _why(message: str, product: str) -> str:
    if "x509" in message or "certificate" in message:
        return f"the caBundle of the webhook does not fit the certificate of {product}; restart its controller"
    if "service" in message and "not found" in message:
        return (
            f"the Service of the webhook does not exist; install {product} again, or delete its webhook configurations"
        )
    return f"start the controller of {product}: kubectl get pods -A | grep {product.lower()}"


def check_webhooks(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Whether the configurations can work: a Service with addresses, and a certificate that is valid."""
    if facts.webhooks is None:
        yield DoctorCheck(
            "webhooks", "note", "you may not read webhook configurations; they were only tested by dry runs"
        )
        return
    found = [(each, kind, hook) for each in facts.webhooks for kind in _NAMES for hook in hooks_of(each, kind)]
    for each, kind, hook in found:
        name = f'webhook "{hook["name"]}" of {each["metadata"]["name"]}'
        yield from _hook(facts, name, hook, _level(kind, wanted))
    has_defaults = any((each["kind"], kind) == ("MutatingWebhookConfiguration", JOB_SET) for each, kind, _ in found)
    if JOB_SET in facts.kinds and not has_defaults:
        yield DoctorCheck("webhooks", "error", _NO_DEFAULTS, _INSTALL)
    if found:
        yield DoctorCheck("webhooks", "ok", f"{len(found)} webhooks see JobSets or TrainJobs")


def _hook(facts: ClusterFacts, name: str, hook: Body, level: Level) -> Iterator[DoctorCheck]:
    service = value_at(hook, ("clientConfig", "service"))
    if service:
        place = service["namespace"], service["name"]
        if facts.endpoints.get(place) == 0:
            message = f"the {name} has no ready address: Service {place[0]}/{place[1]}"
            yield DoctorCheck(
                "webhooks", level, message, f"start the Pods of the Service: kubectl get pods -n {place[0]}"
            )
    problem = _certificate_problem(str(value_at(hook, ("clientConfig", "caBundle")) or ""), facts.now)
    if problem:
        yield DoctorCheck(
            "webhooks", level, f"the {name} {problem}", "restart the controller that manages the certificate"
        )


def _certificate_problem(bundle: str, now: str) -> str:
    if not bundle:
        return "has no caBundle"
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificates(base64.b64decode(bundle, validate=True))
    except (ValueError, binascii.Error):
        return "has a caBundle without a certificate"
    latest = max(each.not_valid_after_utc for each in found)
    return f"has a caBundle that expired on {latest:%Y-%m-%d}" if now and latest < datetime.fromisoformat(now) else ""
