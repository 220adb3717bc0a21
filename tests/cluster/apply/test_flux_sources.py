"""TrainingSets of Flux's sources: real definitions, real archives over HTTP, and every way in which they fail."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.apply.conftest import NewSite
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import Loop, install
from tests.cluster.apply.proxy import answer
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_controller_run import count, replica
from tests.cluster.plane.client import ApiError
from tests.cluster.plane.plane import Plane
from tests.gitops import programs
from tests.gitops.artifacts import Artifacts, archive_of
from tests.tools import missing

pytestmark = pytest.mark.cluster

KINDS = ("GitRepository", "OCIRepository", "Bucket", "ExternalArtifact")
_REQUEST = "reconcile.fluxcd.io/requestedAt"


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)
    install_flux(plane)


def install_flux(plane: Plane) -> None:
    """Create Flux's definitions once."""
    if "crds/flux" in programs.lacking():
        missing("the definitions of Flux do not exist; run tests/gitops/build")
    try:
        plane.client.request("GET", "/apis/source.toolkit.fluxcd.io/v1")
    except ApiError:
        plane.install_crds(each for each in programs.crds("flux") if "source.toolkit" in each.name)


class FluxLoop(Loop):
    """A TrainingSet of a source of Flux, whose artifact is the folder of the place."""

    def __init__(self, site: Site, kind: str = "GitRepository", **spec: Any) -> None:
        site.folder.mkdir(parents=True, exist_ok=True)
        self.kind, self.artifacts = kind, Artifacts(site.plane.client, site.folder.parent / f"served-{site.namespace}")
        super().__init__(site, **{"sourceRef": {"kind": kind, "name": "jobs"}, **spec})

    def publish(self, *objects: Object, **changes: Any) -> str:
        """Publish files: the revision."""
        self.site.files(*objects)
        return self.publish_data(_packed(self.site.folder), **changes)

    def publish_data(self, data: bytes, **changes: Any) -> str:
        """Publish an archive."""
        self.artifacts.create(self.site.namespace, "jobs", self.kind)
        return self.artifacts.publish(self.site.namespace, "jobs", data, self.kind, **changes)

    @property
    def message(self) -> str:
        """The message of Ready."""
        return next((one["message"] for one in self.status["conditions"] if one["type"] == "Ready"), "")

    def failed(self) -> str:
        """Reconcile once; the artifact must be at fault, and nothing may be left on the disk: the message."""
        assert self.once().code == 1
        assert self.condition() == ("False", "ArtifactFailed"), self.status
        assert self.condition("Reconciling") == ("True", "ProgressingWithRetry")
        assert ("ArtifactFailed", self.message) in self.events()
        return self.message


def _packed(folder: Path) -> bytes:
    """A folder, packed by the program of Flux."""
    with tempfile.TemporaryDirectory() as out:
        command = [programs.path("flux"), "build", "artifact", "--path", str(folder), "--output", f"{out}/a.tgz"]
        subprocess.run(command, check=True, capture_output=True)
        return Path(out, "a.tgz").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_applies_an_artifact(site: Site, kind: str) -> None:
    loop = FluxLoop(site, kind)
    revision = loop.publish(job("a"), config("c"), revision="main@sha1:5f1c2d")
    assert loop.once().code == 0, loop.status
    assert loop.status["lastAppliedRevision"] == loop.status["lastAttemptedRevision"] == revision == "main@sha1:5f1c2d"
    assert loop.condition() == ("True", "ReconciliationSucceeded")
    assert site.live("JobSet", "a")
    again = loop.once()
    assert (again.code, again.writes) == (0, [])


def test_what_is_missing(site: Site) -> None:
    loop = FluxLoop(site)
    assert "does not exist" in loop.failed()
    loop.artifacts.create(site.namespace, "jobs", loop.kind)
    assert "has no artifact yet" in loop.failed()
    loop.artifacts.status(site.namespace, "jobs", loop.kind, "failed to checkout: authentication required")
    assert loop.failed().endswith("has no artifact yet: failed to checkout: authentication required")
    loop.artifacts.status(site.namespace, "jobs", loop.kind, "\u20ac" * 5000)
    assert len(loop.failed().encode()) <= 1024
    writes = loop.once().writes
    assert writes == []
    loop.publish(job("a"))
    assert loop.once().code == 0
    loop.artifacts.status(site.namespace, "jobs", loop.kind, "timed out", artifact=_artifact(loop))
    assert loop.once().writes == []  # the last artifact of a source that fails is still valid


