"""Measured work, in a process of its own: `python -m tests.gates.work WHAT... N` prints seconds of CPU time as JSON.

WHAT is `build` (text to text), `stages` (read documents to objects) or `load` (PyYAML with libyaml, the yardstick).
Collection is off, as in the command. Each process does each work once, so that nothing is known from before.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.benchmark import corpus


def read(text: str) -> Any:
    """The documents of one stream."""
    from tests.reading import read as read_paths

    return read_paths(("-",), lambda _most: text.encode())


def stages(documents: Any) -> Any:
    """What the pipeline makes of documents; the corpus has to build."""
    from kubectl_trainjob.model.stages import BuildOptions
    from tests import compiled

    built = compiled.build(documents, BuildOptions())
    if built.diagnostics or not built.objects:
        raise SystemExit(f"the corpus does not build: {built.diagnostics[:3]}")
    return built


def build(text: str) -> bytes:
    """What the command does between its input and its output."""
    from kubectl_trainjob.repository.output.render import joined, texts

    return b"".join(joined(texts(list(stages(read(text)).outputs), "yaml"), "yaml"))


def load(text: str) -> list[Any]:
    """The yardstick."""
    import yaml

    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def seconds(work: Callable[[Any], Any], argument: Any) -> float:
    """CPU time of one run."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    work(argument)
    return time.process_time() - start


def measure(what: list[str], count: int) -> dict[str, float]:
    """The seconds of each work, in the order asked for."""
    build("---\n".join(corpus.documents(7)))  # imports and schemas are start-up, not work
    load("a: 1")
    text = "---\n".join(corpus.documents(count))
    works: dict[str, tuple[Callable[[Any], Any], Any]] = {"build": (build, text), "load": (load, text)}
    if "stages" in what:
        works["stages"] = (stages, read(text))
    return {name: seconds(*works[name]) for name in what}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1:-1], int(sys.argv[-1]))))
