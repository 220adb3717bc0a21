"""The order of an apply: dry runs before writes, what others need before them, and what ends it early."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.apply import world
from tests.cluster.apply.inputs import Object, config, job, runtime
from tests.cluster.apply.proxy import after, answer, before, lost, reset
from tests.cluster.apply.site import SET, Site

pytestmark = pytest.mark.cluster


def create(site: Site, one: Object) -> None:
    """Create an object as another user."""
    site.plane.client.create({**one, "metadata": {**one["metadata"], "namespace": site.namespace}})


def line_of(site: Site, file: str, text: str) -> int:
    """The line of a file that has a text."""
    lines = (site.folder / file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_all_dry_runs_come_before_the_first_write_and_runs_are_last(site: Site) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}}
    site.files(job("m", "mpi"), job("a", "gang"), config("c"), account)
    done = site.apply()
    lines = [one.line for one in done.requests]
    first = lines.index(done.writes[0])
    assert not any("(dry run)" in line for line in lines[first:])
    assert sum("/jobs (dry run)" in line for line in lines) == 3  # one of each replicatedJob
    names = [line.split("/")[-2:] for line in done.writes]
    assert [kind for kind, _ in names] == [
        "configmaps", "serviceaccounts", "configmaps", "configmaps", f"{site.namespace}", "podgroups", "jobsets",
        "jobsets", "configmaps",
    ]  # fmt: skip
    assert done.writes[4].endswith("/secrets")
    document = done.document
    assert document["requests"]["write"] == len(done.writes)
    assert document["requests"]["dryRun"] == sum(one.is_dry_run for one in done.requests)
    assert len(done.requests) <= 4 * len(document["objects"]) + 40


def test_a_late_error_is_at_its_line_and_nothing_is_written(site: Site) -> None:
    bad = world.jobset("late")
    bad["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = "Now"
    site.files(config("c"), bad)
    done = site.apply()
    assert done.code == 1
    assert done.writes == []
    if done.ended.out:  # the build did not find it
        assert done.results == {"ConfigMap/c": "skipped AfterFailure", "JobSet/late": "failed Invalid"}
    assert "jobs/001.yaml:" in done.ended.err


def test_an_error_of_the_server_is_at_its_line_and_nothing_is_written(site: Site) -> None:
    invalid = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": [{"port": 99999}]}}
    site.files(job("a"), invalid)
    done = site.apply()
    assert done.results == {"Service/s": "failed Invalid", "JobSet/a": "skipped AfterFailure"}
    assert (done.code, done.writes) == (1, [])
    assert f"jobs/001.yaml:{line_of(site, 'jobs/001.yaml', '99999')}: Service/s failed: " in done.ended.err


def test_what_may_not_change_is_at_its_line(site: Site) -> None:
    """Frozen values of a TrainJob and a JobSet, and a value of another manager."""
    site.applied(job("a", image="example.com/a:1"), world.jobset("b"), config("c"))
    site.plane.client.merge(site.body("ConfigMap", "c"), {"data": {"key": "2"}})
    changed = world.jobset("b")
    pod = changed["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["image"] = "example.com/a:3"
    site.files(job("a", image="example.com/a:3"), changed, config("c", "3"))
    done = site.apply()
    frozen = "spec.replicatedJobs[0].template.spec.template.spec.containers[0].image"
    expected = {
        "jobs/000.yaml": ("example.com/a:3", "JobSet/a was refused: ", f" ({frozen})"),
        "jobs/001.yaml": ("example.com/a:3", "JobSet/b was refused: ", f" ({frozen})"),
        "jobs/002.yaml": ('"key"', "ConfigMap/c was refused: ", ""),
    }
    shown = {line.partition(":")[0]: line for line in done.ended.err.splitlines()}
    assert shown.keys() == expected.keys()
    for file, (text, start, end) in expected.items():
        assert shown[file].startswith(f"{file}:{line_of(site, file, text)}: {start}")
        assert shown[file].endswith(end)


def test_a_type_error_is_not_tried_again(site: Site) -> None:
    """The server answers 500, and means it."""
    site.files({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"key": 1}})
    done = site.apply()
    assert done.code == 1
    if done.ended.out:
        assert done.results == {"ConfigMap/c": "failed Invalid"}
        assert sum("/configmaps/c" in one.path for one in done.requests) == 1
    assert done.writes == []


def test_a_dry_run_writes_nothing(site: Site) -> None:
    stays = world.prepare(site)
    before_ = world.state(site)
    done = site.apply(*world.ARGUMENTS, "--dry-run=server")
    assert (done.code, done.results, done.document["dryRun"]) == (0, world.EXPECTED, True)
    assert done.writes == []
    assert world.state(site) == before_
    assert {key: site.uid(*key.split("/")) for key in stays} == stays
    text = site.run("apply", *world.ARGUMENTS, "--dry-run=server").ended.out
    assert all(line.endswith(" (server dry run)") for line in text.splitlines())
    names = site.run("apply", *world.ARGUMENTS, "--dry-run=server", "-o", "name").ended.out
    assert "jobset.jobset.x-k8s.io/again\n" in names


def test_a_runtime_and_its_job_in_one_apply(site: Site) -> None:
    """With Trainer the runtime is an object too; its webhook learns of it late."""
    site.files({**runtime("own"), "metadata": {"name": "own"}}, job("a", "own"), job("b", "own"))
    done = site.apply("--emit", "trainjob")
    assert done.code == 0
    assert set(done.results) > {"TrainingRuntime/own", "TrainJob/a", "TrainJob/b"}
    assert set(done.results.values()) == {"created"}
    site.wait("Trainer made its JobSet", lambda: site.live("JobSet", "a"))
    assert site.apply("--emit", "trainjob").writes == []


def test_the_cache_of_the_webhook_is_behind(site: Site) -> None:
    text = (
        'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: spec.runtimeRef: Invalid '
        'value: {"name":"own"}: TrainingRuntime.trainer.kubeflow.org "own" not found: specified trainingRuntime must '
        "be created before the TrainJob is created"
    )
    site.proxy.on("PATCH", "/trainjobs/a", answer(403, text), times=3)
    site.files({**runtime("own"), "metadata": {"name": "own"}}, job("a", "own"))
    done = site.apply("--emit", "trainjob")
    assert (done.code, done.results["TrainJob/a"]) == (0, "created")


def test_frozen_and_mutable_changes_of_trainjobs(site: Site) -> None:
    own = {**runtime("own"), "metadata": {"name": "own"}}
    site.applied(own, job("a", "own"), arguments=("--emit", "trainjob"))
    done = site.applied(own, job("a", "own", labels={"team": "a"}), arguments=("--emit", "trainjob"))
    assert (done.results["TrainingRuntime/own"], done.results["TrainJob/a"]) == ("unchanged", "configured")
    site.files(own, job("a", "own", image="example.com/train:2"))
    done = site.apply("--emit", "trainjob")
    assert done.results["TrainJob/a"] == "refused Frozen"
    done = site.apply("--emit", "trainjob", "--recreate", "always")
    assert (done.code, done.results["TrainJob/a"]) == (0, "recreated Frozen")
    assert site.apply("--emit", "trainjob").writes == []


def test_a_namespace_and_its_objects_in_one_apply(site: Site) -> None:
    other = f"{site.namespace}-new"
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": other}}
    here = config("here", namespace=site.namespace)
    site.files(space, here, config("c", namespace=other), world.jobset("j", namespace=other))
    done = site.apply("--applyset", "x")
    assert set(done.results) == {f"Namespace/{other}", "ConfigMap/here", "ConfigMap/c", "JobSet/j"}
    assert set(done.results.values()) == {"created"}
    assert done.code == 0
    assert site.apply("--applyset", "x").writes == []


def test_a_definition_and_its_object_in_one_apply(site: Site) -> None:
    group = f"{site.namespace}.example.com"
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    definition["metadata"] = {"name": f"things.{group}"}
    definition["spec"] = {"group": group, "names": names, "scope": "Namespaced", "versions": [version]}
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": 1}}
    site.files(definition, thing)
    done = site.apply()
    assert done.results == {f"CustomResourceDefinition/things.{group}": "created", "Thing/t": "created"}
    assert site.apply().writes == []


def test_a_group_that_is_being_deleted_holds_up_no_other(site: Site) -> None:
    site.applied(config("stuck", finalizers=["example.com/hold"]), config("c"), job("a"))
    path = site.plane.client.path(site.body("ConfigMap", "stuck"))
    site.plane.client.request("DELETE", path)
    site.files(config("stuck"), config("c", "2"), job("a", image="example.com/train:2"), job("b"))
    done = site.apply("--recreate", "always", "--timeout", "40s")
    assert done.results == {
        "ConfigMap/stuck": "failed Timeout",
        "ConfigMap/c": "configured",
        "JobSet/a": "recreated Frozen",
        "JobSet/b": "created",
    }
    assert done.code == 1
    assert {one["state"] for one in site.entries().values()} == {"started"}

    def release() -> None:
        site.plane.client.merge(site.body("ConfigMap", "stuck"), {"metadata": {"finalizers": None}})

    site.proxy.on("GET", "/configmaps/stuck", after(release))
    done = site.apply("--recreate", "always")
    assert (done.code, done.results["ConfigMap/stuck"]) == (0, "created")
    assert site.apply("--recreate", "always").writes == []


def test_an_object_that_is_deleted_between_look_and_write(site: Site) -> None:
    site.applied(config("c"), job("a"))
    site.files(config("c", "2"), job("a"))
    site.proxy.on("PATCH", "/configmaps/c", before(lambda: site.delete("ConfigMap", "c")), only=lambda r: r.is_write)
    done = site.apply()
    assert (done.code, done.results["ConfigMap/c"]) == (0, "created")


def test_an_object_that_somebody_creates_between_look_and_write(site: Site) -> None:
    site.files(config("c"))
    site.proxy.on("PATCH", "/configmaps/c", before(lambda: create(site, config("c", "9"))), only=lambda r: r.is_write)
    done = site.apply()
    assert (done.code, done.results["ConfigMap/c"]) == (1, "refused NotOurs")
    live = site.live("ConfigMap", "c")
    assert live
    assert live["data"] == {"key": "9"}


def test_jobsets_are_not_applied_where_trainer_runs(site: Site, trainer_lease: Any) -> None:
    site.files(job("a"))
    trainer_lease(2)
    done = site.apply()
    assert (done.code, done.writes, done.ended.out) == (2, [], "")
    assert "--emit trainjob" in done.ended.err.splitlines()[-1]
    trainer_lease(60)
    assert site.apply().code == 0


def test_a_trainjob_and_a_jobset_of_one_name(site: Site) -> None:
    create(site, {**runtime("own"), "metadata": {"name": "own"}})
    _wait_for_webhook(site)
    create(site, job("a", "own", suspend=True))
    site.files(job("a"))
    done = site.apply()
    assert (done.code, done.results) == (1, {"JobSet/a": "refused TrainJobExists"})
    create(site, world.jobset("b"))
    site.files(job("b"))
    done = site.apply("--emit", "trainjob")
    assert (done.code, done.results["TrainJob/b"]) == (1, "refused JobSetExists")


def _wait_for_webhook(site: Site) -> None:
    probe = {**job("probe", "own"), "metadata": {"name": "probe", "namespace": site.namespace}}
    site.wait("the runtime", lambda: site.plane.client.create(probe, dry_run=True))


def test_another_manager_owns_a_field(site: Site) -> None:
    site.applied(config("c"), job("a"))
    theirs = {**config("c", "9"), "metadata": {"name": "c", "namespace": site.namespace}}
    path = site.plane.client.path(theirs) + "?fieldManager=other&force=true"
    site.plane.client.request("PATCH", path, theirs, "application/apply-patch+yaml")
    site.files(config("c", "2"), job("a"))
    done = site.apply()
    assert (done.code, done.results["ConfigMap/c"]) == (1, "refused Conflict")
    (one,) = [each for each in done.document["objects"] if each["name"] == "c"]
    assert ("other" in one["message"], one["fields"]) == (True, ["data.key"])
    done = site.apply("--force-conflicts")
    assert (done.code, done.results["ConfigMap/c"]) == (0, "configured")


def test_a_run_that_another_tool_paused(site: Site) -> None:
    site.applied(job("a", suspend=False))
    theirs = {**site.body("JobSet", "a"), "spec": {"suspend": True}}
    path = site.plane.client.path(theirs) + "?fieldManager=kubectl-trainjob-suspend&force=true"
    site.plane.client.request("PATCH", path, theirs, "application/apply-patch+yaml")
    done = site.apply()
    assert (done.code, done.results) == (1, {"JobSet/a": "refused Conflict"})
    assert "kubectl-trainjob-suspend" in done.document["objects"][0]["message"]
    site.files(job("a"))
    assert site.apply().code == 0
    live = site.live("JobSet", "a")
    assert live
    assert live["spec"]["suspend"] is True


@pytest.mark.parametrize("fault", [reset, answer(503), answer(401, "Unauthorized")], ids=["gone", "503", "401"])
def test_no_server(site: Site, fault: Any) -> None:
    site.files(job("a"))
    site.proxy.on("", "", fault, times=1 << 30)
    done = site.apply()
    assert (done.code, done.ended.out) == (2, "")
    assert done.ended.err.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in done.ended.err
    assert len(done.requests) <= 3


def test_no_kubeconfig(site: Site) -> None:
    site.files(job("a"))
    done = site.run("apply", "--kubeconfig", "nowhere")
    assert (done.code, done.ended.err.count("\n")) == (2, 1)
    assert done.ended.err.startswith("error: no kubeconfig at nowhere")


def test_the_server_goes_away_after_the_first_write(site: Site) -> None:
    site.files(config("c"), config("d"), job("a"))
    site.proxy.on("", "", answer(503), times=1 << 30, skip=1, only=lambda _: _has_written(site))
    done = site.apply()
    assert done.code == 1
    assert set(done.results.values()) <= {"failed Unavailable", "skipped WithRun", "created"}
    assert done.results[f"ConfigMap/{SET}"] == "failed Unavailable"
    site.proxy.clear()
    assert site.apply().code == 0
    assert site.apply().writes == []


def _has_written(site: Site) -> bool:
    """Whether a write was sent."""
    return any(one.is_write for one in site.proxy.requests)


def test_credentials_end_after_the_first_write(site: Site) -> None:
    site.files(config("c"), job("a"))
    site.proxy.on(
        "PATCH", "/(configmaps/c|jobsets/a)", answer(401, "Unauthorized"), times=99, only=lambda r: r.is_write
    )
    done = site.apply()
    assert (done.code, done.results) == (
        1,
        {"ConfigMap/c": "failed Unauthorized", "JobSet/a": "failed Unauthorized"},
    )


def test_a_namespace_that_does_not_exist(site: Site) -> None:
    site.files(job("a"))
    done = site.apply("-n", f"{site.namespace}-none")
    assert (done.code, done.writes) == (2, []) or done.results == {"JobSet/a": "failed NotFound"}
    assert "not found" in done.ended.err + done.ended.out


def test_a_namespace_that_is_being_deleted(site: Site) -> None:
    path = f"/api/v1/namespaces/{site.namespace}"
    site.plane.client.merge(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": site.namespace}},
        {"metadata": {"finalizers": ["example.com/hold"]}},
    )
    site.plane.client.request("DELETE", path)
    site.files(job("a"))
    done = site.apply()
    assert done.code == 1
    assert done.results == {"JobSet/a": "failed Terminating"}
    assert done.writes == []


def test_a_request_is_sent_at_most_six_times(site: Site) -> None:
    site.files(config("c"), config("d"))
    site.proxy.on("PATCH", "/configmaps/c", answer(500, "etcdserver: request timed out"), times=99)
    done = site.apply()
    assert done.results == {"ConfigMap/c": "failed Unavailable", "ConfigMap/d": "skipped AfterFailure"}
    assert sum("/configmaps/c" in one.path for one in done.requests) == 6


def test_a_lost_answer_to_a_create(site: Site) -> None:
    site.files(job("a"))
    site.proxy.on("PATCH", "/jobsets/a", lost, only=lambda request: request.is_write)
    done = site.apply()
    assert (done.code, done.results) == (0, {"JobSet/a": "created"})
    assert site.entries()["JobSet/a"]["uid"] == site.uid("JobSet", "a")


def test_the_webhooks_of_jobset_are_down(site: Site) -> None:
    site.applied(job("a"), config("c"))
    site.files(job("b"), job("a", suspend=True), config("c", "2"))
    site.plane.stop("jobset-manager")
    try:
        done = site.apply("--timeout", "60s")
        assert (done.code, done.writes) == (1, [])
        assert done.results == {
            "ConfigMap/c": "skipped AfterFailure",
            "JobSet/a": "failed Unavailable",
            "JobSet/b": "failed Unavailable",
        }
    finally:
        site.plane.start("jobset-manager")
    assert site.apply().code == 0
