"""Every value of every expanded object knows who wrote it, over all recorded inputs.

The judge of "from which line" is a change: another value is put into one line of the input, and whatever changes in the
result (of the compiler that does not record) must have named that line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import yaml

from kubectl_trainjob.compiler.compilation import Job, Target
from kubectl_trainjob.compiler.job import AdmittedRuntimes, compile_job, trace_job
from kubectl_trainjob.compiler.prepare import prepare
from kubectl_trainjob.compiler.resolve.runtime import Runtimes
from kubectl_trainjob.explain.history import HistoryBuilder, Write, inputs_of
from kubectl_trainjob.model.diagnostic import has_errors
from kubectl_trainjob.model.draft import DraftSnapshot
from kubectl_trainjob.model.source import Origin, Place, Pointer, leaves, value_at
from kubectl_trainjob.model.stages import BuildOptions, Manifest, TracedJob
from tests.conformance.cases import LATEST, VERSIONS, Case, load
from tests.reading import read

_JOBS_OF_A_CASE = 3
_SHOWN = 10
_SAMPLE = 48  # every so many cases are tried in a fast run


@dataclass(frozen=True)
class _Traced:
    """A TrainJob of a recorded input, and what it becomes."""

    case: Case
    job: Job
    traced: TracedJob
    target: Target

    @property
    def runtime(self) -> Manifest:
        assert self.traced.resolved is not None
        return self.traced.resolved.runtime.manifest


@cache
def _all(version: str, every: int) -> list[_Traced]:
    return [traced for case in load(version)[::every] for traced in _traced(case)]


def _traced(case: Case) -> Iterator[_Traced]:
    prepared = prepare(read(["-"], lambda _: case.input.encode()), BuildOptions(trainer_version=case.version))
    if not has_errors(prepared.findings):
        for job in prepared.jobs[:_JOBS_OF_A_CASE]:
            traced = trace_job(job, prepared.target, prepared.admitted)
            if traced.objects:
                yield _Traced(case, job, traced, prepared.target)


EACH_VERSION = pytest.mark.parametrize(
    ("version", "every"),
    [
        pytest.param(LATEST, _SAMPLE, id=f"some-{LATEST}"),
        *(pytest.param(version, 1, id=f"all-{version}", marks=pytest.mark.slow) for version in VERSIONS),
    ],
)


@EACH_VERSION
def test_the_newest_write_of_every_value_is_the_value(version, every):
    seen = 0
    for traced in _all(version, every):
        for made in traced.traced.objects:
            for pointer, _ in leaves(made.draft.value):
                origin, value = made.draft.origin(pointer), made.draft.get(*pointer)
                assert origin is not None
                assert (origin.step, _typed(origin.value)) == (origin.step, _typed(value)), (traced.case.id, pointer)
                assert origin.step != "start", (traced.case.id, pointer)
                seen += 1
    assert seen > 500


def _typed(value: Any) -> tuple[type, Any]:
    return type(value), value


@EACH_VERSION
def test_what_a_person_wrote_stands_at_the_line_that_is_named(version, every):
    """The judge is PyYAML: what it finds at the line and column is the value, quantities by amount.

    A mapping that Kubernetes writes as an empty one may stand below its key, or as a list's item.
    """
    seen = 0
    for traced in _all(version, every):
        scalars = _scalars(traced.case.input)
        historian = HistoryBuilder(inputs_of(traced.traced))
        for made in traced.traced.objects:
            for pointer, _ in leaves(made.draft.value):
                origin = made.draft.origin(pointer)
                assert origin is not None
                write = historian.history(origin)[0]
                if _is_written(write):
                    span = write.place and write.place.span
                    assert span, (traced.case.id, pointer)
                    text = scalars.get((span.line, span.column))
                    assert text is not None, (traced.case.id, pointer, span)
                    is_item = write.value == {} and (span.line, span.column) in _block_mappings(traced.case.input)
                    is_block = is_item or (isinstance(write.value, (dict, list)) and text == pointer[-1])
                    assert is_block or _is_spelled(write.value, text), (traced.case.id, pointer, text, write.value)
                    seen += 1
    assert seen > 500


def _is_written(write: Write) -> bool:
    """Whether the value stands in a file as it is, and not as a default of the API."""
    if write.how != "copied":
        return False
    inner = write.made_of[0].history[0]
    return inner.how == "written" or _is_written(inner)


def _scalars(text: str) -> dict[tuple[int, int], str]:
    """The text of each scalar, and of each bracket that begins a mapping or a list, by line and column."""
    found: dict[tuple[int, int], str] = {}
    for token in yaml.scan(text, yaml.CSafeLoader):
        where = token.start_mark.line + 1, token.start_mark.column + 1
        if isinstance(token, yaml.ScalarToken):
            found[where] = token.value
        elif isinstance(token, yaml.FlowMappingStartToken | yaml.FlowSequenceStartToken):
            found[where] = "{}" if isinstance(token, yaml.FlowMappingStartToken) else "[]"
    return found


def _block_mappings(text: str) -> set[tuple[int, int]]:
    """Where block mappings begin, by line and column."""
    tokens = yaml.scan(text, yaml.CSafeLoader)
    starts = (token.start_mark for token in tokens if isinstance(token, yaml.BlockMappingStartToken))
    return {(start.line + 1, start.column + 1) for start in starts}


def _is_spelled(value: Any, text: str) -> bool:
    if isinstance(value, (dict, list)):
        return str(value) == text
    if isinstance(value, bool):
        return text.lower() in (("true", "yes", "on", "y") if value else ("false", "no", "off", "n"))
    if str(value) == text or isinstance(value, int):
        return str(value) == text or int(text, 0 if not re.match("0[0-9]", text) else 8) == value
    return _amount(str(value)) == _amount(text) is not None


_UNITS = (
    {"": Fraction(1)}
    | {unit: Fraction(1000) ** power for power, unit in enumerate("num kMGTPE", -3) if unit != " "}
    | {f"{unit}i": Fraction(1024) ** power for power, unit in enumerate("KMGTPE", 1)}
)


def _amount(text: str) -> Fraction | None:
    match = re.fullmatch(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([numkMGTPE]|[KMGTPE]i)?", text)
    if match is None:
        return None
    amount, unit = Fraction(match[1]), match[2] or ""
    most = 2**63 - 1  # what ParseQuantity makes of a larger amount in binary units
    return min(amount * _UNITS[unit], most) if unit.endswith("i") else amount * _UNITS[unit]


@EACH_VERSION
def test_whatever_a_line_changes_has_named_the_line(version, every):
    unnamed: Counter[str] = Counter()
    changed = 0
    for traced in _all(version, every):
        for which, pointer, mutant in _mutants(traced):
            for place, where in _changes(traced, which, mutant):
                changed += 1
                if pointer[-1] == "runLauncherAsNode" and place.step == "resourcesPerNode":
                    continue  # decides which containers get the TrainJob's resources
                if not any(_leads_to(named, which, pointer) for named in _named(place)):
                    unnamed[f"{traced.case.id}: {'.'.join(map(str, pointer))} of {which.id} changes {where}"] += 1
    assert not unnamed, [line for line, _ in unnamed.most_common(_SHOWN)]
    assert changed > 300


def _mutants(traced: _Traced) -> Iterator[tuple[Manifest, Pointer, Manifest]]:
    """Each input with one of its values changed, where that means another value and not another object."""
    for which in (traced.job.manifest, traced.runtime):
        for pointer, _ in leaves(which.body):
            if _selects(pointer) or (which is traced.runtime and pointer == ("metadata", "name")):
                continue
            for value in _others(value_at(which.body, pointer)):
                body = _put(which.body, pointer, value)
                mutant = replace(which, body=body)
                if pointer in (("metadata", "name"), ("metadata", "namespace")):
                    mutant = replace(mutant, id=replace(which.id, **{pointer[-1]: value}))
                yield which, pointer, mutant


def _selects(pointer: Pointer) -> bool:
    """What says which container, Job or file is meant decides where values go, not what they are."""
    switches = ("name", "restartPolicy", "trainer.kubeflow.org/trainjob-ancestor-step")
    return pointer[0] in ("apiVersion", "kind") or (len(pointer) > 2 and pointer[-1] in switches)


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        yield max(value - 1, 0)
    elif isinstance(value, str):
        yield f"{value}x"
        if match := re.match("([0-9]+)(.*)$", value):
            yield f"{int(match[1]) + 1}{match[2]}"
        if value in ("auto", "cpu"):
            yield {"auto": "cpu", "cpu": "auto"}[value]


def _put(value: Any, pointer: Pointer, new: Any) -> Any:
    if not pointer:
        return new
    copy = value.copy()
    copy[pointer[0]] = _put(copy[pointer[0]], pointer[1:], new)
    return copy


def _changes(traced: _Traced, which: Manifest, mutant: Manifest) -> Iterator[tuple[Origin, str]]:
    """The values that are others in the mutant's result, with who wrote them in the original's."""
    job = mutant if which is traced.job.manifest else traced.job.manifest
    runtime = mutant if which is traced.runtime else traced.runtime
    admitted = AdmittedRuntimes(traced.target.version.admission)
    compiled = compile_job(Job(job, Runtimes([[runtime]], "")), traced.target, admitted)
    made = [each.body for each in compiled.objects]
    if len(made) != len(traced.traced.objects):
        return
    for old, new in zip(traced.traced.objects, made, strict=True):
        pointers = [pointer for pointer, _ in leaves(old.draft.value)]
        if pointers == [pointer for pointer, _ in leaves(new)]:
            for pointer in pointers:
                if old.draft.get(*pointer) != value_at(new, pointer):
                    origin = old.draft.origin(pointer)
                    assert origin is not None
                    yield origin, f"{old.identity.kind} {'.'.join(map(str, pointer))} (by {origin.step})"


def _named(origin: Origin) -> Iterator[Place]:
    """The places in the inputs that a value is said to come from."""
    for place in [origin.place] if origin.place else origin.causes:
        if isinstance(place.source.edits, DraftSnapshot):
            yield from _named(place.source.edits.origin(place.pointer))
        else:
            yield place


def _leads_to(place: Place, which: Manifest, pointer: Pointer) -> bool:
    return place.source == which.source and pointer[: len(place.pointer)] == place.pointer
