"""The hash of a run stays equal between releases of the tool: a change of it starts runs again."""

from __future__ import annotations

import hashlib

import pytest

from kubectl_trainjob.kube.facts.run_hash import run_hash


@pytest.mark.parametrize(
    ("body", "run", "text"),
    [
        pytest.param(
            {"spec": {"b": [1, "é"], "a": {"d": 1, "c": None}}}, "", r'[{"a":{"c":null,"d":1},"b":[1,"\u00e9"]}]'
        ),
        pytest.param({"spec": {"a": 1, "suspend": True, "ttlSecondsAfterFinished": 5}}, "", '[{"a":1}]'),
        pytest.param({"spec": {"a": 1}, "metadata": {"labels": {"b": "c"}}}, "2", '[{"a":1},"2"]'),
        pytest.param({"spec": None}, "", "[{}]"),
    ],
)
def test_it_is_a_digest_of_this_text(body, run, text):
    assert run_hash(body, run) == hashlib.sha256(text.encode()).hexdigest()[:16]
