"""Compares what was built for TrainJobs with what upstream's controller applies for them, by the rules of README.md."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.conformance.complete import Object, complete, missing

_GENERATED = "-runtime-snapshot"
_KUEUE = "kueue.x-k8s.io/"


def identify(value: Object) -> str:
    """What distinguishes two objects."""
    metadata = value["metadata"]
    return f"{value['apiVersion']} {value['kind']} {metadata.get('namespace', 'default')}/{metadata['name']}"


def compared(objects: Iterable[Object], *, any_env_order: bool = False) -> dict[str, Object]:
    """The objects that take part, completed, by identity."""
    return {
        identify(one): _sort_env(complete(one)) if any_env_order else complete(one)
        for one in objects
        if one["kind"] != "Secret" and not one["metadata"]["name"].endswith(_GENERATED)
    }


def expected_of(record: Mapping[str, Any], job: Object | None) -> list[Object]:
    """The recorded objects of a job with our stated deviation: a TrainJob's kueue labels move to its JobSet."""
    labels = (job or {}).get("metadata", {}).get("labels") or {}
    moved = {key: value for key, value in labels.items() if key.startswith(_KUEUE)}
    return [_labelled(one, moved) if one["kind"] == "JobSet" else one for one in record["objects"]]


def differences(ours: Iterable[Object], expected: Iterable[Object], *, any_env_order: bool = False) -> list[str]:
    """What differs, as lines of unified diffs (`-` recorded, `+` ours); empty when equal."""
    left = compared(expected, any_env_order=any_env_order)
    right = compared(ours, any_env_order=any_env_order)
    lines = [f"- {name}: not built" for name in left if name not in right]
    lines += [f"+ {name}: upstream makes no such object" for name in right if name not in left]
    for name in left:
        if name in right and left[name] != right[name]:
            lines += difflib.unified_diff(
                _lines(left[name]), _lines(right[name]), f"recorded {name}", f"ours {name}", n=6, lineterm=""
            )
    return lines


def faults(ours: Iterable[Object], job: Object | None) -> list[str]:
    """What our objects must not have or must state, whatever upstream applied."""
    found = []
    for one in ours:
        name = identify(one)
        metadata, spec = (job or {}).get("metadata", {}), (job or {}).get("spec", {})
        if _has_null(one):
            found.append(f"{name}: holds a null")
        if one["kind"] == "Secret":
            found.append(f"{name}: a Secret is printed")
        if "ownerReferences" in one["metadata"]:
            found.append(f"{name}: has owners")
        if job is not None and "namespace" in one["metadata"] and not metadata.get("namespace"):
            found.append(f"{name}: states a namespace that the TrainJob does not")
        if one["kind"] == "JobSet":
            found += [f"{name}: {path} must be rendered" for path in missing(one)]
            if job is not None and "suspend" in one["spec"] and "suspend" not in spec:
                found.append(f"{name}: states suspend, which the TrainJob does not")
    return found


def _lines(value: Object) -> list[str]:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def _labelled(value: Object, labels: Mapping[str, str]) -> Object:
    if not labels:
        return value
    metadata = value["metadata"]
    return {**value, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **labels}}}


def _sort_env(value: Any) -> Any:
    if isinstance(value, list):
        return [_sort_env(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    done = {key: _sort_env(entry) for key, entry in value.items()}
    if isinstance(done.get("env"), list):
        done["env"] = sorted(done["env"], key=lambda entry: json.dumps(entry, sort_keys=True))
    return done


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_null(entry) for entry in value.values())
    if isinstance(value, list):
        return any(_has_null(entry) for entry in value)
    return value is None
