"""The work that overlays make is counted, so that it is bounded the same on every machine."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.compiler.overlay.images import Images, change_images
from kubectl_trainjob.compiler.overlay.json_patch import apply_operations
from kubectl_trainjob.compiler.overlay.merge import merge_patch
from kubectl_trainjob.compiler.overlay.metadata import add_annotations, add_labels
from kubectl_trainjob.compiler.overlay.pattern import compile_pattern
from kubectl_trainjob.compiler.overlay.select import SelectorError, compile_selector
from kubectl_trainjob.compiler.overlay.steps import Steps, StepsError
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.model.units import ImageChange, LabelSet, Selector
from kubectl_trainjob.repository.positions import Locator
from tests.compiled import build
from tests.reading import read

CAUSE = ("patch.0",)
MANY = 5000


class DerivedValue(Steps):
    """Knows how many steps were taken."""

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.taken = 0

    def take(self, count: int, draft: Draft | None = None) -> None:
        self.taken += count if draft is None or not draft.records else 0


def recorded(body: Any) -> Draft:
    read = Source(SourceFile("a.yaml", ""))
    return Draft(None, {"object": read, "patch.0": read}).put((), body, copied=("object",))


def pod(containers: list[Any]) -> Any:
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": containers}}


def test_the_limit_is_named() -> None:
    steps = Steps(replace(LIMITS, overlay_steps=10))
    steps.take(10)
    assert not steps.are_used_up
    with pytest.raises(StepsError, match=r"exceeds the limit of 10 steps for a build \(limits.overlaySteps\)"):
        steps.take(1)
    assert steps.are_used_up


def test_what_is_recorded_was_counted_before() -> None:
    steps = Steps(replace(LIMITS, overlay_steps=1))
    steps.take(2, recorded({}))
    with pytest.raises(StepsError):
        steps.take(2, Draft({}))


def test_a_pattern_costs_the_states_that_names_lead_to() -> None:
    steps = DerivedValue()
    pattern = compile_pattern("(a|b|c.*|d*)" * 60 + ".*", steps)
    built = steps.taken
    assert 1000 < built <= 60 * 60 * 4 * 4
    assert pattern.matches("abcd" * 50)
    once = steps.taken - built
    assert once > 1000
    assert pattern.matches("abcd" * 50)
    assert steps.taken - built - once < once / 10  # the way is known


def test_selectors_that_cost_too_much() -> None:
    identity = ObjectId("v1", "ConfigMap", "", "a" * 200)
    steps = Steps(replace(LIMITS, overlay_steps=500))
    with pytest.raises(SelectorError, match=r"limits.overlaySteps\); write a simpler one") as rejected:
        compile_selector(Selector(name="a?" * 120 + ".*"), steps)([identity], {}, {})
    assert rejected.value.field == "name"
    with pytest.raises(SelectorError) as rejected:
        compile_selector(Selector(label_selector="!a," * 8000 + "b"), Steps(replace(LIMITS, overlay_steps=999)))(
            [identity], {}, {}
        )
    assert rejected.value.field == "labelSelector"


@pytest.mark.parametrize(
    ("changes", "images", "most"),
    [
        pytest.param([f"app{i}" for i in range(MANY)], [f"bpp{i}:v1" for i in range(MANY)], 0, id="none fits"),
        pytest.param([f"app{i}" for i in range(MANY)], [f"app{i}:v1" for i in range(MANY)], 3 * MANY, id="each one"),
        pytest.param([f"x.y/{i}" for i in range(MANY)], ["x.y/z/a:v1"] * MANY, 2_700, id="names with dots"),
        pytest.param(["app"] * MANY, ["app:v1"] * MANY, 100 * MANY, id="all for one image"),
    ],
)
def test_images_are_looked_up(changes: list[str], images: list[str], most: int) -> None:
    """Plain names cost the images that they are for, not the product of both lists."""
    steps = DerivedValue()
    made = Images([ImageChange(name, tag_suffix="-x") for name in changes], steps)
    body = pod([{"image": image} for image in images])
    change_images(Draft(body), "Pod", "v1", made, CAUSE)
    assert steps.taken <= most


def test_an_image_costs_its_patterns_once() -> None:
    steps = DerivedValue()
    made = Images([ImageChange(f"a{i}.*", new_tag="2") for i in range(100)], steps)
    built = steps.taken
    change_images(Draft(pod([{"image": "b:1"}] * 100)), "Pod", "v1", made, CAUSE)
    assert 100 <= steps.taken - built < 10_000
    once = steps.taken
    change_images(recorded(pod([{"image": "b:1"}] * 100)), "Pod", "v1", made, CAUSE)
    assert steps.taken == once


LABELS = LabelSet({"a": "1", "b": "2"}, include_templates=True)
ENV = {"spec": {"containers": [{"name": "c", "env": [{"name": "x"}]}]}}


@pytest.mark.parametrize(
    ("write", "most"),
    [
        pytest.param(
            lambda draft, steps: apply_operations(
                draft, [{"op": "add", "path": "/spec/containers/0/env/0", "value": {}}] * 10, CAUSE, steps
            ),
            10 * MANY // 2 + 100,
            id="operations at the front of a list",
        ),
        pytest.param(
            lambda draft, steps: apply_operations(
                draft, [{"op": "move", "from": "/spec/containers/0/env/0", "path": "/x"}], CAUSE, steps
            ),
            MANY // 2 + 10,
            id="a move out of a list",
        ),
        pytest.param(
            lambda draft, steps: merge_patch(draft, ENV, "v1", "Pod", CAUSE, steps),
            2 * MANY + 2,
            id="a merge into a list",
        ),
        pytest.param(lambda draft, steps: add_labels(draft, "Pod", "v1", LABELS, CAUSE, steps), 16, id="labels"),
        pytest.param(
            lambda draft, steps: add_annotations(draft, "Deployment", "apps/v1", LABELS.pairs, CAUSE, steps),
            32,
            id="annotations in two places",
        ),
    ],
)
def test_what_is_rebuilt_is_counted(write: Callable[[Draft, Steps], Draft], most: int) -> None:
    body = pod([{"name": "c", "env": [{"name": f"e{i}"} for i in range(MANY)]}])
    steps = DerivedValue()
    made = write(Draft(body), steps)
    assert most - 102 <= steps.taken <= most
    again = DerivedValue()
    assert write(recorded(body), again).value == made.value
    assert again.taken == 0


HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: "
PATTERN = f"'{'(a|b|c.*|d*)' * 60}.*'"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(
            f"patches:\n- target:\n    name: {PATTERN}\n  patch: {{a: b}}\n"
            + f"- target: {{name: {PATTERN}}}\n  patch: {{a: b}}\n" * 3,
            ("KTJ050", 6),
            id="patterns, told once",
        ),
        pytest.param(f"images:\n- {{name: {PATTERN}, newTag: x}}\n", ("KTJ059", 1), id="a pattern for images"),
        pytest.param(
            f"patches:\n- target: {{}}\n  patch: {{data: [{'a,' * 1000}]}}\n", ("KTJ059", 6), id="values of patches"
        ),
        pytest.param(
            f"labels:\n- pairs: {{{', '.join(f'l{i}: x' for i in range(200))}}}\n", ("KTJ059", 1), id="labels"
        ),
        pytest.param("patches:\n- {target: {}, patch: {a: b}}\nimages: [{name: a.*, newTag: x}]\n", (), id="little"),
    ],
)
def test_a_build_that_costs_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, expected: tuple[str, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "trainjob.yaml": f"{HEAD}Config\nlimits: {{overlaySteps: 1000}}\n",
        "o/overlay.yaml": f"{HEAD}Overlay\nresources: [a.yaml]\n{settings}",
        "o/a.yaml": pod_text("abcd" * 50),
        "top/overlay.yaml": f"{HEAD}Overlay\nresources: [../o]\nlabels: [{{pairs: {{a: b}}}}]\n",
    }.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(text)
    for named in ("o", "top"):
        built = build(read([named], lambda _most: b""), BuildOptions())
        settled = [(d.rule.id, Locator().resolve(d.place)) for d in built.diagnostics]
        found = [(rule, location.span.line) for rule, location in settled]
        assert found == [expected] * bool(expected)
        assert all("limits.overlaySteps" in d.message for d in built.diagnostics)
        assert len(built.outputs) == (0 if expected else 1)


@pytest.mark.parametrize("item", ["patches: [{target: {}, patch: {a: b}}", "sweeps: [{target: {name: none}}"])
@pytest.mark.parametrize(("limit", "expected"), [(39, True), (40, False)])
def test_a_patch_and_a_sweep_count_20_times_for_each_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, item: str, limit: int, expected: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trainjob.yaml").write_text(f"{HEAD}Config\nlimits: {{overlayEdits: {limit}}}\n")
    Path("a.yaml").write_text(f"{pod_text('a')}---\n{pod_text('b')}")
    Path("overlay.yaml").write_text(f"{HEAD}Overlay\nresources: [a.yaml]\n{item}]\n")
    messages = [d.message for d in build(read(["."], lambda _most: b""), BuildOptions()).diagnostics]
    counted = "1 patches and sweeps, 0 labels and annotations, 0 images for 2 objects are more than the limit"
    assert any(counted in message for message in messages) == expected


def pod_text(name: str) -> str:
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{image: {name}}}]}}\n"
