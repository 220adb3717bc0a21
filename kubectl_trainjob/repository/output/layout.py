"""Which file each object of a build is kept in.

An object that states no namespace stands in `KIND_NAME.yaml`, any other in `namespaces/NAMESPACE/KIND_NAME.yaml`.
KIND is what kubectl calls it, in lower case: `configmap`, `deployment.apps`. The group is left out for the core group
and for the kinds that this tool is about (`jobset`, `podgroup`, `trainjob` and the runtimes).

The path depends on the object alone, so that it stays when other objects come and go, and holds `a-z0-9.-_` only, so
that it means one file on every file system. Where kind, namespace or name cannot be written so (`system:node`, what
Windows reserves, what is longer than a file's name may be), it is written as near as possible, and a digest of the
whole follows behind one more "_". The same happens to objects whose kinds differ in nothing but case.

Who applies the files in the order of their paths, as `kubectl apply -R -f` does, comes to a Namespace before what lives
in it, and to a runtime before its TrainJobs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from kubectl_trainjob.kube.facts.kinds import KindRole, group_of, kinds_with
from kubectl_trainjob.model.stages import ObjectId

LONGEST = 200
"""The bytes of the longest name of a file or folder; file systems allow 255, some tools that add to it less."""

_SUFFIX = ".yaml"
# A kind that is added here gets another file in every repository that has one.
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
    """The path of each object, relative and with "/" between folders, in the given order.

    Raises ValueError when two objects are the same one to Kubernetes.
    """
    every = list(identities)
    paths = [_path(identity) for identity in every]
    uses = Counter(paths)
    placed = [
        path if uses[path] == 1 else _path(identity, is_marked=True)
        for path, identity in zip(paths, every, strict=True)
    ]
    if len(set(placed)) < len(placed):
        raise ValueError("an object is given twice")
    return placed


def _path(identity: ObjectId, *, is_marked: bool = False) -> str:
    file = _file(identity, is_marked)
    return f"namespaces/{_folder(identity.namespace)}/{file}" if identity.namespace else file


def _folder(namespace: str) -> str:
    if _NAMESPACE.fullmatch(namespace) and namespace not in _DEVICES:
        return namespace
    return f"{_near(namespace, _KIND_SHOWN)}_{_digest(namespace)}"


def _file(identity: ObjectId, is_marked: bool) -> str:
    resource = _resource(identity)
    file = f"{resource.lower()}_{identity.name}{_SUFFIX}"
    is_regular = _RESOURCE.fullmatch(resource) and _NAME.fullmatch(identity.name) and len(file) <= LONGEST
    if is_regular and not is_marked and file.partition(".")[0] not in _DEVICES:
        return file
    shown = f"{_near(resource, _KIND_SHOWN)}_{_near(identity.name, _NAME_SHOWN)}"
    whole = group_of(identity.api_version), identity.kind, identity.namespace, identity.name
    return f"{shown}_{_digest(*whole)}{_SUFFIX}"


def _resource(identity: ObjectId) -> str:
    group = group_of(identity.api_version)
    return identity.kind if group == _GROUPS.get(identity.kind, "") else f"{identity.kind}.{group}"


def _near(text: str, longest: int) -> str:
    return _UNSUITABLE.sub("-", text.lower())[:longest].strip("-")


def _digest(*parts: str) -> str:
    return sha256(ascii(parts).encode()).hexdigest()[:_DIGITS]
