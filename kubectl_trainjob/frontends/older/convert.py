"""The front end for objects of the APIs before v1alpha1: they are built as `migrate` would write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from kubectl_trainjob.frontends.interface import ConversionContext
from kubectl_trainjob.frontends.older.modernize import (
    facts_of,
    is_any_runtime,
    is_old_version,
    ref_key,
    rewrite,
    with_processes,
)
from kubectl_trainjob.frontends.older.rewriting import RuleClass, RuntimeFacts
from kubectl_trainjob.frontends.older.table import RUNTIME_RULES
from kubectl_trainjob.kube.facts.kinds import is_train_job
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import DEPRECATED_API_VERSION
from kubectl_trainjob.model.stages import Conversion, Manifest


def convert_older(manifest: Manifest, context: ConversionContext) -> Conversion:
    """The object of today's API. What a user has to check is an error: a build does not guess."""
    runtime = context.sources.runtimes.get(ref_key(manifest))
    facts = facts_of(runtime) if runtime and not is_any_runtime(manifest) else RuntimeFacts()
    found = rewrite(manifest, context.trainer, facts, context.sources.runtime_kinds)
    notes = [each for each in found.notes if each.rule not in _allowed_settings(context)]
    if not notes:
        return Conversion((found.manifest,))
    path = manifest.source.file.path
    findings = [
        Diagnostic(
            DEPRECATED_API_VERSION, say("{}; or run kubectl trainjob migrate {}", each.message, path), each.place
        )
        for each in notes
    ]
    return Conversion(findings=tuple(findings))


def with_processes_of(
    jobs: Iterable[Manifest], runtime: Callable[[Manifest], Manifest | None], context: ConversionContext
) -> Iterator[Manifest]:
    """The objects with the number of processes in TrainJobs whose runtime is one of an older API, and had it."""
    written = {
        replace(each.source, edits=None): each for each in context.sources.by_key.values() if is_old_version(each.id)
    }
    for job in jobs:
        found = runtime(job) if is_train_job(job) else None
        old = written.get(replace(found.source, edits=None)) if found is not None else None
        yield with_processes(job, old, context.trainer) if old is not None else job


def _allowed_settings(context: ConversionContext) -> set[str]:
    """The rules whose objects a build accepts without a user, or rejects itself."""
    settings = [each.allow for each in context.settings]
    elastic = {"elastic-policy"} if any(each.elastic for each in settings) else set()
    rejected = {each.id for each in RUNTIME_RULES if each.rule_class is RuleClass.ERROR}
    return elastic | rejected | ({"mpi-implementation"} if any(each.extended_mpi for each in settings) else set())
