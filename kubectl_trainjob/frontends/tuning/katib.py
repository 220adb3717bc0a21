"""An Experiment of Katib (kubeflow.org/v1beta1) for method: bayes. Mirrors what kubeflow/katib accepts and renders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.objects import head_of
from kubectl_trainjob.frontends.tuning.config import Tuning
from kubectl_trainjob.frontends.tuning.space import EXACT, Parameter, Range, text_of
from kubectl_trainjob.frontends.tuning.trials import TunedJob, short_hash, write_parameters
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.sweep import SWEEP_LABEL
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause, Draft, Write, computed, copied, fixed
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import TUNING_KATIB, TUNING_PARAMETER

API_VERSION, KIND = "kubeflow.org/v1beta1", "Experiment"
TRIAL = "-00000000"
"""The name of a trial ends with as many characters as this one."""

_NAME: Cause = (OBJECT, "metadata", "name")
_SPEC = ("spec", "trialTemplate", "trialSpec")
_CONDITION = 'status.conditions.#(type=="{}")#|#(status=="True")#'
_UNREADABLE = re.compile(r'["\\\x00-\x1f]')
_MOST_POINTS = 100
_MOST_AT_ONCE = 3
_LONGEST_NAME = 15
_LARGEST_SEED = 1 << 31
_COUNTS = ("maxTrialCount", "parallelTrialCount", "maxFailedTrialCount")


class Trial(NamedTuple):
    """The template of a trial: its kind, and the JobSet with a placeholder for its name if that is what Katib creates.

    The pod of rank 0 of the replicatedJob `primary` reports the metric.
    """

    kind: str
    primary: str
    jobset: Mapping[str, Any] | None = None
    names_itself: bool = False


def check_katib(subject: TunedJob) -> Iterator[Diagnostic]:
    """What Katib cannot do."""
    tuning = subject.tuning
    block = tuning.block
    if not re.fullmatch("[0-9]+", block.seed) or len(block.seed.lstrip("0")) > 10 or int(block.seed) >= _LARGEST_SEED:
        name = say("the annotation tuning-seed") if block.seed_place.source is subject.job.source else say("seed")
        message = say('{} must be an integer below {} for method: bayes, not "{}"', name, _LARGEST_SEED, block.seed)
        yield Diagnostic(TUNING_KATIB, message, block.seed_place)
    if subject.train_job()["spec"].get("suspend") is True:
        message = say("Katib cannot suspend an Experiment; remove suspend")
        yield Diagnostic(TUNING_KATIB, message, subject.job.place("spec", "suspend"))
    for each in tuning.parameters:
        place = block.place.child("parameters", each.name).key()
        if any(map(_UNREADABLE.search, each.texts)):
            message = say(
                "Katib cannot read values with quotation marks, backslashes or control characters; rename them"
            )
            yield Diagnostic(TUNING_PARAMETER, message, place)
        elif each.range and _is_listed(each) and (each.size or 0) > _MOST_POINTS:
            template = (
                "Katib draws multiples of the step, so these {} points need a list, which is too long; write values"
            )
            yield Diagnostic(TUNING_PARAMETER, say(template, each.size or 0), place)


def _is_listed(parameter: Parameter) -> bool:
    """Whether the points of a range are listed: they are not all multiples of its step."""
    bounds = parameter.range
    if bounds is None or bounds.step is None or bounds.is_log:
        return False
    return any(EXACT.remainder(each, bounds.step) != 0 for each in (bounds.least, bounds.most))


def _feasible(parameter: Parameter) -> dict[str, Any]:
    bounds = parameter.range
    if bounds is None or _is_listed(parameter):
        texts = parameter.texts or [parameter.text(index) for index in range(parameter.size or 0)]
        kind = "categorical" if parameter.type == "categorical" else "discrete"
        return {"name": parameter.name, "parameterType": kind, "feasibleSpace": {"list": list(texts)}}
    space = {"min": text_of(bounds.least), "max": text_of(bounds.most)}
    if _steps(parameter, bounds):
        space["step"] = text_of(bounds.step or bounds.least)
    if bounds.is_log:
        space["distribution"] = "logUniform"
    return {"name": parameter.name, "parameterType": parameter.type, "feasibleSpace": space}


def _steps(parameter: Parameter, bounds: Range) -> bool:
    return parameter.states_step and not (parameter.type == "int" and bounds.step == 1)


def _algorithm(tuning: Tuning) -> str:
    """Katib's skopt takes each double as log-uniform and ignores steps; tpe honours both."""
    ranges = [(each, each.range) for each in tuning.parameters if each.range and not _is_listed(each)]
    fits = (
        bounds.is_log if each.type == "double" else not bounds.is_log and not _steps(each, bounds)
        for each, bounds in ranges
    )
    return "bayesianoptimization" if all(fits) else "tpe"


