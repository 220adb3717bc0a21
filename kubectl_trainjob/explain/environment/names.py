"""Lines with host names in ranges."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.kube.launch.replicated_jobs import is_index


def in_ranges(lines: list[str]) -> Iterator[str]:
    """Lines whose host names end in consecutive numbers, joined to one line: `a-[0-3].a`."""
    run: list[tuple[str, int, str]] = []
    for line in lines:
        parts = _numbered(line)
        if run and (parts is None or parts != (run[-1][0], run[-1][1] + 1, run[-1][2])):
            yield _shown(run)
            run = []
        if parts is None:
            yield line
        else:
            run.append(parts)
    if run:
        yield _shown(run)


def _numbered(line: str) -> tuple[str, int, str] | None:
    """The number at the end of a line's host name, with the text before and after it."""
    host, dot, rest = line.partition(".")
    stem, dash, number = host.rpartition("-")
    return (stem + dash, int(number), dot + rest) if dash and is_index(number, 1 << 31) else None


def _shown(run: list[tuple[str, int, str]]) -> str:
    before, first, after = run[0]
    last = run[-1][1]
    return f"{before}{first}{after}" if first == last else f"{before}[{first}-{last}]{after}"
