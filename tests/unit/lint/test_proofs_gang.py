"""What the rules of gangs, MPI and queues say of their examples is what happens to what is made of them.

The Bad and Good examples of the manuals are expanded, and the objects are followed by what the controllers do with
them: a simulation of few rules for gangs, hostfile and commands for MPI, the labels that Kueue reads for queues.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.kube.launch.flags import hosts
from kubectl_trainjob.lint.registry import LINT_RULES
from kubectl_trainjob.model.stages import BuildOptions
from tests.compiled import build
from tests.unit.lint.marked import documents_of
from tests.unit.lint.test_manuals import section

JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: proof}}
spec: {{runtimeRef: {{name: {runtime}}}, trainer: {trainer}}}
"""
POD_GROUPS = ("scheduling.x-k8s.io", "scheduling.volcano.sh")


def made(folder: Path, text: str, emit: str = "jobset") -> list[Mapping[str, Any]]:
    """What a text becomes, without its runtimes."""
    built = build(documents_of(folder, {"all.yaml": text}), BuildOptions(emit=emit))
    assert not [each for each in built.diagnostics if each.severity == "error"]
    return [each for each in built.objects if each["kind"] != "ClusterTrainingRuntime"]


def example(rule: str, title: str, runtime: str = "", trainer: str = "{}") -> str:
    """The Bad or Good example of a rule, with a TrainJob where it has none."""
    (found,) = (each for each in LINT_RULES if each.id == rule)
    job = f"---\n{JOB.format(runtime=runtime, trainer=trainer)}" if runtime else ""
    return section(found, title) + job


def one(objects: list[Mapping[str, Any]], kind: str) -> Mapping[str, Any]:
    """The only object of a kind."""
    (found,) = (each for each in objects if each["kind"] == kind)
    return found


