"""Secrets: made once, as Trainer makes them, accepted by the programs that read them, and never shown."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.apply import world
from tests.cluster.apply.inputs import Object, job
from tests.cluster.apply.proxy import answer
from tests.cluster.apply.site import SET, Site, leaks
from tests.tools import require

pytestmark = pytest.mark.cluster

SSH, CURVE = "m-mpi-ssh-auth", "f-flux-curve"
FILES = (job("m", "mpi"), job("f", "flux", trainer={"numNodes": 2, "command": ["true"]}))


def content(secret: Object) -> dict[str, bytes]:
    """The decoded data."""
    return {key: base64.b64decode(value) for key, value in secret["data"].items()}


def secret(site: Site, name: str) -> Object:
    """A live Secret."""
    found = site.live("Secret", name)
    assert found
    return found


def test_keys_of_mpi_as_trainer_makes_them(site: Site, tmp_path: Path) -> None:
    site.applied(*FILES)
    live = secret(site, SSH)
    assert (live["type"], live["immutable"]) == ("kubernetes.io/ssh-auth", True)
    assert "ownerReferences" not in live["metadata"]
    theirs = _of_trainer(site)
    assert (theirs["type"], theirs["immutable"], set(theirs["data"])) == (live["type"], True, set(live["data"]))
    ours_and_theirs = [
        _described(content(each), tmp_path / name) for name, each in (("ours", live), ("theirs", theirs))
    ]
    assert ours_and_theirs[0] == ours_and_theirs[1]
    assert ours_and_theirs[0][0].startswith("521 ")


def _of_trainer(site: Site) -> Object:
    """The Secret that the real Trainer makes."""
    from tests.cluster.apply.inputs import runtime

    own = {**runtime("mpi", policy="mpi"), "metadata": {"name": "mpi", "namespace": site.namespace}}
    theirs = {**job("t", "mpi", suspend=True), "metadata": {"name": "t", "namespace": site.namespace}}
    site.plane.client.create(own)
    site.wait("its webhook knows the runtime", lambda: site.plane.client.create(theirs))
    found: Object = site.wait("its Secret", lambda: site.live("Secret", "t-mpi-ssh-auth"))
    return found


def _described(data: dict[str, bytes], folder: Path) -> tuple[str, str]:
    """Size and type of a key in the words of ssh-keygen, and the first line of its file; the halves fit together."""
    folder.mkdir()
    private = folder / "id"
    private.touch(0o600)
    private.write_bytes(data["ssh-privatekey"])
    public = _ssh_keygen("-y", "-f", str(private))
    assert public.split()[:2] == data["ssh-publickey"].decode().split()[:2]
    assert data["ssh-publickey"].endswith(b"\n")
    size, _, *_, kind = _ssh_keygen("-l", "-f", str(private)).split()
    return f"{size} {kind}", data["ssh-privatekey"].decode().splitlines()[0]


def _ssh_keygen(*arguments: str) -> str:
    done = subprocess.run([require("ssh-keygen"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_certificate_of_flux(site: Site) -> None:
    """Its keys fit together: checked with OpenSSL and another Z85."""
    site.applied(*FILES)
    live = secret(site, CURVE)
    assert (live["type"], live["immutable"], set(live["data"])) == ("Opaque", True, {"curve.cert"})
    text = content(live)["curve.cert"].decode()
    assert re.search(r'^metadata\n    name = "f"\ncurve\n    public-key = "', text, re.M)
    public, private = (re.search(rf'^    {half}-key = "(.{{40}})"$', text, re.M) for half in ("public", "secret"))
    assert public
    assert private
    assert _public_of(_from_z85(private[1])) == _from_z85(public[1])
    volumes = secret_volumes(site, "f")
    assert CURVE in volumes


def secret_volumes(site: Site, name: str) -> list[str]:
    """The Secrets that the Pods of a JobSet mount."""
    live = site.live("JobSet", name)
    assert live
    pods = [one["template"]["spec"]["template"]["spec"] for one in live["spec"]["replicatedJobs"]]
    return [each["secret"]["secretName"] for pod in pods for each in pod.get("volumes", []) if "secret" in each]


def _from_z85(text: str) -> bytes:
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    found = b""
    for start in range(0, len(text), 5):
        value = 0
        for character in text[start : start + 5]:
            value = value * 85 + alphabet.index(character)
        found += value.to_bytes(4, "big")
    return found


def _public_of(private: bytes) -> bytes:
    """The public key, computed by OpenSSL: the last bytes of its DER form."""
    head = bytes.fromhex("302e020100300506032b656e04220420")  # PKCS 8, X25519 (RFC 8410)
    command = ["openssl", "pkey", "-inform", "DER", "-pubout", "-outform", "DER"]
    return subprocess.run(command, input=head + private, capture_output=True, check=True).stdout[-32:]


def test_a_secret_is_made_once(site: Site) -> None:
    first = site.applied(*FILES)
    assert first.results[f"Secret/{SSH}"] == "created"
    before = {name: secret(site, name)["metadata"]["resourceVersion"] for name in (SSH, CURVE)}
    again = site.applied(job("m", "mpi", image="example.com/train:2"), FILES[1], arguments=("--recreate", "always"))
    assert (again.results[f"Secret/{SSH}"], again.results["JobSet/m"]) == ("unchanged", "recreated Frozen")
    assert {name: secret(site, name)["metadata"]["resourceVersion"] for name in before} == before
    reads = [one for one in [*first.requests, *again.requests] if one.method == "GET" and "/secrets" in one.path]
    assert reads
    assert all("PartialObjectMetadata" in one.headers["Accept"] and one.path.count("/") == 6 for one in reads)


def test_a_secret_of_another_user_is_used(site: Site) -> None:
    theirs = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SSH, "namespace": site.namespace}}
    site.plane.client.create({**theirs, "stringData": {"ssh-privatekey": "x"}})
    done = site.applied(*FILES)
    assert done.results[f"Secret/{SSH}"] == "unchanged"
    assert f"Secret/{SSH}" not in site.entries()
    assert site.applied(*FILES).writes == []
    site.files(FILES[1])
    done = site.apply("--applyset", SET, "--prune", "--prune-running", "--prune-many")
    assert done.results["JobSet/m"] == "pruned"
    assert site.live("Secret", SSH)


def test_a_pruned_job_takes_its_secret_along(site: Site) -> None:
    site.applied(*FILES)
    site.files(FILES[1])
    done = site.apply("--applyset", SET, "--prune", "--prune-running")
    assert (done.code, done.results[f"Secret/{SSH}"]) == (0, "pruned")
    assert site.live("Secret", SSH) is None
    assert f"Secret/{SSH}" not in site.entries()


def test_no_secret_for_a_run_that_is_rejected(site: Site) -> None:
    site.plane.client.create({**world.jobset("m"), "metadata": {"name": "m", "namespace": site.namespace}})
    site.files(*FILES)
    done = site.apply()
    assert (done.results["JobSet/m"], done.results[f"Secret/{SSH}"]) == ("refused NotOurs", "skipped WithRun")
    assert site.live("Secret", SSH) is None


def test_a_secret_in_the_files(site: Site) -> None:
    """A user's own Secret is applied like any other object."""
    one: Object = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "own"}, "data": {"key": "YQ=="}}
    assert site.applied(one).results == {"Secret/own": "created"}
    assert site.applied(one).writes == []
    one["data"]["key"] = "Yg=="
    assert site.applied(one).results == {"Secret/own": "configured"}
    assert secret(site, "own")["data"] == {"key": "Yg=="}
    assert site.applied(one).writes == []


