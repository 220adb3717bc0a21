"""Which TrainJobs differ, and how much each of them and all together ask for, before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubectl_trainjob.model.stages import JobId
from kubectl_trainjob.review.diff.changes import Cause, Compiled, Group, Sizes, Summary, Totals
from kubectl_trainjob.review.diff.side import SAME, JobPair, Measured, Shared, Side
from kubectl_trainjob.review.diff.totals import NOTHING, add, total


class Jobs(NamedTuple):
    """The TrainJobs that differ, and those of which one of the sides, the old and the new one, does not know all."""

    differing: Sequence[JobPair]
    unknown: Sequence[JobPair]
    sides: tuple[Side, Side]


def groups_of(
    pairs: Iterable[JobPair], sides: tuple[Side, Side], shared: Shared
) -> Mapping[Group, tuple[Totals, Totals]]:
    """What all TrainJobs of the pairs ask for, before and after, with those that both sides have just so."""
    counted = {id(job) for pair in pairs for job in pair[:2] if job}
    before, after = (_added(shared, (e for e in side.jobs if id(e.compiled) in counted)) for side in sides)
    return {group: (before.get(group, NOTHING), after.get(group, NOTHING)) for group in sorted({**before, **after})}


def _added(shared: Shared, own: Iterable[Measured]) -> dict[Group, Totals]:
    found: dict[Group, Totals] = {}
    for group, totals in (*shared, *((each.group, each.totals) for each in own)):
        found[group] = add(found.get(group, NOTHING), totals)
    return found


def summary_of(
    jobs: Jobs, groups: Mapping[Group, tuple[Totals, Totals]], causes: tuple[Cause, ...], overlay: str
) -> Summary:
    """The summary of what one overlay builds; `causes` are why the TrainJobs differ."""

    def names(compiled: Iterable[Compiled | None]) -> tuple[JobId, ...]:
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


def _sizes(jobs: Jobs, overlay: str) -> Iterator[tuple[JobId, Sizes]]:
    totals = {id(each.compiled): each.totals for side in jobs.sides for each in side.jobs}
    unbuilt = [side.unbuilt for side in jobs.sides]
    for pair in (*jobs.differing, *jobs.unknown):
        known = (job and job.manifest.id not in missing for job, missing in zip(pair[:2], unbuilt, strict=True))
        sizes = (totals[id(job)] if is_known else None for job, is_known in zip(pair[:2], known, strict=True))
        named = pair.new or pair.old
        assert named is not None
        yield JobId(named.manifest.id, overlay), Sizes(*sizes)
