"""Which overlay is which one in another directory."""

from __future__ import annotations

import pytest

from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.review.diff.moved_units import UnitContents, find_moved


def builds(*names: str, **says: str) -> UnitContents:
    return {ObjectId("v1", "ConfigMap", "", name): says.get(name, "") for name in names}


@pytest.mark.parametrize(
    ("gone", "new", "expected"),
    [
        pytest.param({}, {"o/new": builds("a")}, {}, id="new"),
        pytest.param({"o/old": builds("a")}, {"o/new": builds("a")}, {"o/new": "o/old"}, id="same-objects"),
        pytest.param({"o/old": builds("a", "b")}, {"o/new": builds("a")}, {"o/new": "o/old"}, id="half-of-them"),
        pytest.param({"o/old": builds("a", "b", "c")}, {"o/new": builds("a")}, {}, id="fewer"),
        pytest.param({"o/old": builds("a")}, {"o/new": builds("b")}, {}, id="other-objects"),
        pytest.param({"o/old": builds()}, {"o/new": builds()}, {}, id="nothing"),
        pytest.param(
            {"o/prod": builds("a", a="3"), "o/dev": builds("a", a="1")},
            {"x/1": builds("a", a="1"), "x/3": builds("a", a="3")},
            {"x/1": "o/dev", "x/3": "o/prod"},
            id="by-what-they-say",
        ),
        pytest.param(
            {"o/prod": builds("a"), "o/dev": builds("a")},
            {"o/production": builds("a"), "o/development": builds("a")},
            {"o/production": "o/prod", "o/development": "o/dev"},
            id="by-their-names",
        ),
        pytest.param({"o/x": builds("a")}, {"n/1": builds("a"), "n/2": builds("a")}, {}, id="two-fit"),
        pytest.param({"o/1": builds("a"), "o/2": builds("a")}, {"n/x": builds("a")}, {}, id="of-two"),
    ],
)
def test_moved(gone: dict[str, UnitContents], new: dict[str, UnitContents], expected: dict[str, str]) -> None:
    assert find_moved(gone, new) == expected


def test_of_very_many_only_equal_ones_are_found() -> None:
    gone = {f"o/{n}": builds("a", "b", a=str(n)) for n in range(300)}
    new = {f"x/{n}": builds("a", "b", a=str(n), b="changed" if n == 7 else "") for n in range(300)}
    assert find_moved(gone, new) == {f"x/{n}": f"o/{n}" for n in range(300) if n != 7}
