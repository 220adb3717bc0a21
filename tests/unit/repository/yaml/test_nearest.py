"""Nearest names."""

import pytest

from kubectl_trainjob.model import nearest as near
from kubectl_trainjob.model.nearest import nearest

_FIELDS = ["numNodes", "numProcPerNode", "image", "command", "args", "env", "resourcesPerNode"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("numNode", "numNodes", id="letter missing"),
        pytest.param("numnodes", "numNodes", id="case"),
        pytest.param("imgae", "image", id="neighbours swapped"),
        pytest.param("enw", "env", id="short"),
        pytest.param("resourcePerNodes", "resourcesPerNode", id="two edits"),
        pytest.param("volumes", None, id="nothing near"),
        pytest.param("x", None, id="one letter"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_nearest(word: str, expected: str | None) -> None:
    assert nearest(word, _FIELDS) == expected


def test_order_of_candidates_does_not_matter() -> None:
    assert nearest("bat", ["cat", "bar"]) == nearest("bat", ["bar", "cat"]) == "bar"


@pytest.mark.parametrize(
    ("word", "candidates"),
    [
        pytest.param("x" * 10_000, ["y" * 10_000], id="long"),
        pytest.param("a" * 200, [f"{'a' * 100}{'b' * 95}{i}" for i in range(10_000, 99_999)], id="many"),
    ],
)
def test_a_hint_costs_little(word: str, candidates: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    compared, distance = 0, near._distance

    def counted(left: str, right: str) -> int:
        nonlocal compared
        compared += len(left) * len(right)
        return distance(left, right)

    monkeypatch.setattr(near, "_distance", counted)
    nearest(word, candidates)
    assert compared <= 400_000
