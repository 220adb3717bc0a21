"""The walker's verdicts are those of jsonschema-rs, on objects that fit and on broken ones."""

from __future__ import annotations

import copy
from functools import cache

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.kube.schemas.load import Schema, _Product, _product
from tests.unit.kube.schemas.judge import broken, fitting, has_duplicates, json_schema, without_nulls

KINDS = [
    pytest.param("trainer-2.3", "trainer.kubeflow.org/v1alpha1", "TrainJob", id="TrainJob"),
    pytest.param("trainer-2.3", "trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", id="ClusterTrainingRuntime"),
    pytest.param("jobset-0.12", "jobset.x-k8s.io/v1alpha2", "JobSet", id="JobSet"),
]


class Case:
    """One kind for both judges, CEL rules left out."""

    def __init__(self, version, api_version, kind):
        product = _product(version)
        self.schemas = [{k: v for k, v in schema.items() if k != "validations"} for schema in product._schemas]
        entry = product.kinds[f"{api_version}/{kind}"]
        self.root = entry["root"]
        stripped = _Product(product.kinds, self.schemas)
        self.ours = Schema("", api_version, kind, stripped.node(self.root), has_status=False)
        self.theirs = jsonschema_rs.validator_for(json_schema(self.schemas, self.root), validate_formats=True)

    def expected(self, value):
        pruned = without_nulls(self.schemas, self.root, value)
        return self.theirs.is_valid(pruned) and not has_duplicates(self.schemas, self.root, pruned)


@cache
def case(*key):
    return Case(*key)


@pytest.mark.parametrize(("version", "api_version", "kind"), KINDS)
def test_fitting_objects(version, api_version, kind):
    one = case(version, api_version, kind)

    @given(st.randoms(use_true_random=False))
    def compare(random):
        value = fitting(one.schemas, one.root, random)
        before = copy.deepcopy(value)
        checked = one.ours.check(value)
        assert value == before
        assert (not checked.problems) == one.expected(value), checked.problems
        again = one.ours.check(checked.value)
        assert again.value is checked.value
        assert again.problems == checked.problems

    compare()


@pytest.mark.parametrize(("version", "api_version", "kind"), KINDS)
def test_broken_objects(version, api_version, kind):
    one = case(version, api_version, kind)
    seen = set()

    @given(st.randoms(use_true_random=False))
    def compare(random):
        value = fitting(one.schemas, one.root, random)
        for _ in range(4):
            changed = broken(value, random)
            problems = one.ours.check(changed).problems
            assert (not problems) == one.expected(changed), problems
            seen.add(bool(problems))

    compare()
    assert seen == {True, False}
