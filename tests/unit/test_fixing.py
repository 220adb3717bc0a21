"""Fixes reach the line that a person wrote, or are rejected; the judge is the same reading of the files afterwards."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.compiler.prepare import prepare
from kubectl_trainjob.lint.fix.diff import diff_lines
from kubectl_trainjob.lint.fix.fixes import FixResult, fix
from kubectl_trainjob.model.diagnostic import Diagnostic, Edit, Fix
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.rules import Category, Rule, Severity
from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile
from kubectl_trainjob.model.stages import BuildOptions, Manifest
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.output.changed_files import FileChange, write
from tests.reading import disk, read

RULE = Rule("KTJ999", "example", Severity.ERROR, Category.REJECTED)
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  runtimeRef: {name: torch-distributed}
  trainer:
    numNodes: 2  # nodes
    args:
    - one
    # above two
    - two
    env:
    - name: A
      value: a
"""
OVERLAY = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
namespace: prod
resources: [../job.yaml, lora.yaml.j2]
values: {nodes: 3}
patches:
- path: patch.yaml
- patch: |-
    # of the job
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: bert}
    spec:
      trainer:
        image: a.example/b:1  # image
- target: {kind: TrainJob, name: bert}
  patch:
  - {op: add, path: /spec/suspend, value: true}
"""
PATCH = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  trainer:
    numNodes: 4  # many
    command: [train]
    args: [three]
"""
TEMPLATE = JOB.replace("bert", "lora").replace("2  # nodes", "{{ values.nodes }}")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"job.yaml": JOB, "o/overlay.yaml": OVERLAY, "o/patch.yaml": PATCH, "o/lora.yaml.j2": TEMPLATE}
    (tmp_path / "o").mkdir()
    (tmp_path / ".git").mkdir()
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifests(path: str) -> dict[str, Manifest]:
    documents = read([path], lambda _most: b"")
    prepared = prepare(documents, BuildOptions(), lambda _manifest: True)
    assert [each.message for each in prepared.findings if each.severity == "error"] == []
    return {job.manifest.id.name: job.manifest for job in prepared.jobs}


def finding(*edits: tuple[Place, Any], is_safe: bool = True, message: str = "m") -> Diagnostic:
    made = tuple(Edit(place, None if value is None else json.dumps(value)) for place, value in edits)
    return Diagnostic(RULE, message, edits[0][0], fix=Fix("mend it", made, is_safe))


def reasons(fixing: FixResult) -> list[str]:
    return [each.reason for each in fixing.not_fixed]


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    if isinstance(value, (dict, list)) and value:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*pointer, key))
    else:
        yield pointer, value


@pytest.mark.parametrize(
    ("pointer", "value", "file", "old", "new"),
    [
        pytest.param(
            ("spec", "trainer", "env", 0, "value"), "b", "job.yaml", "value: a", "value: b", id="of the object"
        ),
        pytest.param(
            ("spec", "trainer", "numNodes"), 8, "o/patch.yaml", "4  # many", "8  # many", id="of a patch's file"
        ),
        pytest.param(
            ("spec", "trainer", "image"), "c:2", "o/overlay.yaml", "a.example/b:1  # image", "c:2  # image", id="inline"
        ),
        pytest.param(("spec", "suspend"), False, "o/overlay.yaml", "value: true", "value: false", id="of an operation"),
        pytest.param(
            ("spec", "trainer", "command"), None, "o/patch.yaml", "    command: [train]\n", "", id="a patch's own entry"
        ),
        pytest.param(
            ("spec", "trainer", "env", 1),
            {"name": "B", "value": "b"},
            "job.yaml",
            "      value: a\n",
            "      value: a\n    - name: B\n      value: b\n",
            id="append",
        ),
        pytest.param(
            ("spec", "trainer", "resourcesPerNode", "limits", "cpu"),
            "1",
            "job.yaml",
            "      value: a\n",
            "      value: a\n    resourcesPerNode:\n      limits:\n        cpu: '1'\n",
            id="what nobody wrote",
        ),
    ],
)
def test_edit_below_an_overlay(repository: Path, pointer: Pointer, value: Any, file: str, old: str, new: str) -> None:
    before = manifests("o")["bert"]
    fixing = fix([finding((before.place(*pointer), value))])
    assert reasons(fixing) == []
    assert [each.path for each in fixing.files] == [file]
    text = (repository / file).read_text()
    assert fixing.files[0].new == text.replace(old, new, 1)
    write(fixing.files, disk())
    changed = dict(leaves(before.body)).items() ^ dict(leaves(manifests("o")["bert"].body)).items()
    assert {each[: len(pointer)] for each, _ in changed} == {pointer}
    again = fix([finding((manifests("o")["bert"].place(*pointer), value))] if value is not None else [])
    assert again.files == ()


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("name", "pointer", "value", "reason"),
    [
        pytest.param("bert", ("metadata", "namespace"), "other", "overlay namespace", id="the overlay's namespace"),
        pytest.param("bert", ("spec", "trainer", "numNodes"), None, "replaces another", id="over another value"),
        pytest.param("bert", ("spec", "suspend"), None, "operation", id="an operation's value"),
        pytest.param("bert", ("spec", "trainer"), None, "together", id="of several files"),
        pytest.param("lora", ("spec", "trainer", "numNodes"), 1, "template", id="of a template"),
    ],
)
def test_rejected_below_an_overlay(name: str, pointer: Pointer, value: Any, reason: str) -> None:
    place = manifests("o")[name].place(*pointer)
    fixing = fix([finding((place, value))])
    assert fixing.files == ()
    assert len(fixing.not_fixed) == 1
    assert reason in fixing.not_fixed[0].reason


