"""Faults around a running loop, on the real control plane: it goes on, starts nothing twice, and ends nothing."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from hypothesis import settings

from tests.cluster.apply import world
from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import Loop, LoopSite, install
from tests.cluster.apply.program import Program
from tests.cluster.apply.proxy import Answer, Fault, Forward, Request, answer, before, html, reset
from tests.cluster.apply.site import AppliedObject, Site
from tests.cluster.apply.test_controller_run import count, holder, replica
from tests.cluster.apply.test_faults import ONCE
from tests.cluster.apply.test_kills import problem_after
from tests.cluster.plane.plane import Plane
from tests.loops import report

pytestmark = pytest.mark.cluster

_ALONE = ("--leader-elect=false", "--resync=1s")
_SIDE_BY_SIDE = 4
_SEEDS = 40
_SHARE = 0.15  # of the requests that fail


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)


def _started(requests: Sequence[Request]) -> list[str]:
    return sorted(one.path.rpartition("/")[2] for one in requests if "/jobsets/" in one.path)


@pytest.mark.parametrize("program", ["etcd", "kube-apiserver"])
def test_a_program_dies_under_a_write(site: Site, program: str) -> None:
    """It is killed at the first write of a run, and is back after some seconds."""
    place = LoopSite(site.plane, site.namespace, site.folder, site.proxy)
    stays = world.prepare(place)
    first = place.loop.status["lastAppliedRevision"]
    is_dead = Event()

    def kill() -> None:
        site.plane.stop(program)
        is_dead.set()

    with replica(place, *_ALONE) as one:
        one.proxy.on("PATCH", "/jobsets/", before(kill), only=lambda request: request.is_write)
        assert is_dead.wait(300)
        time.sleep(2)
        site.plane.start(program)
        site.wait("all is applied", lambda: place.loop.status["lastAppliedRevision"] != first and place.loop.is_ready)
        started = _started(one.proxy.created)  # without one whose answer said that etcd is late
        assert (set(started) <= set(world.STARTED), len(set(started))) == (True, len(started)), started
        ended = one.stop()
    assert (ended.code, "Traceback" in ended.err) == (0, False), ended
    assert world.orphans(place) == []
    again = place.apply()
    assert (again.code, again.writes) == (0, []), again.ended
    assert {key: site.uid(*key.split("/")) for key in stays} == stays


def test_a_namespace_that_is_deleted(site: Site) -> None:
    loop = Loop(site)
    loop.applied(config("a"))
    site.plane.client.request("DELETE", f"/api/v1/namespaces/{site.namespace}")
    site.files(config("a"), config("b"))
    done = loop.once()
    assert (done.code, loop.condition()) == (1, ("False", "ReconciliationFailed")), done.ended
    assert "Terminating" in loop.message
    assert {line.rpartition("/")[2] for line in done.writes} <= {"status", "events"}
    assert len(done.requests) < 60
    assert "Traceback" not in done.ended.err


def test_the_definition_comes_late_and_is_deleted(site: Site) -> None:
    """Without it, the loop waits. If it is deleted, the objects stay; new sets take them back."""
    _uninstall(site.plane)
    site.files(job("a"), config("c"))
    with replica(site, *_ALONE) as one:
        site.wait("not alive", lambda: one.page("/healthz")[0] == 503)
        assert one.page("/readyz")[0] == 503
        site.wait("the log", lambda: "objects of kind TrainingSet cannot be listed: " in one.program.texts()[1])
        install(site.plane)
        loop = Loop(site, prune=True)
        site.wait("Ready", lambda: loop.is_ready)
        uids = [site.uid("JobSet", "a"), site.uid("ConfigMap", "c")]
        _uninstall(site.plane)
        site.wait("not alive", lambda: one.page("/healthz")[0] == 503)
        install(site.plane)
        loop = Loop(site, granted=False, prune=True)
        site.wait("Ready again", lambda: loop.is_ready)
        site.wait("alive", lambda: one.page("/healthz")[0] == 200)
        assert [site.uid("JobSet", "a"), site.uid("ConfigMap", "c")] == uids
        assert [line for line in one.writes if line.startswith("DELETE")] == []
        assert _started(one.proxy.created) == ["a"]
        ended = one.stop()
    assert "Traceback" not in ended.err
    assert len(ended.err.splitlines()) < 20


def test_no_worker_waits_for_the_definition(site: Site) -> None:
    """It is gone, and the watch has not said so: each reconcile looks it up once."""
    path = "/apis/kubectl-trainjob.dev/v1alpha1"
    site.files(config("a"))
    loop = Loop(site, interval="1s")
    with replica(site, "--leader-elect=false") as one:
        site.wait("Ready", lambda: loop.is_ready)
        one.proxy.on("GET", f"{path}$", answer(404), times=10_000)
        before = len([each for each in one.proxy.requests if each.path == path])
        site.wait("three errors", lambda: count(one, "controller_runtime_reconcile_total", "error") >= 3)
        asked = len([each for each in one.proxy.requests if each.path == path]) - before
        assert asked <= count(one, "controller_runtime_reconcile_total", "error") + 3
        one.proxy.clear()
        site.files(config("a"), config("b"))
        site.wait("b", lambda: site.live("ConfigMap", "b"))
        assert one.stop().code == 0


def _uninstall(plane: Plane) -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    name = "trainingsets.kubectl-trainjob.dev"
    plane.client.request("DELETE", f"{path}/{name}")
    plane.client.wait(
        "the definition is gone",
        lambda: name not in [one["metadata"]["name"] for one in plane.client.request("GET", path)["items"]],
    )


def test_a_finalizer_that_stays(site: Site) -> None:
    """A pruned object does not go away: nothing else waits for it for ever."""
    loop = Loop(site, prune=True, timeout="5s")
    loop.applied(config("a"), config("b"))
    site.plane.client.merge(site.live("ConfigMap", "b"), {"metadata": {"finalizers": ["example.com/stays"]}})
    for value in ("2", "3"):
        site.files(config("a", value))
        done = loop.once()
        assert (done.code, loop.condition()) == (1, ("False", "PruneFailed")), done.ended
        assert len(done.requests) < 60
        live = site.live("ConfigMap", "a")
        assert live
        assert live["data"] == {"key": value}
    site.plane.client.merge(site.live("ConfigMap", "b"), {"metadata": {"finalizers": None}})
    done = loop.once()
    assert (done.code, site.live("ConfigMap", "b")) == (0, None), done.ended
    assert loop.once().writes == []


def test_an_older_revision_after_a_newer_one(site: Site, tmp_path: Path) -> None:
    """What the directory has counts: the link goes back, and so do the objects."""
    loop = Loop(site, recreate="always", prune=True)
    link = tmp_path / "current"
    applied: list[str] = []
    for name, image in (("old", "1"), ("new", "2"), ("old", "1")):
        site.folder = tmp_path / name
        site.files(config("c", image), job("a", image=f"example.com/train:{image}"))
        link.unlink(missing_ok=True)
        link.symlink_to(site.folder)
        done = _once(site, link)
        assert done.code == 0, done.ended
        live = site.live("ConfigMap", "c")
        assert live
        assert live["data"] == {"key": image}
        applied.append(loop.status["lastAppliedRevision"])
        assert _once(site, link).writes == []
    assert [one.partition("@")[0] for one in applied] == ["old", "new", "old"]
    assert applied[0] == applied[2]


def _once(site: Site, link: Path) -> AppliedObject:
    return site.run("controller", "once", "--directory", f"jobs={link}")


@pytest.mark.parametrize("fault", [reset, html], ids=["no answer", "another page"])
def test_a_holder_that_only_loses_the_lease(site: Site, fault: Fault) -> None:
    """Its renewals get lost while all other requests arrive: another replica takes over, and it writes no more."""
    site.files(config("a"))
    loop = Loop(site, interval="1s")
    with replica(site) as first:
        site.wait("Ready", lambda: loop.is_ready)
        name = holder(site)
        with replica(site) as second:
            first.proxy.on("", "/leases", fault, times=10_000)
            site.wait("the second holds the Lease", lambda: holder(site) not in ("", name))
            before_files = len(first.writes)
            site.files(config("a"), config("b"))
            site.wait("b", lambda: site.live("ConfigMap", "b"))
            ended = first.program.end()
            assert (ended.code, "Traceback" in ended.err) == (3, False)
            assert "the Lease cannot be renewed: " in ended.err
            assert first.writes[before_files:] == []
            assert second.stop().code == 0


def _shaken(seed: int) -> Fault:
    """A watch that loses events, repeats old ones, and changes their order; it may end with a 410."""
    chance = random.Random(seed)
    seen: list[bytes] = []

    def fault(forward: Forward) -> Answer | None:
        found = forward()
        if found is None or found.status != 200:
            return found
        new = found.body.splitlines(keepends=True)
        seen.extend(new)
        mixed = [each for each in new if chance.random() < 0.7] + chance.sample(seen, min(len(seen), 3))
        chance.shuffle(mixed)
        if chance.random() < 0.2:
            mixed.append(json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": 410}}).encode())
        return found._replace(body=b"".join(mixed))

    return fault


def _each_seed(check: Callable[[Site, int], None], sites: Sequence[Site], seeds: Sequence[int]) -> None:
    """Check a scenario with each seed, some at the same time; a failure names its seed."""

    def failure(pair: tuple[Site, int]) -> str:
        try:
            check(*pair)
        except (AssertionError, TimeoutError) as error:
            return f"== seed {pair[1]}: {error}"
        return ""

    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        failures = list(pool.map(failure, zip(sites, seeds, strict=True)))
    report([each for each in failures if each], len(seeds))


def _seeds(count: int) -> list[int]:
    """As with the examples of Hypothesis, only the profile `search` draws new ones."""
    first = 0 if settings().derandomize else random.randrange(1_000_000)
    return list(range(first, first + count))


def test_stale_and_reordered_events(new_site: NewSite, note_figure: Callable[[str], None]) -> None:
    seeds = _seeds(8)
    note_figure(f"controller: events in another order, seeds {seeds[0]}-{seeds[-1]}")
    _each_seed(_follows, [new_site() for _ in seeds], seeds)


def _follows(site: Site, seed: int) -> None:
    site.files(config("a"), job("j"))
    with replica(site, *_ALONE) as one:
        one.proxy.on("GET", "watch=true", _shaken(seed), times=10_000)
        loop = Loop(site, interval="1h")
        for value in ("1", "2", "3"):
            site.files(config("a", value), job("j"))
            loop.merge({"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": value}}})
        site.wait("the last request", lambda: loop.status.get("lastHandledReconcileAt") == "3" and loop.is_ready)
        live = site.live("ConfigMap", "a")
        assert live
        assert live["data"] == {"key": "3"}
        assert _started(one.proxy.created) == ["j"]
        assert len(one.proxy.requests) < 400
        assert one.stop().code == 0


def test_random_faults(new_site: NewSite, note_figure: Callable[[str], None]) -> None:
    """Any request may fail in any way, and the loop may be killed: the next reconcile leads to the same state."""
    seeds = _seeds(_SEEDS)
    first = _place(new_site())
    world.prepare(first)
    assert first.apply().code == 0
    expected = world.state(first)
    note_figure(f"controller: random faults and kills, seeds {seeds[0]}-{seeds[-1]}")
    _each_seed(lambda site, seed: _survives(site, seed, expected), [_place(new_site()) for _ in seeds], seeds)


def _place(site: Site) -> LoopSite:
    return LoopSite(site.plane, site.namespace, site.folder, site.proxy)


def _survives(site: Site, seed: int, expected: Object) -> None:
    chance = random.Random(seed)
    stays = world.prepare(site)
    site.proxy.clear()
    faults = [fault for name, fault in ONCE.items() if name != "slow"]
    running = Future[Program]()
    left = chance.randrange(200)  # requests until it is killed; about half of the reconciles have so many

    def takes(_: Request) -> bool:
        nonlocal left
        left -= 1
        return left == 0 or chance.random() < _SHARE

    def fault(forward: Forward) -> Answer | None:
        if left > 0:
            return chance.choice(faults)(forward)
        running.result().kill()
        return None

    site.proxy.on("", "", fault, times=1000, only=takes)
    running.set_result(site.start(*site.command(*world.ARGUMENTS)))
    running.result().end()
    site.proxy.rules.clear()
    assert problem_after(site, stays, expected) == ""
