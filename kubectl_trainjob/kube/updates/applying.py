"""What is left of a live object when one manager applies another version of it.

Mirrors server-side apply (sigs.k8s.io/structured-merge-diff v6: merge/update.go, typed/tofieldset.go, typed/remove.go).
What the manager stated and no longer states goes, with all that stands below it; what nobody owns stays. An empty list
with keys states nothing; an empty mapping states itself, and when all that was in it goes, null is left, which the
schema refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.kube.schemas.composites import List, Object
from kubectl_trainjob.kube.updates.parts import Node, members
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
"""Mappings that have one owner and are taken as a whole (x-kubernetes-map-type: atomic), which the packaged schemas do
not tell. In the CRDs these names mean nothing else; `secret`, which is atomic in one of two places, is left out.
"""
ATOMIC_IN_JOBSETS = ATOMIC | {"nodeSelector"}


class Applied(NamedTuple):
    """An object after an apply; `emptied` are the mappings of the new version that became null."""

    body: Any
    emptied: tuple[Pointer, ...]


def applied(live: Body, old: Body, new: Body, root: Object, atomic: frozenset[str] = ATOMIC) -> Applied:
    """`live`, which came of applying `old`, after applying `new`; mappings of these names are taken as a whole."""
    apply = _Apply(atomic)
    return Applied(apply.value(live, old, new, root, ()), tuple(apply.emptied))


class _Apply:
    """One apply, and what became null."""

    __slots__ = ("atomic", "emptied")

    def __init__(self, atomic: frozenset[str]) -> None:
        self.atomic = atomic
        self.emptied: list[Pointer] = []

    def value(self, live: Any, old: Any, new: Any, node: Node | None, at: Pointer) -> Any:
        """The value that is left; each may be absent, but not all."""
        if new is ABSENT or (live is old and old == new):
            return live
        if isinstance(node, Object) and isinstance(live, dict) and isinstance(new, dict) and self._is_shared(at):
            return self._mapping(live, old if isinstance(old, dict) else _NOTHING, new, node, at)
        if isinstance(node, List) and node.keys and isinstance(live, list) and isinstance(old, list):
            return self._members(live, old, new, node, at)
        return new

    def _is_shared(self, at: Pointer) -> bool:
        return not at or at[-1] not in self.atomic

    def _mapping(
        self, live: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any], node: Object, at: Pointer
    ) -> Any:
        left = {}
        for key in dict.fromkeys((*new, *live)):
            child = node.fields[key] or node.entry
            before, after = old.get(key, ABSENT), new.get(key, ABSENT)
            if not _states(before, child) or _states(after, child):
                left[key] = self.value(live.get(key, ABSENT), before, after, child, (*at, key))
        if left or not live or any(key not in old for key in node.defaults):
            return left
        if at[0] != "metadata":  # there the server reads null as nothing
            self.emptied.append(at)
        return None

    def _members(self, live: list[Any], old: list[Any], new: list[Any], node: List, at: Pointer) -> list[Any]:
        """The members that `new` states, in its order; nobody adds members of his own."""
        known, stated, given = (members(items, node) or {} for items in (live, old, new))
        left = list(new)
        for identity, index in given.items():
            if identity in known and identity in stated:
                pair = live[known[identity]], old[stated[identity]]
                left[index] = self.value(*pair, new[index], node.item, (*at, index))
        return left


def _states(value: Any, node: Node | None) -> bool:
    """Whether a manager that applies the value owns anything in it."""
    if value is ABSENT:
        return False
    if isinstance(node, Object) and isinstance(value, dict) and value:
        fields = node.fields
        return any(fields[key] is None or _states(entry, fields[key]) for key, entry in value.items())
    if isinstance(node, List) and (node.keys or node.unique):
        return bool(value)
    return True
