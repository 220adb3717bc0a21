"""Whether a migration is right: equal to the record, or different where it says so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from tests.conformance.legacy.judge import differences

Body = Mapping[str, Any]


class Run(NamedTuple):
    """What `migrate` printed, and what `build` makes of it."""

    exit_code: int
    printed: list[Any]
    err: str
    objects: list[Any]


class Result(NamedTuple):
    """`kind` is one of equal, reported, left, rejected; `errors` are reasons why it is not right."""

    kind: str
    errors: list[str]
    differences: list[str] = []  # noqa: RUF012


def results(case: Body, run: Run) -> Iterator[tuple[Body, Result]]:
    """One result for each recorded job."""
    expected = case["expected"]
    for job in expected["jobs"]:
        yield job, _result(job, run)
    others = [each for each in yaml.safe_load_all(case["docs"]) if each and not _is_legacy(each)]
    missing = [each for each in others if each not in run.printed]
    if missing:
        yield {"job": "others", "kind": ""}, Result("rejected", [f"{len(missing)} other documents changed"])
    accepted = [job for job in expected["jobs"] if job["verdict"] == "accepted"]
    codes = _exit_codes(expected["jobs"])
    if run.exit_code not in codes:
        yield {"job": "exit", "kind": ""}, Result("rejected", [f"exit code {run.exit_code}, not {codes}"])
    runtimes = [each for each in run.printed if each and each["kind"].endswith("TrainingRuntime")]
    if case["kind"] == "pt-shared" or "pt-shared" in case["name"]:
        left = [each for each in run.printed if _is_legacy(each)]
        if len(runtimes) != 1 and len(left) < len(accepted):
            yield {"job": "runtimes", "kind": ""}, Result("rejected", [f"{len(runtimes)} runtimes"])


def _exit_codes(jobs: list[Body]) -> set[int]:
    persons = {statement["person"] for job in jobs for statement in job.get("tell") or ()}
    if "yes" in persons or any(job["verdict"].startswith("refused") for job in jobs):
        return {1}
    return {0} if persons <= {"no"} and all(job["verdict"] == "accepted" for job in jobs) else {0, 1}


def _is_legacy(body: Body) -> bool:
    return str(body.get("apiVersion", "")).startswith("kubeflow.org/")


def _result(job: Body, run: Run) -> Result:
    err = run.err.lower()
    if job["verdict"].startswith("refused"):
        words = [job["job"], *job["words"]]
        said = any(str(word).lower() in err for word in words)
        return Result("rejected", [] if said and run.exit_code == 1 else ["the rejection is not reported"])
    train_job = next((each for each in run.printed if _is_job(each, job)), None)
    if job["verdict"] == "not-managed":
        is_carried = train_job and "managedBy" in train_job["spec"]
        return Result("equal", [] if is_carried or "managedby" in err else ["managedBy is lost"])
    reported = [statement for statement in job["tell"] if statement["key"].lower() in err]
    errors = [
        f"{statement['key']} is not reported"
        for statement in job["tell"]
        if statement["must"] and statement not in reported
    ]
    if train_job is None:
        may_stay = any(statement["leave"] for statement in reported) and run.exit_code == 1
        return Result("left", errors if may_stay else [*errors, "the job is not migrated"])
    try:
        found = list(differences(job, train_job, run.objects))
    except StopIteration:
        return Result("differing", [*errors, "no JobSet"])
    unexplained = [each for each in found if not any(_releases(statement, each) for statement in reported)]
    asked = [
        each
        for each in found
        if any(_releases(statement, each) and statement["person"] != "no" for statement in reported)
    ]
    if asked and run.exit_code == 0:
        errors.append(f"exit code 0, but different: {asked[0]}")
    return Result("reported" if found else "equal", [*errors, *unexplained], found)


def _is_job(body: Any, job: Body) -> bool:
    metadata = (body or {}).get("metadata") or {}
    return (
        bool(body)
        and body["kind"] == "TrainJob"
        and metadata.get("name") == job["job"]
        and metadata.get("namespace") == job.get("namespace")
    )


def _releases(statement: Body, difference: str) -> bool:
    path = difference.partition(": ")[0]
    return any(
        re.fullmatch(release.replace(".", r"\.").replace("*", "[^ ]*") + r"(?:\..*)?|.*\b" + re.escape(release), path)
        for release in statement["releases"]
    )
