"""KTJ817: To force or to replace a JobSet is to delete it and to create it again: the run starts again."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.facts.gitops import ARGOCD, FLUX, forces, sync_options
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.delivery import ANNOTATIONS, applications, delivered, kustomizations
from kubectl_trainjob.lint.views import LintContext, LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import value_at

_OPTIONS, _FORCE = (*ANNOTATIONS, f"{ARGOCD}/sync-options"), (*ANNOTATIONS, f"{FLUX}/force")
_REPLACED = "{} ends running jobs: Argo CD deletes and creates them again at a sync; remove it"
_FORCED = "Flux deletes running jobs if the API server rejects a change, or if a manifest has an error; remove {}"


def find(job: LintedJob) -> Iterator[Hit]:
    """Jobs that are replaced or forced by an annotation."""
    target, delivery = delivered(job), job.context.settings.delivery
    if delivery == "argocd":
        for option in filter(forces, str(target.annotations.get(_OPTIONS[-1])).split(",")):
            yield Hit(say(_REPLACED, option.strip()), target.at(_OPTIONS))
    elif delivery == "flux" and str(target.annotations.get(_FORCE[-1])).lower() == "enabled":
        yield Hit(say(_FORCED, f"{_FORCE[-1]}: enabled"), target.at(_FORCE))


def find_in_settings(context: LintContext) -> Iterator[Hit]:
    """Applications and Kustomizations that replace or force all that they apply."""
    if context.settings.delivery == "argocd":
        for manifest, spec in applications(context):
            for index, option in enumerate(sync_options(value_at(manifest.body, spec))):
                if forces(option):
                    place = manifest.place(*spec, "syncPolicy", "syncOptions", index)
                    yield Hit(say(_REPLACED, option), place)
    elif context.settings.delivery == "flux":
        for manifest in kustomizations(context):
            if value_at(manifest.body, ("spec", "force")) is True:
                yield Hit(say(_FORCED, "force: true"), manifest.place("spec", "force"))
