"""A tree of overlays: what becomes of its members, and where each value of them was written."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.compiler.overlay.apply import apply_overlays
from kubectl_trainjob.compiler.overlay.names import with_hash
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import BuildOptions, Manifest
from kubectl_trainjob.repository.positions import Locator
from tests.compiled import Build, build
from tests.reading import read

_HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: plain}
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
                  image: plain:1
"""
_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: plain
  trainer:
    numNodes: 2
    env:
    - {name: A, value: a}
    - {name: B, value: b}
"""

Write = Callable[[dict[str, str]], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files of a repository with a runtime, a job and what is given; it is the current directory."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def files(content: dict[str, str]) -> None:
        for path, text in {"jobs/a.yaml": _JOB, "runtimes/plain.yaml": _RUNTIME, **content}.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text((_HEAD if path.endswith("overlay.yaml") else "") + text)

    return files


def _overlaid(path: str) -> dict[str, Manifest]:
    [unit] = read([path], lambda _most: b"").units
    manifests, diagnostics = apply_overlays(unit, Steps(LIMITS))
    assert diagnostics == []
    return {str(manifest.id): manifest for manifest in manifests}


def _build(path: str, **options: str) -> Build:
    return build(read([path], lambda _most: b""), BuildOptions(**options))


def _written(manifest: Manifest, *pointer: str | int) -> tuple[str, int]:
    location = Locator().resolve(manifest.place(*pointer))
    return location.file.path, location.span.line


def _found(built: Build) -> list[tuple[str, str, int]]:
    settled = [(d.rule.id, Locator().resolve(d.place)) for d in built.diagnostics]
    return [(rule, location.file.path, location.span.line) for rule, location in settled]


_DEV = """\
resources: [../jobs, cm.yaml]
namespace: team
nameSuffix: -dev
labels:
- pairs:
    stage: dev
annotations:
  owner: me
patches:
- patch: |
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: a}
    spec:
      trainer:
        env:
        - name: B
          value: c
- target: {kind: TrainJob}
  path: nodes.yaml
