"""Applies what we print the two ways that kubectl knows, and reports what the server keeps."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.cluster.inputs import Job
from tests.cluster.ownership import Object
from tests.cluster.plane.client import ApiError, Client
from tests.cluster.plane.plane import Plane

MANAGER = "kubectl-trainjob"
Key = tuple[str, str, str]  # namespace, kind, name
_KINDS = (
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    ("scheduling.x-k8s.io/v1alpha1", "PodGroup"),
    ("scheduling.volcano.sh/v1beta1", "PodGroup"),
    ("v1", "ConfigMap"),
)
# JobSet's webhook writes these on creation where they are absent; a client-side apply takes them out of lists again.
_WRITTEN_EMPTY = ("metadata", "resources")


def placed(job: Job, suffix: str = "") -> list[Object]:
    """What we print for a job, each in the job's namespace (with a suffix, so that two tests do not meet)."""
    return [
        {**one, "metadata": {**one["metadata"], "namespace": one["metadata"].get("namespace", job.target) + suffix}}
        for one in job.outcome.objects
    ]


def key_of(one: Object) -> Key:
    """What distinguishes objects of the kinds here."""
    return one["metadata"]["namespace"], one["kind"], one["metadata"]["name"]


def apply_twice(client: Client, one: Object) -> str:
    """Apply an object server-side twice; what is wrong with that, empty when the second changes nothing."""
    try:
        first = kept(client.apply(one, MANAGER))
        second = kept(client.apply(one, MANAGER))
    except ApiError as error:
        return f"{key_of(one)}: {error}"
    if first != second:
        return f"{key_of(one)}:\nfirst {json.dumps(first)}\nsecond {json.dumps(second)}"
    return ""


def kept(live: Object) -> Object:
    """A live object without what controllers write to its status, and when."""
    metadata = {key: value for key, value in live["metadata"].items() if key != "resourceVersion"}
    managers = [entry for entry in metadata.get("managedFields", []) if "subresource" not in entry]
    spec = {key: value for key, value in live.items() if key != "status"}
    return {**spec, "metadata": {**metadata, "managedFields": managers}}


def without_empties(value: Any) -> Any:
    """A live object without the empty mappings that the webhook writes, and without the traces of writing."""
    if isinstance(value, list):
        return [without_empties(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    reported = ("generation", "managedFields")
    chosen = {key: entry for key, entry in value.items() if key not in reported}
    return {key: without_empties(entry) for key, entry in chosen.items() if key not in _WRITTEN_EMPTY or entry != {}}


class Kubectl:
    """The real kubectl, client-side apply, on one file of objects."""

    def __init__(self, program: str, plane: Plane, folder: Path, objects: Iterable[Object]) -> None:
        self._command = [program, f"--kubeconfig={plane.kubeconfig}", f"--cache-dir={folder / 'cache'}"]
        self._client = plane.client
        listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self._keys = {key_of(one) for one in listed["items"]}
        self._file = folder / "objects.json"
        self._file.write_text(json.dumps(listed))

    def apply(self) -> dict[Key, Object]:
        """Apply the file and return what is live then."""
        done = self._run("apply", "-f", str(self._file))
        assert done.returncode == 0, done.stderr[-4000:]
        live = (kept(one) for version, kind in _KINDS for one in self._client.items(version, kind))
        return {key_of(one): one for one in live if key_of(one) in self._keys}

    def diff(self) -> str:
        """What `kubectl diff` prints; empty when it finds nothing."""
        done = self._run("diff", "-f", str(self._file))
        assert (done.returncode == 0) == (done.stdout == ""), done.stderr[-4000:]
        return done.stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self._command, *arguments], capture_output=True, text=True, check=False)
