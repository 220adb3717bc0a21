"""How long a build takes, measured without a clock of its own: relative to other work of the same process or size."""

import statistics

import pytest

from tests.gates.conftest import work

pytestmark = [pytest.mark.gate, pytest.mark.slow]


def test_a_thousand_jobs_cost_a_small_multiple_of_loading_them_with_pyyaml(note_figure):
    rounds = [work("tests.gates.work", *order, "1000") for order in [("build", "load"), ("load", "build")] * 3]
    ratios = sorted(each["build"] / each["load"] for each in rounds)
    note_figure(
        f"build of 1000 jobs / PyYAML's C loader: {statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"
    )
    # Reading, admitting, expanding, admitting again and writing, for not much more than what PyYAML needs to load.
    assert statistics.median(ratios) <= 3


def test_time_grows_with_the_number_of_jobs(note_figure):
    rounds = [(work("tests.gates.work", "build", "1000"), work("tests.gates.work", "build", "4000")) for _ in range(3)]
    ratio = min(large["build"] for _, large in rounds) / min(small["build"] for small, _ in rounds)
    note_figure(f"build of 4000 jobs / of 1000 jobs: {ratio:.2f}")
    assert ratio <= 4.6


def test_a_recorder_that_is_off_costs_nothing_to_speak_of(note_figure):
    ratios = []
    for _ in range(7):
        without = work("tests.gates.unrecorded", "1000")
        assert without["causes"] > 20
        assert without["branches"] > 4
        ratios.append(work("tests.gates.work", "stages", "1000")["stages"] / without["stages"])
    middle, spread = statistics.median(ratios), f"{min(ratios):.3f}-{max(ratios):.3f}"
    note_figure(f"stages with the recorder off / without a recorder: {middle:.3f} ({spread})")
    assert middle <= 1.10
