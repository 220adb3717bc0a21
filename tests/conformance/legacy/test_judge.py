"""The judge finds what is not equal: each change of a right result is a difference."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.conformance.legacy.test_migrate import CASES, command, migrated
from tests.conformance.legacy.verdict import results
from tests.loops import for_each

CHANGES = {
    "image": ("image: ", "image: other/"),
    "rank": ("job-completion-index", "job-other-index"),
    "world size": ("name: WORLD_SIZE\n      value: '", "name: WORLD_SIZE\n      value: '1"),
    "address": ("-node-0-0.", "-node-0-1."),
    "restart": ("restartPolicy: OnFailure", "restartPolicy: Never"),
    "nodes": ("numNodes: ", "numNodes: 1"),
    "mount": ("mountPath: /", "mountPath: /other/"),
}
CASE = next(each for each in CASES if each["name"] == "1-111-pt-mw-python")


@for_each("change", CHANGES, at_least=7)
def test_a_change_is_a_difference(change: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    os.chdir(tmp_path)
    right = migrated(CASE, monkeypatch)
    assert not any(result.errors for _, result in results(CASE, right))
    import yaml

    text = yaml.safe_dump_all(right.printed, sort_keys=False)
    old, new = change
    changed = text.replace(old, new)
    assert changed != text, f"{old} is not in the result"
    _, objects, _ = command(monkeypatch, ["build", "-"], changed)
    found = right._replace(objects=[each for each in yaml.safe_load_all(objects) if each], printed=right.printed)
    assert any(result.errors for _, result in results(CASE, found))


def test_the_cases_are_of_every_kind() -> None:
    kinds = set(re.findall(r"^kind: (\w+Job)$", "\n".join(each["docs"] for each in CASES), re.MULTILINE))
    assert kinds == {"PyTorchJob", "TFJob", "XGBoostJob", "JAXJob", "PaddleJob", "MPIJob"}