def _artifact(loop: FluxLoop) -> Any:
    body = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": loop.kind}
    path = loop.site.plane.client.path({**body, "metadata": {"name": "jobs", "namespace": loop.site.namespace}})
    return loop.site.plane.client.request("GET", path)["status"]["artifact"]


def test_what_is_another_artifact(site: Site) -> None:
    """Nothing of it is applied, and what runs stays."""
    loop = FluxLoop(site, prune=True)
    loop.publish(job("a"))
    assert loop.once().code == 0
    size = len(archive_of({"a": b""}))
    cases = [
        ({"digest": "sha256:" + "0" * 64}, "the digest of the artifact is sha256:"),
        ({"digest": "sha512:" + "0" * 128}, "the digest of the artifact is sha512:"),
        ({"digest": "blake3:" + "0" * 64}, "is not supported; use sha256, sha384, sha512"),
        ({"size": size - 1}, "larger than its size says"),
        ({"size": 1 << 40}, "larger than 256 MiB"),
        ({"url": "http://127.0.0.1:1/a"}, "cannot be downloaded"),
        ({"url": "file:///etc/passwd"}, "not one of HTTP"),
    ]
    for number, (changes, message) in enumerate(cases):
        loop.publish_data(archive_of({"a": b""}), revision=f"r{number}", **changes)
        assert message in loop.failed()
    evil = io.BytesIO()
    with tarfile.open(fileobj=evil, mode="w:gz") as archive:
        link = tarfile.TarInfo("jobs")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(link)
    loop.publish_data(evil.getvalue())
    assert "the archive of the artifact is invalid: 'jobs' is neither a regular file" in loop.failed()
    loop.publish(job("a"), revision="gone")
    for served in loop.artifacts.folder.iterdir():
        served.unlink()
    assert "no longer exists (404)" in loop.failed()
    assert set(site.all("JobSet")) == {"a"}
    assert [each for each in Path(tempfile.gettempdir()).glob("kubectl-trainjob-*") if (each / "jobs").exists()] == []


def test_sha384(site: Site) -> None:
    import hashlib

    loop = FluxLoop(site)
    site.files(config("a"))
    data = _packed(site.folder)
    loop.publish_data(data, digest=f"sha384:{hashlib.sha384(data).hexdigest()}")
    assert loop.once().code == 0, loop.status


def test_a_link_in_the_artifact_and_a_path_above(site: Site) -> None:
    loop = FluxLoop(site, path="overlays/none")
    loop.publish(config("a"))
    assert loop.once().code == 1
    assert loop.condition() == ("False", "BuildFailed")
    assert "kubectl-trainjob-" not in loop.message  # the name of the private directory


def test_another_namespace(site: Site) -> None:
    loop = FluxLoop(site, sourceRef={"kind": "GitRepository", "name": "jobs", "namespace": "default"})
    assert loop.once().code == 1
    assert loop.condition("Stalled") == ("True", "AccessDenied")
    site.files(config("a"))
    loop.artifacts.create("default", "jobs", loop.kind)
    loop.artifacts.publish("default", "jobs", _packed(site.folder), loop.kind)
    assert loop.once("--no-cross-namespace-refs=false").code == 0
    assert site.live("ConfigMap", "a")


def test_an_older_revision_waits_for_a_request(site: Site) -> None:
    loop = FluxLoop(site)
    newest = loop.publish(config("a", "2"), revision="r2", lastUpdateTime="2026-01-02T00:00:00Z")
    assert loop.once().code == 0
    loop.publish(config("a", "1"), revision="r1", lastUpdateTime="2026-01-01T00:00:00Z")
    assert "went back to revision r1, which is older" in loop.failed()
    assert (loop.status["lastAppliedRevision"], loop.status["lastArtifactTime"]) == (newest, "2026-01-02T00:00:00Z")
    assert (site.live("ConfigMap", "a") or {})["data"] == {"key": "2"}
    loop.merge({"metadata": {"annotations": {_REQUEST: "now"}}})
    assert loop.once().code == 0
    assert (loop.status["lastAppliedRevision"], loop.status["lastArtifactTime"]) == ("r1", "2026-01-01T00:00:00Z")
    assert (site.live("ConfigMap", "a") or {})["data"] == {"key": "1"}
    assert loop.once().writes == []
    loop.merge({"metadata": {"annotations": {_REQUEST: None}}})
    loop.publish(config("a", "0"), revision="r0", lastUpdateTime="2025-01-01T00:00:00Z")
    assert "went back to revision r0, which is older" in loop.failed()


