"""`overlay.yaml`: what it may say, what is rejected and where."""

import pytest

from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.units import ImageChange, Selector
from kubectl_trainjob.repository.files.overlay_file import read_overlay
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.yaml.read import read_stream

HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"

WHOLE = """\
resources: [../jobs, a.yaml]
namespace: team-a
nameSuffix: -dev
nameHash: true
labels:
- pairs: {a: b}
- pairs: {c: d}
  includeTemplates: true
annotations: {e: f}
images:
- {name: a, newName: b, newTag: "1", digest: d, tagSuffix: s}
values: {anything: [1, {b: null}]}
patches:
- path: p.yaml
- target: {group: g, version: v, kind: k, name: o, namespace: m, labelSelector: l, annotationSelector: a}
  patch: [{op: remove, path: /a}]
- patch: {kind: a}
- patch: |
    kind: a
"""


def _read(text):
    [(body, source)] = read_stream(SourceFile("overlay.yaml", HEAD + text)).objects
    overlay, diagnostics = read_overlay(body, source)
    return overlay, [(d.rule.id, Locator().resolve(d.place).span.line, d.message) for d in diagnostics]


def test_everything_that_may_be_said():
    overlay, found = _read(WHOLE)
    assert found == []
    settings = overlay.settings
    assert (overlay.resources, settings.namespace, settings.name_suffix) == (("../jobs", "a.yaml"), "team-a", "-dev")
    assert settings.name_hash
    assert [(each.pairs, each.include_templates) for each in settings.labels] == [
        ({"a": "b"}, False),
        ({"c": "d"}, True),
    ]
    assert settings.annotations == {"e": "f"}
    assert settings.images == (ImageChange("a", "b", "1", "d", "s"),)
    assert overlay.values == {"anything": [1, {"b": None}]}
    assert [(each.path, each.inline) for each in overlay.patches] == [
        ("p.yaml", None),
        ("", [{"op": "remove", "path": "/a"}]),
        ("", {"kind": "a"}),
        ("", "kind: a\n"),
    ]
    assert [each.target for each in overlay.patches] == [None, Selector("g", "v", "k", "o", "m", "l", "a"), None, None]


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        pytest.param("resource: []\n", 3, 'did you mean "resources"?', id="nearest name"),
        pytest.param("namePrefix: -a\n", 3, "cannot be part of the name of an object", id="no prefix"),
        pytest.param(
            "commonLabels: {a: b}\n", 3, "write labels: [{pairs: {…}, includeTemplates: true}]", id="commonLabels"
        ),
        pytest.param("commonAnnotations: {a: b}\n", 3, "write annotations", id="commonAnnotations"),
        pytest.param("configMapGenerator: []\n", 3, "kubectl kustomize DIR | kubectl trainjob build -", id="generator"),
        pytest.param("components: a\n", 3, "components must be a list", id="components"),
        pytest.param("bases: []\n", 3, "list them in resources", id="bases"),
        pytest.param("patchesStrategicMerge: []\n", 3, "write patches", id="old merge patches"),
        pytest.param("resources: a\n", 3, "resources must be a list", id="no list"),
        pytest.param("resources:\n- a\n- {b: c}\n", 5, "resources[1] must be a string, not a mapping", id="no path"),
        pytest.param("namespace: 1\n", 3, "not the number 1; write it in quotes", id="a number"),
        pytest.param("namespace: Team A\n", 3, "up to 63 lower case letters", id="no namespace"),
        pytest.param("nameSuffix: _x\n", 3, "cannot be part of the name of an object", id="no suffix"),
        pytest.param("nameHash: 'true'\n", 3, 'must be true or false, not the string "true"', id="no truth value"),
        pytest.param("labels: {a: b}\n", 3, "labels must be a list, not a mapping", id="labels as a mapping"),
        pytest.param("labels:\n- a: b\n", 4, 'setting "labels[0].a" does not exist', id="pairs forgotten"),
        pytest.param(
            "labels:\n- pairs: {a: 1}\n", 4, "labels[0].pairs.a must be a string", id="a label that is a number"
        ),
        pytest.param("labels:\n- includeSelectors: true\n", 4, "selectors of a running workload", id="selectors"),
        pytest.param("annotations: {a: true}\n", 3, "write it in quotes", id="an annotation that is a truth value"),
        pytest.param("images:\n- name: a\n", 4, "changes nothing", id="an image that does not change"),
        pytest.param("labels:\n- includeTemplates: true\n", 4, "has no pairs", id="no pairs"),
        pytest.param(
            "images:\n- newTag: a\n", 4, "has no name; write the image to change", id="an image without a name"
        ),
        pytest.param("images:\n- {name: a, newtag: b}\n", 4, 'did you mean "newTag"?', id="an image's tag"),
        pytest.param("patches:\n- {}\n", 4, "exactly one of patch and path", id="no patch"),
        pytest.param("patches:\n- {path: a, patch: {}}\n", 4, "exactly one of patch and path", id="two patches"),
        pytest.param(
            "patches:\n- {patch: 1}\n", 4, "must be a mapping, a list of operations, or a string", id="a number"
        ),
        pytest.param("patches:\n- {path: a, target: {knid: b}}\n", 4, 'did you mean "kind"?', id="target"),
        pytest.param("patches:\n- {path: a, options: {}}\n", 4, "write JSON 6902 operations", id="options"),
        pytest.param("patches: [a]\n", 3, 'patches[0] must be a mapping, not the string "a"', id="a path alone"),
        pytest.param("values: []\n", 3, "values must be a mapping", id="values"),
        pytest.param("sweeps:\n- seed: {a: b}\n", 4, "seed must be an integer or a string, not a mapping", id="seed"),
        pytest.param("sweeps:\n- seed: true\n", 4, "seed must be an integer or a string", id="a seed of truth"),
    ],
)
def test_what_is_rejected(text, line, part):
    _, [(rule, at, message)] = _read(text)
    assert (rule, at) == ("KTJ050", line)
    assert part in message


def test_another_version():
    [(body, source)] = read_stream(
        SourceFile("overlay.yaml", "apiVersion: kubectl-trainjob.dev/v2\nkind: Overlay\n")
    ).objects
    [finding] = read_overlay(body, source)[1]
    assert finding.message == 'apiVersion of overlay.yaml must be "kubectl-trainjob.dev/v1alpha1"'
