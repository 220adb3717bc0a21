"""The whole command's peak resident memory."""

import sys

import pytest

from tests.benchmark import corpus
from tests.benchmark.measure import once

pytestmark = [pytest.mark.gate, pytest.mark.slow]


@pytest.mark.parametrize(("jobs", "most"), [(1, 40), (1000, 60), (10_000, 156)])
def test_peak_memory(jobs, most, tmp_path, note_figure):
    for count in (1, jobs):  # the first one compiles: that is not what is measured
        corpus.write_stream(tmp_path / "jobs.yaml", count)
        peak = once([sys.executable, "-m", "kubectl_trainjob", "build", str(tmp_path / "jobs.yaml")]).peak
    note_figure(f"peak memory of {jobs} jobs: {peak:.0f} MiB (at most {most})")
    assert peak <= most
