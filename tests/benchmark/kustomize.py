"""The same objects as kustomize users keep them: an overlay folder a job over a base that is the runtime's JobSet.

Two ways to write a job's change: a merge patch (which has to repeat whole lists, since kustomize replaces the lists of
custom resources) and a JSON 6902 patch (paths with list indexes, written by nobody by choice, but the fastest).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_trainjob.repository.yaml.emit import Emitter
from tests.benchmark import corpus
from tests.benchmark.corpus import write

# A merge patch may change a name when an option allows it, never a namespace: that is what `namespace` is for.
_OVERLAY = """\
resources: [../../base/{runtime}{more}]
patches:
- path: patch.yaml
  target: {{kind: JobSet}}
  options: {{allowNameChange: true}}
namespace: {namespace}
"""


def write_overlays(folder: Path, built: list[dict[str, Any]], style: str) -> None:
    """Write `folder` so that `kubectl kustomize folder` prints `built`; `style` is "merge" or "json6902"."""
    emitter = Emitter()
    bases = {body["metadata"]["name"]: _base(body) for body in corpus.runtimes()}
    for name, base in bases.items():
        write(folder / "base" / name / "jobset.yaml", emitter.document(base))
        write(folder / "base" / name / "kustomization.yaml", "resources: [jobset.yaml]\n")
    names = []
    for number, objects in enumerate(corpus.by_job(built)):
        [jobset] = [body for body in objects if body["kind"] == "JobSet"]
        others = [body for body in objects if body["kind"] != "JobSet"]
        runtime, name = corpus.runtime_of(number), jobset["metadata"]["name"]
        overlay = folder / "jobs" / name
        if others:
            write(overlay / "others.yaml", "---\n".join(map(emitter.document, others)))
        more, namespace = ", others.yaml" if others else "", jobset["metadata"]["namespace"]
        write(overlay / "kustomization.yaml", _OVERLAY.format(runtime=runtime, more=more, namespace=namespace))
        write(overlay / "patch.yaml", _patch(emitter, bases[runtime], jobset, style))
        names.append(name)
    write(folder / "kustomization.yaml", "resources:\n" + "".join(f"- jobs/{name}\n" for name in names))


def _base(runtime: dict[str, Any]) -> dict[str, Any]:
    spec = runtime["spec"]["template"]["spec"]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "job"}, "spec": spec}


def _patch(emitter: Emitter, base: dict[str, Any], jobset: dict[str, Any], style: str) -> str:
    if style == "merge":
        return emitter.document(jobset)
    return emitter.document({"patch": [*_operations(base, jobset, "")]}).removeprefix("patch:\n")


def _operations(old: Any, new: Any, path: str) -> Iterator[dict[str, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from ({"op": "remove", "path": f"{path}/{_escaped(key)}"} for key in old if key not in new)
        for key, value in new.items():
            if key in old:
                yield from _operations(old[key], value, f"{path}/{_escaped(key)}")
            else:
                yield {"op": "add", "path": f"{path}/{_escaped(key)}", "value": value}
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _operations(before, after, f"{path}/{index}")
    elif old != new:
        yield {"op": "replace", "path": path, "value": new}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
