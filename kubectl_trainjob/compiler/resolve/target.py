"""Which Trainer a build is for, and what it prints: the command line, else the repositories' configurations."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_trainjob.kube.facts.supported import EMITS, LATEST_TRAINER
from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.rules import CONFLICTING_SETTINGS
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.model.units import Settings


def targeted(settings: Sequence[Settings], stated: str) -> tuple[str, list[Diagnostic]]:
    """The version of Trainer that is stated, else the repositories' target, else the latest; and disagreements."""
    named = [(each.trainer, Place(each.source, ("target", "trainer"))) for each in settings if each.trainer]
    return _agreed(stated, named, "target", LATEST_TRAINER)


def emitted(settings: Sequence[Settings], stated: str) -> tuple[str, list[Diagnostic]]:
    """What is printed for a TrainJob, "jobset" unless something else is stated; and disagreements."""
    named = [(each.emit, Place(each.source, ("emit",))) for each in settings if each.emit]
    return _agreed(stated, named, "emit", EMITS[0])


def deciding(settings: Sequence[Settings], options: BuildOptions) -> dict[str, Place]:
    """Where configurations decide what the command line does not, by the settings' names."""
    found: dict[str, Place] = {}
    for each in settings:
        if each.trainer and not options.trainer_version:
            found.setdefault("target.trainer", Place(each.source, ("target", "trainer")))
        if each.emit and not options.emit:
            found.setdefault("emit", Place(each.source, ("emit",)))
    return found


def _agreed(stated: str, named: list[tuple[str, Place]], what: str, default: str) -> tuple[str, list[Diagnostic]]:
    if stated or not named:
        return stated or default, []
    first, place = named[0]
    other = next(((value, where) for value, where in named if value != first), None)
    if other is None:
        return first, []
    message = f'{what} "{other[0]}" here and "{first}" in another repository of this build; state one'
    return first, [Diagnostic(CONFLICTING_SETTINGS, message, other[1], (Related(f"the other {what}", place),))]
