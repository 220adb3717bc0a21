"""Whoever writes a value has words for people."""

from __future__ import annotations

from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.explain.steps import step_phrase


def test_every_pass_and_builder_has_words() -> None:
    writers = {each.name for row in VERSIONS.values() for each in (*row.behaviour.passes, *row.behaviour.builders)}
    fields = {row.behaviour.overrides.field for row in VERSIONS.values()}
    only_check = {"elasticPolicy", "initializers", "torchtune"}
    assert {step for step in (writers | fields) - only_check if step_phrase(step) == step} == set()
