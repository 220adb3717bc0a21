"""Defaults that are printed, and defaults of the webhook."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.admission.jobset_defaults import render_create_defaults, webhook_defaults
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Source, SourceFile


def jobset(**spec):
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "js"}, "spec": spec}


def replicated(job=None, pod=None):
    return {"name": "n", "template": {"spec": {**(job or {}), "template": {"spec": {"containers": [], **(pod or {})}}}}}


def rendered(body):
    return render_create_defaults(Draft(body)).value


COMPLETE = jobset(
    replicatedJobs=[replicated({"completionMode": "Indexed"}, {"restartPolicy": "OnFailure"})],
    failurePolicy={"rules": [{"name": "failurePolicyRule0"}]},
    volumeClaimPolicies=[{"retentionPolicy": {"whenDeleted": "Delete"}, "templates": [{"status": {}}]}],
)
BARE = jobset(replicatedJobs=[replicated()], failurePolicy={"rules": [{}]}, volumeClaimPolicies=[{"templates": [{}]}])


def test_what_is_missing_is_rendered():
    assert rendered(BARE) == COMPLETE
    assert rendered(COMPLETE) == COMPLETE
    assert rendered(COMPLETE) is COMPLETE


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            jobset(replicatedJobs=[replicated({"completionMode": "NonIndexed"}, {"restartPolicy": "Never"})]),
            id="modes",
        ),
        pytest.param(jobset(failurePolicy={"maxRestarts": 1}), id="failure policy without rules"),
        pytest.param(jobset(failurePolicy={"rules": [{"name": "mine"}]}), id="rule name"),
        pytest.param(
            jobset(volumeClaimPolicies=[{"retentionPolicy": {"whenDeleted": "Retain"}, "templates": [{"status": {}}]}]),
            id="retention",
        ),
        pytest.param(jobset(), id="nothing"),
    ],
)
def test_what_is_there_stays(body):
    assert rendered(body) is body


def test_rules_are_numbered_by_place():
    names = [
        rule["name"]
        for rule in rendered(jobset(failurePolicy={"rules": [{}, {"name": "mine"}, {"name": ""}]}))["spec"][
            "failurePolicy"
        ]["rules"]
    ]
    assert names == ["failurePolicyRule0", "mine", "failurePolicyRule2"]


def test_writes_are_recorded():
    source = Source(SourceFile("a.yaml", ""))
    draft = render_create_defaults(Draft(BARE, {"runtime": source}))
    pointer = ("spec", "replicatedJobs", 0, "template", "spec", "completionMode")
    assert draft.origin(pointer).step == "jobset-defaults"


def test_webhook_defaults():
    assert webhook_defaults(COMPLETE)["spec"] == {
        **COMPLETE["spec"],
        "successPolicy": {"operator": "All"},
        "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"network": {"enableDNSHostnames": False}}, {"enableDNSHostnames": False, "publishNotReadyAddresses": True}),
        (
            {"network": {"publishNotReadyAddresses": False}},
            {"enableDNSHostnames": True, "publishNotReadyAddresses": False},
        ),
    ],
)
def test_given_network_settings_stay(given, expected):
    assert webhook_defaults(jobset(**given))["spec"]["network"] == expected


def test_given_policies_stay():
    given = {"successPolicy": {"operator": "Any"}, "startupPolicy": {"startupPolicyOrder": "InOrder"}}
    made = webhook_defaults(jobset(**given))["spec"]
    assert {key: made[key] for key in given} == given
