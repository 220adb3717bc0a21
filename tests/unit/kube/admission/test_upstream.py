"""Admission's verdicts are those of the API server's, Trainer's and JobSet's code: recorded always, live with Go."""

from __future__ import annotations

import pytest

from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.admission.jobset import jobset_problems
from kubectl_trainjob.kube.admission.objects import admit
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.model.stages import Manifest, ObjectId
from tests.unit.kube.admission import questions


def rejected(body):
    if body["kind"] == "JobSet":
        return bool(jobset_problems(body))
    named = ObjectId(body["apiVersion"], body["kind"], "", body["metadata"]["name"])
    manifest = Manifest(named, body, Source(SourceFile("a.yaml", "")))
    return admit(manifest, VERSIONS[LATEST_TRAINER].admission)[0] is None


def differences(verdicts):
    return [(body, theirs) for body, theirs in verdicts if rejected(body) is not theirs]


def test_verdicts_are_those_upstream_recorded():
    verdicts = questions.recorded()
    counts = {(body["kind"] == "JobSet", theirs) for body, theirs in verdicts}
    assert counts == {(True, True), (True, False), (False, True), (False, False)}
    assert min(sum(theirs for _, theirs in verdicts), sum(not theirs for _, theirs in verdicts)) > 150
    assert differences(verdicts) == []


@pytest.mark.go
def test_verdicts_on_objects_are_upstreams_now():
    assert differences(questions.ask_objects(range(10_000, 12_000))) == []


@pytest.mark.go
def test_verdicts_on_jobsets_are_upstreams_now():
    assert differences(questions.ask_jobsets(range(10_000, 10_200))) == []
