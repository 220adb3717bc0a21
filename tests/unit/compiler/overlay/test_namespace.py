"""`namespace`: where it is written, and that the overlay's line is known as its origin."""

import pytest

from kubectl_trainjob.compiler.overlay.metadata import set_namespace
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place, Source, SourceFile

TRAINER = "trainer.kubeflow.org/v1alpha1"
OVERLAY, OBJECT = Source(SourceFile("overlay.yaml", "")), Source(SourceFile("job.yaml", ""))
CAUSE = ("overlay", "namespace")


def in_namespace(body):
    return set_namespace(Draft(body), body["kind"], body["apiVersion"], "team", CAUSE).value


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            {"apiVersion": TRAINER, "kind": "TrainJob", "metadata": {"name": "a", "namespace": "old"}},
            {"apiVersion": TRAINER, "kind": "TrainJob", "metadata": {"name": "a", "namespace": "team"}},
            id="over another",
        ),
        pytest.param(
            {"apiVersion": TRAINER, "kind": "TrainingRuntime"},
            {"apiVersion": TRAINER, "kind": "TrainingRuntime", "metadata": {"namespace": "team"}},
            id="without metadata",
        ),
    ],
)
def test_written(body, expected):
    assert in_namespace(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"apiVersion": TRAINER, "kind": "ClusterTrainingRuntime", "metadata": {}}, id="cluster's kind"),
        pytest.param({"apiVersion": TRAINER, "kind": "TrainJob", "metadata": {"namespace": "team"}}, id="the same"),
        pytest.param({"apiVersion": TRAINER, "kind": "TrainJob", "metadata": "text"}, id="metadata that is none"),
        pytest.param({"apiVersion": "v1", "kind": "Namespace", "metadata": ["text"]}, id="name that is nowhere"),
        pytest.param(
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "subjects": "text"},
            id="subjects that are none",
        ),
        pytest.param(
            {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "spec": [1]}, id="service that is nowhere"
        ),
    ],
)
def test_left_alone(body):
    assert in_namespace(body) is body


def test_origin():
    body = {"apiVersion": TRAINER, "kind": "TrainJob", "metadata": {"name": "a"}}
    draft = Draft(None, {"overlay": OVERLAY, "object": OBJECT}).put((), body, copied=("object",))
    written = set_namespace(draft, "TrainJob", TRAINER, "team", CAUSE)
    assert written.origin(("metadata", "namespace")).place == Place(OVERLAY, ("namespace",))
    assert written.origin(("metadata", "name")).place == Place(OBJECT, ("metadata", "name"))
