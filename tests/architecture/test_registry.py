"""Every rule is in the table and documented, and its manual is true: `Bad` gives exactly the rule, `Good` nothing."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest

from kubectl_trainjob.compiler.executor import IN_PROCESS
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
from kubectl_trainjob.lint import registry
from kubectl_trainjob.lint import rules as kinds
from kubectl_trainjob.lint.registry import LINT_RULES
from kubectl_trainjob.lint.run import LintOptions, lint_tree
from kubectl_trainjob.model import rules as table
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.rules import RULES, Category, Rule
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.report.lint import manual
from kubectl_trainjob.repository.files.input_files import read_files
from kubectl_trainjob.repository.output.migration import migrate_files
from kubectl_trainjob.repository.trees import working_tree
from tests.compiled import build
from tests.reading import current, disk, read, workspace
from tests.rules_page import PAGE

LATEST = LATEST_TRAINER
SMALL = Limits(file_bytes=1000, build_bytes=1900, documents=6, depth=8, alias_nodes=50, entries=60, overlay_edits=100)


def _files(count: int, text: str) -> Callable[[Path], object]:
    return lambda folder: [
        (folder / f"{number}.yaml").write_text(text.replace("NUMBER", str(number))) for number in range(count)
    ]


# What no manual can show as YAML is made here: a folder that gives exactly the rule under the limits SMALL.
MADE: dict[str, Callable[[Path], object]] = {
    "KTJ002": lambda folder: (folder / "a.yaml").write_text("kind: ConfigMap", encoding="utf-16"),
    "KTJ020": _files(1, "#" * 1001),
    "KTJ021": _files(2, "#" * 999),
    "KTJ022": _files(7, "{apiVersion: v1, kind: ConfigMap, metadata: {name: aNUMBER}}"),
    "KTJ023": _files(1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: [[[[[[[[]]]]]]]]}"),
    "KTJ024": _files(1, "a: &a [1, 2, 3, 4]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]\n"),
    "KTJ025": lambda folder: (folder / "a.yaml").symlink_to("/etc/hostname"),
    "KTJ026": lambda folder: (folder / "a.yaml.j2").write_text("kind: {{ kind }}"),
    "KTJ027": _files(1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}" + "\n" * 61),
}


def _configured(folder: Path, setting: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "a.yaml").write_text(f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {folder.name[:3]}}}}}")
    (folder / "trainjob.yaml").write_text(f"{{apiVersion: kubectl-trainjob.dev/v1alpha1, kind: Config, {setting}}}")


def _two_targets(folder: Path) -> None:
    for name, version in (("one", "2.2"), ("two", "2.3")):
        _configured(folder / name, f'target: {{trainer: "{version}"}}')


def _nested(folder: Path) -> None:
    _configured(folder / "one", "emit: jobset")
    _configured(folder / "one" / "two", "emit: trainjob")


MADE |= {
    "KTJ040": lambda folder: _configured(folder, "taget: {}"),
    "KTJ041": lambda folder: _configured(folder, 'target: {trainer: "1.9"}'),
    "KTJ042": _two_targets,
    "KTJ043": _nested,
}

_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"


def _overlay(text: str, **files: str) -> Callable[[Path], object]:
    """An overlay `o` with the settings `text` over a ConfigMap, and more files beside it."""

    def make(folder: Path) -> None:
        (folder / "o").mkdir()
        (folder / "o" / "a.yaml").write_text(_MAP)
        head = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
        (folder / "o" / "overlay.yaml").write_text(
            head + (text if "resources" in text else "resources: [a.yaml]\n" + text)
        )
        for name, content in files.items():
            (folder / "o" / f"{name}.yaml.j2").write_text(content)

    return make


def _around(folder: Path) -> None:
    _overlay("resources: [below]")(folder)
    (folder / "o" / "below").mkdir()
    (folder / "o" / "below" / "overlay.yaml").write_text(
        "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [..]\n"
    )


def _often(folder: Path) -> None:
    _overlay("resources: [one, two, three, four, five]")(folder)
    for name in ("one", "two", "three", "four", "five"):
        (folder / "o" / name).mkdir()
        (folder / "o" / name / "overlay.yaml").write_text(
            f"{{apiVersion: kubectl-trainjob.dev/v1alpha1, kind: Overlay, resources: [../a.yaml], nameSuffix: -{name}}}"
        )


def _alike(folder: Path) -> None:
    _overlay("resources: [one, two, pod.yaml]\nnameSuffix: -x")(folder)
    for name in ("one", "two"):
        (folder / "o" / name).mkdir()
        (folder / "o" / name / "overlay.yaml").write_text(
            f"{{apiVersion: kubectl-trainjob.dev/v1alpha1, kind: Overlay, resources: [../a.yaml], nameSuffix: -{name}}}"
        )
    (folder / "o" / "pod.yaml").write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{configMap: {name: a}}]}}"
    )


MADE |= {
    "KTJ050": _overlay("namePrefix: -x"),
    "KTJ051": _overlay("resources: [b.yaml]"),
    "KTJ052": _around,
    "KTJ053": _overlay("patches: [{target: {kind: ConfigMap}, patch: [{op: remove, path: /data}]}]"),
    "KTJ054": _overlay("patches: [{patch: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}}]"),
    "KTJ055": _overlay("patches: [{target: {kind: Secret}, patch: {data: {}}}]"),
    "KTJ056": _overlay("patches: [{target: {kind: ConfigMap}, patch: [{op: remove, path: /metadata/name}]}]"),
    "KTJ057": _often,
    "KTJ058": _alike,
    "KTJ059": _overlay("labels: [{pairs: {" + ", ".join(f"l{i}: v" for i in range(51)) + "}}]"),
    "KTJ060": _overlay("resources: [t.yaml.j2]", t="{% if %}"),
    "KTJ061": _overlay("resources: [t.yaml.j2]", t=_MAP.replace("name: a", "name: {{ values.name }}")),
    "KTJ062": _overlay("resources: [t.yaml.j2]", t="{{ ''.__class__ }}"),
    "KTJ063": _overlay("resources: [t.yaml.j2]", t='{{ "x" * 10**10 }}'),
    "KTJ1025": _overlay("sweeps: [{target: {name: b}, method: grid, parameters: {layers: {type: int, values: [1]}}}]"),
    "KTJ064": _overlay("resources: [t.yaml.j2]", t="{{ 1 // 0 }}"),
}

# Rules that no input gives, each with the reason.
NEVER = {
    "KTJ722": "Trainer writes no empty list, and the JobSet's schema refuses a missing one before",
    "KTJ730": "JobSet's admission refuses these names before, because Trainer writes completions",
    "KTJ513": "the packaged schemas refuse it before the webhook's check, which it mirrors, is reached",
}


# What only `migrate` and only lint know of.
MIGRATION = ("KTJ1051", "KTJ1052", "KTJ1053", "KTJ1054")
SUPPRESSIONS = ("KTJ070", "KTJ071", "KTJ072", "KTJ073")

BUILD_RULES = {rule.id: rule for rule in RULES.values() if rule not in LINT_RULES}
EACH_RULE = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.id) for rule in BUILD_RULES.values()])


def example(rule: Rule, title: str) -> str:
    """The YAML below `## Bad` or `## Good` of a manual, "" where there is none."""
    return manual.section(manual.page(rule.id), title)


def number(rule: Rule) -> int:
    """The number of a rule."""
    return int(rule.id.removeprefix("KTJ"))


def test_the_table_is_sorted_by_id_and_each_name_is_that_of_the_rule() -> None:
    defined = {name: value for name, value in vars(table).items() if isinstance(value, Rule)}
    assert list(RULES.values()) == list(defined.values()) == sorted(RULES.values(), key=number)
    assert list(defined) == [rule.name.upper().replace("-", "_") for rule in RULES.values()]


def test_every_rule_has_a_page_with_its_facts_and_every_page_a_rule() -> None:
    pages = sorted(path.stem for path in PAGE.parent.glob("*.md") if path != PAGE)
    assert pages == sorted(RULES)
    for rule in RULES.values():
        heading, facts, *_ = manual.page(rule.id).split("\n\n")
        assert heading == f"# {rule.id} {rule.name}"
        assert facts.split(", ")[:2] == [rule.severity, rule.category]
        assert facts.split(", ")[-1] == f"since {rule.since}"


def test_every_check_is_registered_once_in_the_order_of_ids() -> None:
    rules = LINT_RULES, registry.UPDATE_RULES
    found = [value for value in vars(registry).values() if isinstance(value, tuple) and not isinstance(value, Rule)]
    tuples = [value for value in found if value and value not in rules]
    for checks in tuples[:-1]:
        assert list(checks) == sorted(checks, key=lambda check: check.rule.id)
    registered = {each.rule.name.replace("-", "_") for each in tuples[-1]}
    assert registered == {each.name for each in pkgutil.iter_modules(kinds.__path__)}
    for check in tuples[-1]:
        module = import_module(f"{kinds.__name__}.{check.rule.name.replace('-', '_')}")
        assert module.__doc__ is not None
        assert module.__doc__.startswith(f"{check.rule.id}: ")
        if check.find.__module__ != "kubectl_trainjob.lint.containers":
            assert check.find.__module__ == module.__name__


@EACH_RULE
def test_a_rule_is_named_and_has_a_manual(rule: Rule) -> None:
    assert re.fullmatch(r"KTJ\d{3,4}", rule.id)
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", rule.name)
    assert len(manual.body(manual.page(rule.id))) > 60
    if rule.id in MADE or rule.id in NEVER:
        assert not example(rule, "Bad")
    else:
        assert example(rule, "Bad")
        assert example(rule, "Good")


def test_the_exceptions_exist() -> None:
    assert set(MADE) | set(NEVER) <= set(BUILD_RULES)
    assert not set(MADE) & set(NEVER)


def target(rule: Rule) -> str:
    """The Trainer that a manual's examples are meant for."""
    titles = re.findall(r"^## (?:Bad|Good)(?: \(Trainer (\d\.\d)\))?$", manual.page(rule.id), re.MULTILINE)
    assert len(set(titles)) <= 1
    return titles[0] if titles and titles[0] else LATEST


