"""`controller run` on the real API server: what makes it reconcile, several replicas, faults of watches, its end."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGTERM

import pytest

from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.inputs import config, job
from tests.cluster.apply.loop_site import Loop, install
from tests.cluster.apply.program import Ended, Program
from tests.cluster.apply.proxy import FaultProxy, answer
from tests.cluster.apply.site import Site
from tests.cluster.plane.plane import Plane
from tests.cluster.plane.settings import free_ports

pytestmark = pytest.mark.cluster

# Shorter than by default, but not so short that a busy machine cannot renew in time.
_SHORT = ("--leader-elect-lease-duration=12s", "--leader-elect-renew-deadline=8s", "--leader-elect-retry-period=250ms")
_LEASE = "kubectl-trainjob-controller"


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)


class Replica:
    """One running controller, with a proxy of its own; `after` is one whose place it takes."""

    def __init__(
        self, site: Site, proxy: FaultProxy, *arguments: str, namespaced: bool = True, after: Replica | None = None
    ) -> None:
        self.proxy = proxy
        kubeconfig = site.folder.parent / f"{site.namespace}.{id(self)}.kubeconfig"
        proxy.kubeconfig(kubeconfig, site.namespace)
        names = ("--metrics-bind-address", "--health-probe-bind-address", "--storage-addr")
        self.ports = after.ports if after else [*free_ports(names).values()]
        command = [f"{name}=127.0.0.1:{port}" for name, port in zip(names, self.ports, strict=True)]
        self.storage = site.folder.parent / f"{site.namespace}.{self.ports[0]}"
        (self.storage / "artifacts").mkdir(parents=True, exist_ok=True)  # of a user
        command += [f"--storage-path={self.storage}"]
        command += [f"--storage-adv-address=127.0.0.1:{self.ports[2]}"]
        command += [f"--directory=jobs={site.folder}", *_SHORT, *arguments]
        command += ["-n", site.namespace] if namespaced else []
        site.folder.mkdir(parents=True, exist_ok=True)
        self.program = Program(["controller", "run", *command], site.folder, {"KUBECONFIG": str(kubeconfig)})

    def page(self, path: str) -> tuple[int, str]:
        """Status and text of a page."""
        port = self.ports[0 if path == "/metrics" else 1]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{port}{path}", timeout=60) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    @property
    def writes(self) -> list[str]:
        """The writes except those of the Lease."""
        return [one.line for one in self.proxy.requests if one.is_write and "/leases" not in one.path]

    def stop(self) -> Ended:
        """SIGTERM, and the end."""
        with suppress(OSError):
            self.proxy.sent.append(self.page("/metrics")[1])
        self.program.send(SIGTERM)
        return self.program.end()


@contextmanager
def replica(
    site: Site, *arguments: str, after: Replica | None = None, prepare: Callable[[FaultProxy], object] = lambda _: None
) -> Iterator[Replica]:
    """A running controller; a test that fails leaves none. Its requests and metrics may have no secrets."""
    with FaultProxy(site.plane, canary=site.proxy.canary, sent=site.proxy.sent) as proxy:
        prepare(proxy)
        started = Replica(site, proxy, *arguments, after=after)
        try:
            yield started
        except BaseException:
            print(started.program.texts(), [one.line for one in proxy.requests][-40:])
            raise
        finally:
            started.program.kill()


def holder(site: Site) -> str:
    """Who holds the Lease."""
    path = f"/apis/coordination.k8s.io/v1/namespaces/{site.namespace}/leases/{_LEASE}"
    found: str = site.plane.client.request("GET", path)["spec"].get("holderIdentity", "")
    return found


def test_what_starts_a_reconcile_and_how_it_ends(site: Site, note_figure: Callable[[str], None]) -> None:
    site.files(config("a"), job("m", "mpi"))
    with replica(site) as one:
        site.wait("the probe", lambda: one.page("/readyz")[0] == 200)
        loop = Loop(site, interval="1h")
        site.wait("Ready", lambda: loop.is_ready)
        assert site.live("ConfigMap", "a")
        kept = ["artifacts", "kubectl-trainjob-artifacts", "kubectl-trainjob-unpacked"]
        assert sorted(each.name for each in one.storage.iterdir()) == kept
        site.files(config("a"), config("b"), job("m", "mpi"))
        loop.merge({"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": "now"}}})
        site.wait("b", lambda: site.live("ConfigMap", "b"))
        loop.merge({"spec": {"interval": "1s"}})
        site.wait("the new generation", lambda: loop.status.get("observedGeneration") == 2)
        site.delete("ConfigMap", "b")
        site.wait("b is back", lambda: site.live("ConfigMap", "b"))
        _wait_for_reconciles(one, 2)
        writes, status = list(one.writes), loop.live
        _wait_for_reconciles(one, 2)
        assert (one.writes, loop.live) == (writes, status)
        code, text = one.page("/metrics")
        assert code == 200
        _check_metrics(text, site)
        assert one.page("/healthz") == (200, "ok\n")
        assert one.page("/none")[0] == 404
        assert holder(site)
        ended = one.stop()
    assert (ended.code, holder(site)) == (0, "")
    assert "Traceback" not in ended.err
    private = site.plane.client.request("GET", f"/api/v1/namespaces/{site.namespace}/secrets/m-mpi-ssh-auth")["data"]
    everything = ended.err + ended.out + text + json.dumps([loop.live, loop.events()])
    assert [key for key, value in private.items() if value in everything or value[40:80] in everything] == []
    note_figure(f"controller: {len(ended.err.splitlines())} lines of log for 4 changes")


def _wait_for_reconciles(one: Replica, count: int) -> None:
    """Wait until some more reconciles have ended."""
    last = _reconciles(one) + count
    deadline = time.monotonic() + 300
    while _reconciles(one) < last:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _reconciles(one: Replica) -> int:
    found = re.search(r'controller_runtime_reconcile_total\{.*result="success"\} (\d+)', one.page("/metrics")[1])
    return int(found[1]) if found else 0


def count(one: Replica, name: str, word: str) -> int:
    """The sum of the series of a metric that have a word."""
    lines = (line for line in one.page("/metrics")[1].splitlines() if line.startswith(name) and word in line)
    return sum(int(float(line.split()[-1])) for line in lines)


def _check_metrics(text: str, site: Site) -> None:
    """Every line is a comment or a sample, and the named families have samples."""
    sample = re.compile(r'^[a-z_]+\{([a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*)?\} [-+.e\d]+$')
    assert [line for line in text.splitlines() if not line.startswith("# ") and not sample.match(line)] == []
    labels = f'namespace="{site.namespace}",name="s"'
    for start in (
        f'gotk_reconcile_duration_seconds_count{{kind="TrainingSet",{labels}}}',
        f'gotk_reconcile_duration_seconds_bucket{{kind="TrainingSet",{labels},le="+Inf"}}',
        'workqueue_depth{name="trainingset"}',
        'rest_client_requests_total{code="200",method="PATCH",host="127.0.0.1:',
        'leader_election_master_status{name="kubectl-trainjob-controller"} 1',
        'trainjob_compile_duration_seconds_count{result="success"}',
        f'trainjob_applied_objects{{{labels},kind="ConfigMap"}} 3',
        f"trainjob_last_success_timestamp_seconds{{{labels}}}",
    ):
        assert f"\n{start}" in text, start
    (last,) = re.findall(r"^trainjob_last_success_timestamp_seconds\{.*\} (.+)$", text, re.MULTILINE)
    assert 0 <= time.time() - float(last) < 300


def test_a_frozen_replica_never_writes_again(site: Site) -> None:
    """The holder is frozen until another replica has taken over, then goes on: it ends without a write."""
    site.files(config("a"))
    loop = Loop(site, interval="1s")
    with replica(site) as first:
        site.wait("Ready", lambda: loop.is_ready)
        first_holder = holder(site)
        with replica(site) as second:
            site.wait("the second waits", lambda: second.page("/readyz")[0] == 200)
            first.program.send(SIGSTOP)
            site.wait("the second holds the Lease", lambda: holder(site) not in ("", first_holder))
            before = len(first.writes)
            site.files(config("a"), config("b"))
            site.wait("b", lambda: site.live("ConfigMap", "b"))
            first.program.send(SIGCONT)
            ended = first.program.end()
            assert (ended.code, first.writes[before:]) == (3, [])
            assert second.stop().code == 0


def test_without_the_server_the_holder_ends(site: Site) -> None:
    """The holder cannot renew: it stops to write, and ends."""
    site.files(config("a"))
    loop = Loop(site, interval="1s")
    with replica(site) as one:
        site.wait("Ready", lambda: loop.is_ready)
        one.proxy.on("", "/leases", answer(503, retry_after=None), times=10_000)
        assert one.program.end().code == 3


def test_a_killed_replica_is_replaced(site: Site) -> None:
    site.files(config("a"))
    loop = Loop(site, interval="1s")
    with replica(site) as first:
        site.wait("Ready", lambda: loop.is_ready)
        first.program.kill()
        assert first.program.end().code == -SIGKILL
    site.files(config("a"), config("b"))
    with replica(site):
        site.wait("b", lambda: site.live("ConfigMap", "b"))


def test_errors_of_the_watch_lead_to_a_list(site: Site) -> None:
    """410 for every watch: a new TrainingSet is found by lists."""
    site.files(config("a"))
    with replica(site, "--leader-elect=false", "--resync=1s") as one:
        one.proxy.on("GET", "watch=true", answer(410), times=10_000)
        site.wait("the probe", lambda: one.page("/readyz")[0] == 200)
        loop = Loop(site, interval="1h")
        site.wait("Ready", lambda: loop.is_ready)
        assert 'kind="TrainingSet",reason="Gone"' in one.page("/metrics")[1]
        assert one.stop().code == 0


def test_a_stalled_watch_fails_the_probe(site: Site) -> None:
    with replica(site, "--leader-elect=false", "--resync=1s") as one:
        site.wait("the probe", lambda: one.page("/readyz")[0] == 200)
        assert one.page("/healthz")[0] == 200
        one.proxy.on("", "", answer(503, retry_after=None), times=10_000)
        site.wait("not alive", lambda: one.page("/healthz")[0] == 503)
        one.proxy.clear()
        site.wait("alive", lambda: one.page("/healthz")[0] == 200)


def test_a_set_that_cannot_be_built_does_not_stop_others(new_site: NewSite) -> None:
    site = new_site()
    site.files(config("a"))
    loop = Loop(site, interval="1h", path="missing")
    other = {**loop.created, "metadata": {"name": "other", "namespace": site.namespace}}
    site.plane.client.create({**other, "spec": {**other["spec"], "path": "."}})
    with replica(site):
        site.wait("a", lambda: site.live("ConfigMap", "a"))
        site.wait("the other one", lambda: loop.condition() == ("False", "BuildFailed"))


def test_the_api_server_is_killed(site: Site) -> None:
    site.files(config("a"))
    loop = Loop(site, interval="1s")
    with replica(site, "--leader-elect=false") as one:
        site.wait("Ready", lambda: loop.is_ready)
        site.plane.stop("kube-apiserver")
        site.files(config("a"), config("b"))
        time.sleep(1)
        site.plane.start("kube-apiserver")
        site.wait("b", lambda: site.live("ConfigMap", "b"))
        assert one.stop().code == 0
