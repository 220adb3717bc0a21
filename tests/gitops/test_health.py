"""Argo CD's Lua engine and Flux's reader of CEL find in every recorded state the health that they should."""

from __future__ import annotations

import json

import pytest

from kubectl_trainjob.integrations.files import content
from tests.gitops.programs import answers
from tests.unit.integrations.test_health import STATES

pytestmark = pytest.mark.cluster


@pytest.fixture
def objects(tmp_path):
    file = tmp_path / "objects.json"
    file.write_text("\n".join(json.dumps(each["object"]) for each in STATES))
    return file


def test_argocd(objects, tmp_path):
    (tmp_path / "cm.yaml").write_bytes(content("argocd", "cm"))
    rows = answers("argo-judge", "health", "-overrides", tmp_path / "cm.yaml", objects)
    assert len(rows) == len(STATES) >= 80
    assert [f"{s['name']}: {r}" for s, r in zip(STATES, rows, strict=True) if r["status"] not in s["argo"]] == []


@pytest.mark.parametrize("name", ["kustomization", "artifact"])
def test_flux(objects, tmp_path, name):
    (tmp_path / "kustomization.yaml").write_bytes(content("flux", name))
    rows = answers("flux-judge", "-exprs", tmp_path / "kustomization.yaml", objects)
    states = [(state, row) for state, row in zip(STATES, rows, strict=True) if state["flux"] is not None]
    assert len(states) >= 70
    assert [f"{state['name']}: {row}" for state, row in states if row["status"] not in state["flux"]] == []
