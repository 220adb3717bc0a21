"""Values of a hundred thousand characters, wherever a repository can state one: what is said of them stays readable."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kubectl_trainjob.model.stages import BuildOptions
from tests.cli.manifests import PLAIN, Body, config, config_map, overlay, stream, train_job
from tests.compiled import build
from tests.reading import read

LONG = "x" * 100_000
_KINDS = {"apiVersion": "v1", "kind": "ConfigMap"}


def _apply_unit(**settings: Any) -> dict[str, list[Body]]:
    return {"o/overlay.yaml": overlay("a.yaml", **settings), "o/a.yaml": [PLAIN, train_job("j", "plain")]}


def _patch(patch: Any, **target: str) -> dict[str, list[Body]]:
    return _apply_unit(patches=[{"target": target or {"kind": "TrainJob"}, "patch": patch}])


REPOSITORIES: dict[str, Mapping[str, list[Body]]] = {
    "a setting": {"trainjob.yaml": config(**{LONG: 1}), "o/a.yaml": []},
    "a value of a setting": {"trainjob.yaml": config(emit=LONG), "o/a.yaml": []},
    "a folder": {"trainjob.yaml": config(runtimes=[LONG]), "o/a.yaml": []},
    "a pattern to ignore": {"trainjob.yaml": config(ignore=["../" + LONG]), "o/a.yaml": []},
    "a resource": {"o/overlay.yaml": overlay(f"https://{LONG}")},
    "a namespace": _apply_unit(namespace=LONG.upper()),
    "a suffix": _apply_unit(nameSuffix=LONG.upper()),
    "an image": _apply_unit(images=[{"name": LONG, "newTag": "1"}]),
    "a pattern of an image": _apply_unit(images=[{"name": "(" + LONG, "newTag": "1"}]),
    "a name of a target": _patch({}, name=LONG),
    "a pattern of a target": _patch({}, name="(?i)" + LONG),
    "a label selector": _patch({}, labelSelector=f"{LONG} in"),
    "an object of a patch": _apply_unit(patches=[{"patch": {**_KINDS, "metadata": {"name": LONG}}}]),
    "an operation": _patch([{"op": LONG, "path": "/a"}]),
    "a path of an operation": _patch([{"op": "remove", "path": f"/{LONG}"}]),
    "a directive": _patch({"spec": {"$patch": LONG}}),
    "a key of a list": _patch({"spec": {"trainer": {"env": [{"name": LONG}, {"name": LONG}]}}}),
    "a kind": {"o/a.yaml": [{"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": LONG}]},
    "a name": {"o/a.yaml": [config_map(LONG), config_map(LONG)]},
    "a name of a TrainJob": {"o/a.yaml": [PLAIN, train_job(LONG, "plain")]},
    "a runtime": {"o/a.yaml": [PLAIN, train_job("j", LONG)]},
    "a field": {"o/a.yaml": [PLAIN, train_job("j", "plain", **{LONG: 1})]},
    "a group": {"o/a.yaml": [{"apiVersion": f"kubeflow.org/{LONG}", "kind": "PyTorchJob", "metadata": {"name": "a"}}]},
}


@pytest.mark.parametrize("files", REPOSITORIES.values(), ids=REPOSITORIES)
def test_messages_are_short(files: Mapping[str, list[Body]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for path, bodies in files.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(stream(*bodies))
    found = build(read(["o"], lambda _most: b""), BuildOptions()).diagnostics
    assert found
    assert [len(each.message) for each in found if len(each.message) > 1001] == []
