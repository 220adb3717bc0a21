"""`python -m kubectl_trainjob` and the console script `kubectl-trainjob`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; returns the exit code (0 fine, 1 the user's files, 2 failed, 130 interrupted)."""
    try:
        from kubectl_trainjob.cli.app import run

        return run(sys.argv[0], sys.argv[1:])
    except KeyboardInterrupt:  # while the imports are still running
        return 130


def _leave_directory() -> None:
    """Import nothing from the current directory: `python -m` puts it first, and it may be a stranger's repository."""
    if not sys.flags.safe_path:
        del sys.path[0]


if __name__ == "__main__":
    _leave_directory()
    sys.exit(main())
