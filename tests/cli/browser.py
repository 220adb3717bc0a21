"""Pages in a real browser: headless Chromium says what it made of them, and complains of what their policy forbids."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.tools import require

_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr")


class Shown(NamedTuple):
    """The document after scripts had time to run, and what the console says."""

    dom: str
    console: list[str]


def show(page: str, directory: Path, *flags: str) -> Shown:
    """What Chromium makes of a page's text."""
    path = directory / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [require("chromium"), *_FLAGS, f"--user-data-dir={directory / 'profile'}", "--virtual-time-budget=2000"]
    run = subprocess.run(
        [*command, *flags, "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    return Shown(run.stdout, re.findall(r"CONSOLE.*", run.stderr))
