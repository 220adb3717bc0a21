"""What `migrate` prints gives each process what the operators' own code gave it, or the report says otherwise."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from tests.conformance.legacy.verdict import Run, results
from tests.loops import for_each, sampled

CASES = [
    json.loads(line) for line in gzip.decompress(Path(__file__).with_name("cases.jsonl.gz").read_bytes()).splitlines()
]
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FEWEST_EQUAL = 0.95
_ALLOWED = """\
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Config
allow: {elastic: true, extendedMpi: true}
"""


def command(monkeypatch: pytest.MonkeyPatch, arguments: list[str], stdin: str) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of a command line."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    code = run("kubectl-trainjob", arguments)
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()  # type: ignore[attr-defined]


def migrated(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Run:
    """A case through `migrate`, and its new objects through `build`."""
    code, out, err = command(monkeypatch, ["migrate", "-"], case["docs"])
    printed = [each for each in yaml.load_all(out, _Loader) if each]
    new = [each for each in printed if not each["apiVersion"].startswith("kubeflow.org/")]
    if not any(each["kind"] == "TrainJob" for each in new):
        return Run(code, printed, err, [])
    text = yaml.safe_dump_all(new, sort_keys=False)
    built, objects, _ = command(monkeypatch, ["build", "-"], text)
    if built != 0:  # what no controller implements needs a setting
        Path("trainjob.yaml").write_text(_ALLOWED)
        _, objects, _ = command(monkeypatch, ["build", "-"], text)  # without objects, the job is not equal
        Path("trainjob.yaml").unlink()
    return Run(code, printed, err, [each for each in yaml.load_all(objects, _Loader) if each])


@sampled(8)
@for_each("case", {each["name"]: each for each in CASES}, at_least=273)
def test_a_migration_is_equal_or_reports_the_difference(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    os.chdir(tmp_path)
    found = list(results(case, migrated(case, monkeypatch)))
    errors = [f"{job['job']}: {error}" for job, result in found for error in result.errors]
    assert not errors


@pytest.mark.slow
def test_nearly_all_jobs_are_equal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    os.chdir(tmp_path)
    counts: Counter[str] = Counter()
    for case in CASES:
        for job, result in results(case, migrated(case, monkeypatch)):
            if job.get("verdict") == "accepted":
                counts[result.kind] += 1
    assert counts["equal"] / counts.total() >= _FEWEST_EQUAL, counts


def test_a_written_dns_policy_of_mpi_v1_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Recorded with the code of training-operator 1.9.3: it sets no DNS policy, mpi-operator does."""
    os.chdir(tmp_path)
    case = next(each for each in CASES if each["name"].endswith("-mpi1"))
    written = {"hostNetwork": True, "dnsPolicy": "Default"}
    docs = yaml.load(case["docs"], _Loader)
    for role in docs["spec"]["mpiReplicaSpecs"].values():
        role["template"]["spec"].update(written)
    (job,) = case["expected"]["jobs"]
    ranks = [{**rank, "pod": {**rank.get("pod", {}), **written}} for rank in job["ranks"]]
    other = {**case, "docs": yaml.safe_dump(docs), "expected": {**case["expected"], "jobs": [{**job, "ranks": ranks}]}}
    assert [result.errors for _, result in results(other, migrated(other, monkeypatch))] == [[]]
