"""What each program costs, ours beside it, and whether that is what we aim at."""

import math
import statistics
from collections.abc import Mapping, Sequence

from tests.benchmark.measure import Cost, Program, ratio

# What we aim at: ours / theirs, by peer and size; our peak in MiB, by size; the largest p in t ~ N^p from 1000 jobs on.
RATIOS = {"kustomize": {1: 1.0, 100: 1 / 4, 1000: 1 / 15}, "helm": {1000: 1 / 2.5}}
PEAKS = {1: 40, 1000: 60, 10_000: 150}
GROWTH = math.log(4.6) / math.log(4)

_LINE = "{:>6}  {:<36} {:>8} {:>8} {:>8} {:>9}  {:<15}  {}"
_HEAD = ("N", "program", "wall ms", "min", "CPU ms", "peak MiB", "ours / theirs", "aim")


class Table:
    """Prints a size's lines as soon as they are known. The first program is ours, which the ratios are about."""

    def __init__(self) -> None:
        self._ours: dict[int, float] = {}
        print(_LINE.format(*_HEAD))

    def add(self, size: int, costs: Mapping[Program, Sequence[Cost]]) -> None:
        """One size: every program that was measured."""
        ours = next(iter(costs.values()))
        self._ours[size] = statistics.median(cost.wall for cost in ours)
        for program, theirs in costs.items():
            wall = [cost.wall * 1000 for cost in theirs]
            cpu = statistics.median(cost.cpu * 1000 for cost in theirs)
            peak = statistics.median(cost.peak for cost in theirs)
            share = None if theirs is ours else ratio(ours, theirs)
            aim = RATIOS[program.peer].get(size) if program.peer else PEAKS.get(size)
            verdict = _verdict(share, aim) if program.peer else _verdict(peak, aim, " MiB")
            figures = (f"{figure:.0f}" for figure in (statistics.median(wall), min(wall), cpu, peak))
            print(_LINE.format(size, program.name, *figures, _share(share), verdict).rstrip(), flush=True)

    def add_slow(self, size: int, program: Program, limit: float) -> None:
        """A program that was given up after `limit` seconds: its ratio is smaller than what can be measured."""
        share = self._ours[size] / limit
        verdict = _verdict(share, RATIOS.get(program.peer, {}).get(size)).replace("MISSED", "not known")
        wall = f"> {limit * 1000:.0f}"
        print(_LINE.format(size, program.name, wall, "", "", "", "< " + _share(share), verdict).rstrip(), flush=True)

    def end(self) -> None:
        """How the time of ours grows with the number of jobs, where that is more than starting up."""
        large = [(size, wall) for size, wall in sorted(self._ours.items()) if size >= 1000]
        if len(large) > 1:
            (few, less), *_, (many, more) = large
            power = math.log(more / less) / math.log(many / few)
            print(f"ours from {few} to {many} jobs: t ~ N^{power:.2f}, aim {_verdict(power, GROWTH)}")


def _share(share: float | None) -> str:
    if share is None:
        return ""
    return f"{share:.2f}" if share > 0.5 else f"{share:.3f} (1/{1 / share:.1f})"


def _verdict(figure: float | None, aim: float | None, unit: str = "") -> str:
    if figure is None or aim is None:
        return ""
    return f"<= {aim:.3g}{unit}: {'met' if figure <= aim else 'MISSED'}"
