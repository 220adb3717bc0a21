"""Ctrl-C: exit code 130, no half result, and a last line that says what the command leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import Future

import pytest

from tests.cluster.apply import world
from tests.cluster.apply.inputs import config, job
from tests.cluster.apply.program import Ended, Program
from tests.cluster.apply.proxy import before
from tests.cluster.apply.site import Site

pytestmark = pytest.mark.cluster


def _interrupted(site: Site, method: str, pattern: str, *arguments: str, only_writes: bool = False) -> Ended:
    """The end of a command that gets SIGINT right before a request reaches the server."""
    running = Future[Program]()
    site.proxy.clear()
    interrupt = before(lambda: running.result().send(signal.SIGINT))
    site.proxy.on(method, pattern, interrupt, only=lambda one: one.is_write or not only_writes)
    running.set_result(site.start(*arguments))
    ended = running.result().end()
    assert "Traceback" not in ended.err
    return ended


@pytest.mark.parametrize(
    ("method", "pattern", "only_writes"),
    [
        ("GET", "/configmaps/world", False),
        ("PATCH", r"/jobsets/changes.*\(dry run\)", False),
        ("PATCH", "/configmaps/world", True),
        ("PATCH", "/configmaps/changes", True),
        ("DELETE", "/jobsets/again", True),
        ("POST", "/secrets", True),
        ("PATCH", "/jobsets/mpi", True),
    ],
)
def test_an_interrupted_apply(site: Site, method: str, pattern: str, only_writes: bool) -> None:
    stays = world.prepare(site)
    command = site.command(*world.ARGUMENTS)
    ended = _interrupted(site, method, pattern, *command, only_writes=only_writes)
    assert (ended.code, ended.out) == (130, ""), ended
    assert ended.err == "interrupted: not all objects may be applied; apply again to continue\n"
    site.proxy.clear()
    assert site.apply(*world.ARGUMENTS).code == 0
    assert world.orphans(site) == []
    assert site.apply(*world.ARGUMENTS).writes == []
    assert {key: site.uid(*key.split("/")) for key in stays} == stays


def test_an_interrupted_wait(site: Site) -> None:
    site.files(job("a"), config("c"))
    ended = _interrupted(site, "GET", r"/jobsets\?limit=500$", "apply", "--wait")
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == "interrupted: the objects are applied, and the runs go on\n"
    again = site.apply()
    assert (again.code, again.writes) == (0, [])


def test_an_interrupted_watch(site: Site) -> None:
    site.applied(job("a"))
    ended = _interrupted(site, "GET", "watch=true", "status", "--watch")
    assert ended.code == 130
    assert [line.split()[0] for line in ended.out.splitlines() if line][:2] == ["NAME", "a"]
    assert ended.out.endswith("\n")
    assert ended.err == ""


def test_a_result_that_cannot_be_written(site: Site) -> None:
    """Exit code 2 means that nothing was written to the cluster; kubectl ends with 1, too."""
    site.files(job("m", "mpi"))
    for command in (("secrets", "--create"), ("apply",), ("apply", "-o", "json"), ("suspend", "m"), ("resume", "m")):
        line = [sys.executable, "-m", "kubectl_trainjob", *command, "--kubeconfig", str(site.kubeconfig())]
        with open("/dev/full", "wb") as full:
            done = subprocess.run(line, cwd=site.folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        message = "error: the result could not be written: No space left on device\n"
        assert (done.returncode, done.stderr) == (1, message), command
    assert site.live("JobSet", "m")


def test_an_interrupt_before_the_first_answer(site: Site) -> None:
    site.files(config("c"))
    for command in (("status",), ("doctor",), ("logs", "a"), ("suspend", "a"), ("diff", "--live")):
        ended = _interrupted(site, "GET", "", *command)
        assert (ended.code, ended.out, ended.err) == (130, "", ""), command
