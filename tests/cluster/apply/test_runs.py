"""What happens to a run: every cell of the table of states, changes and policies."""

from __future__ import annotations

import json
from concurrent.futures import Future
from itertools import product

import pytest

from tests.cluster.apply.inputs import NOWHERE, Object, config, job
from tests.cluster.apply.program import Program
from tests.cluster.apply.proxy import Forward, answer, before
from tests.cluster.apply.site import KINDS, SET, Site

pytestmark = pytest.mark.cluster

PART_OF = "applyset.kubernetes.io/part-of"
POLICIES = ("never", "when-terminal", "when-suspended", "always")
FROZEN = {
    "absent": ["created"] * 4,
    "running": ["refused Frozen", "refused Running", "refused Running", "recreated Frozen"],
    "suspended": ["refused Frozen", "refused Running", "recreated Frozen", "recreated Frozen"],
    "terminal": ["kept Finished", *["recreated Frozen"] * 3],
    "gone": ["kept Finished", "created", "created", "created"],
}
SAME = {"absent": "created", "gone": "kept Finished"}
MUTABLE = {**SAME, "running": "configured", "suspended": "configured", "terminal": "configured"}
CHANGES = ("same", "mutable", "frozen")


def _jobset(name: str, state: str, policy: str, change: str) -> Object:
    """A JobSet in a version: its label is mutable, its image is not."""
    pod: Object = {
        "containers": [{"name": "a", "image": "example.com/a:2" if change == "frozen" else "example.com/a:1"}]
    }
    if state in ("running", "suspended"):
        pod["nodeSelector"] = NOWHERE
    template = {"spec": {"template": {"spec": {**pod, "restartPolicy": "Never"}}}}
    metadata: Object = {"name": name, "annotations": {"kubectl-trainjob.dev/recreate": policy}}
    if change == "mutable":
        metadata["labels"] = {"team": "a"}
    spec: Object = {"replicatedJobs": [{"name": "a", "template": template}]}
    if state == "suspended":
        spec["suspend"] = True
    return {"apiVersion": KINDS["JobSet"], "kind": "JobSet", "metadata": metadata, "spec": spec}


def _names(state: str) -> dict[tuple[str, str], str]:
    """A run for every change and policy; names of one length, that none is the free name of another."""
    return {cell: f"{letter}-{state}" for cell, letter in zip(product(CHANGES, POLICIES), "abcdefghijkl", strict=True)}


@pytest.mark.parametrize("state", FROZEN)
def test_every_change_under_every_policy(site: Site, state: str) -> None:
    names = _names(state)
    if state != "absent":
        site.applied(*(_jobset(name, state, policy, "") for (_, policy), name in names.items()))
    for name in names.values():
        if state in ("terminal", "gone"):
            site.ended(name)
        if state == "gone":
            site.delete("JobSet", name)
    before = {name: site.uid("JobSet", name) for name in names.values()}
    site.files(*(_jobset(name, state, policy, change) for (change, policy), name in names.items()))
    done = site.apply()
    expected = {}
    for (change, policy), name in names.items():
        cells = {"same": SAME.get(state, "unchanged"), "mutable": MUTABLE.get(state, "")}
        expected[f"JobSet/{name}"] = cells.get(change) or FROZEN[state][POLICIES.index(policy)]
    assert done.results == expected
    assert done.code == int(any(cell.startswith("refused") for cell in expected.values()))
    for name, uid in before.items():
        is_new = site.uid("JobSet", name) != uid
        assert is_new is (expected[f"JobSet/{name}"] in ("recreated Frozen", "created")), name


def test_frozen_fields_are_named_and_values_are_not(site: Site) -> None:
    site.applied(job("a"))
    site.files(
        job("a", trainer={"image": "example.com/secret-canary:2", "env": [{"name": "T", "value": "canary-value"}]})
    )
    done = site.apply()
    (one,) = done.document["objects"]
    assert (one["action"], one["reason"]) == ("refused", "Frozen")
    assert any("containers" in field for field in one["fields"])
    assert "canary" not in done.ended.out + done.ended.err
    assert done.ended.err.startswith("jobs/000.yaml:")


