"""What may happen at the same time as a reconcile: other sets, deleted sets, files that go away, answers of others."""

from __future__ import annotations

import random
import re
import shutil
import socket
import struct
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from kubectl_trainjob.cli.training_set import built
from kubectl_trainjob.cluster.connection import KubeConnection
from kubectl_trainjob.cluster.controller.client import Client, FencedConnection
from kubectl_trainjob.cluster.controller.reconcile import LoopSource, reconcile_once
from kubectl_trainjob.cluster.controller.source import SourceTree, directories
from kubectl_trainjob.cluster.controller.training_set import SetKey, TrainingSet
from kubectl_trainjob.cluster.login import ConnectionOptions
from kubectl_trainjob.cluster.plan import ApplyPlan
from kubectl_trainjob.cluster.protocol import NO_ANSWER, ApiRequest, Clock
from tests.cluster.apply.inputs import config, job
from tests.cluster.apply.loop_site import ACCOUNT, Loop, grant, install, training_set
from tests.cluster.apply.proxy import Answer, FaultProxy, answer, before, html, slow
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_controller_run import Replica, replica
from tests.cluster.plane.plane import Plane

pytestmark = pytest.mark.cluster

_PART_OF = "applyset.kubernetes.io/part-of"
_ALONE = ("--leader-elect=false", "--resync=1s")


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)


def _started(one: Replica | Site) -> list[str]:
    return sorted(each.path.rpartition("/")[2] for each in one.proxy.created if "/jobsets/" in each.path)


def test_two_sets_claim_the_same_objects(site: Site) -> None:
    """The first one has each object; nothing changes hands, and nothing runs twice."""
    site.files(job("a"), job("g", "gang"), *(config(f"c{number}") for number in range(6)))
    loop = Loop(site, interval="1s", prune=True)
    other = site.plane.client.create(training_set(site, "t", interval="1s", prune=True))

    def owners() -> dict[str, str]:
        found = {**site.all("JobSet"), **site.all("ConfigMap"), **site.all("PodGroup")}
        return {name: one["metadata"]["labels"][_PART_OF] for name, one in found.items() if name != "kube-root-ca.crt"}

    def is_settled() -> bool:
        bodies = [loop.live, site.plane.client.request("GET", site.plane.client.path(other))]
        types = [[each["type"] for each in one.get("status", {}).get("conditions", ())] for one in bodies]
        return all(each in (["Ready"], ["Ready", "Stalled"]) for each in types)

    with replica(site, *_ALONE) as one:
        site.wait("both were tried", lambda: is_settled() and len(owners()) == 8)
        known, writes = owners(), list(one.writes)
        _wait_for_requests(one, 60)
        assert (owners(), _started(one)) == (known, ["a", "g"])
        assert [each for each in one.writes[len(writes) :] if "trainingsets" not in each and "events" not in each] == []
        assert one.stop().code == 0


def _wait_for_requests(one: Replica, count: int) -> None:
    last, deadline = len(one.proxy.requests) + count, time.monotonic() + 300
    while len(one.proxy.requests) < last:
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("comes_back", [False, True])
@pytest.mark.parametrize("at", ["/jobsets/a$", "/trainingsets/s$", "/trainingsets/s/status$"])
def test_a_set_is_deleted_while_it_is_applied(site: Site, at: str, comes_back: bool) -> None:
    """Before a write: the objects stay, and a new set of the name takes them back."""
    loop = Loop(site, prune=True)
    site.files(job("a"), config("c"))

    def delete() -> None:
        site.plane.client.request("DELETE", site.plane.client.path(loop.created))
        if comes_back:
            site.plane.client.create(training_set(site, "s", prune=True))

    site.proxy.on("PATCH", at.removesuffix("$"), before(delete), only=lambda one: bool(re.search(at, one.path)))
    done = site.run("controller", "once", "--directory", f"jobs={site.folder}")
    assert "Traceback" not in done.ended.err
    assert [line for line in done.writes if line.startswith("DELETE")] == []
    uid = site.uid("JobSet", "a")
    if not comes_back:
        site.plane.client.create(training_set(site, "s", prune=True))
    site.proxy.rules.clear()
    again = site.run("controller", "once", "--directory", f"jobs={site.folder}")
    assert again.code == 0, again.ended
    assert site.uid("JobSet", "a") == uid or not uid
    assert _started(site) == ["a"]
    assert loop.once().writes == []


def test_a_set_that_is_being_deleted(site: Site) -> None:
    """A finalizer of somebody else keeps it: nothing more is applied, nothing is deleted."""
    loop = Loop(site, prune=True)
    loop.applied(config("a"), config("b"))
    loop.merge({"metadata": {"finalizers": ["example.com/stays"]}})
    site.plane.client.request("DELETE", site.plane.client.path(loop.created))
    site.files(config("a"), config("c"))
    done = loop.once()
    assert (done.code, done.writes) == (0, []), done.ended
    loop.merge({"metadata": {"finalizers": None}})


