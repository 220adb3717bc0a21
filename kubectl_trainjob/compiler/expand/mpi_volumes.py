"""The volumes of MPI's Pods: SSH keys and hostfile. Mirrors trainer `pkg/runtime/framework/plugins/mpi` (2.0-2.3)."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.compiler.expand.upsert import Item
from kubectl_trainjob.kube.facts.trainer import HOSTFILE_SUFFIX, SSH_AUTH_SUFFIX


def ssh_volume(name: str, modes: bool) -> Item:
    """The keys of the job; `modes`: with the mode of each file."""
    files = [
        ("ssh-privatekey", "id_rsa", 0o640),
        ("ssh-publickey", "id_rsa.pub", 0o644),
        ("ssh-publickey", "authorized_keys", 0o644),
    ]
    secret: dict[str, Any] = {"secretName": f"{name}{SSH_AUTH_SUFFIX}"}
    if modes:
        secret["defaultMode"] = 0o400
    secret["items"] = [{"key": key, "path": path, **({"mode": mode} if modes else {})} for key, path, mode in files]
    return {"name": "mpi-ssh-auth", "secret": secret}


def hostfile_volume(name: str) -> Item:
    """The list of hosts."""
    items = [{"key": "hostfile", "path": "hostfile", "mode": 0o444}]
    return {"name": "mpi-hostfile", "configMap": {"name": f"{name}{HOSTFILE_SUFFIX}", "items": items}}
