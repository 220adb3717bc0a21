"""Repositories with an error: a value of another type at any pointer, or other bytes."""

# ruff: noqa: E501  # tables: a line for each entry

from __future__ import annotations

import contextlib
import copy
import json
import lzma
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.cli.manifests import PLAIN, config, manifest, overlay, train_job
from tests.conformance.ome.cases import cases

_CASES = Path(__file__).parents[1] / "conformance" / "cases" / "2.3.jsonl.xz"
_FORMS = {
    "lint": ("human", "json", "sarif", "github", "junit", "gitlab", "markdown", "html"),
    "review": ("text", "json", "sarif", "github", "junit", "gitlab", "markdown", "html"),
    "diff": ("text", "markdown", "json", "html"),
    "explain": ("text", "markdown", "json", "html"),
    "env": ("text", "markdown", "json", "html"),
}


class Input(NamedTuple):
    """A command, and the files of the current directory."""

    command: tuple[str, ...]
    files: dict[str, bytes]

    def to_json(self) -> str:
        files = {path: content.decode("latin-1") for path, content in self.files.items()}
        return json.dumps({"command": self.command, "files": files}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Input:
        read = json.loads(text)
        return cls(tuple(read["command"]), {path: each.encode("latin-1") for path, each in read["files"].items()})


def draw(seed: int) -> Input:
    """The same input for the same seed."""
    chance = random.Random(seed)
    while True:
        with contextlib.suppress(RecursionError, ValueError):  # too deep to be changed again, or to be written
            return _drawn(chance)


def _drawn(chance: random.Random) -> Input:
    bodies = copy.deepcopy(_repository(chance))
    files = {path: _text(documents) for path, documents in bodies.items()}
    old = {path: text.encode() for path, text in files.items()}
    target = chance.choice(sorted(bodies))
    for _ in range(chance.choice((1, 1, 2, 5))):
        _change_value(bodies[target], chance)
    new = {**old, target: _text(bodies[target]).encode("utf-8", "surrogatepass")}
    if chance.random() < 0.3:
        new[target] = _other_bytes(new[target], chance)
    return _command(old, new, chance)


def _command(old: dict[str, bytes], new: dict[str, bytes], chance: random.Random) -> Input:
    name = chance.choice(("build", "build", "lint", "lint", "diff", "review", "explain", "env", "migrate"))
    form = ("-o", chance.choice(_FORMS[name])) if name in _FORMS else ()
    if name in ("diff", "review"):
        sides = [("old", old), ("new", new)][:: chance.choice((1, -1))]
        both = {f"{side}/{path}": each for (side, _), (_, files) in zip((("old", 0), ("new", 0)), sides, strict=True)
                for path, each in files.items()}  # fmt: skip
        return Input((name, "old", "new", *form, *(["--why"] if name == "diff" else [])), both)
    where = chance.choice((".", "o"))
    more = {
        "build": (where,),
        "lint": chance.choice(((where,), (".", "--fix", "--diff"))),
        "explain": ("-f", where, chance.choice(("JobSet/j", "TrainJob/j", "ConfigMap/c"))),
        "env": ("-f", where, "TrainJob/j"),
        "migrate": (".", "--diff"),
    }[name]
    return Input((name, *more, *(() if "--fix" in more else form)), new)


def _repository(chance: random.Random) -> dict[str, list[Any]]:
    """Documents by file: a job and a runtime with every field, their overlay with every setting, a configuration."""
    job, *others = _typed(chance)
    name = job["metadata"]["name"]
    patch = {"apiVersion": job["apiVersion"], "kind": "TrainJob", "metadata": {"name": name}}
    patch["spec"] = {"trainer": {"numNodes": 3, "env": [{"name": "A", "value": "b"}]}}
    selector = {"kind": "TrainJob", "name": "j.*", "labelSelector": "a in (b), !c"}
    settings = overlay(
        "../jobs.yaml",
        "../runtime.yaml",
        "../ome.yaml",
        "t.yaml.j2",
        namespace="n",
        nameSuffix="-prod",
        nameHash=True,
        labels=[{"pairs": {"a": "b"}, "includeTemplates": True}],
        annotations={"a": "b"},
        images=[{"name": "a", "newName": "b", "newTag": "1"}, {"name": "c", "digest": "sha256:" + "0" * 64}],
        values={"rates": [0.1, 1], "m": {"k": "v"}},
        patches=[
            {"patch": patch},
            {"target": selector, "patch": [{"op": "add", "path": "/metadata/labels/x", "value": "1"}]},
            {"path": "p.yaml"},
        ],
    )
    setup = config(
        target={"trainer": "2.3"},
        deploy=["o", "jobs.yaml"],
        runtimes=["runtimes"],
        allow={"elastic": True, "extendedMpi": True},
        ome={"initializers": {"oci": "a/get:1"}, "exporters": {"oci": "a/put:1"}, "output": {"claimName": "work"}},
        tuning={"maxTrials": 20},
        ignore=["x/**"],
        limits={"documents": 500},
        lint={"ignore": ["KTJ901"], "severity": {"KTJ902": "info"}, "perPath": {"jobs/**": {"ignore": ["KTJ903"]}}},
    )
    replica = {
        "replicas": 2,
        "template": {"spec": {"containers": [{"name": "pytorch", "image": "a:1", "args": ["x"]}]}},
    }
    older = manifest("PyTorchJob", "older", "", "kubeflow.org/v1", spec={"pytorchReplicaSpecs": {"Worker": replica}})
    return {
        "jobs.yaml": [job, train_job("j", "plain", trainer={"env": [{"name": "A_TOKEN", "value": "x"}]}), older],
        "runtime.yaml": [*others, PLAIN],
        "ome.yaml": list(yaml.safe_load_all(chance.choice(_ome()))),
        "o/overlay.yaml": settings,
        "o/p.yaml": [{**patch, "spec": {"suspend": True}}],
        "o/t.yaml.j2": [manifest("ConfigMap", "c", data={"a": "{{ values.m.k }}", "b": "{% for x in values.rates %}{{ x }}{% endfor %}"})],
        "trainjob.yaml": setup,
    }  # fmt: skip


@cache
def _cases() -> list[str]:
    with lzma.open(_CASES, "rt") as lines:
        return [each["input"] for each in map(json.loads, lines) if each["group"] == "typed" or "typed" in each["name"]]


@cache
def _ome() -> list[str]:
    """Complete examples of OME's documentation: models, runtimes and a TrainingJob, some with a search."""
    return [each.docs for name, each in cases().items() if name.startswith("seed/")]


def _typed(chance: random.Random) -> list[Any]:
    """A TrainJob whose fields are filled at random, then its runtime."""
    documents = list(yaml.load_all(chance.choice(_cases()), Loader=yaml.CSafeLoader))
    return sorted(documents, key=lambda each: each["kind"] != "TrainJob")


_HOSTILE = (
    "a\x1b[31mb",
    "\x07",
    "\u202e",
    "\x85",
    "\u2028",
    "::error::a",
    "##[error]a",
    "##teamcity[x]",
    "a" * 5000,
    "<b>",
    "```",
    "$(A)",
)
_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 2**31, 2**63, -(2**63), 10**30, 1.5, 1e300, "", " ", "0", "-1", "1e9", "null", "a b", "../x", "/"),
    *([], {}, [None], [[]], [{}], {"": None}, {"a": {}}, [1, "a", None], {"name": None}, [{"name": "a"}, {"name": "a"}]),
    *("1Gi", "nan", "~1", "a/b/c", "2026-01-01", "=", "<<", "{{ a }}", "*", "[", "(", "\\", "%", "&a", "!!x", "é", "日本", "\0"),
    *_HOSTILE,
)  # fmt: skip


