"""Credentials from a program that a kubeconfig names. Mirrors client-go `plugin/pkg/client/auth/exec`.

The program writes to our stderr, for example how to log in. Its answer is in no message: it has the credentials.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kubectl_trainjob.model.faults import EnvironmentFault

_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_MODES = ("Never", "IfAvailable", "Always")
_LIMIT = 60.0  # seconds for a program that no user sees; a login in a browser may take longer
_CREDENTIALS = ("token", "clientCertificateData", "clientKeyData")
_CLUSTER_CONFIG = "client.authentication.k8s.io/exec"


class ExecCredential(NamedTuple):
    """What the program answered: a token, or a certificate and a key as PEM. `expires` is None for never."""

    token: str = ""
    certificate: str = ""
    key: str = ""
    expires: datetime | None = None

    @property
    def is_expired(self) -> bool:
        """Whether the program must be asked again."""
        return self.expires is not None and self.expires <= datetime.now(UTC)


def ask_plugin(settings: Mapping[str, Any], cluster: Mapping[str, Any], folder: str) -> ExecCredential:
    """Run the program of `exec`; a relative path begins in `folder`. Raises EnvironmentFault."""
    command = str(settings.get("command") or "")
    if not command:
        raise EnvironmentFault("the kubeconfig is not valid: exec has no command")
    _check_settings(command, settings)
    is_interactive = settings.get("interactiveMode") != "Never" and sys.stdin is not None and sys.stdin.isatty()
    if settings.get("interactiveMode") == "Always" and not is_interactive:
        raise _fault(command, "it needs a terminal")
    is_seen = is_interactive or (sys.stderr is not None and sys.stderr.isatty())
    extra = {each["name"]: each.get("value") or "" for each in settings.get("env") or ()}
    information = json.dumps(_information(settings, cluster, folder, is_interactive))
    program = os.path.join(folder, command) if os.sep in command else command
    try:
        done = subprocess.run(
            [program, *(settings.get("args") or ())],
            stdin=None if is_interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={**os.environ, **extra, "KUBERNETES_EXEC_INFO": information},
            check=False,
            timeout=None if is_seen else _LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise _fault(
            command, f"it did not end in {_LIMIT:.0f} seconds; run it yourself to see what it waits for"
        ) from None
    except OSError as error:
        hint = " ".join(str(settings.get("installHint") or "").split())
        raise _fault(command, f"{error.strerror}{f'; {hint}' if hint else ''}") from None
    if done.returncode:
        raise _fault(command, f"it ended with exit code {done.returncode}")
    return _credential(command, settings.get("apiVersion"), done.stdout)


def _check_settings(command: str, settings: Mapping[str, Any]) -> None:
    """Reject what kubectl rejects."""
    version, mode = settings.get("apiVersion"), settings.get("interactiveMode")
    if version not in _VERSIONS:
        raise _fault(command, f"set apiVersion in the kubeconfig to {_VERSIONS[0]}, or to what the program supports")
    if mode not in _MODES and (mode or version == _VERSIONS[0]):
        raise _fault(command, f"set interactiveMode in the kubeconfig to {', '.join(_MODES[:-1])} or {_MODES[-1]}")
    if not all(each.get("name") for each in settings.get("env") or ()):
        raise _fault(command, "a variable in env has no name")


def _information(
    settings: Mapping[str, Any], cluster: Mapping[str, Any], folder: str, is_interactive: bool
) -> dict[str, Any]:
    spec: dict[str, Any] = {"interactive": is_interactive}
    if settings.get("provideClusterInfo"):
        found = {key: value for key, value in cluster.items() if key not in ("extensions", "certificate-authority")}
        if file := cluster.get("certificate-authority"):
            with open(os.path.join(folder, file), "rb") as data:
                found["certificate-authority-data"] = base64.b64encode(data.read()).decode()
        extensions = {each.get("name"): each.get("extension") for each in cluster.get("extensions") or ()}
        spec["cluster"] = {**found, "config": extensions.get(_CLUSTER_CONFIG)}
    return {"apiVersion": settings.get("apiVersion"), "kind": "ExecCredential", "spec": spec}


def _credential(command: str, version: Any, answer: bytes) -> ExecCredential:
    try:
        found = json.loads(answer)
        status = found["status"]
        if (found["kind"], found["apiVersion"]) != ("ExecCredential", version):
            raise _fault(command, f"its answer is not an ExecCredential of {version}")
        expires = status.get("expirationTimestamp")
        token, certificate, key = (str(status.get(name) or "") for name in _CREDENTIALS)
        until = datetime.fromisoformat(expires) if expires else None
        if until and not until.tzinfo:
            raise ValueError
        credential = ExecCredential(token, certificate, key, until)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _fault(command, "its answer is not an ExecCredential") from None
    if not credential.token and not (credential.certificate and credential.key):
        raise _fault(command, "its answer has neither a token nor a certificate with its key")
    return credential


def _fault(command: str, reason: str) -> EnvironmentFault:
    return EnvironmentFault(f"cannot get credentials from {command}: {reason}")
