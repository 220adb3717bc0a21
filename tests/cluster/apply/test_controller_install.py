"""What `integrations controller` prints: the server accepts it, Pod Security too, and its rights are those in use."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import yaml

from kubectl_trainjob.integrations.files import content
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import Loop, training_set
from tests.cluster.apply.proxy import FaultProxy, Request
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_controller_run import Replica, replica
from tests.cluster.apply.test_flux_sources import KINDS, install_flux
from tests.cluster.apply.test_rights import role
from tests.cluster.plane.client import ApiError
from tests.cluster.plane.plane import Plane
from tests.tools import require

pytestmark = pytest.mark.cluster

SYSTEM, NAME = "kubectl-trainjob-system", "kubectl-trainjob-controller"
FILES = list(yaml.safe_load_all(content("controller", "install")))


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    """Install as the manual says."""
    _install(plane, content("controller", "install"))


def _install(plane: Plane, files: bytes) -> None:
    _kubectl(plane, "apply", "-f", "-", files=files)
    plane.client.wait("the kind", lambda: plane.client.request("GET", "/apis/kubectl-trainjob.dev/v1alpha1"))


def _kubectl(plane: Plane, *arguments: str, files: bytes | None = None) -> str:
    command = [require("kubectl"), f"--kubeconfig={plane.kubeconfig}", *arguments]
    done = subprocess.run(command, input=files, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def _pod() -> Object:
    [deployment] = [one for one in FILES if one["kind"] == "Deployment"]
    template = deployment["spec"]["template"]
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "controller", "namespace": SYSTEM}}
    spec = {key: value for key, value in template["spec"].items() if key != "serviceAccountName"}
    return {**head, "spec": spec}


def test_pod_security_accepts_the_pod(plane: Plane) -> None:
    plane.client.create(_pod(), dry_run=True)
    worse = _pod()
    worse["spec"]["containers"][0]["securityContext"].pop("allowPrivilegeEscalation")
    with pytest.raises(ApiError, match="violates PodSecurity"):
        plane.client.create(worse, dry_run=True)


def test_the_account_has_the_role_of_the_manual() -> None:
    files = list(yaml.safe_load_all(content("controller", "account")))
    assert [one["kind"] for one in files] == ["ServiceAccount", "Role", "RoleBinding"]
    assert files[1]["rules"] == role()["rules"]


def _token(plane: Plane) -> str:
    path = f"/api/v1/namespaces/{SYSTEM}/serviceaccounts/{NAME}/token"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    found: str = plane.client.request("POST", path, body)["status"]["token"]
    return found


class _Account(FaultProxy):
    """A proxy whose kubeconfig is that of the controller's service account."""

    def kubeconfig(self, file: Any, namespace: str) -> None:
        super().kubeconfig(file, namespace)
        document = json.loads(file.read_text())
        document["users"][0]["user"] = {"token": _token(self.plane)}
        file.write_text(json.dumps(document))


def _granted() -> set[tuple[str, str]]:
    rules = [rule for one in FILES if one["kind"] in ("ClusterRole", "Role") for rule in one["rules"]]
    return {(resource, verb) for rule in rules for resource in rule["resources"] for verb in rule["verbs"]}


def _used(requests: Iterable[Request]) -> Iterator[tuple[str, str]]:
    """Resource and verb of the requests of the controller itself."""
    for one in requests:
        if "Impersonate-User" in one.headers:
            yield "serviceaccounts", "impersonate"
        elif found := re.fullmatch(r"/apis?/[^/]+/[^/]+(?:/namespaces/[^/]+)?/([a-z]+)(/[^/]+)?(/status)?", one.path):
            kind = found[1] + (found[3] or "")
            read = "watch" if one.query.get("watch") else "get" if found[2] else "list"
            yield kind, {"GET": read, "POST": "create", "PATCH": "patch", "PUT": "update"}[one.method]


