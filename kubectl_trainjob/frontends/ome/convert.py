"""One object of OME to ordinary objects. Start reading here."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.interface import ConversionContext, RejectedError
from kubectl_trainjob.frontends.objects import Writer, draft_object
from kubectl_trainjob.frontends.ome.dialect import read_object, reserved_labels
from kubectl_trainjob.frontends.ome.folders import find_model, folders_of
from kubectl_trainjob.frontends.ome.inputs import MODEL, RUNTIME, SETTINGS, JobInputs, runtime_of
from kubectl_trainjob.frontends.ome.plan import RuntimePlan, check_nodes, check_policies, check_taken
from kubectl_trainjob.frontends.ome.roles import find_roles
from kubectl_trainjob.frontends.ome.runtime import write_runtime
from kubectl_trainjob.frontends.ome.trainer import processes_of, write_job
from kubectl_trainjob.frontends.ome.volumes import write_claim, write_volume
from kubectl_trainjob.frontends.tuning.config import Tuning, TuningBlock, read_tuning, tuning_settings
from kubectl_trainjob.frontends.tuning.convert import convert_tuned
from kubectl_trainjob.frontends.tuning.plain import SWEEP, block_of_sweep
from kubectl_trainjob.frontends.tuning.trials import TunedJob
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.facts.sweep import SEED_ANNOTATION
from kubectl_trainjob.kube.facts.trainer import KUEUE_LABEL_PREFIX
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.edited_object import OBJECT
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import SWEEP_TARGET
from kubectl_trainjob.model.source import Source, value_at
from kubectl_trainjob.model.stages import Body, Conversion, Manifest, Sweep
from kubectl_trainjob.model.units import OmeSettings

STEP = "ome"


def convert_ome(manifest: Manifest, context: ConversionContext) -> Conversion:
    """The objects of a TrainingJob; a runtime gives none, a model stays."""
    role = role_of(manifest.id)
    if role is KindRole.SOURCE_JOB:
        return _JobConversion(manifest, context).convert()
    found = tuple(read_object(manifest)[1])
    return Conversion((manifest,) if role is KindRole.MODEL else (), found)


class _JobConversion(NamedTuple):
    job: Manifest
    context: ConversionContext

    def convert(self) -> Conversion:
        body, found = read_object(self.job)
        if found:
            return Conversion(findings=tuple(found))
        tuning = self._tuning(body["spec"])
        try:
            plan = self._plan(body["spec"])
            processes = processes_of(plan) if isinstance(plan, RuntimePlan) else None
        except RejectedError as error:
            plan = [error.finding]
        if not isinstance(plan, RuntimePlan) or isinstance(tuning, list):
            return Conversion(findings=(*_errors(tuning), *_errors(plan)))
        volumes = (self._object(plan, partial(write, plan=plan)) for write in _volumes(plan))
        write = partial(write_job, plan=plan, processes=processes)
        if tuning is not None:
            converted = self._convert_tuned(plan, tuning, write)
            return converted._replace(objects=(*volumes, *converted.objects)) if converted.objects else converted
        runtime = partial(write_runtime, plan=plan, name=self.job.id.name)
        return Conversion((*volumes, self._object(plan, runtime), self._object(plan, write)))

    def _tuning(self, spec: Body) -> Tuning | list[Diagnostic] | None:
        """The tuning of a job, its own or that of an item of `sweeps`; None for neither."""
        own, sweep = "hyperParameterTuningConfig" in spec, self.job.sweep
        if own and sweep is not None:
            return [_swept_twice(self.job, sweep)]
        if not own and sweep is None:
            return None
        return read_tuning(_block(self.job, spec), tuning_settings(self.context.settings))

    def _convert_tuned(self, plan: RuntimePlan, tuning: Tuning, write: Writer) -> Conversion:
        runtime = partial(write_runtime, plan=plan)
        body = runtime(Draft(self.job.body), name=self.job.id.name).value
        subject = TunedJob(self.job, tuning, write, self._sources(plan), runtime, body, STEP)
        return convert_tuned(subject, self.context)

    def _plan(self, spec: Body) -> RuntimePlan | list[Diagnostic]:
        """All inputs of the objects, or what prevents them. Raises RejectedError."""
        runtime = runtime_of(self.job, spec["runtimeRef"], self.context)
        runtime_body, of_runtime = read_object(runtime)
        if of_runtime:
            return of_runtime
        settings = next((each for each in self.context.settings if each.ome != OmeSettings()), None)
        inputs = JobInputs(
            self.job,
            spec,
            runtime,
            runtime_body["spec"],
            settings.ome if settings else OmeSettings(),
            settings.source if settings else None,
            self.context.trainer,
            is_tuned="hyperParameterTuningConfig" in spec or self.job.sweep is not None,
        )
        return self._checked_plan(inputs)

    def _checked_plan(self, inputs: JobInputs) -> RuntimePlan | list[Diagnostic]:
        found = [
            *reserved_labels(self.job, inputs.spec),
            *reserved_labels(inputs.runtime, inputs.runtime_spec, (KUEUE_LABEL_PREFIX,)),
            *check_policies(inputs),
        ]
        if found:
            return found
        roles = find_roles(inputs.runtime_spec["template"], inputs.runtime, is_mpi=inputs.policy("mpi") is not None)
        model = find_model(self.job, inputs.spec, dict(inputs.settings.models), self.context)
        plan = RuntimePlan(inputs, roles, tuple(folders_of(inputs, model)), model)
        return [*check_taken(plan), *check_nodes(plan)] or plan

    def _object(self, plan: RuntimePlan, write: Writer) -> Manifest:
        return draft_object(self.job, write, self._sources(plan), STEP)

    def _sources(self, plan: RuntimePlan) -> dict[str, Source]:
        model, sweep = plan.model.manifest if plan.model else None, self.job.sweep
        found = {
            RUNTIME: plan.inputs.runtime.source,
            SETTINGS: plan.inputs.settings_source,
            MODEL: model.source if model else None,
            SWEEP: sweep.place.source if sweep else None,
        }
        return {name: source for name, source in found.items() if source}


def _errors(found: object) -> tuple[Diagnostic, ...]:
    return tuple(found) if isinstance(found, list) else ()


def _swept_twice(job: Manifest, sweep: Sweep) -> Diagnostic:
    message = say('"{}" has its own hyperParameterTuningConfig; remove it, or this sweep', job.id.name)
    related = RelatedPlace(say("its own"), job.place("spec", "hyperParameterTuningConfig").key())
    return Diagnostic(SWEEP_TARGET, message, sweep.place, (related,))


def _block(job: Manifest, spec: Body) -> TuningBlock:
    annotation = ("metadata", "annotations", SEED_ANNOTATION)
    specified = value_at(job.body, annotation)
    seed, seed_place = "0" if specified is None else str(specified), job.place(*annotation)
    if job.sweep is not None:
        return block_of_sweep(job.sweep, seed, seed_place)
    pointer = ("spec", "hyperParameterTuningConfig")
    return TuningBlock(spec[pointer[-1]], job.place(*pointer), (OBJECT, *pointer), seed, seed_place)


def _volumes(plan: RuntimePlan) -> tuple[Any, ...]:
    is_needed = plan.model is not None and plan.model.path and plan.inputs.settings.model_access == "pvPvc"
    return (write_volume, write_claim) if is_needed else ()
