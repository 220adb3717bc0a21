"""What users and other tools do to a set between two applies, and within one: no run is lost, deleted or repeated."""

from __future__ import annotations

import json

import pytest

from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.proxy import Request, before
from tests.cluster.apply.site import SET, Site
from tests.cluster.apply.world import jobset

pytestmark = pytest.mark.cluster

_PRUNE = ("--applyset", SET, "--prune")


def _create(site: Site, body: Object) -> None:
    site.plane.client.create({**body, "metadata": {**body["metadata"], "namespace": site.namespace}})


def _is_write(request: Request) -> bool:
    return request.is_write


def _uids(site: Site, *names: str) -> list[str]:
    return [site.uid(*name.split("/")) for name in names]


def test_another_manager_takes_a_field_between_dry_run_and_write(site: Site) -> None:
    site.applied(config("c"))
    site.files(config("c", "2"))
    take = before(lambda: site.plane.client.merge(site.live("ConfigMap", "c"), {"data": {"key": "theirs"}}))
    site.proxy.on("PATCH", "/configmaps/c", take, times=1, only=_is_write)
    done = site.apply()
    assert (done.code, done.results) == (1, {"ConfigMap/c": "refused Conflict"})
    live = site.live("ConfigMap", "c")
    assert live
    assert live["data"] == {"key": "theirs"}


@pytest.mark.parametrize("is_pruned", [False, True])
def test_a_run_that_a_user_creates_again_before_its_delete(site: Site, is_pruned: bool) -> None:
    site.applied(job("a", "ends"), job("b"), arguments=("--applyset", SET))
    site.ended("a")
    site.files(*([] if is_pruned else [job("a", image="example.com/train:2")]), job("b"))
    found: list[str] = []

    def swap() -> None:
        site.delete("JobSet", "a")
        _create(site, jobset("a"))
        found.append(site.uid("JobSet", "a"))

    site.proxy.on("DELETE", "/jobsets/a", before(swap), times=1, only=_is_write)
    done = site.apply(*(_PRUNE if is_pruned else ("--recreate", "always")))
    assert done.results["JobSet/a"] == ("pruned" if is_pruned else "refused NotOurs")
    assert site.uid("JobSet", "a") == found[0]


def test_a_running_job_is_renamed_and_gets_its_name_back(site: Site) -> None:
    site.applied(job("old"), arguments=_PRUNE)
    uid = site.uid("JobSet", "old")
    renamed = site.applied(job("new"), arguments=_PRUNE)
    assert renamed.results == {"JobSet/new": "created", "JobSet/old": "kept Running"}
    done = site.applied(job("old"), arguments=_PRUNE)
    assert done.results == {"JobSet/old": "unchanged", "JobSet/new": "kept Running"}
    assert site.uid("JobSet", "old") == uid


def test_two_branches_in_turns(site: Site) -> None:
    one = [job("a"), job("x", "ends"), config("c", "1")]
    two = [job("a", image="example.com/train:2"), job("y", "ends"), config("c", "2")]
    site.applied(*one, arguments=_PRUNE)
    site.ended("x")
    uids = _uids(site, "JobSet/a", "JobSet/x")
    for files, code, state in ((two, 1, "refused Frozen"), (one, 0, "unchanged")) * 2:
        site.files(*files)
        done = site.apply(*_PRUNE)
        assert (done.code, done.results["JobSet/a"]) == (code, state)
        if site.live("JobSet", "y"):
            site.ended("y")
    assert _uids(site, "JobSet/a", "JobSet/x") == uids


