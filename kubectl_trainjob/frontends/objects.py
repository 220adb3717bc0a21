"""Objects that are written from a job, and names for what is in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from kubectl_trainjob.model.draft import Draft, Write, copied, fixed
from kubectl_trainjob.model.edited_object import OBJECT, ObjectEdit, edited_object
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Manifest

Writer = Callable[[Draft], Draft]
"""Writes an object into a draft of the job that it comes from."""


def draft_object(job: Manifest, write: Writer, sources: Mapping[str, Source], step: str) -> Manifest:
    """An object that is written from a job and the other `sources`, which causes name."""
    written = write(Draft(job.body))
    return replace(edited_object(job, written.value, sources, (ObjectEdit(step, write),)), name_hash=None, sweep=None)


def head_of(job: Manifest, api_version: str, kind: str) -> list[Write]:
    """The type of an object, and the namespace of the job."""
    head: list[Write] = [fixed(("apiVersion",), api_version), fixed(("kind",), kind)]
    if not job.id.namespace:
        return head
    return [*head, copied(("metadata", "namespace"), job.id.namespace, (OBJECT, "metadata", "namespace"))]


def variable_name(name: str) -> str:
    """The name of an environment variable for a parameter."""
    found = re.sub(r"[^A-Z0-9_]", "_", name.upper())
    return f"_{found}" if found[:1].isdigit() else found
