"""The parts of the loop that decide when: the queue, the Lease, and the end of a replica that lost it."""

from __future__ import annotations

import http.client
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

import pytest

from kubectl_trainjob.cluster.controller.client import Client, LeaseLostError
from kubectl_trainjob.cluster.controller.due_keys import DueKeys
from kubectl_trainjob.cluster.controller.leader import Leader, LeaseTimes
from kubectl_trainjob.cluster.controller.metrics import Metrics
from kubectl_trainjob.cluster.controller.run import Loop, LoopOptions, run
from kubectl_trainjob.cluster.controller.serving import serve
from kubectl_trainjob.cluster.controller.training_set import SetKey
from kubectl_trainjob.cluster.protocol import ApiAnswer, Clock
from tests.loops import for_each


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now, lambda _: None, lambda: 0.5)


def test_a_key_is_due_once_and_as_early_as_asked() -> None:
    at = Time()
    keys = DueKeys[str](lambda: at.now)
    keys.add("late", 50)
    keys.add("soon", 10)
    keys.add("soon", 99)
    keys.add("late", 20)
    at.now += 15
    assert (keys.take(), len(keys)) == ("soon", 0)
    at.now += 10
    assert (keys.take(), len(keys)) == ("late", 0)


def test_no_two_threads_work_on_a_key() -> None:
    keys = DueKeys[str](time.monotonic)
    keys.add("a")
    assert keys.take() == "a"
    keys.add("a")
    keys.add("b")
    assert keys.take() == "b"
    keys.done("a")
    assert keys.take() == "a"
    waiting = threading.Thread(target=keys.take)
    waiting.start()
    keys.close()
    waiting.join(600)
    assert not waiting.is_alive()


class LeaseServer:
    """One Lease, as the API server keeps it."""

    namespace = "system"

    def __init__(self) -> None:
        self.lease: Any = None
        self.version = 0
        self.is_down = False

    def send(self, request: Any, _timeout: float) -> ApiAnswer:
        if self.is_down:
            return ApiAnswer(503)
        if request.method == "GET":
            return ApiAnswer(200, self.lease) if self.lease else ApiAnswer(404)
        found = self.lease and self.lease["metadata"]["resourceVersion"]
        if request.method == "POST" and self.lease:
            return ApiAnswer(409)
        if request.method == "PUT" and request.body["metadata"].get("resourceVersion") != found:
            return ApiAnswer(409)
        self.version += 1
        metadata = {"uid": "u", **request.body["metadata"], "resourceVersion": str(self.version)}
        self.lease = {**request.body, "metadata": metadata}
        return ApiAnswer(200, self.lease)

    def renew(self) -> None:
        """Nothing to do."""


@for_each("seed", range(60), at_least=60)
def test_at_most_one_replica_may_write(seed: int) -> None:
    """Replicas that are frozen, cut off or restarted at random, and a Lease that is deleted at random."""
    chance, at, server = random.Random(seed), Time(), LeaseServer()
    replicas = [Leader(server, at.clock, "system", f"r{number}", LeaseTimes()) for number in range(3)]  # type: ignore[arg-type]
    frozen = [0.0, 0.0, 0.0]
    holders = set()
    for step in range(300):
        at.now += chance.choice((1, 2, 5, 5, 5, 12))
        server.is_down = chance.random() < 0.2
        if step > 50 and chance.random() < 0.01 and server.lease:
            server.lease = None
        for number, each in enumerate(replicas):
            if chance.random() < 0.05:
                frozen[number] = at.now + chance.choice((10, 40, 90))
            if at.now >= frozen[number]:
                each.renew()
        writers = [each.identity for each in replicas if each.may_write]
        assert len(writers) <= 1, f"seed {seed}, step {step}: {writers}"
        holders |= set(writers)
    assert holders, f"seed {seed}"


