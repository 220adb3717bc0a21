"""Every request of an apply fails once, in every way a server can: the result is that of an undisturbed apply."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.cluster.apply import world
from tests.cluster.apply.loop_site import LoopSite, as_way
from tests.cluster.apply.proxy import Fault, Request, answer, before, cut, lost, reset, slow
from tests.cluster.apply.site import Site

pytestmark = pytest.mark.cluster

WEBHOOK_DOWN = (
    'Internal error occurred: failed calling webhook "mjobset.kb.io": failed to call webhook: Post '
    '"https://127.0.0.1:1/mutate": dial tcp 127.0.0.1:1: connect: connection refused'
)
ONCE: dict[str, Fault] = {
    "429": answer(429, "too many requests"),
    "500": answer(500, "etcdserver: leader changed"),
    "webhook down": answer(500, WEBHOOK_DOWN),
    "503": answer(503, "the request has been made before all known HTTP paths have been installed"),
    "504": answer(504, "Timeout: request did not complete within the allotted timeout"),
    "reset": reset,
    "lost answer": lost,
    "cut answer": cut(20),
    "slow": slow(3),
    "401": answer(401, "Unauthorized"),
}

MOST_TRIES = 30
"""Of one request: only looks at an object that is being deleted are sent more than twice."""


def _fail_each_once(site: Site, fault: Fault, *, only_writes: bool) -> Counter[str]:
    """Let the first try of every request fail; the tries of each request."""
    tries: Counter[str] = Counter()

    def first_only(request: Request) -> bool:
        if only_writes and not request.is_write:
            return False
        key = f"{request.line} {request.query.get('labelSelector')}"
        tries[key] += 1
        return tries[key] == 1

    site.proxy.on("", "", fault, times=1 << 30, only=first_only)
    return tries


@pytest.mark.parametrize("way", [Site, LoopSite], ids=["apply", "controller"])
@pytest.mark.parametrize("name", ONCE)
def test_each_request_fails_once(site: Site, name: str, way: type[Site]) -> None:
    site = as_way(site, way)
    stays = world.prepare(site)
    site.proxy.clear()
    tries = _fail_each_once(site, ONCE[name], only_writes=name == "slow")
    timeout = "1s" if name == "slow" else "30s"
    done = site.apply(*world.ARGUMENTS, "--request-timeout", timeout)
    assert done.code == 0, done.ended
    if way is Site:
        assert done.results == world.EXPECTED
    assert world.orphans(site) == []
    assert max(tries.values()) <= MOST_TRIES
    site.proxy.clear()
    again = site.apply(*world.ARGUMENTS)
    assert (again.code, again.writes) == (0, []), again.ended
    assert {key: site.uid(*key.split("/")) for key in stays} == stays


def test_the_api_server_dies(site: Site) -> None:
    """It is killed at the first write of a run, and started again after the end of the command."""
    stays = world.prepare(site)
    site.proxy.on("PATCH", "/jobsets/", before(lambda: site.plane.stop("kube-apiserver")), only=lambda r: r.is_write)
    done = site.apply(*world.ARGUMENTS)
    site.plane.start("kube-apiserver")
    assert done.code == 1, done.ended
    assert "failed Unavailable" in done.results.values()
    assert "Traceback" not in done.ended.err
    site.wait("all kinds are served", lambda: site.apply(*world.ARGUMENTS).code == 0)
    again = site.apply(*world.ARGUMENTS)
    assert (again.code, again.writes) == (0, [])
    site.wait("the same objects", lambda: {key: site.uid(*key.split("/")) for key in stays} == stays)
