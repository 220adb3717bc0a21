"""The rights that the commands need in a namespace: the Role of the manual, and what `doctor` checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Right(NamedTuple):
    """The verbs for one resource; `subresource` as in `pods/log`. Without `applies`, only other commands need them."""

    group: str
    resource: str
    verbs: tuple[str, ...]
    subresource: str = ""
    applies: bool = True

    def __str__(self) -> str:
        name = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return f"{name}.{self.group}" if self.group else name


class RoleRule(NamedTuple):
    """A rule of the Role. `condition` says which clusters need it, "" for all; for `applies` see Right."""

    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    condition: str = ""
    applies: bool = True

    @property
    def rights(self) -> Iterator[Right]:
        """One for each resource."""
        for group in self.groups:
            for name in self.resources:
                resource, _, subresource = name.partition("/")
                yield Right(group, resource, self.verbs, subresource, self.applies)


_WRITE = ("get", "list", "create", "patch", "delete")
_WATCH = ("get", "list", "watch")
_ALL = ("get", "list", "watch", "create", "patch", "delete")
_TRAINER, _KUEUE = "With --emit trainjob", "With Kueue"

ROLE = (
    RoleRule(("jobset.x-k8s.io",), ("jobsets",), _ALL),
    RoleRule(("",), ("configmaps",), _WRITE),
    RoleRule(("scheduling.x-k8s.io", "scheduling.volcano.sh"), ("podgroups",), _WRITE),
    RoleRule(("batch",), ("jobs",), (*_WATCH, "create")),
    RoleRule(("",), ("secrets",), ("get", "create", "delete")),
    RoleRule(("",), ("pods", "events"), _WATCH, applies=False),
    RoleRule(("",), ("pods/log",), ("get",), applies=False),
    RoleRule(("trainer.kubeflow.org",), ("trainjobs", "trainingruntimes"), _ALL, _TRAINER),
    RoleRule(("kueue.x-k8s.io",), ("workloads",), (*_WATCH, "patch"), _KUEUE, applies=False),
    RoleRule(("kueue.x-k8s.io",), ("localqueues",), ("get", "list"), _KUEUE, applies=False),
)
"""Rules for groups that a cluster does not serve do not count there."""
