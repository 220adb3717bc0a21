"""Runs the Go recorder: upstream's own packages, built from the versions that recorder/go.mod pins.

For older Trainers the versions stand in recorder/releases/; 2.0 and 2.1 do without JobSet's admission, which the latest
Trainer's program then judges.
"""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.cases import VERSIONS
from tests.tools import missing

RECORDER = Path(__file__).parent / "recorder"
_EARLY = ("2.0", "2.1")
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_ENV_INDEX = re.compile(r"env\[\d+\]")


@cache
def program(folder: str = ".", version: str = VERSIONS[-1]) -> Path:
    """The recorder's program in `folder` below recorder/, built (minutes when Go's build cache is cold)."""
    go = shutil.which("go")
    if go is None:
        missing("the recorder needs Go 1.26 or later")
        raise AssertionError
    built, flags = RECORDER / folder / ".bin" / "recorder", []
    if version != VERSIONS[-1]:
        built = built.with_name(f"recorder-{version}")
        flags = [f"-modfile={RECORDER / 'releases' / version}.mod", *(["-tags=early"] if version in _EARLY else [])]
    built.parent.mkdir(exist_ok=True)
    with (built.parent / "lock").open(
        "w"
    ) as lock:  # another worker may want the same program; the second finds it built
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([go, "build", *flags, "-o", str(built), "."], cwd=RECORDER / folder, check=True)
    return built


def ask(mode: str, questions: Iterable[Any], *, folder: str = ".", version: str = VERSIONS[-1]) -> list[Any]:
    """One answer a question, in order, from a mode of the recorder that reads and writes JSON lines."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    run = subprocess.run([program(folder, version), mode], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def facts(version: str = VERSIONS[-1]) -> Any:
    """What the recorder's mode `types` reports of upstream's Go types."""
    return json.loads(subprocess.run([program(".", version), "types"], stdout=subprocess.PIPE, check=True).stdout)


def record(inputs: Mapping[str, str], version: str = VERSIONS[-1]) -> dict[str, dict[str, Any]]:
    """The records of named streams, with what kube-apiserver would reject later (`late`)."""
    questions = ({"name": name, "docs": text} for name, text in inputs.items())
    records = {answer.pop("name"): answer for answer in ask("record", questions, version=version)}
    jobs = [job for one in records.values() for job in one["jobs"]]
    pairs = [(job, one) for job in jobs for one in job.get("objects", []) if one["kind"] == "JobSet"]
    if version in _EARLY:
        _admit_jobsets(pairs)
    answers = ask("", ({"name": job["job"], "jobset": one} for job, one in pairs), folder="late")
    for (job, _), answer in zip(pairs, answers, strict=True):
        if answer["late"]:
            job["late"] = answer["late"]
    return records


def _admit_jobsets(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Add to the records of jobs what JobSet's admission says of their JobSets."""
    for (job, _), found in zip(pairs, ask("jobset", [one for _, one in pairs]), strict=True):
        if found:
            job["findings"] = job.get("findings", []) + found
            job["verdict"] = "jobset-rejected"


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two records agree but for what differs from run to run.

    That is: addresses in messages, the order of objects of one name, and env where a record says `unordered`.
    """
    any_env_order = any(job.get("unordered") for record in (one, other) for job in record["jobs"])
    sets = ("objects", "env") if any_env_order else ("objects",)
    return bool(_stable(one, sets) == _stable(other, sets))


def _stable(value: Any, sets: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        entries = {key: _stable(entry, sets) for key, entry in value.items() if key != "unordered"}
        for key in sets:
            if isinstance(entries.get(key), list):
                entries[key] = sorted(entries[key], key=lambda entry: json.dumps(entry, sort_keys=True))
        return entries
    if isinstance(value, list):
        return [_stable(entry, sets) for entry in value]
    if not isinstance(value, str):
        return value
    text = _ADDRESS.sub("0x", value)
    return _ENV_INDEX.sub("env[]", text) if "env" in sets else text
