"""`controller --shadow` beside the real Trainer: what it reports, and that it writes nothing but this."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from kubectl_trainjob.integrations.files import content
from tests.cluster.apply.inputs import RUNTIMES, Object, config, job, runtime
from tests.cluster.apply.loop_site import Loop, install
from tests.cluster.apply.site import AppliedObject, Site
from tests.cluster.apply.test_controller_run import replica
from tests.cluster.apply.test_deadlines import Run
from tests.cluster.plane.plane import Plane
from tests.tools import require

pytestmark = pytest.mark.cluster

ACCOUNT = "kubectl-trainjob-shadow"
_VERSIONS = ("v1", "v1alpha1", "v1alpha2", "v1beta1")  # of lists of kinds
_ROLES = [one for one in yaml.safe_load_all(content("controller", "shadow")) if one["kind"].endswith("Role")]


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)


class Shadow(Loop):
    """A place whose TrainingSet `s` compares the TrainJobs of the place, as the manual says."""

    def __init__(self, site: Site, **spec: Any) -> None:
        site.files()
        kubectl = [require("kubectl"), f"--kubeconfig={site.plane.kubeconfig}"]
        files = content("controller", "shadow")
        subprocess.run([*kubectl, "apply", "-n", site.namespace, "-f", "-"], input=files, check=True)
        bound = f"--serviceaccount={site.namespace}:{ACCOUNT}"
        command = ["create", "clusterrolebinding", f"shadow-{site.namespace}", f"--clusterrole={ACCOUNT}", bound]
        subprocess.run([*kubectl, *command], check=True)
        account = {"serviceAccountName": ACCOUNT, "sourceRef": {"kind": "TrainJobs"}}
        super().__init__(site, granted=False, **{**account, **spec})

    def once(self, *arguments: str) -> AppliedObject:
        """Compare one time: nothing but the status and events is written, and there are no dry runs."""
        done = super().once("--shadow", *arguments)
        check_only_reports(done.writes)
        assert [one.line for one in done.requests if one.is_dry_run] == []
        return done

    def create(self, *objects: Object) -> None:
        """Create objects as a user does, and wait until Trainer's webhook knows the runtimes."""
        client, head = self.site.plane.client, {"namespace": self.site.namespace}
        for one in objects:
            body = {**one, "metadata": {**head, **one["metadata"]}}
            self.site.wait(f"{one['metadata']['name']} is created", lambda body=body: client.create(body))

    def expanded(self, *jobs: Object) -> None:
        """Create TrainJobs, and wait until Trainer has created their JobSets."""
        self.create(*jobs)
        for one in jobs:
            name = one["metadata"]["name"]
            self.site.wait(f"the JobSet of {name}", lambda name=name: self.site.live("JobSet", name))

    @property
    def summary(self) -> Object:
        """The counts in the status."""
        found: Object = self.status.get("summary", {})
        return found


def check_only_reports(writes: list[str]) -> None:
    """All writes are of the status, of events and of Leases."""
    others = [one for one in writes if "/trainingsets/s/status" not in one and "/events" not in one]
    assert [one for one in others if "/leases" not in one] == []


@pytest.fixture
def shadow(site: Site) -> Shadow:
    made = Shadow(site)
    made.create(*RUNTIMES)
    return made


_JOBS = (
    job("plain"),
    job("gang", "gang", trainer={"numNodes": 3, "env": [{"name": "B", "value": "x"}]}),
    job("mpi", "mpi", trainer={"resourcesPerNode": {"limits": {"cpu": "1000m"}, "requests": {"cpu": 1}}}),
    job("flux", "flux", trainer={"numNodes": 2, "command": ["true"]}),
    job("waits", suspend=True, labels={"kueue.x-k8s.io/queue-name": "q"}),
)


def test_what_trainer_creates_is_equal(shadow: Shadow) -> None:
    shadow.expanded(*_JOBS)
    assert shadow.once().code == 0, shadow.message
    assert shadow.is_ready
    assert shadow.message == "Compared TrainJobs: 5 equal, 0 skipped"
    assert shadow.summary == {"equal": 5}
    assert shadow.status["observedGeneration"] == 1
    assert [one for one in shadow.status if one.startswith("last") or one == "inventory"] == []
    assert shadow.events() == [("ReconciliationSucceeded", shadow.message)]
    before = shadow.live
    again = shadow.once()
    assert (again.code, again.writes, shadow.live) == (0, [], before)


def _container(body: Object) -> Object:
    """The first container of a runtime."""
    (replicated,) = body["spec"]["template"]["spec"]["replicatedJobs"]
    found: Object = replicated["template"]["spec"]["template"]["spec"]["containers"][0]
    return found


_IMAGE = "spec.replicatedJobs[0].template.spec.template.spec.containers[0].image"


