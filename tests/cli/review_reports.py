"""Reviews made by hand: what the pages of `review` are tested with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kubectl_trainjob.model.finding import Excerpt, Finding, Note
from kubectl_trainjob.model.rules import RUNTIME_NOT_FOUND as NOT_FOUND
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.review.diff.changes import Sizes, Totals
from kubectl_trainjob.review.diff.view import FileError, Report, SourceLine
from kubectl_trainjob.review.result import Review
from kubectl_trainjob.review.verdict import review_of
from tests.cli import diff_reports as diffs
from tests.cli.diff_reports import job, totals
from tests.messages import message as as_message
from tests.unit.report.lint import reports as lints

NONE = totals(0, 0, 0)


def review(
    of: Report,
    findings: Mapping[ObjectId | JobId, Iterable[Finding]] | None = None,
    sizes: Mapping[ObjectId | JobId, tuple[Totals | None, Totals | None]] | None = None,
    broken: Iterable[ObjectId] = (),
    **about: Any,
) -> Review:
    """The review that the product makes of a difference, of the new findings of each job, and of the jobs' sizes."""
    results = {diffs.job_id(each): list(found) for each, found in (findings or {}).items()}
    reported = dict.fromkeys(result for found in results.values() for result in found)
    worst_first = sorted(reported, key=lambda result: list(Severity).index(result.severity))
    known = {diffs.job_id(each): Sizes(*pair) for each, pair in (sizes or {}).items()}
    summary = replace(of.difference.summary, sizes=known)
    lost = tuple(map(diffs.job_id, broken))
    report = replace(of, difference=replace(of.difference, summary=summary, broken=lost))
    return review_of(report, lints.report(*worst_first, **about), results, of_updates=())


def safe() -> Review:
    """Nothing differs."""
    return review(diffs.empty())


def pull_request() -> Review:
    """One job gets more nodes, one is renamed, one goes, one cannot be built; two have something new wrong."""
    bert, llama, gpt, t5 = job("bert"), job("llama-9f2c"), job("gpt-old", "research"), job("t5", "research")
    lost = lints.result(
        NOT_FOUND,
        'ClusterTrainingRuntime "torhc" does not exist; did you mean "torch"?',
        position=lints.at("jobs/t5.yaml", 8, 11, 5),
        object="TrainJob/t5",
        namespace="research",
        related=(Note(as_message("it stands here"), lints.at("runtimes/torch.yaml", 4)),),
        excerpt=Excerpt("    name: torhc", "          ^~~~~"),
    )
    shared = lints.shared(["bert", "llama-9f2c"], rule=lints.TAG, message='image "acme/train" has no tag; name one')
    findings = {t5: [lost], bert: shared[:1], llama: shared[1:]}
    sizes = {
        bert: (totals(1, 2, 16, gpus="8"), totals(1, 4, 32, gpus="32")),
        llama: (totals(1, 2, 8, gpus="16"), totals(1, 2, 8, gpus="16", **{"amd.com/gpu": "2"})),
        gpt: (totals(1, 1, 4, gpus="4"), None),
        t5: (totals(1, 1, 8, gpus="8"), None),
    }
    return review(diffs.pull_request(), findings, sizes, [t5], unchecked=(lints.CAUSE,), existing=7)


def kept() -> Review:
    """Something new that hurts nobody, beside a base that cannot be built in full."""
    added = diffs.added(diffs.identity("JobSet", "模型"), job=job("模型"))
    lost = job("lost")
    message = as_message('ClusterTrainingRuntime "a" is gone')
    problem = FileError("old", "KTJ201", "runtime-not-found", message, SourceLine("jobs/a.yaml", 8))
    of = diffs.report(
        [added], ("main", "feature"), (NONE, totals(1, 1, 8, gpus="8")), unbuilt=[lost], problems=[problem]
    )
    sizes = {job("模型"): (None, totals(1, 1, 8, gpus="8")), lost: (None, totals(1, 2, 2))}
    return review(of, {job("模型"): [lints.result(lints.HINT, "no deadline", object="TrainJob/模型")]}, sizes)


def bump(count: int = 40) -> Review:
    """An image of a runtime changes under many jobs, which every state rejects."""
    of = diffs.image_bump(count)
    sizes = dict.fromkeys(of.difference.summary.changed, (totals(1, 4, 32, gpus="32"),) * 2)
    return review(of, {}, sizes)
