"""The first stages, for all inputs together: overlay → check → admit the runtimes → resolve.

In: what was read. Out: each TrainJob under its final name with the runtimes it may refer to, and all that is printed as
it is. Must not: expand anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kubectl_trainjob.compiler.job import AdmittedRuntimes, Target
from kubectl_trainjob.compiler.resolve.objects import check, in_namespace
from kubectl_trainjob.compiler.resolve.runtime import Runtimes
from kubectl_trainjob.compiler.resolve.target import emitted, targeted
from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.facts.kinds import is_runtime, is_train_job
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.stages import BuildOptions, Claim, Manifest, Output
from kubectl_trainjob.model.units import Documents

Wanted = Callable[[Manifest], bool]


class Job(NamedTuple):
    """A TrainJob, and the runtimes that it may refer to."""

    manifest: Manifest
    runtimes: Runtimes


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The inputs after overlays: what is to be compiled, what is printed as it is, and what is wrong so far.

    `kept` are the objects besides TrainJobs that somebody wanted to see.
    """

    target: Target
    admitted: AdmittedRuntimes
    trainer: str
    usual_emit: str
    jobs: list[Job]
    plain: list[Claim]
    kept: list[Manifest]
    diagnostics: list[Diagnostic]
    unread: tuple[Diagnostic, ...]
    ignored: int
    left_out: tuple[str, ...]
    passed_by: tuple[str, ...]
    read_from: tuple[str, ...]
    limits: Limits


def prepare(documents: Documents, options: BuildOptions, wanted: Wanted = lambda _: False) -> Prepared:
    """All that precedes the expansion of single TrainJobs."""
    version, conflict = targeted(documents.settings, options.trainer_version)
    usual, _ = emitted(documents.settings, "")
    emit, other_conflict = emitted(documents.settings, options.emit)
    prepared = Prepared(
        Target(VERSIONS[version], emit),
        AdmittedRuntimes(VERSIONS[version].admission),
        version,
        usual,
        [],
        [],
        [],
        [*documents.diagnostics, *conflict, *other_conflict],
        documents.library_diagnostics,
        documents.ignored,
        documents.left_out,
        documents.passed_by,
        documents.read_from,
        documents.limits,
    )
    library = [
        [in_namespace(manifest, options.namespace) for manifest in place if is_runtime(manifest)]
        for place in (documents.inputs, documents.library, documents.catalogue)
    ]
    for group in _groups(documents, prepared.diagnostics):
        manifests = [in_namespace(manifest, options.namespace) for manifest in group]
        runtimes = Runtimes([filter(is_runtime, manifests), *library], options.namespace, documents.packaged)
        _prepare_group(manifests, runtimes, prepared)
        prepared.kept.extend(each for each in manifests if not is_train_job(each) and wanted(each))
    prepared.kept.extend(manifest for place in library[1:] for manifest in place if wanted(manifest))
    return prepared


def _groups(documents: Documents, diagnostics: list[Diagnostic]) -> Iterator[Iterable[Manifest]]:
    """Manifests that are built together: those that no overlay lies over, then those of each overlay."""
    yield documents.inputs
    if not documents.units:
        return
    from kubectl_trainjob.compiler.overlay.apply import overlaid  # what most builds have no use for costs start-up time
    from kubectl_trainjob.compiler.overlay.steps import Steps

    steps = Steps(documents.limits)
    for unit in documents.units:
        manifests, found = overlaid(unit, steps)
        diagnostics += found
        yield manifests


def _prepare_group(group: list[Manifest], runtimes: Runtimes, prepared: Prepared) -> None:
    prepared.diagnostics.extend(check(group))
    for own in filter(is_runtime, group):
        prepared.diagnostics.extend(prepared.admitted.admit(own).diagnostics)
    jobs = [_named(manifest, runtimes, prepared.usual_emit) for manifest in group if is_train_job(manifest)]
    runtimes.hint_for(jobs)
    prepared.jobs.extend(Job(job, runtimes) for job in jobs)
    for manifest in group:
        if _is_other(manifest) or (is_runtime(manifest) and prepared.target.emit == "trainjob"):
            prepared.plain.append(Claim(Output(manifest.id, manifest.body), manifest.place("metadata", "name")))


def _is_other(manifest: Manifest) -> bool:
    return not is_train_job(manifest) and not is_runtime(manifest)


def _named(job: Manifest, runtimes: Runtimes, usual_emit: str) -> Manifest:
    """The TrainJob under its final name, which the runtime's content is part of where no Trainer keeps what it was.

    That is a matter of the repository: a name does not change because somebody wants to see the JobSet once.
    """
    if job.name_hash is None:
        return job
    from kubectl_trainjob.compiler.overlay.name_hash import with_hash

    runtime = runtimes.meant(job) if usual_emit == "jobset" else None
    return with_hash(job, [runtime.body] if runtime else [])