def templates(jobset: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The Pod templates by the names of their replicatedJobs."""
    return {each["name"]: each["template"]["spec"]["template"] for each in jobset["spec"]["replicatedJobs"]}


class Cluster:
    """A JobSet on a cluster with room for everything, until nothing changes any more.

    - JobSet (`pkg/controllers/depends_on.go`, `startup_policy.go`): a replicatedJob's Jobs are created once every one
      that it depends on has the status, or, in order, once all before it are ready.
    - The scheduler: a Pod that belongs to a PodGroup is placed once `minMember` Pods of the group exist (PreFilter in
      scheduler-plugins `pkg/coscheduling`, the gang plugin's check of the job's tasks in Volcano); others at once.
    - A Job is ready once its Pods are placed, and one that is not the training (nor SSH servers) then completes.
    """

    def __init__(self, jobset: Mapping[str, Any], group: Mapping[str, Any] | None) -> None:
        self.jobs = jobset["spec"]["replicatedJobs"]
        self.in_order = jobset["spec"].get("startupPolicy", {}).get("startupPolicyOrder") == "InOrder"
        self.group = group
        self.created: set[str] = set()
        self.ready_before: dict[str, set[str]] = {}  # what was ready when a replicatedJob was created
        self.ready: set[str] = set()

    def run(self) -> Cluster:
        """To the point where nothing changes any more."""
        while True:
            before = (set(self.created), set(self.ready))
            for job in [each for index, each in enumerate(self.jobs) if self._may_be_created(index, each)]:
                self.ready_before.setdefault(job["name"], set(self.ready))
                self.created.add(job["name"])
            self.ready |= {job["name"] for job in self.jobs if job["name"] in self.created and self._is_placed(job)}
            if before == (self.created, self.ready):
                return self

    def _may_be_created(self, index: int, job: Mapping[str, Any]) -> bool:
        # What is ready also completes: the most that can be assumed in favour of the awaited job.
        awaited = {each["name"] for each in job.get("dependsOn", ())}
        if self.in_order:
            awaited |= {each["name"] for each in self.jobs[:index]}
        return awaited <= self.ready

    def _is_placed(self, job: Mapping[str, Any]) -> bool:
        if self.group is None or not self._is_member(job):
            return True
        there = sum(pods(each) for each in self.jobs if each["name"] in self.created and self._is_member(each))
        return bool(there >= self.group["spec"]["minMember"])

    def _is_member(self, job: Mapping[str, Any]) -> bool:
        assert self.group is not None
        metadata = job["template"]["spec"]["template"].get("metadata", {})
        marks = (
            metadata.get("labels", {}).get("scheduling.x-k8s.io/pod-group"),
            metadata.get("annotations", {}).get("scheduling.k8s.io/group-name"),
        )
        return self.group["metadata"]["name"] in marks


def pods(job: Mapping[str, Any]) -> int:
    """The Pods that a replicatedJob has in the end."""
    count: int = job.get("replicas", 1) * job["template"]["spec"]["parallelism"]
    return count


def followed(objects: list[Mapping[str, Any]]) -> Cluster:
    """A JobSet and its PodGroup to the end."""
    groups = [each for each in objects if each["kind"] == "PodGroup"]
    return Cluster(one(objects, "JobSet"), groups[0] if groups else None).run()


class TestGangWithDependsOn:
    def test_no_pod_is_ever_placed(self, tmp_path: Path) -> None:
        objects = made(tmp_path, example("KTJ601", "Bad", "gang", "{numNodes: 2}"))
        cluster = followed(objects)
        assert one(objects, "PodGroup")["spec"]["minMember"] == 3
        assert (cluster.created, cluster.ready) == ({"prepare"}, set())

    def test_the_good_example_starts(self, tmp_path: Path) -> None:
        cluster = followed(made(tmp_path, example("KTJ601", "Good", "gang", "{numNodes: 2}")))
        assert cluster.ready == {"node"}

    @pytest.mark.parametrize("gang", ["coscheduling: {}", "volcano: {}"])
    def test_it_is_the_two_together(self, gang: str, tmp_path: Path) -> None:
        """Without the policy, or without dependsOn, the same runtime starts; in order it does not."""
        bad = example("KTJ601", "Bad", "gang", "{numNodes: 2}")
        bad = bad.replace("coscheduling: {scheduleTimeoutSeconds: 300}", gang)
        depends_on = "        dependsOn: [{name: prepare, status: Complete}] # <- KTJ601\n"
        assert depends_on in bad
        without_policy = bad.replace(f"  podGroupPolicy: {{{gang}}}\n", "")
        at_once = bad.replace(depends_on, "")
        in_order = at_once.replace(
            "      replicatedJobs:", "      startupPolicy: {startupPolicyOrder: InOrder}\n      replicatedJobs:"
        )
        texts = {"bad": bad, "no policy": without_policy, "at once": at_once, "in order": in_order}
        ready = {name: followed(made(tmp_path / name, text)).ready for name, text in texts.items()}
        everything = {"prepare", "node"}
        assert ready == {"bad": set(), "no policy": everything, "at once": everything, "in order": set()}


class TestGangMinMember:
    def test_the_gang_is_placed_in_parts(self, tmp_path: Path) -> None:
        objects = made(tmp_path, example("KTJ604", "Bad"))
        jobs = one(objects, "JobSet")["spec"]["replicatedJobs"]
        assert sum(map(pods, jobs)) == 5
        assert one(objects, "PodGroup")["spec"]["minMember"] == 3

    def test_the_good_example_is_placed_whole(self, tmp_path: Path) -> None:
        objects = made(tmp_path, example("KTJ604", "Good"))
        jobs = one(objects, "JobSet")["spec"]["replicatedJobs"]
        assert sum(map(pods, jobs)) == one(objects, "PodGroup")["spec"]["minMember"] == 5


class TestGangTwoPolicies:
    def test_two_groups_want_the_same_pods(self, tmp_path: Path) -> None:
        objects = made(tmp_path, example("KTJ602", "Bad", "gang", "{numNodes: 2}"))
        groups = [each for each in objects if each["kind"] == "PodGroup"]
        assert sorted(each["apiVersion"].split("/")[0] for each in groups) == sorted(POD_GROUPS)
        assert [each["spec"]["minMember"] for each in groups] == [2, 2]
        (template,) = templates(one(objects, "JobSet")).values()
        assert template["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == "proof"
        assert template["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == "proof"
        assert template["spec"]["schedulerName"] == "scheduler-plugins-scheduler"


def commands(objects: list[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What the container `node` of each replicatedJob runs."""
    return {
        name: [*container.get("command", ()), *container.get("args", ())]
        for name, template in templates(one(objects, "JobSet")).items()
        for container in template["spec"]["containers"]
        if container["name"] == "node"
    }


def counts(objects: list[Mapping[str, Any]]) -> dict[str, int]:
    """The Pods of each replicatedJob."""
    return {each["name"]: pods(each) for each in one(objects, "JobSet")["spec"]["replicatedJobs"]}


def listed(objects: list[Mapping[str, Any]]) -> list[str]:
    """The hosts of the hostfile, without the domain."""
    lines = one(objects, "ConfigMap")["data"]["hostfile"].splitlines()
    return [each.name.partition(".")[0] for each in hosts(lines)]


def mounted(objects: list[Mapping[str, Any]]) -> dict[str, set[str]]:
    """What Trainer mounts for MPI into any container of each replicatedJob."""
    return {
        name: {
            mount["name"]
            for container in template["spec"]["containers"]
            for mount in container.get("volumeMounts", ())
            if mount["name"].startswith("mpi-")
        }
        for name, template in templates(one(objects, "JobSet")).items()
    }


def complete(jobset: Mapping[str, Any], ended: set[str]) -> bool:
    """Whether a JobSet ends when these replicatedJobs have; mirrors its `pkg/controllers/success_policy.go`."""
    policy = jobset["spec"].get("successPolicy") or {"operator": "All"}
    targets = set(policy.get("targetReplicatedJobs") or (each["name"] for each in jobset["spec"]["replicatedJobs"]))
    return bool(targets & ended) if policy["operator"] == "Any" else targets <= ended


class TestMpi:
    def test_ssh_and_hostfile_go_to_no_other_container(self, tmp_path: Path) -> None:
        bad = mounted(made(tmp_path / "bad", example("KTJ504", "Bad", "mpi", "{numNodes: 2}")))
        good = mounted(made(tmp_path / "good", example("KTJ504", "Good", "mpi", "{numNodes: 2}")))
        assert bad == {"node": set(), "launcher": {"mpi-ssh-auth", "mpi-hostfile"}}
        assert good == {"node": {"mpi-ssh-auth"}, "launcher": {"mpi-ssh-auth", "mpi-hostfile"}}

    @pytest.mark.parametrize("trainer", ["{}", "{numNodes: 4}"])
    def test_every_launcher_starts_the_training(self, trainer: str, tmp_path: Path) -> None:
        """Whatever the TrainJob says: as many mpirun as the runtime has nodes, all over the same hosts."""
        bad = made(tmp_path / "bad", example("KTJ505", "Bad", "mpi", trainer))
        good = made(tmp_path / "good", example("KTJ505", "Good", "mpi", trainer))
        assert commands(bad)["launcher"][0] == commands(good)["launcher"][0] == "mpirun"
        assert (counts(bad)["launcher"], counts(good)["launcher"]) == (2, 1)

    def test_one_node_becomes_two(self, tmp_path: Path) -> None:
        bad = made(tmp_path / "bad", example("KTJ506", "Bad"))
        good = made(tmp_path / "good", example("KTJ506", "Good"))
        assert sorted(listed(bad)) == sorted(listed(good)) == ["bert-launcher-0-0", "bert-node-0-0"]

    def test_the_launcher_does_not_wait(self, tmp_path: Path) -> None:
        """Its Pod is created and placed while no host of its hostfile is ready; in the good example all of them are."""

        def absent(title: str) -> tuple[int, list[str]]:
            """How many hosts mpirun gets, and those that are not ready when it starts."""
            objects = made(tmp_path / title, example("KTJ507", title, "mpi", "{numNodes: 3}"))
            assert commands(objects)["launcher"][0] == "mpirun"
            cluster = followed(objects)
            assert cluster.ready == {"node", "launcher"}
            hosts_by_job = {host: host.removeprefix("proof-").rsplit("-", 2)[0] for host in listed(objects)}
            others = {host: job for host, job in hosts_by_job.items() if job != "launcher"}
            there = cluster.ready_before["launcher"]
            return len(others), [host for host, job in others.items() if job not in there]

        assert absent("Bad") == (2, ["proof-node-0-0", "proof-node-0-1"])
        assert absent("Good") == (2, [])

    def test_the_end_of_the_launcher_is_not_enough(self, tmp_path: Path) -> None:
        """`node` runs sshd in the foreground, which never ends."""
        bad = made(tmp_path / "bad", example("KTJ509", "Bad", "mpi", "{numNodes: 2}"))
        good = made(tmp_path / "good", example("KTJ509", "Good", "mpi", "{numNodes: 2}"))
        assert commands(bad)["node"] == ["/usr/sbin/sshd", "-De"]
        assert not complete(one(bad, "JobSet"), {"launcher"})
        assert complete(one(good, "JobSet"), {"launcher"})

    def test_nobody_uses_the_hostfile(self, tmp_path: Path) -> None:
        """Two hosts are listed, and no Pod runs what reads the list: one runs the program, the other serves SSH."""
        bad = made(tmp_path / "bad", example("KTJ516", "Bad"))
        good = made(tmp_path / "good", example("KTJ516", "Good"))
        assert len(listed(bad)) == len(listed(good)) == 2
        assert {name: words[0] for name, words in commands(bad).items()} == {
            "node": "/usr/sbin/sshd",
            "launcher": "python",
        }
        assert commands(good)["launcher"][0] == "mpirun"

    def test_without_a_launcher_nobody_has_the_hostfile(self, tmp_path: Path) -> None:
        good = example("KTJ505", "Good", "mpi", "{numNodes: 3}")
        start, end = good.index("      - name: launcher"), good.index("---\n")
        policy = next(line for line in good.splitlines() if "successPolicy" in line)
        alone = (
            (good[:start] + good[end:])
            .replace(policy, "")
            .replace("runLauncherAsNode: true", "runLauncherAsNode: false")
        )
        objects = made(tmp_path, alone)
        assert counts(objects) == {"node": 3}
        assert len(listed(objects)) == 3
        assert mounted(objects) == {"node": {"mpi-ssh-auth"}}


def labelled(objects: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Where Kueue looks: the metadata of what is applied."""
    for each in objects:
        name = each["metadata"].get("labels", {}).get("kueue.x-k8s.io/queue-name")
        if name is not None:
            yield each["kind"], name


class TestQueueLabel:
    @pytest.mark.parametrize(("emit", "kind"), [("jobset", "JobSet"), ("trainjob", "TrainJob")])
    def test_what_kueue_manages_has_no_queue(self, emit: str, kind: str, tmp_path: Path) -> None:
        assert list(labelled(made(tmp_path / "bad", example("KTJ612", "Bad"), emit))) == []
        assert list(labelled(made(tmp_path / "good", example("KTJ612", "Good"), emit))) == [(kind, "research")]

    def test_each_job_has_it_for_itself(self, tmp_path: Path) -> None:
        jobs = one(made(tmp_path, example("KTJ612", "Bad")), "JobSet")["spec"]["replicatedJobs"]
        names = [each["template"]["metadata"]["labels"].get("kueue.x-k8s.io/queue-name") for each in jobs]
        assert names == ["research"]

    @pytest.mark.parametrize("emit", ["jobset", "trainjob"])
    def test_suspend_is_applied_again_each_time(self, emit: str, tmp_path: Path) -> None:
        """What stands in Git is in what is applied; what is left out is left to Kueue."""
        bad = made(tmp_path / "bad", example("KTJ613", "Bad"), emit)
        good = made(tmp_path / "good", example("KTJ613", "Good"), emit)
        assert [each["spec"]["suspend"] for each in bad] == [False]
        assert ["suspend" in each["spec"] for each in good] == [False]
