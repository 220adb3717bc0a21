"""`namespace`: the namespace of every object that can have one.

Mirrors kustomize's api/filters/namespace and its field specs (api/internal/konfig/builtinpluginconsts/namespace.go).
Other than kustomize, kinds without a namespace that its OpenAPI data does not know, such as ClusterTrainingRuntime, get
none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubectl_trainjob.compiler.overlay.fields import path, pointers
from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED, group_of
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.source import Pointer

_METADATA = path("metadata namespace")
_NAME = path("metadata name")
_API_SERVICE = path("spec service namespace")
_CONVERSION = path("spec conversion webhook clientConfig service namespace")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def set_namespace(draft: Draft, kind: str, api_version: str, namespace: str, cause: Cause) -> Draft:
    """Put one object into `namespace`, whatever it states; `cause` is where the namespace is written.

    Subjects of bindings follow where they are called "default"; others follow their ServiceAccount (`follow_names`).
    """
    places = _places(draft.value, kind, api_version)
    writes = [(place, namespace, cause, ()) for place in places if draft.get(*place) != namespace]
    return draft.put_each(writes) if writes else draft


def _places(body: Any, kind: str, api_version: str) -> Iterator[Pointer]:
    if kind not in CLUSTER_SCOPED:
        yield from pointers(body, _METADATA)
    elif kind == "Namespace" and api_version == "v1":
        yield from pointers(body, _NAME)
    elif kind == "APIService" and group_of(api_version) == "apiregistration.k8s.io":
        yield from pointers(body, _API_SERVICE)
    elif kind == "CustomResourceDefinition" and Draft(body).get(*_CONVERSION) is not None:
        yield _CONVERSION
    if kind in _BINDINGS:
        yield from _default_subjects(body)


def _default_subjects(body: Any) -> Iterator[Pointer]:
    subjects = body.get("subjects")
    for index, subject in enumerate(subjects if isinstance(subjects, list) else ()):
        if isinstance(subject, dict) and subject.get("name") == "default":
            yield ("subjects", index, "namespace")