def found_in(folder: Path, limits: Limits = LIMITS, trainer_version: str = "", *, is_strict: bool = False) -> list[str]:
    """The ids that a build of a folder reports."""
    options = BuildOptions(trainer_version=trainer_version)
    paths = [str(path) for path in sorted(folder.iterdir()) if path.is_dir()] or [str(folder)]
    built = build(read(paths, lambda _most: b"", limits), options, is_strict=is_strict)
    return sorted({diagnostic.rule.id for diagnostic in built.diagnostics})


@EACH_RULE
def test_the_manual_is_true(rule: Rule, tmp_path: Path) -> None:
    if rule.id in NEVER:
        return
    if rule.id in MADE:
        MADE[rule.id](tmp_path)
        assert found_in(tmp_path, SMALL) == [rule.id]
        return
    file = tmp_path / "example.yaml"
    if settings := manual.section(manual.page(rule.id), "Settings"):
        (tmp_path / "trainjob.yaml").write_text(f"apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n{settings}")
    for title, found in (("Bad", [rule.id]), ("Good", [])):
        file.write_text(example(rule, title))
        if rule.id in SUPPRESSIONS:
            assert linted(tmp_path) == found
        elif rule.id in MIGRATION:
            migration = migrate_files(read_files([str(file)], workspace()))
            assert [each.rule.id for each in migration.findings] == found
        else:
            is_late = rule.category is Category.LATE
            assert found_in(tmp_path, trainer_version=target(rule), is_strict=is_late) == found


def linted(folder: Path) -> list[str]:
    """The ids that lint reports of a folder."""
    read = working_tree(disk()).read([str(folder)], workspace())
    reported = lint_tree(read, LintOptions(BuildOptions(), current(), date(2026, 1, 1)), IN_PROCESS)
    return sorted({result.rule.id for result in reported.results})
