"""`lint` and `delivery` of trainjob.yaml. Whether there is a rule of a name is for lint to say, which knows them."""

from __future__ import annotations

from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.units import LintSettings, PathRules
from kubectl_trainjob.repository.files.settings import Fields

DELIVERIES = ("argocd", "flux", "kubectl")
_SETTINGS = ("select", "ignore", "severity", "perPath", "schedulers")


def lint_settings(settings: Fields) -> LintSettings:
    """What the configuration says of lint; what is wrong with it is noted in `settings`."""
    stated = settings.below("lint")
    stated.refuse_unknown(_SETTINGS)
    return LintSettings(
        select=stated.texts("select"),
        ignore=stated.texts("ignore"),
        severity=_severities(stated),
        per_path=_per_path(stated),
        schedulers=stated.texts("schedulers"),
        delivery=settings.text("delivery", DELIVERIES),
    )


def _severities(stated: Fields) -> tuple[tuple[str, str], ...]:
    below = stated.below("severity")
    return tuple((rule, level) for rule in below.body if (level := below.text(rule, tuple(Severity))))


def _per_path(stated: Fields) -> tuple[PathRules, ...]:
    below = stated.below("perPath")
    return tuple(_rules(pattern, below.below(pattern)) for pattern in below.body)


def _rules(pattern: str, stated: Fields) -> PathRules:
    stated.refuse_unknown(("ignore", "severity"))
    return PathRules(pattern, stated.texts("ignore"), _severities(stated))
