"""Every fix that a manual's `Bad:` example yields mends its finding and nothing else.

Judges: lint and build of the files afterwards; PyYAML for which lines a removed entry has; the recorder of origins for
which values of the result an edited line may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kubectl_trainjob.compiler.pipeline import trace
from kubectl_trainjob.lint.fix.fixes import fix
from kubectl_trainjob.lint.registry import LINT_RULES
from kubectl_trainjob.model.diagnostic import Diagnostic, Edit
from kubectl_trainjob.model.draft import DraftSnapshot
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Origin, Place, Pointer
from kubectl_trainjob.model.stages import BuildOptions, TracedObject
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.output.changed_files import write
from tests.architecture.test_registry import BUILD_RULES, example, target
from tests.compiled import build, lint
from tests.reading import disk, read
from tests.unit.lint.test_manuals import HEAD, section, trainer_of

pytestmark = pytest.mark.slow

FILE = "example.yaml"
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: added}}
spec: {{runtimeRef: {{kind: {kind}, name: {name}}}, trainer: {{numNodes: 2}}}}
"""


class Example(NamedTuple):
    """A manual's bad example."""

    rule: Rule
    text: str
    settings: str
    trainer: str


def _examples() -> Iterator[Example]:
    for rule in BUILD_RULES.values():
        yield Example(rule, example(rule, "Bad") or "", "", target(rule))
    for rule in LINT_RULES:
        trainer = trainer_of(rule)
        yield Example(rule, section(rule, "Bad"), section(rule, "Settings"), trainer)


EACH_EXAMPLE = pytest.mark.parametrize(
    "case", [pytest.param(each, id=each.rule.id) for each in _examples() if each.text]
)


class Folder(NamedTuple):
    """A repository with one file, and what it is built for."""

    path: Path
    options: BuildOptions

    def documents(self) -> Documents:
        return read([str(self.path)], lambda _most: b"")

    def findings(self) -> list[Diagnostic]:
        return lint(self.documents(), self.options).diagnostics

    def rejections(self) -> list[Diagnostic]:
        """What build finds, which does not look at what is admitted."""
        return list(build(self.documents(), self.options).diagnostics)

    def judged(self, rule: Rule) -> list[Diagnostic]:
        """By what the rule belongs to: of an object that is rejected lint's checks see nothing, until it is mended."""
        return self.rejections() if rule.id in BUILD_RULES else self.findings()

    def traced(self) -> list[TracedObject]:
        """What the controllers make, recorded; a runtime that no TrainJob refers to gets one."""
        runtimes = [each for each in yaml.safe_load_all((self.path / FILE).read_text()) if "Runtime" in each["kind"]]
        job = self.path / "job.yaml"
        if "kind: TrainJob" not in (self.path / FILE).read_text():
            job.write_text(JOB.format(**runtimes[0]["metadata"] | {"kind": runtimes[0]["kind"]}))
        tracing = trace(self.documents(), self.options, lambda _manifest: True)
        job.unlink(missing_ok=True)
        return [made for each in tracing.jobs for made in each.objects]


def _folder(path: Path, case: Example, text: str) -> Folder:
    (path / FILE).write_text(text)
    (path / "trainjob.yaml").write_text(HEAD + case.settings)
    return Folder(path, BuildOptions(trainer_version=case.trainer))


def _safe(findings: list[Diagnostic]) -> list[Diagnostic]:
    return [each for each in findings if each.fix is not None and each.fix.is_safe]


@pytest.mark.parametrize("with_unsafe", [pytest.param(False, id="safe"), pytest.param(True, id="unsafe, too")])
@EACH_EXAMPLE
def test_a_fix_mends_the_finding_alone(case: Example, with_unsafe: bool, tmp_path: Path) -> None:
    folder = _folder(tmp_path, case, case.text)
    before = folder.judged(case.rule)
    mended = [each for each in before if each.fix is not None and (each.fix.is_safe or with_unsafe)]
    if not mended:
        return
    traced = [] if with_unsafe else folder.traced()
    fixing = fix(before, with_unsafe=with_unsafe)
    assert fixing.not_fixed == ()
    assert fixing.fixed == tuple(mended)
    write(fixing.files, disk())
    after = folder.judged(case.rule)
    reported = [(each.rule.id, each.message) for each in before if each not in mended]
    assert [(each.rule.id, each.message) for each in after] == reported
    assert fix(after, with_unsafe=with_unsafe).files == ()
    if not with_unsafe:  # an unsafe one may switch on what the runtime had left off
        edits = [edit for each in mended for edit in each.fix.edits]
        _only_the_edited_lines_count(traced, folder.traced(), edits)


