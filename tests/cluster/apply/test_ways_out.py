"""The command line on the set of a loop: the way out of what the loop leaves to a user."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.apply import world
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import Loop
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_training_set import install, training_set

pytestmark = pytest.mark.cluster

LOOP = ("--applyset", "trainingset/loop")


@pytest.fixture
def looped(site: Site) -> Iterator[Site]:
    """A place with the TrainingSet `loop`."""
    install(site.plane)
    site.plane.client.create(training_set(site, "loop"))
    yield site
    site.plane.client.request("DELETE", _path(site, "loop"))


def _path(site: Site, name: str) -> str:
    path: str = site.plane.client.path(training_set(site, name))
    return path


def entries(site: Site) -> dict[str, Object]:
    """The inventory of the TrainingSet, by `Kind/name`."""
    status = site.plane.client.request("GET", _path(site, "loop")).get("status") or {}
    found = (status.get("inventory") or {}).get("entries") or ()
    return {"/".join(reversed(one["id"].split("_")[1::2])): one for one in found}


def set_entries(site: Site, *changed: Object) -> None:
    """Write the inventory as the loop does."""
    patch = {"status": {"inventory": {"entries": list(changed)}}}
    path = f"{_path(site, 'loop')}/status"
    site.plane.client.request("PATCH", path, patch, "application/merge-patch+json")


def test_a_set_of_the_loop_is_one_like_others(looped: Site) -> None:
    done = looped.applied(job("m", "mpi"), config("c"), arguments=LOOP)
    assert done.document["applySet"]["kind"] == "TrainingSet"
    assert set(entries(looped)) == {"JobSet/m", "Secret/m-mpi-ssh-auth"}
    assert looped.live("ConfigMap", "kubectl-trainjob") is None
    again = looped.applied(job("m", "mpi"), config("c"), arguments=LOOP)
    assert again.writes == []
    metadata = looped.plane.client.request("GET", _path(looped, "loop"))["metadata"]
    assert metadata["labels"]["applyset.kubernetes.io/id"] == done.document["applySet"]["id"]
    shown = json.loads(looped.run("status", *LOOP, "-o", "json").ended.out)
    assert [one["name"] for one in shown["jobs"]] == ["m"]
    assert looped.run("diff", "--live", *LOOP).code == 0
    secrets = looped.run("secrets", "--create", *LOOP)
    assert (secrets.code, secrets.ended.out) == (0, "secret/m-mpi-ssh-auth unchanged\n")
    looped.files(job("m", "mpi"), config("c"))
    other = looped.apply()
    assert set(other.results.values()) <= {"refused OtherSet", "skipped WithRun", "unchanged"}
    assert other.code == 1


def test_out_of_prune_rejected(looped: Site) -> None:
    looped.applied(*(config(f"c{number}") for number in range(6)), job("ends", "ends"), arguments=LOOP)
    looped.ended("ends")
    looped.files(config("c0"))
    done = looped.apply(*LOOP, "--prune")
    assert (done.code, list(done.results.values()).count("refused TooMany")) == (1, 6)
    done = looped.apply(*LOOP, "--prune", "--prune-many")
    assert (done.code, list(done.results.values()).count("pruned")) == (0, 6)
    assert entries(looped) == {}
    assert looped.apply(*LOOP, "--prune").writes == []


def test_out_of_may_have_run(looped: Site) -> None:
    looped.applied(job("a", "short"), arguments=LOOP)
    looped.wait("it is gone", lambda: looped.live("JobSet", "a") is None)
    (entry,) = entries(looped).values()
    set_entries(looped, {**entry, "state": "starting", "at": "2020-01-01T00:00:00Z", "uid": None})
    done = looped.apply(*LOOP)
    assert (done.code, done.results) == (1, {"JobSet/a": "refused MayHaveRun"})
    done = looped.apply(*LOOP, "--rerun", "a")
    assert (done.code, done.results) == (0, {"JobSet/a": "created"})
    assert entries(looped)["JobSet/a"]["state"] == "started"


def test_out_of_not_ours(looped: Site) -> None:
    theirs: Any = world.jobset("a")
    looped.plane.client.create({**theirs, "metadata": {**theirs["metadata"], "namespace": looped.namespace}})
    looped.files(world.jobset("a"))
    assert looped.apply(*LOOP).results == {"JobSet/a": "refused NotOurs"}
    uid = looped.uid("JobSet", "a")
    done = looped.apply(*LOOP, "--adopt")
    assert (done.code, done.results, looped.uid("JobSet", "a")) == (0, {"JobSet/a": "configured"}, uid)
    assert set(entries(looped)) == {"JobSet/a"}


@pytest.mark.parametrize("to_loop", [True, False], ids=["to the loop", "from the loop"])
def test_a_set_moves_and_what_is_over_stays_over(looped: Site, to_loop: bool) -> None:
    hand = ("--applyset", "hand")
    old, new = (hand, LOOP) if to_loop else (LOOP, hand)
    files = [job("over", "ends"), job("runs"), config("c")]
    looped.applied(*files, arguments=old)
    looped.ended("over")
    looped.delete("JobSet", "over")
    uid = looped.uid("JobSet", "runs")
    done = looped.applied(*files, arguments=(*new, "--adopt-from", old[1]))
    assert done.results == {"ConfigMap/c": "configured", "JobSet/over": "kept Finished", "JobSet/runs": "configured"}
    assert looped.uid("JobSet", "runs") == uid
    again = looped.applied(*files, arguments=new)
    assert again.writes == []
    assert again.results["JobSet/over"] == "kept Finished"


_PROBLEMS = {
    "Frozen": r"use (spec\.recreate), or give",
    "OtherSet": r"use annotation (\S+) of the TrainingSet to",
    "NotOurs": r"use kubectl trainjob ([^;]*?) to take it over",
    "TooMany": r"use kubectl trainjob ([^;]*?) if this is intended",
    "MayHaveRun": r"use kubectl trainjob ([^;]*?) to start it",
}


@pytest.mark.parametrize("reason", _PROBLEMS)
def test_the_status_of_a_loop_says_its_way_out(site: Site, reason: str) -> None:
    """What the message names is tried as it is: a field, an annotation, or a command line for the set."""
    install(site.plane)
    loop = Loop(site, prune=True)
    _provoked(loop, reason)
    assert loop.once().code == 1
    (way,) = set(re.findall(_PROBLEMS[reason], loop.message))
    assert f"{reason}: " in loop.message
    assert not re.search(r"(?<!\w) --?\w", re.sub(r"kubectl trainjob [^;]*", "", loop.message)), loop.message
    assert [note for name, note in loop.events() if name == "Refused"] == [loop.message]
    if reason == "Frozen":
        loop.merge({"spec": {way.partition(".")[2]: "always"}})
    elif reason == "OtherSet":
        loop.merge({"metadata": {"annotations": {way: "hand"}}})
    else:
        assert site.run(*way.replace("JOB", "a").split()).code == 0
    assert loop.once().code == 0, loop.message


def _provoked(loop: Loop, reason: str) -> None:
    """Something that the loop leaves to a user."""
    site = loop.site
    if reason == "Frozen":
        loop.applied(job("a"))
        site.files(job("a", image="example.com/train:2"))
    elif reason == "OtherSet":
        site.applied(job("a"), arguments=("--applyset", "hand"))
    elif reason == "NotOurs":
        site.plane.client.create(config("a", namespace=site.namespace))
        site.files(config("a"))
    elif reason == "TooMany":
        loop.applied(*(config(f"c{number}") for number in range(6)))
        site.files(config("c0"))
    else:
        loop.applied(job("a", "short"))
        site.wait("it is gone", lambda: site.live("JobSet", "a") is None)
        (entry,) = loop.status["inventory"]["entries"]
        entry = {**entry, "state": "starting", "at": "2020-01-01T00:00:00Z", "uid": None}
        patch = {"status": {"inventory": {"entries": [entry]}}}
        path = f"{site.plane.client.path(loop.created)}/status"
        site.plane.client.request("PATCH", path, patch, "application/merge-patch+json")


def test_a_set_that_does_not_exist(looped: Site) -> None:
    looped.files(job("a"))
    sets = (("--applyset", "trainingset/none"), *(("--adopt-from", name) for name in ("none", "tset/none", "secret/a")))
    for arguments in sets:
        done = looped.apply(*arguments)
        assert (done.code, done.ended.out, done.writes) == (2, "", []), arguments
        assert done.ended.err.splitlines()[-1].startswith("error: "), done.ended.err
    assert looped.run("status", "--applyset", "trainingset/none").code == 2
    looped.plane.client.create(config("plain", namespace=looped.namespace))
    said = f"ConfigMap {looped.namespace}/plain is not the parent of a set; correct the name of the set to take over"
    assert looped.apply("--adopt-from", "plain").ended.err.splitlines()[-1] == f"error: {said}"
