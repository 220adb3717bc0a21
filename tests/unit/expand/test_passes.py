"""Which pass runs for which runtime: the guards at the top of Trainer's plugins, as one table."""

import pytest

from kubectl_trainjob.draft import Draft
from kubectl_trainjob.expand.passes import PASSES
from kubectl_trainjob.expand.plan import Plan
from kubectl_trainjob.source import Source, SourceFile
from kubectl_trainjob.stages import Admitted, Manifest, ObjectId, Resolved

ALWAYS_OFF = {"initializers", "runtimePatches"}


def admitted(kind, spec):
    body = {"metadata": {"name": "x"}, "spec": spec}
    identity = ObjectId("trainer.kubeflow.org/v1alpha1", kind, "", "x")
    return Admitted(Manifest(identity, body, Source(SourceFile("x.yaml", ""))), body)


def running(runtime, job=None):
    resolved = Resolved(admitted("TrainJob", job or {}), admitted("TrainingRuntime", runtime))
    plan = Plan(resolved, Draft({}), (), None, None)
    return {each.name for each in PASSES if each.applies(plan)}


@pytest.mark.parametrize(
    ("runtime", "expected"),
    [
        pytest.param({}, {"plain"}, id="no policy"),
        pytest.param({"mlPolicy": {"numNodes": 2}}, {"plain"}, id="nodes only"),
        pytest.param({"mlPolicy": {"torch": {}}}, {"torch"}, id="torch"),
        pytest.param({"mlPolicy": {"mpi": {}}}, {"mpi"}, id="mpi"),
        pytest.param({"mlPolicy": {"jax": {}}}, {"jax"}, id="jax"),
        pytest.param({"mlPolicy": {"xgboost": {}}}, {"plain", "xgboost"}, id="xgboost runs beside plain"),
        pytest.param({"mlPolicy": {"flux": {}}}, {"plain", "flux"}, id="flux runs beside plain"),
        pytest.param({"podGroupPolicy": {"coscheduling": {}}}, {"plain", "coscheduling"}, id="coscheduling"),
        pytest.param({"podGroupPolicy": {"volcano": {}}}, {"plain", "volcano"}, id="volcano"),
        pytest.param(
            {"mlPolicy": {"torch": {}}, "podGroupPolicy": {"volcano": {}, "coscheduling": {}}},
            {"torch", "coscheduling", "volcano"},
            id="both gangs",
        ),
    ],
)
def test_passes_of_a_runtime(runtime, expected):
    assert running(runtime) == expected


@pytest.mark.parametrize(
    ("job", "name"),
    [
        pytest.param({"initializer": {}}, "initializers", id="initializer"),
        pytest.param({"runtimePatches": [{"manager": "a.io/b"}]}, "runtimePatches", id="patches"),
    ],
)
def test_passes_of_a_job(job, name):
    assert name in running({}, job)
    assert not running({}) & ALWAYS_OFF


def test_names_are_unique():
    assert len({each.name for each in PASSES}) == len(PASSES)
