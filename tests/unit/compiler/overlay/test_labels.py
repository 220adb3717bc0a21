"""`labels` and `annotations` in Trainer's kinds and JobSets, and the origins of what is written."""

import pytest

from kubectl_trainjob.compiler.overlay.metadata import add_annotations, add_labels
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.units import LabelSet

TRAINER, JOBSET = "trainer.kubeflow.org/v1alpha1", "jobset.x-k8s.io/v1alpha2"
CAUSE = ("overlay", "labels", 0, "pairs")
PAIRS = {"a": "1"}
TAGGED = {"metadata": {"labels": PAIRS}}
JOBS = [{"name": "x"}, {"name": "y", "template": {"spec": {"template": {"metadata": {"labels": {"b": "2"}}}}}}]
TAGGED_JOBS = [
    {"name": "x", "template": {**TAGGED, "spec": {"template": TAGGED}}},
    {"name": "y", "template": {**TAGGED, "spec": {"template": {"metadata": {"labels": {"b": "2", "a": "1"}}}}}},
]


def labelled(api_version, kind, spec):
    labels = LabelSet(PAIRS, include_templates=True)
    draft = add_labels(Draft({"spec": spec}), kind, api_version, labels, CAUSE, Steps(LIMITS))
    assert draft.get("metadata") == {"labels": PAIRS}
    return draft.get("spec")


@pytest.mark.parametrize("kind", ["TrainingRuntime", "ClusterTrainingRuntime"])
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({}, {"template": TAGGED}, id="no template"),
        pytest.param({"template": {"spec": None}}, {"template": {**TAGGED, "spec": None}}, id="no jobs"),
        pytest.param(
            {"template": {"spec": {"replicatedJobs": JOBS}}},
            {"template": {**TAGGED, "spec": {"replicatedJobs": TAGGED_JOBS}}},
            id="jobs",
        ),
        pytest.param(
            {"template": {"spec": {"replicatedJobs": ["x", {"template": 5}]}}},
            {"template": {**TAGGED, "spec": {"replicatedJobs": ["x", {"template": 5}]}}},
            id="jobs that are none",
        ),
    ],
)
def test_templates_of_a_runtime(kind, spec, expected):
    assert labelled(TRAINER, kind, spec) == expected


def test_templates_of_a_jobset():
    assert labelled(JOBSET, "JobSet", {"replicatedJobs": JOBS}) == {"replicatedJobs": TAGGED_JOBS}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({"trainer": {}}, {"trainer": {}}, id="no labels"),
        pytest.param({"labels": {"b": "2"}}, {"labels": {"b": "2", "a": "1"}}, id="labels"),
    ],
)
def test_labels_that_a_train_job_hands_on(spec, expected):
    assert labelled(TRAINER, "TrainJob", spec) == expected


def test_templates_of_another_group_are_left_alone():
    assert labelled("acme.io/v1", "TrainingRuntime", {"template": {}}) == {"template": {}}
    assert labelled("kubeflow.org/v1", "TrainJob", {"labels": {}}) == {"labels": {}}


@pytest.mark.parametrize("kind", ["TrainJob", "TrainingRuntime", "ClusterTrainingRuntime"])
def test_annotations_stay_at_the_object(kind):
    spec = {"template": {"spec": {"replicatedJobs": JOBS}}, "annotations": {}}
    draft = add_annotations(Draft({"spec": spec}), kind, TRAINER, PAIRS, CAUSE, Steps(LIMITS))
    assert draft.value == {"spec": spec, "metadata": {"annotations": PAIRS}}
    assert draft.get("spec") is spec


@pytest.mark.parametrize(
    "metadata", [pytest.param({"labels": PAIRS}, id="the same"), *({"labels": 5}, {"labels": [1]}, "text", [1])]
)
def test_left_alone(metadata):
    draft = Draft({"metadata": metadata})
    assert add_labels(draft, "TrainJob", TRAINER, LabelSet(PAIRS), CAUSE, Steps(LIMITS)) is draft


def test_values_that_are_no_text_are_replaced():
    draft = add_labels(
        Draft({"metadata": {"labels": {"a": 1}}}), "TrainJob", TRAINER, LabelSet(PAIRS), CAUSE, Steps(LIMITS)
    )
    assert draft.value == {"metadata": {"labels": PAIRS}}


def test_origin():
    overlay, job = (Source(SourceFile(name, "")) for name in ("overlay.yaml", "job.yaml"))
    body = {"metadata": {"labels": {"a": "0", "b": "2", "c": "3"}}}
    draft = Draft(None, {"overlay": overlay, "object": job}).put((), body, copied=("object",))
    written = add_labels(draft, "TrainJob", TRAINER, LabelSet({"a": "1", "c": "3", "d/e": "4"}), CAUSE, Steps(LIMITS))
    places = {key: written.origin(("metadata", "labels", key)).place for key in ("a", "b", "c", "d/e")}
    assert places == {
        "a": Place(overlay, ("labels", 0, "pairs", "a")),
        "b": Place(job, ("metadata", "labels", "b")),
        "c": Place(job, ("metadata", "labels", "c")),
        "d/e": Place(overlay, ("labels", 0, "pairs", "d/e")),
    }
    assert written.origin(("metadata", "labels", "a")).over.place == Place(job, ("metadata", "labels", "a"))
