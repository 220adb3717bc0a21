"""`images` in Trainer's kinds, several changes of one image, and the origins of what is written."""

import pytest

from kubectl_trainjob.compiler.overlay.images import Images, change_images
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.units import ImageChange

TRAINER = "trainer.kubeflow.org/v1alpha1"
CAUSE = ("overlay", "images")
CHANGES = [ImageChange("app", new_name="registry:5000/app"), ImageChange("registry:5000/app", new_tag="v2")]
OLD, NEW = "app:v1", "registry:5000/app:v2"


def pods(image):
    container = {"name": "node", "image": image}
    volumes = [{"name": "v", "image": {"reference": image}}, {"name": "w", "image": None}, {"name": "u"}]
    return {"containers": [container, {"name": "x"}, "text"], "initContainers": [container], "volumes": volumes}


def job(image):
    patch = {"template": {"spec": {"replicatedJobs": [{"template": {"spec": {"template": {"spec": pods(image)}}}}]}}}
    return {
        "trainer": {"image": image, "args": [image]},
        "podSpecOverrides": [pods(image)],
        "podTemplateOverrides": [{"spec": pods(image)}],
        "runtimePatches": [{"manager": image, "trainingRuntimeSpec": patch}],
        "initializer": {"model": {"storageUri": image}},
    }


def changed(kind, spec, changes=CHANGES):
    return change_images(Draft({"spec": spec}), kind, TRAINER, Images(changes, Steps(LIMITS)), CAUSE).value["spec"]


def test_train_job():
    expected = job(NEW)
    expected["trainer"]["args"] = [OLD]
    expected["initializer"]["model"]["storageUri"] = OLD
    expected["runtimePatches"][0]["manager"] = OLD
    assert changed("TrainJob", job(OLD)) == expected


@pytest.mark.parametrize("kind", ["TrainingRuntime", "ClusterTrainingRuntime"])
def test_runtime(kind):
    def spec(image):
        jobs = [{"name": "node", "template": {"spec": {"template": {"spec": pods(image)}}}}]
        return {"template": {"spec": {"replicatedJobs": jobs}}}

    assert changed(kind, spec(OLD)) == spec(NEW)


@pytest.mark.parametrize(
    ("image", "changes", "expected"),
    [
        pytest.param("a:1", [ImageChange("a", tag_suffix="-gpu")], "a:1-gpu", id="suffix of a tag"),
        pytest.param("a:1@sha256:0", [ImageChange("a", tag_suffix="-gpu")], "a:1-gpu", id="a suffix drops the digest"),
        pytest.param("a@sha256:0", [ImageChange("a", new_name="b")], "b@sha256:0", id="a name keeps the digest"),
        pytest.param("a:1", [ImageChange("a", new_tag="2"), ImageChange("a", new_tag="1")], "a:1", id="and back"),
        pytest.param("a:1", [ImageChange("a:1", new_tag="2"), ImageChange("a:1", new_tag="3")], "a:2", id="once"),
        pytest.param("host:5000/a", [ImageChange("host", new_name="b")], "host:5000/a", id="a port is no tag"),
        pytest.param("a:1", [ImageChange("(")], "a:1", id="no pattern"),
        pytest.param(5, [ImageChange("5", new_tag="1")], 5, id="no text"),
    ],
)
def test_changes(image, changes, expected):
    assert changed("TrainJob", {"trainer": {"image": image}}, changes) == {"trainer": {"image": expected}}


def test_nothing_to_change():
    draft = Draft({"spec": job("other:1")})
    assert change_images(draft, "TrainJob", TRAINER, Images(CHANGES, Steps(LIMITS)), CAUSE) is draft


def test_unknown_names():
    changes = [ImageChange("app"), ImageChange("(app"), ImageChange("ghcr.io/(a|b)/.*"), ImageChange(r"\bapp")]
    assert list(Images(changes, Steps(LIMITS)).unknown) == [1, 3]


def test_origin():
    overlay, source = (Source(SourceFile(name, "")) for name in ("overlay.yaml", "job.yaml"))
    draft = Draft(None, {"overlay": overlay, "object": source}).put((), {"spec": job(OLD)}, copied=("object",))
    origin = change_images(
        draft, "TrainJob", TRAINER, Images([ImageChange("z"), *CHANGES], Steps(LIMITS)), CAUSE
    ).origin(("spec", "trainer", "image"))
    assert origin.causes == (Place(overlay, ("images", 1, "newName")), Place(overlay, ("images", 2, "newTag")))
    assert origin.over.place == Place(source, ("spec", "trainer", "image"))
