"""KTJ607: A PodGroup finds its Pods by a mark that they carry: the label `scheduling.x-k8s.io/pod-group` for the
scheduler-plugins, the annotation `scheduling.k8s.io/group-name` for Volcano."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubectl_trainjob.lint.check import TreeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.marks import MARKS, Mark, Workload, workloads
from kubectl_trainjob.lint.views import Surroundings
from kubectl_trainjob.model.diagnostic import Edit, Fix, set_value
from kubectl_trainjob.model.rules import GANG_MEMBERSHIP
from kubectl_trainjob.model.stages import Manifest

_SHOWN = 3  # PodGroups that may have been meant


def _find(around: Surroundings) -> Iterator[Hit]:
    for api_version, mark in MARKS.items():
        groups = [each for each in around.objects if each.id.kind == "PodGroup" and each.id.api_version == api_version]
        if groups:
            yield from _of_scheduler(groups, mark, list(workloads(around, mark)))


def _of_scheduler(groups: Sequence[Manifest], mark: Mark, members: Sequence[Workload]) -> Iterator[Hit]:
    """What is wrong between the PodGroups and the Pods of one scheduler."""
    named = {(each.namespace, name) for each in members for name in each.names}
    there = {(each.id.namespace or "default", each.id.name): each for each in groups}
    unused = {key: group for key, group in there.items() if key not in named}
    by_namespace: dict[str, list[Manifest]] = {}
    for (namespace, _), group in unused.items():
        by_namespace.setdefault(namespace, []).append(group)
    for each in members:
        others = by_namespace.get(each.namespace, [])
        for template in each.templates if others else ():
            name = mark.of(template.metadata)
            if name is not None and (each.namespace, name) not in there:
                yield _another(each, template.pointer, name, others, mark)
        if (each.namespace, each.manifest.id.name) in unused and not each.names:
            yield _missing(each, unused[each.namespace, each.manifest.id.name], mark)


def _another(each: Workload, template: tuple[str | int, ...], name: str, others: Sequence[Manifest], mark: Mark) -> Hit:
    """Pods that name a PodGroup that is not there, beside one that no Pod names."""
    place = each.owner.place(*template, *mark.pointer)
    candidates = " or ".join(f'"{other.id.name}"' for other in others[:_SHOWN])
    message = (
        f'the PodGroup "{name}" is not there, and no Pod is a member of {candidates}; name a PodGroup that is there'
    )
    related = tuple(("no Pod names this PodGroup", other.place("metadata", "name")) for other in others[:_SHOWN])
    fix = Fix(f"name the PodGroup {others[0].id.name}", (set_value(place, others[0].id.name),), is_safe=False)
    return Hit(message, place, related, fix if len(others) == 1 else None)


def _missing(each: Workload, group: Manifest, mark: Mark) -> Hit:
    """A workload of a PodGroup's name whose Pods are not marked."""
    message = (
        f'the Pods of {each.manifest.id.kind} "{each.manifest.id.name}" are no members of the PodGroup of this name: '
        f"they lack the {mark.kind} {mark.key}; add it"
    )
    related = (("the PodGroup", group.place("metadata", "name")),)
    if each.owner is not each.manifest:  # a runtime, which other TrainJobs share
        return Hit(f"{message}, or let the runtime's podGroupPolicy make both", group.place("metadata", "name"))
    changes = tuple(_added(each.owner, template.pointer, template.metadata, mark, group) for template in each.templates)
    fix = Fix(f"make the Pods members of {group.id.name}", changes)
    return Hit(message, each.owner.place(*each.templates[0].pointer, *mark.pointer), related, fix)


def _added(
    owner: Manifest, template: tuple[str | int, ...], metadata: Mapping[str, Any], mark: Mark, group: Manifest
) -> Edit:
    """The mark, with the mappings around it that are not there."""
    value: object = group.id.name
    pointer = mark.pointer
    if not metadata.get(mark.field):
        value, pointer = {pointer[-1]: value}, pointer[:-1]
    if not metadata:
        value, pointer = {pointer[-1]: value}, pointer[:-1]
    return set_value(owner.place(*template, *pointer), value)


CHECK = TreeCheck(GANG_MEMBERSHIP, _find)
