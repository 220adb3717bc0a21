"""How long a build takes, measured without a clock of its own: relative to other work of the same process or size."""

import math
from collections.abc import Callable

import pytest

from tests.gates.conftest import work

pytestmark = [pytest.mark.gate, pytest.mark.slow]


def _ratio(measure: Callable[[int], tuple[float, float]], rounds: int, most: float) -> float:
    """The least time of one work, relative to that of another. Noise only adds: where it is too much, measure more."""
    least, number = (math.inf, math.inf), 0
    while number < rounds or (least[0] > most * least[1] and number < 3 * rounds):
        one, other = measure(number)
        least, number = (min(one, least[0]), min(other, least[1])), number + 1
    return least[0] / least[1]


def test_a_thousand_jobs_cost_a_small_multiple_of_loading_them_with_pyyaml(note_figure):
    def measure(number: int) -> tuple[float, float]:
        found = work("tests.gates.work", *(("build", "load"), ("load", "build"))[number % 2], "1000")
        return found["build"], found["load"]

    # Reading, admitting, expanding, admitting again and writing, for not much more than what PyYAML needs to load.
    ratio = _ratio(measure, 6, 3)
    note_figure(f"build of 1000 jobs / PyYAML's C loader: {ratio:.2f}")
    assert ratio <= 3


def test_time_grows_with_the_number_of_jobs(note_figure):
    def measure(_: int) -> tuple[float, float]:
        small, large = (work("tests.gates.work", "build", count)["build"] for count in ("1000", "4000"))
        return large, small

    ratio = _ratio(measure, 3, 4.6)
    note_figure(f"build of 4000 jobs / of 1000 jobs: {ratio:.2f}")
    assert ratio <= 4.6


def test_a_recorder_that_is_off_costs_nothing_to_speak_of(note_figure):
    def measure(_: int) -> tuple[float, float]:
        without = work("tests.gates.unrecorded", "1000")
        assert without["causes"] > 20
        assert without["branches"] > 4
        return work("tests.gates.work", "stages", "1000")["stages"], without["stages"]

    ratio = _ratio(measure, 7, 1.10)
    note_figure(f"stages with the recorder off / without a recorder: {ratio:.3f}")
    assert ratio <= 1.10
