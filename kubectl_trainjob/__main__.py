"""`python -m kubectl_trainjob` and the console script `kubectl-trainjob`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; returns the exit code (0 fine, 1 the user's files, 2 could not run, 130 interrupted)."""
    try:
        from kubectl_trainjob.cli.app import run

        return run(sys.argv[0], sys.argv[1:])
    except KeyboardInterrupt:  # while the imports are still running
        return 130


if __name__ == "__main__":
    sys.exit(main())
