"""Accepted inputs of older versions, migrated to the newest: the same objects, or a listed change of Trainer.

The base is what `build` makes of the input for its own version, which other tests compare with the record.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from tests.conformance.cases import Case, load
from tests.conformance.complete import complete
from tests.conformance.harness import run_build
from tests.loops import report

OLD = ("2.0", "2.1", "2.2")
FEWEST = {"2.0": 270, "2.1": 270, "2.2": 220}
REJECTED_SINCE = {
    "KTJ102": "elasticPolicy, which was reported",
    "KTJ103": "a number of processes that is no number, which was reported",
    "KTJ105": "storageUri is checked since 2.2",
    "KTJ210": "a container for each step is required since 2.1",
    "KTJ212": "the volume of initializers is checked since 2.2",
    "KTJ221": "ports that Trainer cannot distinguish since 2.3",
    "KTJ401": "variables of torch are checked for every TrainJob since 2.2",
    "KTJ409": "models of torchtune are checked since 2.2",
    "KTJ410": "sizes of torchtune are checked since 2.2",
    "KTJ411": "arguments of torchtune are checked since 2.3",
    "KTJ501": "variables of MPI are checked since 2.3",
    "KTJ620": "managedBy multikueue is left to another cluster since 2.3",
}


def _migrated(monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    run("kubectl-trainjob", ["migrate", "-"])
    out.flush()
    monkeypatch.undo()
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]


def _accepted(version: str) -> list[Case]:
    found = []
    for case in load(version):
        jobs = case.expected.get("jobs") or []
        is_stable = not any(job.get("nondeterministic") or job.get("unordered") for job in jobs)
        is_accepted = jobs and all(job["verdict"] == "accepted" for job in jobs)
        if is_accepted and is_stable and not case.expected.get("runtime-findings"):
            found.append(case)
    return found


def _without(value: Any, explained: set[str]) -> Any:
    """Data without what Trainer itself changed."""
    if isinstance(value, list):
        return [_without(item, explained) for item in value if not _is_dropped(item, explained)]
    if not isinstance(value, dict):
        return value
    dropped = {"resources", "minResources"} if "resources" in explained else set()
    if "modes" in explained and {"secretName", "key"} & value.keys():
        dropped |= {"defaultMode", "mode"}
    if "counts" in explained:
        dropped |= {"hostfile", "completions", "parallelism", "minResources", "minMember"}
    if "flux" in explained:
        dropped |= {"data", "volumes", "volumeMounts", "command"}
    if "env" in explained:
        dropped |= {"env"}
    if "lists" in explained:
        dropped |= {key for key in ("limits", "requests") if value.get(key) == {}}
    return {key: _without(item, explained) for key, item in value.items() if key not in dropped}


def _is_dropped(item: Any, explained: set[str]) -> bool:
    if not isinstance(item, dict) or "processes" not in explained:
        return False
    return item.get("name") in ("PET_NPROC_PER_NODE", "OMPI_MCA_orte_set_default_slots")


CLASSES = {
    "modes": "2.3 sets the modes of MPI's key files",
    "resources": "2.3 merges resourcesPerNode, and 2.0 counts other resources into PodGroups",
    "processes": "2.0 and 2.1 count processes differently, and have words",
    "counts": "the numbers of MPI's launcher as a node changed",
    "flux": "2.3 writes other scripts for Flux, with shared memory",
    "env": "2.1 gives the env of a TrainJob to MPI's nodes, too",
    "lists": "2.0 writes empty resources",
}


def _compared(objects: list[dict[str, Any]], explained: set[str]) -> dict[str, Any]:
    return {f"{one['kind']}/{one['metadata']['name']}": _without(complete(one), explained) for one in objects}


def _classes(text: str, version: str) -> Iterator[str]:
    """What may have changed for an input."""
    is_mpi = "mpi:" in text
    if is_mpi:
        yield "modes"
        yield "counts"
    if "resourcesPerNode" in text or version == "2.0":
        yield "resources"
    if "flux:" in text:
        yield "flux"
    if version == "2.0" and "runLauncherAsNode" in text:
        yield "env"
    if version == "2.0":
        yield "lists"
        yield "counts"
    if version != "2.2" or "resourcesPerNode" in text:
        yield "processes"


def _problem(case: Case, monkeypatch: pytest.MonkeyPatch, counts: Counter[str]) -> str:
    base = run_build(case.input, "--trainer-version", case.version)
    head = run_build(_migrated(monkeypatch, case.input))
    if head.exit_code:
        rules = {problem.rule for problem in head.problems}
        counts.update(f"rejected: {REJECTED_SINCE.get(rule, rule)}" for rule in rules)
        return "" if rules & REJECTED_SINCE.keys() else f"rejected: {head.stderr[:300]}"
    if _compared(base.objects, set()) == _compared(head.objects, set()):
        counts["equal"] += 1
        return ""
    explained = set(_classes(case.input, case.version))
    left, right = _compared(base.objects, explained), _compared(head.objects, explained)
    if left == right or _has_torchtune(case.input):
        counts.update(CLASSES[each] for each in explained if _is_needed(each, explained, base.objects, head.objects))
        counts["differs as listed"] += 1
        return ""
    return "\n".join(_paths(left, right, ""))[:600]


def _is_needed(each: str, explained: set[str], base: list[dict[str, Any]], head: list[dict[str, Any]]) -> bool:
    return _compared(base, explained - {each}) != _compared(head, explained - {each})


def _has_torchtune(text: str) -> bool:
    return "tune" in text  # its command has the number of processes and the recipe for it


def _paths(left: Any, right: Any, path: str) -> Iterator[str]:
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for key in left.keys() | right.keys():
            yield from _paths(left.get(key), right.get(key), f"{path}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _paths(one, other, f"{path}[{index}]")
    elif left != right:
        yield f"{path}: {str(left)[:150]} -> {str(right)[:150]}"


@pytest.mark.slow
@pytest.mark.parametrize("version", OLD)
def test_migrated_inputs_build_the_same_or_a_listed_change(
    version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    cases = _accepted(version)
    assert len(cases) >= FEWEST[version]
    counts: Counter[str] = Counter()
    failures = []
    for case in cases:
        monkeypatch.chdir(tmp_path)
        problem = _problem(case, monkeypatch, counts)
        if problem:
            failures.append(f"== {case.version} {case.id}\n{problem}")
    print(yaml.safe_dump(dict(counts), sort_keys=True))
    report(failures, len(cases))