def test_the_command_secrets(site: Site) -> None:
    site.files(*FILES)
    listed = site.run("secrets")
    assert (listed.code, listed.requests) == (0, [])
    assert listed.ended.out == (
        f"secret/{CURVE} with curve.cert for trainjob/f (jobs/001.yaml:5)\n"
        f"secret/{SSH} with ssh-privatekey, ssh-publickey for trainjob/m (jobs/000.yaml:5)\n"
    )
    printed = site.run("secrets", "-o", "yaml", "-n", site.namespace)
    documents = {one["metadata"]["name"]: one for one in yaml.safe_load_all(printed.ended.out)}
    assert set(documents) == {SSH, CURVE}
    assert all(one["immutable"] and "managedFields" not in one["metadata"] for one in documents.values())
    for one in documents.values():
        site.plane.client.create(one, dry_run=True)
    assert len(json.loads(site.run("secrets", "-o", "json").ended.out)["items"]) == 2
    created = site.run("secrets", "--create")
    assert (created.code, created.ended.out) == (0, f"secret/{CURVE} created\nsecret/{SSH} created\n")
    again = site.run("secrets", "--create")
    assert (again.code, again.ended.out) == (0, f"secret/{CURVE} unchanged\nsecret/{SSH} unchanged\n")
    assert again.writes == []
    assert world_kinds(site) == "Secret"
    done = site.apply()
    assert (done.code, done.results[f"Secret/{SSH}"], done.results["JobSet/m"]) == (0, "unchanged", "created")


