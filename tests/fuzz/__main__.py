"""`python -m tests.fuzz --minutes 60 [--seed N]`: inputs one after the other, and a file in tests/fuzz/found for each
error of the program. `tests/fuzz/test_fuzz.py` runs two minutes of it, and every file that was found."""

from __future__ import annotations

import argparse
import itertools
import math
import time
from pathlib import Path

from tests.fuzz.inputs import draw
from tests.fuzz.run import error_of

FOUND = Path(__file__).parent / "found"


def fuzz(seed: int, seconds: float, most: float = math.inf) -> tuple[int, dict[int, str]]:
    """How many inputs ran, and the errors by the seeds of their inputs, which are saved."""
    errors: dict[int, str] = {}
    end = time.monotonic() + seconds
    for number in itertools.count(seed):
        if time.monotonic() > end or number - seed >= most:
            return number - seed, errors
        case = draw(number)
        if error := error_of(case):
            errors[number] = error
            (FOUND / f"{number}.json").write_text(case.to_json())
            print(f"{number}: {' '.join(case.command)}: {error}", flush=True)
    raise AssertionError


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    count, errors = fuzz(options.seed, 60 * options.minutes)
    print(f"{count} inputs from seed {options.seed}: {len(errors)} errors of the program, saved in {FOUND}")


if __name__ == "__main__":
    main()