def test_an_inventory_that_names_foreign_objects(site: Site) -> None:
    foreign = ("JobSet/foreign", "Secret/mine", "ConfigMap/mine")
    _create(site, jobset("foreign"))
    _create(site, config("mine"))
    _create(site, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mine"}})
    uids = _uids(site, *foreign)
    site.applied(job("a"), arguments=_PRUNE)
    parent = site.live("ConfigMap", SET)
    assert parent
    entries = json.loads(parent["data"]["inventory"])["entries"]
    for name, group, version in zip(foreign, ("jobset.x-k8s.io", "", ""), ("v1alpha2", "v1", "v1"), strict=True):
        kind, _, rest = name.partition("/")
        key = f"{site.namespace}_{rest}_{group}_{kind}"
        entries.append({"id": key, "v": version, "uid": site.uid(kind, rest), "state": "started"})
    site.plane.client.merge(parent, {"data": {"inventory": json.dumps({"entries": entries})}})
    site.files(jobset("foreign"), job("a"))
    assert site.apply(*_PRUNE).results["JobSet/foreign"] == "refused NotOurs"
    site.files(job("a"))
    site.apply(*_PRUNE)
    assert _uids(site, *foreign) == uids


def test_the_hash_of_a_run_is_edited(site: Site) -> None:
    site.applied(job("over", "ends"), job("lives"))
    site.ended("over")
    names, note = ("JobSet/over", "JobSet/lives"), "kubectl-trainjob.dev/run-hash"
    uids = _uids(site, *names)
    for value in ("0", None):
        for name in ("over", "lives"):
            site.plane.client.merge(site.live("JobSet", name), {"metadata": {"annotations": {note: value}}})
        done = site.apply("--recreate", "always")
        assert set(done.results.values()) == {"refused Conflict"} if value else done.code == 0
        assert _uids(site, *names) == uids


def test_a_secret_is_deleted_while_its_run_lives(site: Site) -> None:
    site.applied(job("m", "mpi"))
    uid = site.uid("JobSet", "m")
    site.delete("Secret", "m-mpi-ssh-auth")
    assert site.apply().results["Secret/m-mpi-ssh-auth"] == "created"
    assert site.uid("JobSet", "m") == uid
    assert site.apply().writes == []


def test_jobsets_are_emitted_instead_of_trainjobs(site: Site) -> None:
    mode, names = ("--emit", "trainjob"), ("TrainJob/a", "TrainJob/b", "JobSet/a", "JobSet/b")
    site.applied(job("a", "ends"), job("b"), job("gone", "ends"), arguments=(*_PRUNE, *mode))
    site.wait("JobSet b", lambda: site.live("JobSet", "b"))
    site.ended("a")
    site.delete("TrainJob", "gone")
    uids = _uids(site, *names)
    results = site.apply(*_PRUNE).results
    assert (results["JobSet/a"], results["JobSet/b"]) == ("refused TrainJobExists",) * 2
    assert results["JobSet/gone"] == "kept Finished"
    done = site.apply(*_PRUNE, *mode)
    assert (done.code, [line for line in done.writes if not line.endswith(f"/configmaps/{SET}")]) == (0, [])
    assert _uids(site, *names) == uids


def test_trainjobs_are_emitted_instead_of_jobsets(site: Site) -> None:
    """What has run as a JobSet does not run once more as a TrainJob, also after two applies that prune."""
    mode = ("--emit", "trainjob")
    site.applied(job("a", "ends"), job("gone", "ends"), arguments=_PRUNE)
    site.ended("a")
    site.ended("gone")
    site.delete("JobSet", "gone")
    uid = site.uid("JobSet", "a")
    assert site.apply(*_PRUNE, *mode).results["TrainJob/a"] == "refused JobSetExists"
    site.delete("JobSet", "a")
    for _ in range(2):
        done = site.apply(*_PRUNE, *mode)
        found = {name: done.results[name] for name in ("TrainJob/a", "TrainJob/gone")}
        assert (done.code, set(found.values())) == (0, {"kept Finished"}), found
    message = next(each["message"] for each in done.document["objects"] if each["name"] == "gone")
    assert message == "it ran with another value of emit; use --rerun to start it again"
    assert site.apply(*_PRUNE, *mode, "--rerun", "gone").results["TrainJob/gone"] == "created"
    assert uid not in ("", site.uid("JobSet", "a"))


def test_an_object_of_another_set_is_left_to_it(site: Site) -> None:
    site.applied(config("shared"), job("a"), arguments=("--applyset", "one", "--prune"))
    uids = _uids(site, "ConfigMap/shared", "JobSet/a")
    site.files(config("shared"), job("b"))
    done = site.apply("--applyset", "two", "--prune")
    assert (done.code, done.results["ConfigMap/shared"]) == (1, "refused OtherSet")
    site.applied(job("b"), arguments=("--applyset", "two", "--prune"))
    assert _uids(site, "ConfigMap/shared", "JobSet/a") == uids
