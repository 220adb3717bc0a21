"""KTJ815: Argo CD waits for the health of a wave before the next one, and a run is healthy only when it has ended."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.lint.check import At, Hit
from kubectl_trainjob.lint.delivery import ANNOTATIONS, ARGOCD, Delivered, annotations_of, delivered
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.stages import Body

_WAVE = (*ANNOTATIONS, f"{ARGOCD}/sync-wave")
_WAITS = (
    '{} "{}" is in sync wave {}, and Argo CD creates it when the run in wave {} has ended; give the run the last wave'
)


def find(job: LintedJob) -> Iterator[Hit]:
    """Jobs with an object in a later wave."""
    if job.context.settings.delivery != "argocd":
        return
    target = delivered(job)
    wave = _wave(target.body)
    others = (each for each in job.context.objects if job.context.emit == "trainjob" or not is_runtime(each))
    later = [each for each in others if _wave(each.body) > wave]
    if later:
        first = max(later, key=lambda each: _wave(each.body))
        message = say(_WAITS, first.id.kind, first.id.name, _wave(first.body), wave)
        yield Hit(message, _place(job, target), ((say("the later wave"), first.place(*_WAVE)),))


def _place(job: LintedJob, target: Delivered) -> At:
    return target.at(_WAVE) if _WAVE[-1] in target.annotations else job.in_train_job("metadata", "name")


def _wave(body: Body) -> int:
    """The wave of an object; Argo CD reads any text except a number as 0."""
    text = str(annotations_of(body).get(_WAVE[-1], ""))
    return int(text) if text.lstrip("-+").isdecimal() and len(text) < 10 else 0
