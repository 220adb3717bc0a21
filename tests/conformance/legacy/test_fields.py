"""No field of a job is lost: a changed value is in the result, or the report is about it. No input is a traceback."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml

from kubectl_trainjob.repository.files.input_files import read_files
from kubectl_trainjob.repository.output.migration import Migration, migrate_files
from tests.conformance.legacy.test_migrate import CASES
from tests.loops import for_each
from tests.reading import workspace

HEAD = {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}
EXPRESSED = {"replicas", "nprocPerNode", "dnsPolicy"}
"""The last key of fields that the result has otherwise: sums of Pods, what a command or the network of a host sets."""

ODD = [None, "", 0, -1, 2**31, True, [], {}, "a", "$(X)", 1.5, [None], [{}], {"a": None}]
Pointer = tuple[str | int, ...]


@cache
def jobs() -> list[Any]:
    """The jobs of all cases."""
    bodies = (body for case in CASES for body in yaml.load_all(case["docs"], yaml.CSafeLoader))
    return [body for body in bodies if body and str(body["apiVersion"]).startswith("kubeflow.org/")]


def places(value: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """All values below one."""
    if at:
        yield at, value
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*at, key))


def parent_of(body: Any, at: Pointer) -> Any:
    """The mapping or list with the value at a pointer."""
    for key in at[:-1]:
        body = body[key]
    return body


def migrated(body: Any) -> Migration:
    """A job migrated."""
    text = yaml.safe_dump(body, allow_unicode=True)
    return migrate_files(read_files(["-"], workspace(lambda _most: text.encode())))


@for_each("seed", {str(seed): seed for seed in range(4)}, at_least=4)
def test_each_value_is_carried_over_or_reported(seed: int) -> None:
    rng, checked = random.Random(seed), 0
    for _ in range(40):
        body = copy.deepcopy(rng.choice(jobs()))
        found = [(at, value) for at, value in places(body) if type(value) in (str, int) and at not in HEAD]
        at, value = rng.choice(found)
        mark = f"zq{rng.randint(10000, 99999)}" if isinstance(value, str) else 7321
        parent_of(body, at)[at[-1]] = mark
        result = migrated(body)
        if result.jobs and at[-1] not in EXPRESSED and at[-3:-2] + at[-1:] != ("containers", "name"):
            checked += 1
            pointers = [each.place.pointer for each in result.findings]
            is_reported = any(at[: len(each)] == each[: len(at)] for each in pointers)
            assert str(mark) in "".join(result.stream()) or is_reported, at
    assert checked > 15


@for_each("seed", {str(seed): seed for seed in range(4)}, at_least=4)
def test_a_broken_job_is_reported(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        body = copy.deepcopy(rng.choice(jobs()))
        for _ in range(rng.randint(1, 3)):
            at = rng.choice([at for at, _ in places(body) if at not in HEAD])
            parent, other = parent_of(body, at), rng.choice(list(places(rng.choice(jobs()))))[1]
            parent[at[-1]] = copy.deepcopy(rng.choice([*ODD, other, other]))
        "".join(migrated(body).stream())
