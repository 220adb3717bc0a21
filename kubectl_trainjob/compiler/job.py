"""One TrainJob through admission, resolution, expansion and the admission of its JobSet, recorded or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kubectl_trainjob.compiler.compilation import CompiledJob, Expansion, Findings, Job, Target
from kubectl_trainjob.compiler.expand.behaviour import Behaviour
from kubectl_trainjob.compiler.expand.run import RuntimeTemplate, expand, required_secrets, template_of
from kubectl_trainjob.compiler.job_creation import JOBSET_REJECTED, job_creation_diagnostics
from kubectl_trainjob.compiler.value_places import ValuePlaces, recorded
from kubectl_trainjob.compiler.versions import Version
from kubectl_trainjob.kube.admission.jobset import jobset_problems, prime_cache
from kubectl_trainjob.kube.admission.jobset_defaults import render_create_defaults
from kubectl_trainjob.kube.admission.objects import Admission, admit, readable
from kubectl_trainjob.kube.facts.trainer import MANAGED_BY_TRAINER
from kubectl_trainjob.kube.pods.jobset import job_problems
from kubectl_trainjob.kube.pods.jobset import prime_cache as prime_pod_cache
from kubectl_trainjob.kube.pods.visit import PodCache
from kubectl_trainjob.kube.schemas.walk import PartCache
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.draft import INPUT, Draft
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.problem import Problem
from kubectl_trainjob.model.rules import DEADLINE_NOT_ENFORCED, MANAGED_ELSEWHERE
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import (
    COUNTS,
    AdmittedObject,
    Body,
    Manifest,
    Object,
    ObjectId,
    RequiredSecret,
    ResolvedJob,
    TracedJob,
    TracedObject,
    identity_of,
)

_NO_TEMPLATE = RuntimeTemplate({}, frozenset())


@dataclass(frozen=True, slots=True)
class AdmittedRuntime:
    """A runtime after admission: None and the reasons, or its body and its template."""

    runtime: AdmittedObject | None
    template: RuntimeTemplate
    diagnostics: Findings


class AdmittedRuntimes:
    """A cache: each runtime is admitted once, however many jobs use it.

    `cache` has the parts that JobSet's admission accepted, which all JobSets share, `pod_cache` those of the validation
    of Jobs.
    """

    def __init__(self, admission: Admission) -> None:
        self.cache = PartCache()
        self.pod_cache = PodCache()
        self.admission = admission
        self._by_source: dict[Source, AdmittedRuntime] = {}

    def admit(self, manifest: Manifest) -> AdmittedRuntime:
        """The runtime, admitted."""
        known = self._by_source.get(manifest.source)
        if known is None:
            known = self._by_source[manifest.source] = self._admit(manifest)
        return known

    def _admit(self, manifest: Manifest) -> AdmittedRuntime:
        runtime, diagnostics = admit(manifest, self.admission)
        if runtime is None:
            return AdmittedRuntime(None, _NO_TEMPLATE, tuple(diagnostics))
        template = template_of(runtime)
        prime_cache(template.spec, self.cache, self.admission.jobset)
        prime_pod_cache(template.spec, self.pod_cache)
        return AdmittedRuntime(runtime, template, tuple(diagnostics))


class _Ready(NamedTuple):
    """A TrainJob that can be expanded; None and why not."""

    resolved: ResolvedJob | None
    template: RuntimeTemplate
    diagnostics: Findings


def compile_job(job: Job, target: Target, admitted: AdmittedRuntimes) -> CompiledJob[None]:
    """One TrainJob through admission, resolution, expansion and the admission of its JobSet."""
    ready = _ready(job, target, admitted)
    found = _expand(ready, target.version.behaviour, admitted)
    inputs = job.manifest, job.runtime, job.unit, None
    if ready.resolved is None or found.place_of is None or has_errors(found.findings):
        return CompiledJob(*inputs, findings=found.findings)
    owner, place = job.manifest.id, job.manifest.place("metadata", "name")
    objects = tuple(Object(identity_of(body), place, job.unit, owner, body=body) for body in found.bodies)
    expansion = Expansion(ready.resolved, found.place_of)
    return CompiledJob(*inputs, objects, found.secrets, found.findings, found.creation_findings, expansion)


def _ready(wanted: Job, target: Target, admitted: AdmittedRuntimes) -> _Ready:
    job, found = admit(wanted.manifest, target.version.admission)
    diagnostics: Findings = tuple(found)
    if job is None:
        return _Ready(None, _NO_TEMPLATE, diagnostics)
    unmanaged = () if target.emit == "trainjob" else tuple(_controller_problems(job, target.version))
    runtime_manifest = wanted.runtimes.find(job)
    if isinstance(runtime_manifest, Diagnostic):
        return _Ready(None, _NO_TEMPLATE, (*diagnostics, *unmanaged, runtime_manifest))
    runtime = admitted.admit(runtime_manifest)
    diagnostics += unmanaged + runtime.diagnostics
    if runtime.runtime is None or has_errors(runtime.diagnostics):
        return _Ready(None, _NO_TEMPLATE, diagnostics)
    return _Ready(ResolvedJob(job, runtime.runtime), runtime.template, diagnostics)


class _ExpandedJob(NamedTuple):
    """The bodies of the generated objects and all problems; no bodies where the job cannot be built."""

    findings: Findings
    bodies: tuple[Body, ...] = ()
    secrets: tuple[RequiredSecret, ...] = ()
    creation_findings: Findings = ()
    place_of: ValuePlaces | None = None


def _expand(ready: _Ready, behaviour: Behaviour, admitted: AdmittedRuntimes) -> _ExpandedJob:
    resolved, template, diagnostics = ready
    if resolved is None:
        return _ExpandedJob(diagnostics)
    drafts, found = expand(resolved, template, behaviour)
    diagnostics += found
    if not drafts:
        return _ExpandedJob(diagnostics)
    jobset = render_create_defaults(drafts[0])
    rejected = jobset_problems(jobset.value, admitted.cache, admitted.admission.jobset)
    if rejected:
        drafts, _ = expand(resolved, template, behaviour, record=True)
        return _ExpandedJob(diagnostics + _at_the_source(resolved, drafts[0], rejected))
    bodies = (jobset.value, *(draft.value for draft in drafts[1:]))
    place_of = ValuePlaces(resolved, template, behaviour, jobset.value)
    problems = job_problems(jobset.value, admitted.pod_cache)
    creation_findings = tuple(job_creation_diagnostics(resolved, jobset.value, problems, place_of)) if problems else ()
    return _ExpandedJob(diagnostics, bodies, required_secrets(resolved), creation_findings, place_of)


def run_content(job: Job, target: Target, admitted: AdmittedRuntimes) -> Body:
    """The JobSet of a TrainJob; the TrainJob itself if it cannot be expanded, or if Trainer expands it."""
    ready = _ready(job, target, admitted) if target.emit == "jobset" else None
    if ready is None or ready.resolved is None:
        return job.manifest.body
    drafts, _ = expand(ready.resolved, ready.template, target.version.behaviour)
    return render_create_defaults(drafts[0]).value if drafts else job.manifest.body


def creation_findings_despite_runtime(job: Job, target: Target, admitted: AdmittedRuntimes) -> Findings:
    """The Jobs of a TrainJob that the API server will reject once the errors of its runtime are fixed. Empty if the
    errors leave that open.
    """
    own, _ = admit(job.manifest, target.version.admission)
    runtime_manifest = job.runtimes.find(own) if own else None
    if own is None or not isinstance(runtime_manifest, Manifest):
        return ()
    runtime = readable(runtime_manifest, target.version.admission)
    if runtime is None:
        return ()
    ready = _Ready(ResolvedJob(own, runtime), template_of(runtime), ())
    return _expand(ready, target.version.behaviour, admitted).creation_findings


def trace_job(job: Job, target: Target, admitted: AdmittedRuntimes) -> TracedJob:
    """The job compiled as a build does it, then expanded again with the origin of each value."""
    ready = _ready(job, target, admitted)
    found = _expand(ready, target.version.behaviour, admitted)
    if found.place_of is None or has_errors(found.findings):
        return TracedJob(trace_object(job.manifest), ready.resolved, diagnostics=found.findings, overlay=job.unit)
    recorded_job = _trace(job, ready, target)
    objects = tuple(_with_former(recorded_job.objects, ready, target.version.behaviour))
    return replace(recorded_job, objects=objects, secrets=found.secrets, diagnostics=found.findings)


def _with_former(objects: Sequence[TracedObject], ready: _Ready, behaviour: Behaviour) -> Iterator[TracedObject]:
    """The objects with those that Trainer generates without the TrainJob's counts, if these can be built, too."""
    assert ready.resolved is not None
    body = ready.resolved.job.body
    trainer = body["spec"].get("trainer") or {}
    rest = {field: value for field, value in trainer.items() if field not in COUNTS}
    former: dict[ObjectId, Draft] = {}
    if len(rest) < len(trainer):
        job = replace(ready.resolved.job, body={**body, "spec": {**body["spec"], "trainer": rest}})
        drafts, _ = expand(replace(ready.resolved, job=job), ready.template, behaviour, record=True)
        former = {identity_of(draft.value): draft for draft in drafts}
    return (replace(each, former=former.get(each.identity)) for each in objects)


