"""What Kubernetes says to the update of a ConfigMap or Secret.

Mirrors k8s.io/kubernetes pkg/apis/core/validation (ValidateConfigMapUpdate, ValidateSecretUpdate, v1.36): one that is
marked immutable keeps its data and its mark, and a Secret keeps its type.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.kube.updates.changed import Value
from kubectl_trainjob.kube.updates.refusals import Refused, verdict_of
from kubectl_trainjob.kube.updates.verdict import STATES, Verdict
from kubectl_trainjob.model.stages import Body

_OPAQUE = "Opaque"


def immutable_verdict(old: Body, new: Body) -> Verdict:
    """What the server says when `new` is applied where one manager applied `old`; nothing refused for other kinds.

    Both as written. They know no suspension: what is refused is so in every state.
    """
    kind = new.get("kind") if new.get("apiVersion") == "v1" else None
    fields = _refused(old, new, is_secret=kind == "Secret") if kind in ("ConfigMap", "Secret") else ()
    return verdict_of((_immutable(field, new) for field in fields), ())


def _immutable(field: str, new: Body) -> Refused:
    words = "field is immutable" if field == "type" else "field is immutable when `immutable` is set"
    return Refused(STATES, (field,), words, Value((field,), is_gone=field not in new))


def _refused(old: Body, new: Body, *, is_secret: bool) -> Iterator[str]:
    if is_secret and (old.get("type") or _OPAQUE) != (new.get("type") or _OPAQUE):
        yield "type"
    if old.get("immutable") is not True:
        return
    if new.get("immutable") is not True:
        yield "immutable"
    if is_secret:
        if _secret_data(old) != _secret_data(new):
            yield next(key for key in ("data", "stringData") if old.get(key) != new.get(key))
        return
    yield from (key for key in ("data", "binaryData") if (old.get(key) or {}) != (new.get(key) or {}))


def _secret_data(body: Body) -> dict[str, Any]:
    """What the server keeps: `stringData` is written over `data`."""
    plain = (body.get("stringData") or {}).items()
    return {**(body.get("data") or {}), **{key: _encoded(value) for key, value in plain}}


def _encoded(text: Any) -> str:
    return b64encode(str(text).encode("utf-8", "surrogatepass")).decode()