def _only_the_edited_lines_count(before: list[TracedObject], after: list[TracedObject], edits: list[Edit]) -> None:
    """Whatever differs in what is made comes from an edited line; nothing is made of what was rejected."""
    if not before:
        assert after
        return
    old, new = _values(before), _values(after)
    for key in old.keys() | new.keys():
        if key not in old or key not in new or old[key][0] != new[key][0]:
            origins = [each[key][1] for each in (old, new) if key in each]
            assert any(_is_from(origin, edits) for origin in origins), key


def _values(made: list[TracedObject]) -> dict[tuple[Any, ...], tuple[Any, Origin | None]]:
    """Every value by its path, in which items that have a name stand by that."""
    return {
        (str(each.identity), *path): (value, each.draft.origin(pointer))
        for each in made
        for path, pointer, value in _leaves(each.draft.value, (), ())
    }


def _leaves(value: Any, path: Pointer, pointer: Pointer) -> Iterator[tuple[Pointer, Pointer, Any]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(each, (*path, key), (*pointer, key))
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            name = each.get("name", index) if isinstance(each, dict) else index
            yield from _leaves(each, (*path, name), (*pointer, index))
    else:
        yield path, pointer, value


def _is_from(origin: Origin | None, edits: list[Edit]) -> bool:
    return origin is not None and any(_meets(place, edit.place) for place in _named(origin) for edit in edits)


def _named(origin: Origin) -> Iterator[Place]:
    for place in (*([origin.place] if origin.place else []), *origin.causes):
        if isinstance(place.source.edits, DraftSnapshot):
            yield from _named(place.source.edits.origin(place.pointer))
        else:
            yield place


def _meets(place: Place, edited: Place) -> bool:
    shorter = min(len(place.pointer), len(edited.pointer))
    same_object = place.source.document == edited.source.document and place.source.prefix == edited.source.prefix
    return same_object and place.pointer[:shorter] == edited.pointer[:shorter]


@EACH_EXAMPLE
def test_a_safe_fix_keeps_the_comments(case: Example, tmp_path: Path) -> None:
    """A comment above every line: lost are at most those between the lines of an entry that goes or is replaced."""
    if not _safe(_folder(tmp_path, case, case.text).judged(case.rule)):
        return
    text = _commented(case.text)
    findings = _folder(tmp_path, case, text).judged(case.rule)
    assert _safe(findings)
    lines = text.splitlines()
    may_go = {
        line
        for each in _safe(findings)
        for edit in each.fix.edits
        for start, end in [_inner_lines(text, edit)]
        for line in lines[start:end]
    }
    for changed in fix(findings).files:
        kept = changed.new.splitlines()
        assert [line for line in lines if "# here" in line and line not in kept and line not in may_go] == []


def _commented(text: str) -> str:
    """With a comment above each line where that does not change what the text holds."""
    lines = text.splitlines()
    for number in range(len(lines) - 1, -1, -1):
        indent = re.match(" *", lines[number])
        assert indent is not None
        more = [*lines[:number], f"{indent[0]}# here {number}", *lines[number:]]
        if _loaded("\n".join(more)) == _loaded(text):
            lines = more
    return "\n".join(lines) + "\n"


def _loaded(text: str) -> Any:
    try:
        return list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        return type(error)


def _inner_lines(text: str, edit: Edit) -> tuple[int, int]:
    """The lines below the first one of what stands at an edit's place."""
    node = list(yaml.compose_all(text, yaml.SafeLoader))[edit.place.source.document]
    for step in (*edit.place.source.prefix, *edit.place.pointer):
        entries = node.value if isinstance(node, yaml.SequenceNode) else {key.value: each for key, each in node.value}
        try:
            node = entries[step]
        except (KeyError, IndexError):
            return 0, 0
    return node.start_mark.line + 1, node.end_mark.line


def test_rejections_that_have_a_safe_fix(tmp_path: Path) -> None:
    """What a webhook or the schema rejects, and where the remedy is certain."""
    mended = set()
    for case in _examples():
        if case.rule.id in BUILD_RULES and case.text:
            findings = _folder(tmp_path, case, case.text).rejections()
            mended |= {each.rule.id for each in _safe(findings)}
    assert mended >= {"KTJ211", "KTJ401", "KTJ411", "KTJ416", "KTJ501"}


def test_a_field_that_is_gone_is_removed(tmp_path: Path) -> None:
    runtime = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy:
    torch:
      numProcPerNode: auto  # as many as there are GPUs
  template: {spec: {replicatedJobs: []}}
"""
    (tmp_path / FILE).write_text(runtime)
    folder = Folder(tmp_path, BuildOptions())
    assert [each.rule.id for each in folder.rejections()] == ["KTJ102"]
    changed = fix(folder.rejections()).files
    gone = "torch:\n      numProcPerNode: auto  # as many as there are GPUs"
    assert changed[0].new == runtime.replace(gone, "torch: {}")
    write(changed, disk())
    assert folder.rejections() == []
