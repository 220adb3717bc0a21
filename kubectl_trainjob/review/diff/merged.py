"""Several differences as one: what is compared for itself, as each overlay is, is told together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubectl_trainjob.review.diff.causes import listed
from kubectl_trainjob.review.diff.changes import Difference, Group, Summary, Totals
from kubectl_trainjob.review.diff.totals import NOTHING, add, total


def merged(every: Sequence[Difference]) -> Difference:
    """The differences of several units.

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
