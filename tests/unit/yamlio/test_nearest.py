"""Nearest names."""

import pytest

from kubectl_trainjob.yamlio.nearest import nearest

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
