"""A live object after one manager applies another version of it.

Mirrors server-side apply (sigs.k8s.io/structured-merge-diff v6: merge/update.go, typed/tofieldset.go, typed/remove.go).
Fields that the manager set and no longer sets are removed with everything below them; fields without an owner stay. An
empty list with keys owns nothing. An empty mapping owns itself: when all its fields are removed, it is null, which
the schema rejects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.walk import SchemaNode
from kubectl_trainjob.kube.updates.differences import members
from kubectl_trainjob.model.source import ABSENT, Pointer
from kubectl_trainjob.model.stages import Body

_NOTHING: Mapping[str, Any] = {}
ATOMIC = frozenset(
    {
        *("configMap", "configMapKeyRef", "configMapRef", "dataSource", "fieldRef", "fileKeyRef", "labelSelector"),
        *("namespaceSelector", "nodePublishSecretRef", "preference", "resourceFieldRef", "secretKeyRef", "secretRef"),
        *("requiredDuringSchedulingIgnoredDuringExecution", "selector"),
    }
)
"""Mappings that have one owner and are replaced as a whole (x-kubernetes-map-type: atomic), which the packaged schemas
do not have. In the CRDs these names mean nothing else; `secret`, which is atomic in one of two places, is not here.
"""
ATOMIC_IN_JOBSETS = ATOMIC | {"nodeSelector"}


class AppliedObject(NamedTuple):
    """An object after an apply; `emptied` are the mappings of the new version that became null."""

    body: Any
    emptied: tuple[Pointer, ...]


def applied(live: Body, old: Body, new: Body, root: MappingNode, atomic: frozenset[str] = ATOMIC) -> AppliedObject:
    """`live`, the result of applying `old`, after applying `new`; `atomic` mappings are replaced as a whole."""
    apply = _Apply(atomic)
    return AppliedObject(apply.value(live, old, new, root, ()), tuple(apply.emptied))


class _Apply:
    """One apply, and the mappings that became null."""

    __slots__ = ("atomic", "emptied")

    def __init__(self, atomic: frozenset[str]) -> None:
        self.atomic = atomic
        self.emptied: list[Pointer] = []

    def value(self, live: Any, old: Any, new: Any, node: SchemaNode | None, at: Pointer) -> Any:
        """The value after the apply; each may be absent, but not all."""
        if new is ABSENT or (live is old and old == new):
            return live
        if isinstance(node, MappingNode) and isinstance(live, dict) and isinstance(new, dict) and self._is_shared(at):
            return self._mapping(live, old if isinstance(old, dict) else _NOTHING, new, node, at)
        if isinstance(node, ListNode) and node.keys and isinstance(live, list) and isinstance(old, list):
            return self._members(live, old, new, node, at)
        return new

    def _is_shared(self, at: Pointer) -> bool:
        return not at or at[-1] not in self.atomic

    def _mapping(
        self, live: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any], node: MappingNode, at: Pointer
    ) -> Any:
        left = {}
        for key in dict.fromkeys((*new, *live)):
            child = node.fields[key] or node.entry
            before, after = old.get(key, ABSENT), new.get(key, ABSENT)
            if not _owns(before, child) or _owns(after, child):
                left[key] = self.value(live.get(key, ABSENT), before, after, child, (*at, key))
        if left or not live or any(key not in old for key in node.defaults):
            return left
        if at[0] != "metadata":  # there the server reads null as absent
            self.emptied.append(at)
        return None

    def _members(self, live: list[Any], old: list[Any], new: list[Any], node: ListNode, at: Pointer) -> list[Any]:
        """The members of `new`, in its order; no other manager adds members."""
        known, owned, given = (members(items, node) or {} for items in (live, old, new))
        left = list(new)
        for identity, index in given.items():
            if identity in known and identity in owned:
                pair = live[known[identity]], old[owned[identity]]
                left[index] = self.value(*pair, new[index], node.item, (*at, index))
        return left


def _owns(value: Any, node: SchemaNode | None) -> bool:
    """Whether a manager that applies the value owns a field in it."""
    if value is ABSENT:
        return False
    if isinstance(node, MappingNode) and isinstance(value, dict) and value:
        fields = node.fields
        return any(fields[key] is None or _owns(entry, fields[key]) for key, entry in value.items())
    if isinstance(node, ListNode) and (node.keys or node.unique):
        return bool(value)
    return True
