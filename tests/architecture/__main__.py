"""The sizes of the code, as a table: `python -m tests.architecture [FOLDER...]`, by default the whole package.

Lines are those of the file; a function's run from `def` to its end. The columns are those in which well-kept projects
agree: a median near 9 lines, nine tenths below 30.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.architecture.sizes import ROOT, arguments, functions, lines

_HEAD = "part", "modules", "lines", "module median / p90 / max", "functions", "function median / p90 / max", "> 50"


def row(folder: Path) -> list[str]:
    """The figures of all modules below a folder."""
    paths = sorted(folder.rglob("*.py"))
    modules = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
    found = [function for path in paths for function in functions(path)]
    sizes = sorted(map(lines, found))
    over = sum(size > 50 for size in sizes) / max(len(sizes), 1)
    assert all(arguments(function) <= 6 for function in found)
    name = str(folder.relative_to(ROOT)) if folder.is_relative_to(ROOT) else str(folder)
    return [
        name,
        str(len(modules)),
        f"{sum(modules):,}",
        _spread(modules),
        str(len(sizes)),
        _spread(sizes),
        f"{over:.1%}",
    ]


def _spread(sizes: Sequence[int]) -> str:
    at = (sizes[int(share * (len(sizes) - 1))] for share in (0.5, 0.9, 1)) if sizes else (0, 0, 0)
    return " / ".join(map(str, at))


def table(folders: Sequence[Path]) -> str:
    """The rows in Markdown."""
    rows = [list(_HEAD), ["---"] * len(_HEAD), *map(row, folders)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


if __name__ == "__main__":
    package = ROOT / "kubectl_trainjob"
    parts = sorted(path.parent for path in package.glob("*/__init__.py"))
    print(table([Path(name).resolve() for name in sys.argv[1:]] or [package, *parts]))
