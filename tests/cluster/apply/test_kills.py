"""SIGKILL at every request of an apply and of a reconcile: no orphan, nothing foreign changes, nothing runs twice.

Before each request, and after each write while its answer is on the way. The next apply leads to the state of one that
was not killed, and the one after it writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from signal import SIGKILL
from typing import Any, NamedTuple

import pytest

from tests.cluster.apply import world
from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.loop_site import LoopSite, as_way
from tests.cluster.apply.program import Program
from tests.cluster.apply.proxy import Answer, Forward, Request
from tests.cluster.apply.site import Site
from tests.loops import report

pytestmark = pytest.mark.cluster

_SIDE_BY_SIDE = 4


class Kill(NamedTuple):
    """Before the n-th request, or after the n-th write."""

    number: int
    is_after_write: bool


@pytest.mark.parametrize("way", [Site, LoopSite], ids=["apply", "controller"])
def test_killed_at_every_request(new_site: NewSite, note_figure: Callable[[str], None], way: type[Site]) -> None:
    first = as_way(new_site(), way)
    world.prepare(first)
    done = first.apply(*world.ARGUMENTS)
    assert done.code == 0, done.ended
    if way is Site:
        assert done.results == world.EXPECTED
    kills = [Kill(number, False) for number in range(len(done.requests))]
    kills += [Kill(number, True) for number in range(len(done.writes))]
    expected = world.state(first)
    sites = [as_way(new_site(), way) for _ in kills]
    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        failures = list(pool.map(lambda pair: _problem(*pair, expected), zip(sites, kills, strict=True)))
    name = "apply" if way is Site else "controller"
    note_figure(f"{name}: killed at {len(done.requests)} requests, and after {len(done.writes)} writes")
    assert sum(not each.startswith("was not killed") for each in failures) >= 50
    report([each for each in failures if each and not each.startswith("was not killed")], len(kills))


def _problem(site: Site, kill: Kill, expected: Any) -> str:
    try:
        return _check(site, kill, expected)
    except (AssertionError, TimeoutError) as error:
        return f"== {kill}: {error}"


def _check(site: Site, kill: Kill, expected: Any) -> str:
    stays = world.prepare(site)
    site.proxy.clear()
    if not is_killed(site, kill, site.command(*world.ARGUMENTS)):
        return f"was not killed: {kill}"
    return problem_after(site, stays, expected)


def problem_after(site: Site, stays: dict[str, str], expected: Any) -> str:
    """What is wrong after an apply that ended in the middle, and one more that nothing disturbs: "" for nothing."""
    orphans = world.orphans(site)
    assert orphans == [], f"orphans: {orphans}"
    again = site.apply(*world.ARGUMENTS)
    assert again.code == 0, again.ended
    now = world.state(site)
    assert now == expected, _differences(now, expected)
    starts = [one.path.rpartition("/")[2] for one in site.proxy.created if "/jobsets/" in one.path]
    assert sorted(starts) == sorted(world.STARTED), starts
    third = site.apply(*world.ARGUMENTS)
    assert (third.code, third.writes) == (0, []), third.ended
    assert {key: site.uid(*key.split("/")) for key in stays} == stays
    return ""


def is_killed(
    site: Site, kill: Kill, command: Sequence[str], *, only: Callable[[Request], bool] = lambda _: True
) -> bool:
    """Run a command that is killed at one of some requests; False if it ends before."""
    running = Future[Program]()

    def fault(forward: Forward) -> Answer | None:
        if kill.is_after_write:
            forward()
        running.result().kill()
        return None

    def is_meant(request: Request) -> bool:
        return only(request) and (request.is_write or not kill.is_after_write)

    site.proxy.on("", "", fault, skip=kill.number, only=is_meant)
    running.set_result(site.start(*command))
    return running.result().end().code == -SIGKILL


def _differences(now: Any, expected: Any) -> str:
    """The parts of two states that differ."""
    parts = [
        f"{part} {key}: {now[part].get(key)} instead of {expected[part].get(key)}"
        for part in expected
        for key in {*now[part], *expected[part]}
        if now[part].get(key) != expected[part].get(key)
    ]
    return "\n".join(parts)
