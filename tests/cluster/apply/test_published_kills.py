"""SIGKILL at every request of a controller that downloads an artifact, and publishes what it builds.

The next one serves the whole archive and nothing else; the one after it writes nothing. Nothing stays on the disk but
that archive, and the files of others.
"""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.inputs import config, job
from tests.cluster.apply.loop_site import install
from tests.cluster.apply.proxy import Answer, FaultProxy, Forward, Request
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_controller_run import Replica, replica
from tests.cluster.apply.test_flux_sources import FluxLoop, install_flux
from tests.cluster.apply.test_kills import Kill
from tests.cluster.apply.test_published import artifact_of, get, is_served
from tests.cluster.plane.plane import Plane
from tests.loops import report

pytestmark = pytest.mark.cluster

_ALONE = "--leader-elect=false"
_SIDE_BY_SIDE = 3
_IN_DOWNLOAD = Kill(-1, False)


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)
    install_flux(plane)


class _Killer:
    """Kills the controller, once it is started, and says that this happened."""

    def __init__(self) -> None:
        self.is_started, self.is_done = threading.Event(), threading.Event()
        self.one: Replica | None = None

    def start(self, one: Replica) -> None:
        """The controller is this one."""
        self.one = one
        self.is_started.set()

    def shoot(self) -> None:
        """Kill it."""
        assert self.is_started.wait(300)
        assert self.one
        self.one.program.kill()
        self.is_done.set()


def test_killed_at_every_request(new_site: NewSite, note_figure: Callable[[str], None]) -> None:
    first = new_site()
    loop = _loop(first)
    with replica(first, _ALONE, prepare=_without_watches) as one:
        first.wait("published", lambda: loop.is_ready and len(loop.events()) == 1)
        requests = [each for each in one.proxy.requests if "watch=true" not in each.target]
    kills = [_IN_DOWNLOAD, *(Kill(number, False) for number in range(len(requests)))]
    kills += [Kill(number, True) for number in range(sum(each.is_write for each in requests))]
    sites = [new_site() for _ in kills]
    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        failures = list(pool.map(_problem_after, sites, kills))
    note_figure(
        f"publish: killed at {len(requests)} requests, and after {sum(each.is_write for each in requests)} writes"
    )
    assert failures.count("was not killed") <= 2
    report([each for each in failures if each and each != "was not killed"], len(kills))


def _loop(site: Site) -> FluxLoop:
    loop = FluxLoop(site, output="ExternalArtifact", interval="1h")
    loop.publish(job("a"), config("c"), job("m", "mpi"))
    return loop


def _without_watches(proxy: FaultProxy) -> None:
    """As in the killed runs, a watch gets no event: only the lists and the timers start reconciles."""
    proxy.on("", "no such path", lambda forward: forward())


def _problem_after(site: Site, kill: Kill) -> str:
    try:
        return _check(site, kill)
    except (AssertionError, TimeoutError) as error:
        return f"== {kill}: {error}"


def _check(site: Site, kill: Kill) -> str:
    loop, killer = _loop(site), _Killer()
    if kill is _IN_DOWNLOAD:
        _serve_half(loop, killer)
    with replica(site, _ALONE, prepare=lambda proxy: _kill_at(proxy, kill, killer)) as one:
        (one.storage / "kubectl-trainjob.txt").write_text("of a user")
        killer.start(one)
        while not killer.is_done.wait(20):
            if loop.is_ready:
                return "was not killed"
        assert one.program.end().code == -SIGKILL
    _leave_behind(site, one)
    with replica(site, _ALONE, after=one) as two:
        site.wait("published", lambda: _is_published(site) and loop.is_ready)
        _check_disk(site, two)
        assert two.stop().code == 0
    with replica(site, _ALONE, after=one) as three:
        site.wait("served again", lambda: _is_published(site))
        site.wait("reconciled", lambda: 'reconcile_total{controller="trainingset"' in three.page("/metrics")[1])
        _check_disk(site, three)
        assert three.writes == []
        assert three.stop().code == 0
    return ""


def _kill_at(proxy: FaultProxy, kill: Kill, killer: _Killer) -> None:
    def fault(forward: Forward) -> Answer | None:
        if kill.is_after_write:
            forward()
        killer.shoot()
        return None

    def is_meant(request: Request) -> bool:
        return "watch=true" not in request.target and (request.is_write or not kill.is_after_write)

    if kill is _IN_DOWNLOAD:
        _without_watches(proxy)
    else:
        proxy.on("", "", fault, skip=kill.number, only=is_meant)


def _serve_half(loop: FluxLoop, killer: _Killer) -> None:
    """The controller is killed when it has half of the archive."""
    (path,) = loop.artifacts.folder.iterdir()
    data = path.read_bytes()

    class Half(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            if not killer.is_done.is_set():
                killer.shoot()
            self.wfile.write(data[len(data) // 2 :])

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Half)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    loop.publish_data(data, url=f"http://127.0.0.1:{server.server_port}/a")


def _leave_behind(site: Site, one: Replica) -> None:
    """What a kill, or a crash of the machine, while files are written may leave in addition."""
    artifact = artifact_of(site)
    place = one.storage / "kubectl-trainjob-artifacts" / site.namespace / "s"
    place.mkdir(parents=True, exist_ok=True)
    name = artifact["path"].rpartition("/")[2] if artifact else f"{'0' * 64}.tar.gz"
    (place / name).write_bytes(b"half")
    (place / f"{name}.new").write_bytes(b"half")
    unpacked = one.storage / "kubectl-trainjob-unpacked" / "kubectl-trainjob-x" / "jobs"
    unpacked.mkdir(parents=True, exist_ok=True)
    (unpacked / "a.yaml").write_bytes(b"half")


def _is_published(site: Site) -> bool:
    """Whether the artifact is served; what is served under its URL is never anything else."""
    artifact = artifact_of(site)
    if not artifact or not is_served(artifact["url"]):
        return False
    assert f"sha256:{hashlib.sha256(get(artifact['url'])).hexdigest()}" == artifact["digest"]
    return True


def _check_disk(site: Site, one: Replica) -> None:
    path = artifact_of(site)["path"]
    expected = {f"kubectl-trainjob-artifacts/{path}", "kubectl-trainjob.txt"}

    def is_clean() -> bool:
        """An event of the source may have started one more reconcile, which unpacks the artifact."""
        files = {str(each.relative_to(one.storage)) for each in Path(one.storage).rglob("*") if each.is_file()}
        return files == expected and not any((one.storage / "kubectl-trainjob-unpacked").iterdir())

    site.wait("only the archive is left", is_clean)
    assert (one.storage / "artifacts").is_dir()
