"""The Secrets that Trainer would generate: SSH keys of an MPI job, and the CURVE certificate of a Flux job.

Mirrors trainer `pkg/runtime/framework/plugins/{mpi,flux}`. But the key of a Flux job is random: Trainer's is a hash of
the TrainJob's uid, which every user can read. Keys are made when a Secret is created, and kept nowhere else.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from kubectl_trainjob.kube.facts.trainer import FLUX_CURVE_KEY, FLUX_CURVE_SUFFIX, SSH_PRIVATE_KEY, SSH_PUBLIC_KEY
from kubectl_trainjob.model.stages import Body, RequiredSecret

_SSH, _OPAQUE = "kubernetes.io/ssh-auth", "Opaque"
_PLACEHOLDER = "LQ=="
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def secret_head(secret: RequiredSecret) -> Body:
    """A Secret without its content."""
    metadata = {"name": secret.name, **({"namespace": secret.namespace} if secret.namespace else {})}
    head = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "immutable": True}
    return {**head, "type": _SSH if secret.kind == "mpi" else _OPAQUE}


def with_content(head: Body, kind: str) -> Body:
    """A Secret with new random keys; `kind` is the policy of its job: "mpi" or "flux"."""
    name: str = head["metadata"]["name"]
    content = _ssh_keys() if kind == "mpi" else {FLUX_CURVE_KEY: _certificate(name.removesuffix(FLUX_CURVE_SUFFIX))}
    return {**head, "data": {key: base64.b64encode(value).decode() for key, value in content.items()}}


def with_placeholders(head: Body, kind: str) -> Body:
    """A Secret for a dry run: its keys must have some content."""
    return {**head, "data": dict.fromkeys(keys_of(kind), _PLACEHOLDER)}


def keys_of(kind: str) -> tuple[str, ...]:
    """The keys of the content."""
    return (SSH_PRIVATE_KEY, SSH_PUBLIC_KEY) if kind == "mpi" else (FLUX_CURVE_KEY,)


def _ssh_keys() -> Mapping[str, bytes]:
    """An ECDSA key on P-521: the private one as PEM (RFC 5915), the public one as a line of authorized_keys."""
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP521R1())
    private = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.TraditionalOpenSSL, forms.NoEncryption())
    public = key.public_key().public_bytes(forms.Encoding.OpenSSH, forms.PublicFormat.OpenSSH)
    return {SSH_PRIVATE_KEY: private, SSH_PUBLIC_KEY: public + b"\n"}


def _certificate(job: str) -> bytes:
    """A certificate of CZMQ (zcert), as `flux keygen` writes it: a Curve25519 key pair in Z85."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    key = X25519PrivateKey.generate()
    public, private = key.public_key().public_bytes_raw(), key.private_bytes_raw()
    lines = (
        "# A secret CURVE certificate; every Pod of the job reads it.",
        "metadata",
        f'    name = "{job}"',
        "curve",
        f'    public-key = "{z85(public)}"',
        f'    secret-key = "{z85(private)}"',
        "",
    )
    return "\n".join(lines).encode()


def z85(data: bytes) -> str:
    """Bytes as text: five characters for four bytes (ZeroMQ RFC 32)."""
    numbers = (int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4))
    return "".join(_Z85[number // 85**power % 85] for number in numbers for power in (4, 3, 2, 1, 0))
