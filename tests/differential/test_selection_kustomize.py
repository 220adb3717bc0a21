"""Targets of patches select what kustomize selects, and patterns match what Go's regular expressions match."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_trainjob.compiler.overlay.pattern import compile_pattern
from kubectl_trainjob.compiler.overlay.select import SelectorError, compile_selector
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.units import Selector
from tests.differential.kustomize import Body, Layer, body, by_kustomize, members_of, run_kustomize
from tests.loops import sample

_RBAC = "rbac.authorization.k8s.io/v1"
_TAGS = {
    "labels": {"app": "demo", "tier": "gpu", "n": "10", "empty": "", "in": "x", "acme.io/team": "ml"},
    "annotations": {"note": "yes"},
}
OBJECTS = Layer(
    [
        Layer(
            [
                body("v1", "ConfigMap", "alpha", "one", metadata=_TAGS),
                body("v1", "ConfigMap", "beta", metadata={"labels": {"app": "demo", "n": "2"}}),
                body("apps/v1", "Deployment", "alpha-web", "two", metadata={"labels": {"app": "other", "n": "x"}}),
            ],
            {"nameSuffix": "-a", "namespace": "moved"},
        ),
        body("batch/v1", "Job", "job.v1", "default"),
        body("batch/v1beta1", "CronJob", "alpha"),
        body("trainer.kubeflow.org/v1alpha1", "TrainJob", "train", "ml"),
        body(_RBAC, "ClusterRole", "role"),
    ]
)
SELECTORS: dict[str, dict[str, str]] = {
    "nothing stated": {},
    "kind": {"kind": "ConfigMap"},
    "part of a kind": {"kind": "Config"},
    "kinds": {"kind": "ConfigMap|Job"},
    "group": {"group": "apps"},
    "group and version": {"group": "batch", "version": "v1"},
    "versions": {"version": "v1.+"},
    "version of the core": {"version": "v1"},
    "trainer": {"group": "trainer.kubeflow.org", "kind": "TrainJob"},
    "name": {"name": "beta-a"},
    "former name": {"name": "alpha"},
    "part of a name": {"name": "alph"},
    "names": {"name": "alpha.*"},
    "names with anchors": {"name": "^alpha.*$"},
    "one of two names": {"name": "(beta|train)"},
    "name with a dot": {"name": "job.v1"},
    "namespace": {"namespace": "moved"},
    "former namespace": {"namespace": "one"},
    "former namespaces": {"namespace": "one|two"},
    "default namespace": {"namespace": "default"},
    "all namespaces": {"namespace": ".*"},
    "cluster": {"namespace": "_non_namespaceable_"},
    "former name and namespace": {"name": "alpha", "namespace": "moved"},
    "all fields": {"group": "apps", "version": "v1", "kind": "Deploy.*", "name": "alpha.*", "namespace": "t.o"},
    **{
        f"labels {text}": {"labelSelector": text}
        for text in [
            *("app=demo", "app==demo", "app = demo", "app!=demo", "app", "!app", "! app", "app=", "empty=", "app!="),
            *(
                "app in (demo)",
                "app in (demo,other)",
                "app in(demo , other)",
                "app notin (demo)",
                "app in ()",
                "n in (,)",
            ),
            *(
                "empty in (x,)",
                "empty in (,x)",
                "empty in (a,,b)",
                "empty notin ()",
                "in in (x)",
                "in = x",
                "in",
                "!in",
            ),
            *("n>2", "n < 10", "n > 1", "n<11,n>9", "app=demo,tier=gpu", "app,!tier", " app = demo , tier ", "  "),
            *(
                "acme.io/team=ml",
                "acme.io/team in (ml)",
                "app in (in,notin)",
                "app=in",
                "!app,!tier",
                "n>9223372036854775807",
            ),
        ]
    },
    "annotations": {"annotationSelector": "note=yes"},
    "no annotation": {"annotationSelector": "!note"},
    "labels and annotations": {"labelSelector": "app=demo", "annotationSelector": "note"},
}


def _mark(number: int) -> str:
    return json.dumps([{"op": "add", "path": f"/s{number}", "value": 1}])


@pytest.fixture(scope="module")
def selected(tmp_path_factory: pytest.TempPathFactory) -> list[Body]:
    """Every object with a label for each selector that selects it."""
    return _selected(SELECTORS.values(), tmp_path_factory.mktemp("selected"))


def _selected(selectors: Any, folder: Path) -> list[Body]:
    patches = [{"target": selector, "patch": _mark(number)} for number, selector in enumerate(selectors)]
    return by_kustomize(Layer(OBJECTS.members, {"patches": patches}), folder)


def _compiled(selector: dict[str, str]) -> Any:
    words = {"labelSelector": "label_selector", "annotationSelector": "annotation_selector"}
    return compile_selector(Selector(**{words.get(key, key): value for key, value in selector.items()}), Steps(LIMITS))


@pytest.mark.parametrize("name", SELECTORS)
def test_selected(selected: list[Body], name: str) -> None:
    matcher, mark = _compiled(SELECTORS[name]), f"s{list(SELECTORS).index(name)}"
    for member, body_ in zip(members_of(OBJECTS), selected, strict=True):
        metadata = member.draft.value["metadata"]
        chosen = matcher(member.identities, metadata.get("labels") or {}, metadata.get("annotations") or {})
        assert chosen == (mark in body_), member.identities[0]


REJECTED = [
    pytest.param({"name": "("}, "name", id="pattern"),
    pytest.param({"kind": "*"}, "kind", id="repetition of nothing"),
    pytest.param({"namespace": "[z-a]"}, "namespace", id="range"),
    pytest.param({"group": "a)"}, "group", id="parenthesis"),
    pytest.param({"version": "a**"}, "version", id="repetition twice"),
    *(
        pytest.param({"labelSelector": text}, "labelSelector", id=f"labels {text}")
        for text in [
            *("a=b c", "a b", "a=b=c", "=b", ",a", "a,", "a,,b", "a in", "a in b", "a in (b", "a in (b c)", "a in b)"),
            *(
                "a>b",
                "a>",
                "!a=b",
                "!",
                "!!a",
                "a!",
                "a=(b)",
                "a/b/c=d",
                "-a=b",
                "a=-b",
                "a in (b!)",
                "a => b",
                "a =! b",
            ),
            f"{'a' * 64}=b",
        ]
    ),
    pytest.param({"annotationSelector": "a=b c"}, "annotationSelector", id="annotations"),
]


@pytest.mark.parametrize(("selector", "field"), sample(REJECTED, every=4))
def test_rejected_by_both(selector: dict[str, str], field: str, tmp_path: Path) -> None:
    patches = [{"target": selector, "patch": _mark(0)}]
    rejection = run_kustomize(Layer(OBJECTS.members, {"patches": patches}), tmp_path).stderr
    assert "error parsing regexp" in rejection or "unable to parse requirement" in rejection or "found '" in rejection
    with pytest.raises(SelectorError) as rejected:
        _compiled(selector)
    assert rejected.value.field == field


_LITERALS = st.sampled_from([*"ab-.1_]}", r"\.", r"\-", r"\{", r"\d", r"\w", "."])
_CLASSES = st.sampled_from(
    ["[ab]", "[^ab]", "[a-c]", "[^-a]", "[a-]", "[]a]", "[^]a]", r"[\d-]", r"[\w.]", r"[^\d]", r"[\[a]", "[a-b-z]"]
)
_REPEATS = st.sampled_from(["*", "+", "?", "*?", "+?", "??"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.one_of(inner.map("({})".format), inner.map("(?:{})".format))
    return st.one_of(
        st.tuples(group, _REPEATS).map("".join),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        group,
    )


_ATOMS = st.one_of(_LITERALS, _CLASSES)
_INNER = st.recursive(st.one_of(_ATOMS, st.tuples(_ATOMS, _REPEATS).map("".join)), _grown, max_leaves=8)
PATTERNS = st.tuples(st.sampled_from(["", "^"]), _INNER, st.sampled_from(["", "$"])).map("".join)
_NAMES = st.text("ab-.1_z{", min_size=1, max_size=6)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(PATTERNS, min_size=40, max_size=80), st.sets(_NAMES, min_size=20, max_size=40))
def test_patterns_as_go_matches_them(patterns: list[str], names: set[str]) -> None:
    objects = [body("v1", "ConfigMap", name) for name in sorted(names)]
    patches = [{"target": {"name": pattern}, "patch": _mark(number)} for number, pattern in enumerate(patterns)]
    with tempfile.TemporaryDirectory() as folder:
        made = by_kustomize(Layer(objects, {"patches": patches}), Path(folder))
    wrong = [
        (pattern, each["metadata"]["name"])
        for number, pattern in enumerate(patterns)
        for each in made
        if compile_pattern(pattern, Steps(LIMITS)).matches(each["metadata"]["name"]) != (f"s{number}" in each)
    ]
    assert wrong == []
