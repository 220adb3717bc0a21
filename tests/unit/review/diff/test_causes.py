"""The blast radius: small repositories before and after an edit, and what is reported of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.review.diff.causes import causes, changed_inputs, listed
from kubectl_trainjob.review.diff.changed_inputs import CompiledPair
from kubectl_trainjob.review.diff.changes import ComparedJob
from tests.unit.review.diff.repository import TRAINER, compiled, write

Files = dict[str, str]
Reported = list[tuple[str, str, list[str]]]
"""What each cause is, its file and line, and the TrainJobs."""

RUNTIME = """\
kind: ClusterTrainingRuntime
metadata:
  name: NAME
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: acme/NAME:1
"""
JOB = """\
kind: TrainJob
metadata:
  name: NAME
spec:
  runtimeRef:
    name: RUNTIME
  trainer:
    numNodes: 2
    env:
    - {name: LR, value: "1"}
"""
CATALOGUE = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\ncatalog: true\n"
TEMPLATE = """\
{# every model #}
{% for model in values.models %}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: {{ model.name }}
spec:
  runtimeRef: {name: plain}
  trainer:
    numNodes: {{ model.nodes }}
    env:
    # told to the script
    - {name: LR, value: "{{ values.lr }}"}
    - {name: TEAM, value: "{{ overlay.namespace }}"}
{% endfor %}
"""
VALUES = """\
resources: [train.yaml.j2]
namespace: team
values:
  lr: 1
  unused: 1
  models:
  - {name: a, nodes: 1}
  - {name: b, nodes: 2}
"""


def runtime(name: str = "plain") -> str:
    return TRAINER + RUNTIME.replace("NAME", name)


def job(name: str, of: str = "plain") -> str:
    return TRAINER + JOB.replace("NAME", name).replace("RUNTIME", of)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pairs(old: dict[str, ComparedJob], new: dict[str, ComparedJob], became: dict[str, str]) -> list[CompiledPair]:
    """The TrainJobs of both sides whose objects differ; `became` are new names by old ones."""
    found = list[CompiledPair]()
    former = {now: before for before, now in became.items()}
    for name in {**old, **new}:
        before, after = old.get(former.get(name, name)), new.get(name)
        if name not in became and before and after and before.objects != after.objects:
            found.append((before, after))
    return found


def reported(
    old: dict[str, ComparedJob], new: dict[str, ComparedJob], became: dict[str, str] | None = None
) -> Reported:
    found = listed(causes(changed_inputs(pairs(old, new, became or {}))))
    resolve = Locator().resolve
    return [
        (
            each.what + (" (gone)" if each.is_gone else ""),
            f"{(location := resolve(each.place)).file.path}:{location.span.line}",
            [job.identity.name for job in each.jobs],
        )
        for each in found
    ]


def edited(root: Path, files: Files, edits: Files, *paths: str, became: dict[str, str] | None = None) -> Reported:
    """What is reported of the edits of a repository."""
    write(root, files)
    old = compiled(*paths)
    write(root, edits)
    return reported(old, compiled(*paths), became)


def swap(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


MANY = {f"jobs/{number:02}.yaml": job(f"job-{number:02}", "plain" if number < 40 else "other") for number in range(45)}
ALL_OF_PLAIN = [f"job-{number:02}" for number in range(40)]


def test_a_runtime(root: Path) -> None:
    files = {**MANY, "runtimes/plain.yaml": runtime(), "runtimes/other.yaml": runtime("other")}
    edits = {
        "runtimes/plain.yaml": swap(runtime(), "plain:1", "plain:2"),
        "runtimes/other.yaml": "# other\n" + runtime("other"),
    }
    found = edited(root, files, edits, "jobs")
    assert found == [("ClusterTrainingRuntime/plain", "runtimes/plain.yaml:18", ALL_OF_PLAIN)]


def test_a_job_alone_is_no_cause_that_is_listed(root: Path) -> None:
    write(root, {"jobs/a.yaml": job("a"), "jobs/b.yaml": job("b"), "runtimes/plain.yaml": runtime()})
    old = compiled("jobs")
    write(root, {"jobs/a.yaml": swap(job("a"), "numNodes: 2", "numNodes: 3")})
    new = compiled("jobs")
    [(name, [own])] = changed_inputs(pairs(old, new, {})).items()
    assert (name.name, own.what, own.is_own, own.place.pointer) == (
        "a",
        "TrainJob/a",
        True,
        ("spec", "trainer", "numNodes"),
    )
    assert reported(old, new) == []


def test_a_job_and_its_runtime(root: Path) -> None:
    files = {"jobs/a.yaml": job("a"), "jobs/b.yaml": job("b"), "runtimes/plain.yaml": runtime()}
    edits = {
        "jobs/a.yaml": swap(job("a"), "numNodes: 2", "numNodes: 3"),
        "runtimes/plain.yaml": swap(runtime(), "plain:1", "plain:2"),
    }
    assert edited(root, files, edits, "jobs") == [
        ("ClusterTrainingRuntime/plain", "runtimes/plain.yaml:18", ["a", "b"])
    ]


def test_another_runtime(root: Path) -> None:
    """The TrainJob says so: no runtime differs."""
    files = {"a.yaml": job("a"), "runtimes/plain.yaml": runtime(), "runtimes/other.yaml": runtime("other")}
    assert edited(root, files, {"a.yaml": job("a", "other")}, "a.yaml") == []


def test_a_runtime_of_the_repository_instead_of_the_catalogue(root: Path) -> None:
    name = "torch-distributed"
    files = {"trainjob.yaml": CATALOGUE, "a.yaml": job("a", name)}
    [found] = edited(root, files, {"runtimes/torch.yaml": runtime(name)}, "a.yaml")
    assert found[0] == f"ClusterTrainingRuntime/{name}"
    assert found[1].startswith("runtimes/torch.yaml:")
    assert found[2] == ["a"]


def test_jobs_that_one_side_alone_has(root: Path) -> None:
    files = {"a.yaml": job("a"), "b.yaml": job("b"), "runtimes/plain.yaml": runtime()}
    edits = {"b.yaml": job("c"), "runtimes/plain.yaml": swap(runtime(), "plain:1", "plain:2")}
    found = edited(root, files, edits, "a.yaml", "b.yaml")
    assert found == [("ClusterTrainingRuntime/plain", "runtimes/plain.yaml:18", ["a"])]


OVER = """\
resources:
- ../jobs
- ../runtimes
namespace: team
labels:
- pairs: {kueue.x-k8s.io/queue-name: lq, stage: x}
images:
- name: acme/other
  newTag: "1"
- name: acme/plain
  newTag: "7"
annotations: {}
patches:
- path: nodes.yaml
- path: lr.yaml
- target: {kind: ClusterTrainingRuntime}
  patch: |
    - {op: add, path: /spec/template/spec/replicatedJobs/0/template/spec/backoffLimit, value: 1}
"""
NODES = TRAINER + "kind: TrainJob\nmetadata: {name: a}\nspec:\n  trainer:\n    numNodes: 4\n"
LR = TRAINER + 'kind: TrainJob\nmetadata: {name: b}\nspec:\n  trainer:\n    env:\n    - {name: LR, value: "2"}\n'
LAID = {
    "jobs/jobs.yaml": "---\n".join((job("a"), job("b"), job("c", "other"))),
    "runtimes/both.yaml": "---\n".join((runtime(), runtime("other"))),
    "o/overlay.yaml": OVER,
    "o/nodes.yaml": NODES,
    "o/lr.yaml": LR,
}


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        pytest.param(
            "o/overlay.yaml",
            'newTag: "7"',
            'newTag: "8"',
            [("images[1].newTag", "o/overlay.yaml:13", ["a", "b"])],
            id="image",
        ),
        pytest.param(
            "o/overlay.yaml",
            '- name: acme/plain\n  newTag: "7"\n',
            "",
            [("images", "o/overlay.yaml:9", ["a", "b"])],
            id="no-image",
        ),
        pytest.param(
            "o/overlay.yaml",
            '- name: acme/other\n  newTag: "1"\n- name: acme/plain\n  newTag: "7"\n',
            '- newTag: "8" # newer\n  name: acme/plain\n- name: acme/other\n  newTag: "1"\n',
            [("images[0].newTag", "o/overlay.yaml:10", ["a", "b"])],
            id="images-in-another-order",
        ),
        pytest.param(
            "o/overlay.yaml",
            "queue-name: lq",
            "queue-name: fast",
            [("labels[0].pairs[kueue.x-k8s.io/queue-name]", "o/overlay.yaml:8", ["a", "b", "c"])],
            id="label",
        ),
        pytest.param(
            "o/overlay.yaml",
            "namespace: team",
            "namespace: other",
            [("namespace", "o/overlay.yaml:6", ["a", "b", "c"])],
            id="namespace",
        ),
        pytest.param("o/nodes.yaml", "numNodes: 4", "numNodes: 5", [("patch", "o/nodes.yaml:6", ["a"])], id="patch"),
        pytest.param("o/nodes.yaml", "spec:", "# more\nspec:", [], id="comment"),
        pytest.param(
            "o/nodes.yaml", "name: a}", "name: b}", [("patch", "o/nodes.yaml:1", ["a", "b"])], id="patch-of-another"
        ),
        pytest.param(
            "o/overlay.yaml",
            "- path: nodes.yaml\n",
            "",
            [("patches", "o/overlay.yaml:15", ["a"])],
            id="no-patch",
        ),
        pytest.param(
            "o/overlay.yaml",
            "- path: nodes.yaml\n- path: lr.yaml\n",
            "- path: lr.yaml\n- path: nodes.yaml\n- target: {kind: TrainJob, name: c}\n"
            "  patch: [{op: remove, path: /spec/trainer/env}]\n",
            [("patches", "o/overlay.yaml:15", ["c"])],
            id="one-more-patch",
        ),
        pytest.param(
            "o/overlay.yaml",
            "value: 1}",
            "value: 2}",
            [("patch", "o/overlay.yaml:20", ["a", "b", "c"])],
            id="patch-in-the-overlay",
        ),
        pytest.param(
            "o/overlay.yaml",
            "{kind: ClusterTrainingRuntime}",
            "{kind: ClusterTrainingRuntime, name: other}",
            [("patches[2].target.name", "o/overlay.yaml:18", ["a", "b"])],
            id="target",
        ),
        pytest.param(
            "runtimes/both.yaml",
            "- name: node\n        template",
            "- name: node\n        replicas: 1\n        template",
            [],
            id="runtime-without-effect",
        ),
        pytest.param(
            "jobs/jobs.yaml",
            "name: RUNTIME",
            "name: RUNTIME",
            [],
            id="nothing",
        ),
    ],
)
def test_an_overlay(root: Path, file: str, old: str, new: str, expected: Reported) -> None:
    files = {**LAID, "jobs/jobs.yaml": LAID["jobs/jobs.yaml"] + "# RUNTIME name: RUNTIME\n"}
    assert edited(root, files, {file: swap(files[file], old, new)}, "o") == expected


BASE = {
    "base/overlay.yaml": "resources: [job.yaml]\nannotations: {}\nlabels:\n- pairs: {kueue.x-k8s.io/queue-name: lq}\n",
    "base/job.yaml": job("a"),
    "runtimes/plain.yaml": runtime(),
}
STAGES = {
    **BASE,
    **{
        f"{stage}/overlay.yaml": f"resources: [../base]\nnameSuffix: -{stage}\npatches:\n- path: ../patches/lr.yaml\n"
        for stage in ("dev", "prod")
    },
    "patches/lr.yaml": swap(LR, "name: b", "name: a"),
}
BOTH = ["a-dev", "a-prod"]


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        pytest.param(
            "base/job.yaml", "numNodes: 2", "numNodes: 3", [("TrainJob/a", "base/job.yaml:9", BOTH)], id="shared-job"
        ),
        pytest.param(
            "base/overlay.yaml",
            "lq}",
            "fast}",
            [("labels[0].pairs[kueue.x-k8s.io/queue-name]", "base/overlay.yaml:6", BOTH)],
            id="overlay-below-overlays",
        ),
        pytest.param("patches/lr.yaml", '"2"', '"3"', [("patch", "patches/lr.yaml:7", BOTH)], id="shared-patch"),
        pytest.param(
            "prod/overlay.yaml",
            "patches:\n- path: ../patches/lr.yaml\n",
            "namespace: x\n",
            [("namespace", "prod/overlay.yaml:5", ["a-prod"]), ("patches (gone)", "prod/overlay.yaml:5", ["a-prod"])],
            id="one-overlay",
        ),
        pytest.param(
            "runtimes/plain.yaml",
            "plain:1",
            "plain:2",
            [("ClusterTrainingRuntime/plain", "runtimes/plain.yaml:18", BOTH)],
            id="runtime",
        ),
    ],
)
def test_overlays_over_overlays(root: Path, file: str, old: str, new: str, expected: Reported) -> None:
    assert edited(root, STAGES, {file: swap(STAGES[file], old, new)}, "dev", "prod") == expected


def test_a_changed_suffix(root: Path) -> None:
    edits = {"prod/overlay.yaml": swap(STAGES["prod/overlay.yaml"], "-prod", "-live")}
    found = edited(root, STAGES, edits, "dev", "prod", became={"a-prod": "a-live"})
    assert found == [("nameSuffix", "prod/overlay.yaml:4", ["a-live"])]


def test_an_overlay_that_is_put_between(root: Path) -> None:
    files = {**STAGES, "mid/overlay.yaml": "resources: [../base]\nnamespace: mid\n"}
    edits = {"prod/overlay.yaml": swap(STAGES["prod/overlay.yaml"], "../base", "../mid")}
    assert edited(root, files, edits, "dev", "prod") == [("namespace", "mid/overlay.yaml:4", ["a-prod"])]
    back = {"prod/overlay.yaml": STAGES["prod/overlay.yaml"]}
    assert edited(root, {}, back, "dev", "prod") == [("namespace (gone)", "mid/overlay.yaml:4", ["a-prod"])]


def test_names_with_hashes(root: Path) -> None:
    """A changed runtime gives its jobs new names where no Trainer keeps what they were made of."""
    files = {**BASE, "o/overlay.yaml": "resources: [../base]\nnameHash: true\n"}
    write(root, files)
    old = compiled("o")
    write(root, {"runtimes/plain.yaml": swap(runtime(), "plain:1", "plain:2")})
    new = compiled("o")
    [before], [after] = old, new
    assert before != after
    assert reported(old, new, {before: after}) == [("ClusterTrainingRuntime/plain", "runtimes/plain.yaml:18", [after])]


def test_a_reference_to_an_object_of_another_name(root: Path) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
    refers = JOB.replace('{name: LR, value: "1"}', "{name: LR, valueFrom: {configMapKeyRef: {name: settings, key: a}}}")
    files = {
        "o/overlay.yaml": "resources: [job.yaml, ../config]\nannotations: {}\n",
        "o/job.yaml": TRAINER + refers.replace("NAME", "a").replace("RUNTIME", "plain"),
        "config/overlay.yaml": "resources: [config.yaml]\nnameSuffix: -x\n",
        "config/config.yaml": config,
        "runtimes/plain.yaml": runtime(),
    }
    edits = {"config/overlay.yaml": swap(files["config/overlay.yaml"], "-x", "-y")}
    assert edited(root, files, edits, "o") == [("nameSuffix", "config/overlay.yaml:4", ["a"])]


TEMPLATED = {"o/overlay.yaml": VALUES, "o/train.yaml.j2": TEMPLATE, "runtimes/plain.yaml": runtime()}


@pytest.mark.parametrize(
    ("file", "edit", "expected"),
    [
        pytest.param(
            "o/overlay.yaml",
            lambda text: swap(swap(text, "lr: 1", "lr: 2"), "unused: 1", "unused: 2"),
            [("values.lr", "o/overlay.yaml:6", ["a", "b"])],
            id="value",
        ),
        pytest.param(
            "o/overlay.yaml",
            lambda text: swap(text, "nodes: 2", "nodes: 3"),
            [("values.models[1].nodes", "o/overlay.yaml:10", ["b"])],
            id="value-of-one",
        ),
        pytest.param(
            "o/overlay.yaml",
            lambda text: swap(text, "nodes: 1}", "nodes: 4} # more"),
            [("values.models[0].nodes", "o/overlay.yaml:9", ["a"])],
            id="value-of-the-other",
        ),
        pytest.param(
            "o/overlay.yaml",
            lambda text: swap(text, "namespace: team", "namespace: other"),
            [("namespace", "o/overlay.yaml:4", ["a", "b"])],
            id="namespace",
        ),
        pytest.param(
            "o/train.yaml.j2",
            lambda text: swap(text, "name: LR", "name: RATE"),
            [("template", "o/train.yaml.j2:14", ["a", "b"])],
            id="text",
        ),
        pytest.param(
            "o/train.yaml.j2", lambda text: swap(swap(text, "every", "each"), "# told", "# said"), [], id="comments"
        ),
    ],
)
def test_a_template(root: Path, file: str, edit: Callable[[str], str], expected: Reported) -> None:
    assert edited(root, TEMPLATED, {file: edit(TEMPLATED[file])}, "o") == expected


def test_a_value_that_is_gone(root: Path) -> None:
    text = swap(TEMPLATE, "values.lr", "values.lr|default(3)")
    write(root, {**TEMPLATED, "o/train.yaml.j2": text})
    edits = {"o/overlay.yaml": swap(VALUES, "  lr: 1\n", "")}
    assert edited(root, {}, edits, "o") == [("values.lr (gone)", "o/overlay.yaml:6", ["a", "b"])]


def test_another_base(root: Path) -> None:
    files = {**STAGES, "other/job.yaml": swap(job("a"), "numNodes: 2", "numNodes: 7")}
    edits = {f"{stage}/overlay.yaml": swap(STAGES["dev/overlay.yaml"], "../base", "../other") for stage in ("dev",)}
    found = edited(root, files, edits, "dev", "prod")
    assert ("resources[0]", "dev/overlay.yaml:3", ["a-dev"]) in found


def test_a_template_and_its_values(root: Path) -> None:
    text = swap(TEMPLATE, "every", "each")
    edits = {"o/overlay.yaml": swap(VALUES, "lr: 1", "lr: 2"), "o/train.yaml.j2": text}
    assert edited(root, TEMPLATED, edits, "o") == [("values.lr", "o/overlay.yaml:6", ["a", "b"])]
    both = {"o/overlay.yaml": swap(VALUES, "lr: 1", "lr: 3"), "o/train.yaml.j2": swap(text, "TEAM", "GROUP")}
    assert edited(root, {}, both, "o") == [
        ("values.lr", "o/overlay.yaml:6", ["a", "b"]),
        ("template", "o/train.yaml.j2:15", ["a", "b"]),
    ]


def test_a_runtime_that_is_a_template(root: Path) -> None:
    files = {
        "o/overlay.yaml": "resources: [plain.yaml.j2, ../jobs]\nvalues: {tag: 1}\n",
        "o/plain.yaml.j2": swap(runtime(), "plain:1", "plain:{{ values.tag }}"),
        "jobs/a.yaml": job("a"),
        "jobs/b.yaml": job("b"),
    }
    edits = {"o/overlay.yaml": swap(files["o/overlay.yaml"], "tag: 1", "tag: 2")}
    assert edited(root, files, edits, "o") == [("values.tag", "o/overlay.yaml:4", ["a", "b"])]


def test_a_template_instead_of_a_file(root: Path) -> None:
    files = {"o/overlay.yaml": "resources: [a.yaml]\n", "o/a.yaml": job("a"), "runtimes/plain.yaml": runtime()}
    text = swap(job("a"), "numNodes: 2", "numNodes: {{ values.nodes }}")
    edits = {"o/overlay.yaml": "resources: [b.yaml.j2]\nvalues: {nodes: 3}\n", "o/b.yaml.j2": text}
    assert edited(root, files, edits, "o") == [("template", "o/b.yaml.j2:1", ["a"])]


def test_sides_in_two_directories(root: Path) -> None:
    for side in ("one", "two"):
        write(root / side, {**LAID, "trainjob.yaml": ""})
    write(root / "two", {"o/nodes.yaml": swap(NODES, "numNodes: 4", "numNodes: 5")})
    write(root / "two", {"o/overlay.yaml": swap(OVER, 'newTag: "7"', 'newTag: "8"')})
    assert reported(compiled("one/o"), compiled("two/o")) == [
        ("images[1].newTag", "two/o/overlay.yaml:13", ["a", "b"]),
        ("patch", "two/o/nodes.yaml:6", ["a"]),
    ]


def test_another_trainer(root: Path) -> None:
    """The inputs say the same: nothing in them is the cause."""
    write(root, {**STAGES, "runtimes/plain.yaml": swap(runtime(), "{numNodes: 1}", "{torch: {}}")})
    old, new = compiled("dev", trainer_version="2.0"), compiled("dev", trainer_version="2.3")
    assert pairs(old, new, {})
    assert reported(old, new) == []
