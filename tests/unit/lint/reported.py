"""What lint says of a text, line by line, and the text as a fix leaves it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kubectl_trainjob.model.diagnostic import Diagnostic, Fix
from kubectl_trainjob.repository.positions import Locator
from tests.unit.lint.marked import CONFIG, documents_of, found


class Reported(NamedTuple):
    """One finding: its rule, the line that it points at without blanks around, and all of it."""

    rule: str
    line: str
    finding: Diagnostic


def reported(
    root: Path, files: str | dict[str, str], *named: str, settings: str = "", trainer: str = "2.3", emit: str = ""
) -> list[Reported]:
    """Everything that lint finds in a repository with these files, or in those named; a text alone is one file."""
    given = {"all.yaml": files} if isinstance(files, str) else files
    documents = documents_of(root, {"trainjob.yaml": CONFIG + settings, **given}, *named)
    locator = Locator()
    everything = (_reported(each, locator) for each in found(documents, trainer_version=trainer, emit=emit))
    return sorted(everything, key=lambda each: each[:2])


def _reported(diagnostic: Diagnostic, locator: Locator) -> Reported:
    location = locator.resolve(diagnostic.place)
    return Reported(diagnostic.rule.id, location.file.text.splitlines()[location.span.line - 1].strip(), diagnostic)


def shown(every: list[Reported]) -> list[tuple[str, str]]:
    """The rules and the lines."""
    return [(each.rule, each.line) for each in every]


def mended(text: str, fix: Fix) -> str:
    """The documents of a text after a fix, as plain data that is written anew."""
    documents = list(yaml.safe_load_all(text))
    for edit in fix.edits:
        *parents, last = edit.place.pointer
        target: Any = documents[edit.place.source.document]
        for step in parents:
            target = target[step]
        if edit.value is None:
            del target[last]
        elif isinstance(target, list) and last == len(target):
            target.append(json.loads(edit.value))
        else:
            target[last] = json.loads(edit.value)
    return yaml.safe_dump_all(documents, sort_keys=False)
