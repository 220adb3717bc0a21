"""From the documents of a repository to what is to be applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.desired_objects import DesiredObject, TrainJobSettings, desired_objects, wish
from kubectl_trainjob.cluster.result import set_named
from kubectl_trainjob.cluster.steps import Locate
from kubectl_trainjob.compiler.compilation import Compilation
from kubectl_trainjob.compiler.executor import BuildContext
from kubectl_trainjob.compiler.overlay.select import compile_selector
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.compiler.pipeline import Compiler, Origins, compile_unit
from kubectl_trainjob.compiler.prepare import PreparedUnit, prepare
from kubectl_trainjob.compiler.printing import build_findings
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.message import describe, say
from kubectl_trainjob.model.rules import INVALID_METADATA
from kubectl_trainjob.model.source import Place, Pointer
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.model.units import Documents, Selector

_LABELS_OF_SETS = {
    marks.PART_OF: say("apply sets it to the set of the object"),
    marks.APPLYSET_ID: say("with it, the object would be the parent of a set"),
}


class InvalidFilesError(Exception):
    """The files have errors."""

    def __init__(self, findings: Sequence[Diagnostic]) -> None:
        super().__init__()
        self.findings = findings


class EmptyPlanError(Exception):
    """There is nothing to apply; the message says what to do."""


class PlanOptions(NamedTuple):
    """How to build; `namespace` is the one that the user set, "" for none.

    `parent` is the kind of the set's parent. A TrainingSet has the namespace `home`.
    """

    build: BuildOptions
    set_name: str
    namespace: str = ""
    selector: str = ""
    parent: str = "ConfigMap"
    home: str = ""


@dataclass(frozen=True, slots=True)
class ApplyPlan:
    """The objects to apply, the name of the parent, the release of Trainer, and the function that finds lines.

    `findings` are warnings of the build, for example of a deadline that only Trainer or the loop enforces.
    """

    objects: Sequence[DesiredObject]
    set_name: str
    namespace: str
    trainer: str
    emit: str
    locate: Locate
    findings: Sequence[Diagnostic] = ()


@dataclass(frozen=True, slots=True)
class FileRuns:
    """The runs that files define, and the function that finds lines."""

    runs: Mapping[tuple[str, str], DesiredObject]
    """By namespace and name; of one name the first."""
    locate: Locate


def make_plan(documents: Documents, options: PlanOptions, context: BuildContext) -> ApplyPlan:
    """Compile everything. Raises InvalidFilesError and EmptyPlanError."""
    prepared, compilation = _compile(documents, options.build, context)
    printed = compilation.noted(lambda note: note.printed)
    findings = build_findings(printed, is_strict=True, namespace=options.namespace)
    if has_errors(findings):
        raise InvalidFilesError(findings)
    name = options.set_name
    namespace = options.home or options.namespace or _shared_namespace(compilation) or options.build.namespace
    set_id = set_named(options.parent, namespace, name).id
    objects = desired_objects(compilation, set_id)
    if conflicts := [*_conflicts(objects)]:
        raise InvalidFilesError(conflicts)
    chosen = list(_select(objects, options.selector))
    if not chosen:
        what = "no object with the labels of -l" if options.selector else "no object except runtimes"
        raise EmptyPlanError(
            f"nothing to apply: the files have {what}; "
            f"to end the set, delete its objects: kubectl delete jobsets -n {namespace} -l {marks.PART_OF}={set_id}"
        )
    target = compilation.target
    locate = _locator(prepared, compilation)
    return ApplyPlan(chosen, name, namespace, target.trainer, target.emit, locate, findings)


def file_runs(documents: Documents, build: BuildOptions, context: BuildContext) -> FileRuns:
    """The runs of all jobs that can be built; errors of others are not reported."""
    prepared, compilation = _compile(documents, build, context)
    runs = [each for each in desired_objects(compilation, "") if each.is_run]
    by_name = {(each.id.namespace, each.id.name): each for each in reversed(runs)}
    return FileRuns(by_name, _locator(prepared, compilation))


def _compile(
    documents: Documents, build: BuildOptions, context: BuildContext
) -> tuple[PreparedUnit, Compilation[TrainJobSettings]]:
    prepared = prepare(documents, build)
    unit = replace(prepared, jobs=[*prepared.jobs])
    return prepared, compile_unit(unit, Compiler(lambda job, task: wish(job, task.prepared.target), context))


def _conflicts(objects: Sequence[DesiredObject]) -> Iterator[Diagnostic]:
    """Objects that cannot belong to the set, and annotations that apply does not know."""
    for each in objects:
        for key in ("labels", "annotations"):
            if not isinstance(found := each.body["metadata"].get(key) or {}, dict):
                message = say("metadata.{} must be a mapping, not {}", key, describe(found))
                yield Diagnostic(INVALID_METADATA, message, Place(each.place.source, ("metadata", key)))
        for label, effect in _LABELS_OF_SETS.items():
            if label in (each.labels or {}):
                message = say("remove label {}: {}", label, effect)
                yield Diagnostic(INVALID_METADATA, message, Place(each.place.source, ("metadata", "labels", label)))
        if not each.id.name:
            message = say("set metadata.name: with generateName, each apply would create another object")
            yield Diagnostic(INVALID_METADATA, message, Place(each.place.source, ("metadata", "generateName")))
        if each.is_run and each.policy not in ("", *marks.POLICIES):
            message = say('{} "{}" is not one of {}', marks.RECREATE, each.policy, ", ".join(marks.POLICIES))
            place = Place(each.place.source, ("metadata", "annotations", marks.RECREATE))
            yield Diagnostic(INVALID_METADATA, message, place)


def _select(objects: Sequence[DesiredObject], selector: str) -> Iterator[DesiredObject]:
    """The groups with the labels."""
    if not selector:
        yield from objects
        return
    matches = compile_selector(Selector(label_selector=selector), Steps(LIMITS))
    yield from (each for each in objects if matches([each.id], each.labels or {}, {}))


def _shared_namespace(compilation: Compilation[TrainJobSettings]) -> str:
    """The namespace of all objects, "" if there are several."""
    every = [*(each.id for each in compilation.others), *(job.source.id for job in compilation.jobs)]
    spaces = {each.namespace for each in every if each.namespace}
    return spaces.pop() if len(spaces) == 1 else ""


def _locator(prepared: PreparedUnit, compilation: Compilation[TrainJobSettings]) -> Locate:
    """Finds the line of a value; the expansion is traced only when a line is needed."""

    @cache
    def origins() -> Origins:
        printed = [(job.source.id, job.note.printed) for job in compilation.jobs]
        owners = {each.id: job for job, of in printed for each in (*of.objects, *of.reserved)}
        return Origins(prepared, compilation.jobs, owners)

    others = {each.id: each.place.source for each in compilation.others}

    def locate(identity: ObjectId, pointer: Pointer) -> Place | None:
        if identity in others:
            return Place(others[identity], pointer)
        origin = origins().origin(identity, pointer)
        return origin.first_place() if origin else None

    return locate
