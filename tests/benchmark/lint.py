"""`python -m tests.benchmark.lint [N]`: `lint` of N TrainJobs beside `build` of the same files.

Whole processes in turn; read the ratios. The aim is 2 of one build.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from tests.benchmark import corpus
from tests.benchmark.measure import Program, in_turn, ratio

AIM = 2.0
_OURS = f"{sys.executable} -m kubectl_trainjob"
_LINE = "{:<28} {:>8} {:>8} {:>8} {:>9}  {}"


def main() -> None:
    """Write the files, measure, print one table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.write_files(folder, count)
        programs = [
            _program("build", f"{_OURS} build", folder),
            _program("lint", f"{_OURS} lint", folder),
            _program("lint -o json", f"{_OURS} lint -o json", folder),
            _program("lint -o sarif", f"{_OURS} lint -o sarif", folder),
        ]
        costs = in_turn(programs, 9)
    build = costs[programs[0]]
    print(_LINE.format(f"{count} TrainJobs", "wall ms", "min", "CPU ms", "peak MiB", "of a build"))
    for program, runs in costs.items():
        wall = [cost.wall * 1000 for cost in runs]
        figures = (statistics.median(wall), min(wall), statistics.median(cost.cpu * 1000 for cost in runs))
        share = "" if runs is build else f"{ratio(runs, build):.2f}"
        peak = statistics.median(cost.peak for cost in runs)
        print(_LINE.format(program.name, *(f"{figure:.0f}" for figure in (*figures, peak)), share).rstrip())
    print(f"aim of lint: <= {AIM}")


def _program(name: str, command: str, folder: Path) -> Program:
    """A command in the directory; that something is found is no failure."""
    return Program(name, ("sh", "-c", f'cd "$0" && {command} > /dev/null 2>&1; test $? -le 1', str(folder)))


if __name__ == "__main__":
    main()
