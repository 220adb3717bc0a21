"""One scenario's place: a namespace, a folder with files, and a proxy between the tool and the API server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.cluster.apply import inputs
from tests.cluster.apply.inputs import Object
from tests.cluster.apply.program import Ended, Program
from tests.cluster.apply.proxy import FaultProxy, Request
from tests.cluster.canary import Canary
from tests.cluster.plane.client import ApiError
from tests.cluster.plane.plane import Plane

KINDS = {
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "TrainJob": "trainer.kubeflow.org/v1alpha1",
    "TrainingRuntime": "trainer.kubeflow.org/v1alpha1",
    "PodGroup": "scheduling.x-k8s.io/v1alpha1",
    "ConfigMap": "v1",
    "Secret": "v1",
    "Job": "batch/v1",
    "Pod": "v1",
    "Event": "v1",
}
SET = "kubectl-trainjob"


class AppliedObject(NamedTuple):
    """The end of an apply, and the requests that it sent."""

    ended: Ended
    requests: list[Request]

    @property
    def code(self) -> int:
        """The exit code."""
        return self.ended.code

    @property
    def document(self) -> Any:
        """What `-o json` printed."""
        assert self.ended.out, self.ended.err
        return json.loads(self.ended.out)

    @property
    def results(self) -> dict[str, str]:
        """`Kind/name` with action and reason."""
        return {
            f"{one['kind']}/{one['name']}": " ".join(filter(None, (one["action"], one.get("reason"))))
            for one in self.document["objects"]
        }

    @property
    def writes(self) -> list[str]:
        """The writes, in order."""
        return [one.line for one in self.requests if one.is_write]


@dataclass
class Site:
    """A namespace of its own on the plane."""

    plane: Plane
    namespace: str
    folder: Path
    proxy: FaultProxy

    def files(self, *objects: Object) -> None:
        """Write the repository."""
        inputs.write(self.folder, list(objects))

    def start(self, *arguments: str) -> Program:
        """Start the tool."""
        return Program(arguments, self.folder, {"KUBECONFIG": str(self.kubeconfig())})

    def run(self, *arguments: str) -> AppliedObject:
        """Run the tool to its end."""
        first = len(self.proxy.requests)
        ended = self.start(*arguments).end()
        return AppliedObject(ended, self.proxy.requests[first:])

    def command(self, *arguments: str) -> tuple[str, ...]:
        """The command line that applies the files."""
        return ("apply", "-o", "json", *arguments)

    def apply(self, *arguments: str) -> AppliedObject:
        """Apply the files."""
        return self.run(*self.command(*arguments))

    def applied(self, *objects: Object, arguments: tuple[str, ...] = ()) -> AppliedObject:
        """Write the files and apply them; it must succeed."""
        self.files(*objects)
        done = self.apply(*arguments)
        assert done.code == 0, done.ended
        return done

    def body(self, kind: str, name: str) -> Object:
        """The head of an object."""
        return {"apiVersion": KINDS[kind], "kind": kind, "metadata": {"name": name, "namespace": self.namespace}}

    def live(self, kind: str, name: str) -> Object | None:
        """A live object, None if there is none."""
        try:
            found: Object = self.plane.client.request("GET", self.plane.client.path(self.body(kind, name)))
        except ApiError as error:
            if error.status != 404:
                raise
            return None
        return found

    def uid(self, kind: str, name: str) -> str:
        """The uid of a live object, "" if there is none."""
        live = self.live(kind, name)
        return live["metadata"]["uid"] if live else ""

    def all(self, kind: str) -> dict[str, Object]:
        """All objects of a kind in the namespace, by name."""
        path = self.plane.client.path(self.body(kind, "x"), collection=True)
        return {one["metadata"]["name"]: one for one in self.plane.client.request("GET", path)["items"]}

    def delete(self, kind: str, name: str, policy: str = "Background") -> None:
        """Delete an object as a user does, and wait."""
        path = self.plane.client.path(self.body(kind, name))
        self.plane.client.request("DELETE", path, {"propagationPolicy": policy})
        self.wait(f"{kind} {name} is gone", lambda: self.live(kind, name) is None)

    def wait(self, what: str, ready: Callable[[], Any]) -> Any:
        """Wait until something is true."""
        return self.plane.client.wait(what, ready)

    def ended(self, name: str) -> None:
        """Wait until a JobSet is Completed."""
        self.wait(
            f"{name} is Completed", lambda: (self.live("JobSet", name) or {}).get("status", {}).get("terminalState")
        )

    def entries(self, name: str = SET) -> dict[str, Object]:
        """The inventory, by `Kind/name`."""
        parent = self.live("ConfigMap", name)
        if parent is None:
            return {}
        found = json.loads(parent["data"]["inventory"])["entries"]
        return {"/".join(reversed(one["id"].split("_")[1::2])): one for one in found}

    def annotations(self, name: str = SET) -> dict[str, str]:
        """The annotations of the parent, without the common prefix."""
        parent = self.live("ConfigMap", name)
        assert parent
        return {key.partition("/")[2]: value for key, value in parent["metadata"]["annotations"].items()}

    def kubeconfig(self) -> Path:
        """The administrator's, through the proxy."""
        file = self.folder.parent / f"{self.namespace}.kubeconfig"
        if not file.exists():
            self.proxy.kubeconfig(file, self.namespace)
        return file


@contextmanager
def open_site(plane: Plane, namespace: str, folder: Path) -> Iterator[Site]:
    """A new namespace and a proxy."""
    _wait_for_server(plane)
    plane.client.create_namespace(namespace)
    with FaultProxy(plane, canary=Canary(plane.settings.tokens.values())) as proxy:
        site = Site(plane, namespace, folder / namespace, proxy)
        yield site
        # A server that has just started lists no objects of a CRD before its cache is full (429).
        assert plane.client.wait("the objects", lambda: [leaks(site)]) == [[]]


def _wait_for_server(plane: Plane) -> None:
    """Idle connections are closed by the server; a new one is opened."""
    plane.client.wait("the server", lambda: plane.client.request("GET", "/readyz"))


def leaks(site: Site) -> list[str]:
    """What has a key, a token or a value of a Secret: outputs of the tool, requests for other objects, and those."""
    canary = site.proxy.canary
    for one in site.all("Secret").values():
        canary.learn(one)
    files = (file for end in ("out", "err") for file in site.folder.parent.glob(f"{site.namespace}.*.{end}"))
    objects = (json.dumps(one) for kind in KINDS if kind != "Secret" for one in site.all(kind).values())
    return canary.found([*(file.read_text() for file in files), *objects, *site.proxy.sent])
