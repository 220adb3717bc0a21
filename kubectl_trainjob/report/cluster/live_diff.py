"""What an apply would change in the cluster, as text, Markdown and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kubectl_trainjob.cluster.live_diff import LiveField, LiveObject
from kubectl_trainjob.model.message import Message, joined, plural, say
from kubectl_trainjob.model.source import ABSENT, show_pointer
from kubectl_trainjob.report import blocks
from kubectl_trainjob.report.cluster.apply import API_VERSION, document_text, object_values
from kubectl_trainjob.report.phrases import whole
from kubectl_trainjob.report.render import render
from kubectl_trainjob.repository.positions import Locator

_NEW_RUN = say("needs a new run")
_WEIGHTS: dict[str, blocks.Weight] = {"refused": "bad", "failed": "bad", "recreated": "doubtful"}


def format_report(objects: Sequence[LiveObject], output: str, *, colour: bool) -> str:
    """The text of a format: "text", "markdown" or "json"."""
    if output == "json":
        return document_text(_data(objects), output)
    return render(_document(objects), output, colour=colour)


def _document(objects: Sequence[LiveObject]) -> blocks.Document:
    if not objects:
        return blocks.Document(blocks.SummaryLine(say("the cluster matches the files")), [])
    first = say("{}", plural(len(objects), "object differs", "objects differ"))
    bad = tuple(say("{} {}", number, word) for word, number in _counts(objects).items())
    return blocks.Document(blocks.SummaryLine(first, others=bad), [blocks.Cards([_card(each) for each in objects])])


def _counts(objects: Sequence[LiveObject]) -> Counter[str]:
    return Counter(each.result.action for each in objects)


def _card(each: LiveObject) -> blocks.Card:
    result = each.result
    effect = say("{}", whole(": ".join(part for part in (result.reason, result.message) if part)))
    values = [blocks.DifferingValue(show_pointer(f.pointer), f.live, f.desired, _note(f)) for f in each.fields]
    name = whole(f"{result.id}") if not result.id.namespace else whole(f"{result.id} ({result.id.namespace})")
    return blocks.Card(name, result.action, effect=effect, weight=_WEIGHTS.get(result.action), values=values)


def _note(field: LiveField) -> Message:
    owner = say("owned by {}", field.manager) if field.manager else Message()
    return joined([*filter(None, (owner, _NEW_RUN if field.is_frozen else Message()))])


def _data(objects: Sequence[LiveObject]) -> dict[str, Any]:
    locator = Locator()
    return {
        "apiVersion": API_VERSION,
        "kind": "LiveDiff",
        "objects": [
            {**object_values(each.result, locator), "fields": [_field(field) for field in each.fields]}
            for each in objects
        ],
        "summary": dict(_counts(objects)),
    }


def _field(field: LiveField) -> dict[str, Any]:
    values = {
        "path": show_pointer(field.pointer),
        "live": field.live,
        "desired": field.desired,
        "manager": field.manager,
        "operation": field.operation,
        "frozen": field.is_frozen,
    }
    return {key: value for key, value in values.items() if value is not ABSENT and value != ""}
