"""A place whose files a TrainingSet applies, instead of `apply`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from kubectl_trainjob.integrations.files import content
from tests.cluster.apply.inputs import Object
from tests.cluster.apply.site import AppliedObject, Site
from tests.cluster.apply.test_rights import role
from tests.cluster.plane.plane import Plane

ACCOUNT = "kubectl-trainjob"
SOURCE = {"kind": "Directory", "name": "jobs"}


def install(plane: Plane) -> None:
    """Create the definition, also in place of another one, and wait until the server serves it."""
    body = yaml.safe_load(content("controller", "crd"))
    plane.client.apply(body, "test", force=True)
    plane.client.wait(
        "TrainingSets are served",
        lambda: plane.client.request("GET", "/apis/kubectl-trainjob.dev/v1alpha1/trainingsets") is not None,
    )


def training_set(site: Site, name: str, **spec: Any) -> Object:
    """A TrainingSet of the directory `jobs`; None removes a field."""
    every = {"sourceRef": SOURCE, "interval": "1m", **spec}
    return {
        "apiVersion": "kubectl-trainjob.dev/v1alpha1",
        "kind": "TrainingSet",
        "metadata": {"name": name, "namespace": site.namespace},
        "spec": {key: value for key, value in every.items() if value is not None},
    }


def grant(site: Site, rules: list[Object] | None = None, account: str = ACCOUNT, namespace: str = "") -> None:
    """Bind the Role of the manual to a service account, also for another namespace."""
    group = "rbac.authorization.k8s.io"
    head = {"name": account, "namespace": namespace or site.namespace}
    rules = role()["rules"] if rules is None else rules
    site.plane.client.create({"apiVersion": f"{group}/v1", "kind": "Role", "metadata": head, "rules": rules})
    binding = {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": head}
    reference = {"apiGroup": group, "kind": "Role", "name": account}
    subject = {"kind": "ServiceAccount", "name": account, "namespace": site.namespace}
    site.plane.client.create({**binding, "roleRef": reference, "subjects": [subject]})


class Loop:
    """A place whose TrainingSet `s` builds the files of the place."""

    def __init__(self, site: Site, *, granted: bool = True, **spec: Any) -> None:
        self.site = site
        if granted:
            grant(site)
        self.created = site.plane.client.create(training_set(site, "s", **spec))

    def once(self, *arguments: str) -> AppliedObject:
        """Reconcile one time."""
        self.site.proxy.clear()
        return self.site.run("controller", "once", "--directory", f"jobs={self.site.folder}", *arguments)

    def applied(self, *objects: Object) -> AppliedObject:
        """Write the files and reconcile; it must succeed."""
        self.site.files(*objects)
        done = self.once()
        assert done.code == 0, done.ended
        return done

    @property
    def live(self) -> Object:
        """The TrainingSet."""
        found: Object = self.site.plane.client.request("GET", self.site.plane.client.path(self.created))
        return found

    @property
    def status(self) -> Object:
        """Its status."""
        found: Object = self.live.get("status", {})
        return found

    def condition(self, kind: str = "Ready") -> tuple[str, str] | None:
        """Status and reason of a condition."""
        found = [one for one in self.status.get("conditions", []) if one["type"] == kind]
        return (found[0]["status"], found[0]["reason"]) if found else None

    @property
    def is_ready(self) -> bool:
        """Whether all is applied."""
        return self.condition() == ("True", "ReconciliationSucceeded")

    @property
    def message(self) -> str:
        """The message of condition Ready."""
        return next((one["message"] for one in self.status.get("conditions", []) if one["type"] == "Ready"), "")

    def merge(self, patch: Object) -> None:
        """Change the TrainingSet as a user does."""
        self.site.plane.client.merge(self.created, patch)

    def events(self) -> list[tuple[str, str]]:
        """Reason and note of each event, in any order."""
        path = f"/apis/events.k8s.io/v1/namespaces/{self.site.namespace}/events"
        found = self.site.plane.client.request("GET", path)["items"]
        uid = self.created["metadata"]["uid"]
        return [(one["reason"], one["note"]) for one in found if one["regarding"].get("uid") == uid]


@dataclass
class LoopSite(Site):
    """A `Site` where `controller once` applies the files, with prune; the parent is a TrainingSet."""

    def __post_init__(self) -> None:
        install(self.plane)
        self.loop = Loop(self, prune=True)

    def command(self, *arguments: str) -> tuple[str, ...]:
        """Of the arguments, only the timeout of requests is one of the controller."""
        start = arguments.index("--request-timeout") if "--request-timeout" in arguments else len(arguments)
        return ("controller", "once", "--directory", f"jobs={self.folder}", *arguments[start:])

    def applied(self, *objects: Object, arguments: tuple[str, ...] = ()) -> AppliedObject:
        """Write the files and reconcile; it must succeed."""
        self.files(*objects)
        done = self.apply(*arguments)
        assert done.code == 0, done.ended
        return done

    def entries(self, _name: str = "") -> dict[str, Object]:
        """The inventory, by `Kind/name`."""
        found = self.loop.status.get("inventory", {}).get("entries", [])
        return {"/".join(reversed(one["id"].split("_")[1::2])): one for one in found}

    def annotations(self, _name: str = "") -> dict[str, str]:
        """The annotations of the parent, without the common prefix."""
        notes = self.loop.live["metadata"].get("annotations", {})
        return {key.partition("/")[2]: value for key, value in notes.items()}


def as_way(site: Site, way: type[Site]) -> Site:
    """The place, for one of both ways."""
    return site if way is Site else LoopSite(site.plane, site.namespace, site.folder, site.proxy)
