"""Odd files and odd clusters: nothing foreign is touched, nothing is lost, and each error names what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.site import Site
from tests.loops import for_each

pytestmark = pytest.mark.cluster

PRUNE = ("--applyset", "set", "--prune")


def _named(kind: str, name: str, **metadata: Any) -> Object:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **metadata}}


NAMES = {
    "a letter that is not ASCII": "übung",
    "a slash": "a/../../../../default/configmaps/b",
    "a query": "a?dryRun=All&fieldManager=b",
    "a fragment": "a#b",
    "an escape": "a%2fb",
    "dots": "..",
    "a space": "a b",
    "a line": "a\nb",
    "half a character": "a\ud800b",
    "very long": "a" * 300,
}


@for_each("name", NAMES, at_least=10)
def test_a_name_that_is_not_valid(site: Site, name: str) -> None:
    for kind in ("ConfigMap", "Secret"):
        site.files(_named(kind, name))
        done = site.apply()
        assert done.code == 1, done.ended
        assert done.writes == []
        assert "Traceback" not in done.ended.err
        spaces = {found[1] for one in done.requests if (found := re.search("/namespaces/([^/]+)", one.path))}
        assert spaces <= {site.namespace, "kubeflow-system"}, "that of the Lease of Trainer"


@for_each("name", ["a/b", "a?b", "ü", "..", "A B", "a" * 300], at_least=6)
def test_a_set_or_a_namespace_with_such_a_name(site: Site, name: str) -> None:
    site.files(config("c"))
    for option in ("--applyset", "-n"):
        done = site.apply(option, name)
        assert done.code in (1, 2), done.ended
        assert done.ended.err
        assert [one.line for one in done.requests if one.is_write and "/configmaps/c" in one.path] == []
        assert "Traceback" not in done.ended.err


FIELDS = {
    "as kubectl get prints it": {
        "uid": "c7f9d8a0-0000-4000-8000-000000000000",
        "resourceVersion": "5",
        "generation": 3,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "managedFields": [{"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "fieldsV1": {}}],
    },
    "an old version": {"resourceVersion": "5"},
    "another uid": {"uid": "c7f9d8a0-0000-4000-8000-000000000000"},
    "nulls": {"creationTimestamp": None},
}


@for_each("fields", FIELDS, at_least=4)
def test_fields_of_the_server_in_the_files(site: Site, fields: Object) -> None:
    body = config("c", "1")
    site.files({**body, "metadata": {**body["metadata"], **fields}}, job("a"))
    done = site.apply()
    assert (done.code, set(done.results.values())) == (0, {"created"}), done.ended
    assert site.apply().writes == []
    body["data"]["key"] = "2"
    site.files({**body, "metadata": {**body["metadata"], **fields}}, job("a"))
    done = site.apply()
    assert (done.code, done.results) == (0, {"ConfigMap/c": "configured", "JobSet/a": "unchanged"}), done.ended
    site.delete("ConfigMap", "c")
    site.delete("JobSet", "a")
    site.delete("ConfigMap", "kubectl-trainjob")


@for_each("kind", ["ConfigMap", "Secret"], at_least=2)
def test_a_name_that_the_server_generates(site: Site, kind: str) -> None:
    one = {"apiVersion": "v1", "kind": kind, "metadata": {"generateName": "c-"}}
    site.files(one, config("d"))
    done = site.apply()
    assert (done.code, done.writes) == (1, []), done.ended
    assert "generateName" in done.ended.err
    assert "jobs/000.yaml:" in done.ended.err


def _scaler(name: str, version: str) -> Object:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}
    spec = {"minReplicas": 1, "maxReplicas": 2, "scaleTargetRef": target}
    head = {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name}}
    return {**head, "spec": spec}


def test_two_versions_of_a_kind_in_one_set(site: Site) -> None:
    """The server lists all objects in either version: none of them may be taken for one that was removed."""
    files = [_scaler("a", "v1"), _scaler("b", "v2"), config("c")]
    site.applied(*files, arguments=PRUNE)
    done = site.applied(*files, arguments=PRUNE)
    assert (set(done.results.values()), done.writes) == ({"unchanged"}, []), done.results
    swapped = [_scaler("a", "v2"), _scaler("b", "v1"), config("c")]
    done = site.applied(*swapped, arguments=PRUNE)
    assert "pruned" not in done.results.values()
    assert site.applied(*swapped, arguments=PRUNE).writes == []
    done = site.applied(_scaler("b", "v1"), config("c"), arguments=PRUNE)
    assert [key for key, value in done.results.items() if value == "pruned"] == ["HorizontalPodAutoscaler/a"]


@pytest.fixture
def group(site: Site) -> Iterator[str]:
    """A group that prefers v1, in which only one of its two kinds is."""
    group = f"{site.namespace}.example.com"
    bodies = [_definition(group, "Old", "v1alpha1"), _definition(group, "New", "v1")]
    for body in bodies:
        site.plane.client.create(body)
    for kind, version in (("olds", "v1alpha1"), ("news", "v1")):
        path = f"/apis/{group}/{version}/namespaces/{site.namespace}/{kind}"
        site.wait(kind, lambda path=path: site.plane.client.request("GET", path))
    yield group
    for body in bodies:
        site.plane.client.request("DELETE", site.plane.client.path(body))


def _definition(group: str, kind: str, version: str) -> Object:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    names = {"kind": kind, "plural": f"{kind.lower()}s", "singular": kind.lower()}
    versions = [{"name": version, "served": True, "storage": True, "schema": schema}]
    metadata = {"name": f"{names['plural']}.{group}"}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}
    return {**head, "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": versions}}


def test_a_kind_that_is_not_in_the_preferred_version_of_its_group(site: Site, group: str) -> None:
    """It stays in the set when the files no longer have it, until it is pruned."""
    old = {"apiVersion": f"{group}/v1alpha1", "kind": "Old", "metadata": {"name": "o"}}
    site.applied(old, config("c"), arguments=PRUNE)
    done = site.applied(config("c"), arguments=PRUNE)
    assert done.results == {"ConfigMap/c": "unchanged", "Old/o": "pruned"}
    assert f"Old.{group}" not in site.annotations("set")["contains-group-kinds"]


def test_an_object_in_two_versions(site: Site) -> None:
    site.files(_scaler("a", "v1"), _scaler("a", "v2"))
    done = site.apply()
    assert (done.code, done.writes) == (1, []), done.ended
    assert "jobs/00" in done.ended.err


@for_each("value", ["\ud800", "\x00", "\x1b[2J", "ä" * 1000, "\u2028"], at_least=5)
def test_odd_texts(site: Site, value: str) -> None:
    """Each is stored as it is, or an error."""
    site.files(config("c", value))
    done = site.apply()
    assert "Traceback" not in done.ended.err
    json.loads(done.ended.out)
    live = site.live("ConfigMap", "c")
    assert done.code == (0 if live and live["data"]["key"] == value else 1), done.ended
    if live:
        assert site.apply().writes == []
        site.delete("ConfigMap", "c")
