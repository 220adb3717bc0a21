"""Published JobSets with one change each, and what a real cluster did with them.

data/created.json.xz has `jobsets`, by the path of their publication, and `answers`: the path, the changed place, the
change, and the answer. Long texts of the JobSets are shortened. `python -m tests.unit.kube.admission.created` asks the
control plane of tests/cluster again, with suspended JobSets and the namespace of each case.
"""

from __future__ import annotations

import json
import lzma
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.model.source import Pointer

FILE = Path(__file__).parent / "data" / "created.json.xz"
CHANGES: Mapping[str, Any] = {"null": None, "text": "Xx yz", "mapping": {}, "list": [], "number": -1}
"""What a value is replaced with; `drop` removes it, and `none` changes nothing."""

_SETTLED = 10.0  # seconds in which the controller has tried to create all Jobs
_ONCE = 2  # of the same change at the same place, lists aside

Answer = Literal["rejected", "late", "runs", "accepted"]
"""`late`: a Job is rejected; `runs`: all Jobs exist; `accepted`: some Jobs wait for others."""


class Case(NamedTuple):
    """One JobSet."""

    path: str
    place: Pointer
    change: str
    body: dict[str, Any]


def recorded() -> Iterator[tuple[Case, Answer]]:
    """The answers in the repository."""
    data = json.loads(lzma.decompress(FILE.read_bytes()))
    for path, place, change, answer in data["answers"]:
        yield Case(path, tuple(place), change, changed(data["jobsets"][path], tuple(place), change)), answer


def cases(jobsets: Mapping[str, dict[str, Any]]) -> Iterator[Case]:
    """Each JobSet as published, then with one change."""
    used: dict[tuple[Any, ...], int] = {}
    for path, body in jobsets.items():
        yield Case(path, (), "none", body)
        for place in _places(body):
            for change in ("drop", *CHANGES):
                kind = (change, *("#" if isinstance(step, int) else step for step in place))
                used[kind] = used.get(kind, 0) + 1
                if used[kind] <= (_ONCE if change == "null" else 1) and place[0] in ("metadata", "spec"):
                    yield Case(path, place, change, changed(body, place, change))


def changed(value: Any, place: Pointer, change: str) -> Any:
    """A copy of the value with one change."""
    if change == "none" or not place:
        return CHANGES.get(change, value)
    copy: Any = value.copy()
    key: Any = place[0]
    if change == "drop" and len(place) == 1:
        del copy[key]
    else:
        copy[key] = changed(copy[key], place[1:], change)
    return copy


def _places(value: Any) -> Iterator[Pointer]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (key,)
        yield from ((key, *below) for below in _places(item))


def ask(asked: list[Case]) -> list[Answer | None]:
    """The cluster's answers; None for a case that cannot be sent, or whose claims are rejected."""
    from tests.cluster.plane.client import ApiError
    from tests.cluster.plane.plane import Plane

    answers: list[Answer | None] = [None] * len(asked)
    with Plane("jobset-manager") as plane:
        for number, case in enumerate(asked):
            if not isinstance(case.body.get("metadata") or {}, dict):
                continue
            plane.client.create_namespace(f"n{number}")
            try:
                plane.client.create(_sent(case.body, f"n{number}"))
                answers[number] = "accepted"
            except ApiError:
                answers[number] = "rejected"
        time.sleep(_SETTLED)
        events, jobs = plane.client.items("v1", "Event"), plane.client.items("batch/v1", "Job")
    counts = [each["metadata"]["namespace"] for each in jobs]
    said: dict[str, set[str]] = {}
    for event in events:
        if event["type"] != "Normal":
            said.setdefault(event["metadata"]["namespace"], set()).add(event["message"])
    for number, case in enumerate(asked):
        if answers[number] == "accepted":
            messages = {each for each in said.get(f"n{number}", ()) if "already exists" not in each}
            answers[number] = _accepted(case.body, messages, counts.count(f"n{number}"))
    return answers


def _sent(body: Any, namespace: str) -> dict[str, Any]:
    sent = {**body, "metadata": {**(body.get("metadata") or {}), "namespace": namespace}}
    if isinstance(sent.get("spec"), dict) and isinstance(sent["spec"].get("suspend", True), bool):
        sent["spec"] = {**sent["spec"], "suspend": True}
    return sent


def _accepted(body: Any, messages: set[str], created: int) -> Answer | None:
    if any("PersistentVolumeClaim" in each for each in messages):
        return None  # claims are not checked
    if messages:
        return "late"
    jobs = (body.get("spec") or {}).get("replicatedJobs") or ()
    wanted = sum(job.get("replicas") or 1 for job in jobs if isinstance(job, dict))
    return "runs" if created == wanted else "accepted"


def record(jobsets: Mapping[str, dict[str, Any]]) -> None:
    """Write the answers of the control plane."""
    asked = list(cases(jobsets))
    answers = [[*case[:3], answer] for case, answer in zip(asked, ask(asked), strict=True) if answer]
    text = json.dumps({"jobsets": jobsets, "answers": answers}, separators=(",", ":"))
    FILE.write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    record(json.loads(lzma.decompress(FILE.read_bytes()))["jobsets"])
