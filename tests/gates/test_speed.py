"""How long a build takes, measured without a clock of its own: relative to other work of the same process or size."""

import statistics
from collections.abc import Callable

import pytest

from tests.gates.conftest import work

pytestmark = [pytest.mark.gate, pytest.mark.slow]


def _ratios(measure: Callable[[int], float], rounds: int, most: float) -> list[float]:
    """Sorted ratios of some rounds, or of three times as many where the median is too much: it may be noise."""
    found: list[float] = []
    while len(found) < rounds or (len(found) < 3 * rounds and statistics.median(found) > most):
        found.append(measure(len(found)))
    return sorted(found)


def test_a_thousand_jobs_cost_a_small_multiple_of_loading_them_with_pyyaml(note_figure):
    pairs = (("build", "load"), ("load", "build"))
    rounds = [work("tests.gates.work", *pairs[number % 2], "1000") for number in range(10)]
    # The least of each, because other work on the machine only adds to a time.
    ratio = min(each["build"] for each in rounds) / min(each["load"] for each in rounds)
    spread = sorted(each["build"] / each["load"] for each in rounds)
    note_figure(f"build of 1000 jobs / PyYAML's C loader: {ratio:.2f} ({spread[0]:.2f}-{spread[-1]:.2f})")
    # Reading, admitting, expanding, admitting again and writing, for not much more than what PyYAML needs to load.
    assert ratio <= 3


def test_time_grows_with_the_number_of_jobs(note_figure):
    rounds = [(work("tests.gates.work", "build", "1000"), work("tests.gates.work", "build", "4000")) for _ in range(3)]
    ratio = min(large["build"] for _, large in rounds) / min(small["build"] for small, _ in rounds)
    note_figure(f"build of 4000 jobs / of 1000 jobs: {ratio:.2f}")
    assert ratio <= 4.6


def test_a_recorder_that_is_off_costs_nothing_to_speak_of(note_figure):
    def measure(_: int) -> float:
        without = work("tests.gates.unrecorded", "1000")
        assert without["causes"] > 20
        assert without["branches"] > 4
        return work("tests.gates.work", "stages", "1000")["stages"] / without["stages"]

    ratios = _ratios(measure, 7, 1.10)
    middle, spread = statistics.median(ratios), f"{min(ratios):.3f}-{max(ratios):.3f}"
    note_figure(f"stages with the recorder off / without a recorder: {middle:.3f} ({spread})")
    assert middle <= 1.10
