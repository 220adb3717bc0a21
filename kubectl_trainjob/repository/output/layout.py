"""The file of each object of a build.

An object without a namespace has the file `KIND_NAME.yaml`, any other `namespaces/NAMESPACE/KIND_NAME.yaml`. KIND is
the name in kubectl, in lower case: `configmap`, `deployment.apps`. It has no group for the core group and for the kinds
of this tool (`jobset`, `podgroup`, `trainjob` and the runtimes).

The path depends only on the object, therefore other objects do not change it. It consists of `a-z0-9.-_`, therefore it
means one file on every file system. Other characters (`system:node`) are replaced by similar ones, then by "_" and a
digest of the whole. The same is true for names that Windows reserves, too long names, and kinds that differ only in
case.

`kubectl apply -R -f` uses the order of these paths: a Namespace before its objects, a runtime before its TrainJobs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256

from kubectl_trainjob.kube.facts.kinds import KindRole, group_of, kinds_with
from kubectl_trainjob.model.stages import ObjectId

LONGEST = 200
"""The bytes of the longest file name; file systems allow 255, tools that extend names allow less."""

_SUFFIX = ".yaml"
# A kind that is added here gets another path in every repository.
_OURS = (KindRole.TRAINING_JOB, KindRole.RUNTIME, KindRole.JOB_SET, KindRole.POD_GROUP)
_GROUPS = {kind.name: kind.group for kind in kinds_with(*_OURS)}
_RESOURCE = re.compile(r"[A-Za-z0-9]+(\.[a-z0-9][a-z0-9.-]*)?")
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_UNSUITABLE = re.compile(r"[^a-z0-9]+")
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))))
_DIGITS = 12
_KIND_SHOWN, _NAME_SHOWN = 63, 100


def layout(identities: Iterable[ObjectId]) -> list[str]:
    """The path of each object, relative and with "/" between directories, in the given order.

    Raises ValueError for two objects that Kubernetes cannot distinguish.
    """
    every = list(_number(identities))
    paths = [_path(identity) for identity in every]
    uses = Counter(paths)
    placed = [
        path if uses[path] == 1 else _path(identity, is_marked=True)
        for path, identity in zip(paths, every, strict=True)
    ]
    if len(set(placed)) < len(placed):
        raise ValueError("duplicate object")
    return placed


def _number(identities: Iterable[ObjectId]) -> Iterator[ObjectId]:
    """Objects with generateName differ by a number, after a space that no name has."""
    seen = Counter[ObjectId]()
    for each in identities:
        seen[each] += 1
        yield each if each.name or seen[each] == 1 else replace(each, name=f"generated {seen[each]}")


def _path(identity: ObjectId, *, is_marked: bool = False) -> str:
    file = _file(identity, is_marked)
    namespace = folder = identity.namespace
    if namespace in _DEVICES or not _NAMESPACE.fullmatch(namespace):
        folder = f"{_near(namespace, _KIND_SHOWN)}_{_digest(namespace)}"
    return f"namespaces/{folder}/{file}" if namespace else file


def _file(identity: ObjectId, is_marked: bool) -> str:
    group = group_of(identity.api_version)
    resource = identity.kind if group == _GROUPS.get(identity.kind, "") else f"{identity.kind}.{group}"
    file = f"{resource.lower()}_{identity.name}{_SUFFIX}"
    is_regular = _RESOURCE.fullmatch(resource) and _NAME.fullmatch(identity.name) and len(file) <= LONGEST
    if is_regular and not is_marked and file.partition(".")[0] not in _DEVICES:
        return file
    shown = f"{_near(resource, _KIND_SHOWN)}_{_near(identity.name, _NAME_SHOWN)}"
    whole = group, identity.kind, identity.namespace, identity.name
    return f"{shown}_{_digest(*whole)}{_SUFFIX}"


def _near(text: str, longest: int) -> str:
    return _UNSUITABLE.sub("-", text.lower())[:longest].strip("-")


def _digest(*parts: str) -> str:
    return sha256(ascii(parts).encode()).hexdigest()[:_DIGITS]
