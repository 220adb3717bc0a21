"""The recorded cases of OME TrainingJobs and sweeps, and how a build is compared with them."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kubectl_trainjob.cli.app import run as run_cli

HERE = Path(__file__).parent
_FINDING = re.compile(r"^(?P<path>[^\s:]+):(?P<line>\d+):\d+: error ")
_COPIED = (("labels", "kubectl-trainjob.dev/sweep"), ("annotations", "kubectl-trainjob.dev/parameters"))
Objects = dict[tuple[str, ...], dict[str, Any]]


class Case(NamedTuple):
    """One input: a YAML stream and the settings; and the objects that it means, or the places of its errors."""

    name: str
    docs: str
    settings: str | None
    overlay: str | None
    expected: dict[str, Any]


class Run(NamedTuple):
    """One command: the exit code, and what it wrote."""

    code: int
    out: str
    err: str


@cache
def cases() -> dict[str, Case]:
    """All cases by name."""
    with gzip.open(HERE / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [Case(**json.loads(line)) for line in lines]
    return {each.name: each for each in found}


def run(*args: str, at: Path) -> Run:
    """A command of this tool in this process."""
    written, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(written, write_through=True)
    before = Path.cwd()
    os.chdir(at)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run_cli("kubectl-trainjob", list(args))
    finally:
        os.chdir(before)
    return Run(code, written.getvalue().decode(), err.getvalue())


def write(case: Case, root: Path) -> str:
    """The files of a case below `root`; returns the path to build."""
    (root / "trainjob.yaml").write_text(case.settings or "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n")
    if case.overlay is None:
        (root / "in.yaml").write_text(case.docs)
        return "in.yaml"
    for name, path, text in (("jobs", "in.yaml", case.docs), ("env", "overlay.yaml", case.overlay)):
        (root / name).mkdir()
        (root / name / path).write_text(text)
    return "env"


def by_identity(text: str) -> Objects:
    """The objects of a YAML stream by kind, namespace and name."""
    found = [each for each in yaml.load_all(text, _Loader) if each]
    result = {_key(each): each for each in found}
    assert len(result) == len(found)
    return result


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _key(body: dict[str, Any]) -> tuple[str, ...]:
    metadata = body["metadata"]
    return body["apiVersion"], body["kind"], metadata.get("namespace", ""), metadata["name"]


def problems(case: Case, root: Path) -> Iterator[str]:
    """How this tool differs from a case; the files go below `root`, which is empty."""
    (root / "case").mkdir()
    (root / "judge").mkdir()
    path = write(case, root / "case")
    if case.expected["refused"]:
        found = run("build", path, at=root / "case")
        if problem := _accepted(case, found):
            yield problem
        return
    (root / "judge" / "expected.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": case.expected["objects"]})
    )
    for emit in ("trainjob", "jobset"):
        ours = run("build", "--emit", emit, path, at=root / "case")
        judge = run("build", "--emit", emit, "expected.json", at=root / "judge")
        assert judge.code == 0, judge.err
        if ours.code != 0:
            yield f"--emit {emit}: exit {ours.code}: {ours.err}"
            return
        wanted = by_identity(judge.out)
        if emit == "jobset":
            _add_what_is_copied(wanted, case)
        yield from differences(by_identity(ours.out), wanted, emit)


def _add_what_is_copied(wanted: Objects, case: Case) -> None:
    """The runtimes of Experiments, and the marks of a trial on its JobSet."""
    objects = case.expected["objects"]
    experiments = {each["metadata"]["name"] for each in objects if each["kind"] == "Experiment"}
    for each in objects:
        metadata = each["metadata"]
        if each["kind"] == "TrainingRuntime" and metadata["name"] in experiments:
            wanted[_key(each)] = each
        jobset = wanted.get(("jobset.x-k8s.io/v1alpha2", "JobSet", metadata.get("namespace", ""), metadata["name"]))
        if each["kind"] == "TrainJob" and jobset:
            for field, key in _COPIED:
                if key in metadata.get(field, {}):
                    jobset["metadata"].setdefault(field, {}).setdefault(key, metadata[field][key])


def differences(ours: Objects, wanted: Objects, emit: str) -> Iterator[str]:
    """Objects that only one side has, and values that differ."""
    for key in sorted({*ours, *wanted}):
        if key not in ours or key not in wanted:
            yield f"--emit {emit}: {'missing' if key in wanted else 'unexpected'}: {' '.join(key[1:])}"
        elif ours[key] != wanted[key]:
            yield f"--emit {emit}: {' '.join(key[1:])}: " + "; ".join(_paths(ours[key], wanted[key], ""))


def _paths(ours: Any, wanted: Any, at: str) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(wanted, dict):
        for key in sorted({*ours, *wanted}):
            if ours.get(key) != wanted.get(key):
                yield from _paths(ours.get(key), wanted.get(key), f"{at}/{key}")
    elif isinstance(ours, list) and isinstance(wanted, list) and len(ours) == len(wanted):
        for index, (one, other) in enumerate(zip(ours, wanted, strict=True)):
            if one != other:
                yield from _paths(one, other, f"{at}/{index}")
    else:
        yield f"{at}: {ours!r}, expected {wanted!r}"


def _accepted(case: Case, found: Run) -> str:
    if found.code != 1 or found.out:
        return f"exit {found.code}, {len(found.out)} characters on stdout: {found.err}"
    for finding in _findings(found.err):
        for place in case.expected["refused"]:
            path, lines = _lines(case, place["doc"], place["pointer"])
            if finding.path == path and finding.line in lines and all(word in finding.text for word in place["about"]):
                return ""
    return f"expected {case.expected['refused']}, found:\n{found.err}"


class _Reported(NamedTuple):
    path: str
    line: int
    text: str


def _findings(err: str) -> Iterator[_Reported]:
    """The reported errors with their lines up to the next one."""
    current: _Reported | None = None
    for line in err.splitlines():
        begin = _FINDING.match(line)
        if begin:
            if current:
                yield current
            current = _Reported(begin["path"], int(begin["line"]), line)
        elif current:
            current = current._replace(text=f"{current.text}\n{line}")
    if current:
        yield current


def _lines(case: Case, document: int | str, pointer: str) -> tuple[str, range]:
    """The file of a pointer and the lines of its key and value."""
    names = {"settings": ("trainjob.yaml", case.settings), "overlay": ("env/overlay.yaml", case.overlay)}
    stream = ("in.yaml" if case.overlay is None else "jobs/in.yaml", case.docs)
    path, text = names.get(str(document), stream)
    node = _documents(text or "")[0 if isinstance(document, str) else document]
    first, last = node.start_mark.line, node.end_mark.line
    for part in pointer.split("/")[1:]:
        child = _child(node, part.replace("~1", "/").replace("~0", "~"))
        if child is None:
            break
        key, node = child
        first, last = key.start_mark.line, max(node.end_mark.line - (node.end_mark.column == 0), node.start_mark.line)
    return path, range(first + 1, last + 2)


def _documents(text: str) -> list[yaml.Node]:
    return list(yaml.compose_all(text, yaml.SafeLoader))


def _child(node: yaml.Node, part: str) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
        return node.value[int(part)], node.value[int(part)]
    return None
