"""The set, and the runs, that stay in the old namespace if all objects of a repository get another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_trainjob.cluster import marks
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.errors import ApiError
from kubectl_trainjob.cluster.jobs.sets import config_map_set, object_of
from kubectl_trainjob.cluster.result import ObjectResult, SetName, set_named
from kubectl_trainjob.cluster.runs import is_run
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.stages import Body


def sets_that_stay(api: Api, name: SetName, objects: Iterable[ObjectResult]) -> list[str]:
    """A note for each set of this name in another namespace that has runs of these names.

    None without the right to list ConfigMaps in all namespaces, because the apply itself does not need it.
    """
    runs = {(each.id.kind, each.id.name) for each in objects if is_run(each.id)}
    try:
        resource = api.resource(name.parent)
        found = list(api.list(resource, "", marks.APPLYSET_ID, fields=f"metadata.name={name.name}"))
    except (ApiError, EnvironmentFault):
        return []
    return [note for live in found for note in _notes(live, name, runs)]


def _notes(live: Body, name: SetName, runs: set[tuple[str, str]]) -> Iterator[str]:
    namespace = live["metadata"]["namespace"]
    known = config_map_set(live)
    if namespace == name.namespace or known.id != set_named(name.kind, namespace, name.name).id:
        return
    ids = map(object_of, known.inventory.values())
    count = sum(each.namespace == namespace and (each.kind, each.name) in runs for each in ids)
    if count:
        what = "1 run of the same name stays" if count == 1 else f"{count} runs of the same names stay"
        kinds = marks.annotation(live, marks.GROUP_KINDS)
        command = f"kubectl delete {kinds} -n {namespace} -l {marks.PART_OF}={known.id}"
        yield f"{what} in namespace {namespace}, in the set {name}; to delete all objects of that set: {command}"
