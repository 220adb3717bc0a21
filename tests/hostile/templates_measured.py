"""Renders the bombs that are named, in one process as a build would, and prints what came of each as JSON."""

import json
import os
import resource
import sys
from pathlib import Path

from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.templates import render
from tests.hostile.templates import BOMBS, CONTEXT, SLOW_BOMBS
from tests.reading import Renderer


def main() -> None:
    render._PATIENCE = 1000  # only processor time counts, also on a busy machine
    with Renderer() as renderer:
        renderer.render(SourceFile("first", "a"), {})
        before = _peak()
        results = {name: _rendered(renderer, name) for name in sys.argv[1:]}
        grown = _peak() - before
    print(json.dumps({"results": results, "mebibytes": grown / 1024, "is_reaped": _has_no_child()}))


def _rendered(renderer: Renderer, name: str) -> dict[str, object]:
    template = SourceFile("jobs/bomb.yaml.j2", "a: 1\n\n" + (BOMBS | SLOW_BOMBS)[name][0])
    before = _spent(renderer)
    made = renderer.render(template, CONTEXT)
    seconds = _spent(renderer) - before
    if isinstance(made, SourceFile):
        return {"rule": None, "seconds": seconds, "bytes": len(made.text.encode())}
    return {
        "rule": made.rule.id,
        "seconds": seconds,
        "message": made.message,
        "line": Locator().resolve(made.place).span.line,
    }


def _spent(renderer: Renderer) -> float:
    """Processor time of all children: those that have ended, and the one that renders, with its own."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = []
    if renderer._process is not None:
        stat = Path(f"/proc/{renderer._process._child.pid}/stat").read_text()
        ticks = stat.rpartition(")")[2].split()[11:15]  # utime, stime, cutime, cstime
    return ended.ru_utime + ended.ru_stime + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _has_no_child() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


if __name__ == "__main__":
    main()
