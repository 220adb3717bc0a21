"""Nothing outlives a run, not even one that is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

# A run: starts the keeper, has it start a process, prints that process's id, and would go on for ever.
_RUN = """
import json, subprocess, sys, time
keeper = subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          start_new_session=True)
def ask(**request):
    keeper.stdin.write(json.dumps(request) + "\\n")
    keeper.stdin.flush()
    return json.loads(keeper.stdout.readline())
tell = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
ask(start="sleeper", command=[sys.executable, "-c", tell], environment={})
print(ask(ended="sleeper"), flush=True)
time.sleep(600)
"""
_KEEPER = Path(__file__).parent / "plane/keeper.py"


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_processes_and_folder_go_with_the_run(end: str, tmp_path: Path) -> None:
    folder = tmp_path / "plane"
    folder.mkdir()
    run = subprocess.Popen([sys.executable, "-c", _RUN, str(_KEEPER), str(folder)], stdout=subprocess.PIPE, text=True)
    assert run.stdout
    assert run.stdout.readline() == "None\n"
    log = folder / "sleeper.log"
    _wait(lambda: log.exists() and log.read_text().strip())
    pid = int(log.read_text())
    assert _is_alive(pid)

    getattr(run, end)()
    run.wait()
    _wait(lambda: not folder.exists())
    assert not _is_alive(pid)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wait(ready, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.05)
