"""The order of an apply. If it is killed at any point, the next apply leads to the same state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.check import check
from kubectl_trainjob.cluster.desired_objects import DesiredObject
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.guards import rivals
from kubectl_trainjob.cluster.inventory import entry_id, merged
from kubectl_trainjob.cluster.members import members
from kubectl_trainjob.cluster.parent import Parent, Store, update
from kubectl_trainjob.cluster.plan import ApplyPlan
from kubectl_trainjob.cluster.prune import prune, skipped_prune
from kubectl_trainjob.cluster.recording import narrowed, new_entries, union
from kubectl_trainjob.cluster.result import ApplyResult, ObjectResult
from kubectl_trainjob.cluster.side_by_side import side_by_side
from kubectl_trainjob.cluster.steps import ApplyOptions, Step, Work, first_step
from kubectl_trainjob.cluster.write import write_all
from kubectl_trainjob.compiler.executor import Progress
from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.model.stages import ObjectId

_TYPES = ("Namespace", "CustomResourceDefinition")
_TO_RECORD = 5.0  # seconds for the last write of the parent, also if the time of the command is over
_WORDS = {"create": "created", "apply": "configured", "recreate": "recreated", "wait": "created"}


def apply(plan: ApplyPlan, options: ApplyOptions, store: Store, api: Api, progress: Progress) -> ApplyResult:
    """Apply everything. Raises EnvironmentFault and ApiError before the first write."""
    work = look_up(plan, options, store, api, progress)
    before = work._replace(members=dict(work.members))
    steps = check_all(work, plan.objects)
    if any(step.result.action == "failed" for step in steps):
        return _result(store, api, options, map(_skip, steps))
    if options.is_dry_run:
        steps = [as_if_written(step) for step in steps]
        return _result(store, api, options, steps, _pruned(before, steps))
    change = union(work, steps, _now(api))
    parent, taken = update(store, work.parent, change, new_entries(steps))
    inventory = merged(parent.inventory, options.inherited)
    steps = write_all(work._replace(parent=parent, inventory=inventory), _without_others(steps, taken))
    pruned = _pruned(before, steps)
    problem = _recorded(store, before, parent, steps, pruned)
    return _result(store, api, options, steps, [*pruned, *problem])


def look_up(plan: ApplyPlan, options: ApplyOptions, store: Store, api: Api, progress: Progress) -> Work:
    """What the cluster has of the set."""
    parent, ids = store.read(), [each.id for each in plan.objects]
    live = members(api, store.name.id, parent, ids, store.name.namespace)
    inventory = merged(parent.inventory, options.inherited)
    known = parent, inventory, live, rivals(api, ids)
    creates_types = any(each.kind in _TYPES or role_of(each) is KindRole.RUNTIME for each in ids)
    return Work(api, options, store.name.id, *known, plan.trainer, plan.locate, progress, creates_types)


def check_all(work: Work, objects: Sequence[DesiredObject]) -> list[Step]:
    """The plan of each object; runs first, because the rest of a group follows its run."""
    found: dict[ObjectId, Step] = {}
    runs: dict[tuple[str, str], Step] = {}

    def plan(item: DesiredObject) -> Step:
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


def as_if_written(step: Step) -> Step:
    """The step with the result that its write would have."""
    if not step.is_write:
        return step
    return step.ended(_WORDS[step.plan], step.result.reason, fields=step.result.fields)  # type: ignore[arg-type]


def _with_run(item: DesiredObject, run: Step) -> Step:
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


def _skip(step: Step) -> Step:
    message = "another object failed before the first write"
    return step.ended("skipped", "AfterFailure", message) if step.is_write else step


def _without_others(steps: Sequence[Step], taken: frozenset[str]) -> list[Step]:
    """Skip the groups whose run another apply starts now."""
    left = {step.desired.group: step for step in steps if step.desired.is_run and entry_id(step.desired.id) in taken}
    for group, step in left.items():
        left[group] = step.ended("kept", "Starting", "another apply starts this run")
    return [_without_other(step, left.get(step.desired.group)) for step in steps]


def _without_other(step: Step, run: Step | None) -> Step:
    if run is None:
        return step
    return run if run.desired is step.desired else _with_run(step.desired, run) if step.is_write else step


def _pruned(work: Work, steps: Sequence[Step]) -> list[ObjectResult]:
    """Only after a complete apply."""
    if not work.options.prune or not steps:
        return []
    ids = {step.desired.id for step in steps}
    if not all(step.result.is_fine for step in steps):
        return skipped_prune(work, ids)
    return prune(work, ids, sum(bool(step.result.uid) or step.result.action == "created" for step in steps))


def _recorded(
    store: Store, work: Work, parent: Parent, steps: Sequence[Step], pruned: Sequence[ObjectResult]
) -> list[ObjectResult]:
    """Write the final state of the set; the result of the parent if that fails.

    After a write the parent is read again: another apply may have removed kinds that we have just used.
    """
    work.api.extend(_TO_RECORD)
    try:
        if work.api.counts.write:
            parent = store.read()
        update(store, parent, narrowed(work, parent, steps, pruned))
    except ApiError as error:
        message = f"the inventory was not updated; apply again to update it: {error.message}"
        return [ObjectResult(store.name.parent, "failed", error.final_reason, message)]
    return []


def _now(api: Api) -> str:
    """The server's time with a random fraction: two applies in one second differ in it."""
    return f"{api.date.removesuffix('Z')}.{int(api.clock.jitter() * 1_000_000):06}Z" if api.date else ""


def _result(
    store: Store, api: Api, options: ApplyOptions, steps: Iterable[Step], others: Iterable[ObjectResult] = ()
) -> ApplyResult:
    counts = api.counts
    objects = (*(step.result for step in steps), *others)
    return ApplyResult(store.name, options.is_dry_run, objects, counts.read, counts.dry_run, counts.write)
