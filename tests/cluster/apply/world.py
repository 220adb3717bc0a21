"""A set before and after a change of its files, whose apply creates, changes, recreates, prunes and makes a Secret."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.cluster.apply.inputs import NOWHERE, Object, config, job
from tests.cluster.apply.site import KINDS, Site

SET = "world"
ARGUMENTS = ("--applyset", SET, "--prune")
_ALWAYS = {"kubectl-trainjob.dev/recreate": "always"}
_MEMBERS = ("JobSet", "PodGroup", "ConfigMap", "Secret")
_PART_OF = "applyset.kubernetes.io/part-of"


def jobset(name: str, **metadata: Any) -> Object:
    """A JobSet of a user, which runs until it is deleted."""
    pod = {"nodeSelector": NOWHERE, "containers": [{"name": "a", "image": "example.com/a:1"}]}
    jobs = [{"name": "a", "template": {"spec": {"template": {"spec": {**pod, "restartPolicy": "Never"}}}}}]
    head = {"apiVersion": KINDS["JobSet"], "kind": "JobSet", "metadata": {"name": name, **metadata}}
    return {**head, "spec": {"replicatedJobs": jobs}}


BEFORE = [
    job("same"),
    jobset("changes"),
    job("again", annotations=_ALWAYS),
    job("goes", "ends"),
    config("changes", "1"),
    config("goes"),
]
AFTER = [
    job("same"),
    jobset("changes", labels={"team": "a"}),
    job("again", annotations=_ALWAYS, image="example.com/train:2"),
    config("changes", "2"),
    job("mpi", "mpi"),
    job("gang", "gang"),
]
EXPECTED = {
    "JobSet/same": "unchanged",
    "JobSet/changes": "configured",
    "JobSet/again": "recreated Frozen",
    "ConfigMap/changes": "configured",
    "ConfigMap/mpi-mpi-hostfile": "created",
    "Secret/mpi-mpi-ssh-auth": "created",
    "JobSet/mpi": "created",
    "PodGroup/gang": "created",
    "JobSet/gang": "created",
    "JobSet/goes": "pruned",
    "ConfigMap/goes": "pruned",
}
STARTED = ("again", "mpi", "gang")
"""The JobSets that start once."""


def prepare(site: Site) -> dict[str, str]:
    """Bring a place into the state before: the uids of all that must stay, by `Kind/name`."""
    for foreign in (jobset("foreign"), config("foreign")):
        site.plane.client.create({**foreign, "metadata": {**foreign["metadata"], "namespace": site.namespace}})
    site.applied(*BEFORE, arguments=ARGUMENTS)
    site.ended("goes")
    site.files(*AFTER)
    stays = [("JobSet", "same"), ("JobSet", "changes"), ("JobSet", "foreign"), ("ConfigMap", "foreign")]
    return {f"{kind}/{name}": site.uid(kind, name) for kind, name in stays}


def orphans(site: Site) -> list[str]:
    """Members of kinds that the parent does not name: an apply would not find them again."""
    kinds = set(site.annotations(SET).get("contains-group-kinds", "").split(","))
    return [
        f"{kind}/{name}"
        for kind in _MEMBERS
        if not any(each.partition(".")[0] == kind for each in kinds)
        for name, one in site.all(kind).items()
        if _PART_OF in one["metadata"].get("labels", {})
    ]


def state(site: Site) -> Any:
    """All that an apply writes, without what every run has of its own: uids, times and keys."""
    entries = {key: (one.get("hash", ""), one["state"]) for key, one in site.entries(SET).items()}
    return {
        "objects": {f"{kind}/{name}": _content(one) for kind in _MEMBERS for name, one in _members(site, kind)},
        "entries": entries,
        "parent": {key: value for key, value in site.annotations(SET).items() if key != "tooling"},
    }


def _members(site: Site, kind: str) -> Iterable[tuple[str, Object]]:
    return [(name, one) for name, one in site.all(kind).items() if name != SET]


def _content(one: Object) -> str:
    metadata = one["metadata"]
    keys = sorted(one.get("data", {})) if "type" in one else one.get("data")
    owners = sorted(
        (each["manager"], each["operation"]) for each in metadata["managedFields"] if "subresource" not in each
    )
    part_of = {key: value for key, value in metadata.get("labels", {}).items() if key != _PART_OF}
    is_member = _PART_OF in metadata.get("labels", {})
    return json.dumps([one.get("spec"), keys, part_of, is_member, metadata.get("annotations"), owners], sort_keys=True)
