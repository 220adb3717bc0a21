"""Values that are never shown: the content of Secrets, also after a change of kind, and secrets in other objects."""

from __future__ import annotations

import re
from typing import Any

from kubectl_trainjob.model import secret_texts, secrets
from kubectl_trainjob.model.secrets import MASK
from kubectl_trainjob.model.source import Pointer, value_at

_SHOWN: tuple[Pointer, ...] = (
    ("apiVersion",),
    ("kind",),
    ("type",),
    ("immutable",),
    ("metadata", "name"),
    ("metadata", "generateName"),
    ("metadata", "namespace"),
)
_USER_OPTIONS = ("-u", "--user", "--proxy-user")
_VARIABLE_OPTIONS = ("-e", "-env", "-genv")
_PROGRAM = re.compile(
    r"(?:.*/)?(?P<name>mysql\w*|mariadb\w*|mongo\w*|sshpass|wandb|vault|docker|podman|nerdctl|buildah|skopeo|helm|oras"
    r"|login|redis-cli)"
)
_NEAR = 8  # items of a command after its program


def is_secret_kind(kind: object) -> bool:
    """Whether a kind is Secret, in any spelling."""
    return str(kind).strip().casefold() == "secret"


def without_secrets(value: Any) -> Any:
    """A part of an object, with the secrets of its variables, commands and texts masked."""
    if isinstance(value, dict):
        return {key: value_without_secrets(entry, value, (key,)) for key, entry in value.items()}
    if type(value) is list:
        return [value_without_secrets(item, value, (index,)) for index, item in enumerate(value)]
    return secret_texts.without_secrets(value) if isinstance(value, str) else value


def value_without_secrets(value: Any, body: Any, pointer: Pointer) -> Any:
    """A current or previous value at `pointer` of `body`, as `without_secrets`."""
    if not isinstance(value, str) or not pointer:
        return without_secrets(value)
    if secrets.has_secret(_name_of(body, pointer), value):
        return MASK
    lead = _lead(body, pointer)
    return secret_texts.without_secrets(lead + value).removeprefix(lead)


def _name_of(body: Any, pointer: Pointer) -> str:
    """The name that a text has: of its variable, of the option before it in a command, or its key."""
    last = pointer[-1]
    if isinstance(last, int):
        before = _earlier(body, pointer)[-1:]
        return before[0].lstrip("-") if before and before[0].startswith("-") else ""
    holder = value_at(body, pointer[:-1])
    is_pair = last == "value" and isinstance(holder, dict)
    name = holder.get("name", holder.get("key")) if is_pair else last
    return name if isinstance(name, str) and name != "key" else ""


def _lead(body: Any, pointer: Pointer) -> str:
    """What decides on an item of a command: the option of a user before it, or a program with a short option."""
    earlier = _earlier(body, pointer)
    if not earlier or earlier[-1] in _USER_OPTIONS:
        return f"{earlier[-1]} " if earlier else ""
    if earlier[-2:-1] and earlier[-2] in _VARIABLE_OPTIONS and earlier[-1].isidentifier():
        return f"{earlier[-2]} {earlier[-1]} "
    names = " ".join([found["name"] for found in map(_PROGRAM.fullmatch, earlier) if found][-2:])  # `wandb login VALUE`
    if not names:
        return ""
    return f"{names} {earlier[-1]} " if earlier[-1] in ("-p", "-a") else f"{names} "


def _earlier(body: Any, pointer: Pointer) -> list[str]:
    """Some texts before an item of a list, such as the option before its value."""
    holder, last = value_at(body, pointer[:-1]), pointer[-1]
    if not isinstance(holder, list) or not isinstance(last, int) or last > len(holder):
        return []
    return [each if isinstance(each, str) else "" for each in holder[max(last - _NEAR, 0) : last]]


def mask(value: Any, pointer: Pointer = ()) -> Any:
    """The value at `pointer` of a current or former Secret, with every scalar masked that may be secret."""
    if any(pointer[: len(shown)] == shown for shown in _SHOWN):
        return value
    if isinstance(value, dict):
        return {key: mask(entry, (*pointer, key)) for key, entry in value.items()}
    if isinstance(value, list):
        return [mask(item, (*pointer, index)) for index, item in enumerate(value)]
    return value if value is None else MASK
