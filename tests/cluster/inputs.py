"""The recorded inputs with namespaces and cluster-wide names of their own, so that one cluster can take them all.

The edits are made in the text, so that all else reaches the API server as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from tests.conformance.cases import Case
from tests.conformance.harness import Outcome, run_build
from tests.conformance.stream import Document, reduced, split

_CLUSTER_WIDE = "ClusterTrainingRuntime"
# Trainer reads a model out of such a runtime's name, which therefore stays as it is.
_MEANINGFUL = "torchtune-"
_NAME = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")


@dataclass(frozen=True)
class Edit:
    """Text that takes the place of columns `start` to `end` of a line."""

    line: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Job:
    """A TrainJob with all runtimes of its input: what one build is asked and one cluster is given.

    `document` is None where an input holds no TrainJob.
    """

    case: Case
    text: str
    namespace: str
    document: Document | None

    @property
    def name(self) -> str:
        """The TrainJob's name."""
        return self.document.name if self.document else ""

    @property
    def id(self) -> str:
        """What people call it."""
        return f"{self.case.id}/{self.name}"

    @cached_property
    def documents(self) -> list[Document]:
        """All documents of the text."""
        return split(self.text)

    @cached_property
    def outcome(self) -> Outcome:
        """What our build says; where no namespace is stated it gets the input's."""
        return run_build(self.text, *self.namespace_option())

    @property
    def target(self) -> str:
        """The namespace of the TrainJob."""
        return namespace_of(self.document, self.namespace) if self.document else self.namespace

    def namespace_option(self) -> list[str]:
        """The option for objects without a namespace."""
        unstated = any(d.kind != _CLUSTER_WIDE and not _metadata(d).get("namespace") for d in self.documents)
        return ["-n", self.namespace] if unstated else []


def jobs_of(case: Case, suffix: str, *, suspend: bool) -> list[Job]:
    """The TrainJobs of a case, made unique by a suffix; with `suspend` they are suspended (see below)."""
    try:
        text = _edited(case.input, suffix, suspend=suspend)
        documents = split(text)
        found = [document for document in documents if document.is_job]
    except yaml.YAMLError:
        # Nobody can read it, so there is nothing to distinguish.
        return [Job(case, case.input, f"default-{suffix}", None)]
    namespace = f"default-{suffix}"
    if len(found) < 2:
        return [Job(case, text, namespace, found[0] if found else None)]
    alone = (reduced(text, lambda d, one=one: not d.is_job or d.first == one.first) for one in found)
    return [Job(case, only, namespace, one) for only, one in zip(alone, found, strict=True)]


def namespace_of(document: Document, otherwise: str) -> str:
    """The namespace that a document states."""
    return str(_metadata(document).get("namespace") or otherwise)


def _metadata(document: Document) -> dict[str, Any]:
    metadata = document.body.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _edited(text: str, suffix: str, *, suspend: bool) -> str:
    lines = text.split("\n")
    documents = split(text)
    spaces = {namespace_of(document, "default") for document in documents if document.is_job}
    home = f"{min(spaces, default='default')}-{suffix}"
    edits = [edit for document in documents for edit in _edits(document, suffix, home, suspend=suspend)]
    for edit in sorted(edits, key=lambda edit: (edit.line, edit.start), reverse=True):
        line = lines[edit.line]
        lines[edit.line] = line[: edit.start] + edit.text + line[edit.end :]
    return "\n".join(lines)


def _edits(document: Document, suffix: str, home: str, *, suspend: bool) -> Iterator[Edit]:
    root = yaml.compose(document.text, yaml.SafeLoader)
    kind = _scalar(_at(root, "kind"))
    yield from _renamed(_at(root, "metadata", "namespace"), suffix)
    if kind == _CLUSTER_WIDE:
        yield from _runtime_edits(root, suffix, home)
    if kind == "TrainJob":
        if (_scalar(_at(root, "spec", "runtimeRef", "kind")) or _CLUSTER_WIDE) == _CLUSTER_WIDE:
            yield from _reference_edits(root, suffix)
        if suspend:
            yield from _suspending_edits(root)


def _runtime_edits(root: yaml.Node | None, suffix: str, home: str) -> Iterator[Edit]:
    """A name of its own; where the name has a meaning, a namespace of its own."""
    name, kind = _at(root, "metadata", "name"), _at(root, "kind")
    if kind and _scalar(name).startswith(_MEANINGFUL):
        yield Edit(kind.start_mark.line, kind.start_mark.column, kind.end_mark.column, "TrainingRuntime")
        yield from _inserted(_at(root, "metadata"), f"namespace: {home}")
    else:
        yield from _renamed(name, suffix)


def _reference_edits(root: yaml.Node | None, suffix: str) -> Iterator[Edit]:
    name, kind = (_at(root, "spec", "runtimeRef", key) for key in ("name", "kind"))
    if not _scalar(name).startswith(_MEANINGFUL):
        yield from _renamed(name, suffix)
    elif kind:
        yield Edit(kind.start_mark.line, kind.start_mark.column, kind.end_mark.column, "TrainingRuntime")
    else:
        yield from _inserted(_at(root, "spec", "runtimeRef"), "kind: TrainingRuntime")


def _suspending_edits(root: yaml.Node | None) -> Iterator[Edit]:
    """Suspend unless the input says otherwise, and always where a deadline would end the job during the test."""
    specified = _at(root, "spec", "suspend")
    if specified is None:
        yield from _inserted(_at(root, "spec"), "suspend: true")
    elif _scalar(specified) == "false" and _at(root, "spec", "activeDeadlineSeconds"):
        yield Edit(specified.start_mark.line, specified.start_mark.column, specified.end_mark.column, "true")


def _at(node: yaml.Node | None, *keys: str) -> yaml.Node | None:
    for key in keys:
        entries = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for name, value in entries if name.value == key), None)
    return node


def _scalar(node: yaml.Node | None) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _renamed(node: yaml.Node | None, suffix: str) -> Iterator[Edit]:
    """What is no name stays as it is: a suffix could make one of it."""
    is_text = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str" and node.value
    if is_text and _NAME.fullmatch(node.value) and node.start_mark.line == node.end_mark.line:
        mark = node.start_mark
        yield Edit(mark.line, mark.column, node.end_mark.column, f'"{node.value}-{suffix}"')


def _inserted(mapping: yaml.Node | None, text: str) -> Iterator[Edit]:
    """An entry before all others; nothing where there are none."""
    if isinstance(mapping, yaml.MappingNode) and mapping.value:
        mark = mapping.value[0][0].start_mark
        between = ", " if mapping.flow_style else "\n" + " " * mark.column
        yield Edit(mark.line, mark.column, mark.column, f"{text}{between}")