def test_the_rights_are_those_in_use(site: Site) -> None:
    """A running controller with its own token; the sets are written as the account of the namespace."""
    install_flux(site.plane)
    site.files(job("m", "mpi"), config("a"))
    _kubectl(site.plane, "-n", site.namespace, "apply", "-f", "-", files=content("controller", "account"))
    loop = Loop(site, granted=False, interval="1s")
    for kind in KINDS:
        reference = {"kind": kind, "name": "jobs"}
        site.plane.client.create(training_set(site, kind.lower(), sourceRef=reference, interval="1s"))
    site.plane.client.create(training_set(site, "published", output="ExternalArtifact"))
    with _Account(site.plane) as proxy:
        one = Replica(site, proxy, "-A", f"--lease-namespace={SYSTEM}", namespaced=False)
        try:
            site.wait("Ready", lambda: loop.condition() == ("True", "ReconciliationSucceeded"))
            site.wait("an event", loop.events)
            site.wait("all rights are used", lambda: set(_used(list(proxy.requests))) >= _granted())
            assert one.stop().code == 0
        finally:
            one.program.kill()
        used = set(_used(proxy.requests))
        assert used == _granted()
        denied = [
            each.line for each in proxy.requests if "Impersonate-User" not in each.headers and "secrets" in each.path
        ]
        assert denied == []


def _newer() -> bytes:
    """The files of a newer version: one more field of TrainingSets, and another image."""
    files: list[Any] = list(yaml.safe_load_all(content("controller", "install")))
    for one in files:
        if one["kind"] == "CustomResourceDefinition":
            schema = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
            schema["properties"]["spec"]["properties"]["new"] = {"type": "string", "default": "a"}
        if one["kind"] == "Deployment":
            one["spec"]["template"]["spec"]["containers"][0]["image"] = "example.com/kubectl-trainjob:newer"
    return yaml.safe_dump_all(files).encode()


def test_an_upgrade_changes_no_object(site: Site) -> None:
    """The files of a newer version are applied over a running controller, which is then replaced."""
    site.files(job("a"), job("m", "mpi"), config("c"))
    loop = Loop(site, interval="1s", prune=True)
    with replica(site) as one:
        site.wait("Ready", lambda: loop.is_ready)
        uids = _uids(site)
        _install(site.plane, _newer())
        site.wait("the new field", lambda: loop.live["spec"].get("new") == "a")
        assert one.stop().code == 0
    with replica(site) as two:
        site.wait("the probe", lambda: two.page("/readyz")[0] == 200)
        site.wait("reconciles", lambda: 'result="success"' in two.page("/metrics")[1])
        assert two.stop().code == 0
        assert [line for line in two.writes if "/trainingsets" not in line and "/events" not in line] == []
    assert (loop.is_ready, _uids(site)) == (True, uids)
    _install(site.plane, content("controller", "install"))


def _uids(site: Site) -> dict[str, str]:
    kinds = ("JobSet", "ConfigMap", "Secret")
    return {f"{kind}/{name}": one["metadata"]["uid"] for kind in kinds for name, one in site.all(kind).items()}


def test_removal_ends_no_run(site: Site) -> None:
    """The three commands of the manual: all objects stay, and a new installation takes them back."""
    site.files(job("a"), job("m", "mpi"), config("c"))
    loop = Loop(site, prune=True)
    assert loop.once().code == 0
    uids, path = _uids(site), f"/api/v1/namespaces/{SYSTEM}"
    _kubectl(site.plane, "delete", "deployment", "-n", SYSTEM, NAME)
    assert _uids(site) == uids
    _kubectl(site.plane, "delete", "tset", "-A", "--all")
    assert _uids(site) == uids
    _kubectl(
        site.plane, "delete", "--ignore-not-found", "--wait=false", "-f", "-", files=content("controller", "install")
    )
    namespace = site.plane.client.request("GET", path)  # no controller of namespaces runs here
    site.plane.client.request("PUT", f"{path}/finalize", {**namespace, "spec": {"finalizers": []}})
    site.wait("the definition is gone", lambda: "tset" not in _kubectl(site.plane, "api-resources"))
    assert _uids(site) == uids
    _install(site.plane, content("controller", "install"))
    loop = Loop(site, granted=False, prune=True)
    assert loop.once().code == 0
    assert _uids(site) == uids
    assert loop.once().writes == []
