"""How Kubernetes checks the update of a ConfigMap or Secret.

Mirrors k8s.io/kubernetes pkg/apis/core/validation (ValidateConfigMapUpdate, ValidateSecretUpdate, v1.36): one with
`immutable` keeps its data and that field, and a Secret keeps its type.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.kube.updates.differences import ChangedValue
from kubectl_trainjob.kube.updates.result import STATES, UpdateResult
from kubectl_trainjob.kube.updates.transitions import ImmutableValue, result_of
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.stages import Body

_OPAQUE = "Opaque"


def check_data_update(old: Body, new: Body) -> UpdateResult:
    """The server's answer when `new` is applied and one manager applied `old` before; other kinds are accepted.

    Both as written. The result is the same in every state.
    """
    kind = new.get("kind") if new.get("apiVersion") == "v1" else None
    fields = _rejected_fields(old, new, is_secret=kind == "Secret") if kind in ("ConfigMap", "Secret") else ()
    return result_of((_immutable(field, new) for field in fields), ())


def _immutable(field: str, new: Body) -> ImmutableValue:
    is_type = field == "type"
    message = say("field is immutable") if is_type else say("field is immutable when `immutable` is set")
    return ImmutableValue(STATES, (field,), message, ChangedValue((field,), is_gone=field not in new))


def _rejected_fields(old: Body, new: Body, *, is_secret: bool) -> Iterator[str]:
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
    """The data that the server stores: `stringData` overrides `data`."""
    plain = (body.get("stringData") or {}).items()
    return {
        **(body.get("data") or {}),
        **{key: b64encode(str(text).encode("utf-8", "surrogatepass")).decode() for key, text in plain},
    }
