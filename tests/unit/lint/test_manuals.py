"""The manual of each rule of lint is true: `Bad` gives exactly the rule at the marked line, `Good` nothing.

The command's own code reads both from files. The rules about changes compare with `Before`, those about results with
what a build of `Source` wrote."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from kubectl_trainjob.compiler import pipeline
from kubectl_trainjob.lint.registry import LINT_RULES
from kubectl_trainjob.lint.stale import fresh_texts, stale_outputs
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.report.lint import manual
from kubectl_trainjob.repository.output.directory import write_directory
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.review.updates import update_findings
from tests.compiled import compare, lint
from tests.reading import current, read
from tests.unit.lint.test_stale import built_directory

EACH_RULE = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.id) for rule in LINT_RULES])
HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"


def section(rule: Rule, title: str) -> str:
    """The YAML below a heading of the manual, "" where there is none."""
    return manual.section(manual.page(rule.id), title)


def trainer_of(rule: Rule) -> str:
    """The newest version of Trainer that a rule is for."""
    return manual.versions(manual.page(rule.id)).split("-")[-1]


def documents_of(folder: Path, text: str, settings: str) -> Documents:
    """A repository with one file."""
    folder.mkdir()
    (folder / "example.yaml").write_text(text)
    (folder / "trainjob.yaml").write_text(HEAD + settings)
    return read([str(folder)], lambda _most: b"")


def findings(folder: Path, text: str, settings: str, trainer: str, before: str = "") -> list[Diagnostic]:
    """Everything that lint finds in a repository with one file, and in what it became since `before`."""
    documents, options = documents_of(folder, text, settings), BuildOptions(trainer_version=trainer)
    found = lint(documents, options).diagnostics
    if before:
        old = documents_of(folder.with_name(f"{folder.name}-before"), before, settings)
        comparison = compare(old, documents, options)
        found += [each.diagnostic for each in update_findings(comparison, (), Locator().resolve)]
    return found


def findings_of_output(source: str, folder: Path, text: str, settings: str, trainer: str, _: str) -> list[Diagnostic]:
    """Everything that lint finds in a repository with one file, and one that was built of it before."""
    documents, options = documents_of(folder, source, settings), BuildOptions(trainer_version=trainer)
    texts = fresh_texts(pipeline.build(documents, options))
    write_directory(str(folder / "out"), [(path, text) for path in texts], [], current())
    found = lint(read([str(folder)], lambda _most: b""), options).diagnostics
    return [*found, *stale_outputs(built_directory(folder / "out"), {"": texts}).diagnostics]


@EACH_RULE
def test_a_manual_says_what_matters(rule: Rule) -> None:
    assert re.fullmatch(r"KTJ\d{3}", rule.id)
    page = manual.page(rule.id)
    assert len(manual.body(page)) > 200
    assert re.fullmatch(r"\d\.\d(-\d\.\d)?", manual.versions(page))
    assert manual.see(page).startswith("https://")
    assert f"# <- {rule.id}" in section(rule, "Bad")
    assert section(rule, "Good")


@EACH_RULE
def test_the_manual_is_true(rule: Rule, tmp_path: Path) -> None:
    bad, settings, before = section(rule, "Bad"), section(rule, "Settings"), section(rule, "Before")
    find = partial(findings_of_output, section(rule, "Source")) if section(rule, "Source") else findings
    trainer = trainer_of(rule)
    found = find(tmp_path / "bad", bad, settings, trainer, before)
    lines = {(each.rule.id, Locator().resolve(each.place).span.line) for each in found}
    marked = [number for number, line in enumerate(bad.splitlines(), 1) if f"# <- {rule.id}" in line]
    assert lines == {(rule.id, number) for number in marked}
    assert find(tmp_path / "good", section(rule, "Good"), settings, trainer, before) == []
