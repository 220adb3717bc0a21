"""Certificates of the server and of users, as real kubectl judges them."""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.site import Site
from tests.cluster.apply.test_connection import Plugin, environment, kubeconfig, kubectl, ours, plugin  # noqa: F401
from tests.loops import report

pytestmark = pytest.mark.cluster


class UserFiles(NamedTuple):
    """The key and the certificate of user anna."""

    key: Path
    certificate: Path

    @property
    def secrets(self) -> list[str]:
        """The lines that no output may have."""
        return self.key.read_text().splitlines()[1:-1]


@pytest.fixture
def anna(site: Site, tmp_path: Path) -> UserFiles:
    """A certificate of the authority of the server's clients."""
    settings = site.plane.settings
    files = UserFiles(tmp_path / "anna.key", tmp_path / "anna.crt")
    authority = ("-CA", str(settings.certificate), "-CAkey", str(settings.folder / "server.key"))
    subject = ("-subj", "/O=system:masters/CN=anna", "-days", "1", "-addext", "extendedKeyUsage=clientAuth")
    keys = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    out = ("-keyout", str(files.key), "-out", str(files.certificate))
    subprocess.run(["openssl", "req", "-x509", *keys, *out, *subject, *authority], check=True, capture_output=True)
    return files


def direct(site: Site, **user: str) -> Object:
    """A kubeconfig without the proxy, which has a connection of its own."""
    body = kubeconfig(site, server=f"https://{site.plane.settings.address('kube-apiserver')}")
    body["users"][0]["user"] = user
    return body


def _who(folder: Path, file: Path) -> str:
    arguments = ("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
    return kubectl(folder, environment(file), *arguments).stdout


def test_certificates_of_users(site: Site, anna: UserFiles, tmp_path: Path) -> None:
    names = ("client-certificate", "client-key")
    given = (anna.certificate, anna.key)
    data = {
        f"{name}-data": base64.b64encode(file.read_bytes()).decode() for name, file in zip(names, given, strict=True)
    }
    paths = {name: str(file) for name, file in zip(names, given, strict=True)}
    beside = {name: file.name for name, file in zip(names, given, strict=True)}
    cases = {"files": paths, "files beside the kubeconfig": beside, "data": data}
    cases["one of each"] = {names[0]: beside[names[0]], f"{names[1]}-data": data[f"{names[1]}-data"]}
    cases["certificate as file and data"] = {**paths, f"{names[0]}-data": data[f"{names[0]}-data"]}
    cases["key as file and data"] = {**paths, f"{names[1]}-data": data[f"{names[1]}-data"]}
    cases["no key"] = {names[0]: paths[names[0]]}
    cases["no certificate"] = {names[1]: paths[names[1]]}
    cases["a key that is missing"] = {**paths, names[1]: str(tmp_path / "none")}
    cases["a key as the certificate"] = {**paths, names[0]: str(anna.key)}
    site.files(config("c"))
    failures = []
    for name, user in cases.items():
        file = tmp_path / "config.json"
        file.write_text(json.dumps(direct(site, **user)))
        is_known = _who(tmp_path, file) == "anna"
        done = ours(site, environment(file), "apply")
        is_right = (done.code == 0) == is_known and "Traceback" not in done.err
        is_named = is_known or "\nerror: " in f"\n{done.err}"
        if not (is_right and is_named) or any(line in done.out + done.err for line in anna.secrets):
            failures.append(f"== {name}: {done}, kubectl {is_known}")
    report(failures, len(cases))
    assert site.live("ConfigMap", "c")


def test_a_program_gives_a_certificate(plugin: Plugin, anna: UserFiles, tmp_path: Path) -> None:  # noqa: F811
    parts = {"clientCertificateData": anna.certificate.read_text(), "clientKeyData": anna.key.read_text()}
    answer = f'{json.dumps(parts)[1:-1]},"expirationTimestamp":"2999-01-01T00:00:00Z"'
    variables = plugin.answers(*[answer] * 3)
    file = Path(variables["KUBECONFIG"])
    user = json.loads(file.read_text())["users"][0]["user"]
    file.write_text(json.dumps(direct(plugin.site, **user)))
    assert _who(tmp_path, file) == "anna"
    plugin.site.files(config("c"), job("a"))
    done = ours(plugin.site, variables, "apply")
    assert (done.code, plugin.calls) == (0, 2), done
    assert plugin.site.live("JobSet", "a")
    assert [line for line in anna.secrets if line in done.out + done.err] == []


def _old_certificate(folder: Path) -> Path:
    """A certificate and its key in one file, whose time is over."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "old")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=2)).not_valid_after(now - timedelta(days=1))
    hosts = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    key_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    for extension in (hosts, key_id, x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(key_id)):
        builder = builder.add_extension(extension, critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    file = folder / "old.pem"
    parts = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    file.write_bytes(pem + key.private_bytes(*parts))
    return file


@contextmanager
def _server(certificate: Path | None) -> Iterator[str]:
    """The host and port of a server with a certificate, or without TLS."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_certificates_of_the_server(site: Site, tmp_path: Path) -> None:
    old = _old_certificate(tmp_path)
    site.files(config("c"))
    failures = []
    with _server(old) as expired, _server(None) as plain:
        start = "the certificate of the cluster is not valid: "
        cases: dict[str, tuple[Object, str]] = {
            "unknown": (
                {"certificate-authority": str(old)},
                f"{start}self-signed certificate; set certificate-authority",
            ),
            "another host": ({"tls-server-name": "nope.example"}, f"{start}Hostname mismatch"),
            "expired": (
                {"certificate-authority": str(old), "server": f"https://{expired}"},
                f"{start}certificate has expired; renew it",
            ),
            "no TLS": ({"server": f"https://{plain}"}, "the cluster does not answer: TLS: wrong version number;"),
        }
        for name, (cluster, said) in cases.items():
            file = tmp_path / "config.json"
            file.write_text(json.dumps(kubeconfig(site, **cluster)))
            assert kubectl(tmp_path, environment(file), "get", "configmaps").returncode != 0, name
            done = ours(site, environment(file), "apply")
            if (done.code, done.out) != (2, "") or not done.err.splitlines()[-1].startswith(f"error: {said}"):
                failures.append(f"== {name}: {done}")
    report(failures, len(cases))
