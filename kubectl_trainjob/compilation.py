"""One TrainJob through admission, resolution, expansion and the admission of its JobSet."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_trainjob.admission.jobset import JobSetFinding, learn
from kubectl_trainjob.admission.jobset import findings as jobset_findings
from kubectl_trainjob.admission.jobset_defaults import render_create_defaults
from kubectl_trainjob.admission.objects import admit
from kubectl_trainjob.api.trainer import MANAGED_BY_TRAINER
from kubectl_trainjob.draft import Draft
from kubectl_trainjob.expand.run import expand, required_secrets
from kubectl_trainjob.expand.template import Template, template_of
from kubectl_trainjob.findings.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.findings.gang import MANAGED_ELSEWHERE
from kubectl_trainjob.findings.objects import DEADLINE_NOT_ENFORCED
from kubectl_trainjob.resolve.runtime import Runtimes
from kubectl_trainjob.schemas.walk import Memo
from kubectl_trainjob.source import Source
from kubectl_trainjob.stages import Admitted, Expanded, Manifest, Resolved
from kubectl_trainjob.versions import Version

Findings = tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class AdmittedRuntime:
    """A runtime after admission: None and the reasons, or its body and its template."""

    runtime: Admitted | None
    template: Template
    diagnostics: Findings


class AdmittedRuntimes:
    """Each runtime is admitted once, however many jobs use it; `memo` knows the parts that their JobSets share."""

    def __init__(self, version: Version, emit: str = "jobset") -> None:
        self.version = version
        self.emit = emit
        self.memo = Memo()
        self._by_source: dict[Source, AdmittedRuntime] = {}

    def admit(self, manifest: Manifest) -> AdmittedRuntime:
        """The runtime, admitted."""
        known = self._by_source.get(manifest.source)
        if known is None:
            known = self._by_source[manifest.source] = self._admit(manifest)
        return known

    def _admit(self, manifest: Manifest) -> AdmittedRuntime:
        runtime, diagnostics = admit(manifest, self.version.admission)
        if runtime is None:
            return AdmittedRuntime(None, Template({}, frozenset()), tuple(diagnostics))
        template = template_of(runtime)
        learn(template.spec, self.memo)
        return AdmittedRuntime(runtime, template, tuple(diagnostics))


def compile_job(manifest: Manifest, runtimes: Runtimes, admitted: AdmittedRuntimes) -> Expanded:
    """One TrainJob through admission, resolution, expansion and the admission of its JobSet."""
    job, found = admit(manifest, admitted.version.admission)
    diagnostics: Findings = tuple(found)
    if job is None:
        return Expanded(diagnostics=diagnostics)
    unmanaged = () if admitted.emit == "trainjob" else tuple(_unmanaged(job, admitted.version))
    target = runtimes.find(job)
    if isinstance(target, Diagnostic):
        return Expanded(diagnostics=(*diagnostics, *unmanaged, target))
    runtime = admitted.admit(target)
    diagnostics += unmanaged + runtime.diagnostics
    if runtime.runtime is None or has_errors(runtime.diagnostics):
        return Expanded(diagnostics=diagnostics)
    expanded = _expand(Resolved(job, runtime.runtime), runtime.template, admitted, diagnostics)
    return Expanded(diagnostics=expanded.diagnostics) if has_errors(unmanaged) else expanded


def _expand(resolved: Resolved, template: Template, admitted: AdmittedRuntimes, diagnostics: Findings) -> Expanded:
    behaviour = admitted.version.behaviour
    drafts, found = expand(resolved, template, behaviour)
    diagnostics += found
    if not drafts:
        return Expanded(diagnostics=diagnostics)
    jobset = render_create_defaults(drafts[0])
    refused = jobset_findings(jobset.value, admitted.memo)
    if refused:
        recorded, _ = expand(resolved, template, behaviour, record=True)
        return Expanded(diagnostics=diagnostics + _at_the_source(resolved, recorded[0], refused))
    objects = (jobset.value, *(draft.value for draft in drafts[1:]))
    return Expanded(objects, required_secrets(resolved), diagnostics)


def _at_the_source(resolved: Resolved, recorded: Draft, refused: list[JobSetFinding]) -> Findings:
    """What JobSet's admission refuses, at the lines that it comes from, as the recorded JobSet knows them."""
    jobset = render_create_defaults(recorded)
    return tuple(_located(finding, jobset, resolved) for finding in refused)


def _located(finding: JobSetFinding, jobset: Draft, resolved: Resolved) -> Diagnostic:
    origin = jobset.origin(finding.pointer)
    place = origin.first_place() if origin else None
    fallback = resolved.job.manifest.place("metadata", "name")
    return Diagnostic(finding.rule, f"the JobSet would be refused: {finding.message}", place or fallback)


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
