"""What one TrainingJob is converted from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_trainjob.frontends.interface import ConversionContext, RejectedError
from kubectl_trainjob.kube.facts import ome, trainer
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.nearest import did_you_mean
from kubectl_trainjob.model.rules import OME_RUNTIME_REF
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Body, Manifest
from kubectl_trainjob.model.units import OmeSettings

RUNTIME, MODEL, SETTINGS = "runtime", "model", "settings"
"""Names of inputs for causes; `OBJECT` is the TrainingJob."""

JOB_SPEC: Cause = (OBJECT, "spec")
_KINDS = (ome.CLUSTER_TRAINING_RUNTIME, ome.TRAINING_RUNTIME)


class JobInputs(NamedTuple):
    """A TrainingJob and its runtime, both without nulls, and the settings.

    With `is_tuned` its runtime serves several trials.
    """

    job: Manifest
    spec: Body
    runtime: Manifest
    runtime_spec: Body
    settings: OmeSettings
    settings_source: Source | None
    trainer: str
    is_tuned: bool

    def policy(self, name: str) -> Mapping[str, object] | None:
        """The ML policy of a framework."""
        policies: Mapping[str, Mapping[str, object]] = self.runtime_spec.get("mlPolicy") or {}
        return policies.get(name)


def runtime_of(job: Manifest, ref: Body, context: ConversionContext) -> Manifest:
    """The runtime that a `runtimeRef` without nulls refers to. Raises RejectedError."""
    kind, group = ref.get("kind", ome.CLUSTER_TRAINING_RUNTIME), ref.get("apiGroup", ome.GROUP)
    if group != ome.GROUP:
        other = say("; write a TrainJob for a runtime of {}", trainer.GROUP) if group == trainer.GROUP else Message()
        message = say('apiGroup "{}" is not that of OME\'s runtimes; write {}{}', group, ome.GROUP, other)
        raise _rejection(job, "apiGroup", message)
    if kind not in _KINDS:
        raise _rejection(job, "kind", say('"{}" is not a kind of runtime; write {}', kind, listed(_KINDS, "or", "{}")))
    namespace = "" if kind == ome.CLUSTER_TRAINING_RUNTIME else job.id.namespace or "default"
    found = context.sources.by_key.get((group, kind, namespace, ref["name"]))
    if found is None:
        others = context.sources.names_to_hint((group, kind, namespace))
        hint = did_you_mean(ref["name"], others, say("add it to the inputs or to the directory runtimes/"))
        raise _rejection(job, "name", say('{} "{}" of ome.io does not exist; {}', kind, ref["name"], hint))
    return found


def _rejection(job: Manifest, field: str, message: Message) -> RejectedError:
    return RejectedError(Diagnostic(OME_RUNTIME_REF, message, job.place("spec", "runtimeRef", field)))
