"""Work that gates measure, in processes of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def python(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run this Python in the checkout; it has to succeed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        input=stdin,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def work(*what: str) -> dict[str, float]:
    """Seconds of CPU time that the works take in a process of their own."""
    figures: dict[str, float] = json.loads(python("-m", *what).stdout)
    return figures
