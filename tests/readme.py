"""`python -m tests.readme` writes the tables of README that come from the code: what is supported, and the limits."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER, SUPPORTED_TARGETS, TRAINER_VERSIONS
from kubectl_trainjob.kube.facts.trainer import API_VERSION, KINDS
from kubectl_trainjob.model.limits import LIMITS, size

README = Path(__file__).parents[1] / "README.md"
_DATA = Path(__file__).parents[1] / "kubectl_trainjob" / "kube" / "schemas" / "data"

_WHAT = {
    "file_bytes": "one file",
    "build_bytes": "all files of a build",
    "output_bytes": "the result",
    "documents": "documents and List items of a build",
    "alias_nodes": "values that aliases repeat",
    "entries": "lines and commas of one document",
    "template_seconds": "CPU time of one template",
    "template_memory": "memory of one template",
    "template_bytes": "what one template renders",
    "overlay_edits": "images and, twice, labels and, 20 times, patches of overlays, for each object",
    "overlay_steps": "comparisons, copies and writes that overlays take",
    "patch_operations": "operations of one JSON 6902 patch",
    "patched_bytes": "what `copy` operations make of an object",
}


class _Kinds:
    """The packaged schemas of one Trainer."""

    def __init__(self, version: str) -> None:
        with gzip.open(_DATA / f"trainer-{version}.json.gz") as file:
            self._data = json.load(file)

    def fields(self, kind: str, *pointer: str) -> list[str]:
        """The names of the fields of a kind at `pointer`."""
        node = self._data["nodes"][self._data["kinds"][f"{API_VERSION}/{kind}"]["root"]]
        for name in pointer:
            node = self._data["nodes"][node["properties"][name]]
        return sorted(node["properties"])


def supported() -> Iterator[str]:
    """What can be built, for each Trainer."""
    yield "| Trainer | `mlPolicy` of a runtime | `podGroupPolicy` | a TrainJob's way to change the runtime's Pods |"
    yield "| --- | --- | --- | --- |"
    for version in TRAINER_VERSIONS:
        kinds = _Kinds(version)
        policies = [name for name in kinds.fields("ClusterTrainingRuntime", "spec", "mlPolicy") if name != "numNodes"]
        groups = kinds.fields("ClusterTrainingRuntime", "spec", "podGroupPolicy")
        changes = [name for name in kinds.fields("TrainJob", "spec") if name.endswith(("Overrides", "Patches"))]
        default = " (default)" if version == LATEST_TRAINER else ""
        kept = ", ".join([*policies, "none (plain)"])
        yield f"| {version}{default} | {kept} | {', '.join(groups)} | `{changes[0]}` |"
    others = ", ".join(
        f"{name} {', '.join(versions)}" for name, versions in SUPPORTED_TARGETS.items() if name != "trainer"
    )
    yield ""
    yield f"The kinds are {', '.join(KINDS)} of {API_VERSION}; the results are for {others}."


def limits() -> Iterator[str]:
    """Each limit, and its name in trainjob.yaml."""
    yield "| `limits` of trainjob.yaml | of what | default |"
    yield "| --- | --- | --- |"
    for each in fields(LIMITS):
        if each.name != "depth":
            yield f"| `{_camel(each.name)}` | {_WHAT[each.name]} | {_shown(each.name, getattr(LIMITS, each.name))} |"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _shown(name: str, value: Any) -> str:
    if name.endswith(("bytes", "memory")):
        return size(value)
    return f"{value} s" if name.endswith("seconds") else f"{value:,}".replace(",", " ")


TABLES = {"supported": supported, "limits": limits}


def written(text: str) -> str:
    """README with its tables as the code has them."""
    for name, rows in TABLES.items():
        table = "\n".join(("", *rows(), ""))
        before, start, rest = text.partition(f"<!-- {name} -->")
        _, end, after = rest.partition("<!-- end -->")
        text = before + start + table + end + after
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