def _change_value(documents: list[Any], chance: random.Random) -> None:
    """Put a value of another type at a pointer, remove it, repeat it, or move one from elsewhere there."""
    places = [(holder, key) for document in documents for holder, key in _places(document)]
    if not places:
        return
    holder, key = chance.choice(places)
    match chance.randrange(8):
        case 0:
            del holder[key]
        case 1:
            other, at = chance.choice(places)
            holder[key] = copy.deepcopy(other[at])
        case 2 if isinstance(holder, list):
            holder.extend([copy.deepcopy(holder[key])] * chance.choice((1, 2, 50)))
        case 3 if isinstance(holder, dict):
            holder[chance.choice((*_HOSTILE, "name", "$patch", "x"))] = holder.pop(key)
        case 4:
            holder[key] = [holder[key]] if chance.random() < 0.5 else {"a": holder[key]}
        case 5:
            for _ in range(chance.choice((3, 70, 200))):
                holder[key] = [holder[key]]
        case _:
            holder[key] = chance.choice(_VALUES)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _places(item)


def _text(documents: list[Any]) -> str:
    return "---\n".join(json.dumps(each, indent=1, ensure_ascii=False) + "\n" if _is_deep(each) else
                        yaml.dump(each, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True) for each in documents)  # fmt: skip


def _is_deep(value: Any, depth: int = 50) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth == 0 or any(_is_deep(each, depth - 1) for each in items)


_PIECES = (b"\x00", b"\xff", b"\xed\xa0\x80", b"\t", b"\r", b"\n", b": ", b"- ", b"---\n", b"...\n", b"%YAML 1.2\n", b"&a ", b"*a", b"!x ",
           b"{", b"]", b"'", b'"', b"|\n", b">\n", b"# trainjob: ignore[KTJ301] a\n", b"<<: ", b"? ", b"\xc2\x85", b"\xef\xbb\xbf")  # fmt: skip


def _other_bytes(content: bytes, chance: random.Random) -> bytes:
    """Some bytes replaced, inserted, removed or repeated."""
    for _ in range(chance.choice((1, 2, 10))):
        at = chance.randrange(len(content) + 1)
        end = at + chance.choice((0, 0, 1, 4, 40))
        new = chance.choice(
            (chance.choice(_PIECES), content[at:end] * chance.choice((2, 100)), bytes([chance.randrange(256)]), b"")
        )
        content = content[:at] + new + content[end:]
    return content
