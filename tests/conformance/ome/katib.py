"""A model of Katib's defaulter, validator and renderer, of what this project's Experiments and their neighbours use.

test_katib.py compares it with every recorded answer of Katib's own code. Then it checks every Experiment that we build.
Mirrors kubeflow/katib pkg/webhook/v1beta1/experiment/validator and pkg/controller.v1beta1/experiment/manifest.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
_NAME = re.compile(r"[a-z][-a-z0-9.]*")
_ALGORITHMS = ("random", "grid", "tpe", "multivariate-tpe", "bayesianoptimization", "cmaes", "sobol", "hyperband")
_COLLECTORS = ("StdOut", "File", "TensorFlowEvent", "PrometheusMetric", "Custom", "Push")
_WITHOUT_CONFIG = ("PrometheusMetric",)
_DISTRIBUTIONS = ("", "uniform", "logUniform", "normal", "logNormal", "unknown")
_PLACEHOLDER = re.compile(r"\$\{trialParameters\.([^${}]*)\}")
_META = re.compile(r"\$\{trialSpec\.(Name|Namespace|Kind|APIVersion|Labels\[.+\]|Annotations\[.+\])\}")
_DEFAULT_CONDITIONS = ("Job", "TFJob", "PyTorchJob", "XGBoostJob", "MPIJob", "PaddleJob", "JAXJob", "TrainJob")


@cache
def answers() -> dict[str, Json]:
    """The recorded Experiments and what Katib answered, by name."""
    with gzip.open(Path(__file__).with_name("katib.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return {each["name"]: each for each in map(json.loads, lines)}


def is_decodable(experiment: Json) -> bool:
    """Whether the types are those of Katib's structs."""
    spec = experiment["spec"]
    counts = (spec.get(key) for key in ("maxTrialCount", "parallelTrialCount", "maxFailedTrialCount"))
    goal = (spec.get("objective") or {}).get("goal")
    trial = (spec.get("trialTemplate") or {}).get("trialSpec")
    return (
        all(each is None or isinstance(each, int) for each in counts)
        and not isinstance(goal, str)
        and (trial is None or "kind" in trial)
    )


def validate(experiment: Json) -> list[str]:
    """The fields of the findings of Katib's validator."""
    spec = experiment["spec"]
    fields = [] if _is_named(experiment["metadata"].get("name", "")) else ["metadata.name"]
    fields += [*_counts(spec), *_objective(spec.get("objective"))]
    for key, known in (("algorithm", _ALGORITHMS), ("earlyStopping", ("medianstop",))):
        fields += _algorithm(spec, key, known)
    if spec.get("resumePolicy", "Never") not in ("Never", "LongRunning", "FromVolume"):
        fields.append("spec.resumePolicy")
    if bool(spec.get("parameters")) == bool(spec.get("nasConfig")):
        fields.append("spec")
    for index, each in enumerate(spec.get("parameters") or []):
        fields += (f"spec.parameters[{index}].{field}".rstrip(".") for field in _parameter(each))
    return [*fields, *_template(spec), *_collector(spec.get("metricsCollectorSpec") or {})]


def _is_named(name: str) -> bool:
    return len(name) <= 40 and _NAME.fullmatch(name) is not None


def _counts(spec: Json) -> Iterator[str]:
    most, failed, parallel = (spec.get(f"{key}TrialCount") for key in ("max", "maxFailed", "parallel"))
    parallel = 3 if parallel is None else parallel
    if most is not None and most <= 0:
        yield "spec.maxTrialCount"
    if failed is not None and failed < 0:
        yield "spec.maxFailedTrialCount"
    if parallel <= 0:
        yield "spec.parallelTrialCount"
    if most is not None and failed is not None and failed > most:
        yield "spec.maxFailedTrialCount"
    if most is not None and parallel > most:
        yield "spec.parallelTrialCount"


def _objective(objective: Json | None) -> Iterator[str]:
    if objective is None:
        yield "spec.objective"
        return
    if objective.get("type") not in ("minimize", "maximize"):
        yield "spec.objective.type"
    if not objective.get("objectiveMetricName"):
        yield "spec.objective.objectiveMetricName"
    if objective.get("objectiveMetricName") in (objective.get("additionalMetricNames") or ()):
        yield "spec.objective.additionalMetricNames"


def _algorithm(spec: Json, key: str, known: tuple[str, ...]) -> Iterator[str]:
    stated = spec.get(key)
    if stated is None:
        if key == "algorithm":
            yield "spec.algorithm"
        return
    name = stated.get("algorithmName", "")
    yield from [f"spec.{key}.algorithmName"] * ((not name) + (name not in known))


def _parameter(parameter: Json) -> Iterator[str]:
    kind, space = parameter.get("parameterType", ""), parameter.get("feasibleSpace") or {}
    if kind not in ("unknown", "int", "double", "discrete", "categorical"):
        yield "parameterType"
    if space.get("distribution", "") not in _DISTRIBUTIONS:
        yield "feasibleSpace.distribution"
    if kind in ("int", "double"):
        if space.get("list"):
            yield "feasibleSpace.list"
        if not space.get("min") or not space.get("max"):
            yield "feasibleSpace.max"
    elif kind in ("discrete", "categorical") and any(space.get(key) for key in ("min", "max", "step")):
        yield "feasibleSpace"


