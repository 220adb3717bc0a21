"""Each CEL rule's function gives the verdict of a CEL library on the rule's text."""

from __future__ import annotations

import json
from typing import Any

import cel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.kube.schemas.cel import ML_POLICIES, RULES, TRANSITIONS, check_rules
from kubectl_trainjob.kube.schemas.load import _product

LABELS = st.text("ab-zAZ09._\n é", max_size=4)
NAMES = LABELS | st.from_regex(r"[a-z]([-a-z0-9]{0,3}[a-z0-9])?", fullmatch=True) | st.integers(60, 66).map("a".__mul__)
URIS = st.text("ahf:/+.-1 \né", max_size=9) | st.builds("".join, st.tuples(LABELS, st.just("://"), LABELS))
NAMED = st.fixed_dictionaries({}, optional={"metadata": st.fixed_dictionaries({}, optional={"name": NAMES})})
DEPENDENT = st.fixed_dictionaries({}, optional={"dependsOn": st.lists(st.just({"name": "a"}), max_size=1)})
ORDERS = st.sampled_from(["InOrder", "AnyOrder"])
CLAIM = st.fixed_dictionaries(
    {}, optional={"metadata": st.fixed_dictionaries({}, optional={"namespace": st.sampled_from(["", "a"])})}
)
DOUBLES = st.sampled_from(["0", "0.0", "1e-4", "-1", "2", "0.5", "a", "", " 1", "1_0", "inf", "nan"])


def one_of(*names: str) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional={name: st.just({}) for name in names})


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')": NAMED,
    "size(self.metadata.name) <= 63": NAMED,
    "self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')": URIS,
    "self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']": st.sampled_from(
        ["trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue", "", "kueue.x-k8s.io/multikueue\n"]
    ),
    "has(self.lastUpdatedTime)": st.fixed_dictionaries(
        {}, optional={"lastUpdatedTime": st.just("2026-01-01T00:00:00Z")}
    ),
    "[has(self.torch), has(self.mpi), has(self.jax), has(self.xgboost),has(self.flux)].filter(x, x).size() <= 1": (
        st.fixed_dictionaries({}, optional={name: st.just({}) for name in (*ML_POLICIES, "numNodes")})
    ),
    "!(has(self.torch) && has(self.mpi))": (
        st.fixed_dictionaries({}, optional={name: st.just({}) for name in ("torch", "mpi", "numNodes")})
    ),
    "!(has(self.numNodes) && (has(self.torch) && has(self.torch.elasticPolicy)))": st.fixed_dictionaries(
        {},
        optional={
            "numNodes": st.integers(0, 2),
            "torch": st.fixed_dictionaries({}, optional={"elasticPolicy": st.just({})}),
            "mpi": st.just({}),
        },
    ),
    "self > 0 || self in ['auto', 'cpu', 'gpu']": (
        st.integers(-2, 2) | st.sampled_from(["auto", "cpu", "gpu", "tpu", "4", "", "auto\n"])
    ),
    "self >= 1": st.integers(-(2**31), 2**31) | st.integers(-2, 2),
    "double(self.min) > 0.0": st.fixed_dictionaries({}, optional={"min": DOUBLES}),
    "double(self.min) < double(self.max)": st.fixed_dictionaries({}, optional={"min": DOUBLES, "max": DOUBLES}),
    "[has(self.uniform),has(self.logUniform),has(self.categorical)].filter(x,x==true).size() == 1": one_of(
        "uniform", "logUniform", "categorical"
    ),
    "[has(self.random),has(self.grid)].filter(x,x==true).size() == 1": one_of("random", "grid"),
    "self.parallelTrials <= self.numTrials": st.fixed_dictionaries(
        {}, optional={"parallelTrials": st.integers(1, 3), "numTrials": st.integers(1, 3)}
    ),
    "!has(self.searchAlgorithm.grid) || self.parameters.all(p, has(p.searchSpace.categorical))": (
        st.fixed_dictionaries(
            {"searchAlgorithm": one_of("grid", "random")},
            optional={"parameters": st.lists(st.fixed_dictionaries({"searchSpace": one_of("categorical")}))},
        )
    ),
    "!has(self.name) && !has(self.namespace)": one_of("name", "namespace"),
    "!self.exists(c, c == 'node')": st.lists(st.sampled_from(["node", "nodes", ""]), max_size=4),
    "!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' "
    "&& self.replicatedJobs.exists(x, has(x.dependsOn)))": st.fixed_dictionaries(
        {},
        optional={
            "startupPolicy": st.fixed_dictionaries({}, optional={"startupPolicyOrder": ORDERS}),
            "replicatedJobs": st.lists(DEPENDENT, max_size=3),
        },
    ),
    "self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)": st.fixed_dictionaries(
        {}, optional={"templates": st.lists(CLAIM, max_size=3)}
    ),
}


def library_holds(rule: str, value: Any) -> bool:
    try:
        return cel.evaluate(rule, {"self": value}) is True
    except (KeyError, TypeError, ValueError, RuntimeError):
        return False


def test_every_rule_is_generated_for():
    assert VALUES.keys() == RULES.keys()


@pytest.mark.parametrize("rule", RULES)
def test_verdicts_are_the_librarys(rule):
    seen = set()

    @given(VALUES[rule])
    def compare(value):
        problems = list(check_rules((RULES[rule],), value))
        assert (not problems) == library_holds(rule, value)
        assert len(problems) <= 1
        seen.add(bool(problems))

    compare()
    assert seen == {True, False}


@pytest.mark.parametrize(
    "version", ["trainer-2.0", "trainer-2.1", "trainer-2.2", "trainer-2.3", "trainer-next", "jobset-0.12"]
)
def test_packaged_rules_are_all_known(version):
    product = _product(version)
    texts = {rule["rule"] for schema in product._schemas for rule in schema.get("validations", ())}
    assert texts <= RULES.keys() | TRANSITIONS


def test_transition_rules_are_those_that_mention_the_old_object():
    assert all("oldSelf" in text for text in TRANSITIONS)
    assert not any("oldSelf" in text for text in RULES)


def test_findings_point_at_what_a_person_edits():
    found = {
        problem.pointer
        for rule, value in [
            ("has(self.lastUpdatedTime)", {}),
            ("!self.exists(c, c == 'node')", ["check", "node"]),
        ]
        for problem in check_rules((RULES[rule],), value)
    }
    assert found == {(), (1,)}, json.dumps(sorted(found))