def world_kinds(site: Site) -> str:
    """The kinds that the parent names."""
    return site.annotations()["contains-group-kinds"]


def test_secrets_of_other_runs_under_name_hash(site: Site) -> None:
    """Each run has a Secret of its own name."""
    overlay = site.folder / "overlays/prod"
    site.files()
    overlay.mkdir(parents=True)
    for number, image in enumerate(("example.com/a:1", "example.com/a:2")):
        (overlay / "job.json").write_text(json.dumps(job("m", "mpi", image=image)))
        (overlay / "overlay.yaml").write_text(
            "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [job.json]\nnameHash: true\n"
        )
        assert site.apply("overlays/prod").code == 0
        assert len(site.all("Secret")) == number + 1
    assert site.apply("overlays/prod", "--rerun", "m").code == 1  # it runs


def test_the_check_of_every_scenario_finds_keys(site: Site) -> None:
    """It runs at the end of each scenario."""
    site.applied(*FILES)
    assert leaks(site) == []
    shown = site.folder.parent / f"{site.namespace}.test.out"
    for name in (SSH, CURVE):
        for value in [*secret(site, name)["data"].values(), *map(bytes.decode, content(secret(site, name)).values())]:
            shown.write_text(f"key: {value.splitlines()[-2] if 'BEGIN' in value else value.split()[-1]}")
            assert len(leaks(site)) == 1
    shown.write_text(site.plane.settings.tokens["admin"])
    assert len(leaks(site)) == 1
    shown.unlink()


def test_no_key_is_ever_shown(site: Site) -> None:
    site.files(*FILES)
    site.run("apply", "--dry-run=server", "-o", "yaml")

    def echo(forward: Any) -> Any:
        """An admission that repeats the object in its answer."""
        body = site.proxy.requests[-1].body.decode()
        return answer(422, f'admission webhook "echo" denied the request: {body}', retry_after=None)(forward)

    site.proxy.on("POST", "/secrets", echo, times=2, only=lambda request: request.is_write)
    assert site.apply().code == 1
    site.proxy.on("POST", "/secrets", answer(500, "etcdserver: leader changed"), only=lambda request: request.is_write)
    assert site.apply().code == 0
    outputs = [("apply", "-o", output) for output in ("json", "yaml", "name", "text")]
    outputs += [(*command, "-o", "json") for command in (("diff", "--live"), ("status",))]
    outputs += [("diff", "--live"), ("status",), ("secrets",)]
    for arguments in outputs:
        site.run(*arguments)
    site.files(job("m", "mpi", image="example.com/train:2"), FILES[1])
    site.apply("--recreate", "always", "--wait", "--timeout", "5s")
    site.run("secrets", "--create")


def test_values_of_the_users_secrets_are_not_shown(site: Site) -> None:
    value = base64.b64encode(b"canary-of-the-user").decode()
    one: Object = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "own"}, "data": {"key": value}}
    site.applied(one)
    one["data"]["key"] = base64.b64encode(b"canary-of-another").decode()
    site.files(one)
    runs = [site.run("diff", "--live"), site.run("diff", "--live", "-o", "json"), site.run("apply", "--dry-run=server")]
    one["data"] = {"key": "canary canary canary"}  # not base64: the server repeats it
    site.files(one)
    runs += [site.apply(), site.run("diff", "--live")]
    for each in runs:
        assert not re.search("canary|Y2FuYXJ5", each.ended.out + each.ended.err), each.ended