def test_a_field_that_is_no_longer_set_needs_a_new_run(site: Site) -> None:
    """The server would remove it past all its checks."""
    first = _jobset("a", "running", "never", "")
    first["spec"]["successPolicy"] = {"operator": "All"}
    site.applied(first)
    site.files(_jobset("a", "running", "never", ""))
    done = site.apply()
    assert done.results == {"JobSet/a": "refused Frozen"}
    assert done.document["objects"][0]["fields"] == ["spec.successPolicy"]


def test_what_may_change_while_suspended_is_changed_in_place(site: Site) -> None:
    one = _jobset("a", "suspended", "never", "")
    site.applied(one)
    uid = site.uid("JobSet", "a")
    template = one["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    template["metadata"] = {"labels": {"team": "a"}}
    assert site.applied(one).results == {"JobSet/a": "configured"}
    assert site.applied(one).writes == []
    assert site.uid("JobSet", "a") == uid
    template["metadata"]["labels"]["team"] = "b"
    del one["spec"]["suspend"]  # resumed in the same apply
    assert site.applied(one).results == {"JobSet/a": "configured"}
    template["metadata"]["labels"]["team"] = "c"
    site.files(one)
    assert site.apply().results == {"JobSet/a": "refused Frozen"}


def test_a_failure_policy_may_be_added_to_a_running_job(site: Site) -> None:
    one = _jobset("a", "running", "never", "")
    site.applied(one)
    one["spec"]["failurePolicy"] = {"maxRestarts": 2}
    assert site.applied(one).results == {"JobSet/a": "configured"}
    assert site.applied(one).writes == []


def test_the_annotation_run_is_another_run(site: Site) -> None:
    first = {"kubectl-trainjob.dev/run": "1"}
    site.applied(job("a", annotations=first))
    site.files(job("a", annotations={"kubectl-trainjob.dev/run": "2"}))
    assert site.apply().results == {"JobSet/a": "refused Frozen"}
    done = site.apply("--recreate", "always")
    assert (done.code, done.results) == (0, {"JobSet/a": "recreated Frozen"})


def test_a_recreated_run_has_no_pod_before_the_old_ones_are_gone(site: Site) -> None:
    site.applied(job("a"))
    site.wait("its Pod", lambda: site.all("Pod"))
    old = {one["metadata"]["uid"] for one in site.all("Pod").values()}
    left: list[str] = []

    def look() -> None:
        left.extend(one["metadata"]["uid"] for one in site.all("Pod").values())

    site.proxy.on("PATCH", "/jobsets/a", before(look), only=lambda request: not request.is_dry_run)
    site.files(job("a", image="example.com/train:2"))
    assert site.apply("--recreate", "always").results == {"JobSet/a": "recreated Frozen"}
    assert not old & set(left)


def test_a_short_name_can_be_recreated(site: Site) -> None:
    site.applied(job("z"), job("zz"))
    site.files(job("z", image="example.com/train:2"), job("zz", image="example.com/train:2"))
    done = site.apply("--recreate", "always")
    assert done.results == {"JobSet/z": "recreated Frozen", "JobSet/zz": "recreated Frozen"}


def test_a_policy_that_rejects_the_new_run_ends_nothing(site: Site) -> None:
    site.applied(job("a"))
    uid = site.uid("JobSet", "a")
    site.files(job("a", trainer={"image": "example.com/train:2", "resourcesPerNode": {"limits": {"cpu": "1"}}}))
    denied = answer(403, 'admission webhook "policy" denied the request: too large')
    site.proxy.on("POST", "/jobsets", denied, only=lambda request: request.is_dry_run)
    done = site.apply("--recreate", "always")
    assert (done.code, done.results) == (1, {"JobSet/a": "failed Forbidden"})
    assert site.uid("JobSet", "a") == uid


def test_rerun(site: Site) -> None:
    files = [job("ended", "ends"), job("gone", "ends"), job("runs")]
    site.applied(*files)
    site.ended("ended")
    site.ended("gone")
    site.delete("JobSet", "gone")
    done = site.apply("--rerun", "ended", "--rerun", "trainjob/gone", "--rerun", "jobset/runs")
    assert done.results == {
        "JobSet/ended": "recreated Rerun",
        "JobSet/gone": "created",
        "JobSet/runs": "refused Running",
    }
    assert done.code == 1
    done = site.apply("--rerun", "nobody")
    assert done.code == 1
    assert 'no job "nobody"' in done.ended.err
    assert done.requests == [] or done.writes == []


@pytest.mark.parametrize(("runtime", "result"), [("stays", "created"), ("ends", "recreated Rerun")])
def test_a_rerun_starts_once_if_its_answer_is_lost(site: Site, runtime: str, result: str) -> None:
    """It may even have ended again when the tool looks at it."""
    site.applied(job("a", runtime))
    if runtime == "stays":
        site.delete("JobSet", "a")
    else:
        site.ended("a")
    site.proxy.clear()

    def fault(forward: Forward) -> None:
        forward()
        if runtime == "ends":
            site.ended("a")

    site.proxy.on("PATCH", "/jobsets/a", fault, only=lambda request: request.is_write)
    done = site.apply("--rerun", "a", "--timeout", "3m")
    assert (done.code, done.results) == (0, {"JobSet/a": result})
    assert [one.line.rpartition("/")[2] for one in site.proxy.created] == ["a"]
    assert site.entries()["JobSet/a"]["state"] == "started"


def test_a_run_that_another_apply_starts_meanwhile_is_replaced_under_always(site: Site) -> None:
    other = _jobset("a", "running", "always", "frozen")
    other["metadata"]["namespace"] = site.namespace
    site.applied(config("c"))
    other["metadata"]["labels"] = {PART_OF: (site.live("ConfigMap", "c") or {})["metadata"]["labels"][PART_OF]}
    site.files(config("c"), _jobset("a", "running", "always", ""))
    started = before(lambda: site.plane.client.create(other))
    site.proxy.on("PATCH", "/jobsets/a", started, only=lambda request: request.is_write)
    done = site.apply("--timeout", "3m")
    assert (done.code, done.results) == (0, {"ConfigMap/c": "unchanged", "JobSet/a": "recreated Frozen"})


def test_a_run_that_was_deleted_while_it_ran_does_not_run_again(site: Site) -> None:
    site.applied(job("a"))
    site.delete("JobSet", "a")
    done = site.apply()
    assert (done.code, done.results, done.writes) == (0, {"JobSet/a": "kept Finished"}, [])


def test_a_run_that_vanishes_during_its_apply_does_not_run_again(site: Site) -> None:
    one = _jobset("a", "terminal", "never", "")
    site.applied(one)
    site.ended("a")
    one["metadata"]["labels"] = {"team": "a"}
    site.files(one)
    site.proxy.on("PATCH", "/jobsets/a", before(lambda: site.delete("JobSet", "a")), only=lambda r: not r.is_dry_run)
    done = site.apply()
    assert (done.code, done.results) == (0, {"JobSet/a": "kept Finished"})
    assert site.live("JobSet", "a") is None


def test_a_run_with_ttl_zero_is_kept(site: Site) -> None:
    site.applied(job("a", "short"))
    site.wait("it is gone", lambda: site.live("JobSet", "a") is None)
    done = site.apply()
    assert (done.code, done.results, done.writes) == (0, {"JobSet/a": "kept Finished"}, [])


def test_a_killed_start_of_a_short_run_needs_a_person(site: Site) -> None:
    """The answer to the create is lost, and the run comes and goes before the next apply."""
    site.files(job("a", "short"))
    running = Future[Program]()

    def fault(forward: Forward) -> None:
        forward()
        running.result().kill()

    site.proxy.on("PATCH", "/jobsets/a", fault, only=lambda request: not request.is_dry_run)
    running.set_result(site.start("apply"))
    running.result().end()
    site.wait("it has come and gone", lambda: site.live("JobSet", "a") is None and site.entries())
    assert site.entries()["JobSet/a"]["state"] == "starting"
    site.wait("a second is over", lambda: site.apply().results == {"JobSet/a": "refused MayHaveRun"})
    assert len(site.proxy.created) == 2  # the parent and the run
    done = site.apply("--rerun", "a")
    assert (done.code, done.results) == (0, {"JobSet/a": "created"})


@pytest.mark.parametrize("ttl", [None, 1])
def test_an_interrupted_start_under_every_policy(site: Site, ttl: int | None) -> None:
    """The inventory says that the runs were to start; they do not exist, and with a TTL they may have ended."""
    names = {cell: name for cell, name in _names("starting").items() if cell[0] != "mutable"}

    def files(change: str) -> list[Object]:
        made = [_jobset(name, "suspended", policy, change and cell) for (cell, policy), name in names.items()]
        return [{**one, "spec": {**one["spec"], **({"ttlSecondsAfterFinished": ttl} if ttl else {})}} for one in made]

    site.applied(*files(""))
    for name in names.values():
        site.delete("JobSet", name)
    entries = [{**one, "uid": "", "state": "starting", "at": "2020-01-01T00:00:00Z"} for one in site.entries().values()]
    parent = site.live("ConfigMap", SET)
    assert parent
    head = {key: parent["metadata"][key] for key in ("name", "namespace", "labels", "annotations")}
    body = {**site.body("ConfigMap", SET), "metadata": head, "data": {"inventory": json.dumps({"entries": entries})}}
    path = site.plane.client.path(body) + "?fieldManager=kubectl-trainjob"
    site.plane.client.request("PATCH", path, body, "application/apply-patch+yaml")
    site.files(*files("changed"))
    left = "refused MayHaveRun" if ttl else "created"
    expected = {
        f"JobSet/{name}": left if cell == "same" or policy == "never" else "created"
        for (cell, policy), name in names.items()
    }
    done = site.apply("--dry-run=server")
    assert (done.writes, done.results) == ([], expected)
    done = site.apply()
    assert (done.code, done.results) == (int(bool(ttl)), expected)
    reruns = [part for name in names.values() for part in ("--rerun", name)]
    done = site.apply(*reruns)
    again = {key: "created" if value != "created" else "refused Running" for key, value in expected.items()}
    assert done.results == again


def test_a_lost_answer_does_not_start_a_short_run_twice(site: Site) -> None:
    """While the client waits for an answer, the run ends and its object goes."""
    site.files(job("a", "short"))

    def fault(forward: Forward) -> None:
        forward()
        site.wait("it has come and gone", lambda: site.live("JobSet", "a") is None)

    site.proxy.on("PATCH", "/jobsets/a", fault, only=lambda request: not request.is_dry_run)
    done = site.apply()
    assert (done.code, done.results) == (1, {"JobSet/a": "failed Unavailable"})
    assert sum("/jobsets/" in one.path for one in site.proxy.created) == 1


def test_jobs_are_runs_too(site: Site) -> None:
    pod = {"nodeSelector": NOWHERE, "restartPolicy": "Never", "containers": [{"name": "a", "image": "example.com/a:1"}]}
    one = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": pod}}}
    site.applied(one)
    assert site.applied(one).writes == []
    pod["containers"] = [{"name": "a", "image": "example.com/a:2"}]
    site.files(one)
    assert site.apply().results == {"Job/a": "refused Frozen"}
    assert site.apply("--recreate", "always").results == {"Job/a": "recreated Frozen"}


def test_the_files_pause_and_resume_a_run(site: Site) -> None:
    site.applied(job("a"))
    uid = site.uid("JobSet", "a")
    assert site.applied(job("a", suspend=True)).results == {"JobSet/a": "configured"}
    assert site.applied(job("a", suspend=True)).writes == []
    assert site.applied(job("a")).results == {"JobSet/a": "configured"}
    assert site.uid("JobSet", "a") == uid
