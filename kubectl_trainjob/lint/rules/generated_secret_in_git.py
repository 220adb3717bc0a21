"""KTJ811: Trainer makes the SSH keys of an MPI job and the CURVE certificate of a Flux job by chance, for this job
alone."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.trainer import (
    FLUX_CURVE_KEY,
    FLUX_CURVE_SUFFIX,
    SSH_AUTH_SUFFIX,
    SSH_PRIVATE_KEY,
    SSH_PUBLIC_KEY,
)
from kubectl_trainjob.lint.check import TreeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import Surroundings
from kubectl_trainjob.model.rules import GENERATED_SECRET_IN_GIT
from kubectl_trainjob.model.stages import Manifest

_MARKS = {SSH_PRIVATE_KEY: b"PRIVATE KEY-----", FLUX_CURVE_KEY: b"secret-key"}
"""What a key that may not be known has in its text; other content is a placeholder, or encrypted."""
_WHAT = {SSH_PRIVATE_KEY: "SSH key of an MPI job", FLUX_CURVE_KEY: "CURVE certificate of a Flux job"}


def _find(around: Surroundings) -> Iterator[Hit]:
    for manifest in around.objects:
        if manifest.id.kind == "Secret" and manifest.id.api_version == "v1":
            yield from _in_secret(manifest)


def _in_secret(secret: Manifest) -> Iterator[Hit]:
    for field in ("data", "stringData"):
        values = secret.body.get(field)
        if isinstance(values, dict):
            for key, mark in _MARKS.items():
                if _is_generated(secret, key, values) and mark in _content(values.get(key), field):
                    message = (
                        f'"{key}" is the {_WHAT[key]}, which everybody who reads the repository now has; remove it'
                    )
                    yield Hit(message, secret.place(field, key).key())


def _is_generated(secret: Manifest, key: str, values: Mapping[str, Any]) -> bool:
    """Whether it is what Trainer makes for a job: an SSH key may be for anything."""
    is_named = secret.id.name.endswith((SSH_AUTH_SUFFIX, FLUX_CURVE_SUFFIX))
    return is_named or key == FLUX_CURVE_KEY or SSH_PUBLIC_KEY in values


def _content(value: Any, field: str) -> bytes:
    """What the Secret holds; nothing for what the API server would refuse."""
    if not isinstance(value, str):
        return b""
    try:
        text = value.encode()
        return text if field == "stringData" else b64decode(b"".join(text.split()), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return b""


CHECK = TreeCheck(GENERATED_SECRET_IN_GIT, _find)