def _template(spec: Json) -> Iterator[str]:
    template = spec.get("trialTemplate")
    if template is None:
        yield "spec.trialTemplate"
        return
    at = "spec.trialTemplate"
    trial, stated = template.get("trialSpec"), template.get("trialParameters")
    if not template.get("primaryContainerName"):
        yield f"{at}.primaryContainerName"
    conditions = template.get("successCondition"), template.get("failureCondition")
    if trial is not None and trial.get("kind") not in _DEFAULT_CONDITIONS and not all(conditions):
        yield at
    early = next(_source(template), None)
    if early is not None:
        yield early
        return
    text = json.dumps(trial)
    seen: set[str] = set()
    names = {each["name"] for each in spec.get("parameters") or ()}
    for index, each in enumerate(stated or []):
        field = _trial_parameter(each, names, seen, text)
        if field is not None:
            yield f"{at}.trialParameters[{index}]{field}"
        if field == ".name" and each["name"] not in seen:
            return
        seen |= {each.get("name", ""), f"-> {each.get('reference')}"}
    yield from _rest(template, text)


def _source(template: Json) -> Iterator[str]:
    """What ends the validation of a template at once."""
    has_spec, has_map = template.get("trialSpec") is not None, template.get("configMap") is not None
    if not has_spec and not has_map:
        yield "spec.trialTemplate.TrialSource"
    elif has_spec and has_map:
        yield "spec.trialTemplate"
    elif template.get("trialParameters") is None:
        yield "spec.trialTemplate.trialParameters"
    elif has_map:
        yield "spec.trialTemplate"


def _trial_parameter(each: Json, names: set[str], seen: set[str], text: str) -> str | None:
    name, reference = each.get("name", ""), each.get("reference", "")
    if not name or not reference or set("{}") & set(name):
        return ""
    if name in seen:
        return ".name"
    if f"-> {reference}" in seen:
        return ".reference"
    if names and reference not in names and not _META.fullmatch(reference):
        return ".reference"
    return None if f"${{trialParameters.{name}}}" in text else ".name"


def _rest(template: Json, text: str) -> Iterator[str]:
    valid = {each.get("name") for each in template["trialParameters"] if each.get("reference")}
    if set(_PLACEHOLDER.findall(text)) - valid:
        yield "spec.trialTemplate"
        return
    trial = template["trialSpec"]
    metadata = trial.get("metadata") or {}
    if metadata.get("name") or metadata.get("namespace") or not trial.get("apiVersion"):
        yield "spec.trialTemplate"


def _collector(stated: Json) -> Iterator[str]:
    at = "spec.metricsCollectorSpec"
    kind, source = (stated.get("collector") or {}).get("kind", "StdOut"), stated.get("source") or {}
    path = source.get("fileSystemPath") or {}
    if kind not in _COLLECTORS or kind in _WITHOUT_CONFIG:
        yield f"{at}.collector.kind"
        return
    if kind == "Custom" and not (stated.get("collector") or {}).get("customCollector"):
        yield f"{at}.collector.customCollector"
    if kind == "File" and path and not str(path.get("path", "")).startswith("/"):
        yield f"{at}.source.fileSystemPath.path"
    if source.get("filter") and path.get("format") == "JSON":
        yield f"{at}.source.filter"
    for each in (source.get("filter") or {}).get("metricsFormat") or ():
        if not _has_two_groups(each):
            yield f"{at}.source.filter.metricsFormat"


def _has_two_groups(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups >= 2
    except re.error:
        return False


def render(experiment: Json, assigned: list[Json], name: str, namespace: str) -> Json | None:
    """The trial that Katib creates, None if it cannot."""
    template = experiment["spec"]["trialTemplate"]
    trial = template["trialSpec"]
    assignments = {each["name"]: each["value"] for each in assigned}
    values, used = dict[str, str](), set[str]()
    metadata = trial.get("metadata") or {}
    meta = {"Name": name, "Namespace": namespace, "Kind": trial["kind"], "APIVersion": trial["apiVersion"]}
    for each in template["trialParameters"]:
        reference = each["reference"]
        found = _META.fullmatch(reference)
        if found is None:
            if reference not in assignments:
                return None
            values[each["name"]], _ = assignments[reference], used.add(reference)
            continue
        field, _, key = found[1].rstrip("]").partition("[")
        value = metadata.get(field.lower(), {}).get(key) if key else meta[field]
        if value is None:
            return None
        values[each["name"]] = value
    if len(assigned) > len(used):
        return None
    text = json.dumps(trial)
    for parameter, value in values.items():
        text = text.replace(f"${{trialParameters.{parameter}}}", value)
    try:
        rendered = yaml.safe_load(text)  # as Katib: a line break in a text becomes a space
    except yaml.YAMLError:
        return None
    rendered.setdefault("metadata", {}).update(name=name, namespace=namespace)
    return dict(rendered)