def trace_compiled(job: Job, target: Target, admitted: AdmittedRuntimes) -> TracedJob:
    """The origins of a job that was compiled without an error."""
    return _trace(job, _ready(job, target, admitted), target)


def _trace(job: Job, ready: _Ready, target: Target) -> TracedJob:
    train_job = trace_object(job.manifest)
    assert ready.resolved is not None
    drafts = recorded(ready.resolved, ready.template, target.version.behaviour)
    objects = tuple(_trace_generated(identity_of(draft.value), draft, train_job) for draft in drafts)
    return TracedJob(train_job, ready.resolved, objects, overlay=job.unit)


def _trace_generated(identity: ObjectId, draft: Draft, train_job: TracedObject) -> TracedObject:
    suffix = identity.name.removeprefix(train_job.identity.name)
    return TracedObject(identity, draft, tuple(name + suffix for name in train_job.names))


def trace_object(manifest: Manifest) -> TracedObject:
    """An object as the inputs have it after overlays."""
    draft = Draft(None, {"object": manifest.source}).step(INPUT)
    names = manifest.source.edits.names if manifest.source.edits else ()
    return TracedObject(manifest.id, draft.put((), manifest.body, copied=("object",)), names)


def _at_the_source(resolved: ResolvedJob, recorded: Draft, rejected: list[Problem]) -> Findings:
    """The values that JobSet's admission rejects, at the lines of origin in the recorded JobSet."""
    jobset = render_create_defaults(recorded)
    name = resolved.job.manifest.place("metadata", "name")
    values = (replace(problem, on="value") for problem in rejected)
    return tuple(
        each.located(lambda pointer: jobset.place(pointer) or name, consequence=JOBSET_REJECTED) for each in values
    )


def _controller_problems(job: AdmittedObject, version: Version) -> list[Diagnostic]:
    """What only Trainer's controller would do for this job, or would not do at all."""
    found = []
    spec, place = job.body["spec"], job.manifest.place
    manager = spec.get("managedBy", MANAGED_BY_TRAINER)
    if manager != MANAGED_BY_TRAINER and version.keeps_off:
        message = say('"{}" runs this TrainJob in another cluster, so no JobSet is built; remove managedBy', manager)
        found.append(Diagnostic(MANAGED_ELSEWHERE, message, place("spec", "managedBy")))
    if spec.get("activeDeadlineSeconds"):
        message = say("only the controller of Trainer enforces activeDeadlineSeconds; the built JobSet has no deadline")
        found.append(Diagnostic(DEADLINE_NOT_ENFORCED, message, place("spec", "activeDeadlineSeconds").key()))
    return found
