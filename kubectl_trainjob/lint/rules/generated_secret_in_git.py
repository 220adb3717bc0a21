"""KTJ811: Trainer generates random SSH keys for each MPI job, and a random CURVE certificate for each Flux job."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintContext
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.stages import Manifest

_MARKS = {
    trainer.SSH_PRIVATE_KEY: (b"PRIVATE KEY-----", say("SSH key of an MPI job")),
    trainer.FLUX_CURVE_KEY: (b"secret-key", say("CURVE certificate of a Flux job")),
}
"""What a private key has in its text (other content is a placeholder, or encrypted), and what the key is."""
# Do not change this text: in place of the secret line it is a part of the fingerprints in baselines.
_IS_KNOWN = '"{}" is the {}, and all readers of the repository can use it; remove it'


def find(context: LintContext) -> Iterator[Hit]:
    """Secrets with such a key that is not encrypted."""
    for manifest in context.objects:
        if manifest.id.kind == "Secret" and manifest.id.api_version == "v1":
            yield from _in_secret(manifest)


def _in_secret(secret: Manifest) -> Iterator[Hit]:
    for field in ("data", "stringData"):
        values = secret.body.get(field)
        if isinstance(values, dict):
            for key, (mark, what) in _MARKS.items():
                if _is_generated(secret, key, values) and mark in _content(values.get(key), field):
                    yield Hit(say(_IS_KNOWN, key, what), secret.place(field, key).key())


def _is_generated(secret: Manifest, key: str, values: Mapping[str, Any]) -> bool:
    """Whether Trainer generates such a key for a job: an SSH key may be for anything."""
    is_named = secret.id.name.endswith((trainer.SSH_AUTH_SUFFIX, trainer.FLUX_CURVE_SUFFIX))
    return is_named or key == trainer.FLUX_CURVE_KEY or trainer.SSH_PUBLIC_KEY in values


def _content(value: Any, field: str) -> bytes:
    """What the Secret holds; nothing if the API server would reject it."""
    if not isinstance(value, str):
        return b""
    try:
        text = value.encode()
        return text if field == "stringData" else b64decode(b"".join(text.split()), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return b""
