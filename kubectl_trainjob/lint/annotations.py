"""Annotations that suppress findings: of objects, and of the Pod templates in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.lint.comments import Words, words
from kubectl_trainjob.lint.marks import pod_templates
from kubectl_trainjob.model.source import Pointer, value_at
from kubectl_trainjob.model.stages import Body

PREFIX = "lint.kubectl-trainjob.dev/ignore."


class Annotation(NamedTuple):
    """An annotation at `pointer`, for all values below `owner`: the whole object, or a Pod template."""

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
    for owner in ((), *pod_templates(body), *pod_templates(body, ("spec", "template"))):
        pointer = (*owner, "metadata", "annotations")
        annotations: Any = value_at(body, pointer)
        for key, value in annotations.items() if isinstance(annotations, dict) else ():
            if isinstance(key, str) and key.startswith(PREFIX):
                found = words(key.removeprefix(PREFIX), value if isinstance(value, str) else "")
                yield Annotation(found, (*pointer, key), owner)
