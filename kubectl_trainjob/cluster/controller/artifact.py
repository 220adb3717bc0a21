"""Sources of Flux: an object of source.toolkit.fluxcd.io publishes an artifact, which is downloaded and unpacked."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.controller.archive import ArchiveError, unpack
from kubectl_trainjob.cluster.controller.download import Artifact, DownloadError, download
from kubectl_trainjob.cluster.controller.source import OpenSource, SourceError, SourceTree
from kubectl_trainjob.cluster.controller.training_set import REQUESTED_AT, TrainingSet
from kubectl_trainjob.cluster.controller.verdict import find_condition
from kubectl_trainjob.cluster.times import seconds_between
from kubectl_trainjob.model.stages import Body, ObjectId

FLUX_KINDS = ("GitRepository", "OCIRepository", "Bucket", "ExternalArtifact")
_API_VERSION = "source.toolkit.fluxcd.io/v1"


def flux_source(kind: str, namespace: str = "", name: str = "") -> ObjectId:
    """The identity of a source."""
    return ObjectId(_API_VERSION, kind, namespace, name)


def published(source: Body) -> Artifact | None:
    """The artifact of a source, None before it has one."""
    found = (source.get("status") or {}).get("artifact")
    if not found:
        return None
    return Artifact(
        found["url"], found.get("digest", ""), found["revision"], found.get("lastUpdateTime", ""), found.get("size", 0)
    )


def artifacts(parent: str | None) -> OpenSource:
    """Sources of Flux. Each is unpacked in a new directory below `parent`, None for the temporary one of the system."""

    @contextmanager
    def open_artifact(wanted: TrainingSet, api: Api) -> Iterator[SourceTree]:
        artifact = _newest(wanted, api)
        end = api.clock.monotonic() + wanted.timeout
        requested = artifact.time if _age(wanted, artifact) > 0 else ""
        directory = ""
        try:
            with _as_source_errors(requested):
                directory = os.path.realpath(tempfile.mkdtemp(prefix="kubectl-trainjob-", dir=parent))
                with tempfile.TemporaryFile(dir=directory) as archive:
                    download(artifact, archive, lambda: end - api.clock.monotonic())
                    archive.seek(0)
                    unpack(archive, directory)
            yield SourceTree(directory, artifact.revision, artifact.time, lambda: None)
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    return open_artifact


@contextmanager
def _as_source_errors(time: str) -> Iterator[None]:
    try:
        yield
    except DownloadError as error:
        raise SourceError(str(error), time=time) from None
    except ArchiveError as error:
        raise SourceError(f"the archive of the artifact is invalid: {error}", time=time) from None
    except OSError as error:
        raise SourceError(f"the artifact cannot be stored: {error.strerror}", time=time) from None


def _newest(wanted: TrainingSet, api: Api) -> Artifact:
    """The artifact that is to be applied."""
    kind, name, namespace = wanted.source
    shown = f"{kind} {namespace}/{name}"
    identity = flux_source(kind, namespace, name)
    if not api.has_kind(_API_VERSION, kind):
        raise SourceError(f"the cluster has no kind {kind} in {_API_VERSION}; install Flux")
    live = api.get(identity)
    if live is None:
        raise SourceError(f"{shown} does not exist")
    artifact = published(live)
    if artifact is None:
        why = find_condition(live.get("status") or {}, "Ready").get("message", "")
        raise SourceError(f"{shown} has no artifact yet" + (f": {why}" if why else ""))
    if _is_older(wanted, artifact):
        raise SourceError(
            f"{shown} went back to revision {artifact.revision}, which is older than the last one; "
            f"to apply it, set the annotation {REQUESTED_AT}"
        )
    return artifact


def _is_older(wanted: TrainingSet, artifact: Artifact) -> bool:
    """Whether the same spec was tried with a newer artifact, and no user requests this one."""
    status = wanted.status
    is_same = find_condition(status, "Ready").get("observedGeneration") == wanted.generation
    is_requested = wanted.requested_at not in ("", status.get("lastHandledReconcileAt"))
    return is_same and not is_requested and _age(wanted, artifact) > 0


def _age(wanted: TrainingSet, artifact: Artifact) -> float:
    """How many seconds an artifact is older than the last one."""
    return seconds_between(artifact.time, wanted.status.get("lastArtifactTime", ""))
