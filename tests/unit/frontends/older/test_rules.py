"""Each rule writes what the newer version has, once, and the texts keep their comments."""

from __future__ import annotations

import yaml

from kubectl_trainjob.frontends.older.table import JOB_RULES, RUNTIME_RULES
from kubectl_trainjob.repository.files.input_files import read_files
from kubectl_trainjob.repository.output.migration import Migration, migrate_files
from tests.loops import for_each
from tests.reading import workspace
from tests.unit.frontends.older.golden import ASK_ONLY, GOLDENS, Golden

RULES = {rule.id for rule in (*RUNTIME_RULES, *JOB_RULES)}


def migrated(text: str, to: str = "2.3") -> Migration:
    """A file migrated."""
    return migrate_files(read_files(["-"], workspace(lambda _most: text.encode())), to)


def texts(migration: Migration) -> str:
    """The new text."""
    (file,) = migration.files
    return file.new


@for_each("golden", {f"{number} {each.rule}": each for number, each in enumerate(GOLDENS)}, at_least=30)
def test_a_rule_writes_what_the_newer_version_has(golden: Golden) -> None:
    found = migrated(golden.before, golden.to)
    assert list(yaml.safe_load_all(texts(found))) == list(yaml.safe_load_all(golden.after))
    assert golden.rule in found.rules
    assert any(f"({golden.rule})" in each.message for each in found.findings) is golden.asks
    again = migrated(texts(found), golden.to)
    assert (texts(again), again.rules) == (texts(found), {})


@for_each("rule", {rule: (rule, text) for rule, text in ASK_ONLY.items()}, at_least=5)
def test_a_rule_leaves_a_decision_to_a_user(rule: tuple[str, str]) -> None:
    name, text = rule
    (finding,) = migrated(text).findings
    assert finding.message.endswith(f"({name})")


def test_every_rule_has_an_example() -> None:
    assert {each.rule for each in GOLDENS} | set(ASK_ONLY) == RULES


def test_comments_layout_and_order_stay() -> None:
    text = """\
# the team's runtime
apiVersion: kubeflow.org/v2alpha1
kind: TrainingRuntime
metadata:
  name: r   # its name

spec:
  # two nodes
  mlPolicy:
    numNodes: 2   # two
    torch: {}
"""
    expected = text.replace("kubeflow.org/v2alpha1", "trainer.kubeflow.org/v1alpha1")
    assert texts(migrated(text)) == expected


def test_comments_of_moved_values_stay() -> None:
    text = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: j}
spec:
  runtimeRef: {name: r}
  podTemplateOverrides:
    # nodes with RDMA
    - targetJobs: [{name: node}]
      spec: {nodeSelector: {rdma: "true"}}
"""
    assert texts(migrated(text)).startswith("# nodes with RDMA\napiVersion: trainer")


MISTYPED = (
    "podSpecOverrides: [{targetJobs: 7}]",
    "podTemplateOverrides: [{targetJobs: [{a: b}], spec: {a: 1}}]",
    "trainer: 7",
)


@for_each("field", MISTYPED, at_least=3)
def test_a_value_of_another_type_is_left_to_a_build(field: str) -> None:
    text = f"apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: j}}\nspec:\n  {field}\n"
    found = migrated(text)
    assert yaml.safe_load(texts(found))["spec"].popitem()[1] == yaml.safe_load(f"{{{field}}}").popitem()[1]
    assert all("another type" in each.message for each in found.findings)