def test_a_replica_that_lost_the_lease_once_ends() -> None:
    """Also if it has the Lease again when it looks."""

    class Lost:
        def api(self, *_: Any) -> Any:
            raise LeaseLostError

    class Holder:
        may_write, identity, problem = True, "me", ""

        def renew(self) -> None:
            """It works again."""

    clock = Clock(time.monotonic, time.sleep, random.random)
    loop = Loop(Lost(), None, clock, LoopOptions("", 1, 600), Metrics(), lambda _: None)  # type: ignore[arg-type]
    loop.due.add(SetKey("a", "s"))
    loop.watch = lambda: None  # type: ignore[method-assign]
    ends: list[bool] = []
    threading.Thread(target=lambda: ends.append(run(loop, Holder(), 0.01)), daemon=True).start()  # type: ignore[arg-type]
    deadline = time.monotonic() + 60
    while not ends and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ends == [False]


def test_a_kind_without_objects_has_no_number() -> None:
    metrics, labels = Metrics(), {"namespace": "n", "name": "s"}
    other = {**labels, "name": "other"}
    for where, found in ((labels, {"ConfigMap": 3, "JobSet": 1}), (other, {"ConfigMap": 5}), (labels, {"JobSet": 2})):
        metrics.replace("trainjob_applied_objects", where, "kind", found)
    samples = [line for line in metrics.text().splitlines() if line.startswith("trainjob_applied_objects{")]
    assert samples == [
        'trainjob_applied_objects{namespace="n",name="s",kind="JobSet"} 2',
        'trainjob_applied_objects{namespace="n",name="other",kind="ConfigMap"} 5',
    ]


def test_numbers_are_exact() -> None:
    """Six digits of a time are hours, and a counter of them stands still."""
    metrics = Metrics()
    metrics.set("trainjob_last_success_timestamp_seconds", 1795579900.25)
    metrics.count("controller_runtime_reconcile_total", 12345678)
    samples = dict(line.split() for line in metrics.text().splitlines() if not line.startswith("#"))
    assert float(samples["trainjob_last_success_timestamp_seconds{}"]) == 1795579900.25
    assert samples["controller_runtime_reconcile_total{}"] == "12345678"


def test_pages_have_the_addresses_of_both_families() -> None:
    """A Pod of an IPv6 cluster has no IPv4 address; its probes use what it has."""
    families = ["127.0.0.1", *(["::1"] if socket.has_dualstack_ipv6() else [])]
    for listen, clients in ((":0", families), ("127.0.0.1:0", families[:1]), *(("[::1]:0", [a]) for a in families[1:])):
        port = serve(listen, {"/healthz": lambda: (200, "ok\n")})
        for client in clients:
            connection = http.client.HTTPConnection(client, port, timeout=600)
            connection.request("GET", "/healthz")
            assert connection.getresponse().read() == b"ok\n", (listen, client)
            connection.close()


class _Idle:
    """A connection of a user that is not used."""

    namespace = "a"


def test_connections_of_users_that_are_gone_are_closed() -> None:
    alive: weakref.WeakSet[_Idle] = weakref.WeakSet()
    made: list[str] = []

    def connect(user: str) -> Any:
        made.append(user)
        connection = _Idle()
        alive.add(connection)
        return connection

    client = Client(connect, 30)
    for number in range(200):
        client.api("", Time().clock, 0)
        client.api(f"user-{number}", Time().clock, 0)
    assert len(alive) <= 40
    assert made.count("") == 1, "what is in use is kept"


def test_the_time_of_a_suspended_machine_counts() -> None:
    """A namespace of Linux shows the process a machine that was suspended for a day."""
    program = "import time; from kubectl_trainjob.cli.controller import _clock as clock; "
    program += "print(clock().monotonic() - time.monotonic())"
    away = ["unshare", "-Ur", "--time", "--boottime", "86400", "--fork", sys.executable, "-c"]
    if not shutil.which("unshare") or subprocess.run([*away, ""], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody have another clock")
    ran = subprocess.run([*away, program], capture_output=True, text=True, check=True)
    assert float(ran.stdout) > 86000
