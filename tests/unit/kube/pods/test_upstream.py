"""Upstream's own validation rejects the fields of the cases, and only these."""

from __future__ import annotations

import pytest

from tests.conformance.late import ours, theirs
from tests.conformance.upstream import ask
from tests.tools import require
from tests.unit.kube.pods.cases import CASES

pytestmark = pytest.mark.go


def test_upstream_rejects_the_same_fields() -> None:
    require("go")
    answers = ask("", ({"name": case.name, "jobset": case.body} for case in CASES), folder="late")
    found = {case.name: theirs(answer["late"], case.body) for case, answer in zip(CASES, answers, strict=True)}
    assert found == {case.name: ours(case.body) for case in CASES}