def write_experiment(draft: Draft, subject: TunedJob, trial: Trial, name: str) -> Draft:
    """The Experiment."""
    block = subject.tuning.block
    job = write_parameters(subject.write(draft), subject, _placeholders(subject.tuning))
    writes: list[Write] = [
        *head_of(subject.job, API_VERSION, KIND),
        computed(("metadata", "name"), name, (_NAME, block.cause)),
        *_metadata(subject),
        *(computed(("spec", key), value, causes) for key, value, causes in _search(subject.tuning)),
        *(computed(("spec", "trialTemplate", key), value, (block.cause,)) for key, value in _template(subject, trial)),
    ]
    experiment = draft.blank((_NAME, block.cause)).put_each(writes)
    causes = [(each, subject.tuning.cause_of(each.name)) for each in subject.tuning.parameters]
    searched = [computed(("spec", "parameters", at), _feasible(each), (c,)) for at, (each, c) in enumerate(causes)]
    experiment = experiment.put_each(searched)
    return _with_trial(experiment, job, subject, trial, name)


def _placeholders(tuning: Tuning) -> dict[str, str]:
    return {each.name: f"${{trialParameters.{each.name}}}" for each in tuning.parameters}


def _metadata(subject: TunedJob) -> Iterator[Write]:
    metadata = subject.job.body.get("metadata") or {}
    for field in ("labels", "annotations"):
        if metadata.get(field):
            yield copied(("metadata", field), metadata[field], (OBJECT, "metadata", field))
    yield computed(("metadata", "labels", SWEEP_LABEL), subject.name, (_NAME, subject.tuning.block.cause))


def _search(tuning: Tuning) -> Iterator[tuple[str, Any, tuple[Cause, ...]]]:
    """The fields of the search: what is optimized, how, and how often."""
    block = tuning.block
    assert tuning.metric is not None
    assert tuning.max_trials is not None
    metric, goal = tuning.metric
    yield "objective", {"type": goal, "objectiveMetricName": metric}, ((*block.cause, "metric"),)
    seed = [{"name": "random_state", "value": str(int(block.seed))}]
    algorithm = {"algorithmName": _algorithm(tuning), "algorithmSettings": seed}
    yield "algorithm", algorithm, ((*block.cause, "method"), (*block.cause, "parameters"))
    for key, most in zip(_COUNTS, (tuning.max_trials, _MOST_AT_ONCE, _MOST_AT_ONCE), strict=True):
        yield key, min(most, tuning.max_trials), ((*block.cause, "maxTrials"),)
    yield "metricsCollectorSpec", {"collector": {"kind": "StdOut"}}, ((*block.cause, "metric"),)


