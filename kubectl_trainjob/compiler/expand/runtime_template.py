"""A runtime's part of an expansion that all its jobs share."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_trainjob.kube.facts.jobset import SPEC_TYPE
from kubectl_trainjob.kube.facts.types import canonical, settle
from kubectl_trainjob.model.stages import Admitted, Body


class RuntimeTemplate(NamedTuple):
    """A runtime's JobSet spec in canonical form, and the ids of its dicts and lists, which are canonical for good."""

    spec: Body
    settled: frozenset[int]


def template_of(runtime: Admitted) -> RuntimeTemplate:
    """The template of a runtime, worked out once however many jobs use it."""
    spec = canonical((runtime.body["spec"].get("template") or {}).get("spec") or {}, SPEC_TYPE)
    return RuntimeTemplate(spec, settle(spec))
