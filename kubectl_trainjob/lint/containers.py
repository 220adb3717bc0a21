"""Checks of containers: each error of a runtime is reported once, of a TrainJob only what it adds or changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob, LintedRuntime
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Pointer


class ContainerProblem(NamedTuple):
    """An error at `pointer` of a container. Of two containers it is the same error if `value` is equal."""

    pointer: Pointer
    value: Hashable
    message: Message
    on: Literal["key", "value"] = "value"
    severity: Severity | None = None


Find = Callable[[Mapping[str, Any]], Iterator[ContainerProblem]]
"""Finds the problems of one container, which may be an init container."""


def in_job(find: Find) -> Callable[[LintedJob], Iterator[Hit]]:
    """The check of the containers of a TrainJob."""

    def hits(job: LintedJob) -> Iterator[Hit]:
        every = [
            (pointer, found)
            for replicated in job.replicated_jobs
            for pointer, container in replicated.containers()
            for found in find(container)
        ]
        known = _in_runtime(find, job.runtime()) if every else frozenset()
        for pointer, found in every:
            if found.value not in known:
                at = job.generated((*pointer, *found.pointer), on=found.on)
                yield Hit(found.message, at, severity=found.severity)

    return hits


def _in_runtime(find: Find, runtime: LintedRuntime) -> frozenset[Hashable]:
    """The errors of the runtime's containers, which are reported once for all TrainJobs."""
    return frozenset(found.value for _, container in runtime.containers() for found in find(container))


def in_runtime(find: Find) -> Callable[[LintedRuntime], Iterator[Hit]]:
    """The check of the containers of a runtime."""

    def hits(runtime: LintedRuntime) -> Iterator[Hit]:
        for pointer, container in runtime.containers():
            for found in find(container):
                place = runtime.place(*pointer, *found.pointer)
                yield Hit(found.message, place.key() if found.on == "key" else place, severity=found.severity)

    return hits
