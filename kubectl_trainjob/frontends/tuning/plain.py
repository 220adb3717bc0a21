"""Sweeps of plain TrainJobs: items of `sweeps` of an overlay."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.frontends.interface import ConversionContext
from kubectl_trainjob.frontends.shape import Checker, Entries, Items, Keys, without_nulls
from kubectl_trainjob.frontends.tuning.config import Tuning, TuningBlock, read_tuning, tuning_settings
from kubectl_trainjob.frontends.tuning.convert import convert_tuned
from kubectl_trainjob.frontends.tuning.trials import TunedJob
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Conversion, Manifest, Sweep

SWEEP = "sweep"
"""The name of the overlay for causes."""

_OF_ITEM = ("target", "seed")
_TEXTS = Items("any")
_TRAINER = Keys({"command": _TEXTS, "args": _TEXTS, "env": Items("object")}, is_open=True)
_METADATA = Keys({"labels": Entries("any"), "annotations": Entries("any")}, is_open=True)
_READABLE = Keys(
    {"metadata": _METADATA, "spec": Keys({"trainer": _TRAINER, "runtimeRef": "object"}, is_open=True)},
    ("spec",),
    is_open=True,
)


def block_of_sweep(sweep: Sweep, seed: str = "0", seed_place: Place | None = None) -> TuningBlock:
    """The tuning of an item; `seed` is the one of the job, for an item without one."""
    body: dict[str, Any] = without_nulls(sweep.item)
    specified = body.get("seed")
    rest = {key: value for key, value in body.items() if key not in _OF_ITEM}
    place = sweep.place.child("seed")
    if specified is not None:
        seed, seed_place = str(specified), place
    return TuningBlock(rest, sweep.place, (SWEEP, *sweep.place.pointer), seed, seed_place or place)


def convert_plain(job: Manifest, context: ConversionContext) -> Conversion:
    """The trials of a TrainJob; one that is not well-formed stays, and its errors are found later."""
    assert job.sweep is not None
    if next(Checker(job.place()).check(without_nulls(job.body), _READABLE), None):
        return Conversion((job,))
    tuning = read_tuning(block_of_sweep(job.sweep), tuning_settings(context.settings))
    if not isinstance(tuning, Tuning):
        return Conversion(findings=tuple(tuning))
    runtime = context.runtime(job)
    sources = {SWEEP: job.sweep.place.source}
    subject = TunedJob(job, tuning, _keep, sources, None, runtime.body if runtime else {}, "sweeps")
    return convert_tuned(subject, context)


def _keep(draft: Draft) -> Draft:
    return draft
