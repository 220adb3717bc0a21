"""Which TrainJobs differ, and what each of them and all together request, before and after."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.review.diff.causes import listed
from kubectl_trainjob.review.diff.changes import Cause, ComparedJob, Difference, Group, Sizes, Summary, Totals
from kubectl_trainjob.review.diff.pairing import SAME, JobPair
from kubectl_trainjob.review.diff.totals import NOTHING, add, total

SharedTotals = Sequence[tuple[Group, Totals]]
"""The queues and requests of the TrainJobs that are equal in base and head."""


class JobPairs(NamedTuple):
    """The TrainJobs that differ, and those that one tree does not know fully; `unbuilt` are those of base and head."""

    differing: Sequence[JobPair]
    unknown: Sequence[JobPair]
    unbuilt: tuple[Container[ObjectId], Container[ObjectId]]


def groups_of(pairs: Sequence[JobPair], shared: SharedTotals) -> Mapping[Group, tuple[Totals, Totals]]:
    """What all TrainJobs of the pairs request, before and after, and those that are equal in base and head."""
    before = _add_shared(shared, (pair.old for pair in pairs if pair.old))
    after = _add_shared(shared, (pair.new for pair in pairs if pair.new))
    return {group: (before.get(group, NOTHING), after.get(group, NOTHING)) for group in sorted({**before, **after})}


def _add_shared(shared: SharedTotals, own: Iterable[ComparedJob]) -> dict[Group, Totals]:
    found: dict[Group, Totals] = {}
    for group, totals in (*shared, *((each.group, each.totals) for each in own)):
        found[group] = add(found.get(group, NOTHING), totals)
    return found


def summary_of(
    jobs: JobPairs, groups: Mapping[Group, tuple[Totals, Totals]], causes: tuple[Cause, ...], overlay: str
) -> Summary:
    """The summary of what one overlay builds; `causes` are why the TrainJobs differ."""

    def names(compiled: Iterable[ComparedJob | None]) -> tuple[JobId, ...]:
        return tuple(JobId(job.manifest.id, overlay) for job in compiled if job)

    kept = [pair for pair in jobs.differing if pair.by in SAME]
    renamed = [pair for pair in jobs.differing if pair.by and pair.by not in SAME]
    return Summary(
        added=names(pair.new for pair in jobs.differing if pair.by not in SAME),
        removed=names(pair.old for pair in jobs.differing if pair.by not in SAME),
        changed=names(pair.new for pair in kept),
        renamed=tuple(zip(names(p.old for p in renamed), names(p.new for p in renamed), strict=True)),
        before=total(before for before, _ in groups.values()),
        after=total(after for _, after in groups.values()),
        groups=groups,
        causes=causes,
        sizes=dict(_sizes(jobs, overlay)),
    )


def _sizes(jobs: JobPairs, overlay: str) -> Iterator[tuple[JobId, Sizes]]:
    for pair in (*jobs.differing, *jobs.unknown):
        sides = zip(pair[:2], jobs.unbuilt, strict=True)
        sizes = [job.totals if job and job.manifest.id not in unbuilt else None for job, unbuilt in sides]
        named = pair.new or pair.old
        assert named is not None
        yield JobId(named.manifest.id, overlay), Sizes(*sizes)


def merge(every: Sequence[Difference]) -> Difference:
    """The differences of several units as one.

    A TrainJob that several overlays build counts for each of them: it runs in several clusters, or under several names.
    """
    summaries = [each.summary for each in every]
    return Difference(
        changes=tuple(change for each in every for change in each.changes),
        summary=Summary(
            added=tuple(job for each in summaries for job in each.added),
            removed=tuple(job for each in summaries for job in each.removed),
            changed=tuple(job for each in summaries for job in each.changed),
            renamed=tuple(job for each in summaries for job in each.renamed),
            before=total(each.before for each in summaries),
            after=total(each.after for each in summaries),
            groups=_groups(summaries),
            causes=listed(cause for each in summaries for cause in each.causes),
            sizes={job: sizes for each in summaries for job, sizes in each.sizes.items()},
        ),
        unbuilt=tuple(job for each in every for job in each.unbuilt),
        broken=tuple(job for each in every for job in each.broken),
        incomplete=tuple(unit for each in every for unit in each.incomplete),
    )


def _groups(summaries: Iterable[Summary]) -> dict[Group, tuple[Totals, Totals]]:
    found: dict[Group, tuple[Totals, Totals]] = {}
    for summary in summaries:
        for group, (before, after) in summary.groups.items():
            known = found.get(group, (NOTHING, NOTHING))
            found[group] = add(known[0], before), add(known[1], after)
    return dict(sorted(found.items()))
