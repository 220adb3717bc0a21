"""Renders the bombs that are named, in one process as a build would, and prints what came of each as JSON."""

import json
import os
import resource
import sys
import time

from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.positions import Locator
from tests.hostile.templates import BOMBS, CONTEXT, SLOW_BOMBS
from tests.reading import Renderer


def main() -> None:
    with Renderer() as renderer:
        renderer.render(SourceFile("first", "a"), {})
        before = _peak()
        results = {name: _rendered(renderer, name) for name in sys.argv[1:]}
        grown = _peak() - before
    print(json.dumps({"results": results, "mebibytes": grown / 1024, "is_reaped": _has_no_child()}))


def _rendered(renderer: Renderer, name: str) -> dict[str, object]:
    template = SourceFile("jobs/bomb.yaml.j2", "a: 1\n\n" + (BOMBS | SLOW_BOMBS)[name][0])
    start = time.monotonic()
    made = renderer.render(template, CONTEXT)
    seconds = time.monotonic() - start
    if isinstance(made, SourceFile):
        return {"rule": None, "seconds": seconds, "bytes": len(made.text.encode())}
    return {
        "rule": made.rule.id,
        "seconds": seconds,
        "message": made.message,
        "line": Locator().resolve(made.place).span.line,
    }


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
