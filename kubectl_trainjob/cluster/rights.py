"""The rights that the commands need in a namespace, as rows of a Role."""

from __future__ import annotations

from typing import NamedTuple


class Right(NamedTuple):
    """The verbs for one resource; `subresource` as in `pods/log`. Without `applies`, only status and logs need them."""

    group: str
    resource: str
    verbs: tuple[str, ...]
    subresource: str = ""
    applies: bool = True

    def __str__(self) -> str:
        name = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return f"{name}.{self.group}" if self.group else name


_WRITE = ("get", "list", "create", "patch", "delete")
_ALL = ("get", "list", "watch", "create", "patch", "delete")

RIGHTS = (
    Right("jobset.x-k8s.io", "jobsets", _ALL),
    Right("", "configmaps", _WRITE),
    Right("scheduling.x-k8s.io", "podgroups", _WRITE),
    Right("scheduling.volcano.sh", "podgroups", _WRITE),
    Right("batch", "jobs", ("get", "list", "create")),
    Right("", "secrets", ("get", "create", "delete")),
    Right("", "pods", ("get", "list", "watch"), applies=False),
    Right("", "pods", ("get",), "log", applies=False),
    Right("", "events", ("get", "list", "watch"), applies=False),
    Right("trainer.kubeflow.org", "trainjobs", _ALL),
    Right("trainer.kubeflow.org", "trainingruntimes", _ALL),
    Right("kueue.x-k8s.io", "workloads", ("get", "list", "watch", "patch"), applies=False),
    Right("kueue.x-k8s.io", "localqueues", ("get", "list"), applies=False),
)
"""The table of the manual. Rows of groups that a cluster does not serve do not count there."""
