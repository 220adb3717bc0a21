"""`controller once` on the real API server: what the loop applies, and what it says in the status."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import ACCOUNT, Loop, grant, install, training_set
from tests.cluster.apply.proxy import before
from tests.cluster.apply.site import Site
from tests.cluster.plane.plane import Plane
from tests.tools import require

pytestmark = pytest.mark.cluster

_COPIED = ("namespace", "labels", "annotations")


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)


@pytest.fixture
def loop(site: Site) -> Loop:
    return Loop(site)


def test_applies_and_then_writes_nothing(loop: Loop) -> None:
    site = loop.site
    done = loop.applied(job("a", "gang"), job("m", "mpi"), config("c"))
    assert site.live("JobSet", "a")
    status = loop.status
    revision = status["lastAppliedRevision"]
    assert revision.startswith("sha256:")
    assert status["lastAttemptedRevision"] == revision
    assert status["observedGeneration"] == 1
    assert [one["type"] for one in status["conditions"]] == ["Ready"]
    assert loop.condition() == ("True", "ReconciliationSucceeded")
    assert status["summary"] == {"created": 6}
    entries = {"/".join(reversed(one["id"].split("_")[1::2])): one for one in status["inventory"]["entries"]}
    assert set(entries) == {"JobSet/a", "JobSet/m", "Secret/m-mpi-ssh-auth"}
    assert {one["state"] for one in entries.values()} == {"started"}
    assert entries["JobSet/a"]["uid"] == site.uid("JobSet", "a")
    live = site.live("JobSet", "a")
    assert live
    labels, expected = live["metadata"]["labels"], loop.live["metadata"]["labels"]["applyset.kubernetes.io/id"]
    assert labels["applyset.kubernetes.io/part-of"] == expected
    assert done.ended.out.startswith("trainingset.kubectl-trainjob.dev/s in ")
    assert {reason for reason, _ in loop.events()} == {"Created", "ReconciliationSucceeded"}
    before_second, events = loop.live, loop.events()
    again = loop.once()
    assert (again.code, again.writes) == (0, [])
    assert loop.live == before_second
    assert loop.events() == events


def test_the_summary_is_that_of_the_last_change(loop: Loop) -> None:
    loop.applied(config("c"), config("d"))
    assert loop.status["summary"] == {"created": 2}
    loop.applied(config("c", "2"), config("d", "2"))
    assert loop.status["summary"] == {"configured": 2}


def test_all_members_are_written_as_the_service_account(loop: Loop) -> None:
    done = loop.applied(job("a"))
    users = {
        (one.path.split("/")[-2] if "/jobsets" in one.path else "own", one.headers.get("Impersonate-User"))
        for one in done.requests
        if one.is_write
    }
    assert users == {
        ("jobsets", f"system:serviceaccount:{loop.site.namespace}:{ACCOUNT}"),
        ("own", None),
    }


def test_without_rights_nothing_is_written(site: Site) -> None:
    loop = Loop(site, granted=False, serviceAccountName="nobody")
    site.files(job("a"))
    done = loop.once()
    assert done.code == 1
    assert loop.condition() == ("False", "AccessDenied")
    assert loop.condition("Stalled") == ("True", "AccessDenied")
    assert site.live("JobSet", "a") is None
    assert "lastAppliedRevision" not in loop.status
    first = loop.live
    assert loop.once().writes == []
    assert loop.live == first


def test_invalid_files_stop_everything(loop: Loop) -> None:
    loop.applied(job("a"), job("b"))
    applied = loop.status["lastAppliedRevision"]
    loop.site.files(job("a"), job("b", "none"))
    loop.merge({"spec": {"prune": True}})
    done = loop.once()
    assert done.code == 1
    assert loop.condition() == ("False", "BuildFailed")
    message = next(one["message"] for one in loop.status["conditions"] if one["type"] == "Ready")
    assert message.startswith("jobs/001.yaml:")
    assert '"none"' in message
    assert (loop.status["lastAppliedRevision"], loop.status["observedGeneration"]) == (applied, 2)
    loop.site.files()
    assert loop.once().code == 1
    assert loop.condition() == ("False", "BuildFailed")
    assert set(loop.site.all("JobSet")) == {"a", "b"}
    loop.applied(job("a"), job("b"))
    assert loop.condition("Stalled") is None


def test_missing_directory_and_path(site: Site) -> None:
    loop = Loop(site, path="overlays/prod")
    site.files(job("a"))
    assert loop.once().code == 1
    assert loop.condition() == ("False", "BuildFailed")
    done = site.run("controller", "once")
    assert done.code == 1
    assert loop.condition() == ("False", "ArtifactFailed")
    assert loop.condition("Reconciling") == ("True", "ProgressingWithRetry")
    assert "overlays" not in done.ended.out
    loop.merge({"spec": {"path": "-"}})
    assert loop.once().code == 1
    assert loop.message == "./-: No such file or directory"


def test_frozen_change_conflict_and_foreign_objects(loop: Loop) -> None:
    site = loop.site
    site.plane.client.create({**config("foreign"), "metadata": {"name": "foreign", "namespace": site.namespace}})
    site.files(job("a"), config("foreign"))
    assert loop.once().code == 1
    assert loop.condition() == ("False", "ConflictBlocked")
    loop.applied(job("a"))
    site.files(job("a", image="example.com/train:2"))
    assert loop.once().code == 1
    assert loop.condition() == ("False", "ImmutableChangeBlocked")
    assert loop.condition("Stalled") == ("True", "ImmutableChangeBlocked")
    uid = site.uid("JobSet", "a")
    loop.merge({"spec": {"recreate": "always"}})
    assert loop.once().code == 0
    assert site.uid("JobSet", "a") not in ("", uid)


def test_prune(loop: Loop) -> None:
    site = loop.site
    loop.applied(
        *(config(f"c{number}") for number in range(6)),
        config("k", annotations={"kubectl-trainjob.dev/prune": "disabled"}),
    )
    loop.applied(config("c0"), config("c1"))
    assert len(site.all("ConfigMap")) == 7
    loop.merge({"spec": {"prune": True}})
    assert loop.once().code == 1
    assert loop.condition() == ("False", "PruneRefused")
    loop.applied(*(config(f"c{number}") for number in range(4)))
    assert set(site.all("ConfigMap")) == {"c0", "c1", "c2", "c3", "k"}
    assert "Pruned" in {reason for reason, _ in loop.events()}


def test_a_finished_run_does_not_run_again(loop: Loop) -> None:
    site = loop.site
    loop.applied(job("over", "ends"))
    site.ended("over")
    site.delete("JobSet", "over")
    done = loop.once()
    assert (done.code, done.writes) == (0, [])
    assert site.live("JobSet", "over") is None


def test_suspend_and_request(loop: Loop) -> None:
    site = loop.site
    loop.merge({"spec": {"suspend": True}})
    site.files(job("a"))
    done = loop.once()
    assert (done.code, done.writes, done.ended.out) == (0, [], "")
    assert loop.status == {}
    loop.merge({"spec": {"suspend": False}, "metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": "t1"}}})
    assert loop.once().code == 0
    assert loop.status["lastHandledReconcileAt"] == "t1"
    assert loop.status["observedGeneration"] == 3


def test_what_a_user_takes_out_of_the_loop(loop: Loop) -> None:
    site = loop.site
    loop.applied(config("c"), job("a"))
    live = site.live("ConfigMap", "c")
    note = {"metadata": {"annotations": {"kubectl-trainjob.dev/reconcile": "disabled"}}, "data": {"key": "mine"}}
    site.plane.client.merge(live, note)
    loop.applied(config("c", "2"), job("a"))
    live = site.live("ConfigMap", "c")
    assert live
    assert live["data"] == {"key": "mine"}
    loop.merge({"spec": {"prune": True}})
    loop.applied(job("a"))
    assert site.live("ConfigMap", "c")


def test_revision_of_a_linked_directory(loop: Loop, tmp_path: Path) -> None:
    site = loop.site
    site.files(job("a"))
    link = tmp_path / "current"
    link.symlink_to(site.folder)
    done = site.run("controller", "once", "--directory", f"jobs={link}")
    assert done.code == 0, done.ended
    assert loop.status["lastAppliedRevision"].startswith(f"{site.folder.name}@sha256:")


def test_a_link_out_of_the_directory_is_not_followed(loop: Loop) -> None:
    site = loop.site
    site.files(job("a"))
    (site.folder / "jobs" / "link.yaml").symlink_to("/etc/hostname")
    done = loop.once()
    assert (done.code, loop.condition()) == (1, ("False", "BuildFailed"))
    assert "link" in done.ended.out
    assert Path("/etc/hostname").read_text().strip() not in done.ended.out


def test_takes_over_a_set_of_the_command_line(loop: Loop) -> None:
    site = loop.site
    site.applied(job("over", "ends"), job("runs"), arguments=("--applyset", "old"))
    site.ended("over")
    site.delete("JobSet", "over")
    uid = site.uid("JobSet", "runs")
    site.files(job("runs"))
    assert loop.once().code == 1
    assert loop.condition() == ("False", "ConflictBlocked")
    site.files(job("over", "ends"), job("runs"))
    for name, problem in (("odl", "configmap/odl does not exist"), ("secret/old", "write NAME or trainingset/NAME")):
        loop.merge({"metadata": {"annotations": {"kubectl-trainjob.dev/adopt-from": name}}})
        assert (loop.once().code, problem in loop.message) == (1, True), loop.message
    loop.merge({"metadata": {"annotations": {"kubectl-trainjob.dev/adopt-from": "old"}}})
    assert loop.once().code == 0
    assert site.uid("JobSet", "runs") == uid
    assert site.live("JobSet", "over") is None


def test_a_copy_of_a_set_says_what_to_remove(loop: Loop) -> None:
    """`kubectl get -o yaml` prints the marks, too."""
    loop.applied(config("a"))
    copied = {**loop.live, "metadata": {"name": "copy", **{key: loop.live["metadata"][key] for key in _COPIED}}}
    copy = loop.site.plane.client.create({key: each for key, each in copied.items() if key != "status"})
    path = loop.site.plane.client.path(copy)
    loop.site.plane.client.merge(loop.created, {"spec": {"suspend": True}})
    assert loop.once().code == 1
    conditions = loop.site.plane.client.request("GET", path)["status"]["conditions"]
    assert [(one["type"], one["reason"]) for one in conditions] == [
        ("Ready", "ConflictBlocked"),
        ("Stalled", "ConflictBlocked"),
    ]
    label = re.findall(r"remove its label (\S+)$", conditions[0]["message"])
    loop.site.plane.client.merge(copy, {"metadata": {"labels": dict.fromkeys(label)}})
    loop.site.files(config("b"))
    assert loop.once().code == 0
    assert loop.site.live("ConfigMap", "b")


@pytest.mark.parametrize("keeps", [(), ("labels",), ("labels", "annotations")], ids=["nothing", "labels", "old marks"])
def test_a_replaced_set_keeps_its_members(loop: Loop, new_site: NewSite, keeps: tuple[str, ...]) -> None:
    """`kubectl replace` removes what the loop noted: no object becomes an orphan, and a prune deletes the same."""
    far = new_site()
    grant(loop.site, namespace=far.namespace)
    loop.applied(config("a"))
    old = {key: loop.live["metadata"][key] for key in keeps}
    loop.applied(config("a"), config("far", namespace=far.namespace), job("gang", "gang"), job("over", "ends"))
    loop.site.ended("over")
    marked = _marks(loop)
    _replace(loop, old)
    again = loop.once()
    assert (again.code, {one.partition(" ")[2] for one in again.writes if "/trainingsets/" not in one}) == (0, set())
    assert _marks(loop) == marked
    _replace(loop, old, prune=True)
    loop.site.files(config("a"), job("new"))
    done = loop.once("--no-cross-namespace-refs=false")
    assert done.code == 0, done.ended
    assert far.live("ConfigMap", "far") is None
    assert (set(loop.site.all("JobSet")), set(loop.site.all("PodGroup"))) == ({"gang", "new"}, {"gang"})
    assert loop.once().writes == []


def _marks(loop: Loop) -> list[Any]:
    return [loop.live["metadata"].get(key) for key in ("labels", "annotations")]


def _replace(loop: Loop, metadata: Object, **spec: Any) -> None:
    """Replace the TrainingSet by the file of a user."""
    body = training_set(loop.site, "s", **spec)
    text = json.dumps({**body, "metadata": {**body["metadata"], **metadata}})
    command = [require("kubectl"), f"--kubeconfig={loop.site.plane.kubeconfig}", "replace", "-f", "-"]
    subprocess.run(command, input=text, text=True, check=True, capture_output=True)


def test_a_set_among_its_own_files(site: Site) -> None:
    """It is not taken over, and a prune does not delete it."""
    grant(site, [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}])
    loop = Loop(site, granted=False, prune=True)
    site.files(config("a"), training_set(site, "s", prune=True), training_set(site, "other", suspend=True))
    assert loop.once().code == 1
    assert loop.condition("Stalled") == ("True", "ConflictBlocked")
    assert loop.message.startswith("TrainingSet/s was refused (NotOurs")
    assert site.live("ConfigMap", "a")
    site.files(config("a"))
    assert loop.once().code == 0
    assert loop.live["metadata"]["uid"] == loop.created["metadata"]["uid"]
    assert {reason for reason, _ in loop.events()} >= {"Pruned"}


def test_trainer_runs(loop: Loop, trainer_lease: Callable[[int], None]) -> None:
    """It would create the JobSets, too: nothing is written, and what runs goes on."""
    site = loop.site
    loop.applied(job("a"))
    uid = site.uid("JobSet", "a")
    trainer_lease(0)
    site.files(job("b"), config("c"))
    loop.merge({"spec": {"prune": True}})
    assert loop.once().code == 1
    assert loop.condition("Stalled") == ("True", "TrainerActive")
    assert (site.uid("JobSet", "a"), set(site.all("JobSet")), site.live("ConfigMap", "c")) == (uid, {"a"}, None)
    trainer_lease(60)
    assert loop.once().code == 0
    assert loop.condition("Stalled") is None
    assert site.live("ConfigMap", "c")


def test_deadline(loop: Loop) -> None:
    site = loop.site
    loop.applied(job("short", activeDeadlineSeconds=1), job("long", activeDeadlineSeconds=3600), job("none"))
    site.wait("the deadline", lambda: loop.once() and site.live("JobSet", "short") is None)
    assert set(site.all("JobSet")) == {"long", "none"}
    entries = {one["id"].split("_")[1]: one for one in loop.status["inventory"]["entries"]}
    assert entries["short"]["ended"] == "DeadlineExceeded"
    assert "ended" not in entries["long"]
    done = loop.once()
    assert (done.code, done.writes) == (0, [])
    assert ("Failed", "JobSet/short failed (DeadlineExceeded: its activeDeadlineSeconds are over)") in loop.events()
    shown = site.run("status", "--applyset", "trainingset/s", "-o", "json")
    states = {one["name"]: (one["state"], one.get("reason")) for one in shown.document["jobs"]}
    assert states["short"] == ("Failed", "DeadlineExceeded")


def test_a_long_name_has_events(site: Site) -> None:
    grant(site)
    name = f"{'a' * 199}-{'b' * 20}"
    loop = Loop(site, granted=False)
    site.plane.client.request("DELETE", site.plane.client.path(loop.created))
    loop.created = site.plane.client.create(training_set(site, name))
    loop.applied(config("c"))
    assert {reason for reason, _ in loop.events()} == {"Created", "ReconciliationSucceeded"}


def test_a_change_of_the_set_meanwhile(loop: Loop) -> None:
    """Another writer of the TrainingSet, before each of our writes of it."""
    site = loop.site
    site.files(job("a"))
    count = iter(range(1000))
    loop.site.proxy.clear()
    change = before(lambda: loop.merge({"metadata": {"labels": {"n": str(next(count))}}}))
    site.proxy.on("PATCH", "/trainingsets/s", change, times=2)
    site.proxy.on("PATCH", "/trainingsets/s/status", change, times=2)
    done = site.run("controller", "once", "--directory", f"jobs={site.folder}")
    assert done.code == 0, done.ended
    assert next(count) == 4
    assert loop.condition() == ("True", "ReconciliationSucceeded")
    assert len(loop.status["inventory"]["entries"]) == 1


def test_columns_of_kubectl(loop: Loop, note_figure: Callable[[str], None]) -> None:
    done = loop.applied(job("a"))
    command = [require("kubectl"), f"--kubeconfig={loop.site.plane.kubeconfig}", "-n", loop.site.namespace]
    printed = subprocess.run([*command, "get", "tset"], capture_output=True, text=True, check=True).stdout
    assert f"Applied revision {loop.status['lastAppliedRevision']}" in printed
    note_figure(
        f"controller: a first reconcile of one job sends {len(done.requests)} requests, {len(done.writes)} writes"
    )
