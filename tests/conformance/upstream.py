"""Runs the Go recorder: upstream's own packages, built from the versions that recorder/go.mod pins."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.tools import missing

RECORDER = Path(__file__).parent / "recorder"
_ADDRESS = re.compile(r"0x[0-9a-f]+")


@cache
def program(folder: str = ".") -> Path:
    """The recorder's program in `folder` below recorder/, built (minutes when Go's build cache is cold)."""
    go = shutil.which("go")
    if go is None:
        missing("the recorder needs Go 1.26 or later")
        raise AssertionError
    built = Path(tempfile.gettempdir()) / f"trainjob-recorder-{(RECORDER / folder).resolve().name}"
    subprocess.run([go, "build", "-o", str(built), "."], cwd=RECORDER / folder, check=True)
    return built


def ask(mode: str, questions: Iterable[Any], *, folder: str = ".") -> list[Any]:
    """One answer a question, in order, from a mode of the recorder that reads and writes JSON lines."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    run = subprocess.run([program(folder), mode], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def record(inputs: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The records of named streams, with what kube-apiserver would refuse later (`late`)."""
    answers = ask("record", ({"name": name, "docs": text} for name, text in inputs.items()))
    records = {answer.pop("name"): answer for answer in answers}
    jobs = [job for one in records.values() for job in one["jobs"]]
    pairs = [(job, one) for job in jobs for one in job.get("objects", []) if one["kind"] == "JobSet"]
    answers = ask("", ({"name": job["job"], "jobset": one} for job, one in pairs), folder="late")
    for (job, _), answer in zip(pairs, answers, strict=True):
        if answer["late"]:
            job["late"] = answer["late"]
    return records


def stable(value: Any, *, any_env_order: bool | None = None) -> Any:
    """A record without what is random in it: addresses in messages, and env order where it says `unordered`."""
    if any_env_order is None:
        any_env_order = any(job.get("unordered") for job in value["jobs"])
    if isinstance(value, dict):
        return {
            key: sorted(map(json.dumps, entry))
            if any_env_order and key == "env" and isinstance(entry, list)
            else stable(entry, any_env_order=any_env_order)
            for key, entry in value.items()
            if key != "unordered"
        }
    if isinstance(value, list):
        return [stable(entry, any_env_order=any_env_order) for entry in value]
    return _ADDRESS.sub("0x", value) if isinstance(value, str) else value
