"""The trials of a grid or random search: a TrainJob each, and a ConfigMap with the parameters of all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.objects import Writer, head_of, variable_name
from kubectl_trainjob.frontends.tuning.config import GRID, Tuning
from kubectl_trainjob.frontends.tuning.generate import Assignment, grid, random, space_size
from kubectl_trainjob.kube.facts.sweep import (
    ENV_PREFIX,
    GOAL_ANNOTATION,
    METRIC_ANNOTATION,
    PARAMETERS_ANNOTATION,
    SWEEP_LABEL,
    TRIALS_SUFFIX,
)
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, copied, fixed
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import RANDOM_IS_GRID, TUNING_ENV
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Manifest

_TRAINER = ("spec", "trainer")
_NAME: Cause = (OBJECT, "metadata", "name")
_PLACEHOLDER = re.compile(r"\$\{trialParameters\.((?:(?!\$\{trialParameters\.)[^}])+)\}")


class TunedJob(NamedTuple):
    """What is tuned: `write` writes its TrainJob without tuning, `job` is the object that is read.

    `sources` are the other inputs. `own_runtime` writes the runtime of the sweep under a name, None if the TrainJob
    refers to one that exists. `runtime` is that runtime, or the one that exists, if any.
    """

    job: Manifest
    tuning: Tuning
    write: Writer
    sources: Mapping[str, Source]
    own_runtime: Callable[..., Draft] | None
    runtime: Mapping[str, Any]
    step: str

    @property
    def name(self) -> str:
        """The name of the sweep."""
        return self.job.id.name

    def train_job(self) -> Mapping[str, Any]:
        """The TrainJob without tuning."""
        found: Mapping[str, Any] = self.write(Draft(self.job.body)).value
        return found


def canonical(value: Any) -> str:
    """Data as text that no order of keys changes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def short_hash(value: Any) -> str:
    """A hash of data for a name."""
    return sha256(canonical(value).encode()).hexdigest()[:8]


def assignments(tuning: Tuning) -> tuple[list[Assignment], list[Diagnostic]]:
    """The parameters of each trial, and what was found; no trials with an error."""
    if tuning.method == GRID:
        return list(grid(tuning.parameters)), []
    assert tuning.max_trials is not None
    size = space_size(tuning.parameters)
    if size is not None and size <= tuning.max_trials:
        message = say("the space has {} points, not more than maxTrials: the trials are those of method: grid", size)
        place = tuning.block.place.child("method")
        return list(grid(tuning.parameters)), [Diagnostic(RANDOM_IS_GRID, message, place)]
    drawn = random(tuning.parameters, tuning.max_trials, tuning.block.seed)
    if drawn is None:
        message = say("this space has fewer than {} different trials (maxTrials); lower maxTrials", tuning.max_trials)
        return [], [tuning.rejected(message, "maxTrials")]
    return drawn, []


def trial_name(subject: TunedJob, assignment: Assignment) -> str:
    """The name of a trial: the same parameters always have the same name."""
    return f"{subject.name}-{short_hash(assignment)}"


def write_trial(draft: Draft, subject: TunedJob, assignment: Assignment) -> Draft:
    """The TrainJob of a trial."""
    tuning = subject.tuning
    name = trial_name(subject, assignment)
    parameters: Cause = (*tuning.block.cause, "parameters")
    job = write_parameters(subject.write(draft), subject, assignment)
    annotation = ("metadata", "annotations", PARAMETERS_ANNOTATION)
    return job.put_each(
        [
            computed(("metadata", "name"), name, (_NAME, parameters)),
            computed(annotation, canonical(assignment), (parameters,)),
        ]
    )


