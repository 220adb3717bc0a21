"""Findings that nobody needs to hear of again: those of the other side, or of a baseline, known by fingerprint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.lint.registry import is_build_error
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.finding import Finding

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Split:
    """Results that are new, how many were known, and how many known ones were not found."""

    new: list[Finding]
    known: int
    gone: int


def split(results: Iterable[Finding], known: Counter[str], *, with_refusals: bool) -> Split:
    """The results that are not known. As many of one fingerprint are known as were counted.

    What a build refuses counts as new all the same, unless refusals may be known, too.
    """
    left, new, found = known.copy(), list[Finding](), 0
    for result in results:
        may_be_known = with_refusals or not is_build_error(result.rule)
        if may_be_known and left[result.fingerprint] > 0:
            left[result.fingerprint] -= 1
            found += 1
        else:
            new.append(result)
    return Split(new, found, sum(left.values()))


def fingerprints(results: Iterable[Finding]) -> Counter[str]:
    """How many results there are of each fingerprint."""
    return Counter(result.fingerprint for result in results)


def baseline_text(results: Iterable[Finding]) -> str:
    """A baseline of results, to be kept in a file: sorted, so that two teams' changes merge."""
    kept = [result for result in results if not is_build_error(result.rule)]
    counts = fingerprints(kept)
    first = {result.fingerprint: result for result in reversed(kept)}
    entries = [
        {
            "rule": each.rule.id,
            "object": each.object,
            "file": each.position.path,
            "fingerprint": print_,
            "count": counts[print_],
        }
        for print_, each in first.items()
    ]
    entries.sort(key=lambda entry: (entry["file"], entry["rule"], entry["object"], entry["fingerprint"]))
    return json.dumps({"schemaVersion": _VERSION, "findings": entries}, indent=2) + "\n"


def read_baseline(text: str, path: str) -> Counter[str]:
    """How many findings of each fingerprint a baseline has. Raises EnvironmentFault for what is none."""
    try:
        data: Any = json.loads(text)
        if data["schemaVersion"] != _VERSION:
            raise EnvironmentFault(f"{path}: this version reads baselines of schemaVersion {_VERSION}; write it anew")
        known = {str(each["fingerprint"]): each["count"] for each in data["findings"]}
        if not all(type(count) is int and count > 0 for count in known.values()):
            raise ValueError
        return Counter(known)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise EnvironmentFault(f"{path}: no baseline; write one with --write-baseline {path}") from None
