"""Each setting of an overlay does to objects what kustomize does; where it does not, that is meant and shown here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.compiler.overlay.metadata import find_misplaced
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.model.units import LabelSet, Overlay
from tests.differential.kustomize import Body, Layer, body, by_kustomize, by_us, run_kustomize
from tests.differential.objects import OBJECTS, pod_spec
from tests.loops import for_each, sample

SETTINGS: dict[str, dict[str, Any]] = {
    "namespace": {"namespace": "new"},
    "nameSuffix": {"nameSuffix": "-x"},
    "labels": {"labels": [{"pairs": {"app": "demo", "team": "ml"}}, {"pairs": {"team": "ai"}}]},
    "labels of templates": {"labels": [{"pairs": {"app": "demo", "on": "true"}, "includeTemplates": True}]},
    "annotations": {"commonAnnotations": {"note": "new", "owner": "ml"}},
    "tags": {"images": [{"name": "nginx", "newTag": "2"}, {"name": "ghcr.io/acme/app", "newTag": "v2"}]},
    "names": {
        "images": [
            {"name": "nginx", "newName": "mirror:5000/nginx"},
            {"name": "ghcr.io:5000/acme/app", "newName": "app"},
            {"name": "app", "newTag": "v9"},
        ]
    },
    "digests": {
        "images": [
            {"name": "nginx", "digest": "sha256:ab"},
            {"name": "ghcr.io/acme/app", "newTag": "v2", "digest": "sha256:cd"},
            {"name": "ghcr.io/acme/model", "newName": "model"},
        ]
    },
    "all": {
        "namespace": "team",
        "nameSuffix": "-x",
        "labels": [{"pairs": {"app": "demo"}, "includeTemplates": True}],
        "commonAnnotations": {"note": "new"},
        "images": [{"name": "nginx", "newTag": "2"}],
    },
}


@pytest.fixture(scope="module", params=SETTINGS.values(), ids=SETTINGS)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Body, Body]]:
    """Every object under one overlay: by kustomize and by us."""
    layer = Layer(list(OBJECTS.values()), request.param)
    kustomize = by_kustomize(layer, tmp_path_factory.mktemp("overlay"))
    assert len(kustomize) == len(OBJECTS)
    return dict(zip(OBJECTS, zip(kustomize, by_us(layer), strict=True), strict=True))


@for_each("name", OBJECTS.keys(), at_least=41)
def test_setting(both: dict[str, tuple[Body, Body]], name: str) -> None:
    kustomize, ours = both[name]
    assert ours == kustomize


IMAGES = [
    "nginx",
    "nginx:1.25",
    "nginx:",
    "nginx@sha256:0123",
    "nginx:1.25@sha256:0123",
    "library/nginx:1",
    "docker.io/library/nginx:1.25",
    "registry:5000/nginx",
    "registry:5000/nginx:1.25",
    "registry:5000/nginx:1.25@sha256:0123",
    "nginx-debug:1",
    "nginx/nginx:1",
    "xnginx",
    "nginx:{TAG}",
    "nginx:a_b.c-D",
    "nginx:a/b",
    "NGINX",
    "$(IMAGE)",
    "",
]
CHANGES = [
    {"name": "nginx", "newTag": "2"},
    {"name": "nginx", "newName": "b"},
    {"name": "nginx", "digest": "sha256:ab"},
    {"name": "nginx", "newTag": "2", "digest": "sha256:ab"},
    {"name": "nginx", "newName": "b", "newTag": "2", "tagSuffix": "-unused"},
    {"name": "nginx", "digest": "sha256:ab", "tagSuffix": "-unused"},
    {"name": "nginx"},
    {"name": "nginx:1.25", "newTag": "2"},
    {"name": "registry:5000/nginx", "newTag": "2"},
    {"name": "registry", "newTag": "2"},
    {"name": "docker.io/library/nginx", "newName": "nginx"},
    {"name": ".*", "newTag": "2"},
    {"name": "(registry:5000/)?nginx", "newTag": "2"},
    {"name": "ng[hi]n.", "newTag": "2"},
    {"name": "n.inx", "newTag": "2"},
    {"name": r"\$\(IMAGE\)", "newName": "app"},
]


@pytest.mark.parametrize("change", sample(CHANGES, every=3), ids=lambda change: "-".join(change.values()))
def test_image(change: dict[str, str], tmp_path: Any) -> None:
    pod = body("v1", "Pod", spec={"containers": [{"name": str(i), "image": image} for i, image in enumerate(IMAGES)]})
    layer = Layer([pod], {"images": [change]})
    assert by_us(layer) == by_kustomize(layer, tmp_path)


TRAINER = "trainer.kubeflow.org/v1alpha1"
DIFFERENCES = [
    pytest.param(
        body(TRAINER, "ClusterTrainingRuntime"),
        {"namespace": "new"},
        body(TRAINER, "ClusterTrainingRuntime", namespace="new"),
        body(TRAINER, "ClusterTrainingRuntime"),
        id="a cluster's runtime has no namespace",
    ),
    pytest.param(
        body("kueue.x-k8s.io/v1beta1", "ClusterQueue"),
        {"namespace": "new"},
        body("kueue.x-k8s.io/v1beta1", "ClusterQueue", namespace="new"),
        body("kueue.x-k8s.io/v1beta1", "ClusterQueue"),
        id="nor have Kueue's cluster kinds",
    ),
    pytest.param(
        body("v1", "Pod", spec={"containers": [{"image": "nginx:1"}]}),
        {"images": [{"name": "nginx", "tagSuffix": "-x"}]},
        body("v1", "Pod", spec={"containers": [{"image": "nginx:1-x-x"}]}),
        body("v1", "Pod", spec={"containers": [{"image": "nginx:1-x"}]}),
        id="a suffix of a tag is put there once",
    ),
    pytest.param(
        body("v1", "Pod", spec={"containers": [{"image": "xnginx:1"}]}),
        {"images": [{"name": "x|y", "newTag": "2"}]},
        body("v1", "Pod", spec={"containers": [{"image": "xnginx:2"}]}),
        body("v1", "Pod", spec={"containers": [{"image": "xnginx:1"}]}),
        id="alternatives are whole names",
    ),
    pytest.param(
        body("v1", "Pod", spec={"containers": [{"image": "nginx@sha512:01"}]}),
        {"images": [{"name": "nginx", "newTag": "2"}]},
        body("v1", "Pod", spec={"containers": [{"image": "nginx@sha512:01"}]}),
        body("v1", "Pod", spec={"containers": [{"image": "nginx:2"}]}),
        id="any algorithm makes a digest",
    ),
    pytest.param(
        body("batch/v1", "CronJob", spec={"jobTemplate": {"spec": {"template": {"spec": pod_spec(containers=[])}}}}),
        {"images": [{"name": "ghcr.io/acme/model", "newTag": "v2"}]},
        body("batch/v1", "CronJob", spec={"jobTemplate": {"spec": {"template": {"spec": pod_spec(containers=[])}}}}),
        body(
            "batch/v1",
            "CronJob",
            spec={
                "jobTemplate": {
                    "spec": {
                        "template": {
                            "spec": pod_spec(
                                containers=[], volumes=[{"name": "m", "image": {"reference": "ghcr.io/acme/model:v2"}}]
                            )
                        }
                    }
                }
            },
        ),
        id="volumes of images everywhere",
    ),
    pytest.param(
        body(TRAINER, "TrainJob", spec={"trainer": {"image": "nginx:1"}}),
        {"images": [{"name": "nginx", "newTag": "2"}]},
        body(TRAINER, "TrainJob", spec={"trainer": {"image": "nginx:1"}}),
        body(TRAINER, "TrainJob", spec={"trainer": {"image": "nginx:2"}}),
        id="the image of a TrainJob",
    ),
    pytest.param(
        body(TRAINER, "TrainingRuntime", spec={}),
        {"labels": [{"pairs": {"a": "b"}, "includeTemplates": True}]},
        body(TRAINER, "TrainingRuntime", spec={}, metadata={"labels": {"a": "b"}}),
        body(
            TRAINER,
            "TrainingRuntime",
            spec={"template": {"metadata": {"labels": {"a": "b"}}}},
            metadata={"labels": {"a": "b"}},
        ),
        id="the templates of a runtime",
    ),
]


@pytest.mark.parametrize(("given", "settings", "kustomize", "ours"), DIFFERENCES)
def test_difference(given: Body, settings: dict[str, Any], kustomize: Body, ours: Body, tmp_path: Any) -> None:
    layer = Layer([given], settings)
    assert by_kustomize(layer, tmp_path) == [kustomize]
    assert by_us(layer) == [ours]


def test_name_that_is_no_pattern(tmp_path: Any) -> None:
    """kubectl crashes; kustomize after 5.8 finds no image."""
    layer = Layer([OBJECTS["Pod"]], {"images": [{"name": "[", "newTag": "2"}]})
    assert "panic" in run_kustomize(layer, tmp_path).stderr
    assert by_us(layer) == [OBJECTS["Pod"]]


MISPLACED = {
    "labels that are a list": ("Secret", {"metadata": {"labels": ["x"]}}),
    "labels that are a text": ("Secret", {"metadata": {"labels": "x"}}),
    "labels that are nothing": ("Secret", {"metadata": {"labels": None, "annotations": None}}),
    "annotations that are a number": ("Secret", {"metadata": {"annotations": 5}}),
    "labels of a template": ("StatefulSet", {"spec": {"template": {"metadata": {"labels": []}}}}),
    "a template that is a number": ("StatefulSet", {"spec": {"template": 5}}),
    "a spec that is a text": ("StatefulSet", {"spec": "x"}),
    "no spec": ("StatefulSet", {"spec": None}),
    "claims that are a text": ("StatefulSet", {"spec": {"volumeClaimTemplates": "x"}}),
    "a claim whose labels are a number": ("StatefulSet", {"spec": {"volumeClaimTemplates": [{"metadata": 5}]}}),
    "no claims": ("StatefulSet", {"spec": {"volumeClaimTemplates": None}}),
    "a spec of another kind": ("Secret", {"spec": "x"}),
}
_PAIRS = {"a": "b"}


@pytest.mark.parametrize("misplaced", sample(MISPLACED, every=3))
def test_where_pairs_cannot_be_written_kustomize_fails(misplaced: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    kind, rest = misplaced
    api_version = "apps/v1" if kind == "StatefulSet" else "v1"
    one = body(api_version, kind, **rest)
    settings = {"labels": [{"pairs": _PAIRS, "includeTemplates": True}], "commonAnnotations": _PAIRS}
    labels = (LabelSet(_PAIRS, include_templates=True),)
    overlay = Overlay(Source(SourceFile("overlay.yaml", "")), labels=labels, annotations=_PAIRS)
    failed = run_kustomize(Layer([one], settings), tmp_path).returncode != 0
    assert failed == bool(list(find_misplaced(one, kind, api_version, overlay)))
