"""Which errors only one side has: the expected result is written by hand."""

from __future__ import annotations

import pytest

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import MISSING_NAME, MISSING_TYPE
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span, TextOrigin
from kubectl_trainjob.model.stages import Manifest, ObjectId
from kubectl_trainjob.repository.findings import Objects
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.review.compare_trees import ErrorsBySide, errors_by_side

Side = tuple[str, str]
"""The path of a file, and its text: each line that holds a "!" has a finding."""


def found(path: str, text: str, base: str = "", message: str = "it is wrong", rule=MISSING_TYPE) -> list[Diagnostic]:
    file = SourceFile(path, text, below_base=path.removeprefix(base) if base else "")
    return [at(file, number, message, rule) for number, line in enumerate(text.split("\n"), 1) if "!" in line]


def at(file: SourceFile, line: int, message: str = "it is wrong", rule=MISSING_TYPE) -> Diagnostic:
    return Diagnostic(rule, message, Place(Source(file), span=Span(line, 1, line, 2)))


def by_side(old: list[Diagnostic], new: list[Diagnostic], objects: Objects | None = None) -> ErrorsBySide:
    return errors_by_side(old, new, Locator().resolve, objects or {})


def lines(findings: tuple[Diagnostic, ...]) -> list[int]:
    return [finding.place.span.line for finding in findings if finding.place.span]


@pytest.mark.parametrize(
    ("old", "new", "gone", "both", "came"),
    [
        pytest.param("a!\nb!", "a!\nb!", [], [1, 2], [], id="the-same"),
        pytest.param("a!\nb!", "x\n  a!\n\nb!", [], [2, 4], [], id="lines-above-and-indentation"),
        pytest.param("a!\nb!", "b!", [1], [1], [], id="one-less"),
        pytest.param("b!", "a!\nb!", [], [2], [1], id="one-more"),
        pytest.param("a!\nb", "a\nb!", [1], [], [2], id="another"),
        pytest.param("a!", "a!\na!", [], [1], [2], id="the-same-line-again"),
        pytest.param("a!\na!\na!", "a!", [2, 3], [1], [], id="the-same-line-less-often"),
        pytest.param("", "", [], [], [], id="nothing"),
    ],
)
def test_lines_are_known_by_their_text(old: str, new: str, gone: list[int], both: list[int], came: list[int]):
    reported = by_side(found("f", old), found("f", new))
    assert (lines(reported.old), lines(reported.both), lines(reported.new)) == (gone, both, came)


@pytest.mark.parametrize(
    ("new", "is_same"),
    [
        pytest.param(found("f", "a!"), True, id="same"),
        pytest.param(found("g", "a!"), False, id="file"),
        pytest.param(found("f", "a!", message="it is broken"), True, id="message"),
        pytest.param(found("f", "a!", rule=MISSING_NAME), False, id="rule"),
        pytest.param(found("new/f", "a!", base="new/"), True, id="file-below-a-base"),
    ],
)
def test_what_else_distinguishes_findings(new: list[Diagnostic], is_same: bool):
    reported = by_side(found("f", "a!"), new)
    assert reported == (((), tuple(new), ()) if is_same else (tuple(reported.old), (), tuple(new)))


def test_an_object_is_the_same_in_another_file():
    old, new = found("f", "a!"), found("g", "a!")
    for name, is_same in (("x", True), ("y", False)):
        objects = {
            each.place.source: Manifest(ObjectId("v1", "Pod", "", job), {}, each.place.source)
            for job, each in (("x", old[0]), (name, new[0]))
        }
        assert by_side(old, new, objects) == (((), tuple(new), ()) if is_same else (tuple(old), (), tuple(new)))


def test_different_messages_at_one_line_are_two_findings():
    file = SourceFile("f", "a")
    first, second = at(file, 1, "one"), at(file, 1, "two")
    assert by_side([first], [first, second]) == ((), (first,), (second,))


def test_paths_in_messages():
    old = found("old/f", "a!", "old/", '"old/g" does not exist in "old"; did you mean "old/h"?')
    new = found(
        "/tmp/new/f", "a!", "/tmp/new/", '"/tmp/new/g" does not exist in "/tmp/new"; did you mean "/tmp/new/h"?'
    )
    reported = by_side(old, new)
    assert reported == ((), tuple(new), ())


def test_a_finding_of_several_overlays_is_one():
    """Each overlay reads the file for itself."""
    old, new = found("f", "a!") + found("f", "a!"), found("f", "a!") * 2 + found("f", "a!")
    reported = by_side(old, new)
    assert (len(reported.old), len(reported.both), len(reported.new)) == (0, 1, 0)


def test_a_rendered_text_is_the_template():
    def rendered(base: str, template: str) -> Diagnostic:
        file = SourceFile(f"{base}t.j2", template, below_base="t.j2")
        return at(SourceFile(file.path, "made\n", TextOrigin(file, (2,))), 1)

    old, new = rendered("old/", "#\nline\n"), rendered("new/", "# more\nline\n")
    assert by_side([old], [new]) == ((), (new,), ())


@pytest.mark.slow
def test_many_findings_take_time_as_they_are_many():
    text = "".join(f"line {number}!\n" for number in range(20_000))
    reported = by_side(found("f", text), found("f", "new!\n" + text))
    assert (len(reported.old), len(reported.both), lines(reported.new)) == (0, 20_000, [1])
