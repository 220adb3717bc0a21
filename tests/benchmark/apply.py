"""`python -m tests.benchmark.apply [N]`: applies N jobs to a real control plane, twice, and changes a tenth of them.

Needs the programs of tests/cluster/build. Each apply is a whole process; the time includes the build.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.cluster.apply.inputs import Object, config, job, write
from tests.cluster.plane.plane import Plane

_LINE = "{:<34} {:>6} {:>8} {:>6} {:>8} {:>8}"


def main() -> None:
    """Write the files, start the control plane, measure, print one table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name, Plane("jobset-manager") as plane:
        folder = Path(name)
        jobs = [job(f"job-{number}") for number in range(count)]
        print(_LINE.format(f"{count} jobs, {count} ConfigMaps", "reads", "dry runs", "writes", "requests", "seconds"))
        versions = (
            ("first apply", _files(jobs, lambda _: "1")),
            ("second apply, nothing changed", _files(jobs, lambda _: "1")),
            ("every tenth ConfigMap changed", _files(jobs, lambda number: "2" if number % 10 == 0 else "1")),
        )
        for title, files in versions:
            write(folder, files)
            print(_LINE.format(title, *_apply(folder, plane)))


def _files(jobs: Sequence[Object], value: Callable[[int], str]) -> list[Object]:
    return [*jobs, *(config(f"c-{number}", value(number)) for number in range(len(jobs)))]


def _apply(folder: Path, plane: Plane) -> tuple[int, int, int, int, str]:
    command = [sys.executable, "-m", "kubectl_trainjob", "apply", "-o", "json"]
    environment = {**os.environ, "KUBECONFIG": str(plane.kubeconfig)}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    counts = json.loads(done.stdout)["requests"]
    figures = counts["read"], counts["dryRun"], counts["write"]
    return *figures, sum(figures), f"{seconds:.1f}"


if __name__ == "__main__":
    main()
