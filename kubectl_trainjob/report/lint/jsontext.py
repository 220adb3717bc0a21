"""A lint report as JSON: `cli/manual/json.md` describes it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.finding import Finding, LintReport, Note
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import json_pointer
from kubectl_trainjob.report.json_syntax import as_json_text


def as_json(report: LintReport) -> str:
    """The whole report."""
    return as_json_text(as_data(report))


def as_data(report: LintReport) -> dict[str, Any]:
    """The whole report as plain data."""
    return {
        "schemaVersion": 1,
        "results": [_result(each) for each in report.results],
        "unverifiable": [{"cause": each.cause, "rules": list(each.rules)} for each in report.unchecked],
        "summary": _summary(report),
    }


def _result(result: Finding) -> dict[str, Any]:
    rule, span = result.rule, result.position.span
    return {
        "rule": rule.id,
        "name": rule.name,
        "severity": result.severity.value,
        "class": rule.category.value,
        "message": result.message,
        "file": result.position.path,
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
        "object": result.object,
        "namespace": result.namespace,
        "pointer": result.pointer,
        "related": [_related_place(note) for note in result.related],
        "fix": _fix(result.fix) if result.fix else None,
        "fingerprint": result.fingerprint,
    }


def _related_place(note: Note) -> dict[str, Any]:
    at = note.position
    return {"message": note.message, "file": at.path, "line": at.span.line, "column": at.span.column}


def _fix(fix: Fix) -> dict[str, Any]:
    return {"title": fix.title, "safe": fix.is_safe, "edits": [_edit(each) for each in fix.edits]}


def _edit(edit: Edit) -> dict[str, Any]:
    source = edit.place.source
    return {
        "file": source.file.path,
        "document": source.document,
        "pointer": json_pointer(source.prefix + edit.place.pointer),
        "remove": edit.value is None,
        "value": None if edit.value is None else json.loads(edit.value),
    }


def _summary(report: LintReport) -> dict[str, int]:
    totals = Counter(result.severity for result in report.results)
    return {
        **{f"{severity}s": totals[severity] for severity in Severity},
        "trainJobs": report.train_jobs,
        "suppressed": report.suppressed,
        "baselined": report.baselined,
        "before": report.existing,
    }
