"""Pages in a real browser: headless Chromium says what it made of them, and complains of what their policy forbids."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.tools import require

_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr")
_WINDOW = 600  # pixels


class Shown(NamedTuple):
    """The document after scripts had time to run, and what the console says."""

    dom: str
    console: list[str]


def show(page: str, directory: Path, *flags: str) -> Shown:
    """What Chromium makes of a page's text."""
    run = _run(page, directory, *flags, "--dump-dom")
    return Shown(run.stdout, re.findall(r"CONSOLE.*", run.stderr))


def height(page: str, directory: Path, width: int) -> int:
    """How many pixels (of CSS) a page is high in a window of that width."""
    measured = page.replace("</body>", "<script>document.title = document.body.scrollHeight</script></body>")
    shown = show(measured, directory, f"--window-size={width},{_WINDOW}")
    return int(re.findall("<title>([0-9]+)</title>", shown.dom)[0])


def picture(page: str, directory: Path, width: int, height: int, scale: float) -> bytes:
    """A PNG of a page's first pixels (of CSS), each `scale` times as wide and as high."""
    path = directory / "page.png"
    size = (f"--window-size={width},{height}", f"--force-device-scale-factor={scale}", "--hide-scrollbars")
    drawn = ("--disable-lcd-text", "--run-all-compositor-stages-before-draw")  # else parts may be blank
    _run(page, directory, *size, *drawn, f"--screenshot={path}")
    return path.read_bytes()


def _run(page: str, directory: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    path = directory / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [require("chromium"), *_FLAGS, f"--user-data-dir={directory / 'profile'}", "--virtual-time-budget=2000"]
    run = subprocess.run([*command, *flags, path.as_uri()], capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr
    return run
