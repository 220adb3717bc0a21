"""KTJ607: A PodGroup finds its Pods by a mark that they carry: the label `scheduling.x-k8s.io/pod-group` for the
scheduler-plugins, the annotation `scheduling.k8s.io/group-name` for Volcano."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_trainjob.kube.facts.trainer import POD_GROUP
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.marks import MARKS, Mark, Template, Workload, workloads
from kubectl_trainjob.lint.views import LintContext
from kubectl_trainjob.model.diagnostic import Edit, Fix, set_value
from kubectl_trainjob.model.message import listed, say
from kubectl_trainjob.model.stages import Manifest

_MOST_SHOWN = 3  # PodGroups that may have been meant
_NO_GROUP = 'the PodGroup "{}" does not exist, and no Pod is a member of {}; write the name of an existing PodGroup'
_NO_MARK = 'the Pods of {} "{}" are not members of the PodGroup of this name: they lack the {} {}; add it'


def find(context: LintContext) -> Iterator[Hit]:
    """Pods with the name of a missing PodGroup, or without the mark of a PodGroup that is otherwise empty."""
    for api_version, mark in MARKS.items():
        groups = [each for each in context.objects if each.id.kind == POD_GROUP and each.id.api_version == api_version]
        if groups:
            yield from _of_scheduler(groups, mark, list(workloads(context, mark)))


def _of_scheduler(groups: Sequence[Manifest], mark: Mark, members: Sequence[Workload]) -> Iterator[Hit]:
    """What does not match between the PodGroups and the Pods of one scheduler."""
    named = {(each.namespace, name) for each in members for name in each.names}
    existing = {(each.id.namespace or "default", each.id.name): each for each in groups}
    unused = {key: group for key, group in existing.items() if key not in named}
    by_namespace: dict[str, list[Manifest]] = {}
    for (namespace, _), group in unused.items():
        by_namespace.setdefault(namespace, []).append(group)
    for each in members:
        others = by_namespace.get(each.namespace, [])
        for template in each.templates if others else ():
            name = mark.of(template.metadata)
            if name is not None and (each.namespace, name) not in existing:
                yield _other_name(each, template, name, others, mark)
        if (each.namespace, each.manifest.id.name) in unused and not each.names:
            yield _no_mark(each, unused[each.namespace, each.manifest.id.name], mark)


def _other_name(each: Workload, template: Template, name: str, others: Sequence[Manifest], mark: Mark) -> Hit:
    """Pods that name a PodGroup that does not exist, where another one has no Pods."""
    place = each.owner.place(*template.pointer, *mark.pointer)
    names = [other.id.name for other in others]
    related = tuple((say("no Pod names this PodGroup"), other.place("metadata", "name")) for other in others)
    fix = Fix(say('name the PodGroup "{}"', names[0]), (set_value(place, names[0]),), is_safe=False)
    message = say(_NO_GROUP, name, listed(names[:_MOST_SHOWN], "or"))
    return Hit(message, place, related[:_MOST_SHOWN], fix if len(others) == 1 else None)


def _no_mark(each: Workload, group: Manifest, mark: Mark) -> Hit:
    """A workload with a PodGroup's name whose Pods are not marked."""
    message = say(_NO_MARK, each.manifest.id.kind, each.manifest.id.name, mark.kind, mark.key)
    if each.owner is not each.manifest:  # a runtime, which other TrainJobs share
        message = say("{}, or let the runtime's podGroupPolicy generate both", message)
        return Hit(message, group.place("metadata", "name"))
    edits = tuple(_mark_pods(each.owner, template, mark, group) for template in each.templates)
    place = each.owner.place(*each.templates[0].pointer, *mark.pointer)
    fix = Fix(say('make the Pods members of "{}"', group.id.name), edits)
    return Hit(message, place, ((say("the PodGroup"), group.place("metadata", "name")),), fix)


def _mark_pods(owner: Manifest, template: Template, mark: Mark, group: Manifest) -> Edit:
    """The mark, with the mappings around it that do not exist."""
    value: object = group.id.name
    pointer = mark.pointer
    if not template.metadata.get(mark.field):
        value, pointer = {pointer[-1]: value}, pointer[:-1]
    if not template.metadata:
        value, pointer = {pointer[-1]: value}, pointer[:-1]
    return set_value(owner.place(*template.pointer, *pointer), value)
