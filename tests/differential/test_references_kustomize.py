"""References to renamed objects follow where kustomize has them follow; where not, that is meant and shown here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kubectl_trainjob.compiler.overlay.names import Ambiguity, ambiguous_names
from kubectl_trainjob.compiler.overlay.references import Fields, Reference, fields_of
from kubectl_trainjob.model.stages import ObjectId
from tests.differential.kustomize import (
    Body,
    Layer,
    body,
    by_kustomize,
    by_us,
    members_of,
    renames_of_all,
    run_kustomize,
)
from tests.loops import sample

_ADMISSION, _RBAC = "admissionregistration.k8s.io", "rbac.authorization.k8s.io"
TRAINER = "trainer.kubeflow.org/v1alpha1"
NAMED = {
    "ClusterRole": f"{_RBAC}/v1",
    "ConfigMap": "v1",
    "Deployment": "apps/v1",
    "IngressClass": "networking.k8s.io/v1",
    "PersistentVolume": "v1",
    "PersistentVolumeClaim": "v1",
    "PriorityClass": "scheduling.k8s.io/v1",
    "ReplicaSet": "apps/v1",
    "ReplicationController": "v1",
    "ResourceClaim": "resource.k8s.io/v1",
    "ResourceClaimTemplate": "resource.k8s.io/v1",
    "Role": f"{_RBAC}/v1",
    "RuntimeClass": "node.k8s.io/v1",
    "Secret": "v1",
    "Service": "v1",
    "ServiceAccount": "v1",
    "StatefulSet": "apps/v1",
    "StorageClass": "storage.k8s.io/v1",
    "ValidatingAdmissionPolicy": f"{_ADMISSION}/v1",
}
"""Kinds that others name."""
NAMING = {
    "APIService": "apiregistration.k8s.io/v1",
    "ClusterRole": f"{_RBAC}/v1",
    "ClusterRoleBinding": f"{_RBAC}/v1",
    "CronJob": "batch/v1",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "Ingress": "networking.k8s.io/v1",
    "Job": "batch/v1",
    "MutatingWebhookConfiguration": f"{_ADMISSION}/v1",
    "Node": "v1",
    "PersistentVolume": "v1",
    "PersistentVolumeClaim": "v1",
    "Pod": "v1",
    "PodTemplate": "v1",
    "ReplicaSet": "apps/v1",
    "ReplicationController": "v1",
    "Role": f"{_RBAC}/v1",
    "RoleBinding": f"{_RBAC}/v1",
    "Service": "serving.knative.dev/v1",
    "ServiceAccount": "v1",
    "StatefulSet": "apps/v1",
    "StorageClass": "storage.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding": f"{_ADMISSION}/v1",
    "ValidatingWebhookConfiguration": f"{_ADMISSION}/v1",
}
"""Kinds that name others."""
LISTS = {
    *("volumes", "containers", "initContainers", "ephemeralContainers", "env", "envFrom", "sources", "rules", "paths"),
    *("imagePullSecrets", "resourceNames", "subjects", "webhooks", "volumeClaimTemplates", "tls", "resourceClaims"),
}
BESIDE = {
    "roleRef": lambda target: {"apiGroup": _RBAC, "kind": target},
    "scaleTargetRef": lambda target: {"kind": target},
}
"""What stands beside a name."""


class Named(NamedTuple):
    """A field of `kind` at `path` names an object of the kind `target`."""

    target: str
    kind: str
    path: str


def _known_to_kustomize() -> list[Named]:
    lines = (Path(__file__).parent / "name_references.txt").read_text().splitlines()
    rows = (line.split("; ") for line in lines if not line.startswith("#"))
    return [Named(target, kind, path) for target, path, kinds in rows for kind in kinds.split()]


def _known_to_us() -> list[Named]:
    return [
        Named(target, kind, path)
        for kind, api_version in NAMING.items()
        for path, reference in _leaves(fields_of(api_version.rpartition("/")[0], kind), "")
        for _, target in reference.targets
    ]


def _leaves(fields: Fields, way: str) -> Iterator[tuple[str, Reference]]:
    for key, below in fields.items():
        if isinstance(below, Reference):
            yield f"{way}{key}", below
        else:
            yield from _leaves(below, f"{way}{key} ")


IN_KUSTOMIZE, IN_OURS = _known_to_kustomize(), _known_to_us()
INGRESS_CLASS = Named("IngressClass", "Ingress", "spec ingressClassName")  # in kustomize's table under a wrong group


def _naming(named: Named, number: int) -> Body:
    """An object with that one field."""
    value: Any = f"t-{named.target.lower()}"
    if named.path.endswith(("subjects", "service", "configMap")):
        value = {"kind": named.target, "name": value, "namespace": "default"}
    for key in reversed(named.path.split()):
        value = [value] if key in LISTS else value
        value = {key: {**BESIDE[key](named.target), **value} if key in BESIDE else value}
    made = body(NAMING[named.kind], named.kind, f"n{number}")
    return {**made, **value, "metadata": {**value.get("metadata", {}), **made["metadata"]}}


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> dict[Named, tuple[Body, Body, Body]]:
    """Every field of either table: as written, by kustomize and by us."""
    fields = list(dict.fromkeys([*IN_KUSTOMIZE, *IN_OURS]))
    objects = [_naming(named, number) for number, named in enumerate(fields)]
    targets = [body(api_version, kind, f"t-{kind.lower()}") for kind, api_version in NAMED.items()]
    layer = Layer([*objects, *targets], {"nameSuffix": "-x"})
    kustomize = by_kustomize(layer, tmp_path_factory.mktemp("references"))
    given = by_us(Layer([*objects], {"nameSuffix": "-x"}))
    return dict(zip(fields, zip(given, kustomize, by_us(layer), strict=False), strict=True))


@pytest.mark.parametrize("kind", NAMING)
def test_table(followed: dict[Named, tuple[Body, Body, Body]], kind: str) -> None:
    for named in {each for each in IN_KUSTOMIZE if each.kind == kind} - {INGRESS_CLASS}:
        given, kustomize, ours = followed[named]
        assert ours == kustomize != given, named


@pytest.mark.parametrize("kind", NAMING)
def test_more_than_the_table(followed: dict[Named, tuple[Body, Body, Body]], kind: str) -> None:
    for named in {each for each in [*IN_OURS, INGRESS_CLASS] if each.kind == kind} - {*IN_KUSTOMIZE} | {INGRESS_CLASS}:
        given, kustomize, ours = followed[named]
        assert ours != kustomize == given, named


NOWHERE_IN_KUSTOMIZE = {
    *("runtimeClassName", "serviceAccount"),
    *("resourceClaims resourceClaimName", "resourceClaims resourceClaimTemplateName"),
    *("volumes azureFile secretName", "volumes csi nodePublishSecretRef name"),
    "volumes ephemeral volumeClaimTemplate spec storageClassName",
    *(f"volumes {volume} secretRef name" for volume in ("cephfs", "cinder", "flexVolume", "iscsi", "rbd")),
    *(f"volumes {volume} secretRef name" for volume in ("scaleIO", "storageos")),
    "ephemeralContainers env valueFrom configMapKeyRef name",
    "ephemeralContainers env valueFrom secretKeyRef name",
    "ephemeralContainers envFrom configMapRef name",
    "ephemeralContainers envFrom secretRef name",
}


def test_what_is_more() -> None:
    """Pod specs name the same things in every kind, and some more; nothing but Pod specs differs."""
    in_pods = {each.path.removeprefix("spec ") for each in IN_KUSTOMIZE if each.kind == "Pod"}
    more = {each for each in IN_OURS if each not in IN_KUSTOMIZE}
    assert {_in_pod(each.path) for each in more} <= in_pods | NOWHERE_IN_KUSTOMIZE
    assert {_in_pod(each.path) for each in more if each.kind == "Pod"} == NOWHERE_IN_KUSTOMIZE


def _in_pod(path: str) -> str:
    return re.sub("^(spec (jobTemplate spec )?)?template spec |^spec ", "", path)


def _pod(name: str, namespace: str = "", ref: str = "cm") -> Body:
    return body("v1", "Pod", name, namespace, spec={"volumes": [{"configMap": {"name": ref}}]})


def _config_map(namespace: str = "", name: str = "cm") -> Body:
    return body("v1", "ConfigMap", name, namespace)


def _account(name: str, namespace: str = "") -> Body:
    return body("v1", "ServiceAccount", name, namespace)


def _binding(kind: str, namespace: str, *subjects: tuple[str, str]) -> Body:
    specified = [
        {"kind": "ServiceAccount", "name": name, **({"namespace": each} if each else {})} for name, each in subjects
    ]
    role = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "r"}
    return body(f"{_RBAC}/v1", kind, "b", namespace, roleRef=role, subjects=specified)


SUFFIX_A, SUFFIX_B, SUFFIX_T = ({"nameSuffix": suffix} for suffix in ("-a", "-b", "-t"))
TREES = {
    "the same name in two namespaces": Layer(
        [_config_map("one"), _config_map("two"), _pod("p", "one"), _pod("q", "two"), _pod("r", "three"), _pod("s")],
        SUFFIX_A,
    ),
    "no namespace is default": Layer([_config_map(), _pod("p", "default"), _pod("q", "other")], SUFFIX_A),
    "a name that nothing has": Layer([_pod("p", ref="other"), _config_map()], SUFFIX_A),
    "another kind of the name": Layer([_pod("p"), body("v1", "Secret", "cm")], SUFFIX_A),
    "the object of an inner overlay": Layer([Layer([_config_map()], SUFFIX_A), _pod("p")], SUFFIX_T),
    "the name after an inner overlay": Layer([Layer([_config_map()], SUFFIX_A), _pod("p", ref="cm-a")], SUFFIX_T),
    "the name after all overlays": Layer([Layer([_config_map()], SUFFIX_A), _pod("p", ref="cm-a-t")], SUFFIX_T),
    "an outer object": Layer([Layer([_pod("p")], SUFFIX_A), _config_map()], SUFFIX_T),
    "an overlay without a suffix": Layer([Layer([_config_map(), _pod("p")]), _pod("q")], SUFFIX_T),
    "two inner overlays": Layer(
        [Layer([_config_map(), _pod("p")], SUFFIX_A), Layer([_config_map(), _pod("q")], SUFFIX_B)], SUFFIX_T
    ),
    "two inner overlays, named from outside": Layer(
        [Layer([_config_map()], SUFFIX_A), Layer([_config_map()], SUFFIX_B), _pod("p")]
    ),
    "two inner overlays, one without a suffix": Layer(
        [Layer([_config_map()], SUFFIX_A), Layer([_config_map("two")], {"namespace": "default"}), _pod("p")]
    ),
    "names that swap": Layer([_config_map(name="x"), _config_map(name="x-a"), _pod("p", ref="x-a")], SUFFIX_A),
    "moved objects": Layer([_config_map("one"), _pod("p", "two")], {"namespace": "new", **SUFFIX_A}),
    "moved apart": Layer([Layer([_config_map()], {"namespace": "in"}), _pod("p")], SUFFIX_T),
    "moved together": Layer(
        [Layer([_config_map()], {"namespace": "in", **SUFFIX_A}), _pod("p")], {"namespace": "out", **SUFFIX_T}
    ),
    "accounts of the same namespace": Layer(
        [_account("sa", "n"), _binding("RoleBinding", "n", ("sa", "n"), ("sa", ""), ("sb", "n"))], SUFFIX_A
    ),
    "accounts of another namespace": Layer([_account("sa", "n"), _binding("RoleBinding", "m", ("sa", "n"))], SUFFIX_A),
    "an account that is not stated fully": Layer(
        [_account("sa", "n"), _binding("RoleBinding", "m", ("sa", ""))], SUFFIX_A
    ),
    "an account without a namespace": Layer(
        [_account("sa"), _binding("RoleBinding", "", ("sa", "default"), ("sa", ""))], SUFFIX_A
    ),
    "accounts for a cluster": Layer(
        [
            _account("sa", "n"),
            _account("sb"),
            _binding("ClusterRoleBinding", "", ("sa", "n"), ("sa", ""), ("sb", "default"), ("sb", ""), ("sb", "n")),
        ],
        SUFFIX_A,
    ),
    "the same account in two namespaces": Layer(
        [_account("sa", "m"), _account("sa", "n"), _binding("ClusterRoleBinding", "", ("sa", "m"), ("sa", "n"))],
        SUFFIX_A,
    ),
    "accounts that move": Layer(
        [_account("sa", "n"), _account("sb"), _binding("RoleBinding", "n", ("sa", "n"), ("sb", ""), ("default", "x"))],
        {"namespace": "new"},
    ),
    "accounts that move by themselves": Layer(
        [Layer([_account("sa", "n")], {"namespace": "new"}), _binding("RoleBinding", "m", ("sa", "n"))]
    ),
    "what a cluster's objects name": Layer(
        [
            body("v1", "Secret", "s", "one"),
            body("v1", "Secret", "s", "two"),
            body("storage.k8s.io/v1", "StorageClass", "c", parameters={"secretName": "s"}),
            body("v1", "PersistentVolumeClaim", "p", "one", spec={"storageClassName": "c"}),
        ],
        SUFFIX_A,
    ),
    "webhooks": Layer(
        [
            body("v1", "Service", "s", "one"),
            body("v1", "Service", "s", "two"),
            body(
                f"{_ADMISSION}/v1",
                "MutatingWebhookConfiguration",
                "w",
                webhooks=[
                    {"clientConfig": {"service": {"name": "s", "namespace": "one"}}},
                    {"clientConfig": {"service": {"name": "s", "namespace": "three"}}},
                ],
            ),
        ],
        SUFFIX_A,
    ),
}


@pytest.mark.parametrize("tree", sample(TREES, every=2))
def test_tree(tree: Layer, tmp_path: Path) -> None:
    assert by_us(tree) == by_kustomize(tree, tmp_path)
    assert _ambiguous(tree) == []


def _renamed(tree: Layer, *affixes: str) -> Layer:
    """The tree with prefixes instead of suffixes, or with both."""
    members = [_renamed(each, *affixes) if isinstance(each, Layer) else each for each in tree.members]
    suffix = tree.settings.get("nameSuffix", "")
    both = {"nameSuffix": suffix, "namePrefix": suffix[::-1]} if suffix else {}
    others = {name: value for name, value in tree.settings.items() if name != "nameSuffix"}
    return Layer(members, others | {name: both[name] for name in affixes if both})


@pytest.mark.parametrize("tree", sample(TREES, every=4))
def test_tree_with_prefixes(tree: Layer, tmp_path: Path) -> None:
    for number, affixes in enumerate((("namePrefix",), ("namePrefix", "nameSuffix"))):
        assert by_us(_renamed(tree, *affixes)) == by_kustomize(_renamed(tree, *affixes), tmp_path / str(number))


def _ambiguous(layer: Layer) -> list[Ambiguity]:
    members = list(members_of(layer))
    renames = renames_of_all(members)
    return [
        each
        for member in members
        for each in ambiguous_names(
            member.draft.value, member.identities[0].kind, member.identities[0].api_version, renames
        )
    ]


def _ref(ours: Body, *pointer: str | int) -> Any:
    for key in pointer:
        ours = ours[key]
    return ours


_USER = {"kind": "User", "name": "sa", "apiGroup": _RBAC}
DIFFERENCES = [
    pytest.param(
        [
            body(
                "autoscaling/v2",
                "HorizontalPodAutoscaler",
                spec={"scaleTargetRef": {"kind": "StatefulSet", "name": "w"}},
            ),
            body("apps/v1", "Deployment", "w"),
        ],
        ("spec", "scaleTargetRef", "name"),
        "w-a",
        "w",
        id="a stated kind counts",
    ),
    pytest.param(
        [body(f"{_RBAC}/v1", "RoleBinding", subjects=[_USER]), _account("sa")],
        ("subjects", 0, "name"),
        "sa-a",
        "sa",
        id="a user is no account",
    ),
    pytest.param(
        [
            body(TRAINER, "TrainJob", spec={"runtimeRef": {"kind": "TrainingRuntime", "name": "r"}}),
            body(TRAINER, "TrainingRuntime", "r"),
        ],
        ("spec", "runtimeRef", "name"),
        "r",
        "r-a",
        id="the runtime of a TrainJob",
    ),
]


@pytest.mark.parametrize(("objects", "pointer", "kustomize", "ours"), DIFFERENCES)
def test_difference(objects: list[Body], pointer: Any, kustomize: str, ours: str, tmp_path: Path) -> None:
    layer = Layer(objects, SUFFIX_A)
    assert _ref(by_kustomize(layer, tmp_path)[0], *pointer) == kustomize
    assert _ref(by_us(layer)[0], *pointer) == ours


def test_ambiguous_name(tmp_path: Path) -> None:
    """Two objects had the name and went through the overlay that the referrer went through: kustomize fails."""
    layer = Layer([Layer([_config_map()], SUFFIX_A), Layer([_config_map()], SUFFIX_B), _pod("p")], SUFFIX_T)
    assert "found multiple possible referrals" in run_kustomize(layer, tmp_path).stderr
    pointer = ("spec", "volumes", 0, "configMap", "name")
    rivals = tuple(ObjectId("v1", "ConfigMap", "", name) for name in ("cm-a-t", "cm-b-t"))
    assert _ambiguous(layer) == [Ambiguity(pointer, "cm", rivals)]
    assert _ref(by_us(layer)[-1], *pointer) == "cm"
