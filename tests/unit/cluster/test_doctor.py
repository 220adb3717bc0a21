"""The checks of `doctor` that need a cluster in another state than a test can create."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cluster.doctor.checks import examine, is_part
from kubectl_trainjob.cluster.doctor.facts import JOB_SET, TRAIN_JOB, ClusterFacts, Controller, Requirements
from kubectl_trainjob.cluster.protocol import ApiAnswer
from kubectl_trainjob.kube.schemas.load import field_paths
from kubectl_trainjob.model.stages import ObjectId
from tests.tools import require

WANTED = Requirements("2.3")


def facts(**changes: Any) -> ClusterFacts:
    """A cluster with JobSet and nothing else."""
    values: dict[str, Any] = {
        "namespace": "ns",
        "kubernetes": "v1.36.3",
        "now": "2026-11-24T10:00:00Z",
        "kinds": frozenset({JOB_SET}),
        "fields": {JOB_SET: field_paths("jobset-0.12", *JOB_SET)},
        "controllers": {},
        "probes": {JOB_SET: ApiAnswer(201, {"spec": {"successPolicy": {}}})},
        "webhooks": None,
        "is_leased": False,
    }
    return ClusterFacts(**{**values, **changes})


def level(found: ClusterFacts, name: str, wanted: Requirements = WANTED) -> tuple[str, str]:
    """The level and the message of a check."""
    (check,) = [each for each in examine(found, wanted).checks if each.id == name]
    return check.level, check.message


def test_a_definition_of_another_release() -> None:
    ours = field_paths("jobset-0.12", *JOB_SET)
    older = ours - {path for path in ours if path.startswith("spec.volumeClaimPolicies")}
    found, message = level(facts(fields={JOB_SET: older}), "jobset")
    assert (found, "has more fields: spec.volumeClaimPolicies, spec.volumeClaimPolicies[]" in message) == (
        "error",
        True,
    )
    assert level(facts(fields={JOB_SET: ours | {"spec.future"}}), "jobset")[0] == "warning"
    assert level(facts(fields={JOB_SET: frozenset()}), "jobset")[0] == "note"
    assert level(facts(kinds=frozenset()), "jobset")[0] == "error"


@pytest.mark.parametrize(("emit", "expected"), [("", "note"), ("trainjob", "error")])
def test_trainer_is_older_than_the_target(emit: str, expected: str) -> None:
    kinds = frozenset({JOB_SET, TRAIN_JOB})
    fields = {JOB_SET: field_paths("jobset-0.12", *JOB_SET), TRAIN_JOB: field_paths("trainer-2.0", *TRAIN_JOB)}
    found, message = level(facts(kinds=kinds, fields=fields), "trainer", Requirements("2.3", emit))
    assert (found, "that of trainer 2.0" in message) == (expected, True)
    older = Requirements("2.0", emit)
    assert level(facts(kinds=kinds, fields=fields), "trainer", older)[0] == "ok"


@pytest.mark.parametrize(
    ("version", "target", "expected"),
    [
        ("2.3.0", "2.3", "ok"),
        ("2.2.1", "2.3", "error"),
        ("2.3.0-rc.1", "2.3", "ok"),
        ("2.30.0", "2.3", "error"),
        ("", "2.3", "ok"),
    ],
)
def test_the_version_of_an_image(version: str, target: str, expected: str) -> None:
    found = facts(controllers={"Trainer": Controller(version, 1)})
    assert level(found, "controller-trainer", Requirements(target))[0] == expected


def certificate(folder: Path, *options: str) -> str:
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=a")
    files = ("-keyout", str(folder / "key"), "-out", str(folder / "crt"))
    subprocess.run([require("openssl"), "req", "-x509", *curve, *files, *options], check=True, capture_output=True)
    return base64.b64encode((folder / "crt").read_bytes()).decode()


def test_the_certificate_of_a_webhook(tmp_path: Path) -> None:
    def webhooks(bundle: str) -> list[Any]:
        rules = [{"apiGroups": ["jobset.x-k8s.io"]}]
        hook = {"name": "m", "clientConfig": {"url": "https://a", "caBundle": bundle}, "rules": rules}
        return [{"kind": "MutatingWebhookConfiguration", "metadata": {"name": "a"}, "webhooks": [hook]}]

    def messages(bundle: str, now: str) -> list[str]:
        report = examine(facts(webhooks=webhooks(bundle), now=now), WANTED)
        return [each.message for each in report.checks if each.id == "webhooks" and each.level == "error"]

    bundle = certificate(tmp_path, "-days", "1")
    assert messages(bundle, "2020-01-01T00:00:00Z") == []
    assert "has a caBundle that expired on" in messages(bundle, "2199-01-01T00:00:00Z")[0]
    assert "has no caBundle" in messages("", "")[0]
    assert "without a certificate" in messages(base64.b64encode(b"a").decode(), "")[0]


def test_webhooks_of_trainer_matter_only_for_trainjobs() -> None:
    # The message of a real API server, when the manager of Trainer is stopped.
    message = (
        'Internal error occurred: failed calling webhook "validator.trainjob.trainer.kubeflow.org": '
        'failed to call webhook: Post "https://127.0.0.1:1/validate": dial tcp 127.0.0.1:1: connect: connection refused'
    )
    probes = {JOB_SET: ApiAnswer(201, {"spec": {"successPolicy": {}}}), TRAIN_JOB: ApiAnswer(500, {"message": message})}
    found = facts(kinds=frozenset({JOB_SET, TRAIN_JOB}), probes=probes)
    assert level(found, "webhook-trainjob")[0] == "warning"
    assert level(found, "webhook-trainjob", Requirements("2.3", "trainjob"))[0] == "error"
    assert examine(found, WANTED).emit == ("jobset",)


@pytest.mark.parametrize(("emit", "whose"), [("", "the catalogue for Trainer 2.3"), ("trainjob", "the files")])
def test_runtimes_are_those_of_the_files_or_of_the_catalogue(emit: str, whose: str) -> None:
    runtime = ObjectId("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "", "torch")
    wanted = Requirements("2.3", emit, runtimes=[(runtime, {"spec": {"mlPolicy": {"numNodes": 2}}})])
    found = facts(runtimes={runtime: {"spec": {"mlPolicy": {"numNodes": 1}}}})
    message = f"runtimes in the cluster differ from those of {whose}: ClusterTrainingRuntime/torch"
    assert level(found, "runtimes", wanted) == ("warning", message)


def test_a_part_of_a_live_object() -> None:
    live = {"a": 1, "b": [{"c": "1", "d": True}], "default": {}}
    assert is_part({"a": 1, "b": [{"c": "1"}]}, live)
    assert is_part({"b": [{"c": 1}]}, live)  # a quantity, which the server writes as text
    assert not is_part({"b": []}, live)
    assert not is_part({"e": 1}, live)
