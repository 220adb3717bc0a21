"""A lint report as SARIF 2.1.0, as GitHub's code scanning and editors read it.

A result is at the line to edit; its logical locations are the objects that it is about, with a JSON
pointer after `#`. What several objects have in common at one line is one result. Messages are plain text in which
SARIF would know links, `[text](target)`, and placeholders, `{0}`: data cannot make them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kubectl_trainjob import __version__
from kubectl_trainjob.model.finding import Finding, LintReport, Note, Position
from kubectl_trainjob.model.message import plural
from kubectl_trainjob.model.printable import printable
from kubectl_trainjob.model.rules import Rule, Severity
from kubectl_trainjob.report.findings import GroupedFinding, group_findings
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.report.lint.document import not_checked
from kubectl_trainjob.report.lint.manual import body, page, see, summary

MOST_RESULTS = 5000  # GitHub shows no more of a run
_MOST_PLACES = 100  # of a result; GitHub shows no more
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that do not represent a byte of a path
_PLACEHOLDER = re.compile(r"\{([0-9]+)\}")


def as_sarif(report: LintReport) -> str:
    """The whole log, of one run: at most `MOST_RESULTS` results, the most severe; a notification counts the others."""
    findings = group_findings(report.results)
    shown = findings[:MOST_RESULTS]
    rules = {finding.first.rule.id: finding.first.rule for finding in shown}
    indexes = {name: number for number, name in enumerate(rules)}
    run = {
        "tool": {"driver": _driver(list(rules.values()))},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": list(_notifications(report, len(findings) - len(shown))),
            }
        ],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, indexes[each.first.rule.id]) for each in shown],
    }
    return as_json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(rules: Sequence[Rule]) -> dict[str, Any]:
    return {
        "name": "kubectl-trainjob",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(each) for each in rules],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    text = page(rule.id)
    manual, sentence = body(text) or rule.name, summary(text) or rule.name
    about = {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": sentence},
        "fullDescription": {"text": sentence},
        "help": {"text": manual, "markdown": manual},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"class": rule.category.value, "tags": ["kubernetes", "trainjob", rule.category.value]},
    }
    return about | ({"helpUri": uri} if (uri := see(text)) else {})


def _notifications(report: LintReport, hidden: int) -> Iterator[dict[str, Any]]:
    if hidden:
        words = f"{plural(hidden, 'more finding is', 'more findings are')} omitted: GitHub shows {MOST_RESULTS}."
        yield {"level": "warning", "message": {"text": words}}
    for each in report.unchecked:
        yield {"level": "note", "message": {"text": _plain(not_checked(each))}}


def _result(finding: GroupedFinding, rule_index: int) -> dict[str, Any]:
    first = finding.first
    objects = list(dict.fromkeys(_object(each) for each in finding.all if each.object))
    location: dict[str, Any] = {"physicalLocation": _physical(first.position)}
    if objects:
        location["logicalLocations"] = [_logical(*each) for each in objects[:_MOST_PLACES]]
    result = {
        "ruleId": first.rule.id,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _plain(first.message)},
        "locations": [location],
        "relatedLocations": [_note(note, number) for number, note in enumerate(finding.related[:_MOST_PLACES])],
        "properties": {"class": first.rule.category.value, "objects": len(objects)},
    }
    return result | ({"partialFingerprints": {"trainjobFinding/v1": first.fingerprint}} if first.fingerprint else {})


def _object(result: Finding) -> tuple[str, str]:
    qualified = f"{result.namespace}/{result.object}" if result.namespace else result.object
    return result.object.rpartition("/")[2], f"{qualified}#{result.pointer}"


def _logical(name: str, qualified: str) -> dict[str, Any]:
    return {"name": printable(name), "fullyQualifiedName": printable(qualified), "kind": "resource"}


def _note(note: Note, number: int) -> dict[str, Any]:
    return {"id": number, "message": {"text": _plain(note.message)}, "physicalLocation": _physical(note.position)}


def _physical(at: Position) -> dict[str, Any]:
    span = at.span
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    uri = uri_reference(at.path)
    artifact = {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": _ROOT}
    return {"artifactLocation": artifact, "region": region}


def _plain(text: str) -> str:
    return _PLACEHOLDER.sub(r"{{\1}}", printable(text).replace("](", "] ("))


def uri_reference(path: str) -> str:
    """The URI reference (RFC 3986) of a path: relative, or a `file:` URI of an absolute path, percent-encoded."""
    path = path.removeprefix("./")
    raw = _NO_BYTE.sub("\ufffd", path).encode("utf-8", "surrogateescape")
    encoded = "".join(chr(byte) if byte in _LITERAL else f"%{byte:02X}" for byte in raw)
    return f"file://{encoded}" if encoded.startswith("/") else encoded
