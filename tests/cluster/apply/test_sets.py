"""Sets: whose object is whose, what a prune deletes, and two applies at once."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from typing import Any

import pytest

from tests.cluster.apply import world
from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import ACCOUNT, grant
from tests.cluster.apply.proxy import before
from tests.cluster.apply.site import SET, AppliedObject, Site
from tests.tools import require

pytestmark = pytest.mark.cluster

PRUNE = ("--applyset", "s", "--prune")
_ID = "applyset.kubernetes.io/id"
_TOOL = "applyset.kubernetes.io/tooling"


def create(site: Site, one: Object) -> None:
    """Create an object as another user."""
    site.plane.client.create({**one, "metadata": {**one["metadata"], "namespace": site.namespace}})


def test_what_the_parent_says(site: Site) -> None:
    done = site.applied(job("a", "gang"), job("m", "mpi"), config("c"))
    parent = site.live("ConfigMap", SET)
    assert parent
    assert parent["metadata"]["labels"] == {_ID: done.document["applySet"]["id"]}
    notes = site.annotations()
    assert notes["contains-group-kinds"] == "ConfigMap,JobSet.jobset.x-k8s.io,PodGroup.scheduling.x-k8s.io,Secret"
    assert notes["tooling"].startswith("kubectl-trainjob/v")
    assert "additional-namespaces" not in notes
    entries = site.entries()
    assert set(entries) == {"JobSet/a", "JobSet/m", "Secret/m-mpi-ssh-auth"}
    assert {one["state"] for one in entries.values()} == {"started"}
    assert entries["JobSet/a"]["uid"] == site.uid("JobSet", "a")
    live = site.live("JobSet", "a")
    assert live
    assert live["metadata"]["annotations"]["kubectl-trainjob.dev/run-hash"] == entries["JobSet/a"]["hash"]
    assert live["metadata"]["labels"]["kubectl-trainjob.dev/trainjob"] == "a"
    managers = {one["manager"] for one in live["metadata"]["managedFields"] if one["operation"] == "Apply"}
    assert managers == {"kubectl-trainjob"}


def test_objects_of_several_namespaces(site: Site, new_site: Any) -> None:
    other = new_site().namespace
    site.applied(config("a", namespace=other), config("b", namespace=site.namespace))
    assert site.annotations()["additional-namespaces"] == other
    done = site.applied(config("b", namespace=site.namespace), arguments=("-n", site.namespace))
    assert done.results == {"ConfigMap/b": "unchanged"}
    site.files(config("a", namespace=other))
    assert site.apply("-n", site.namespace).code == 1


def test_files_that_move_to_another_namespace(site: Site, new_site: NewSite) -> None:
    """The set there stays, and the note has the command that deletes it. Later, nothing more is read."""
    old, new = new_site(), new_site()
    arguments = ("overlays/prod", *_as_robot(site, (old.namespace, new.namespace)))
    site.files(job("a"), job("m", "mpi"), config("c"))
    _overlay(site, old.namespace)
    assert site.apply(*arguments[:1]).code == 0
    _overlay(site, new.namespace)
    moved = site.apply(*arguments)
    assert (moved.code, _far_lists(moved), "stay" in moved.ended.err) == (0, 1, False), "without the right to list"
    new.plane.client.request("DELETE", new.plane.client.path(new.body("ConfigMap", SET)))
    moved = site.apply(*arguments[:1])
    assert (moved.code, set(old.all("JobSet")), set(new.all("JobSet"))) == (0, {"a", "m"}, {"a", "m"})
    (note,) = [line for line in moved.ended.err.splitlines() if f"namespace {old.namespace}," in line]
    assert note.startswith(
        f"note: 2 runs of the same names stay in namespace {old.namespace}, in the set configmap/{SET};"
    )
    again = site.apply(*arguments[:1])
    assert (again.code, again.writes, _far_lists(again), "stay" in again.ended.err) == (0, [], 0, False)
    command = note.rpartition(": kubectl ")[2].split()
    subprocess.run([require("kubectl"), f"--kubeconfig={site.plane.kubeconfig}", *command], check=True)
    assert (old.all("JobSet"), set(old.all("ConfigMap")) - {"kube-root-ca.crt"}, old.all("Secret")) == ({}, {SET}, {})
    assert set(new.all("JobSet")) == {"a", "m"}


def _overlay(site: Site, namespace: str) -> None:
    folder = site.folder / "overlays/prod"
    folder.mkdir(parents=True, exist_ok=True)
    body = {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Overlay", "namespace": namespace}
    (folder / "overlay.yaml").write_text(json.dumps({**body, "resources": ["../../runtimes", "../../jobs"]}))


def _far_lists(done: AppliedObject) -> int:
    return sum(one.path == "/api/v1/configmaps" for one in done.requests)


def _as_robot(site: Site, namespaces: Iterable[str]) -> tuple[str, ...]:
    """A service account with the Role of the manual in some namespaces."""
    for namespace in namespaces:
        grant(site, namespace=namespace)
    return "--as", f"system:serviceaccount:{site.namespace}:{ACCOUNT}"


def test_a_parent_that_a_user_edited(site: Site) -> None:
    """The error names the manager, and its advice works."""
    site.applied(job("a"))
    edited = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": SET, "namespace": site.namespace}}
    edited["data"] = {"inventory": '{"entries": []}'}
    path = site.plane.client.path(edited) + "?fieldManager=kubectl-edit"
    site.plane.client.request("PATCH", path, edited, "application/merge-patch+json")
    site.files(job("a"), job("b"))
    done = site.apply()
    assert (done.code, site.live("JobSet", "b")) == (2, None), done.ended
    cause, _, advice = done.ended.err.splitlines()[-1].partition("; to apply again, first run: ")
    assert cause.startswith("error: Conflict: the parent of the set was changed by another field manager: ")
    assert '"kubectl-edit"' in cause
    environment = {**os.environ, "KUBECONFIG": str(site.plane.kubeconfig)}
    subprocess.run(["sh", "-c", advice], env=environment, check=True, capture_output=True)
    assert site.apply().results == {"JobSet/a": "unchanged", "JobSet/b": "created"}
    assert set(site.entries()) == {"JobSet/a", "JobSet/b"}


def test_two_sets_in_one_namespace(site: Site) -> None:
    site.applied(config("a"), job("x"), arguments=("--applyset", "one"))
    site.applied(config("b"), arguments=("--applyset", "two"))
    done = site.applied(config("c"), arguments=("--applyset", "two", "--prune"))
    assert done.results == {"ConfigMap/c": "created", "ConfigMap/b": "pruned"}
    assert site.live("ConfigMap", "a")
    assert site.live("JobSet", "x")
    site.files(config("a", "2"), job("x"))
    done = site.apply("--applyset", "two")
    assert done.results == {"ConfigMap/a": "refused OtherSet", "JobSet/x": "refused OtherSet"}
    assert (done.code, done.writes) == (1, [])


def test_a_set_takes_the_runs_of_another_and_what_it_knows(site: Site) -> None:
    files = [job("over", "ends"), job("runs"), config("c")]
    site.applied(*files, arguments=("--applyset", "old"))
    site.ended("over")
    site.delete("JobSet", "over")
    uid = site.uid("JobSet", "runs")
    done = site.applied(*files, arguments=("--applyset", "new", "--adopt-from", "old"))
    assert done.results == {
        "ConfigMap/c": "configured",
        "JobSet/over": "kept Finished",
        "JobSet/runs": "configured",
    }
    assert site.uid("JobSet", "runs") == uid
    again = site.applied(*files, arguments=("--applyset", "new"))
    assert set(again.results.values()) == {"unchanged", "kept Finished"}
    assert again.writes == []


def test_a_foreign_object_is_left_alone(site: Site) -> None:
    create(site, config("c", "theirs"))
    create(site, world.jobset("j"))
    uids = site.uid("ConfigMap", "c"), site.uid("JobSet", "j")
    site.files(config("c"), world.jobset("j"))
    done = site.apply()
    assert done.results == {"ConfigMap/c": "refused NotOurs", "JobSet/j": "refused NotOurs"}
    assert (done.code, done.writes) == (1, [])
    site.files(config("c", "theirs"), world.jobset("j"))
    done = site.apply("--adopt")
    assert (done.code, set(done.results.values())) == (0, {"configured"})
    assert (site.uid("ConfigMap", "c"), site.uid("JobSet", "j")) == uids
    assert site.apply().writes == []


def test_a_foreign_run_is_never_recreated(site: Site) -> None:
    create(site, world.jobset("j"))
    uid = site.uid("JobSet", "j")
    other = world.jobset("j")
    other["spec"]["replicatedJobs"][0]["replicas"] = 2
    site.files(other)
    done = site.apply("--adopt", "--recreate", "always")
    assert (done.code, done.results) == (1, {"JobSet/j": "refused Frozen"})
    assert site.uid("JobSet", "j") == uid


@pytest.mark.parametrize(
    ("labels", "notes", "said"),
    [
        ({}, {}, "not the parent of a set"),
        ({_ID: "applyset-x-v1"}, {_TOOL: "kubectl/v1.32"}, "set of kubectl"),
        ({_ID: "applyset-x-v1"}, {_TOOL: "kubectl-trainjob/v1"}, "id of another set"),
    ],
    ids=["no marks", "another tool", "another id"],
)
def test_a_parent_that_is_not_ours(site: Site, labels: Object, notes: Object, said: str) -> None:
    create(site, config(SET, labels=labels, annotations=notes))
    site.files(job("a"))
    done = site.apply()
    assert (done.code, done.writes, done.ended.out) == (2, [], "")
    assert done.ended.err.splitlines()[-1].startswith("error: ")
    assert said in done.ended.err


def test_kubectl_leaves_our_set_alone(site: Site, tmp_path: Any) -> None:
    site.applied(config("c"))
    file = tmp_path / "other.json"
    file.write_text(json.dumps(config("d")))
    command = [require("kubectl"), f"--kubeconfig={site.plane.kubeconfig}", "-n", site.namespace, "apply"]
    command += ["--server-side", "--prune", f"--applyset=configmap/{SET}", "-f", str(file)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"KUBECTL_APPLYSET": "true", "HOME": str(tmp_path)}, check=False
    )
    assert done.returncode != 0
    assert "kubectl-trainjob" in done.stderr
    assert site.live("ConfigMap", "c")


def test_without_its_parent_a_set_takes_its_members_back(site: Site) -> None:
    files = [job("a"), config("c")]
    site.applied(*files)
    site.delete("ConfigMap", SET)
    done = site.applied(*files)
    assert set(done.results.values()) == {"unchanged"}
    assert set(site.entries()) == {"JobSet/a"}
    assert site.applied(*files).writes == []


def test_two_applies_at_once_start_each_run_once(site: Site) -> None:
    """Both want the same short runs, which are gone before the other one looks."""
    files = [job(f"j{number}", "short") for number in range(6)]
    site.files(*files)
    programs = [site.start("apply", "-o", "json") for _ in range(2)]
    results = [AppliedObject(each.end(), []) for each in programs]
    assert all(each.code in (0, 1) for each in results), results
    started = [one.path.rpartition("/")[2] for one in site.proxy.created if "/jobsets/" in one.path]
    assert sorted(started) == [f"j{number}" for number in range(6)]


def test_two_applies_of_other_files_at_once(site: Site) -> None:
    """While the second waits to write the inventory, the first changes it."""
    site.applied(config("c"))
    site.files(job("a"), config("c"))
    hold: list[AppliedObject] = []

    def other() -> None:
        site.files(job("b", "gang"), config("c"))
        hold.append(site.apply())

    site.proxy.on("PATCH", f"/configmaps/{SET}", before(other))
    done = site.apply()
    assert (done.code, hold[0].code) == (0, 0)
    assert done.results["JobSet/a"] == "created"
    assert set(site.entries()) == {"JobSet/a", "JobSet/b"}
    assert "PodGroup" in site.annotations()["contains-group-kinds"]


def test_another_apply_that_starts_the_same_run(site: Site) -> None:
    site.files(job("m", "mpi"))

    def other() -> None:
        assert site.apply().code == 0

    site.proxy.on("PATCH", f"/configmaps/{SET}", before(other))
    done = site.apply()
    assert done.results == {
        "ConfigMap/m-mpi-hostfile": "skipped WithRun",
        "Secret/m-mpi-ssh-auth": "skipped WithRun",
        "JobSet/m": "kept Starting",
    }
    assert done.code == 0
    assert site.apply().writes == []


def test_guards_of_a_prune(site: Site) -> None:
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}}
    claim["spec"] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    stays = [config(f"stays{number}") for number in range(6)]
    goes = [claim, config("disabled", annotations={"kubectl-trainjob.dev/prune": "disabled"}), config("owned")]
    site.applied(*stays, *goes, config("goes"), job("runs", "gang"), arguments=("--applyset", "s"))
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "stays0", "uid": site.uid("ConfigMap", "stays0")}
    site.plane.client.merge(site.body("ConfigMap", "owned"), {"metadata": {"ownerReferences": [owner]}})
    expected = {
        "JobSet/runs": "kept Running",
        "PodGroup/runs": "kept Running",
        "PersistentVolumeClaim/data": "kept HoldsData",
        "ConfigMap/disabled": "kept PruneDisabled",
        "ConfigMap/owned": "kept OwnedByOther",
        "ConfigMap/goes": "pruned",
    }
    site.files(*stays)
    shown = site.apply(*PRUNE, "--dry-run=server")
    done = site.apply(*PRUNE)
    for each in (shown, done):
        assert each.code == 0
        assert {key: value for key, value in each.results.items() if value != "unchanged"} == expected
    assert shown.writes == []
    again = site.apply(*PRUNE)
    assert (again.code, again.writes) == (0, [])
    del expected["ConfigMap/goes"]
    assert {key: value for key, value in again.results.items() if value != "unchanged"} == expected
    ended = site.apply(*PRUNE, "--prune-running")
    assert (ended.results["JobSet/runs"], ended.results["PodGroup/runs"]) == ("pruned", "pruned")
    assert "JobSet/runs" not in site.entries("s")
    assert "JobSet" not in site.annotations("s")["contains-group-kinds"]


def test_the_group_of_a_run_that_prune_keeps_is_kept(site: Site) -> None:
    site.applied(job("a", "gang"), config("c"), arguments=("--applyset", "s"))
    marked = {"metadata": {"annotations": {"kubectl-trainjob.dev/prune": "disabled"}}}
    site.plane.client.merge(site.body("JobSet", "a"), marked)
    site.files(config("c"))
    done = site.apply(*PRUNE, "--prune-running")
    kept = {"JobSet/a": "kept PruneDisabled", "PodGroup/a": "kept PruneDisabled"}
    assert (done.code, done.results) == (0, {"ConfigMap/c": "unchanged", **kept})
    assert site.live("PodGroup", "a")


def test_a_podgroup_of_a_running_job_is_not_pruned(site: Site) -> None:
    """The files no longer want the gang, but its run still needs it."""
    site.applied(job("a", "gang"), config("c"), arguments=("--applyset", "s"))
    site.files(job("a", "torch"), config("c"))
    done = site.apply(*PRUNE)
    assert site.live("PodGroup", "a"), done.results


def test_most_of_a_set_is_not_pruned_by_mistake(site: Site) -> None:
    site.applied(*(config(f"c{number}") for number in range(6)), arguments=("--applyset", "s"))
    site.files(config("c0"), config("c1"))
    done = site.apply(*PRUNE)
    assert done.code == 1
    assert {key for key, value in done.results.items() if value == "refused TooMany"} == {
        f"ConfigMap/c{number}" for number in range(2, 6)
    }
    assert done.writes == []
    done = site.apply(*PRUNE, "--prune-many")
    assert (done.code, list(done.results.values()).count("pruned")) == (0, 4)


def test_an_incomplete_apply_prunes_nothing(site: Site) -> None:
    site.applied(job("a"), config("goes"), config("c"), arguments=("--applyset", "s"))
    site.files(job("a", image="example.com/train:2"), config("c", "2"))
    done = site.apply(*PRUNE)
    assert done.results == {
        "ConfigMap/c": "configured",
        "JobSet/a": "refused Frozen",
        "ConfigMap/goes": "skipped AfterFailure",
    }
    assert done.code == 1
    assert site.live("ConfigMap", "goes")


@pytest.mark.parametrize("files", [[], ["broken"]], ids=["empty", "invalid"])
def test_nothing_is_sent_without_a_build(site: Site, files: list[str]) -> None:
    site.applied(job("a"), arguments=("--applyset", "s"))
    site.proxy.clear()
    site.files(*([job("a", "no-such-runtime")] if files else []))
    done = site.apply(*PRUNE)
    assert (done.code, done.requests) == (1, [])
    assert site.live("JobSet", "a")


def test_a_label_of_a_set_in_the_files_is_an_error(site: Site) -> None:
    site.files(config("c", labels={"applyset.kubernetes.io/part-of": "x"}))
    done = site.apply()
    assert (done.code, done.requests) == (1, [])
    assert "jobs/000.yaml:" in done.ended.err


def test_a_prune_forgets_runs_that_are_over(site: Site) -> None:
    site.applied(job("a", "ends"), config("c"), arguments=("--applyset", "s"))
    site.ended("a")
    site.delete("JobSet", "a")
    site.applied(config("c"), arguments=("--applyset", "s"))
    assert set(site.entries("s")) == {"JobSet/a"}
    site.applied(config("c"), arguments=PRUNE)
    assert site.entries("s") == {}
    assert site.applied(config("c"), arguments=PRUNE).writes == []


def test_a_selector_chooses_whole_groups(site: Site) -> None:
    site.files(job("m", "mpi", labels={"team": "a"}), job("n", labels={"team": "b"}), config("c", labels={"team": "a"}))
    done = site.apply("-l", "team=a")
    assert set(done.results) == {"ConfigMap/c", "ConfigMap/m-mpi-hostfile", "Secret/m-mpi-ssh-auth", "JobSet/m"}
    assert site.apply("-l", "team=a", "--prune", "--applyset", "s").code == 2
    assert site.apply("--prune").code == 2


def test_a_set_that_is_full(site: Site) -> None:
    entries = [
        {"id": f"{site.namespace}_j{number}_jobset.x-k8s.io_JobSet", "state": "started"} for number in range(4000)
    ]
    site.applied(job("a"))
    parent = site.live("ConfigMap", SET)
    assert parent
    site.plane.client.merge(parent, {"data": {"inventory": json.dumps({"entries": entries})}})
    done = site.apply()
    assert (done.code, done.ended.out, done.writes) == (2, "", [])
    assert "4000" in done.ended.err


def test_a_cluster_scoped_object_of_two_sets(site: Site) -> None:
    """With equal content it stays a member of the first; with other content it is an error."""
    name = f"{site.namespace}-class"
    one = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 1}
    site.applied(one, arguments=("--applyset", "one"))
    assert (
        site.applied(one, config("c"), arguments=("--applyset", "two")).results[f"PriorityClass/{name}"] == "unchanged"
    )
    assert site.applied(one, config("c"), arguments=("--applyset", "two")).writes == []
    site.files({**one, "description": "other"}, config("c"))
    assert site.apply("--applyset", "two").results[f"PriorityClass/{name}"] == "refused OtherSet"
    done = site.applied(config("c"), arguments=("--applyset", "two", "--prune"))
    assert f"PriorityClass/{name}" not in done.results


def test_an_empty_build_names_the_way_to_end_a_set(site: Site) -> None:
    site.applied(job("a"))
    site.files()
    done = site.apply()
    command = done.ended.err.rpartition("kubectl ")[2].split()
    kubectl = [require("kubectl"), f"--kubeconfig={site.plane.kubeconfig}", *command]
    subprocess.run(kubectl, check=True, capture_output=True)
    assert site.live("JobSet", "a") is None


def test_a_deadline_that_only_the_loop_enforces(site: Site) -> None:
    site.files(job("a", activeDeadlineSeconds=60))
    done = site.apply()
    assert (done.code, "activeDeadlineSeconds" in done.ended.err) == (0, True)
    live = site.live("JobSet", "a")
    assert live
    assert live["metadata"]["annotations"]["kubectl-trainjob.dev/active-deadline-seconds"] == "60"


@pytest.mark.parametrize("name", ["secret/a", "trainingset/"])
def test_a_parent_of_another_kind(site: Site, name: str) -> None:
    site.files(job("a"))
    assert (site.apply("--applyset", name).code, site.proxy.requests) == (2, [])
