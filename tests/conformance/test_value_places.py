"""The line of a value that expansion only passed on is found without expanding again: it is the one that a recorded
expansion reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_trainjob.compiler import job as compilation
from kubectl_trainjob.compiler import value_places
from kubectl_trainjob.compiler.expand.run import expand
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import BuildOptions
from tests.compiled import lint
from tests.conformance.versions import EACH_VERSION, Chosen
from tests.reading import read


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[Pointer]:
    """Every value below another, containers too."""
    yield pointer
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from leaves(entry, (*pointer, key))


@EACH_VERSION
def test_untouched_values_stand_where_a_recorded_expansion_says(
    chosen: Chosen, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[value_places.ValuePlaces] = []

    class Noted(value_places.ValuePlaces):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(compilation, "ValuePlaces", Noted)
    for case in chosen.cases()[::5]:
        if "stream-error" not in case.expected:
            documents = read(["-"], lambda _most, text=case.input: text.encode())
            lint(documents, BuildOptions(trainer_version=chosen.version))
    quick = 0
    for each in made:
        (jobset, *_), _ = expand(each._resolved, each._template, each._behaviour, record=True)
        for pointer in leaves(each._jobset):
            place = each.copied_place(pointer)
            if place is not None:
                quick += 1
                assert place == jobset.place(pointer), pointer
    assert quick > 500
