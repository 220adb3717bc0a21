"""Exact decimal numbers, and their one text."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import Any

EXACT = Context(prec=400)
"""Enough digits for sums and products of numbers with texts of up to `LONGEST` characters."""
LONGEST = 40

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
_WIDEST = 400  # the largest exponent that is written out


def number_of(value: Any) -> Decimal | None:
    """The number of an integer, a float or a text that is a number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    text = value if isinstance(value, str) else repr(value)
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    return number if not number or abs(number.adjusted()) < _WIDEST else None


def text_of(number: Decimal) -> str:
    """Positional, without an exponent, trailing zeros or `+`."""
    if not number:
        return "0"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_whole(number: Decimal) -> bool:
    """Whether the number is an integer."""
    return number == number.to_integral_value(context=EXACT)