def test_a_changed_jobset_and_a_changed_runtime(shadow: Shadow) -> None:
    """Trainer leaves a JobSet that runs as it is. Names of fields and managers are reported, and no values."""
    site = shadow.site
    shadow.expanded(job("a"), job("b", "gang"))
    live = site.live("JobSet", "a")
    path = site.plane.client.path(live) + "?fieldManager=somebody"
    change = {"spec": {"ttlSecondsAfterFinished": 7}, "metadata": {"labels": {"team": "secret-value"}}}
    site.plane.client.request("PATCH", path, change, "application/merge-patch+json")
    assert shadow.once().code == 1
    assert shadow.condition() == ("False", "DifferenceFound")
    assert shadow.condition("Stalled") == ("True", "DifferenceFound")
    changed = "metadata.labels (owned by somebody), spec.ttlSecondsAfterFinished (owned by somebody)"
    assert shadow.message == f"JobSet/a differs in {changed}"
    assert shadow.summary == {"equal": 1, "different": 1}
    (event,) = shadow.events()
    assert event == ("DifferenceFound", shadow.message)
    assert shadow.once().writes == []
    upgraded = runtime("gang", policy="torch", gang=True)
    _container(upgraded)["image"] = "example.com/train:2"
    upgraded["metadata"]["namespace"] = site.namespace
    site.plane.client.merge(upgraded, {"spec": upgraded["spec"]})
    assert shadow.once().code == 1
    assert shadow.message == f"JobSet/a differs in {changed}; JobSet/b differs in {_IMAGE}"
    assert shadow.summary == {"different": 2}
    assert len(shadow.events()) == 2
    site.delete("TrainJob", "a")
    site.delete("TrainJob", "b")
    shadow.expanded(job("c", "gang"))
    assert shadow.once().code == 0, shadow.message
    assert shadow.condition("Stalled") is None


def test_templates_that_the_build_rejects(shadow: Shadow) -> None:
    """One that stops Trainer, and one whose JobSet exists, but whose Jobs the server rejects."""
    late = runtime("late")
    _container(late)["resources"] = {"requests": {"nvidia.com/gpu": 1}}
    shadow.create(late, job("crashes", "flux", trainer={"command": ["true"]}))
    shadow.expanded(job("gpu", "late"), job("fine"))
    assert shadow.once().code == 1
    assert shadow.condition("Stalled") == ("True", "BuildFailed")
    assert shadow.summary == {"equal": 1, "invalid": 2}
    first, second = shadow.message.split("; ")[::2]
    assert first == "TrainJob/crashes: spec.trainer: a Flux job without spec.trainer.numNodes crashes the controller"
    field = _IMAGE.replace("image", "resources")
    assert second.startswith(f"TrainingRuntime/late: spec.template.{field}"), second


def test_what_is_not_compared(shadow: Shadow) -> None:
    """TrainJobs of another controller, that are deleted, whose run is over, and new ones without a JobSet."""
    site = shadow.site
    shadow.create(job("elsewhere", managedBy="kueue.x-k8s.io/multikueue"))
    shadow.create(job("young", "flux", trainer={"numNodes": 2, "command": ["true"]}, managedBy=None))
    shadow.expanded(job("over", "ends"), job("leaves"))
    site.plane.client.merge(site.live("TrainJob", "leaves"), {"metadata": {"finalizers": ["example.com/stays"]}})
    site.plane.client.request("DELETE", site.plane.client.path(site.body("TrainJob", "leaves")))
    shadow.create(job("short", "short"))
    for name in ("over", "short"):
        site.wait(
            f"{name} is over",
            lambda name=name: any(
                one["type"] == "Complete"
                for one in (site.live("TrainJob", name) or {}).get("status", {}).get("conditions", [])
            ),
        )
    site.wait("the JobSet of short is gone", lambda: site.live("JobSet", "short") is None)
    site.wait("the JobSet of young", lambda: site.live("JobSet", "young"))
    assert shadow.once().code == 0, shadow.message
    assert shadow.summary == {"equal": 2, "skipped": 3}
    upgraded = runtime("ends", ends=True)
    upgraded["metadata"]["namespace"] = site.namespace
    upgraded["spec"]["template"]["spec"]["ttlSecondsAfterFinished"] = 3600
    site.plane.client.merge(upgraded, {"spec": upgraded["spec"]})
    assert shadow.once().code == 0, shadow.message
    assert shadow.summary == {"equal": 1, "skipped": 4}
    site.plane.client.merge(site.live("TrainJob", "leaves"), {"metadata": {"finalizers": []}})


