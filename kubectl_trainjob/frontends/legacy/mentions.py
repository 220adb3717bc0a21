"""Other objects that refer to replaced jobs: by the names of their Pods, by labels, or with a job inside."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from kubectl_trainjob.frontends.legacy.names import OPERATORS_LABELS
from kubectl_trainjob.frontends.legacy.operators import KINDS
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import MIGRATION_REVIEW
from kubectl_trainjob.model.source import Pointer, entries
from kubectl_trainjob.model.stages import Manifest

_ROLES = frozenset({"master", "worker", "chief", "ps", "evaluator", "launcher"})
_OF_OPERATORS = frozenset(
    {"CustomResourceDefinition", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}
)
"""Kinds that are about all jobs of an operator."""

_KIND = re.compile(rf"\bkind\W{{1,4}}({'|'.join(KINDS)})\b")
_NAME = re.compile(r"[a-z0-9-]+")


def mentions(others: Iterable[Manifest], jobs: Collection[Manifest]) -> Iterator[Diagnostic]:
    """A finding for each other object with a reference, at the first one."""
    names = {job.id.name for job in jobs}
    for other in others:
        if other.id.kind in _OF_OPERATORS:
            continue
        pointer, text = next(_references(other.body, names, ()), ((), ""))
        if text:
            name = say('{} "{}"', other.id.kind, other.id.name) if other.id.name else say("{}", other.id.kind)
            message = say('{} refers to a job that migrate replaces, with "{}"; adapt it', name, text)
            yield Diagnostic(MIGRATION_REVIEW, message, other.place(*pointer))


def _references(value: Any, names: Collection[str], at: Pointer) -> Iterator[tuple[Pointer, str]]:
    """The places and texts that refer to a job. Without jobs, only jobs inside of other objects."""
    if isinstance(value, dict) and at and value.get("kind") in KINDS and (names or "spec" in value):
        yield (*at, "kind"), str(value["kind"])
    for key, item in entries(value):
        if names and isinstance(key, str) and key.startswith(OPERATORS_LABELS) and at != ("metadata", "labels"):
            yield (*at, key), key
        yield from _references(item, names, (*at, key))
    if isinstance(value, str) and (text := _reference(value, names)):
        yield at, text


def _reference(text: str, names: Collection[str]) -> str:
    """The part of a text that refers to a job, "" for none."""
    if "\n" in text and (found := _KIND.search(text)):
        return found[1]
    if not names:
        return ""
    if OPERATORS_LABELS in text:
        return OPERATORS_LABELS
    return next((each for each in _NAME.findall(text) if _is_peer(each, names)), "")


def _is_peer(text: str, names: Collection[str]) -> bool:
    """Whether a name is that of a Pod of a job: `<job>-<role>-<index>`, or `<job>-launcher`."""
    name, _, last = text.rpartition("-")
    if last.isdecimal():
        name, _, last = name.rpartition("-")
    return last in _ROLES and name in names
