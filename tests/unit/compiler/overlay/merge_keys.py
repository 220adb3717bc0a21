"""The lists that are merged by key, as packaged: kustomize's for core kinds, the CRDs' for Trainer and JobSet.

`python -m tests.unit.compiler.overlay.merge_keys` writes `data/merge_keys.json` of kube/facts (it needs Go).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import zlib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from kubectl_trainjob.kube.facts import merge_keys
from tests.tools import missing

FILE = Path(merge_keys.__file__).parent / "data" / "merge_keys.json"
Fields = dict[str, str]
Node = tuple[list[Any], int]

_PROGRAM = Path(__file__).parent / "kustomize_schema"
_CRDS = ("trainer-2.0", "trainer-2.1", "trainer-2.2", "trainer-2.3", "jobset-0.12")
_METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


class Types:
    """The distinct structs that have something to merge by key below them."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.fields: dict[str, Fields] = {}
        self._definitions = definitions
        self._names: dict[str, str] = {}
        self._open: dict[str, str] = {}

    def _add(self, name: str, fields: Fields) -> str:
        """What the struct is called, "" when there is nothing to merge below it."""
        if not fields:
            return ""
        known = self._names.setdefault(json.dumps(fields, sort_keys=True), name)
        self.fields[known] = fields
        return known

    def of_definition(self, name: str) -> str:
        """A struct of kustomize's OpenAPI data. One that contains itself has nothing to merge."""
        if name not in self._open:
            self._open[name] = ""
            properties = self._definitions.get(name, {}).get("properties", {})
            found = {key: self._of_property(schema) for key, schema in properties.items()}
            fields = {key: spelling for key, spelling in found.items() if spelling}
            short = "Object" if fields.keys() == {"metadata"} else ".".join(name.split(".")[-3:])
            self._open[name] = self._add(short, fields)
        return self._open[name]

    def _of_property(self, schema: Mapping[str, Any]) -> str:
        of = self.of_definition(_reference(schema)) if _reference(schema) else ""
        strategies = schema.get("x-kubernetes-patch-strategy", "").split(",")
        if schema.get("type") != "array" or "merge" not in strategies:
            return of
        one = schema.get("x-kubernetes-patch-merge-key")
        keys = schema.get("x-kubernetes-list-map-keys") or ([one] if one else [])
        below = self.of_definition(_reference(schema["items"])) if _reference(schema["items"]) else ""
        return f"[{','.join(keys)}]{below}"

    def of_crds(self, path: str, nodes: Iterable[Node]) -> str:
        """A struct of CRDs, of all releases together."""
        below: dict[str, list[Node]] = {}
        for schemas, index in nodes:
            for key, child in schemas[index].get("properties", {}).items():
                below.setdefault(key, []).append((schemas, child))
        found = {key: self._of_crd_property(f"{path}.{key}", children) for key, children in below.items()}
        return self._add(path, {key: spelling for key, spelling in found.items() if spelling})

    def _of_crd_property(self, path: str, nodes: list[Node]) -> str:
        if path.endswith(".metadata"):
            return self.of_definition(_METADATA)
        keys = {tuple(schemas[index].get("list-map-keys", ())) for schemas, index in nodes}
        assert len(keys) == 1, f"{path}: merged by {keys}"
        (by,) = keys
        if not by:
            return self.of_crds(path, nodes)
        return f"[{','.join(by)}]{self.of_crds(path, [(schemas, schemas[index]['items']) for schemas, index in nodes])}"


def _reference(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).removeprefix("#/definitions/")


def _definitions() -> dict[str, Any]:
    go = shutil.which("go")
    if go is None:
        missing("kustomize's OpenAPI data is printed by a Go program: install Go 1.26 or later")
        raise AssertionError
    printed = subprocess.run([go, "run", "."], cwd=_PROGRAM, stdout=subprocess.PIPE, check=True).stdout
    definitions: dict[str, Any] = json.loads(printed)
    return definitions


def _crds() -> dict[str, list[Node]]:
    """ "apiVersion kind" → the roots of its packaged schemas."""
    roots: dict[str, list[Node]] = {}
    for product in _CRDS:
        data = files("kubectl_trainjob.kube.schemas").joinpath("data", f"{product}.json.gz").read_bytes()
        schemas = json.loads(zlib.decompress(data, 31))
        for name, entry in schemas["kinds"].items():
            roots.setdefault(" ".join(name.rsplit("/", 1)), []).append((schemas["nodes"], entry["root"]))
    return roots


def kinds() -> list[str]:
    """The kinds in the packaged file, as "apiVersion kind"."""
    return list(json.loads(FILE.read_text(encoding="utf-8"))["kinds"])


def packaged() -> str:
    """The file's text: one struct or kind a line."""
    definitions = _definitions()
    types, kinds = Types(definitions), {}
    for name, definition in sorted(definitions.items()):
        for kind in definition.get("x-kubernetes-group-version-kind", ()):
            api_version = f"{kind['group']}/{kind['version']}".removeprefix("/")
            kinds[f"{api_version} {kind['kind']}"] = types.of_definition(name)
    for name, nodes in _crds().items():
        kinds[name] = types.of_crds(name.split(" ")[1], nodes)
    return f'{{"kinds":{_lines({name: of for name, of in kinds.items() if of})},"structs":{_lines(types.fields)}}}\n'


def _lines(entries: Mapping[str, Any]) -> str:
    texts = [
        f"{json.dumps(name)}:{json.dumps(entries[name], sort_keys=True, separators=(',', ':'))}"
        for name in sorted(entries)
    ]
    return "{\n" + "\n,".join(texts) + "}"


if __name__ == "__main__":
    FILE.write_text(packaged(), encoding="utf-8")
