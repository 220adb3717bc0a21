"""The labels, annotations and names by which we know our objects in a cluster. They are part of the contract."""

from __future__ import annotations

import base64
import hashlib
from typing import Literal

from kubectl_trainjob.kube.facts.run_hash import RUN_ANNOTATION
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

Policy = Literal["never", "when-terminal", "when-suspended", "always"]
POLICIES: tuple[Policy, ...] = ("never", "when-terminal", "when-suspended", "always")

APPLYSET_ID = "applyset.kubernetes.io/id"
TOOLING = "applyset.kubernetes.io/tooling"
GROUP_KINDS = "applyset.kubernetes.io/contains-group-kinds"
NAMESPACES = "applyset.kubernetes.io/additional-namespaces"
PART_OF = "applyset.kubernetes.io/part-of"

TRAIN_JOB = "kubectl-trainjob.dev/trainjob"
RUN_HASH = "kubectl-trainjob.dev/run-hash"
RECREATE = "kubectl-trainjob.dev/recreate"
RUN = RUN_ANNOTATION
PRUNE = "kubectl-trainjob.dev/prune"
RECONCILE = "kubectl-trainjob.dev/reconcile"
ADOPT_FROM = "kubectl-trainjob.dev/adopt-from"
DEADLINE = "kubectl-trainjob.dev/active-deadline-seconds"
DISABLED = "disabled"


def label(live: Body, name: str) -> str:
    """A label of a live object, "" for none."""
    return str(value_at(live, ("metadata", "labels", name)) or "")


def annotation(live: Body, name: str) -> str:
    """An annotation of a live object, "" for none."""
    return str(value_at(live, ("metadata", "annotations", name)) or "")


def applyset_id(name: str, namespace: str, kind: str, group: str) -> str:
    """The id of the set whose parent is this object. Mirrors KEP-3659."""
    text = f"{name}.{namespace}.{kind}.{group}".encode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode().rstrip("=")
    return f"applyset-{digest}-v1"
