"""One TrainJob through admission, resolution, expansion and the admission of its JobSet, recorded or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from kubectl_trainjob.compiler.expand.behaviour import Behaviour
from kubectl_trainjob.compiler.expand.run import expand, required_secrets
from kubectl_trainjob.compiler.expand.runtime_template import RuntimeTemplate, template_of
from kubectl_trainjob.compiler.late import late_diagnostics
from kubectl_trainjob.compiler.resolve.runtime import Runtimes
from kubectl_trainjob.compiler.versions import Version
from kubectl_trainjob.compiler.written_by import WrittenBy, recorded
from kubectl_trainjob.kube.admission.jobset import findings as jobset_findings
from kubectl_trainjob.kube.admission.jobset import learn
from kubectl_trainjob.kube.admission.jobset_defaults import render_create_defaults
from kubectl_trainjob.kube.admission.objects import Admission, admit, readable
from kubectl_trainjob.kube.facts.trainer import MANAGED_BY_TRAINER
from kubectl_trainjob.kube.pods.jobset import late_problems
from kubectl_trainjob.kube.pods.jobset import learn as learn_late
from kubectl_trainjob.kube.pods.memo import LateMemo
from kubectl_trainjob.kube.schemas.problem import Problem
from kubectl_trainjob.kube.schemas.walk import Memo
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.draft import INPUT, Draft
from kubectl_trainjob.model.rules.gang import MANAGED_ELSEWHERE
from kubectl_trainjob.model.rules.objects import DEADLINE_NOT_ENFORCED
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import (
    Admitted,
    Expanded,
    Manifest,
    ObjectId,
    Resolved,
    Traced,
    TracedJob,
    identity_of,
)

Findings = tuple[Diagnostic, ...]
_NO_TEMPLATE = RuntimeTemplate({}, frozenset())


class Target(NamedTuple):
    """What TrainJobs are compiled for: a release of Trainer, and what is printed of them (one of `EMITS`)."""

    version: Version
    emit: str


@dataclass(frozen=True, slots=True)
class AdmittedRuntime:
    """A runtime after admission: None and the reasons, or its body and its template."""

    runtime: Admitted | None
    template: RuntimeTemplate
    diagnostics: Findings


class AdmittedRuntimes:
    """A cache: each runtime is admitted once, however many jobs use it.

    `memo` is what JobSet's admission learnt of them meanwhile, so that it need not judge in each JobSet what all share,
    `late` what the validation of Jobs did.
    """

    def __init__(self, admission: Admission) -> None:
        self.memo = Memo()
        self.late = LateMemo()
        self._admission = admission
        self._by_source: dict[Source, AdmittedRuntime] = {}

    def admit(self, manifest: Manifest) -> AdmittedRuntime:
        """The runtime, admitted."""
        known = self._by_source.get(manifest.source)
        if known is None:
            known = self._by_source[manifest.source] = self._admit(manifest)
        return known

    def _admit(self, manifest: Manifest) -> AdmittedRuntime:
        runtime, diagnostics = admit(manifest, self._admission)
        if runtime is None:
            return AdmittedRuntime(None, _NO_TEMPLATE, tuple(diagnostics))
        template = template_of(runtime)
        learn(template.spec, self.memo)
        learn_late(template.spec, self.late)
        return AdmittedRuntime(runtime, template, tuple(diagnostics))


class _Ready(NamedTuple):
    """A TrainJob that can be expanded; None and why not."""

    resolved: Resolved | None
    template: RuntimeTemplate
    diagnostics: Findings


def compile_job(manifest: Manifest, runtimes: Runtimes, target: Target, admitted: AdmittedRuntimes) -> Expanded:
    """One TrainJob through admission, resolution, expansion and the admission of its JobSet."""
    ready = _ready(manifest, runtimes, target, admitted)
    expanded = _expand(ready, target.version.behaviour, admitted)
    return Expanded(diagnostics=expanded.diagnostics) if has_errors(expanded.diagnostics) else expanded


def _ready(manifest: Manifest, runtimes: Runtimes, target: Target, admitted: AdmittedRuntimes) -> _Ready:
    job, found = admit(manifest, target.version.admission)
    diagnostics: Findings = tuple(found)
    if job is None:
        return _Ready(None, _NO_TEMPLATE, diagnostics)
    unmanaged = () if target.emit == "trainjob" else tuple(_unmanaged(job, target.version))
    meant = runtimes.find(job)
    if isinstance(meant, Diagnostic):
        return _Ready(None, _NO_TEMPLATE, (*diagnostics, *unmanaged, meant))
    runtime = admitted.admit(meant)
    diagnostics += unmanaged + runtime.diagnostics
    if runtime.runtime is None or has_errors(runtime.diagnostics):
        return _Ready(None, _NO_TEMPLATE, diagnostics)
    return _Ready(Resolved(job, runtime.runtime), runtime.template, diagnostics)


def _expand(ready: _Ready, behaviour: Behaviour, admitted: AdmittedRuntimes) -> Expanded:
    resolved, template, diagnostics = ready
    if resolved is None:
        return Expanded(diagnostics=diagnostics)
    drafts, found = expand(resolved, template, behaviour)
    diagnostics += found
    if not drafts:
        return Expanded(diagnostics=diagnostics)
    jobset = render_create_defaults(drafts[0])
    refused = jobset_findings(jobset.value, admitted.memo)
    if refused:
        drafts, _ = expand(resolved, template, behaviour, record=True)
        return Expanded(diagnostics=diagnostics + _at_the_source(resolved, drafts[0], refused))
    objects = (jobset.value, *(draft.value for draft in drafts[1:]))
    written_by = WrittenBy(resolved, template, behaviour, jobset.value)
    problems = late_problems(jobset.value, admitted.late)
    late = tuple(late_diagnostics(resolved, jobset.value, problems, written_by)) if problems else ()
    return Expanded(objects, required_secrets(resolved), diagnostics, late, resolved, written_by)


def late_anyway(manifest: Manifest, runtimes: Runtimes, target: Target, admitted: AdmittedRuntimes) -> Findings:
    """What the API server will refuse of a TrainJob whose runtime is refused, once that is mended.

    Nothing where too much is wrong to tell.
    """
    job, _ = admit(manifest, target.version.admission)
    meant = runtimes.find(job) if job else None
    if job is None or not isinstance(meant, Manifest):
        return ()
    runtime = readable(meant, target.version.admission)
    if runtime is None:
        return ()
    ready = _Ready(Resolved(job, runtime), template_of(runtime), ())
    return _expand(ready, target.version.behaviour, admitted).late


def trace_job(manifest: Manifest, runtimes: Runtimes, target: Target, admitted: AdmittedRuntimes) -> TracedJob:
    """The same, with who wrote each value of the objects; none where the TrainJob is refused."""
    ready = _ready(manifest, runtimes, target, admitted)
    # Expanded as a build does it, which also has JobSet's admission judge it; only what passes is expanded to be told.
    expanded = _expand(ready, target.version.behaviour, admitted)
    job = TracedJob(traced(manifest), ready.resolved, diagnostics=expanded.diagnostics)
    if ready.resolved is None or has_errors(expanded.diagnostics):
        return job
    drafts = recorded(ready.resolved, ready.template, target.version.behaviour)
    objects = tuple(_made(identity_of(draft.value), draft, job.train_job) for draft in drafts)
    return replace(job, objects=objects, secrets=expanded.secrets)


def _made(identity: ObjectId, draft: Draft, train_job: Traced) -> Traced:
    suffix = identity.name.removeprefix(train_job.identity.name)
    return Traced(identity, draft, tuple(name + suffix for name in train_job.names))


def traced(manifest: Manifest) -> Traced:
    """An object as the inputs have it after overlays."""
    draft = Draft(None, {"object": manifest.source}).step(INPUT)
    names = manifest.source.edits.names if manifest.source.edits else ()
    return Traced(manifest.id, draft.put((), manifest.body, copied=("object",)), names)


def _at_the_source(resolved: Resolved, recorded: Draft, refused: list[Problem]) -> Findings:
    """What JobSet's admission refuses, at the lines that it comes from, as the recorded JobSet knows them."""
    jobset = render_create_defaults(recorded)
    return tuple(_located(finding, jobset, resolved) for finding in refused)


def _located(finding: Problem, jobset: Draft, resolved: Resolved) -> Diagnostic:
    place = jobset.place(finding.pointer) or resolved.job.manifest.place("metadata", "name")
    return Diagnostic(finding.rule, f"the JobSet would be refused: {finding.message}", place)


def _unmanaged(job: Admitted, version: Version) -> list[Diagnostic]:
    """What only Trainer's controller would do for this job, or would not do at all."""
    found = []
    spec, place = job.body["spec"], job.manifest.place
    manager = spec.get("managedBy", MANAGED_BY_TRAINER)
    if manager != MANAGED_BY_TRAINER and version.keeps_off:
        message = f'"{manager}" runs this TrainJob in another cluster: there is no JobSet to build; remove managedBy'
        found.append(Diagnostic(MANAGED_ELSEWHERE, message, place("spec", "managedBy")))
    if spec.get("activeDeadlineSeconds"):
        message = "only Trainer's controller enforces activeDeadlineSeconds; a JobSet without it runs on"
        found.append(Diagnostic(DEADLINE_NOT_ENFORCED, message, place("spec", "activeDeadlineSeconds").key()))
    return found
