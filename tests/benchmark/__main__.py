"""`python -m tests.benchmark [N...]`: build against `kubectl kustomize`, whole processes, in turn.

Both print the same objects (compared before anything is timed). Read the ratios: milliseconds are this machine's.
What the peer does besides: kustomize also resolves references between resources; it checks nothing of what we check.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from tests.benchmark import corpus
from tests.benchmark.kustomize import write_overlays
from tests.benchmark.measure import Cost, Program, in_turn, ratio
from tests.tools import require

OURS = "kubectl-trainjob build"
STYLES = ("merge", "json6902")
_HEAD = ("N", "program", "wall ms", "min", "CPU ms", "peak MiB", "ours / theirs")
_ROW = "{:>6}  {:<34} {:>9} {:>9} {:>9} {:>9} {:>14}"


def main() -> None:
    """Write the corpora, check that everybody prints the same, measure, print one table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[1, 100, 1000], metavar="N", help="numbers of TrainJobs")
    parser.add_argument("--runs", type=int, default=0, help="rounds a size (default: 9; 5 from 1000 jobs on)")
    options = parser.parse_args()
    print(_ROW.format(*_HEAD))
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            programs = prepare(Path(folder), size)
            costs = in_turn(programs, options.runs or (5 if size >= 1000 else 9))
        for name, theirs in costs.items():
            _print(size, name, theirs, costs[OURS])


def prepare(folder: Path, size: int) -> list[Program]:
    """Every program's input; the commands."""
    kubectl = require("kubectl")
    corpus.write_files(folder / "ours", size)
    build = [sys.executable, "-m", "kubectl_trainjob", "build", str(folder / "ours")]
    built = json.loads(_output([*build, "-o", "json"]))["items"]
    programs = [Program(OURS, build)]
    for style in STYLES:
        write_overlays(folder / style, built, style)
        program = Program(f"kubectl kustomize, {style} patches", [kubectl, "kustomize", str(folder / style)])
        printed = yaml.load_all(_output(program.command), Loader=yaml.CSafeLoader)
        if sorted(printed, key=_identity) != sorted(built, key=_identity):
            raise SystemExit(f"{program.name} prints other objects than {OURS}: nothing to compare")
        programs.append(program)
    return programs


def _output(command: Any) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _identity(body: dict[str, Any]) -> tuple[str, str, str]:
    metadata = body["metadata"]
    return body["kind"], metadata.get("namespace", ""), metadata["name"]


def _print(size: int, name: str, costs: list[Cost], ours: list[Cost]) -> None:
    wall = [cost.wall * 1000 for cost in costs]
    cpu = statistics.median(cost.cpu * 1000 for cost in costs)
    peak = statistics.median(cost.peak for cost in costs)
    share = "" if costs is ours else f"{ratio(ours, costs):.3f}"
    figures = (f"{statistics.median(wall):.0f}", f"{min(wall):.0f}", f"{cpu:.0f}", f"{peak:.0f}")
    print(_ROW.format(size, name, *figures, share), flush=True)


if __name__ == "__main__":
    main()
