"""Targets: what a field that is not stated means, which identities count, and what a rejection says."""

import pytest

from kubectl_trainjob.compiler.overlay.select import SelectorError, compile_selector
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.model.units import Selector

NOW = ObjectId("trainer.kubeflow.org/v1alpha1", "TrainJob", "prod", "bert-prod-eu")
BETWEEN = ObjectId("trainer.kubeflow.org/v1alpha1", "TrainJob", "prod", "bert-prod")
FIRST = ObjectId("trainer.kubeflow.org/v1alpha1", "TrainJob", "", "bert")
RUNTIME = ObjectId("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "", "torch")


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        pytest.param(Selector(), True, id="nothing"),
        pytest.param(Selector(name="bert-prod-eu"), True, id="name"),
        pytest.param(Selector(name="bert"), True, id="first name"),
        pytest.param(Selector(name="bert-prod"), False, id="a name between"),
        pytest.param(Selector(namespace="prod"), True, id="namespace"),
        pytest.param(Selector(namespace="default"), True, id="first namespace"),
        pytest.param(Selector(kind="TrainJob", group="trainer.kubeflow.org", version="v1alpha1"), True, id="type"),
        pytest.param(Selector(kind="TrainJob", version="v1"), False, id="version"),
        pytest.param(Selector(label_selector="team in (a, b),!old"), True, id="labels"),
        pytest.param(Selector(label_selector="team=c"), False, id="other labels"),
        pytest.param(Selector(annotation_selector="note"), True, id="annotations"),
    ],
)
def test_target(selector, chosen):
    assert compile_selector(selector, Steps(LIMITS))([NOW, BETWEEN, FIRST], {"team": "a"}, {"note": "x"}) == chosen


def test_runtimes_of_a_cluster_are_in_no_namespace():
    """kustomize takes them for objects of the default namespace."""
    assert not compile_selector(Selector(namespace="default"), Steps(LIMITS))([RUNTIME], {}, {})


def test_labels_that_are_no_text_match_nothing_but_their_key():
    labels = {"n": 5, "on": True}
    assert compile_selector(Selector(label_selector="n,on,n!=6"), Steps(LIMITS))([NOW], labels, {})
    assert not compile_selector(Selector(label_selector="n>4"), Steps(LIMITS))([NOW], labels, {})


@pytest.mark.parametrize(
    ("selector", "field", "message"),
    [
        pytest.param(
            Selector(name="(?i)a"),
            "name",
            'the pattern "(?i)a" uses "(?i)…", which is not supported; write "(…)" or "(?:…)"',
            id="pattern",
        ),
        pytest.param(
            Selector(label_selector="a in b"),
            "labelSelector",
            'the selector "a in b" needs "(" before "b"',
            id="syntax",
        ),
        pytest.param(
            Selector(annotation_selector="a,"),
            "annotationSelector",
            'the selector "a," ends in ","; remove it, or add a requirement',
            id="comma",
        ),
        pytest.param(
            Selector(label_selector="a in (b"), "labelSelector", 'the selector "a in (b" needs ")" at its end', id="end"
        ),
        pytest.param(
            Selector(label_selector="a b"),
            "labelSelector",
            'the selector "a b" needs "=", "!=", "in" or "notin" before "b"',
            id="operator",
        ),
        pytest.param(
            Selector(label_selector="a>b"),
            "labelSelector",
            'the selector "a>b" compares by ">" with "b", which is not an integer',
            id="number",
        ),
        pytest.param(
            Selector(label_selector="a=-"),
            "labelSelector",
            "the selector \"a=-\" has the value \"-\", which must be empty or consist of letters, digits, '-', '_' and"
            " '.', and start and end with a letter or digit",
            id="value",
        ),
    ],
)
def test_rejected(selector, field, message):
    with pytest.raises(SelectorError) as rejected:
        compile_selector(selector, Steps(LIMITS))
    assert (rejected.value.field, str(rejected.value)) == (field, message)
