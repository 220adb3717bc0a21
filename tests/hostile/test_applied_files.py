"""Files that `apply` gets: each value in the metadata of each kind is fine or has its line; nothing is a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.cluster.controller.deadlines import _left
from kubectl_trainjob.cluster.marks import APPLYSET_ID, DEADLINE, PART_OF, RECREATE, RUN, TRAIN_JOB
from tests.cli.manifests import Body, config_map, runtime, stream, train_job
from tests.commands import call
from tests.loops import for_each, sampled

_POD: Body = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}
_OBJECTS: dict[str, Body] = {
    "TrainJob": train_job("a", "plain"),
    "JobSet": {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "a"},
        "spec": {"replicatedJobs": [{"name": "n", "template": {"spec": {"template": _POD}}}]},
    },
    "ConfigMap": config_map("a"),
    "another kind": {"apiVersion": "x.io/v1", "kind": "Foo", "metadata": {"name": "a"}},
}
_PATHS = [
    *((key,) for key in ("labels", "annotations", "name", "namespace", "generateName", "ownerReferences", "uid")),
    *(("annotations", each) for each in (RECREATE, RUN, DEADLINE)),
    *(("labels", each) for each in (PART_OF, TRAIN_JOB, APPLYSET_ID)),
]
_VALUES = [None, 0, True, "", [], {}, ["a"], {"a": "b"}, "always", "x" * 70, "a/b", "..", "%2f", "ü", "\n", 1.5]


def _with(body: Body, path: tuple[str, ...], value: Any) -> str:
    changed: Body = json.loads(json.dumps(body))
    *above, last = path
    holder = changed["metadata"]
    for each in above:
        holder = holder.setdefault(each, {})
    holder[last] = value
    return json.dumps(changed)


@sampled(every=5)
@for_each("body", _OBJECTS, at_least=4)
@for_each("path", _PATHS, at_least=13)
def test_any_value_in_metadata(tmp_path_factory: pytest.TempPathFactory, body: Body, path: tuple[str, ...]) -> None:
    file = tmp_path_factory.mktemp("files") / "a.json"
    for value in _VALUES:
        file.write_text(_with(body, path, value))
        done = call(file.parent, "secrets", file.name)
        assert done.returncode in (0, 1)
        assert done.returncode == 0 or "error" in done.stderr


@pytest.mark.parametrize("key", ["labels", "annotations"])
def test_labels_that_are_not_a_mapping(tmp_path: Path, key: str) -> None:
    (tmp_path / "a.yaml").write_text(f"apiVersion: x.io/v1\nkind: Foo\nmetadata:\n  name: a\n  {key}: [b]\n")
    done = call(tmp_path, "secrets", "a.yaml")
    message = f"a.yaml:5:{len(key) + 5}: error KTJ112 invalid-metadata: metadata.{key} must be a mapping, not a list\n"
    assert (done.returncode, done.stderr.startswith(message)) == (1, True)


def test_an_object_of_the_files_is_no_parent_of_a_set(tmp_path: Path) -> None:
    forged = config_map("other") | {"metadata": {"name": "other", "labels": {APPLYSET_ID: "x"}}}
    (tmp_path / "a.yaml").write_text(stream(forged, runtime("plain")))
    done = call(tmp_path, "secrets", "a.yaml")
    assert (done.returncode, f"remove label {APPLYSET_ID}" in done.stderr) == (1, True)


@pytest.mark.parametrize("text", ["", "-5", "9" * 5000, "9" * 400, "1e999", "a"])
def test_a_deadline_that_is_not_ours_ends_no_run(text: str) -> None:
    live = {"metadata": {"annotations": {DEADLINE: text}, "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {}}
    assert _left(live, "2026-01-02T00:00:00Z") == float("inf")
