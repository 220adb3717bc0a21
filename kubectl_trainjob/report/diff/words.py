"""The words of text, Markdown and HTML about objects, causes and problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kubectl_trainjob.explain.path import show
from kubectl_trainjob.kube.updates.result import STATES, RejectedChange, State
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.message import Message, joined, plural, say, truncate
from kubectl_trainjob.model.stages import JobId, ObjectId
from kubectl_trainjob.report.blocks import Rejection
from kubectl_trainjob.report.diff.grouped_objects import GroupedObjects, places
from kubectl_trainjob.report.phrases import first_of, located
from kubectl_trainjob.review.diff.changes import Change
from kubectl_trainjob.review.diff.view import CauseView, FileError, ObjectView, Report, SourceLine, Sources

_MOST_OVERLAYS = 6  # that are named for one object
_MOST_PLACES = 3  # of one member of a group


def rejections(view: ObjectView) -> list[Rejection]:
    """The reasons that no value of the object is marked with, each once."""
    states = group(((_path(view.change, each), each.reason), each.state) for each in view.rejections)
    return [Rejection(path, _rejection(_when(view.change, found), reason)) for (path, reason), found in states.items()]


def _rejection(when: Message, reason: Message) -> Message:
    return say("is rejected {}: {}", when, reason) if when else say("is rejected: {}", reason)


def rejected_when(change: Change, rejected: Sequence[RejectedChange]) -> Message:
    """When a value is rejected; empty where the consequence says it for all values."""
    return _when(change, list(dict.fromkeys(rejection.state for rejection in rejected)))


def _when(change: Change, states: list[State]) -> Message:
    if set(states) == (change.update_result.rejected_in if change.update_result else set()):
        return Message()
    return say("in every state") if len(states) == len(STATES) else say("while {}", in_states(states))


def in_states(states: Sequence[State]) -> Message:
    """`running or suspending`, as words."""
    return joined(map(Message, states), last=" or ")


def _path(change: Change, rejection: RejectedChange) -> str:
    body = change.old if rejection.is_gone else change.new
    return truncate(show(body or {}, rejection.pointer))


def called(identity: ObjectId) -> str:
    """`namespace/name`, or the name of an object without a namespace."""
    return f"{identity.namespace}/{identity.name}" if identity.namespace else identity.name


def _of_overlays(overlays: Iterable[str]) -> Message:
    """`overlays/dev, overlays/prod and 3 more`."""
    found = [say("{}", each) if each else say("no overlay") for each in dict.fromkeys(overlays)]
    return first_of(found, _MOST_OVERLAYS)


class JobNames:
    """Names TrainJobs: with their overlays where several build one of that name."""

    def __init__(self, report: Report) -> None:
        summary = report.difference.summary
        lists = (summary.added, summary.removed, summary.changed, report.difference.unbuilt)
        jobs = {job for jobs in lists for job in jobs} | {job for cause in summary.causes for job in cause.jobs}
        counts = Counter(job.identity for job in jobs)
        self._shared = {identity for identity, count in counts.items() if count > 1}

    def of(self, jobs: Iterable[JobId]) -> list[Message]:
        """Each name once, `ml/bert (overlays/dev, overlays/prod)`."""
        return [self._name(identity, overlays) for identity, overlays in group(jobs).items()]

    def _name(self, identity: ObjectId, overlays: list[str]) -> Message:
        name = called(identity)
        return say("{} ({})", name, _of_overlays(overlays)) if identity in self._shared else say("{}", name)


def members(objects: GroupedObjects) -> list[Message]:
    """The objects of a group, `ml/bert (renamed from bert-1, of overlays/dev)`; each name once for all overlays."""
    found = group((_about(view, objects), view.change.overlay) for view in objects.members)
    several = len({change.overlay for change in objects.changes}) > 1
    return [_member(*parts, overlays=overlays if several else []) for parts, overlays in found.items()]


def _about(view: ObjectView, objects: GroupedObjects) -> tuple[Message, ...]:
    change = view.change
    lines = [at(line) for line in places(view, objects)[:_MOST_PLACES]]
    return say("{}", called(change.identity)), *filter(None, (counterpart(change), made_from(change), *lines))


def _member(name: Message, *about: Message, overlays: list[str]) -> Message:
    parts = [*about, say("of {}", _of_overlays(overlays))] if any(overlays) else about
    return say("{} ({})", name, joined(parts)) if parts else name


def counterpart(change: Change) -> Message:
    """The object's previous or later name; empty for one that keeps its name."""
    other = change.counterpart
    if other is None:
        return Message()
    name = called(other) if other.namespace != change.identity.namespace else other.name
    return say("renamed from {}" if change.change == "added" else "renamed to {}", name)


