"""The checks of a cluster as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.cluster.doctor.values import DoctorCheck, DoctorReport
from kubectl_trainjob.report.cluster.apply import API_VERSION, document_text
from kubectl_trainjob.report.phrases import shown_lines

_WIDTH = 8  # columns of a level


def format_report(report: DoctorReport, output: str) -> str:
    """The text of a format: "text" or "json"."""
    if output == "json":
        checks = [{key: value for key, value in each._asdict().items() if value} for each in report.checks]
        document = {"apiVersion": API_VERSION, "kind": "DoctorReport", "checks": checks, "emit": list(report.emit)}
        return document_text(document, output)
    return shown_lines(_lines(report))


def _lines(report: DoctorReport) -> Iterator[str]:
    for each in report.checks:
        yield from _check(each)
    yield f"{'emit':{_WIDTH}} {', '.join(report.emit) or 'none fits: install JobSet'}"


def _check(check: DoctorCheck) -> Iterator[str]:
    yield f"{check.level:{_WIDTH}} {check.id}: {' '.join(check.message.split())}"
    if check.advice:
        yield f"{'':{_WIDTH}} → {check.advice}"
