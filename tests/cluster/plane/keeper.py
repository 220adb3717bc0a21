"""The parent of a control plane's processes: when its input ends, they end too, and their folder is removed.

It runs apart from the tests, which may be killed in any way; the end of the pipe between them reaches it always.
Requests are JSON lines, each answered by one:

    {"start": NAME, "command": [...], "environment": {...}}     answers true; output goes to FOLDER/NAME.log
    {"stop": NAME}                                              answers true when the process is gone
    {"ended": NAME}                                             answers the exit code, null while it runs
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any


class Keeper:
    """Holds the processes by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def answer(self, request: dict[str, Any]) -> Any:
        """Do one request."""
        if "start" in request:
            return self.start(request["start"], request["command"], request["environment"])
        if "stop" in request:
            return self.stop(request["stop"])
        return self.processes[request["ended"]].poll()

    def start(self, name: str, command: list[str], environment: dict[str, str]) -> bool:
        """Start a process under a name."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, **environment},
            )
        return True

    def stop(self, name: str) -> bool:
        """Kill a process: nothing here has anything to save."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()
        return True


def main() -> None:
    """Serve until the input ends."""
    keeper = Keeper(Path(sys.argv[1]))
    try:
        for line in sys.stdin:
            print(json.dumps(keeper.answer(json.loads(line))), flush=True)
    finally:
        for name in reversed(list(keeper.processes)):
            keeper.stop(name)
        shutil.rmtree(keeper.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
