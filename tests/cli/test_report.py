from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.rules import Category, Rule, Severity
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span
from kubectl_trainjob.report.diagnostics import report
from kubectl_trainjob.report.lint.document import MOST_SHOWN
from kubectl_trainjob.repository.positions import Location, Locator
from tests.reading import read

ERROR = Rule("KTJ201", "runtime-not-found", Severity.ERROR, Category.REJECTED)
OTHER = Rule("KTJ120", "no-such-field", Severity.ERROR, Category.REJECTED)
WARNING = Rule("KTJ502", "deprecated", Severity.WARNING, Category.REJECTED)

JOB = SourceFile("jobs/llm.yaml", "kind: TrainJob\nspec:\n  runtimeRef:\n    name: torch-distributd\n")
RUNTIME = SourceFile("runtimes/torch.yaml", "metadata:\n  name: torch-distributed\n")


def located(place: Place) -> Location:
    assert place.span is not None
    return Location(place.source.file, place.span)


def at(file: SourceFile, line: int, column: int, width: int = 1) -> Place:
    return Place(Source(file), span=Span(line, column, line, column + width))


def dedent(text: str) -> str:
    return textwrap.dedent(text).removeprefix("\n")


def test_nothing_to_say() -> None:
    assert report([], located) == ""


def test_one_finding_with_a_related_place() -> None:
    finding = Diagnostic(
        ERROR,
        'no "torch-distributd"; did you mean "torch-distributed"?',
        at(JOB, 4, 11, 16),
        (RelatedPlace("the runtime stands here", at(RUNTIME, 2, 9)),),
    )
    assert report([finding], located) == dedent("""
        jobs/llm.yaml:4:11: error KTJ201 runtime-not-found: no "torch-distributd"; did you mean "torch-distributed"?
              name: torch-distributd
                    ^~~~~~~~~~~~~~~~
        runtimes/torch.yaml:2:9: note: the runtime stands here
    """)


def test_sorted_by_place_and_rule_each_once_and_counted() -> None:
    findings = [
        Diagnostic(WARNING, "old", at(RUNTIME, 2, 3, 4)),
        Diagnostic(ERROR, "b", at(JOB, 2, 1, 4)),
        Diagnostic(OTHER, "c", at(JOB, 2, 1, 4)),
        Diagnostic(ERROR, "a", at(JOB, 1, 7, 8)),
        Diagnostic(ERROR, "b", at(JOB, 2, 1, 4)),
    ]
    expected = dedent("""
        jobs/llm.yaml:1:7: error KTJ201 runtime-not-found: a
          kind: TrainJob
                ^~~~~~~~
        jobs/llm.yaml:2:1: error KTJ120 no-such-field: c
          spec:
          ^~~~
        jobs/llm.yaml:2:1: error KTJ201 runtime-not-found: b
          spec:
          ^~~~
        runtimes/torch.yaml:2:3: warning KTJ502 deprecated: old
            name: torch-distributed
            ^~~~
        3 errors, 1 warning
    """)
    assert report(findings, located) == expected
    assert report(reversed(findings), located) == expected


def test_colour_only_when_asked_for() -> None:
    finding = Diagnostic(ERROR, "a", at(JOB, 1, 7, 8))
    assert "\x1b" not in report([finding], located)
    assert report([finding], located, colour=True) == (
        "\x1b[1mjobs/llm.yaml:1:7:\x1b[0m \x1b[1;31merror\x1b[0m KTJ201 runtime-not-found: a\n"
        "  kind: TrainJob\n"
        "        \x1b[1;32m^~~~~~~~\x1b[0m\n"
    )


@pytest.mark.parametrize("hostile", ["\x1b]52;c;aGk=\x07", "\u202egnp.exe", "\x9b2J", "a\rb", "\u2066x\u2069"])
def test_no_control_from_path_message_line_or_note_gets_through(hostile: str) -> None:
    file = SourceFile(f"jobs/{hostile}.yaml", f"name: {hostile.replace(chr(13), '')}")
    finding = Diagnostic(ERROR, hostile, at(file, 1, 1), (RelatedPlace(hostile, at(file, 1, 1)),))
    assert all(line.isprintable() for line in report([finding], located).split("\n"))


def test_many_findings_are_cut_and_the_rest_is_counted() -> None:
    text = "a: 1\n" * (MOST_SHOWN + 5)
    file = SourceFile("many.yaml", text)
    shown = report([Diagnostic(ERROR, "a", at(file, n + 1, 1)) for n in range(MOST_SHOWN + 5)], located)
    assert shown.count("error KTJ201") == MOST_SHOWN
    assert shown.endswith(f"5 more findings are not shown\n{MOST_SHOWN + 5} errors\n")


TEMPLATE = "a: 1\nb: {{ values.b }}\nc: '{{ values.c }}'\n"
OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../t.yaml.j2]\nvalues: {%s}\n"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(
            {"one": "b: 1, d: 1", "two": "b: '{}', c: 1", "three": "b: 3, d: 1"},
            """
            t.yaml.j2:3:1: error KTJ061
              c: '{{ values.c }}'
              ^~~~~~~~~~~~~~~~~~~
            one/overlay.yaml:4:9: note: rendered with these values
            three/overlay.yaml:4:9: note: rendered with these values
            """,
            id="a value that two lack",
        ),
        pytest.param(
            {"one": "b: 'x: y', c: 1", "two": "b: 'y: z', c: 1", "three": "b: 'x: y', c: 1"},
            """
            t.yaml.j2:2:1: error KTJ001
              b: {{ values.b }}
              ^~~~~~~~~~~~~~~~~
            t.yaml.j2:2:1: note: rendered as: b: x: y
            one/overlay.yaml:4:9: note: rendered with these values
            three/overlay.yaml:4:9: note: rendered with these values
            t.yaml.j2:2:1: note: rendered as: b: y: z
            two/overlay.yaml:4:9: note: rendered with these values
            """,
            id="a line that two renderings break",
        ),
    ],
)
def test_of_a_template_the_line_as_rendered_and_the_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: dict[str, str], expected: str
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "t.yaml.j2").write_text(TEMPLATE)
    for name, text in values.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "overlay.yaml").write_text(OVERLAY % text)
    monkeypatch.chdir(tmp_path)
    diagnostics = read([*values], lambda _most: b"").diagnostics
    shown = report(diagnostics, Locator().resolve)
    assert re.sub(r"(error KTJ\d+) .*", r"\1", shown) == dedent(expected)


def test_notes_that_say_the_same_are_reported_once_and_many_are_cut() -> None:
    def found(*lines: int) -> Diagnostic:
        return Diagnostic(ERROR, "a", at(JOB, 1, 7, 8), tuple(RelatedPlace("here", at(RUNTIME, n, 1)) for n in lines))

    notes = [f"runtimes/torch.yaml:{n}:1: note: here" for n in range(1, 31)]
    assert report([found(1, 2, 1), found(2)], located).splitlines()[3:] == notes[:2]
    assert report([found(n) for n in range(1, 31)], located).splitlines()[3:] == [
        *notes[:20],
        "jobs/llm.yaml:1:7: note: 10 more notes of this kind",
    ]