def in_job(*pointer: str | int) -> Place:
    return Place(Source(SourceFile("job.yaml", JOB)), pointer)


NODES = ("spec", "trainer", "numNodes")


def test_the_same_edit_is_made_once() -> None:
    findings = [finding((in_job("spec", "trainer", "args", 2), "x"), message=text) for text in "ab"]
    fixing = fix(findings)
    assert fixing.fixed == tuple(findings)
    assert fixing.files[0].new == JOB.replace("    - two\n", "    - two\n    - x\n")


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        pytest.param(NODES, 4, id="the same entry"),
        pytest.param(NODES, None, id="set and removed"),
        pytest.param(("spec", "trainer"), None, id="what it stands in"),
    ],
)
def test_the_first_of_two_wins(pointer: Pointer, value: Any) -> None:
    first, second = finding((in_job(*NODES), 3)), finding((in_job(*pointer), value))
    fixing = fix([first, second])
    assert fixing.fixed == (first,)
    assert fixing.files[0].new == JOB.replace("2  #", "3  #")
    assert "another fix" in fixing.not_fixed[0].reason


def test_removals_of_several_findings_keep_their_items() -> None:
    findings = [finding((in_job("spec", "trainer", "args", index), None)) for index in (0, 1)]
    assert fix(findings).files[0].new == JOB.replace(
        "    args:\n    - one\n    # above two\n    - two\n", "    args: []\n    # above two\n"
    )


def test_a_fix_is_made_whole_or_not_at_all() -> None:
    impossible = finding((in_job(*NODES), 3), (in_job("metadata", "name", "x"), 1))
    fixing = fix([impossible, finding((in_job("spec", "trainer", "args", 0), None))])
    assert fixing.files[0].new == JOB.replace("    - one\n", "")
    assert [each.diagnostic for each in fixing.not_fixed] == [impossible]


def test_what_depends_on_an_impossible_fix_is_rejected_too() -> None:
    both = [finding((in_job(*NODES), 3), (in_job("metadata", "name", "x"), 1), message=text) for text in "ab"]
    assert [each.diagnostic for each in fix(both).not_fixed] == both


def test_unsafe_fixes_are_made_when_asked_for() -> None:
    unsafe = finding((in_job(*NODES), 3), is_safe=False)
    assert fix([unsafe]) == FixResult()
    assert fix([unsafe], with_unsafe=True).fixed == (unsafe,)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("-", "standard input", id="standard input"),
        pytest.param(os.path.join(catalogue.directory(), "plain.yaml"), "comes with", id="a packaged runtime"),
        pytest.param(catalogue.files("2.0")["torch-distributed"].path, "comes with", id="an older packaged runtime"),
    ],
)
def test_files_that_are_not_for_editing(path: str, reason: str) -> None:
    assert reason in fix([finding((Place(Source(SourceFile(path, JOB)), NODES), 3))]).not_fixed[0].reason


def test_a_list_is_edited_at_its_item() -> None:
    text = "kind: List\napiVersion: v1\nitems:\n- spec:\n    numNodes: 2\n"
    place = Place(Source(SourceFile("a.yaml", text), 0, ("items", 0)), ("spec", "numNodes"))
    assert fix([finding((place, 3))]).files[0].new == text.replace("2", "3")


def test_diff_shows_nothing_that_a_terminal_interprets() -> None:
    changes = [FileChange("jobs/\x1b[2J.yaml", "a: 1\nb:\t\x1b[31m\n", "a: 2\nb:\t\x1b[31m\n")]
    assert list(diff_lines(changes)) == [
        "--- a/jobs/\\x1b[2J.yaml",
        "+++ b/jobs/\\x1b[2J.yaml",
        "@@ -1,2 +1,2 @@",
        "-a: 1",
        "+a: 2",
        " b:\t\\x1b[31m",
    ]


def test_diff_reports_that_there_is_no_line_end() -> None:
    assert list(diff_lines([FileChange("a", "a: 1\r\nb: 2", "a: 1\r\nb: 3")]))[3:] == [
        " a: 1",
        "-b: 2",
        "\\ No newline at end of file",
        "+b: 3",
        "\\ No newline at end of file",
    ]


def change(path: str, old: str = JOB) -> FileChange:
    return FileChange(path, old, JOB.replace("2", "3"))


def test_writing_keeps_rights_and_byte_order_mark(repository: Path) -> None:
    job = repository / "job.yaml"
    job.write_bytes(b"\xef\xbb\xbf" + JOB.encode())
    job.chmod(0o640)
    write([change("job.yaml")], disk())
    assert job.read_bytes() == b"\xef\xbb\xbf" + JOB.replace("2", "3").encode()
    assert stat.S_IMODE(job.stat().st_mode) == 0o640
    assert sorted(each.name for each in repository.iterdir()) == [".git", "job.yaml", "o"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("o/patch.yaml", "changed after it was read", id="another text"),
        pytest.param("gone.yaml", "No such file", id="no file"),
        pytest.param("out.yaml", "leads out", id="a link that leads out"),
        pytest.param("o", "not a regular file", id="a directory"),
    ],
)
def test_nothing_is_written_where_a_file_is_not_as_it_was(repository: Path, path: str, reason: str) -> None:
    outside = repository.parent / f"{repository.name}-outside.yaml"
    outside.write_text(JOB)
    (repository / "out.yaml").symlink_to(outside)
    with pytest.raises(EnvironmentFault, match=f"{reason}.*nothing was written"):
        write([change("job.yaml"), change(path)], disk())
    assert (repository / "job.yaml").read_text() == JOB
    assert outside.read_text() == JOB
