"""Reads standard input as a build would, with little processor time to spend, and prints what it found as JSON."""

import json
import resource
import sys

from kubectl_trainjob.repository.positions import Locator
from tests.reading import read

_SECONDS = 10  # a bomb that goes off takes minutes


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    before = _peak()
    data = sys.stdin.buffer.read()
    documents = read(["-"], lambda _most: data)
    locator = Locator()
    found = [
        (d.rule.id, d.message, locator.resolve(d.place).span.line, locator.resolve(d.place).span.column)
        for d in documents.diagnostics[:1000]
    ]
    print(json.dumps({"found": found, "mebibytes": (_peak() - before) / 1024}))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
