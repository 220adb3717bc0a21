"""The order of an apply. Killed at any point, the next one leads to the same state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.check import check
from kubectl_trainjob.cluster.desired import Desired
from kubectl_trainjob.cluster.guards import rivals
from kubectl_trainjob.cluster.inventory import InventoryEntry, entry_id
from kubectl_trainjob.cluster.members import members
from kubectl_trainjob.cluster.parent import Parent, Store, Update, group_kind, update
from kubectl_trainjob.cluster.plan import ApplyPlan
from kubectl_trainjob.cluster.prune import prune
from kubectl_trainjob.cluster.result import ApplyResult, ObjectResult
from kubectl_trainjob.cluster.side_by_side import side_by_side
from kubectl_trainjob.cluster.steps import ApplyOptions, Progress, Step, Work, first_step
from kubectl_trainjob.cluster.write import write_all
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.model.stages import ObjectId

_TYPES = ("Namespace", "CustomResourceDefinition")


def apply(plan: ApplyPlan, options: ApplyOptions, store: Store, api: Api, progress: Progress) -> ApplyResult:
    """Apply everything. Raises EnvironmentFault and ApiError before the first write."""
    work = look_up(plan, options, store, api, progress)
    ids, parent, candidates = [each.id for each in plan.objects], work.parent, dict(work.members)
    steps = _checked(work, plan.objects)
    if any(step.result.action == "failed" for step in steps):
        return _result(store, api, options, [_skipped(step) for step in steps])
    if options.is_dry_run:
        pruned = prune(work, ids) if _may_prune(options, steps) else []
        return _result(store, api, options, map(_as_if_written, steps), pruned)
    parent, taken = update(store, parent, _union(work, steps), _new_runs(steps))
    steps = write_all(work, [_left_to_other(step) if entry_id(step.desired.id) in taken else step for step in steps])
    pruned = []
    if _may_prune(options, steps):
        pruned = prune(work._replace(members=candidates), ids)
    update(store, parent, _narrowed(work._replace(members=candidates), steps, pruned, parent))
    return _result(store, api, options, steps, pruned)


def look_up(plan: ApplyPlan, options: ApplyOptions, store: Store, api: Api, progress: Progress) -> Work:
    """What the cluster has of the set."""
    parent, ids = store.read(), [each.id for each in plan.objects]
    live = members(api, store.name.id, parent, ids, store.name.namespace)
    return Work(
        api,
        options,
        store.name.id,
        parent,
        live,
        plan.trainer,
        plan.locate,
        progress,
        rivals(api, ids),
        _has_types(ids),
    )


def _checked(work: Work, objects: Sequence[Desired]) -> list[Step]:
    """The plan of each object; runs first, because the rest of a group follows its run."""
    found: dict[ObjectId, Step] = {}
    runs: dict[tuple[str, str], Step] = {}

    def plan(item: Desired) -> Step:
        run = runs.get(item.group)
        is_left = run is not None and run.result.action in ("refused", "kept", "failed")
        return _with_run(item, run) if run is not None and is_left else check(work, item)

    for is_run in (True, False):
        part = [item for item in objects if item.is_run is is_run]
        for step in side_by_side(plan, part, partial(work.progress, "checking objects")):
            found[step.desired.id] = step
            if is_run:
                runs[step.desired.group] = step
    return _together([found[each.id] for each in objects])


def _with_run(item: Desired, run: Step) -> Step:
    step = first_step(item).ended("skipped", "WithRun", f"its run is {run.result.action}")
    return replace(step, result=replace(step.result, beside_kept=run.result.action == "kept"))


def _together(steps: list[Step]) -> list[Step]:
    """No object of a group is written if one of them may not be."""
    blocked = {step.desired.group for step in steps if step.result.action == "refused"}
    message = "another object of its group may not be written"
    return [
        step.ended("skipped", "WithRun", message) if step.is_write and step.desired.group in blocked else step
        for step in steps
    ]


def _skipped(step: Step) -> Step:
    return (
        step.ended("skipped", "AfterFailure", "another object failed before the first write") if step.is_write else step
    )


def _as_if_written(step: Step) -> Step:
    words = {"create": "created", "apply": "configured", "recreate": "recreated", "wait": "created"}
    if not step.is_write:
        return step
    return step.ended(words[step.plan], step.result.reason, fields=step.result.fields)  # type: ignore[arg-type]


def _left_to_other(step: Step) -> Step:
    return step.ended("kept", "Starting", "another apply starts this run")


def _union(work: Work, steps: Sequence[Step]) -> Update:
    """What the parent must say before the first write: all kinds and namespaces, and the runs that will start."""
    wanted = [step for step in steps if step.is_write]
    named = [step.desired.id for step in steps if step.result.action != "refused"]
    entries = {entry_id(each.desired.id): _starting(work, each) for each in wanted if _has_entry(each.desired)}
    return Update(
        frozenset(map(group_kind, named)), frozenset(each.namespace for each in named if each.namespace), entries
    )


def _starting(work: Work, step: Step) -> InventoryEntry:
    item = step.desired
    known = work.parent.inventory.get(entry_id(item.id))
    version = item.id.api_version.rpartition("/")[2]
    if step.plan == "apply" and known is not None:
        return replace(known, hash=item.hash)
    uid = step.result.uid if step.plan == "apply" else ""
    return InventoryEntry(entry_id(item.id), version, uid, item.hash, "starting", work.api.date)


def _has_entry(item: Desired) -> bool:
    return item.is_run or item.id.kind == "Secret"


def _new_runs(steps: Iterable[Step]) -> frozenset[str]:
    return frozenset(entry_id(step.desired.id) for step in steps if step.plan == "create" and step.desired.is_run)


def _narrowed(work: Work, steps: Sequence[Step], pruned: Iterable[ObjectResult], parent: Parent) -> Update:
    """What the parent says in the end: runs that were started, and only kinds and namespaces that are left."""
    gone = {each.id for each in pruned if each.action == "pruned"}
    left = {each for each in work.members if each not in gone} | {
        step.desired.id for step in steps if step.result.uid or step.result.action == "kept"
    }
    kinds = frozenset(map(group_kind, left))
    spaces = frozenset(each.namespace for each in left if each.namespace)
    entries = {entry_id(step.desired.id): entry for step in steps if (entry := _started(parent, step)) is not None}
    return Update(
        kinds,
        spaces,
        entries,
        frozenset(map(entry_id, gone)),
        parent.kinds - kinds,
        parent.namespaces - spaces,
    )


def _started(parent: Parent, step: Step) -> InventoryEntry | None:
    """The entry of a run that exists; None if nothing is to be written."""
    item = step.desired
    known = parent.inventory.get(entry_id(item.id))
    if not _has_entry(item) or not step.result.uid or step.result.action in ("refused", "failed", "skipped", "kept"):
        return None
    if known is not None and (known.state, known.uid, known.hash) == ("started", step.result.uid, item.hash):
        return None
    at = known.at if known else ""
    version = item.id.api_version.rpartition("/")[2]
    return InventoryEntry(entry_id(item.id), version, step.result.uid, item.hash, "started", at)


def _has_types(ids: Iterable[ObjectId]) -> bool:
    return any(each.kind in _TYPES or role_of(each) is KindRole.RUNTIME for each in ids)


def _may_prune(options: ApplyOptions, steps: Sequence[Step]) -> bool:
    """Only after a complete apply."""
    is_complete = all(step.result.is_fine for step in steps)
    return options.prune and bool(steps) and is_complete


def _result(
    store: Store, api: Api, options: ApplyOptions, steps: Iterable[Step], pruned: Iterable[ObjectResult] = ()
) -> ApplyResult:
    counts = api.counts
    objects = (*(step.result for step in steps), *pruned)
    return ApplyResult(store.name, options.is_dry_run, objects, counts.read, counts.dry_run, counts.write)
