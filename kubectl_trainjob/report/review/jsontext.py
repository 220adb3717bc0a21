"""A review as JSON: `cli/manual/json.md` describes it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.diff.jsontext import as_data as difference_data
from kubectl_trainjob.report.diff.jsontext import job_id, totals
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.report.lint.jsontext import as_data as findings_data
from kubectl_trainjob.report.review.summary_line import summary_line_of
from kubectl_trainjob.review.result import JobRow, Review


def as_json(review: Review) -> str:
    """The whole review."""
    result = {
        "schemaVersion": 1,
        "verdict": review.verdict.value,
        "headline": summary_line_of(review).in_line(),
        "leftOut": list(review.unread_overlays),
        "jobs": [_row(row) for row in review.rows],
        "diff": difference_data(review.report),
        "lint": findings_data(review.lint),
    }
    return as_json_text(result)


def _row(row: JobRow) -> dict[str, Any]:
    before, after = row.sizes
    return {
        "kind": row.job.identity.kind,
        **job_id(row.job),
        "change": row.change,
        "outcome": row.impact.value,
        "refused": list(row.rejected_in),
        "former": job_id(row.former) if row.former else None,
        "before": totals(before) if before else None,
        "after": totals(after) if after else None,
        "findings": _findings(row),
    }


def _findings(row: JobRow) -> dict[str, int]:
    counts = Counter(result.severity for result in row.results)
    return {f"{severity}s": counts[severity] for severity in Severity}