def test_a_requested_older_revision_is_tried_until_it_is_there(site: Site) -> None:
    """The server of the artifacts has it only at the second try."""
    loop = FluxLoop(site)
    loop.publish(config("a", "2"), revision="r2", lastUpdateTime="2026-01-02T00:00:00Z")
    assert loop.once().code == 0
    loop.publish(config("a", "1"), revision="r1", lastUpdateTime="2026-01-01T00:00:00Z")
    loop.merge({"metadata": {"annotations": {_REQUEST: "now"}}})
    served = {each: each.read_bytes() for each in loop.artifacts.folder.iterdir()}
    for each in served:
        each.unlink()
    assert "no longer exists (404)" in loop.failed()
    for each, data in served.items():
        each.write_bytes(data)
    assert loop.once().code == 0, loop.message
    assert loop.status["lastAppliedRevision"] == "r1"


def test_a_new_revision_is_applied_at_once(site: Site) -> None:
    """The interval is an hour: the watch of the source starts the reconcile."""
    loop = FluxLoop(site, interval="1h")
    with replica(site, "--leader-elect=false") as one:
        site.wait("no source", lambda: loop.condition() == ("False", "ArtifactFailed"))
        loop.publish(config("a"))
        site.wait("a", lambda: site.live("ConfigMap", "a"))
        loop.publish(config("b"))
        site.wait("b", lambda: site.live("ConfigMap", "b"))
        assert one.stop().code == 0


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_source_of_another_namespace_is_watched_if_it_is_allowed(new_site: NewSite, is_allowed: bool) -> None:
    """The controller watches the TrainingSets of one namespace only."""
    site, far = new_site(), new_site()
    loop = FluxLoop(
        site, interval="1h", sourceRef={"kind": "GitRepository", "name": "jobs", "namespace": far.namespace}
    )
    with replica(site, "--leader-elect=false", f"--no-cross-namespace-refs={str(not is_allowed).lower()}") as one:
        site.wait("no source", lambda: loop.condition("Ready"))
        site.files(config("a"))
        loop.artifacts.create(far.namespace, "jobs", loop.kind)
        loop.artifacts.publish(far.namespace, "jobs", _packed(site.folder), loop.kind)
        if is_allowed:
            site.wait("a", lambda: site.live("ConfigMap", "a"))
        watched = {each.path.split("/")[-2] for each in one.proxy.requests if each.path.endswith("/gitrepositories")}
        assert watched == ({far.namespace} if is_allowed else set())
        assert one.stop().code == 0


def test_a_missing_kind_is_looked_up_once_a_try(site: Site) -> None:
    """Flux is not installed: each new try of the watch, and each reconcile, sends one request for the kind."""
    path = "/apis/source.toolkit.fluxcd.io/v1"
    loop = FluxLoop(site, interval="1h")
    with replica(
        site, "--leader-elect=false", prepare=lambda proxy: proxy.on("GET", f"{path}$", answer(404), times=10_000)
    ) as one:
        site.wait("six tries", lambda: count(one, "trainjob_watch_restarts_total", "NotFound") >= 6)
        asked = len([each for each in one.proxy.requests if each.path == path])
        restarts = count(one, "trainjob_watch_restarts_total", "NotFound")
        assert asked <= restarts + count(one, "controller_runtime_reconcile_total", "error") + 3
        assert loop.condition() == ("False", "ArtifactFailed")
        assert [each.line for each in one.proxy.requests if each.path.endswith("/gitrepositories")] == []
        one.proxy.clear()
        loop.publish(config("a"))
        site.wait("a", lambda: site.live("ConfigMap", "a"))
        ended = one.stop()
    assert (ended.code, ended.err.count("cannot be listed")) == (0, 1), ended.err