def test_without_the_option_nothing_is_read(site: Site) -> None:
    shadow = Shadow(site)
    done = Loop.once(shadow)
    assert done.code == 1
    check_only_reports(done.writes)
    assert [one.line for one in done.requests if "Impersonate-User" in one.headers] == []
    assert shadow.condition("Stalled") == ("True", "ShadowOnly")
    assert "--shadow" in shadow.message


def test_other_sources_are_left_as_they_are(site: Site) -> None:
    """They may have been applied by another controller before: neither members nor the status change."""
    loop = Loop(site, prune=True)
    run = Run.started(loop)
    before = loop.live
    site.files(config("d"))
    done = loop.once("--shadow")
    assert (done.code, done.writes, done.ended.out) == (0, [], "")
    assert "--shadow leaves TrainingSets of other sources unchanged: s" in done.ended.err
    assert (loop.live, bool(site.live("ConfigMap", "c")), site.live("ConfigMap", "d")) == (before, True, None)
    assert run.exists


def test_each_right_is_needed(site: Site) -> None:
    """Without a right, the set is stalled, and the message has the resource."""
    shadow = Shadow(site)
    shadow.create(*RUNTIMES)
    shadow.expanded(job("m", "mpi"))
    done = shadow.once()
    assert done.code == 0, shadow.message
    used = used_rights(done, site.namespace)
    granted = {
        (one, verb) for role in _ROLES for rule in role["rules"] for one in rule["resources"] for verb in rule["verbs"]
    }
    assert used == granted
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{site.namespace}/roles/{ACCOUNT}"
    for resource in ("trainjobs", "jobsets"):
        rules = [
            {**rule, "resources": [one]} for role in _ROLES[:1] for rule in role["rules"] for one in rule["resources"]
        ]
        less = {"rules": [rule for rule in rules if rule["resources"] != [resource]]}
        site.plane.client.request("PATCH", path, less, "application/merge-patch+json")
        assert shadow.once().code == 1
        assert shadow.condition("Stalled") == ("True", "AccessDenied")
        assert resource in shadow.message


def used_rights(done: AppliedObject, namespace: str) -> set[tuple[str, str]]:
    """Resource and verb of the requests of the service account."""
    found = set()
    for one in done.requests:
        match = re.fullmatch(rf"/apis?/.*?/(?:namespaces/{namespace}/)?([a-z]+)(/[^/]+)?", one.path)
        if "Impersonate-User" in one.headers and match and match[1] not in _VERSIONS:
            assert one.method == "GET"
            found.add((match[1], "get" if match[2] else "list"))
    return found


def test_a_running_controller_beside_trainer(site: Site, trainer_lease: Callable[[int], None]) -> None:
    """Trainer's Lease does not stop it, and it writes only the status, events and its own Lease."""
    trainer_lease(0)
    with replica(site, "--shadow") as one:
        shadow = Shadow(site, interval="1s")
        shadow.create(*RUNTIMES)
        shadow.expanded(job("a"), job("m", "mpi"))
        site.wait("Ready", lambda: shadow.is_ready and shadow.summary == {"equal": 2})
        series = f'trainjob_compared_jobs{{namespace="{site.namespace}",name="s",result="equal"}} 2'
        site.wait("the metric", lambda: series in one.page("/metrics")[1])
        site.plane.client.merge(site.live("JobSet", "a"), {"spec": {"ttlSecondsAfterFinished": 7}})
        site.wait("the difference", lambda: shadow.condition() == ("False", "DifferenceFound"))
        site.wait("the metric", lambda: 'result="different"} 1' in one.page("/metrics")[1])
        assert one.stop().code == 0
        writes = [each.line for each in one.proxy.requests if each.is_write or each.is_dry_run]
    check_only_reports(writes)


def test_trainer_starts_between_two_reconciles(site: Site, trainer_lease: Callable[[int], None]) -> None:
    """A controller that applies stops to write at the next reconcile, and goes on when Trainer is gone."""
    site.files(job("a"))
    with replica(site, "--leader-elect=false") as one:
        loop = Loop(site, interval="1s")
        site.wait("Ready", lambda: loop.is_ready)
        trainer_lease(-600)
        site.wait("it stops", lambda: loop.condition("Stalled") == ("True", "TrainerActive"))
        site.files(job("a"), job("b"), config("c"))
        site.delete("JobSet", "a")
        first = len(one.proxy.requests)
        reads = lambda: [each for each in one.proxy.requests[first:] if "trainer.kubeflow.org" in each.path]  # noqa: E731
        site.wait("three more reconciles", lambda: len(reads()) >= 3)
        assert (site.all("JobSet"), site.live("ConfigMap", "c")) == ({}, None)
        trainer_lease(600)
        site.wait("Ready", lambda: loop.is_ready and site.live("JobSet", "b"))
        assert one.stop().code == 0
