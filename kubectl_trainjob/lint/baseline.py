"""Existing findings, of the base or of a baseline, which are not reported again. They are compared by fingerprint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from kubectl_trainjob.lint.registry import is_build_error
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.finding import Finding

_VERSION = 1
_MOST = 10**9  # findings with one fingerprint; a count of thousands of digits could not be printed


class BaselineResult(NamedTuple):
    """The new findings, the number of existing ones, and the number of removed ones."""

    new: list[Finding]
    known: int
    gone: int


def split_by_baseline(results: Iterable[Finding], known: Counter[str], *, with_build_errors: bool) -> BaselineResult:
    """The findings that are not known: of one fingerprint as many are known as were counted.

    Build errors are always new, unless `with_build_errors`.
    """
    left, new, found = known.copy(), list[Finding](), 0
    for result in results:
        may_be_known = with_build_errors or not is_build_error(result.rule)
        if may_be_known and left[result.fingerprint] > 0:
            left[result.fingerprint] -= 1
            found += 1
        else:
            new.append(result)
    return BaselineResult(new, found, sum(left.values()))


def fingerprints(results: Iterable[Finding]) -> Counter[str]:
    """The number of findings with each fingerprint."""
    return Counter(result.fingerprint for result in results)


def baseline_text(results: Iterable[Finding]) -> str:
    """A baseline of findings as the text of a file; it is sorted, so the changes of two teams merge."""
    kept = [result for result in results if not is_build_error(result.rule)]
    first = {result.fingerprint: result for result in reversed(kept)}
    rows = [(each.position.path, each.rule.id, each.object, key) for key, each in first.items()]
    counts = fingerprints(kept)
    entries = [
        {"rule": rule, "object": name, "file": path, "fingerprint": key, "count": counts[key]}
        for path, rule, name, key in sorted(rows)
    ]
    return json.dumps({"schemaVersion": _VERSION, "findings": entries}, indent=2) + "\n"


def read_baseline(text: str, path: str) -> Counter[str]:
    """The number of findings with each fingerprint in a baseline. Raises EnvironmentFault if it is not valid."""
    try:
        data: Any = json.loads(text)
        if data["schemaVersion"] != _VERSION:
            raise EnvironmentFault(f"{path}: this version reads baselines of schemaVersion {_VERSION}; write it again")
        known = {str(each["fingerprint"]): each["count"] for each in data["findings"]}
        if not all(type(count) is int and 0 < count <= _MOST for count in known.values()):
            raise ValueError
        return Counter(known)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise EnvironmentFault(f"{path}: not a valid baseline; write one with --write-baseline {path}") from None
