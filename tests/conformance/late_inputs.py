"""JobSets with Jobs that kube-apiserver may reject: random values of every field that the JobSet CRD's schema knows.

Texts and numbers come from small pools, so that names meet (a mount and a volume, a toleration's key and its operator)
and so that about as many are right as wrong. Only what JobSet's admission accepts is of interest: see `accepted`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from kubectl_trainjob.kube.admission.jobset import jobset_problems
from kubectl_trainjob.kube.facts.jobset import API_VERSION, KIND
from kubectl_trainjob.kube.schemas.composites import ListNode, MappingNode
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.kube.schemas.scalars import Amount, Boolean, Integer, IntOrString, Scalar, Text
from kubectl_trainjob.kube.schemas.walk import SchemaNode

Body = dict[str, Any]

_NAMES = ("a", "b", "n1", "vol", "main")
_ODD = ("", "A", "a.b", "x" * 64, "a/b", "-a", "a-", "..", "../a", "a_b", " a", "é", "a=b", "1", "x" * 254)
_LABEL_KEYS = ("a", "acme.io/b", "A_1", "", "-a", "a/b/c", "Acme.io/b", "x" * 64, "acme.io/" + "x" * 63, "job-name")
_POOLS: Mapping[str, tuple[str, ...]] = {
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", "", "in"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute", "", "No"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway", "", "Do"),
    "nodeAffinityPolicy": ("Ignore", "Honor", ""),
    "nodeTaintsPolicy": ("Ignore", "Honor", ""),
    "fieldPath": (
        "metadata.name",
        "metadata.labels",
        "metadata.labels['a']",
        "metadata.annotations['A/b']",
        "metadata.labels['-']",
        "metadata.name['a']",
        "spec.host",
        "spec.nodeName",
        "status.podIP",
        "status.phase",
        "spec.schedulerName",
        "",
        "['a']",
        "x",
    ),
    "apiVersion": ("v1", "", "v2"),
    "resource": ("limits.cpu", "requests.memory", "limits.hugepages-2Mi", "limits.gpu", "", "cpu"),
    "containerName": ("a", "b", "main", ""),
    "restartPolicy": ("Always", "OnFailure", "Never", "", "NotRequired", "RestartContainer", "x"),
    "imagePullPolicy": ("Always", "IfNotPresent", "Never", "", "x"),
    "pullPolicy": ("Always", "IfNotPresent", "Never", "", "x"),
    "image": ("acme/a:1", "", " a", "a"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError", "", "x"),
    "protocol": ("TCP", "UDP", "SCTP", "", "tcp"),
    "scheme": ("HTTP", "HTTPS", "", "http"),
    "mountPath": ("/a", "/b", "a:b", "", "/c"),
    "devicePath": ("/a", "/b", "/dev/x", "", "/../a"),
    "subPath": ("a", "a/../b", "/a", ""),
    "subPathExpr": ("a", "a/../b", "/a", ""),
    "mountPropagation": ("None", "HostToContainer", "Bidirectional", "", "x"),
    "recursiveReadOnly": ("Disabled", "IfPossible", "Enabled", "", "x"),
    "path": ("a", "/a", "../a", "..a", "a/../b", "", "b"),
    "medium": ("", "Memory", "HugePages", "HugePages-2Mi", "x"),
    "type": ("", "Directory", "Socket", "File", "RuntimeDefault", "Localhost", "Unconfined", "acme.io/x", "-"),
    "localhostProfile": ("a", "/a", "../a", "", " a", "x" * 4096),
    "procMount": ("Default", "Unmasked", "", "x"),
    "dnsPolicy": ("None", "Default", "ClusterFirst", "ClusterFirstWithHostNet", "", "x"),
    "preemptionPolicy": ("Never", "PreemptLowerPriority", "", "x"),
    "ip": ("10.0.0.1", "::1", "::ffff:1.2.3.4", "010.0.0.1", "fe80::1%eth0", "", "x", "1.2.3"),
    "fsGroupChangePolicy": ("OnRootMismatch", "Always", "", "x"),
    "supplementalGroupsPolicy": ("Merge", "Strict", "", "x"),
    "seLinuxChangePolicy": ("Recursive", "MountOption", "", "x"),
    "action": ("Count", "FailJob", "FailIndex", "Ignore", "Restart", "RestartAllContainers", "", "x"),
    "status": ("True", "False", "Unknown", "", "x"),
    "succeededIndexes": ("", "0", "0-1", "1,0", "0,2-3", "a", "0-0", "5", "+1", "-1", "1-2-3", "0,", "0-1,1"),
    "completionMode": ("Indexed", "NonIndexed", "", "x"),
    "podReplacementPolicy": ("Failed", "TerminatingOrFailed", "", "x"),
    "managedBy": ("acme.io/a", "a", "", "A/b", "acme.io/" + "x" * 60, "acme.io/a b"),
    "topologyKey": ("a", "acme.io/zone", "", "-"),
    "resourceName": ("cpu", "memory", "", "x"),
    "volumeMode": ("Block", "Filesystem", "", "x"),
    "kind": ("PersistentVolumeClaim", "Snapshot", ""),
    "iqn": ("iqn.2026-01.a:b", "iqn.x", "eui.0123456789abcdef", "naa.x", "x", ""),
    "initiatorName": ("iqn.2026-01.a:b", "iqn.x", "eui.0123456789abcdef", "naa.x", "x", ""),
    "driver": ("acme.io", "Acme.io", "a_b", "", "x" * 64),
    "divisor": ("1", "1m", "0", "1Mi", "3"),
    "stopSignal": ("SIGTERM", "x"),
    "expressionKey": _LABEL_KEYS,
    "add": ("CAP_SYS_ADMIN", "CHOWN"),
    "targetPortal": ("a:1", "", "x" * 60),
    "apiGroup": ("acme.io", "", "A"),
    "signerName": ("acme.io/a", ""),
}
_SYSCTLS = ("net.ipv4.a", "kernel.sem", "kernel.shm_a", "a", "A", "net/ipv4/a.b", "", "a..b")
_ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "x")
_RESOURCES = (
    "cpu",
    "memory",
    "ephemeral-storage",
    "nvidia.com/gpu",
    "acme.io/x",
    "hugepages-2Mi",
    "hugepages-x",
    "storage",
    "gpu",
    "kubernetes.io/x",
    "requests.acme.io/x",
    "-",
    "pods",
    "acme.io/" + "x" * 63,
)
_AMOUNTS = ("1", "2", "0", "500m", "1500m", "2Mi", "4Mi", "3Mi", "1Gi", "-1", "1e3", "100u", "1.5", 1, 3)
_NUMBERS = (-1, 0, 1, 2, 3, 30, 80, 100, 101, 255, 256, 511, 512, 600, 8080, 65535, 65536, 100_001, 2**31 - 1)
_BIG_NUMBERS = (*_NUMBERS, 2**31, 2**32, 2**32 + 1)
_ANNOTATIONS: Mapping[str, tuple[str, ...]] = {
    "a": ("x",),
    "Acme.io/B": ("x", "é"),
    "-": ("x",),
    "kubernetes.io/config.mirror": ("x",),
    "scheduler.alpha.kubernetes.io/tolerations": ("", "x", "[]", '[{"key": "a"}]', '[{"key": "-"}]', "{}"),
    "controller.kubernetes.io/pod-deletion-cost": ("1", "-5", "+1", "01", "x", "", "4294967296"),
    "seccomp.security.alpha.kubernetes.io/pod": ("runtime/default", "localhost/a", "localhost/../a", "x", "unconfined"),
    "container.seccomp.security.alpha.kubernetes.io/a": ("docker/default", "localhost/a", "x", "unconfined"),
    "container.apparmor.security.beta.kubernetes.io/a": ("runtime/default", "localhost/a", "x", "unconfined", ""),
    "container.apparmor.security.beta.kubernetes.io/none": ("runtime/default",),
}

# What stands below a certain key only.
_PAIRS: Mapping[tuple[str, str], tuple[Any, ...]] = {
    ("os", "name"): ("linux", "", "x"),
    ("matchFields", "key"): ("metadata.name", "metadata.name", "a"),
    ("onExitCodes", "operator"): ("In", "NotIn", ""),
    ("fc", "lun"): (0, 255, 256, -1),
}
_PORTS = (80, 0, 65536, "http", "HTTP", "", "a--b", "x" * 16, "1")
_UNCHECKED = frozenset(("windowsOptions", "flocker", "quobyte", "storageos", "flexVolume", "azureDisk"))

TEMPLATE = ("spec", "replicatedJobs", 0, "template")


class Inventor:
    """Random values of schema nodes."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def value(self, node: SchemaNode, key: str, density: float) -> Any:
        """A value of a node that stands under `key`; `density` says how many optional fields an object has."""
        if isinstance(node, MappingNode):
            return self._object(node, key, density)
        if isinstance(node, ListNode):
            return self._list(node, key, density)
        return self.random.choice(self._pool(node, key))

    def _pool(self, node: Scalar, key: str) -> Sequence[Any]:
        match node:
            case Boolean():
                return (True, False)
            case Integer():
                return _BIG_NUMBERS if node.high > 2**31 else _NUMBERS
            case IntOrString():
                return _PORTS
            case Amount():
                return _POOLS.get(key, _AMOUNTS)
            case Text(enum=(_, *_)):
                return node.enum
            case _:
                return _POOLS.get(key) or (_NAMES if self.random.random() < 0.75 else _ODD)

    def _object(self, node: MappingNode, key: str, density: float) -> Any:
        if node.entry is not None:
            return self._map(node.entry, key, density)
        names = sorted(node.fields.indexes.keys() - _UNCHECKED)
        wanted = {name for name in names if self.random.random() < density * 4 / (len(names) + 3)}
        if len(names) > 12 and key in ("spec", "volumes") and self.random.random() < 0.8:
            wanted &= set(self.random.sample(names, 4)) | {"name"}
        chosen = [name for name in names if name in wanted or name in node.required]
        made = {name: self.value(_field(node, name), name, density * 0.9) for name in chosen}
        pairs = {name: self.random.choice(_PAIRS[key, name]) for name in chosen if (key, name) in _PAIRS}
        return made | pairs

    def _map(self, entry: SchemaNode, key: str, density: float) -> Body:
        if key == "annotations":
            keys = self.random.sample(sorted(_ANNOTATIONS), self.random.randint(1, 2))
            return {name: self.random.choice(_ANNOTATIONS[name]) for name in keys}
        pool = _RESOURCES if key in ("limits", "requests", "overhead") else _LABEL_KEYS
        keys = self.random.sample(pool, self.random.randint(0, 3))
        return {name: self.value(entry, "entry", density) for name in keys}

    def _list(self, node: ListNode, key: str, density: float) -> list[Any]:
        if key == "sysctls":
            return [{"name": self.random.choice(_SYSCTLS), "value": "1"} for _ in range(self.random.randint(1, 2))]
        if key == "accessModes":
            return [self.random.choice(_ACCESS_MODES) for _ in range(self.random.randint(0, 2))]
        size = self.random.choice((0, 1, 1, 1, 2, 3))
        items = [self.value(node.item, key, density) for _ in range(size)]
        kept: dict[Any, Any] = {}
        for item in items:
            kept.setdefault(str([item.get(one) for one in node.keys]) if node.keys else len(kept), item)
        return list(kept.values())

    def changed(self, body: Body, times: int) -> Body:
        """A copy in which some random fields have random values."""
        made = copy.deepcopy(body)
        for _ in range(times):
            node: Any = _template_node()
            value: Any = made
            for step in TEMPLATE:
                value = value[step]
            self._change(value, node)
        return made

    def _change(self, value: Any, node: SchemaNode) -> None:
        """Walk down at random, and put something else in one place."""
        while True:
            if isinstance(node, MappingNode) and node.entry is None:
                name = self.random.choice(self._steps(value, node))
                below, there = _field(node, name), value.get(name)
                if there and isinstance(there, dict | list) and self.random.random() < 0.9:
                    value, node = there, below
                    continue
                self._put(value, name, below)
            elif isinstance(node, ListNode) and value:
                index = self.random.randrange(len(value))
                if isinstance(value[index], dict) and self.random.random() < 0.85:
                    value, node = value[index], node.item
                    continue
                value.append(self.value(node.item, "", 0.8))
            elif isinstance(node, MappingNode) and node.entry is not None:
                value.update(self._map(node.entry, "limits" if "cpu" in value else "", 0.8))
            return

    def _steps(self, value: Body, node: MappingNode) -> list[str]:
        names = sorted(node.fields.indexes.keys() - _UNCHECKED)
        there = [name for name in names if isinstance(value.get(name), dict | list)]
        return there if there and self.random.random() < 0.6 else names

    def _put(self, value: Body, name: str, node: SchemaNode) -> None:
        if name in value and self.random.random() < 0.15:
            del value[name]
        else:
            value[name] = self.value(node, name, self.random.choice((0.5, 0.8, 1.2)))


def _field(node: MappingNode, name: str) -> Any:
    return node.fields[name]


def _template_node() -> SchemaNode:
    node: Any = schema_for("jobset-0.12", API_VERSION, KIND).root
    for step in TEMPLATE:
        node = node.item if isinstance(step, int) else node.fields[step]
    found: SchemaNode = node
    return found


def accepted(seed: int, number: int, bodies: list[Body]) -> Iterator[Body]:
    """So many random JobSets that JobSet's admission accepts, made from `bodies`."""
    inventor = Inventor(seed)
    found = 0
    while found < number:
        made = inventor.changed(inventor.random.choice(bodies), inventor.random.choice((1, 1, 2, 3, 6)))
        if not jobset_problems(made) and not _crashes(made):
            found += 1
            yield made


def _crashes(body: Body) -> bool:
    """Upstream's validation of a successPolicy reads completions, even where there are none."""
    specs = [job["template"].get("spec", {}) for job in body["spec"]["replicatedJobs"]]
    return any("successPolicy" in spec and "completions" not in spec for spec in specs)
