"""What overlays and kustomizations of other files mean for jobs that are replaced."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from kubectl_trainjob.frontends.legacy.operators import KINDS
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import MIGRATION_REVIEW
from kubectl_trainjob.model.source import Place, SourceFile
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository.files.deployments import Deployment, ObjectPatch

_OF_KUSTOMIZE = ("images", "namePrefix", "nameSuffix", "replacements", "vars", "configurations", "transformers")


def deployed_by(file: SourceFile, deployments: Sequence[Deployment]) -> str:
    """Equal for files that are deployed together: those of one directory in the same overlays and kustomizations."""
    numbers = [number for number, each in enumerate(deployments) if file in each.files]
    return f"{os.path.dirname(file.path)} {numbers}"


def changed_elsewhere(deployments: Sequence[Deployment], jobs: Collection[Manifest]) -> Iterator[Diagnostic]:
    """The patches and settings that change a replaced job, once each."""
    seen = set()
    for deployment in deployments:
        own = [each for each in jobs if each.source.file in deployment.files]
        for patch in deployment.patches:
            if patch.place not in seen and _changes(patch, own):
                seen.add(patch.place)
                message = say(
                    "a patch changes a job that migrate replaces; write it for the TrainJob or for its runtime"
                )
                yield Diagnostic(MIGRATION_REVIEW, message, patch.place)
        for name in [each for each in _OF_KUSTOMIZE if each in deployment.settings and own]:
            message = say("kustomize applies {} to a job that migrate replaces: {}", name, _lost_setting(name))
            yield Diagnostic(MIGRATION_REVIEW, message, Place(deployment.source, (name,)).key())


def _lost_setting(setting: str) -> Message:
    if setting == "images":
        return say("it does not change spec.trainer.image of a TrainJob")
    if setting.startswith("name"):
        return say("it does not change runtimeRef.name of a TrainJob")
    return say("it may name fields of the old job")


def _changes(patch: ObjectPatch, jobs: Collection[Manifest]) -> bool:
    """Whether a patch is for a kind of the operators, or for a name or any object without a kind."""
    if patch.kind:
        return patch.kind in KINDS
    is_pattern = not patch.name or not set(patch.name).isdisjoint(".*+?|()[]^$\\")
    return any(is_pattern or patch.name == each.id.name for each in jobs)
