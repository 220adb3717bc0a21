"""`apply --wait`: its states are those of `status`, and what it waits for in vain is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cluster import commands
from tests.cluster.apply.inputs import NOWHERE, Object, job
from tests.cluster.apply.proxy import answer, before
from tests.cluster.apply.site import Site

pytestmark = pytest.mark.cluster

STATES: dict[str, tuple[Object, str]] = {
    "runs": ({}, "Running"),
    "ends": ({"outcome": ""}, "Succeeded"),
    "fails": ({"outcome": "fail"}, "Failed"),
    "rests": ({"suspend": True}, "Suspended"),
    "waits": ({"nodeSelector": NOWHERE}, "Pending"),
}


def jobset(name: str, **changes: Any) -> Object:
    """A JobSet whose Pods run until they are deleted."""
    return {**commands.jobset("", name, **changes), "metadata": {"name": name}}


def _states(site: Site, *arguments: str) -> dict[str, str]:
    found = json.loads(site.run("status", "-o", "json", *arguments).ended.out)
    return {one["name"]: one["state"] for one in found["jobs"]}


def test_a_run_is_what_status_says(site: Site) -> None:
    site.files(*(jobset(name, **changes) for name, (changes, _) in STATES.items()))
    done = site.apply("--wait", ".", "--timeout", "60s")
    late = {f"JobSet/{name}": "created" for name in STATES} | {"JobSet/waits": "failed Timeout"}
    assert (done.code, done.results) == (1, late), done.ended
    message = next(one["message"] for one in done.document["objects"] if one["name"] == "waits")
    assert "it is Pending: Unschedulable: 0/" in message
    site.ended("fails")
    site.ended("ends")
    assert _states(site) == {name: state for name, (_, state) in STATES.items()}
    done = site.apply("--wait=finished", "--timeout", "20s")
    ends = {"fails": "failed FailedJobs", "ends": "unchanged"}
    assert done.results == {f"JobSet/{name}": ends.get(name, "failed Timeout") for name in STATES}


def test_a_job_that_cannot_be_created_ends_the_wait(site: Site) -> None:
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "example.com/a:1"}]}
    head = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a-node-0", "namespace": site.namespace}}
    orphan = {**head, "spec": {"suspend": True, "template": {"spec": pod}}}
    site.files(jobset("a"))
    site.proxy.on(
        "PATCH", "/jobsets/a", before(lambda: site.plane.client.create(orphan)), only=lambda one: one.is_write
    )
    done = site.apply("--wait")
    assert (done.code, done.results) == (1, {"JobSet/a": "failed JobCreationFailed"}), done.ended
    assert "already exists" in done.document["objects"][0]["message"]


def test_wait_until_runs_have_ended(site: Site) -> None:
    site.files(job("a", "ends"), job("b", "short"))
    done = site.apply("--wait=finished")
    assert (done.code, set(done.results.values())) == (0, {"created"}), done.ended
    live = site.live("JobSet", "a")
    assert live
    assert live["status"]["terminalState"] == "Completed"
    site.wait("b is gone", lambda: site.live("JobSet", "b") is None)
    assert _states(site) == {"a": "Succeeded", "b": "Gone"}
    assert site.apply("--wait").code == 0


def test_a_wait_that_ends_too_early(site: Site) -> None:
    site.files(job("a"))
    done = site.apply("--wait", "--timeout", "20s")
    assert (done.code, done.results) == (1, {"JobSet/a": "failed Timeout"})
    assert site.entries()["JobSet/a"]["state"] == "started"


def test_a_wait_without_a_server_keeps_the_result(site: Site) -> None:
    site.files(job("a"))
    site.proxy.on("GET", r"/jobsets\?limit=500$", answer(403, "no"), times=99)
    done = site.apply("--wait")
    assert (done.code, done.results) == (1, {"JobSet/a": "failed Forbidden"})
