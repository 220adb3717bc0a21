"""`output: ExternalArtifact` on the real API server: what is served, and what its object says."""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import Loop, install
from tests.cluster.apply.proxy import before
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_controller_run import replica
from tests.cluster.apply.test_flux_sources import install_flux
from tests.cluster.plane.client import ApiError
from tests.cluster.plane.plane import Plane

pytestmark = pytest.mark.cluster

_REQUEST = "reconcile.fluxcd.io/requestedAt"


@pytest.fixture(autouse=True)
def _installed(plane: Plane) -> None:
    install(plane)
    install_flux(plane)


@pytest.fixture
def loop(site: Site) -> Loop:
    return Loop(site, output="ExternalArtifact", interval="1h")


def _external(site: Site, name: str = "s") -> Object | None:
    path = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{site.namespace}/externalartifacts/{name}"
    try:
        found: Object = site.plane.client.request("GET", path)
    except ApiError as error:
        if error.status != 404:
            raise
        return None
    return found


def artifact_of(site: Site) -> Any:
    """The artifact of the ExternalArtifact, None before there is one."""
    return ((_external(site) or {}).get("status") or {}).get("artifact")


def get(url: str) -> bytes:
    """What is served."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=60) as response:
        found: bytes = response.read()
        return found


def _files(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        return {each.name: archive.extractfile(each).read() for each in archive}  # type: ignore[union-attr]


def _built(site: Site, to: Path) -> dict[str, bytes]:
    command = [sys.executable, "-m", "kubectl_trainjob", "build", "-O", str(to)]
    subprocess.run(command, cwd=site.folder, check=True, capture_output=True)
    found = {str(each.relative_to(to)): each.read_bytes() for each in to.rglob("*") if each.is_file()}
    return {name: data for name, data in found.items() if not Path(name).name.startswith(".")}


def _publish(loop: Loop, number: int, *objects: Object) -> None:
    """Write the files and ask for a reconcile; wait until it is done."""
    loop.site.files(*objects)
    loop.merge({"metadata": {"annotations": {_REQUEST: str(number)}}})
    loop.site.wait("done", lambda: loop.status.get("lastHandledReconcileAt") == str(number))


def test_what_is_served(loop: Loop, tmp_path: Path) -> None:
    site = loop.site
    site.files(job("a"), config("c"), job("m", "mpi"))
    with replica(site, "--leader-elect=false") as one:
        site.wait("published", lambda: loop.condition() == ("True", "ReconciliationSucceeded"))
        live = _external(site)
        assert live
        first = live["status"]["artifact"]
        data = get(first["url"])
        assert (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}") == (first["size"], first["digest"])
        assert first["revision"] == f"latest@sha256:{hashlib.sha256(gzip.decompress(data)).hexdigest()}"
        assert first["metadata"]["org.opencontainers.image.revision"] == loop.status["lastAppliedRevision"]
        assert _files(data) == _built(site, tmp_path / "built")
        assert live["spec"]["sourceRef"]["kind"] == "TrainingSet"
        assert site.all("JobSet") == {}
        for path in ("/", "/../a", f"/{site.namespace}/s/", first["path"].replace("/s/", "/../"), "/%2e%2e/x"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                get(f"http://127.0.0.1:{one.ports[2]}/{path.lstrip('/')}")
        (site.folder / "README.md").write_text("Nothing that is built.")
        _publish(loop, 1, job("a"), config("c"), job("m", "mpi"))
        second = artifact_of(site)
        assert {**second, "metadata": {}} == {**first, "metadata": {}}  # another commit of the same objects
        _publish(loop, 2, job("a"))
        third = artifact_of(site)
        assert third["revision"] != first["revision"]
        assert set(_files(get(third["url"]))) != set(_files(data))
        assert get(first["url"]) == data  # a reader may be at work
        _publish(loop, 3, config("c"))
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(first["url"])
        before = loop.live
        assert one.stop().code == 0
    _check_restart(loop, before)


def _check_restart(loop: Loop, before: Object) -> None:
    """The archive is served again, and nothing is written. It is removed with the set, long before the next list."""
    site = loop.site
    artifact = artifact_of(site)
    with replica(site, "--leader-elect=false") as one:
        path = artifact["path"]
        site.wait("served", lambda: is_served(f"http://127.0.0.1:{one.ports[2]}/{path}"))
        url = f"http://127.0.0.1:{one.ports[2]}/{path}"
        site.wait("another port", lambda: artifact_of(site) == {**artifact, "url": url})
        assert loop.status == before["status"]
        site.plane.client.request("DELETE", site.plane.client.path(loop.created))
        site.wait("deleted with the set", lambda: _external(site) is None)
        site.wait("no longer served", lambda: not is_served(url))


def is_served(url: str) -> bool:
    """Whether a controller runs that serves the URL."""
    try:
        return bool(get(url))
    except urllib.error.URLError:
        return False


def test_a_set_that_is_deleted_while_it_is_published(loop: Loop) -> None:
    """Its archive is stored after the end of the set, and removed."""
    site = loop.site
    site.files(config("a"))
    with replica(site, "--leader-elect=false") as one:
        site.wait("published", lambda: loop.is_ready)
        place = one.storage / "kubectl-trainjob-artifacts" / site.namespace / "s"
        first = set(place.iterdir())
        stored: list[Path] = []

        def delete() -> None:
            site.plane.client.request("DELETE", site.plane.client.path(loop.created))
            stored.extend(place.iterdir())

        one.proxy.on("PATCH", "/externalartifacts/s/status", before(delete))
        site.files(config("b"))
        loop.merge({"metadata": {"annotations": {_REQUEST: "1"}}})
        site.wait("no archive is left", lambda: stored and not place.exists())
        assert len(set(stored) - first) == 1
        assert "Traceback" not in one.stop().err


def test_invalid_and_empty_builds_keep_the_last_artifact(loop: Loop) -> None:
    site = loop.site
    site.files(job("a"))
    with replica(site, "--leader-elect=false"):
        site.wait("published", lambda: loop.condition() == ("True", "ReconciliationSucceeded"))
        first = artifact_of(site)
        for number, objects in enumerate(([job("a", "none")], [])):
            _publish(loop, number, *objects)
            assert loop.condition("Stalled") == ("True", "BuildFailed")
            assert artifact_of(site) == first
            assert is_served(first["url"])


def test_a_set_that_is_applied_again_serves_nothing(loop: Loop) -> None:
    """A Kustomization that was forgotten does not apply the last artifact for ever."""
    site = loop.site
    site.files(config("a"))
    with replica(site, "--leader-elect=false"):
        site.wait("published", lambda: loop.condition() == ("True", "ReconciliationSucceeded"))
        url = artifact_of(site)["url"]
        assert is_served(url)
        loop.merge({"spec": {"output": "Apply"}})
        site.wait("applied", lambda: site.live("ConfigMap", "a"))
        assert not is_served(url)


def test_an_artifact_of_another_producer_stays(site: Site) -> None:
    body = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "ExternalArtifact", "spec": {}}
    foreign = site.plane.client.create({**body, "metadata": {"name": "s", "namespace": site.namespace}})
    loop = Loop(site, output="ExternalArtifact")
    site.files(config("a"))
    with replica(site, "--leader-elect=false"):
        site.wait("blocked", lambda: loop.condition("Stalled") == ("True", "ConflictBlocked"))
    assert _external(site) == foreign


def test_once_serves_nothing(loop: Loop) -> None:
    loop.site.files(config("a"))
    assert loop.once().code == 1
    assert loop.condition() == ("False", "ReconciliationFailed")
    assert _external(loop.site) is None
