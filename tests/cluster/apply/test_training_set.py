"""The definition of TrainingSets, as the API server understands it, and a TrainingSet as the parent of a set."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import yaml

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.connection import KubeConnection
from kubectl_trainjob.cluster.inventory import InventoryEntry
from kubectl_trainjob.cluster.login import ConnectionOptions
from kubectl_trainjob.cluster.parent import Parent, Update, update
from kubectl_trainjob.cluster.protocol import Clock
from kubectl_trainjob.cluster.stores import TrainingSetStore
from kubectl_trainjob.integrations.files import content
from kubectl_trainjob.model.faults import EnvironmentFault
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import SOURCE, Loop, grant, install, training_set
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_controller_run import replica
from tests.cluster.plane.client import ApiError
from tests.cluster.plane.plane import Plane
from tests.loops import for_each
from tests.tools import require

pytestmark = pytest.mark.cluster

CRD = "trainingsets.kubectl-trainjob.dev"
_ACCEPTED = (
    {"path": "overlays/prod", "interval": "1h30m", "retryInterval": "90s", "timeout": "10m", "suspend": True},
    {"path": "a..b/c.yaml", "prune": True, "serviceAccountName": "team-a.robot", "recreate": "when-terminal"},
    {"interval": "1.5s", "output": "Apply"},
    {"output": "ExternalArtifact"},
    {"sourceRef": {"kind": "GitRepository", "name": "a", "namespace": "flux-system"}},
    {"sourceRef": {"kind": "OCIRepository", "name": "a"}},
    {"sourceRef": {"kind": "Bucket", "name": "a"}},
    {"sourceRef": {"kind": "ExternalArtifact", "name": "a"}},
    {"sourceRef": {"kind": "TrainJobs"}, "serviceAccountName": "reader"},
)
_REJECTED = (
    ({"path": "../x"}, "must be below the root of the source"),
    ({"path": "a/../../x"}, "must be below the root of the source"),
    ({"path": "/etc"}, "must be below the root of the source"),
    ({"path": ""}, "at least 1 chars long"),
    ({"interval": "5"}, "should match"),
    ({"interval": "0s"}, "must be 1s or longer"),
    ({"interval": None}, "spec.interval: Required value"),
    ({"retryInterval": "10ms"}, "must be 1s or longer"),
    ({"timeout": "1d"}, "should match"),
    ({"timeout": "99999999999h"}, "spec.timeout"),
    ({"sourceRef": None}, "spec.sourceRef: Required value"),
    ({"sourceRef": {"kind": "Directory"}}, "set the name of the source"),
    ({"sourceRef": {"kind": "HelmChart", "name": "a"}}, "Unsupported value"),
    ({"sourceRef": {**SOURCE, "namespace": "other"}}, "a Directory has no namespace"),
    ({"sourceRef": {"kind": "TrainJobs", "name": "a"}}, "remove name and namespace"),
    ({"sourceRef": {"kind": "TrainJobs", "namespace": "a"}}, "remove name and namespace"),
    *(
        ({"sourceRef": {"kind": "TrainJobs"}, **more}, "TrainJobs are only compared")
        for more in ({"path": "a"}, {"prune": True}, {"output": "ExternalArtifact"}, {"recreate": "always"})
    ),
    ({"output": "Print"}, "Unsupported value"),
    ({"recreate": "sometimes"}, "Unsupported value"),
    ({"serviceAccountName": "Team A"}, "should match"),
    ({"prune": "yes"}, "must be of type boolean"),
    ({"intervall": "1m"}, 'unknown field "spec.intervall"'),
)


def _api(site: Site) -> Api:
    clock = Clock(time.monotonic, time.sleep, random.random)
    return Api(KubeConnection(ConnectionOptions(str(site.plane.kubeconfig))), clock, 30, 60)


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)


def test_the_server_accepts_the_definition(plane: Plane) -> None:
    live = plane.client.request("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{CRD}")
    conditions = {one["type"]: one["status"] for one in live["status"]["conditions"]}
    assert conditions.get("NonStructuralSchema", "False") == "False"
    assert (conditions["NamesAccepted"], conditions["Established"]) == ("True", "True")
    assert live["metadata"]["labels"]["applyset.kubernetes.io/is-parent-type"] == "true"


@for_each("spec", _ACCEPTED, at_least=9)
def test_accepted(site: Site, spec: Object) -> None:
    site.plane.client.create(training_set(site, "a", **spec), dry_run=True)


@for_each("case", _REJECTED, at_least=25)
def test_rejected(site: Site, case: tuple[Object, str]) -> None:
    with pytest.raises(ApiError) as error:
        site.plane.client.create(training_set(site, "a", **case[0]), dry_run=True)
    assert case[1] in str(error.value), error.value


def test_defaults(site: Site) -> None:
    made = site.plane.client.create(training_set(site, "a"), dry_run=True)
    assert made["spec"] == {
        "sourceRef": SOURCE, "interval": "1m", "path": ".", "timeout": "5m", "prune": False, "output": "Apply",
        "recreate": "never",
    }  # fmt: skip


def test_columns(site: Site) -> None:
    live = site.plane.client.create(training_set(site, "vision"))
    condition = {"type": "Ready", "status": "True", "reason": "A", "message": "Applied revision 1"}
    status = {"conditions": [{**condition, "lastTransitionTime": "2026-01-01T00:00:00Z"}], "lastAppliedRevision": "1"}
    path = site.plane.client.path(live) + "/status"
    site.plane.client.request("PATCH", path, {"status": status}, "application/merge-patch+json")
    command = [require("kubectl"), f"--kubeconfig={site.plane.kubeconfig}", "-n", site.namespace, "get", "tset"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed[0].split() == ["NAME", "AGE", "READY", "STATUS", "REVISION"]
    assert printed[1].split()[2:] == ["True", "Applied", "revision", "1", "1"]


def test_the_parent_of_a_set(site: Site) -> None:
    created = site.plane.client.create(training_set(site, "vision"))
    store = TrainingSetStore(_api(site), site.namespace, "vision")
    first = store.read()
    expected = Parent(created["metadata"]["resourceVersion"], created["metadata"]["uid"], namespaces=_only(site))
    assert first == replace(expected, is_complete=False)
    entry = InventoryEntry(f"{site.namespace}_a_jobset.x-k8s.io_JobSet", "v1alpha2", "", "0" * 16, "starting")
    change = Update(frozenset({"JobSet.jobset.x-k8s.io"}), frozenset({site.namespace, "other"}), {entry.id: entry})
    site.plane.client.merge(created, {"metadata": {"labels": {"team": "a"}}})
    written, _ = update(store, first, change)
    assert store.read() == written
    live = site.plane.client.request("GET", site.plane.client.path(created))
    assert live["metadata"]["labels"] == {"team": "a", "applyset.kubernetes.io/id": store.name.id}
    notes = {key.partition("/")[2]: value for key, value in live["metadata"]["annotations"].items()}
    assert notes["contains-group-kinds"] == "JobSet.jobset.x-k8s.io"
    assert notes["additional-namespaces"] == "other"
    assert live["status"]["inventory"]["entries"] == [
        {"id": entry.id, "v": "v1alpha2", "hash": "0" * 16, "state": "starting"}
    ]
    assert live["spec"]["interval"] == "1m"
    writes = store._api.counts.write
    assert update(store, written, change)[0] == written
    assert store._api.counts.write == writes
    without = replace(change, namespaces=frozenset(), gone_namespaces=frozenset({"other", site.namespace}))
    update(store, written, without)
    assert (store.read().namespaces, store.read().is_complete) == (_only(site), True)
    writes = store._api.counts.write
    update(store, store.read(), without)  # no member is in the namespace of the set
    assert store._api.counts.write == writes


def _only(site: Site) -> frozenset[str]:
    return frozenset({site.namespace})


def test_what_is_not_our_parent(site: Site) -> None:
    with pytest.raises(EnvironmentFault, match=r"TrainingSet .* does not exist"):
        TrainingSetStore(_api(site), site.namespace, "none").read()
    copied = training_set(site, "copied")
    copied["metadata"]["labels"] = {"applyset.kubernetes.io/id": "applyset-x-v1"}
    copied["metadata"]["annotations"] = {"applyset.kubernetes.io/tooling": "kubectl-trainjob/v1"}
    site.plane.client.create(copied)
    with pytest.raises(EnvironmentFault, match="the id of another set"):
        TrainingSetStore(_api(site), site.namespace, "copied").read()
    copied["metadata"]["annotations"] = {"applyset.kubernetes.io/tooling": "kubectl/v1.36.0"}
    site.plane.client.create({**copied, "metadata": {**copied["metadata"], "name": "foreign"}})
    with pytest.raises(EnvironmentFault, match="the parent of a set of kubectl"):
        TrainingSetStore(_api(site), site.namespace, "foreign").read()


@pytest.fixture
def old_definition(plane: Plane) -> Iterator[None]:
    """The definition of a version that keeps no kinds and namespaces in the status."""
    body = yaml.safe_load(content("controller", "crd"))
    inventory = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    for name in ("kinds", "namespaces"):
        del inventory["inventory"]["properties"][name]
    plane.client.apply(body, "test", force=True)  # another test may have installed it with kubectl apply
    yield
    install(plane)


@pytest.mark.usefixtures("old_definition")
def test_an_older_definition_is_named_once_and_a_steady_set_writes_nothing(site: Site) -> None:
    loop = Loop(site, interval="1s", prune=True)
    note = "note: the definition of TrainingSets is older than this controller"
    first = loop.applied(job("a"), config("c"))
    assert note in first.ended.err
    assert list(loop.status["inventory"]) == ["entries"], "the server drops the other two"
    rules = [{"apiGroups": ["kubectl-trainjob.dev"], "resources": ["trainingsets"], "verbs": ["get"]}]
    grant(site, [*rules, {"apiGroups": ["jobset.x-k8s.io"], "resources": ["jobsets"], "verbs": ["list"]}], "reader")
    reader = "--as", f"system:serviceaccount:{site.namespace}:reader"
    shown = site.run("status", "-n", site.namespace, "--applyset", "trainingset/s", *reader)
    assert (shown.code, "a " in shown.ended.out) == (0, True), shown.ended
    again = loop.once()
    assert (again.code, again.writes) == (0, [])
    with replica(site) as one:
        seen = 'result="success"} 3'
        site.wait("three reconciles", lambda: seen in one.page("/metrics")[1])
        ended = one.stop()
    assert (one.writes, ended.err.count(note)) == ([], 1), ended.err
    install(site.plane)
    site.wait("kinds are kept", lambda: loop.once().writes and "kinds" in loop.status["inventory"])
    assert loop.status["inventory"]["namespaces"] == [site.namespace]
    assert loop.once().writes == []
