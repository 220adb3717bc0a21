"""Runs in queues of the real Kueue: a second apply fights neither the queue nor the admission."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.apply.inputs import NOWHERE, Object, job
from tests.cluster.apply.site import KINDS, Site, open_site
from tests.cluster.plane import programs
from tests.cluster.plane.plane import Plane
from tests.tools import missing

pytestmark = pytest.mark.cluster

_VERSION = "kueue.x-k8s.io/v1beta2"
_QUEUE = "kueue.x-k8s.io/queue-name"
_PRIORITY = "kueue.x-k8s.io/priority-class"


@pytest.fixture(scope="module")
def queues(control_plane: type[Plane]) -> Iterator[Plane]:
    """JobSet and Kueue, with a flavor whose nodes have labels and a taint."""
    if lacking := programs.lacking("kueue-manager"):
        missing(f"the control plane lacks {', '.join(lacking)}; run tests/cluster/build")
    with control_plane("jobset-manager", "kueue-manager") as plane:
        flavor = {"nodeLabels": {"pool": "a"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
        plane.client.create(_kueue("ResourceFlavor", "pool-a", flavor))
        for name, value in (("low", 1), ("high", 100)):
            plane.client.create({**_kueue("WorkloadPriorityClass", name, {}), "value": value})
        yield plane


@pytest.fixture
def site(queues: Plane, tmp_path: Path) -> Iterator[Site]:
    """A namespace with a queue `main` for two Pods."""
    with open_site(queues, f"s{secrets.token_hex(4)}", tmp_path) as site:
        quota = {"name": "pool-a", "resources": [{"name": "cpu", "nominalQuota": "2"}]}
        group = {"coveredResources": ["cpu"], "flavors": [quota]}
        preemption = {"withinClusterQueue": "LowerPriority"}
        spec = {"namespaceSelector": {}, "resourceGroups": [group], "preemption": preemption}
        queues.client.create(_kueue("ClusterQueue", site.namespace, spec))
        local = _kueue("LocalQueue", "main", {"clusterQueue": site.namespace})
        queues.client.create({**local, "metadata": {"name": "main", "namespace": site.namespace}})
        yield site


def _kueue(kind: str, name: str, spec: Object) -> Object:
    return {"apiVersion": _VERSION, "kind": kind, "metadata": {"name": name}, **({"spec": spec} if spec else {})}


def queued(
    name: str,
    cpu: int = 2,
    *,
    priority: str = "low",
    suspend: bool | None = None,
    image: str = "example.com/a:1",
    selector: Object | None = None,
) -> Object:
    """A JobSet in the queue, with one Pod."""
    resources = {"requests": {"cpu": str(cpu)}, "limits": {"cpu": str(cpu)}}
    pod: Object = {"containers": [{"name": "a", "image": image, "resources": resources}], "restartPolicy": "Never"}
    if selector:
        pod["nodeSelector"] = selector
    metadata = {"name": name, "labels": {_QUEUE: "main", _PRIORITY: priority}}
    spec: Object = {"replicatedJobs": [{"name": "a", "template": {"spec": {"template": {"spec": pod}}}}]}
    if suspend is not None:
        spec["suspend"] = suspend
    return {"apiVersion": KINDS["JobSet"], "kind": "JobSet", "metadata": metadata, "spec": spec}


def is_suspended(site: Site, name: str) -> bool:
    """Whether the JobSet is suspended."""
    live = site.live("JobSet", name)
    assert live
    return bool(live["spec"].get("suspend"))


def admitted(site: Site, name: str) -> None:
    """Wait until Kueue starts the JobSet."""
    site.wait(f"{name} is admitted", lambda: not is_suspended(site, name))


def unchanged(site: Site, *files: Object) -> None:
    """A second apply changes nothing, neither by us nor by what Kueue does then."""
    versions = {name: one["metadata"]["generation"] for name, one in site.all("JobSet").items()}
    done = site.applied(*files)
    assert set(done.results.values()) == {"unchanged"}
    assert done.writes == []
    assert {name: one["metadata"]["generation"] for name, one in site.all("JobSet").items()} == versions


@pytest.mark.parametrize("suspend", [None, False], ids=["unset", "false"])
def test_a_queued_run_stays_queued(site: Site, suspend: bool | None) -> None:
    """With `suspend: false` in the files the server would start it for a moment."""
    files = [queued("first", suspend=suspend)]
    site.applied(*files)
    admitted(site, "first")
    files.append(queued("second", suspend=suspend))
    site.applied(*files)
    site.wait("a Workload", lambda: len(_workloads(site)) == 2)
    assert is_suspended(site, "second")
    unchanged(site, *files)
    assert site.apply("--wait", "--timeout", "20s").results["JobSet/second"] == "unchanged"
    assert is_suspended(site, "second")


@pytest.mark.parametrize("selects", [False, True], ids=["plain", "with a nodeSelector"])
def test_an_admitted_run_keeps_what_kueue_wrote(site: Site, selects: bool) -> None:
    """A nodeSelector of the files is owned by Kueue after the admission."""
    files = [queued("a", selector=NOWHERE if selects else None)]
    site.applied(*files)
    admitted(site, "a")
    live = site.live("JobSet", "a")
    assert live
    pod = live["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"pool": "a", **(NOWHERE if selects else {})}
    unchanged(site, *files)
    assert not is_suspended(site, "a")


def test_a_preempted_run_waits_and_is_admitted_again(site: Site) -> None:
    files = [queued("low"), queued("high", priority="high")]
    site.applied(files[0])
    admitted(site, "low")
    site.applied(*files)
    admitted(site, "high")
    site.wait("the other is preempted", lambda: is_suspended(site, "low"))
    unchanged(site, *files)
    assert is_suspended(site, "low")
    site.delete("JobSet", "high")
    admitted(site, "low")
    done = site.applied(*files)
    assert done.results == {"JobSet/low": "unchanged", "JobSet/high": "kept Finished"}
    assert done.writes == []


def test_a_change_of_a_queued_run_needs_a_new_run(site: Site) -> None:
    """Kueue does not see a change of the Pods of a queued run."""
    site.applied(queued("big", 4))
    site.files(queued("big", 1))
    assert site.apply().results == {"JobSet/big": "refused Frozen"}
    assert site.apply("--recreate", "when-suspended").results == {"JobSet/big": "recreated Frozen"}
    admitted(site, "big")
    unchanged(site, queued("big", 1))


def test_a_change_of_a_running_admitted_run(site: Site) -> None:
    site.applied(queued("a", 1))
    admitted(site, "a")
    site.files(queued("a", 1, image="example.com/train:2"))
    assert site.apply().results == {"JobSet/a": "refused Frozen"}
    assert site.apply("--recreate", "always").results == {"JobSet/a": "recreated Frozen"}
    admitted(site, "a")
    unchanged(site, queued("a", 1, image="example.com/train:2"))


def test_a_run_leaves_its_queue_only_as_a_new_run(site: Site) -> None:
    """Without the label its Workload would keep the quota for ever."""
    site.applied(queued("big", 4))
    site.wait("a Workload", lambda: _workloads(site))
    plain = queued("big", 4)
    del plain["metadata"]["labels"]
    site.files(plain)
    assert site.apply().results == {"JobSet/big": "refused Frozen"}
    done = site.apply("--recreate", "when-suspended")
    assert (done.code, done.results) == (0, {"JobSet/big": "recreated Frozen"})
    site.wait("its Workload is gone", lambda: not _workloads(site))
    unchanged(site, plain)


def test_the_priority_of_a_queued_run_changes_in_place(site: Site) -> None:
    site.applied(queued("big", 4))
    uid = site.uid("JobSet", "big")
    done = site.applied(queued("big", 4, priority="high"))
    assert done.results == {"JobSet/big": "configured"}
    assert site.uid("JobSet", "big") == uid
    unchanged(site, queued("big", 4, priority="high"))


def test_another_queue_while_it_runs(site: Site) -> None:
    """Kueue rejects this with a text of its own."""
    site.applied(queued("a", 1))
    admitted(site, "a")
    other = queued("a", 1)
    other["metadata"]["labels"][_QUEUE] = "other"
    site.files(other)
    done = site.apply()
    assert (done.code, done.results) == (1, {"JobSet/a": "refused Frozen"})
    assert not is_suspended(site, "a")


def test_kueue_is_down(site: Site) -> None:
    site.files(queued("a"))
    site.plane.stop("kueue-manager")
    try:
        done = site.apply("--timeout", "60s")
        assert (done.code, done.writes, done.results) == (1, [], {"JobSet/a": "failed Unavailable"})
    finally:
        site.plane.start("kueue-manager")
    site.wait("its webhook answers", lambda: site.apply("--timeout", "60s").code == 0)


def test_a_trainjob_in_a_queue(site: Site) -> None:
    """Its labels for Kueue go to its JobSet."""
    files = [job("a", labels={_QUEUE: "main"})]
    site.applied(*files)
    admitted(site, "a")
    unchanged(site, *files)


def _workloads(site: Site) -> list[Object]:
    path = f"/apis/{_VERSION}/namespaces/{site.namespace}/workloads"
    found: list[Object] = site.plane.client.request("GET", path)["items"]
    return found
