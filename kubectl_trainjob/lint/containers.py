"""What is wrong with containers: of a runtime it is told once, of a TrainJob what it adds or changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.lint.check import JobCheck, RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.views import LintedJob, LintedRuntime
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Pointer


class Stated(NamedTuple):
    """Something wrong that a container states: `pointer` leads below the container, `what` is compared."""

    pointer: Pointer
    what: Any
    message: str
    on: Literal["key", "value"] = "value"


Look = Callable[[Mapping[str, Any]], Iterator[Stated]]


def container_checks(rule: Rule, look: Look) -> tuple[JobCheck, RuntimeCheck]:
    """The checks of a rule that looks at each container, init containers included."""
    return JobCheck(rule, partial(_in_job, look)), RuntimeCheck(rule, partial(_in_runtime, look))


def _in_job(look: Look, job: LintedJob) -> Iterator[Hit]:
    for replicated in job.replicated_jobs:
        for pointer, container in replicated.containers():
            for stated in look(container):
                if not _is_in_runtime(look, stated, job.runtime()):
                    yield Hit(stated.message, job.made((*pointer, *stated.pointer), on=stated.on))


def _is_in_runtime(look: Look, stated: Stated, runtime: LintedRuntime) -> bool:
    """Whether a container of the runtime states the same, where it is told once for all TrainJobs."""
    return any(stated.what == each.what for _, container in runtime.containers() for each in look(container))


def _in_runtime(look: Look, runtime: LintedRuntime) -> Iterator[Hit]:
    for pointer, container in runtime.containers():
        for stated in look(container):
            place = runtime.place(*pointer, *stated.pointer)
            yield Hit(stated.message, place.key() if stated.on == "key" else place)
