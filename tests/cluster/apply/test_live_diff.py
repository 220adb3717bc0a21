"""`diff --live`: what an apply would change, who owns the live value, and nothing of what the server adds itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cluster.apply import world
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.site import AppliedObject, Site

pytestmark = pytest.mark.cluster


def diff(site: Site, *arguments: str) -> tuple[AppliedObject, dict[str, Any]]:
    """Run `diff --live -o json`; its objects by `Kind/name`."""
    done = site.run("diff", "--live", "-o", "json", *arguments)
    assert done.code in (0, 1), done.ended
    assert done.writes == []
    return done, {f"{one['kind']}/{one['name']}": one for one in done.document["objects"]}


def test_no_difference_after_an_apply(site: Site) -> None:
    """The defaults of the server are no differences."""
    site.applied(job("a", "gang"), job("m", "mpi"), world.jobset("j"), config("c"))
    done, objects = diff(site)
    assert (done.code, objects) == (0, {})
    assert site.run("diff", "--live").code == 0


def test_what_an_apply_would_do(site: Site) -> None:
    stays = world.prepare(site)
    done, objects = diff(site, "--applyset", world.SET)
    assert done.code == 1
    shown = {key: " ".join(filter(None, (one["action"], one.get("reason")))) for key, one in objects.items()}
    expected = {key: value for key, value in world.EXPECTED.items() if value not in ("unchanged", "pruned")}
    assert shown == expected
    assert {key: site.uid(*key.split("/")) for key in stays} == stays
    fields = {field["path"]: field for field in objects["JobSet/again"]["fields"]}
    image = next(field for path, field in fields.items() if path.endswith(".image"))
    assert (image["live"], image["desired"]) == ("example.com/train:1", "example.com/train:2")
    assert (image["frozen"], image["manager"]) == (True, "kubectl-trainjob")
    changed = objects["ConfigMap/changes"]
    assert [(one["path"], one["live"], one["desired"]) for one in changed["fields"]] == [("data.key", "1", "2")]
    assert changed["file"].startswith("jobs/")
    assert isinstance(changed["line"], int)


def test_drift_names_its_owner(site: Site) -> None:
    site.applied(config("c"), job("a"))
    patch = {"data": {"key": "9", "more": "x"}}
    path = site.plane.client.path(site.body("ConfigMap", "c")) + "?fieldManager=somebody"
    site.plane.client.request("PATCH", path, patch, "application/merge-patch+json")
    done, objects = diff(site)
    assert done.code == 1
    assert set(objects) == {"ConfigMap/c"}
    (field,) = objects["ConfigMap/c"]["fields"]
    assert (field["path"], field["live"], field["desired"]) == ("data.key", "9", "1")
    assert (field["manager"], field["operation"]) == ("somebody", "Update")
    assert objects["ConfigMap/c"]["reason"] == "Conflict"
    text = site.run("diff", "--live").ended.out
    assert "owned by somebody" in text
    markdown = site.run("diff", "--live", "-o", "markdown")
    assert (markdown.code, "somebody" in markdown.ended.out) == (1, True)


def test_values_of_secrets_are_masked(site: Site) -> None:
    one: Object = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"key": "YQ=="}}
    site.applied(one)
    site.files({**one, "data": {"key": "Yg=="}})
    done, objects = diff(site)
    assert [(field["live"], field["desired"]) for field in objects["Secret/s"]["fields"]] == [("***", "***")]
    assert "Yg==" not in done.ended.out


def test_invalid_files_and_no_server(site: Site) -> None:
    site.files(job("a", "no-such-runtime"))
    assert (site.run("diff", "--live").code, site.proxy.requests) == (2, [])
    site.files(job("a"))
    assert site.run("diff", "--live", "--kubeconfig", "nowhere").code == 2


def test_the_output_is_one_document(site: Site) -> None:
    site.files(job("a"))
    done, objects = diff(site)
    assert (done.document["apiVersion"], done.document["kind"]) == ("kubectl-trainjob.dev/v1alpha1", "LiveDiff")
    assert done.document["summary"] == {"created": 1}
    assert json.dumps(objects).count("null") == 0
