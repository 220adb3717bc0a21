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
from tests.cluster.apply.test_controller_run import Replica
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
    command = [require("kubectl"), f"--kubeconfig={plane.kubeconfig}", "apply", "-f", "-"]
    subprocess.run(command, input=content("controller", "install"), check=True, capture_output=True)
    plane.client.wait("the kind", lambda: plane.client.request("GET", "/apis/kubectl-trainjob.dev/v1alpha1"))


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
    account = content("controller", "account").decode()
    command = [require("kubectl"), f"--kubeconfig={site.plane.kubeconfig}", "-n", site.namespace, "apply", "-f", "-"]
    subprocess.run(command, input=account, text=True, check=True, capture_output=True)
    loop = Loop(site, granted=False, interval="1s")
    for kind in KINDS:
        reference = {"kind": kind, "name": "jobs"}
        site.plane.client.create(training_set(site, kind.lower(), sourceRef=reference, interval="1s"))
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
