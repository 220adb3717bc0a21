"""The result of `apply` as kubectl's lines, as names, and as JSON or YAML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kubectl_trainjob.cluster.result import ApplyResult, ObjectResult
from kubectl_trainjob.kube.facts.kinds import CONFIGURATION_GROUP, group_of
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.report.phrases import shown_lines
from kubectl_trainjob.repository.positions import Location, Locator

API_VERSION = f"{CONFIGURATION_GROUP}/v1alpha1"


def format_report(result: ApplyResult, output: str) -> str:
    """The text of a format: "text", "name", "json" or "yaml"."""
    if output == "name":
        return shown_lines(name(each.id) for each in result.objects)
    if output == "text":
        return shown_lines(_lines(result))
    return document_text(document(result), output)


def format_errors(findings: Sequence[Diagnostic], error: str, output: str) -> str:
    """The text if nothing was applied, because the files have errors: a document, in other formats nothing."""
    if output not in ("json", "yaml"):
        return ""
    resolve = Locator().resolve
    found = [_finding(each, resolve(each.place)) for each in findings] or [{"severity": "error", "message": error}]
    head = {"apiVersion": API_VERSION, "kind": "ApplyResult", "objects": [], "summary": {}, "findings": found}
    return document_text(head, output)


def _finding(each: Diagnostic, at: Location) -> dict[str, Any]:
    rule = {"rule": each.rule.id, "name": each.rule.name, "severity": each.severity.value}
    place = {"file": at.file.path, "line": at.span.line, "column": at.span.column}
    return {**rule, "message": str(each.message), **place}


def document_text(value: dict[str, Any], output: str) -> str:
    """A document as JSON or YAML."""
    if output == "json":
        return as_json_text(value)
    from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter

    return Emitter(sort_keys=False, lead=LEAD).document(_make_printable(value))


def _make_printable(value: Any) -> Any:
    """Plain data whose strings any terminal and file can hold; YAML has no escape for half a character."""
    if isinstance(value, dict):
        return {_make_printable(key): _make_printable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_make_printable(item) for item in value]
    return "\n".join(map(printable, value.split("\n"))) if isinstance(value, str) else value


def name(identity: ObjectId) -> str:
    """`KIND.GROUP/NAME`, as kubectl prints it."""
    group = group_of(identity.api_version)
    return f"{identity.kind.lower()}{f'.{group}' if group else ''}/{identity.name}"


def document(result: ApplyResult) -> dict[str, Any]:
    """The result as plain data."""
    locator = Locator()
    return {
        "apiVersion": API_VERSION,
        "kind": "ApplyResult",
        "applySet": {
            "id": result.set.id,
            "kind": result.set.kind,
            "namespace": result.set.namespace,
            "name": result.set.name,
        },
        "dryRun": result.is_dry_run,
        "objects": [object_values(each, locator) for each in result.objects],
        "summary": result.summary,
        "requests": {"read": result.read, "dryRun": result.dry_run, "write": result.write},
    }


def _lines(result: ApplyResult) -> Iterator[str]:
    for each in result.objects:
        detail = ": ".join(part for part in (each.reason, each.message) if part)
        end = " (server dry run)" if result.is_dry_run else ""
        yield f"{name(each.id)} {each.action}{f' ({detail})' if detail else ''}{end}"


def object_values(each: ObjectResult, locator: Locator) -> dict[str, Any]:
    """An object of a result, as plain data without unknown values."""
    identity = each.id
    values: dict[str, Any] = {
        "apiVersion": identity.api_version,
        "kind": identity.kind,
        "namespace": identity.namespace,
        "name": identity.name,
        "uid": each.uid,
        "trainJob": each.train_job,
        "action": each.action,
        "reason": each.reason,
        "message": each.message,
        "fields": list(each.fields),
    }
    if each.place:
        location = locator.resolve(each.place)
        values |= {"file": location.file.path, "line": location.span.line}
    return {key: value for key, value in values.items() if value not in ("", [])}
