"""A tuning block: its method, metric, limit and search space, of a TrainingJob or of an item of `sweeps`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.shape import Checker, Keys
from kubectl_trainjob.frontends.tuning.generate import space_size
from kubectl_trainjob.frontends.tuning.space import Parameter, read_space
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import TUNING_FIELD, TUNING_PARAMETER, TUNING_TRIALS
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.units import Settings, TuningSettings

BAYES, GRID, RANDOM = "bayes", "grid", "random"
_GOALS = ("minimize", "maximize")
_METRIC = Keys({"name": "string", "goal": "any"}, ("name",))
_SHAPE = Keys({"method": "any", "metric": _METRIC, "maxTrials": "any", "parameters": "any"})


class TuningBlock(NamedTuple):
    """Where a block is: its mapping without nulls, place and cause; `seed` is a text, with its place."""

    body: Mapping[str, Any]
    place: Place
    cause: Cause
    seed: str
    seed_place: Place


class Tuning(NamedTuple):
    """A block without errors. `metric` has the name and the goal."""

    block: TuningBlock
    method: str
    metric: tuple[str, str] | None
    max_trials: int | None
    parameters: tuple[Parameter, ...]
    settings: TuningSettings

    def cause_of(self, parameter: str) -> Cause:
        """The place of a parameter, as a cause."""
        return (*self.block.cause, "parameters", parameter)

    def rejected(self, message: Message, *pointer: str) -> Diagnostic:
        """An error of the number of trials."""
        return Diagnostic(TUNING_TRIALS, message, self.block.place.child(*pointer))


def tuning_settings(every: Iterable[Settings]) -> TuningSettings:
    """The settings of the first repository that has some."""
    usual = TuningSettings()
    return next((each.tuning for each in every if each.tuning != usual), usual)


def read_tuning(block: TuningBlock, settings: TuningSettings) -> Tuning | list[Diagnostic]:
    """The block, or all its errors."""
    body, place = block.body, block.place
    found = list(Checker(place, TUNING_FIELD).check(body, _SHAPE))
    found += _method_and_goal(body, place)
    found += _limit(body, place, settings)
    parameters, errors = _parameters(body, place)
    found += errors
    if found:
        return found
    metric = body.get("metric")
    pair = (metric["name"], metric["goal"]) if metric else None
    tuning = Tuning(block, body["method"], pair, body.get("maxTrials"), parameters, settings)
    return list(_size(tuning)) or tuning


def _method_and_goal(body: Mapping[str, Any], place: Place) -> Iterator[Diagnostic]:
    method, metric = body.get("method"), body.get("metric")
    if method not in (GRID, RANDOM, BAYES):
        yield Diagnostic(TUNING_FIELD, say("method must be grid, random or bayes"), place.child("method"))
    if method == BAYES and metric is None:
        yield Diagnostic(TUNING_FIELD, say("method: bayes needs a metric with name and goal; add it"), place)
    if isinstance(metric, dict) and metric.get("goal") not in _GOALS:
        yield Diagnostic(
            TUNING_FIELD, say("the goal of metric must be minimize or maximize"), place.child("metric", "goal")
        )


def _limit(body: Mapping[str, Any], place: Place, settings: TuningSettings) -> Iterator[Diagnostic]:
    specified = body.get("maxTrials")
    if specified is None:
        if body.get("method") in (RANDOM, BAYES):
            yield Diagnostic(TUNING_TRIALS, say("method: {} needs maxTrials; add it", body["method"]), place)
    elif isinstance(specified, bool) or not isinstance(specified, int) or specified < 1:
        yield Diagnostic(TUNING_TRIALS, say("maxTrials must be an integer of at least 1"), place.child("maxTrials"))
    elif specified > settings.max_trials:
        yield Diagnostic(TUNING_TRIALS, _above(specified, settings), place.child("maxTrials"))


def _above(count: int, settings: TuningSettings) -> Message:
    template = "{} trials are more than {}, the limit; set maxTrials, or a larger tuning.maxTrials in trainjob.yaml"
    return say(template, count, settings.max_trials)


def _parameters(body: Mapping[str, Any], place: Place) -> tuple[tuple[Parameter, ...], list[Diagnostic]]:
    specified = body.get("parameters")
    if not isinstance(specified, dict) or not specified:
        message = say("parameters must map at least one name to its type and values, or min and max")
        return (), [Diagnostic(TUNING_FIELD, message, place.child("parameters"))]
    if not any(isinstance(each, dict) for each in specified.values()):
        message = say(
            "these are fixed values as for OME's controller, not a search space; write them in trainer.args, "
            "or give each a type and values"
        )
        return (), [Diagnostic(TUNING_PARAMETER, message, place.child("parameters"))]
    return read_space(specified, place.child("parameters"))


def _size(tuning: Tuning) -> Iterator[Diagnostic]:
    """A grid is never cut: it would never vary its first parameters."""
    if tuning.method != GRID:
        return
    endless = [each for each in tuning.parameters if each.size is None or (each.range and each.range.is_log)]
    for each in endless:
        message = say('a grid has no points in the range of parameter "{}"; write values, or a step', each.name)
        yield Diagnostic(TUNING_PARAMETER, message, tuning.block.place.child("parameters", each.name).key())
    size = None if endless else space_size(tuning.parameters)
    pointer = () if tuning.max_trials is None else ("maxTrials",)
    if size is not None and tuning.max_trials is not None and size > tuning.max_trials:
        message = say("the grid has {} points, more than maxTrials; remove values, or set maxTrials: {}", size, size)
        yield tuning.rejected(message, *pointer)
    elif size is not None and size > tuning.settings.max_trials:
        yield tuning.rejected(_above(size, tuning.settings), *pointer)
