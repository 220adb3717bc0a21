"""activeDeadlineSeconds where no Trainer runs, judged by the real JobSet controller: when the loop ends a run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.inputs import config, job
from tests.cluster.apply.loop_site import Loop, grant, install
from tests.cluster.apply.proxy import Answer, Forward, answer, before, lost
from tests.cluster.apply.site import AppliedObject, Site
from tests.cluster.apply.test_controller_run import replica
from tests.cluster.apply.test_kills import Kill, is_killed
from tests.cluster.apply.test_rights import role
from tests.cluster.plane.plane import Plane
from tests.loops import report

pytestmark = pytest.mark.cluster

_SECOND_LIST: dict[str, Any] = {"method": "GET", "pattern": r"/jobsets\?.*labelSelector", "skip": 1}


def _an_hour_slow(forward: Forward) -> Answer | None:
    found = forward()
    date = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)
    headers = [(name, date if name == "Date" else value) for name, value in found.headers] if found else []
    return found and found._replace(headers=headers)


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)


@dataclass
class Run:
    """The run `a` of the TrainingSet `s`, which has some seconds."""

    loop: Loop
    seconds: int

    @classmethod
    def started(cls, loop: Loop, seconds: int = 1, **more: Any) -> Run:
        """A run that is over its deadline, and that no reconcile has ended yet."""
        run = cls(loop, seconds)
        loop.site.files(job("a", activeDeadlineSeconds=seconds, **more), config("c"))
        done = run.once_earlier()
        assert (done.code, run.exists, run.ended) == (0, True, ""), done.ended
        run.wait_until_over()
        return run

    def once_earlier(self) -> AppliedObject:
        """Reconcile while the clock of the server is an hour slow: no deadline is over."""
        self.loop.site.proxy.on("", "", _an_hour_slow, times=10_000)
        done = self.once()
        self.loop.site.proxy.clear()
        return done

    def once(self) -> AppliedObject:
        """Reconcile, with the faults of the test."""
        return self.loop.site.run("controller", "once", "--directory", f"jobs={self.loop.site.folder}")

    @property
    def exists(self) -> bool:
        """Whether the JobSet exists and is not being deleted."""
        live = self.loop.site.live("JobSet", "a")
        return live is not None and not live["metadata"].get("deletionTimestamp")

    @property
    def ended(self) -> str:
        """Why the inventory says that it ended."""
        entries = {one["id"].split("_")[1]: one for one in self.loop.status["inventory"]["entries"]}
        return str(entries["a"].get("ended", ""))

    def change(self, patch: Any, part: str = "") -> None:
        """Change the JobSet as a user or a controller does."""
        client = self.loop.site.plane.client
        path = client.path(self.loop.site.body("JobSet", "a")) + part
        client.request("PATCH", path, patch, "application/merge-patch+json")

    def suspended(self) -> dict[str, Any]:
        """The condition that counts."""
        live = self.loop.site.live("JobSet", "a") or {}
        found = (one for one in live.get("status", {}).get("conditions", ()) if one["type"] == "Suspended")
        return next(found, {})

    def wait_until_over(self, start: str = "") -> None:
        """Wait until its time has passed since another one, or since its creation."""
        live = self.loop.site.live("JobSet", "a")
        assert live
        first = datetime.fromisoformat(start or live["metadata"]["creationTimestamp"])
        end = first + timedelta(seconds=self.seconds + 1)
        self.loop.site.wait("the deadline", lambda: datetime.now(UTC) > end)

    def is_ended(self) -> bool:
        """Whether a reconcile ends it, and the next one does nothing."""
        done = self.once()
        self.loop.site.wait("it is gone", lambda: self.loop.site.live("JobSet", "a") is None)
        again = self.once()
        assert (done.code, again.code, again.writes) == (0, 0, []), (done.ended, again.ended)
        return self.ended == "DeadlineExceeded"

    def state(self) -> tuple[str, str | None]:
        """What `status` says."""
        shown = self.loop.site.run("status", "a", "--applyset", "trainingset/s", "-o", "json").document["jobs"]
        return shown[0]["state"], shown[0].get("reason")


@pytest.fixture
def loop(site: Site) -> Loop:
    return Loop(site)


def test_the_time_counts_from_the_last_resume(loop: Loop) -> None:
    """Also before the JobSet controller has seen the resume."""
    run, site = Run.started(loop, 10), loop.site  # the resume must be seen before its time is over again
    assert site.run("suspend", "a").code == 0
    site.wait("suspended", lambda: run.suspended().get("status") == "True")
    run.once()
    assert (run.exists, run.ended) == (True, "")
    site.proxy.on(fault=before(lambda: run.change({"spec": {"suspend": False}})), **_SECOND_LIST)
    run.once()
    assert (run.exists, run.ended, site.proxy.rules[0].times) == (True, "", 0)
    site.wait("resumed", lambda: run.suspended().get("status") == "False")
    run.wait_until_over(run.suspended()["lastTransitionTime"])
    site.proxy.clear()
    assert run.is_ended()
    assert run.state() == ("Failed", "DeadlineExceeded")


_COMPLETED = {
    "type": "Completed",
    "status": "True",
    "reason": "AllJobsCompleted",
    "message": "jobset completed successfully",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


@pytest.mark.parametrize("is_killed_first", [False, True], ids=["at the delete", "after a kill"])
@pytest.mark.parametrize("what", ["ends", "suspended"])
def test_a_run_that_ends_or_is_suspended_meanwhile(loop: Loop, what: str, is_killed_first: bool) -> None:
    """Right before the delete, or after a kill at the delete: it is not one that was over its time."""
    run, site = Run.started(loop), loop.site

    def change() -> None:
        if what == "suspended":
            run.change({"spec": {"suspend": True}})
        else:
            run.change({"status": {"terminalState": "Completed", "conditions": [_COMPLETED]}}, "/status")

    if is_killed_first:
        assert is_killed(site, Kill(0, False), _command(loop), only=lambda one: one.method == "DELETE" and one.is_write)
        assert (run.exists, run.ended) == (True, "DeadlineExceeded")
        change()
        site.proxy.clear()
    else:
        site.proxy.on("DELETE", "/jobsets/a$", before(change))
    run.once()
    assert (run.exists, run.ended) == (True, "")
    assert run.state()[0] == {"ends": "Succeeded", "suspended": "Suspended"}[what]
    site.proxy.clear()
    assert run.once().writes == []


def test_the_answer_to_the_delete_is_lost(loop: Loop) -> None:
    """The repeated delete finds a run that is being deleted: it is the one that was over its time."""
    run, site = Run.started(loop), loop.site
    run.change({"metadata": {"finalizers": ["example.com/wait"]}})  # it is still there when the delete is repeated
    site.proxy.on("DELETE", "/jobsets/a$", lost, only=lambda one: one.is_write)
    done = run.once()
    deletes = [line for line in done.writes if line.startswith("DELETE")]
    assert (done.code, len(deletes), run.exists, run.ended) == (0, 2, False, "DeadlineExceeded"), done.ended
    assert "Failed" in {reason for reason, _ in loop.events()}
    run.change({"metadata": {"finalizers": None}})
    assert run.is_ended()
    assert run.state() == ("Failed", "DeadlineExceeded")


def test_another_apply_starts_the_run_again_before_the_delete(loop: Loop) -> None:
    """After the write of the reason: the new run goes on, and its entry has no reason."""
    run, site = Run.started(loop), loop.site
    arguments = ("apply", "--applyset", "trainingset/s", "--recreate", "always")

    def recreate() -> None:
        site.files(job("a", image="example.com/train:2", activeDeadlineSeconds=3600), config("c"))
        assert site.start(*arguments).end().code == 0

    uid = site.uid("JobSet", "a")
    site.proxy.on("DELETE", "/jobsets/a$", before(recreate), only=lambda one: one.is_write)
    assert run.once().code == 0
    assert (run.exists, run.ended, site.uid("JobSet", "a") != uid) == (True, "", True)
    entry = next(one for one in loop.status["inventory"]["entries"] if "_a_" in one["id"])
    assert (entry["uid"], entry["state"]) == (site.uid("JobSet", "a"), "started")
    site.proxy.clear()
    assert run.once().code == 0
    assert run.once().writes == []
    assert run.exists


def _command(loop: Loop) -> tuple[str, ...]:
    return ("controller", "once", "--directory", f"jobs={loop.site.folder}")


def test_another_deadline_in_the_files(loop: Loop) -> None:
    run = Run.started(loop)
    uid = loop.site.uid("JobSet", "a")
    loop.applied(job("a", activeDeadlineSeconds=3600), config("c"))
    assert (loop.site.uid("JobSet", "a"), run.exists, run.ended) == (uid, True, "")
    loop.site.files(job("a"), config("c"))
    assert run.once().code == 0
    assert run.exists
    loop.site.files(job("a", activeDeadlineSeconds=1), config("c"))
    assert run.is_ended()


def test_it_never_runs_again_unless_a_user_wants_that(loop: Loop) -> None:
    run = Run.started(loop, annotations={"kubectl-trainjob.dev/recreate": "when-terminal"})
    assert run.is_ended()
    site = loop.site
    site.files(job("a", activeDeadlineSeconds=3600), config("c"))
    assert run.once().code == 0
    assert (run.exists, run.ended) == (False, "DeadlineExceeded")
    arguments = ("apply", "--applyset", "trainingset/s", "--rerun", "a")
    again = site.start
    site.proxy.on(fault=before(lambda: again(*arguments).end()), **_SECOND_LIST)
    run.once()  # it has read the inventory before the user starts the run once more
    assert (run.exists, run.ended, site.proxy.rules[0].times) == (True, "", 0)
    assert run.state()[0] in ("Pending", "Running")
    site.proxy.clear()
    run.once()
    assert run.once().writes == []
    assert run.exists


def test_broken_files_and_a_disabled_reconcile(loop: Loop) -> None:
    """A deadline counts also while the files have errors; the loop leaves alone what a user names."""
    run, site = Run.started(loop), loop.site
    run.change({"metadata": {"annotations": {"kubectl-trainjob.dev/reconcile": "disabled"}}})
    assert (run.once().code, run.exists, run.ended) == (0, True, "")
    run.change({"metadata": {"annotations": {"kubectl-trainjob.dev/reconcile": None}}})
    site.files(job("a", "none"))
    assert run.once().code == 1
    assert loop.condition() == ("False", "BuildFailed")
    assert (run.exists, run.ended) == (False, "DeadlineExceeded")


def test_only_the_clock_of_the_server_counts(loop: Loop) -> None:
    run = Run.started(loop)
    assert (run.once_earlier().code, run.exists, run.ended) == (0, True, "")
    assert run.is_ended()


def test_without_the_right_to_delete(site: Site) -> None:
    rules = [
        {**rule, "verbs": [verb for verb in rule["verbs"] if verb != "delete"]}
        if rule["resources"] == ["jobsets"]
        else rule
        for rule in role()["rules"]
    ]
    grant(site, rules)
    loop = Loop(site, granted=False)
    run = Run.started(loop)
    assert run.once().code == 1
    assert loop.condition("Stalled") == ("True", "AccessDenied")
    assert 'cannot delete resource "jobsets"' in loop.message
    assert (run.exists, run.ended) == (True, "")
    again = run.once()
    assert (again.code, again.writes) == (1, [])


def test_several_at_once(loop: Loop) -> None:
    """Their reasons are one write, and a run that cannot be deleted does not keep the others."""
    site, names = loop.site, ["a", "b", "c", "d"]
    site.files(*(job(name, activeDeadlineSeconds=1) for name in names), config("c"))
    run = Run(loop, 1)
    assert run.once_earlier().code == 0
    run.wait_until_over(max(live["metadata"]["creationTimestamp"] for live in site.all("JobSet").values()))
    site.proxy.on("DELETE", r"/jobsets/a\b", answer(403), times=10)
    done = run.once()
    reasons = [line for line in done.writes if line.startswith("PATCH") and "trainingsets/s/status" in line]
    ends = [line for line in done.writes if line.startswith("DELETE")]
    assert (done.code, loop.condition("Stalled"), len(ends)) == (1, ("True", "AccessDenied"), 3), done.writes
    assert len(reasons) == 2, "the reasons, and the conditions"
    entries = {one["id"].split("_")[1]: one.get("ended") for one in loop.status["inventory"]["entries"]}
    assert [entries[name] for name in names] == [None] + ["DeadlineExceeded"] * 3
    site.proxy.clear()
    assert run.is_ended()


def test_the_loop_looks_in_time(site: Site) -> None:
    """A deadline that passes while the loop is stopped, and one while it waits for the next interval."""
    loop = Loop(site, interval="1h")
    run = Run.started(loop)
    with replica(site, "--leader-elect=false"):
        site.wait("the first is ended", lambda: not run.exists)
    site.files(job("b", activeDeadlineSeconds=10), config("c"))
    with replica(site, "--leader-elect=false"):
        site.wait("the second runs", lambda: site.live("JobSet", "b"))
        site.wait("the second is ended", lambda: site.live("JobSet", "b") is None)


def test_killed_at_every_request(new_site: NewSite, note_figure: Callable[[str], None]) -> None:
    """The run is ended once, and it never starts again."""
    first = Run.started(Loop(new_site()))
    done = first.once()
    assert (first.exists, first.ended) == (False, "DeadlineExceeded")
    assert len(done.writes) >= 3
    kills = [Kill(number, False) for number in range(len(done.requests))]
    kills += [Kill(number, True) for number in range(len(done.writes))]
    sites = [new_site() for _ in kills]
    with ThreadPoolExecutor(4) as pool:
        failures = list(pool.map(_problem_after, sites, kills))
    note_figure(f"deadlines: killed at {len(done.requests)} requests, and after {len(done.writes)} writes")
    report([each for each in failures if each], len(kills))


def _problem_after(site: Site, kill: Kill) -> str:
    try:
        run = Run.started(Loop(site))
        is_killed(site, kill, _command(run.loop))
        site.proxy.rules.clear()
        assert run.is_ended()
        assert run.state() == ("Failed", "DeadlineExceeded")
        assert [one.line for one in site.proxy.created if "/jobsets/" in one.path] == []
    except (AssertionError, TimeoutError) as error:
        return f"== {kill}: {error}"
    return ""
