"""The order of the stages: read → check → admit → resolve → expand → admit what was made. Start reading here.

`build` never raises for what stands in a user's files: every problem is a `Diagnostic`, and one broken object does not
hide another's problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.admission.jobset import JobSetFinding, learn
from kubectl_trainjob.admission.jobset import findings as jobset_findings
from kubectl_trainjob.admission.jobset_defaults import render_create_defaults
from kubectl_trainjob.admission.objects import admit
from kubectl_trainjob.api.kinds import print_order
from kubectl_trainjob.api.trainer import MANAGED_BY_TRAINER
from kubectl_trainjob.draft import Draft
from kubectl_trainjob.expand.run import expand, required_secrets
from kubectl_trainjob.expand.template import Template, template_of
from kubectl_trainjob.findings.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.findings.gang import MANAGED_ELSEWHERE
from kubectl_trainjob.findings.objects import DEADLINE_NOT_ENFORCED
from kubectl_trainjob.findings.references import RUNTIME_NOT_FOUND
from kubectl_trainjob.resolve.objects import Output, check, collisions, in_namespace
from kubectl_trainjob.resolve.runtime import Runtimes
from kubectl_trainjob.resolve.target import targeted
from kubectl_trainjob.schemas.walk import Memo
from kubectl_trainjob.source import Source
from kubectl_trainjob.stages import (
    Admitted,
    Body,
    Build,
    Documents,
    Expanded,
    Manifest,
    Resolved,
    drain,
    is_runtime,
    is_train_job,
)
from kubectl_trainjob.versions import VERSIONS, Version

Findings = tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """`namespace` fills missing ones, "" leaves them out; `trainer_version` "" means the repository's target."""

    namespace: str = ""
    trainer_version: str = ""


def build(documents: Documents, options: BuildOptions) -> Build:
    """All that the inputs become, in the order in which it is printed, and all that is wrong with them."""
    inputs = [in_namespace(manifest, options.namespace) for manifest in documents.inputs]
    library = [in_namespace(manifest, options.namespace) for manifest in documents.library]
    own_runtimes = [manifest for manifest in inputs if is_runtime(manifest)]
    version, conflict = targeted(documents.targets, options.trainer_version)
    admitted = AdmittedRuntimes(VERSIONS[version])
    diagnostics = [*documents.diagnostics, *conflict, *check(inputs)]
    diagnostics += [finding for manifest in own_runtimes for finding in admitted.admit(manifest).diagnostics]
    runtimes = Runtimes([*own_runtimes, *library], options.namespace)
    jobs = [manifest for manifest in inputs if is_train_job(manifest)]
    others = [Output(manifest.body, manifest.place("metadata", "name")) for manifest in inputs if _is_other(manifest)]
    unread, ignored = documents.library_diagnostics, documents.ignored
    del documents, inputs  # from here on each parsed TrainJob goes when it has been compiled
    expanded = [compile_job(manifest, runtimes, admitted) for manifest in drain(jobs)]
    outputs = [Output(body, each.job, is_made=True) for each in expanded for body in each.objects] + others
    diagnostics += [finding for each in expanded for finding in each.diagnostics]
    if not has_errors(diagnostics):
        diagnostics += collisions(outputs)
    if any(finding.rule is RUNTIME_NOT_FOUND for finding in diagnostics):
        diagnostics += unread  # the runtime may stand in a document that could not be read
    secrets = tuple(secret for each in expanded for secret in each.secrets)
    objects = tuple(sorted((output.body for output in outputs), key=_print_key))
    # A runtime's findings come with each of its jobs.
    return Build(objects, secrets, tuple(dict.fromkeys(diagnostics)), ignored)


def _is_other(manifest: Manifest) -> bool:
    return not is_train_job(manifest) and not is_runtime(manifest)


def _print_key(body: Body) -> tuple[Any, ...]:
    metadata = body.get("metadata") or {}
    kind = str(body["kind"])
    return (print_order(kind), kind, body["apiVersion"], metadata.get("namespace") or "", metadata.get("name") or "")


@dataclass(frozen=True, slots=True)
class AdmittedRuntime:
    """A runtime after admission: None and the reasons, or its body and its template."""

    runtime: Admitted | None
    template: Template
    diagnostics: Findings


class AdmittedRuntimes:
    """Each runtime is admitted once, however many jobs use it; `memo` knows the parts that their JobSets share."""

    def __init__(self, version: Version) -> None:
        self.version = version
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
    place = manifest.place("metadata", "name")
    job, found = admit(manifest, admitted.version.admission)
    diagnostics: Findings = tuple(found)
    if job is None:
        return Expanded(place, diagnostics=diagnostics)
    unmanaged = tuple(_unmanaged(job, admitted.version))
    target = runtimes.find(job)
    if isinstance(target, Diagnostic):
        return Expanded(place, diagnostics=(*diagnostics, *unmanaged, target))
    runtime = admitted.admit(target)
    diagnostics += unmanaged + runtime.diagnostics
    if runtime.runtime is None or has_errors(runtime.diagnostics):
        return Expanded(place, diagnostics=diagnostics)
    expanded = _expand(Resolved(job, runtime.runtime), runtime.template, admitted, diagnostics)
    return Expanded(place, diagnostics=expanded.diagnostics) if has_errors(unmanaged) else expanded


def _expand(resolved: Resolved, template: Template, admitted: AdmittedRuntimes, diagnostics: Findings) -> Expanded:
    place = resolved.job.manifest.place("metadata", "name")
    behaviour = admitted.version.behaviour
    drafts, found = expand(resolved, template, behaviour)
    diagnostics += found
    if not drafts:
        return Expanded(place, diagnostics=diagnostics)
    jobset = render_create_defaults(drafts[0])
    refused = jobset_findings(jobset.value, admitted.memo)
    if refused:
        recorded, _ = expand(resolved, template, behaviour, record=True)
        return Expanded(place, diagnostics=diagnostics + _at_the_source(resolved, recorded[0], refused))
    objects = (jobset.value, *(draft.value for draft in drafts[1:]))
    return Expanded(place, objects, required_secrets(resolved), diagnostics)


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
