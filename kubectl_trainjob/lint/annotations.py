"""Annotations of objects, and of the templates of Pods in them, that keep lint from telling something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.lint.comments import Words, words
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body

PREFIX = "lint.kubectl-trainjob.dev/ignore."
_RUNTIME: Pointer = ("spec", "template", "spec", "replicatedJobs")
_JOB_SET: Pointer = ("spec", "replicatedJobs")
_POD_TEMPLATE: Pointer = ("template", "spec", "template")


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation at `pointer`, about what stands below `owner`: the whole object, or the template of a Pod."""

    words: Words
    pointer: Pointer
    owner: Pointer

    @property
    def is_whole(self) -> bool:
        """Whether it is about the whole object."""
        return not self.owner

    def covers(self, pointer: Pointer) -> bool:
        """Whether it is about a value of its object."""
        return pointer[: len(self.owner)] == self.owner


def annotations_of(body: Body) -> Iterator[Annotation]:
    """Every such annotation of an object as written."""
    for owner in ((), *_pod_templates(body)):
        pointer = (*owner, "metadata", "annotations")
        annotations: Any = value_at(body, pointer)
        for key, value in annotations.items() if isinstance(annotations, dict) else ():
            if isinstance(key, str) and key.startswith(PREFIX):
                said = words(key.removeprefix(PREFIX), value if isinstance(value, str) else "")
                yield Annotation(said, (*pointer, key), owner)


def _pod_templates(body: Body) -> Iterator[Pointer]:
    for way in (_RUNTIME, _JOB_SET):
        jobs = value_at(body, way)
        for index in range(len(jobs) if isinstance(jobs, list) else 0):
            yield (*way, index, *_POD_TEMPLATE)