def write_parameters(job: Draft, subject: TunedJob, assignment: Assignment) -> Draft:
    """The TrainJob with the label of its sweep, and with the parameters in its env and texts."""
    tuning = subject.tuning
    writes: list[Write] = [computed(("metadata", "labels", SWEEP_LABEL), subject.name, (_NAME, tuning.block.cause))]
    if job.get(*_TRAINER) is None:
        writes.append(fixed(_TRAINER, {}))
    writes += _replacements(job, subject, assignment)
    job = job.put_each(writes)
    env = job.entry(*_TRAINER, "env")
    own = [env.entry(index) for index in range(len(env.value or []))]
    added = [
        job.blank((tuning.cause_of(name),)).put(
            (), {"name": _variable(name), "value": text}, because=(tuning.cause_of(name),)
        )
        for name, text in sorted(assignment.items())
    ]
    return job.graft((*_TRAINER, "env"), env.with_items([*added, *own]))


def _variable(name: str) -> str:
    return ENV_PREFIX + variable_name(name)


def _replacements(job: Draft, subject: TunedJob, assignment: Assignment) -> Iterator[Write]:
    for *pointer, text in _texts(job.get(*_TRAINER) or {}):
        names = [name for name in _PLACEHOLDER.findall(text) if name in assignment]
        if names:
            new = _PLACEHOLDER.sub(lambda found: assignment.get(found[1], found[0]), text)
            causes = (subject.tuning.cause_of(name) for name in names)
            yield computed((*_TRAINER, *pointer), new, ((OBJECT, *_TRAINER, *pointer), *causes))


def _texts(trainer: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The texts of `spec.trainer` that can have placeholders, each after its pointer."""
    for field in ("command", "args"):
        for index, text in enumerate(trainer.get(field) or []):
            if isinstance(text, str):
                yield field, index, text
    for index, each in enumerate(trainer.get("env") or []):
        if isinstance(each.get("value"), str):
            yield "env", index, "value", each["value"]


def check_variables(subject: TunedJob) -> Iterator[Diagnostic]:
    """Parameters whose variables collide, and placeholders of no parameter."""
    tuning, place = subject.tuning, subject.job.place
    names: dict[str, str] = {}
    for each in tuning.parameters:
        other = names.setdefault(_variable(each.name), each.name)
        if other != each.name:
            message = say(
                '"{}" and "{}" would both be the variable "{}"; rename one', other, each.name, _variable(each.name)
            )
            yield Diagnostic(TUNING_ENV, message, tuning.block.place.child("parameters"))
    trainer = subject.train_job()["spec"].get("trainer") or {}
    for index, entry in enumerate(trainer.get("env") or []):
        if entry.get("name") in names:
            message = say('"{}" is the variable of a parameter of the sweep; remove it here', entry["name"])
            yield Diagnostic(TUNING_ENV, message, place(*_TRAINER, "env", index))
    known = {each.name for each in tuning.parameters}
    for *pointer, text in _texts(trainer):
        for name in _PLACEHOLDER.findall(text):
            if name not in known:
                message = say('parameter "{}" of the placeholder "{}" does not exist; correct the name', name, text)
                yield Diagnostic(TUNING_ENV, message, place(*_TRAINER, *pointer))


def write_index(draft: Draft, subject: TunedJob, trials: Mapping[str, str]) -> Draft:
    """The ConfigMap with the parameters of each trial."""
    tuning = subject.tuning
    parameters: Cause = (*tuning.block.cause, "parameters")
    writes = [
        *head_of(subject.job, "v1", "ConfigMap"),
        computed(("metadata", "name"), f"{subject.name}{TRIALS_SUFFIX}", (_NAME, parameters)),
        copied(("metadata", "labels", SWEEP_LABEL), subject.name, _NAME),
        *(computed(("data", name), text, (parameters,)) for name, text in trials.items()),
    ]
    if tuning.metric:
        for key, text, field in zip((METRIC_ANNOTATION, GOAL_ANNOTATION), tuning.metric, ("name", "goal"), strict=True):
            writes.append(copied(("metadata", "annotations", key), text, (*tuning.block.cause, "metric", field)))
    return draft.blank((_NAME,)).put_each(writes)


def trial_writers(subject: TunedJob, found: list[Assignment]) -> Iterator[Writer]:
    """The writers of all trials and of their index."""
    for each in found:
        yield partial(write_trial, subject=subject, assignment=each)
    trials = {trial_name(subject, each): canonical(each) for each in found}
    yield partial(write_index, subject=subject, trials=trials)