"""


def test_every_value_knows_its_line(write: Write) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n"
    write(
        {
            "dev/overlay.yaml": _DEV,
            "dev/nodes.yaml": "- op: replace\n  path: /spec/trainer/numNodes\n  value: 4\n",
            "dev/cm.yaml": config,
        }
    )
    found = _overlaid("dev")
    job = found["TrainJob/a-dev"]
    assert job.body["spec"]["trainer"]["numNodes"] == 4
    assert job.body["spec"]["trainer"]["env"] == [{"name": "B", "value": "c"}, {"name": "A", "value": "a"}]
    assert job.body["metadata"] == {
        "name": "a-dev",
        "namespace": "team",
        "labels": {"stage": "dev"},
        "annotations": {"owner": "me"},
    }
    assert found["ConfigMap/cm-dev"].body["metadata"]["namespace"] == "team"
    overlay = "dev/overlay.yaml"
    assert _written(job, "metadata", "namespace") == (overlay, 4)
    assert _written(job, "metadata", "labels", "stage") == (overlay, 8)
    assert _written(job, "metadata", "annotations", "owner") == (overlay, 10)
    assert _written(job, "spec", "trainer", "env", 0, "value") == (overlay, 20)
    assert _written(job, "spec", "trainer", "env", 1, "value") == ("jobs/a.yaml", 11)
    assert _written(job, "spec", "trainer", "numNodes") == ("dev/nodes.yaml", 3)
    assert _written(job, "spec", "runtimeRef", "name") == ("jobs/a.yaml", 7)
    assert _written(job, "metadata", "name")[0] in (overlay, "jobs/a.yaml")


def test_an_overlay_over_an_overlay(write: Write) -> None:
    patch = "patches:\n- target: {{kind: TrainJob}}\n  patch:\n  - {{op: add, path: /metadata/labels/{0}, value: x}}\n"
    write(
        {
            "base/overlay.yaml": "resources: [../jobs]\nnameSuffix: -base\nlabels: [{pairs: {a: base, b: base}}]\n",
            "top/overlay.yaml": "resources: [../base]\nnameSuffix: -top\nlabels: [{pairs: {b: top}}]\n"
            + patch.format("c"),
        }
    )
    job = _overlaid("top")["TrainJob/a-base-top"]
    assert job.body["metadata"]["labels"] == {"a": "base", "b": "top", "c": "x"}
    assert _written(job, "metadata", "labels", "a") == ("base/overlay.yaml", 5)
    assert _written(job, "metadata", "labels", "b") == ("top/overlay.yaml", 5)
    assert _written(job, "metadata", "labels", "c") == ("top/overlay.yaml", 9)
    assert _written(job, "spec", "trainer", "numNodes") == ("jobs/a.yaml", 9)


def test_a_template_below_a_patch(write: Write) -> None:
    template = (
        "{% for n in values.nodes %}\n---\n"
        + _JOB.replace("name: a\n", "name: a{{ n }}\n", 1).replace("numNodes: 2", "numNodes: {{ n }}")
        + "{% endfor %}\n"
    )
    write(
        {
            "o/overlay.yaml": "resources: [t.yaml.j2]\nvalues: {nodes: [1, 2]}\nnameSuffix: -x\n",
            "o/t.yaml.j2": template,
        }
    )
    found = _overlaid("o")
    assert [m.body["spec"]["trainer"]["numNodes"] for m in found.values()] == [1, 2]
    assert _written(found["TrainJob/a2-x"], "spec", "trainer", "numNodes") == ("o/t.yaml.j2", 11)
    assert _written(found["TrainJob/a2-x"], "spec", "runtimeRef", "name") == ("o/t.yaml.j2", 9)


def test_rejections_point_at_the_overlay(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs]\npatches:\n- target: {kind: TrainJob}\n"
            "  patch:\n    spec:\n      trainer:\n        numNodes: many\n        nodes: 1\n"
        }
    )
    assert {(path, line) for _, path, line in _found(_build("o"))} == {("o/overlay.yaml", 9), ("o/overlay.yaml", 10)}


def test_a_renamed_runtime_is_followed(write: Write) -> None:
    write(
        {"o/overlay.yaml": "resources: [../jobs, ../runtimes]\nnameSuffix: -x\nimages: [{name: plain, newTag: '2'}]\n"}
    )
    built = _build("o")
    assert built.diagnostics == ()
    [jobset] = built.objects
    [node] = jobset["spec"]["replicatedJobs"]
    assert node["template"]["spec"]["template"]["spec"]["containers"][0]["image"] == "plain:2"
    job = _overlaid("o")["TrainJob/a-x"]
    assert job.body["spec"]["runtimeRef"]["name"] == "plain-x"


def test_a_runtime_that_is_not_among_the_resources_keeps_its_name(write: Write) -> None:
    write({"o/overlay.yaml": "resources: [../jobs]\nnameSuffix: -x\n"})
    assert _build("o").diagnostics == ()


@pytest.mark.parametrize(
    ("patch", "rule", "line"),
    [
        pytest.param(
            "- target: {kind: TrainJob}\n  patch: [{op: remove, path: /spec/nowhere}]\n", "KTJ053", 6, id="no place"
        ),
        pytest.param(
            "- target: {kind: TrainJob}\n  patch: [{op: test, path: /kind, value: x}]\n", "KTJ053", 6, id="test"
        ),
        pytest.param(
            "- target: {kind: TrainJob}\n  patch:\n    spec: {trainer: {env: [{value: x}]}}\n", "KTJ053", 7, id="no key"
        ),
        pytest.param("- target: {kind: trainjob}\n  patch: {spec: {}}\n", "KTJ055", 5, id="idle"),
        pytest.param("- target: {labelSelector: 'a in'}\n  patch: {spec: {}}\n", "KTJ050", 5, id="selector"),
        pytest.param("- target: {name: '(?=a)'}\n  patch: {spec: {}}\n", "KTJ050", 5, id="pattern"),
        pytest.param("- patch: {kind: TrainJob, metadata: {name: a}}\n", "KTJ054", 5, id="no type"),
        pytest.param(
            "- patch: {apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: b}}\n",
            "KTJ054",
            5,
            id="no object",
        ),
        pytest.param("- target: {kind: TrainJob}\n  patch: [{op: remove, path: /kind}]\n", "KTJ056", 6, id="no kind"),
        pytest.param(
            "- target: {kind: TrainJob}\n  patch: [{op: replace, path: /metadata, value: 1}]\n",
            "KTJ056",
            6,
            id="metadata",
        ),
        pytest.param(
            "- target: {kind: TrainJob}\n  patch: [{op: add, path: /metadata/name, value: 1}]\n", "KTJ056", 6, id="name"
        ),
        pytest.param(
            "- target: {kind: TrainJob}\n  patch: {spec: {}}\n"
            "- target: {kind: TrainJob}\n  patch: [{op: remove, path: /kind}]\n"
            "- target: {name: a}\n  patch: {spec: {}}\n",
            "KTJ056",
            8,
            id="the second of three patches",
        ),
        pytest.param(
            "- target: {name: a}\n  patch: |\n    # kind\n    - {op: replace, path: /kind, value: a b}\n",
            "KTJ056",
            8,
            id="a patch in a text",
        ),
    ],
)
def test_what_cannot_be_applied(write: Write, patch: str, rule: str, line: int) -> None:
    write({"o/overlay.yaml": "resources: [../jobs]\npatches:\n" + patch})
    assert _found(_build("o")) == [(rule, "o/overlay.yaml", line)]


def test_an_ambiguous_reference(write: Write) -> None:
    claim = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n"
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  volumes:\n  - configMap:\n      name: cm\n"
    write(
        {
            "one/overlay.yaml": "resources: [../cm.yaml]\nnameSuffix: -one\n",
            "two/overlay.yaml": "resources: [../cm.yaml]\nnameSuffix: -two\n",
            "cm.yaml": claim,
            "o/pod.yaml": pod,
            "o/overlay.yaml": "resources: [../one, ../two, pod.yaml]\nnameSuffix: -t\n",
        }
    )
    assert _found(_build("o")) == [("KTJ058", "o/pod.yaml", 7)]


def test_deleted_by_a_patch(write: Write) -> None:
    write({"o/overlay.yaml": "resources: [../jobs]\npatches:\n- target: {kind: TrainJob}\n  patch: {$patch: delete}\n"})
    assert _overlaid("o") == {}


def _hashed(write: Write, overlay: str = "", job: str = _JOB, runtime: str = _RUNTIME, **options: str) -> str:
    settings = "resources: [../jobs]\nnameHash: true\n" + overlay
    write({"o/overlay.yaml": settings, "jobs/a.yaml": job, "runtimes/plain.yaml": runtime})
    built = _build("o", **options)
    assert built.diagnostics == ()
    output = built.outputs[-1]
    assert output.body["metadata"]["name"] == output.id.name
    return output.id.name


def test_name_hash(write: Write) -> None:
    name = _hashed(write)
    assert name.startswith("a-")
    assert len(name) == len("a-") + 10
    assert _hashed(write) == name
    assert _hashed(write, job="# a comment\n" + _JOB.replace("numNodes: 2", "numNodes:   2")) == name
    run = 'annotations: {kubectl-trainjob.dev/run: "2"}\n'
    others = [
        _hashed(write, job=_JOB.replace("numNodes: 2", "numNodes: 3")),
        _hashed(write, runtime=_RUNTIME.replace("plain:1", "plain:2")),
        _hashed(write, overlay=run),
    ]
    assert len({name, *others}) == 4


def test_name_hash_is_of_what_runs(write: Write) -> None:
    """What no Pod gets does not make a new run."""
    name, image = _hashed(write), _JOB + "    image: mine:1\n"
    same = [
        _hashed(write, overlay="labels: [{pairs: {a: b}}]\n"),
        _hashed(write, runtime=_RUNTIME.replace("{name: plain}", "{name: plain, labels: {a: b}}")),
        _hashed(write, job=_JOB.replace("spec:\n", "spec:\n  suspend: true\n", 1)),
    ]
    assert set(same) == {name}
    assert _hashed(write, job=image) == _hashed(write, job=image, runtime=_RUNTIME.replace("plain:1", "plain:2"))
    [jobset] = [each.body for each in _build("o").outputs if each.id.kind == "JobSet"]
    own = json.loads(json.dumps(jobset["spec"]).replace(jobset["metadata"]["name"], "a"))
    text = json.dumps([own], sort_keys=True, separators=(",", ":"))
    assert jobset["metadata"]["name"] == f"a-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def test_name_hash_of_a_train_job_that_trainer_expands(write: Write) -> None:
    name = _hashed(write)
    assert _hashed(write, emit="trainjob") == name, "a name does not depend on what is asked for once"
    write({"trainjob.yaml": "{apiVersion: kubectl-trainjob.dev/v1alpha1, kind: Config, emit: trainjob}"})
    other = _hashed(write)
    assert other != name
    assert _hashed(write, emit="jobset") == other
    assert _hashed(write, runtime=_RUNTIME.replace("plain:1", "plain:2")) == other
    assert _hashed(write, job=_JOB.replace("numNodes: 2", "numNodes: 3")) != other


def test_name_hash_names_the_origin_of_too_long_names(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs]\nnameHash: true\n",
            "jobs/a.yaml": _JOB.replace("name: a\n", f"name: {'a' * 40}\n", 1),
        }
    )
    assert [(path, line) for _, path, line in _found(_build("o"))] == [("jobs/a.yaml", 4)]


def test_name_hash_is_for_train_jobs_alone(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs, cm.yaml]\nnameHash: true\n",
            "o/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}}",
        }
    )
    assert "ConfigMap/cm" in [str(output.id) for output in _build("o").outputs]
    [manifest] = [m for m in _overlaid("o").values() if m.id.kind == "ConfigMap"]
    assert with_hash(manifest, {}) is manifest


def _leaves(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _leaves(entry, (*pointer, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _leaves(entry, (*pointer, index))
    else:
        yield pointer, value


@pytest.mark.parametrize("overlay", ["overlays/vision/prod", "overlays/vision/dev", "overlays/gpu-fleet"])
def test_every_leaf_of_the_examples_leads_to_its_text(overlay: str) -> None:
    """A copied value stands in the line that it leads to; a computed one leads to what computes it."""
    root = Path(__file__).parents[4]
    for manifest in apply_overlays(read([str(root / overlay)], lambda _most: b"").units[0], Steps(LIMITS))[0]:
        locator = Locator()
        for pointer, value in _leaves(manifest.body):
            place = locator.resolve(manifest.place(*pointer))
            line = place.file.text.splitlines()[place.span.line - 1]
            shown = str(value).splitlines()[0] if isinstance(value, str) and value else str(value).lower()
            if shown in line:
                continue
            parts = {"name": "-", "image": "[:@]"}.get(str(pointer[-1]), "$")
            assert any(part in line for part in ("{{", *re.split(parts, str(value))) if part), (pointer, value, line)


def test_nobody_wonders_what_an_unreadable_resource_held(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs, gone.yaml]\npatches:\n"
            "- target: {kind: ConfigMap}\n  patch: {data: {}}\n"
            "- patch: {apiVersion: v1, kind: ConfigMap, metadata: {name: cm}}\n"
        }
    )
    assert _found(_build("o")) == [("KTJ051", "o/overlay.yaml", 3)]


@pytest.mark.parametrize(
    ("patch", "column", "advice"),
    [
        ("{apiVersion: v1, kind: TrainJob, metadata: {name: a}}", 23, 'it has one of "trainer.kubeflow.org/v1alpha1"'),
        (
            "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainingRuntime, metadata: {name: a}}",
            60,
            "it has a TrainJob",
        ),
        ("{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: b}}", 87, "correct the name"),
    ],
)
def test_a_patch_for_an_object_that_is_not_there(write: Write, patch: str, column: int, advice: str) -> None:
    write({"o/overlay.yaml": f"resources: [../jobs]\npatches:\n- patch: {patch}\n"})
    [finding] = _build("o").diagnostics
    span = Locator().resolve(finding.place).span
    assert (finding.rule.id, span.line, span.column) == ("KTJ054", 5, column)
    assert advice in finding.message


def test_a_runtime_that_a_plain_input_holds(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs]\n",
            "elsewhere/r.yaml": _RUNTIME.replace("{name: plain}", "{name: other}"),
        }
    )
    Path("jobs/a.yaml").write_text(_JOB.replace("name: plain", "name: other"))
    assert build(read(["elsewhere", "o"], lambda _most: b""), BuildOptions()).diagnostics == ()


def test_a_runtime_that_the_library_has_twice(write: Write) -> None:
    write({"o/overlay.yaml": "resources: [../jobs]\n", "runtimes/again.yaml": _RUNTIME.replace("plain:1", "plain:2")})
    assert _found(_build("o")) == [("KTJ806", "runtimes/plain.yaml", 3)]
    assert _found(_build("jobs")) == [("KTJ806", "runtimes/plain.yaml", 3)]


@pytest.mark.parametrize("text", ["apiversion: v1\nKind: ConfigMap\n", "KIND: ConfigMap\n"])
def test_a_type_in_other_letters_is_no_other_file(write: Write, text: str) -> None:
    write({"o/overlay.yaml": "resources: [a.yaml]\n", "o/a.yaml": text})
    [finding] = _build("o").diagnostics
    assert (finding.rule.id, "write" in finding.message) == ("KTJ030", True)


def test_labels_that_are_no_texts_match_nothing(write: Write) -> None:
    job = _JOB.replace("  name: a\n", "  name: a\n  labels: {size: [big]}\n", 1)
    write(
        {
            "jobs/a.yaml": job,
            "o/overlay.yaml": "resources: [../jobs]\npatches:\n- target: {labelSelector: size=big}\n  patch: []\n",
        }
    )
    Path("jobs/a.yaml").write_text(job)
    assert {rule for rule, _, _ in _found(_build("o"))} >= {"KTJ055"}


@pytest.mark.parametrize("value", ["x", "5", "[[1]]"])
def test_metadata_that_another_patch_spoilt(write: Write, value: str) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs]\npatches:\n- target: {kind: TrainJob}\n"
            f"  patch: [{{op: replace, path: /metadata, value: {value}}}]\n"
            "- target: {kind: TrainJob}\n  patch: {metadata: null}\n"
        }
    )
    assert ("KTJ053", "o/overlay.yaml", 8) in _found(_build("o"))


def test_a_patch_that_gives_back_what_another_one_took(write: Write) -> None:
    patches = "".join(
        f"- target: {{name: a}}\n  patch: [{{op: {op}}}]\n"
        for op in ("remove, path: /kind", "remove, path: /metadata/name", "add, path: /kind, value: TrainJob")
    )
    write({"o/overlay.yaml": "resources: [../jobs]\npatches:\n" + patches})
    assert _found(_build("o")) == [("KTJ056", "o/overlay.yaml", 8)]
    write(
        {
            "o/overlay.yaml": f"resources: [../jobs]\npatches:\n{patches}"
            "- target: {}\n  patch: [{op: add, path: /metadata/name, value: b}]\n"
        }
    )
    assert [m.id.name for m in _overlaid("o").values()] == ["b"]


@pytest.mark.parametrize(
    "metadata",
    [
        *('name: "a\\nb"', "name: 5", "name: false", "name: [a]"),
        *("name: a, namespace: [b]", "name: a, namespace: 5", "name: a, namespace: {}"),
    ],
)
@pytest.mark.parametrize(
    "settings",
    ["labels: [{pairs: {a: b}}]\n", "nameSuffix: -x\n", "nameHash: true\n", "nameSuffix: -x\nnameHash: true\n"],
)
def test_what_the_user_wrote_is_reported_as_without_the_overlay(write: Write, metadata: str, settings: str) -> None:
    job = _JOB.replace("metadata:\n  name: a\n", f"metadata: {{{metadata}}}\n", 1)
    write({"o/overlay.yaml": "resources: [../jobs, ../runtimes]\n" + settings, "jobs/a.yaml": job})
    [plain] = _found(_build("jobs"))
    assert plain[1:] == ("jobs/a.yaml", 3)
    assert _found(_build("o")) == [plain]


@pytest.mark.parametrize(
    "settings",
    [
        *("labels: [{pairs: {a: b}}]\n", "nameSuffix: -x\n", "nameHash: true\n", "namespace: team\n"),
        "patches: [{target: {}, patch: {data: {a: b}}}]\n",
    ],
)
@pytest.mark.parametrize(("kind", "name"), [("Foo_Bar", "x"), ("5", "x"), ("ConfigMap", '"a\\nb"'), ("List", "x")])
def test_kinds_and_names_that_pass_without_an_overlay_pass_with_one(
    write: Write, kind: str, name: str, settings: str
) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [a.yaml]\n" + settings,
            "o/a.yaml": f'{{apiVersion: _, kind: "{kind}", metadata: {{name: {name}}}, items: {{}}}}\n',
        }
    )
    assert _found(_build("o/a.yaml")) == _found(_build("o")) == []
    assert len(_build("o").outputs) == len(_build("o/a.yaml").outputs) == 1


def test_an_image_that_another_entry_makes_is_there(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs, ../runtimes]\nimages:\n- {name: plain, newName: x}\n"
            "- {name: x, newTag: '2'}\n- {name: plain, newTag: '3'}\n- {name: '(x', newTag: '4'}\n"
        }
    )
    assert _found(_build("o")) == [("KTJ050", "o/overlay.yaml", 8), ("KTJ055", "o/overlay.yaml", 7)]


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        pytest.param("labels: [{pairs: {a: b}}]\n", [3], id="labels"),
        pytest.param("labels: [{pairs: {a: b}, includeTemplates: true}]\n", [3, 6], id="labels of templates"),
        pytest.param("annotations: {a: b}\n", [4, 6], id="annotations"),
        pytest.param("labels: [{pairs: {a: b}}]\nannotations: {a: b}\n", [3, 4, 6], id="both"),
        pytest.param("nameSuffix: -x\n", [], id="neither"),
        pytest.param(
            "labels: [{pairs: {a: b}}]\npatches:\n- target: {}\n"
            "  patch: [{op: replace, path: /metadata/labels, value: {}}]\n",
            [],
            id="mended by a patch",
        ),
    ],
)
def test_an_object_that_has_no_room_for_labels(write: Write, settings: str, lines: list[int]) -> None:
    body = "kind: Deployment\nmetadata:\n  labels: [x]\n  annotations: x\n  name: d\nspec: {template: {metadata: 5}}\n"
    write({"o/overlay.yaml": "resources: [a.yaml]\n" + settings, "o/a.yaml": body + "apiVersion: apps/v1\n"})
    assert _found(_build("o")) == [("KTJ103", "o/a.yaml", line) for line in lines]


def test_a_patch_that_leaves_no_room_for_labels(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [a.yaml]\nlabels: [{pairs: {a: b}}]\npatches:\n- target: {}\n"
            "  patch:\n  - op: add\n    path: /metadata/labels\n    value: x\n",
            "o/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}}\n",
        }
    )
    assert _found(_build("o")) == [("KTJ103", "o/overlay.yaml", 10)]
