"""`sweeps`: which training jobs the items of one overlay select, by the objects as they are before its edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.compiler.overlay.patch import OverlayResource, tags_of
from kubectl_trainjob.compiler.overlay.select import SelectorError, compile_selector
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts.kinds import is_training_input
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Sweep
from kubectl_trainjob.model.units import Overlay, SweepItem


def select_sweeps(overlay: Overlay, resources: Sequence[OverlayResource], steps: Steps) -> Iterator[Diagnostic]:
    """Give each selected training job its item; yields the errors of the items."""
    jobs = [resource for resource in resources if is_training_input(resource.manifest)]
    for index, item in enumerate(overlay.sweeps):
        place = Place(overlay.source, ("sweeps", index))
        try:
            chosen = _jobs_of(item, jobs, steps)
        except SelectorError as error:
            yield Diagnostic(rules.INVALID_OVERLAY, error.message, place.child("target", error.field))
            continue
        if item.target is None:
            yield Diagnostic(rules.SWEEP_TARGET, say("the sweep has no target; write which job to sweep"), place)
        elif not chosen and overlay.is_complete:
            message = say("the target matches no TrainJob or TrainingJob of this overlay; correct it")
            yield Diagnostic(rules.SWEEP_TARGET, message, place.child("target").key())
        for resource in chosen:
            if resource.sweep is not None:
                message = say('a second sweep selects "{}"; remove one of them', resource.identity.name)
                yield Diagnostic(
                    rules.SWEEP_TARGET, message, place, (RelatedPlace(say("the first one"), resource.sweep.place),)
                )
            else:
                resource.sweep = Sweep(item.body, place)


def _jobs_of(item: SweepItem, jobs: Sequence[OverlayResource], steps: Steps) -> list[OverlayResource]:
    if item.target is None:
        return []
    matcher = compile_selector(item.target, steps)
    return [resource for resource in jobs if matcher(resource.known_as, *tags_of(resource.draft))]
