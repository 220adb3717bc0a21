"""`output: ExternalArtifact`: what a build prints is an archive, which the controller serves and Flux applies.

The archive has the files of `build -O`. Its revision is the digest of its content: a commit that changes no object
changes nothing in the cluster.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import tarfile
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.controller.artifact import flux_source
from kubectl_trainjob.cluster.controller.training_set import SetKey, TrainingSet
from kubectl_trainjob.cluster.controller.verdict import READY, Verdict, find_condition
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.stages import Body

_SUFFIX = ".tar.gz"
_PATH = re.compile(r"/([a-z0-9.-]+/[a-z0-9.-]+/[0-9a-f]{64}\.tar\.gz)")
_KEPT = 2  # a reader may still download the archive before the newest one


def empty_directory(path: str) -> str:
    """Create a directory, or remove what an earlier process left in it: the path. Raises EnvironmentFault."""
    shutil.rmtree(path, ignore_errors=True)
    try:
        os.makedirs(path, 0o700)
    except OSError as error:
        raise EnvironmentFault(f"{path}: {error.strerror}; use another --storage-path") from None
    return path


class ArchiveStore:
    """A directory with archives that only this process writes, and the address at which others find them.

    The directory is empty at first: each reconcile creates its archive again.
    """

    def __init__(self, directory: str, address: str) -> None:
        self._directory, self._address = directory, address

    def store(self, key: SetKey, data: bytes) -> str:
        """Keep an archive: its path in URLs. Raises EnvironmentFault."""
        place = os.path.join(self._directory, *key)
        name = f"{hashlib.sha256(data).hexdigest()}{_SUFFIX}"
        try:
            _write(place, name, data)
        except OSError as error:
            raise EnvironmentFault(f"the archive cannot be stored: {error.strerror}; check --storage-path") from None
        return "/".join((*key, name))

    def forget(self, key: SetKey) -> None:
        """Remove the archives of a TrainingSet."""
        shutil.rmtree(os.path.join(self._directory, *key), ignore_errors=True)

    def url(self, path: str) -> str:
        """The URL of a path."""
        return f"http://{self._address}/{path}"

    def find(self, path: str) -> str | None:
        """The file of the path of a URL, None if it is not served."""
        found = _PATH.fullmatch(path)
        file = os.path.join(self._directory, found[1]) if found else ""
        return file if found and ".." not in found[1].split("/") and os.path.isfile(file) else None


def _write(place: str, name: str, data: bytes) -> None:
    """Write an archive, or make it the newest one, and remove those that no reader needs."""
    path = os.path.join(place, name)
    os.makedirs(place, 0o700, exist_ok=True)
    if os.path.exists(path):
        os.utime(path)
        return
    try:
        with open(f"{path}.new", "wb") as file:
            file.write(data)
        os.rename(f"{path}.new", path)
    except OSError:
        with suppress(OSError):
            os.unlink(f"{path}.new")
        raise
    for each in sorted(os.scandir(place), key=lambda each: each.stat().st_mtime_ns)[:-_KEPT]:
        os.unlink(each.path)


class _Archive(NamedTuple):
    data: bytes
    revision: str


def publish(wanted: TrainingSet, files: Mapping[str, bytes], revision: str, api: Api, storage: ArchiveStore) -> Verdict:
    """Serve the files, and say so in an ExternalArtifact with the name of the TrainingSet. Raises ApiError."""
    identity = flux_source("ExternalArtifact", *wanted.key)
    live = api.get(identity)
    owner = _owner(wanted)
    if live and owner not in (live["metadata"].get("ownerReferences") or ()):
        return Verdict(
            "ConflictBlocked", f"{identity} is not of this TrainingSet; delete it, or rename the TrainingSet"
        )
    archive = _packed(files)
    artifact = _artifact(archive, revision, storage, storage.store(wanted.key, archive.data))
    if live is None:
        head = {"name": identity.name, "namespace": identity.namespace, "ownerReferences": [owner]}
        source = {each: owner[each] for each in ("apiVersion", "kind", "name")}
        spec = {"sourceRef": {**source, "namespace": identity.namespace}}
        live = api.create({"apiVersion": identity.api_version, "kind": identity.kind, "metadata": head, "spec": spec})
    _write_status(api, live, artifact)
    return Verdict(READY, f"Published artifact {archive.revision} of revision {revision}")


def _owner(wanted: TrainingSet) -> Body:
    identity = wanted.key.id
    head = {"apiVersion": identity.api_version, "kind": identity.kind, "name": identity.name, "uid": wanted.uid}
    return {**head, "controller": True, "blockOwnerDeletion": False}


def _artifact(archive: _Archive, revision: str, storage: ArchiveStore, path: str) -> Body:
    """The artifact without its time."""
    return {
        "url": storage.url(path),
        "path": path,
        "digest": f"sha256:{path.rpartition('/')[2].removesuffix(_SUFFIX)}",
        "revision": archive.revision,
        "size": len(archive.data),
        "metadata": {"org.opencontainers.image.revision": revision},
    }


def _write_status(api: Api, live: Body, artifact: Body) -> None:
    """Write the status, if it says something else."""
    status = live.get("status") or {}
    known = status.get("artifact") or {}
    time = known.get("lastUpdateTime", api.date) if known.get("digest") == artifact["digest"] else api.date
    ready = find_condition(status, "Ready")
    if known == {**artifact, "lastUpdateTime": time} and ready.get("status") == "True":
        return
    condition = {
        "type": "Ready",
        "status": "True",
        "reason": "Succeeded",
        "message": f"stored artifact {artifact['revision']}",
        "observedGeneration": live["metadata"]["generation"],
        "lastTransitionTime": ready["lastTransitionTime"] if ready.get("status") == "True" else api.date,
    }
    patch = {"status": {"artifact": {**artifact, "lastUpdateTime": time}, "conditions": [condition]}}
    metadata = live["metadata"]
    api.merge(flux_source(live["kind"], metadata["namespace"], metadata["name"]), patch, part="/status")


def _packed(files: Mapping[str, bytes]) -> _Archive:
    """The same files give the same bytes; the revision does not depend on the compression."""
    plain, packed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(files[path]), 0o644
            archive.addfile(entry, io.BytesIO(files[path]))
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
        file.write(plain.getvalue())
    return _Archive(packed.getvalue(), f"latest@sha256:{hashlib.sha256(plain.getvalue()).hexdigest()}")
