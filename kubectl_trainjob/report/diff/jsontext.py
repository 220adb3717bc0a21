"""What `diff` says, as JSON: `cli/manual/json.md` describes it."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.kube.updates.result import STATES
from kubectl_trainjob.model.source import ABSENT, json_pointer
from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.review.diff.changes import Change, Summary, Totals
from kubectl_trainjob.review.diff.view import CauseView, FileError, ObjectView, Report, Row, SourceLine


def as_json(report: Report) -> str:
    """The whole report."""
    return as_json_text(as_data(report), indent=4)


def as_data(report: Report) -> dict[str, Any]:
    """The whole report as plain data."""
    return {
        "schemaVersion": 1,
        "old": report.old,
        "new": report.new,
        "objects": [_object(each) for each in report.objects],
        "summary": _summary(report),
        "problems": [_problem(each) for each in report.problems],
    }


def _problem(problem: FileError) -> dict[str, Any]:
    rule = {"side": problem.side, "rule": problem.rule, "name": problem.name}
    return {**rule, "message": problem.message, **_line(problem.at)}


def _object(view: ObjectView) -> dict[str, Any]:
    change = view.change
    return {
        "kind": change.identity.kind,
        **_name_fields(change.identity),
        "apiVersion": change.identity.api_version,
        "overlay": change.overlay,
        "change": change.change,
        "verdict": _verdict(change),
        "refused": _rejections(change),
        "consequence": change.consequence,
        "trainJob": _name_fields(change.job) if change.job else None,
        "counterpart": _name_fields(change.counterpart) if change.counterpart else None,
        "changes": [_row(row) for row in view.rows],
    }


def _name_fields(identity: ObjectId) -> dict[str, str]:
    return {"namespace": identity.namespace, "name": identity.name}


def _verdict(change: Change) -> dict[str, str] | None:
    if change.update_result is None:
        return None
    return {state: "accepted" if change.update_result.accepts(state) else "refused" for state in STATES}


def _rejections(change: Change) -> list[dict[str, str]]:
    found = change.update_result.rejections if change.update_result else ()
    return [{"state": each.state, "pointer": json_pointer(each.pointer), "reason": each.reason} for each in found]


def _row(row: Row) -> dict[str, Any]:
    sides = (("old", row.sources.old), ("new", row.sources.new))
    return {
        "path": row.path,
        "pointer": row.pointer,
        "old": None if row.old is ABSENT else row.old,
        "new": None if row.new is ABSENT else row.new,
        "sources": [{"side": side, **_line(line)} for side, line in sides if line],
    }


def _line(line: SourceLine) -> dict[str, Any]:
    return {"file": line.file, "line": line.line}


def _summary(report: Report) -> dict[str, Any]:
    summary = report.difference.summary
    return {
        "jobs": _jobs(summary, report.difference.unbuilt),
        "before": totals(summary.before),
        "after": totals(summary.after),
        "groups": [
            {"namespace": group.namespace, "queue": group.queue, "before": totals(before), "after": totals(after)}
            for group, (before, after) in sorted(summary.groups.items())
        ],
        "causes": [_cause(each) for each in report.causes],
        "moved": [{"old": old, "new": new} for old, new in report.difference.moved],
    }


def _jobs(summary: Summary, unbuilt: tuple[JobId, ...]) -> dict[str, Any]:
    lists = {"added": summary.added, "removed": summary.removed, "changed": summary.changed, "unbuilt": unbuilt}
    renamed = [{"old": job_id(old), "new": job_id(new)} for old, new in summary.renamed]
    return {name: [job_id(each) for each in jobs] for name, jobs in lists.items()} | {"renamed": renamed}


def job_id(job: JobId) -> dict[str, str]:
    """`JOB`."""
    return {**_name_fields(job.identity), "overlay": job.overlay}


def totals(total: Totals) -> dict[str, Any]:
    """`TOTALS`."""
    return {
        "jobs": total.jobs,
        "pods": total.pods,
        "processes": total.processes,
        "unsized": total.unsized,
        "resources": {name: str(amount) for name, amount in sorted((total.resources or {}).items())},
    }


def _cause(view: CauseView) -> dict[str, Any]:
    return {
        "what": view.cause.what,
        "removed": view.cause.is_gone,
        **_line(view.at),
        "jobs": [job_id(each) for each in view.cause.jobs],
    }
