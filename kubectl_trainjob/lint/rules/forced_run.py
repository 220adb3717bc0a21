"""KTJ817: To force or to replace a JobSet is to delete it and to create it again: the run starts again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.delivery import ANNOTATIONS, ARGOCD, FLUX, applications, delivered, kustomizations
from kubectl_trainjob.lint.views import LintContext, LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import value_at

_OPTIONS, _FORCE = (*ANNOTATIONS, f"{ARGOCD}/sync-options"), (*ANNOTATIONS, f"{FLUX}/force")
_REPLACED = "{} ends running jobs: Argo CD deletes and creates them again at a sync; remove it"
_FORCED = "Flux deletes running jobs if the API server rejects a change or an error in a manifest; remove {}"


def find(job: LintedJob) -> Iterator[Hit]:
    """Jobs that are replaced or forced by an annotation."""
    target, delivery = delivered(job), job.context.settings.delivery
    if delivery == "argocd":
        for option in _forcing(str(target.annotations.get(_OPTIONS[-1], "")).split(",")):
            yield Hit(say(_REPLACED, option), target.at(_OPTIONS))
    elif delivery == "flux" and str(target.annotations.get(_FORCE[-1])).lower() == "enabled":
        yield Hit(say(_FORCED, f"{_FORCE[-1]}: enabled"), target.at(_FORCE))


def find_in_settings(context: LintContext) -> Iterator[Hit]:
    """Applications and Kustomizations that replace or force all that they apply."""
    if context.settings.delivery == "argocd":
        for manifest, spec in applications(context):
            pointer = (*spec, "syncPolicy", "syncOptions")
            options = value_at(manifest.body, pointer)
            for index, each in enumerate(options if isinstance(options, list) else ()):
                for option in _forcing([each]):
                    yield Hit(say(_REPLACED, option), manifest.place(*pointer, index))
    elif context.settings.delivery == "flux":
        for manifest in kustomizations(context):
            if value_at(manifest.body, ("spec", "force")) is True:
                yield Hit(say(_FORCED, "force: true"), manifest.place("spec", "force"))


def _forcing(options: list[Any]) -> Iterator[str]:
    """The options that delete objects."""
    texts = (str(each).replace(" ", "") for each in options)
    return (each for each in texts if each.lower() in ("force=true", "replace=true"))