def made_from(change: Change) -> Message:
    """The TrainJob that the object is generated from, where its name does not say so."""
    job = change.job
    if job is None or job.name == change.identity.name:
        return Message()
    return say("generated from TrainJob {}", called(job))


def consequence(changes: Sequence[Change]) -> Message:
    """What the change does in a cluster, as a sentence about the object or each of several.

    Empty where that is unknown, and for what is only new.
    """
    words = changes[0].consequence
    if changes[0].change == "added" or not words:
        return Message()
    return say("It {}." if len(changes) == 1 else "Each {}.", words)


def named_after(change: Change) -> Message:
    """A note on values that are those of one object of several."""
    return say("The values are those of {}; the others have their own names there.", called(change.identity))


def caused(view: CauseView) -> Message:
    """What causes a change, and its line."""
    return say("{} in {} (removed)" if view.cause.is_gone else "{} in {}", view.cause.what, at(view.at))


def new_runs(count: int) -> Message:
    """The words before the names of TrainJobs that are printed as they were."""
    jobs = plural(count, "TrainJob stays", "TrainJobs stay")
    return say("{} as written, but new runs change:", jobs)


def found_in(changes: Sequence[Change]) -> Message:
    """The namespace and the overlays that all the objects share; empty where there is neither."""
    change = changes[0]
    parts: list[Message] = []
    if change.identity.namespace and len({each.identity.namespace for each in changes}) == 1:
        parts.append(say("in namespace {}", change.identity.namespace))
    overlays = {each.overlay for each in changes}
    if len(overlays) > 1 and all(overlays):
        parts.append(say("of {} overlays", len(overlays)))
    elif len(overlays) == 1 and change.overlay:
        parts.append(say("of overlay {}", change.overlay))
    return joined(parts)


def problem(error: FileError, report: Report) -> Message:
    """`a.yaml:4: KTJ201 runtime-not-found in main: ...`."""
    side = {"old": report.old, "new": report.new, "both": ""}[error.side]
    rule = f"{error.rule} {error.name}"
    of = say(" in {}", side) if side else Message()
    return say("{}: {}{}: {}", at(error.at), rule, of, error.message)


def unread(report: Report) -> list[Message]:
    """What cannot be built in full, in base or head."""
    found = []
    for unit in report.difference.incomplete:
        names = [name for name, is_it in ((report.old, unit.is_old), (report.new, unit.is_new)) if is_it]
        what = say("{}", unit.overlay) if unit.overlay else say("some files")
        found.append(say("{} {}", what, joined((say("of {}", name) for name in names), " and ")))
    return found


def where(sources: Sources) -> Message:
    """The lines of the old and the new value, `a.yaml:4 → b.yaml:7`, or one: the other is the same, or unknown."""
    old, new = sources
    if old is None or new is None or old == new:
        line = new or old
        return at(line) if line else Message()
    return say("{} → {}", at(old), f":{new.line}" if new.file == old.file else at(new))


def at(line: SourceLine) -> Message:
    """`file:line`."""
    return located(line.file, line.line)
