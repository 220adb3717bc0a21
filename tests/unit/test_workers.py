"""Work in several processes gives what one would give, or says why it cannot."""

import os
import signal

import pytest

from kubectl_trainjob.cli import workers
from kubectl_trainjob.model.faults import EnvironmentFault

ITEMS = 1000


@pytest.fixture(autouse=True)
def two_processes(monkeypatch):
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this platform forks no workers")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})


def _all(work, items, known=None):
    reported = []
    results = list(workers.in_chunks(work, items, known or {}, reported.append))
    assert items == []
    return [each for chunk in results for each in chunk], reported


def test_results_come_in_order_and_from_other_processes():
    found, reported = _all(lambda chunk: [(item, os.getpid()) for item in chunk], list(range(ITEMS)))
    assert [item for item, _ in found] == list(range(ITEMS))
    pids = {pid for _, pid in found}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert reported == sorted(reported)
    assert reported[-1] >= ITEMS


def test_what_both_sides_know_keeps_its_identity():
    shared = object()
    found, _ = _all(lambda chunk: [[shared] for _ in chunk], list(range(ITEMS)), {id(shared): shared})
    assert all(each[0] is shared for each in found)


def test_large_results_pass():
    found, _ = _all(lambda chunk: ["x" * 100_000 for _ in chunk], list(range(ITEMS)))
    assert [len(each) for each in found] == [100_000] * ITEMS


def test_a_bug_shows_its_traceback():
    def work(chunk):
        return [1 // (item - 700) for item in chunk]

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        _all(work, list(range(ITEMS)))


def test_a_killed_process_is_reported():
    def work(chunk):
        if 700 in chunk:
            os.kill(os.getpid(), signal.SIGKILL)
        return chunk

    with pytest.raises(EnvironmentFault, match="a worker process was killed"):
        _all(work, list(range(ITEMS)))


def test_an_interrupt_ends_all():
    def interrupt(_done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(workers.in_chunks(list, list(range(ITEMS)), {}, interrupt))
    with pytest.raises(ChildProcessError):  # nobody is left
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize(("items", "count"), [(499, 1), (500, 2), (8000, 2), (8001, 1)])
def test_how_many(items, count):
    assert workers.processes(items) == count
