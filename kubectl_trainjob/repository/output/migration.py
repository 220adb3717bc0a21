"""Files with jobs of older operators as files with today's objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.operators import is_operator_kind
from kubectl_trainjob.frontends.legacy.sharing import Migrated, migrate_jobs
from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import MIGRATION_REVIEW
from kubectl_trainjob.model.source import Place, SourceFile
from kubectl_trainjob.repository.files.read import InputFiles
from kubectl_trainjob.repository.output.changed_files import FileChange
from kubectl_trainjob.repository.output.replace import with_documents, with_items
from kubectl_trainjob.repository.yaml.edit import EditError
from kubectl_trainjob.repository.yaml.read import Reader


class Migration(NamedTuple):
    """All files with their new texts, the findings, the number of migrated jobs, and the names of those that stay."""

    files: tuple[FileChange, ...]
    findings: tuple[Diagnostic, ...]
    jobs: int
    kept: tuple[str, ...]

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


def migrate_files(contents: InputFiles) -> Migration:
    """The files with their jobs migrated. A job of a file that cannot be edited stays, with a finding."""
    manifests = [manifest for content in contents.files for manifest in content.manifests]
    runtimes = [(each.id.namespace, each.id.name) for each in manifests if is_runtime(each)]
    migrated = list(migrate_jobs((each for each in manifests if is_operator_kind(each.id)), runtimes))
    by_file: dict[SourceFile, list[Migrated]] = {}
    for each in migrated:
        if each.objects is not None:
            by_file.setdefault(each.manifest.source.file, []).append(each)
    findings = [finding for each in migrated for finding in each.findings]
    files = []
    for content in contents.files:
        new, found = _new_text(content.file, by_file.get(content.file, []))
        files.append(FileChange(content.file.path, content.file.text, new))
        findings += found
    kept = [f"{each.manifest.id.kind}/{each.manifest.id.name}" for each in migrated if each.objects is None]
    return Migration(tuple(files), tuple(findings), len(migrated) - len(kept), tuple(kept))


def _new_text(file: SourceFile, migrated: list[Migrated]) -> tuple[str, list[Diagnostic]]:
    documents: dict[int, Any] = {}
    items: dict[int, dict[int, Any]] = {}
    for each in migrated:
        source = each.manifest.source
        if not source.prefix:
            documents[source.document] = each.objects
        elif len(source.prefix) == 2:
            items.setdefault(source.document, {})[int(source.prefix[1])] = each.objects
    try:
        text = file.text
        for document, replaced in items.items():
            text = with_items(text, document, replaced)
        return with_documents(text, documents), []
    except EditError as error:
        message = say("the file cannot be changed: {}", str(error))
        return file.text, [Diagnostic(MIGRATION_REVIEW, message, Place(migrated[0].manifest.source))]
