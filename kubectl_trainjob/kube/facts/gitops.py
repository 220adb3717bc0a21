"""Settings of Argo CD's Applications and Flux's Kustomizations that end runs, or change what is applied.

Each function reads a `spec` as written, with unchecked types. Mirrors argo-cd 3.5 `pkg/apis/application/v1alpha1` and
`gitops-engine/pkg/sync`, and kustomize-controller 1.9 `api/v1` with fluxcd/pkg `kustomize/kustomize_varsub.go`.
"""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.model.source import list_at, mapping_at, value_at

ARGOCD = "argocd.argoproj.io"
FLUX = "kustomize.toolkit.fluxcd.io"
SUBSTITUTE, DISABLED = f"{FLUX}/substitute", "disabled"


def uses_plugin(spec: Any) -> bool:
    """Whether the plugin of this tool renders a source of an Application. Its name may end with a version."""
    sources = [value_at(spec, ("source",)), value_at(spec, ("sourceHydrator", "drySource")), *list_at(spec, "sources")]
    return any(str(value_at(each, ("plugin", "name"))).startswith("trainjob") for each in sources)


def sync_options(spec: Any) -> list[str]:
    """The sync options of an Application."""
    return [str(each) for each in list_at(spec, "syncPolicy", "syncOptions")]


def forces(option: str) -> bool:
    """Whether a sync option deletes objects and creates them again."""
    return option.replace(" ", "").lower() in ("force=true", "replace=true")


def prunes_unconfirmed(spec: Any) -> bool:
    """Whether an Application deletes what a commit no longer has, and waits for no confirmation."""
    automated = value_at(spec, ("syncPolicy", "automated"))
    is_pruned = value_at(automated, ("prune",)) is True and value_at(automated, ("enabled",)) is not False
    return is_pruned and not {"Prune=confirm", "Prune=false"} & set(sync_options(spec))


def replaces_variables(spec: Any) -> bool:
    """Whether a Kustomization replaces variables, and no patch or common metadata prevents it."""
    preventing = (value_at(spec, (each,)) for each in ("patches", "commonMetadata"))
    return bool(value_at(spec, ("postBuild",))) and not any(_names_disabled(str(each)) for each in preventing)


def variables_of(spec: Any) -> frozenset[str]:
    """The variables that a Kustomization itself sets."""
    return frozenset(mapping_at(spec, "postBuild", "substitute"))


def _names_disabled(text: str) -> bool:
    plain = text.replace("'", "").replace('"', "")
    return f"{SUBSTITUTE}: {DISABLED}" in plain
