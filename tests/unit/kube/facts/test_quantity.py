"""Quantities, judged by k8s.io/apimachinery: recorded answers always, live ones where Go is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_trainjob.kube.facts.numbers import format_json_number
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError, canonical
from tests.conformance import upstream
from tests.unit.kube.facts import vectors


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """The recorder's answer to the same question, without what we do not compute."""
    total, terms = Quantity.ZERO, []
    try:
        for term in question["terms"]:
            text = term["quantity"]
            one = Quantity.parse(text.strip(" ") if isinstance(text, str) else text)
            sign = (one > Quantity.ZERO) - (one < Quantity.ZERO)
            terms.append({"text": str(one), "value": one.value(), "milli": one.milli(), "sign": sign})
            total = total + one * term.get("times", 1)
    except QuantityError as error:
        return {"error": str(error)}
    return {"terms": terms, "sum": str(total)}


def differences(pairs: vectors.Pairs) -> list[tuple[Any, Any, Any]]:
    return [(q, a, answer(q)) for q, a in pairs if answer(q) != a]


def test_reads_adds_multiplies_and_writes_as_upstream_recorded():
    pairs = vectors.recorded("quantity")
    assert len(pairs) >= 3000
    assert sum("error" not in recorded for _, recorded in pairs) > 1500
    assert differences(pairs) == []


@pytest.mark.go
def test_reads_adds_multiplies_and_writes_as_upstream_does_now():
    assert differences(vectors.live("quantity", range(100_000, 110_000))) == []


@pytest.mark.go
@settings(max_examples=20)
@given(
    st.lists(st.from_regex(r"[+-]?[0-9.]{0,22}([eE][+-]?[0-9]{1,3}|[numkKMGTPEi]{0,2})", fullmatch=True), min_size=50)
)
def test_any_spelling_means_what_it_means_upstream(texts: list[str]):
    questions = [{"terms": [{"quantity": text}]} for text in texts]
    assert differences(list(zip(questions, upstream.ask("quantity", questions), strict=True))) == []


def test_numbers_are_written_as_go_writes_them():
    assert [(n, text) for n, text in vectors.recorded("numbers") if format_json_number(n) != text] == []


@pytest.mark.go
def test_numbers_are_written_as_go_writes_them_now():
    assert [(n, text) for n, text in vectors.live("numbers", range(9000, 12000)) if format_json_number(n) != text] == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # The examples of the upstream documentation, and what is surprising (each confirmed by the recorder).
        pytest.param("1.5", "1500m", id="fraction"),
        pytest.param("1.5Gi", "1536Mi", id="binary-fraction"),
        pytest.param("1e9", "1e9", id="exponent-stays"),
        pytest.param("0.1Gi", "107374182400m", id="binary-without-a-binary-form"),
        pytest.param("0.1n", "1n", id="rounded-up"),
        pytest.param("9999Ei", "9223372036854775807", id="capped"),
        pytest.param("1.500", "1.500", id="taken-for-canonical"),
        pytest.param("1000E", "1", id="beyond-the-units"),
        pytest.param("Ki", "0", id="unit-alone"),
        pytest.param(" 4 ", "4", id="blanks"),
        pytest.param(2, "2", id="int"),
        pytest.param(0.5, "500m", id="float"),
    ],
)
def test_canonical(text: str | float, wanted: str):
    assert canonical(text) == wanted
    assert canonical(text) == wanted, "the second answer comes from the cache"


@pytest.mark.parametrize("text", ["", "1 Gi", "1e", "five", "1GiB", "--1", "１", True, "9" * 5000, "1" * 30 + "e99999"])
def test_no_quantity(text: str | bool):
    with pytest.raises(QuantityError):
        canonical(text)


def test_equal_amounts_are_equal_however_they_are_written():
    one, same, more = Quantity.parse("1"), Quantity.parse("1000m"), Quantity.parse("1001m")
    assert one == same
    assert hash(one) == hash(same)
    assert one < more
    assert more >= same
    assert max(one, more) is more
    assert one != "1"
    assert Quantity.parse("1e2000000000") > Quantity.parse("1n") > Quantity.parse("-1e2000000000")


def test_compares_as_the_difference_says():
    texts = [term["quantity"] for question, _ in vectors.recorded("quantity")[:300] for term in question["terms"]]
    amounts = []
    for text in texts:
        try:
            amounts.append(Quantity.parse(text))
        except QuantityError:
            continue
    for one, other in pairwise(amounts):
        assert (one > other) == ((one + other * -1) > Quantity.ZERO)
