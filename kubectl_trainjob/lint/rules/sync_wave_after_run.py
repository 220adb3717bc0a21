"""KTJ815: Argo CD waits for the health of a wave before the next one. A run is healthy only when it has ended."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.gitops import ARGOCD
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.lint.check import At, Hit
from kubectl_trainjob.lint.delivery import ANNOTATIONS, HOOKS, DeliveredObject, as_written, delivered, template_of
from kubectl_trainjob.lint.views import LintContext, LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.stages import ObjectId

_WAVE = (*ANNOTATIONS, f"{ARGOCD}/sync-wave")
_WAITS = (
    '{} "{}" is in sync wave {}, and Argo CD creates it when the run in wave {} has ended; give the run the last wave'
)


def find(job: LintedJob) -> Iterator[Hit]:
    """Jobs with an object in a later wave."""
    if job.context.settings.delivery != "argocd":
        return
    target, latest = delivered(job), job.context.once(_latest)
    if latest is not None and _wave(latest[1]) > (wave := _wave(target)) and latest[0] != job.id:
        identity, other = latest
        message = say(_WAITS, identity.kind, identity.name, _wave(other), wave)
        yield Hit(message, _place(job, target), ((say("the later wave"), other.at(_WAVE)),))


def _latest(context: LintContext) -> tuple[ObjectId, DeliveredObject] | None:
    """An object in the last wave."""
    found = (each for each in _applied_objects(context) if _is_in_sync(each[1]))
    return max(found, key=lambda each: _wave(each[1]), default=None)


def _applied_objects(context: LintContext) -> Iterator[tuple[ObjectId, DeliveredObject]]:
    """All that is applied; of a job that is expanded, what its runtime writes."""
    is_expanded = context.emit != "trainjob"
    for each in context.objects:
        if not (is_expanded and is_runtime(each)):
            yield each.id, as_written(each)
    for each in context.train_jobs:
        if not is_expanded:
            yield each.id, as_written(each)
        elif (runtime := context.runtime_of(each)) is not None:
            yield each.id, template_of(runtime)


def _is_in_sync(other: DeliveredObject) -> bool:
    """Hooks of other phases have waves of their phase."""
    hooks = [str(other.annotations[key]).split(",") for key in HOOKS if key in other.annotations]
    return all("Sync" in each for each in hooks)


def _place(job: LintedJob, target: DeliveredObject) -> At:
    return target.at(_WAVE) if _WAVE[-1] in target.annotations else job.in_train_job("metadata", "name")


def _wave(other: DeliveredObject) -> int:
    """The wave of an object; Argo CD reads any text except a number as 0."""
    text = str(other.annotations.get(_WAVE[-1], ""))
    return int(text) if text.lstrip("-+").isdecimal() and len(text) < 10 else 0
