"""Files with jobs of older operators and older spellings of Trainer as files with today's objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.mentions import mentions
from kubectl_trainjob.frontends.legacy.operators import is_operator_kind
from kubectl_trainjob.frontends.legacy.sharing import migrate_jobs
from kubectl_trainjob.frontends.older.modernize import is_old_version, is_trainer_kind, modernize
from kubectl_trainjob.frontends.older.rewriting import RuleNote
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import MIGRATION_DIFFERENCE, MIGRATION_REVIEW
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import Body, Manifest
from kubectl_trainjob.repository.files.input_files import InputFiles
from kubectl_trainjob.repository.output.changed_files import FileChange
from kubectl_trainjob.repository.output.deployed_jobs import changed_elsewhere, deployed_by
from kubectl_trainjob.repository.output.replace import ReplacedObject, replace_objects
from kubectl_trainjob.repository.yaml.read import Reader

_COUNT_REQUESTS = ("2.0",)
"""Versions of Trainer that start one process with torch if a TrainJob has limits and no requests."""


class Migration(NamedTuple):
    """All files with their new texts, the findings, the number of migrated jobs, and the names of those that stay.

    `rules` counts the rules that changed objects of Trainer's kinds, `built` are the migrated jobs with their objects.
    """

    files: tuple[FileChange, ...]
    findings: tuple[Diagnostic, ...]
    jobs: int
    kept: tuple[str, ...]
    rules: Mapping[str, int]
    built: tuple[tuple[Manifest, tuple[Body, ...]], ...]

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """The files that change."""
        return tuple(each for each in self.files if each.old != each.new)

    def stream(self) -> Iterator[str]:
        """The texts of all files as one stream of documents."""
        is_first = True
        for each in self.files:
            if not is_first and not each.new.startswith("---"):
                yield "---\n"
            yield each.new if each.new.endswith("\n") else f"{each.new}\n"
            is_first = False

    def objects(self) -> Iterator[Mapping[str, Any]]:
        """The objects of all files."""
        reader = Reader(LIMITS)
        for each in self.files:
            yield from (body for body, _ in reader.read(SourceFile(each.path, each.new)).objects)


def migrate_files(contents: InputFiles, to: str = LATEST_TRAINER) -> Migration:
    """The files with their objects migrated, for a version of Trainer."""
    manifests = [manifest for content in contents.files for manifest in content.manifests]
    older = modernize([each for each in manifests if is_trainer_kind(each.id)], to)
    runtimes = [(each.id.namespace, each.id.name) for each in manifests if is_runtime(each)]
    jobs = [each for each in manifests if is_operator_kind(each.id)]
    migrated = list(
        migrate_jobs(
            jobs,
            runtimes,
            lambda job: deployed_by(job.source.file, contents.deployments),
            can_patch=_has_patches(to),
            counts_limits=to not in _COUNT_REQUESTS,
        )
    )
    changed: dict[SourceFile, list[ReplacedObject]] = {}
    for each in migrated:
        if each.objects is not None:
            changed.setdefault(each.manifest.source.file, []).append(ReplacedObject(each.manifest.source, each.objects))
    for old in older:
        if old.rules:
            source = replace(old.manifest.source, edits=None)
            changed.setdefault(source.file, []).append(ReplacedObject(source, (old.manifest.body,), is_edit=True))
    findings = [finding for each in migrated for finding in each.findings]
    findings += [_finding(each) for old in older for each in old.notes]
    findings += [*changed_elsewhere(contents.deployments, jobs), *_templates(contents.rendered)]
    findings += mentions((each for each in manifests if not is_operator_kind(each.id)), jobs)
    files = [
        FileChange(each.file.path, each.file.text, replace_objects(each.file.text, changed.get(each.file, [])))
        for each in contents.files
    ]
    kept = [f"{each.manifest.id.kind}/{each.manifest.id.name}" for each in migrated if each.objects is None]
    rules = Counter(rule for old in older for rule in old.rules)
    built = tuple((each.manifest, each.objects) for each in migrated if each.objects is not None)
    return Migration(tuple(files), tuple(findings), len(built), tuple(kept), rules, built)


def _has_patches(to: str) -> bool:
    """Whether TrainJobs of a version of Trainer have runtimePatches."""
    root = schema_for(f"trainer-{to}", trainer.API_VERSION, trainer.TRAIN_JOB).root
    fields: Mapping[str, Any] = getattr(root.fields["spec"], "fields", {})
    return fields[trainer.RUNTIME_PATCHES] is not None


def _templates(rendered: Iterable[Manifest]) -> Iterator[Diagnostic]:
    """The jobs of templates, whose text is not changed."""
    for each in rendered:
        if is_operator_kind(each.id) or is_old_version(each.id):
            message = say('the template renders {} "{}", and templates are not migrated', each.id.kind, each.id.name)
            yield Diagnostic(MIGRATION_REVIEW, message, each.place("kind"))


def _finding(each: RuleNote) -> Diagnostic:
    rule = MIGRATION_DIFFERENCE if each.is_difference else MIGRATION_REVIEW
    return Diagnostic(rule, say("{} ({})", each.message, each.rule), each.place)