def test_files_that_go_away_are_no_error_of_the_files(site: Site) -> None:
    """Not `BuildFailed`, which waits for a change: the files are read again soon."""
    site.files(config("a"))
    Loop(site)
    own = KubeConnection(ConnectionOptions(str(site.kubeconfig())))
    client = Client(lambda user: own.as_user(user) if user else own, 30)
    clock = Clock(time.monotonic, time.sleep, random.random)

    def build(tree: SourceTree, wanted: TrainingSet) -> AbstractContextManager[ApplyPlan]:
        shutil.rmtree(site.folder / "runtimes")
        return built(tree, wanted)

    source = LoopSource(directories({"jobs": str(site.folder)}), build, ACCOUNT)
    outcome = reconcile_once(SetKey(site.namespace, "s"), source, client, clock)
    assert outcome.verdict
    assert outcome.verdict.reason == "ArtifactFailed"


def test_sets_share_their_sockets(site: Site) -> None:
    """The open files of the process do not grow with the number of service accounts."""
    site.files(*(config(f"c{number}") for number in range(10)))
    names = [f"a{number}" for number in range(10)]
    for name in names:
        grant(site, account=name)
    with replica(site, *_ALONE) as one:
        site.wait("the probe", lambda: one.page("/readyz")[0] == 200)
        most = len(list(Path(f"/proc/{one.program.pid}/fd").iterdir())) + 32
        for name in names:
            loop = Loop(site, granted=False, interval="1h", serviceAccountName=name)
            site.wait("Ready", lambda loop=loop: loop.is_ready)
            site.plane.client.request("DELETE", site.plane.client.path(loop.created))
        users = {each.headers.get("Impersonate-User") for each in one.proxy.requests} - {None}
        assert len(users) == len(names)
        assert len(list(Path(f"/proc/{one.program.pid}/fd").iterdir())) <= most
        site.wait("no series is left", lambda: 'name="s"' not in one.page("/metrics")[1])


def test_a_write_ends_with_the_lease(site: Site) -> None:
    """The server is slow: when another replica may have the Lease, the write of this one is over. Reads go on."""
    connection = FencedConnection(
        KubeConnection(ConnectionOptions(str(site.kubeconfig()))), lambda: 0.5, lambda *_: None
    )
    site.proxy.on("POST", "/configmaps", slow(60))
    site.proxy.on("GET", "/configmaps", slow(3))
    path, body = f"/api/v1/namespaces/{site.namespace}/configmaps", {"metadata": {"name": "a"}}
    start = time.monotonic()
    assert connection.send(ApiRequest("POST", path, body=body), 30).status == NO_ANSWER
    assert time.monotonic() - start < 50
    assert connection.send(ApiRequest("GET", path), 30).status == 200


def test_a_server_that_asks_for_a_long_pause(site: Site) -> None:
    """A proxy in maintenance says: come back in an hour. It is back at once, and so is the loop."""
    site.files(config("a"))
    Loop(site)
    with replica(site, "--leader-elect=false", prepare=_in_maintenance):
        site.wait("a", lambda: site.live("ConfigMap", "a"))


def _in_maintenance(proxy: FaultProxy) -> None:
    hour = answer(503, retry_after=3600)
    for method, pattern in (("GET", "limit=500"), ("GET", "/trainingsets/s$"), ("PATCH", "/trainingsets/s")):
        proxy.on(method, pattern, hour)


def test_clients_that_go_away(site: Site) -> None:
    """Probes of load balancers reset their connections: nothing is logged."""
    with replica(site, *_ALONE) as one:
        site.wait("the probe", lambda: one.page("/readyz")[0] == 200)
        for port in one.ports * 5:
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert one.page("/healthz")[0] == 200
        ended = one.stop()
    assert (ended.code, ended.err) == (0, "")


def _ends_at_once(_: object) -> Answer:
    return Answer(200, [], b"")


def _odd(_: object) -> Answer:
    return Answer(200, [], b'{"items": [{}]}')


@pytest.mark.parametrize(
    ("query", "fault"),
    [("watch=true", _ends_at_once), ("limit=500$", html), ("limit=500$", _odd)],
    ids=["short watches", "another page", "an object without a name"],
)
def test_answers_of_something_else(site: Site, query: str, fault: Callable[..., Answer | None]) -> None:
    """A proxy in between ends each watch at once, or answers in place of the server: few requests, and it goes on."""
    site.files(config("a"))
    with replica(site, "--leader-elect=false", "--resync=10m") as one:
        one.proxy.on("GET", f"/trainingsets\\?.*{query}", fault, times=20)
        time.sleep(3)
        assert len([each for each in one.proxy.requests if "/trainingsets?" in each.target]) < 60
        loop = Loop(site)
        site.wait("Ready", lambda: loop.is_ready)
        assert "Traceback" not in one.stop().err