def _template(subject: TunedJob, trial: Trial) -> Iterator[tuple[str, Any]]:
    """The fields of the template. Trials are retained: Katib else deletes them with their logs."""
    index_label = "batch.kubernetes.io/job-completion-index"
    parameters = [{"name": each.name, "reference": each.name} for each in subject.tuning.parameters]
    if trial.names_itself:
        parameters.append({"name": "trialName", "reference": "${trialSpec.Name}"})
    yield "retain", True
    yield "primaryContainerName", trainer.NODE
    yield "primaryPodLabels", {"jobset.sigs.k8s.io/replicatedjob-name": trial.primary, index_label: "0"}
    yield "successCondition", _CONDITION.format("Complete" if trial.jobset is None else "Completed")
    yield "failureCondition", _CONDITION.format("Failed")
    yield "trialParameters", parameters


def _with_trial(experiment: Draft, job: Draft, subject: TunedJob, trial: Trial, name: str) -> Draft:
    if trial.jobset is not None:
        return experiment.put(_SPEC, trial.jobset, because=(_NAME,))
    kind = {"apiVersion": trainer.API_VERSION, "kind": trainer.TRAIN_JOB}
    experiment = experiment.put_each([fixed((*_SPEC, key), value) for key, value in kind.items()])
    for field in ("labels", "annotations"):
        if job.get("metadata", field):
            experiment = experiment.graft((*_SPEC, "metadata", field), job.entry("metadata", field))
    experiment = experiment.graft((*_SPEC, "spec"), job.entry("spec"))
    if subject.own_runtime is None:
        return experiment
    return experiment.put((*_SPEC, "spec", "runtimeRef", "name"), name, because=(_NAME,))


def experiment_name(subject: TunedJob, trial: Trial) -> str:
    """A name short enough for what Katib and JobSet append; it changes with all that Katib cannot change later."""
    body = write_experiment(Draft(subject.job.body), subject, trial, subject.name).value
    spec = {key: value for key, value in body["spec"].items() if key not in _COUNTS}
    runtime = subject.runtime["spec"] if subject.own_runtime and trial.jobset is None else None
    return f"{subject.name[:_LONGEST_NAME].rstrip('-')}-{short_hash([spec, runtime])}"


def write_sample(draft: Draft, subject: TunedJob, name: str, runtime: str) -> Draft:
    """The TrainJob of a trial as Katib would name it, to see whether it can be built."""
    job = write_parameters(subject.write(draft), subject, _placeholders(subject.tuning))
    job = job.put(("metadata", "name"), name, because=(_NAME,))
    return (
        job.put(("spec", "runtimeRef", "name"), runtime, because=((OBJECT, "spec", "runtimeRef"),)) if runtime else job
    )


def jobset_template(body: Mapping[str, Any], name: str, sweep: str) -> tuple[Mapping[str, Any], bool]:
    """The JobSet of a trial with a placeholder for its `name`, and whether it has one."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in ("name", "namespace")}
    metadata["labels"] = {**metadata.get("labels", {}), SWEEP_LABEL: sweep}
    template = _with_placeholder({**body, "metadata": metadata}, name)
    return template, _PLACEHOLDER in str(template)


_PLACEHOLDER = "${trialParameters.trialName}"


def _with_placeholder(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return value.replace(name, _PLACEHOLDER)
    if isinstance(value, dict):
        return {key: _with_placeholder(entry, name) for key, entry in value.items()}
    return [_with_placeholder(item, name) for item in value] if isinstance(value, list) else value


def is_jobset_excluded(runtime: Mapping[str, Any]) -> bool:
    """Whether the trials need more than a JobSet: a PodGroup, or what MPI needs."""
    return bool((runtime.get("spec") or {}).get("podGroupPolicy")) or is_mpi(runtime)


def is_mpi(runtime: Mapping[str, Any]) -> bool:
    """Whether the runtime has a launcher."""
    return ((runtime.get("spec") or {}).get("mlPolicy") or {}).get("mpi") is not None


def primary_of(runtime: Mapping[str, Any]) -> str:
    """The replicatedJob whose first Pod reports the metric."""
    return trainer.LAUNCHER if is_mpi(runtime) else trainer.NODE
