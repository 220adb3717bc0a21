"""KTJ904: A password, token or key in the `value` of a variable is in the repository and its history. It is also in
every generated object: users who may read Jobs and Pods can read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.lint.containers import ContainerProblem
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.secrets import is_secret_variable

# Do not change this text: in place of the secret line it is a part of the fingerprints in baselines.
_IS_KNOWN = 'all readers of the repository can see the value of "{}"; take it from a Secret with secretKeyRef'


def find(container: Mapping[str, Any]) -> Iterator[ContainerProblem]:
    """Values that look like a secret; the message never has them."""
    for index, variable in enumerate(container.get("env") or ()):
        name, value = variable["name"], variable.get("value")
        if value and is_secret_variable(name, value):
            yield ContainerProblem(("env", index, "value"), (name, value), say(_IS_KNOWN, name), "key")
