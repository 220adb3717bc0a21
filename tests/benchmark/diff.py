"""`python -m tests.benchmark.diff [N]`: `diff` and `review` of N TrainJobs of which 20 changed, beside `build` of them.

Whole processes in turn; read the ratios. The aim is 1.5 of one build.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmark import corpus
from tests.benchmark.measure import Program, in_turn, ratio

CHANGED = 20
AIM = 1.5
_OURS = f"{sys.executable} -m kubectl_trainjob"
_LINE = "{:<28} {:>8} {:>8} {:>8} {:>9}  {}"


def main() -> None:
    """Write both sides, measure, print one table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        old, new = Path(name, "old"), Path(name, "new")
        for side in (old, new):
            corpus.write_files(side, count)
        _git(new, "init", "--quiet")
        _git(new, "add", "--all")
        _git(new, "commit", "--quiet", "--message=before")
        for file in sorted((new / "jobs").rglob("*.yaml"))[:CHANGED]:
            file.write_text(file.read_text().replace("numNodes: ", "numNodes: 1"))
        programs = [
            _program("build", f"{_OURS} build"),
            _program("diff HEAD", f"{_OURS} diff HEAD"),
            _program("diff HEAD -o json", f"{_OURS} diff HEAD -o json"),
            _program("diff HEAD -o html", f"{_OURS} diff HEAD -o html"),
            _program("diff OLD_DIR NEW_DIR", f"{_OURS} diff {old} {new}"),
            _program("review HEAD -o markdown", f"{_OURS} review HEAD -o markdown"),
        ]
        programs = [Program(each.name, (*each.command, str(new))) for each in programs]
        costs = in_turn(programs, 9)
    build = costs[programs[0]]
    print(_LINE.format(f"{count} TrainJobs", "wall ms", "min", "CPU ms", "peak MiB", "of a build"))
    for program, runs in costs.items():
        wall = [cost.wall * 1000 for cost in runs]
        figures = (statistics.median(wall), min(wall), statistics.median(cost.cpu * 1000 for cost in runs))
        share = "" if runs is build else f"{ratio(runs, build):.2f}"
        peak = statistics.median(cost.peak for cost in runs)
        print(_LINE.format(program.name, *(f"{figure:.0f}" for figure in (*figures, peak)), share).rstrip())
    print(f"aim of diff: <= {AIM}")


def _program(name: str, command: str) -> Program:
    """A command in the directory that follows as an argument; that something differs is no failure."""
    return Program(name, ("sh", "-c", f'cd "$0" && {command} > /dev/null 2>&1; test $? -le 1'))


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@example.com", *arguments], cwd=folder, check=True)


if __name__ == "__main__":
    main()
