"""Numbers as Go stores them and as encoding/json writes them."""

from __future__ import annotations

INT64_MAX = (1 << 63) - 1


def fits_int64(number: int) -> bool:
    """Whether `number` fits into an int64."""
    return -INT64_MAX - 1 <= number <= INT64_MAX


def as_int64(number: int) -> int:
    """The int64 after a computation whose result is `number`."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def as_int32(number: int) -> int:
    """The int32 after a computation whose result is `number`."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def format_json_number(number: int | float) -> str:
    """A number (or truth value) as Go writes it into JSON; an integer that does not fit into an int64 is a float64."""
    if isinstance(number, bool):
        return "true" if number else "false"
    if isinstance(number, int):
        if fits_int64(number):
            return str(number)
        number = float(number)
    text = repr(number)
    if "e" not in text:
        return text.removesuffix(".0")
    if 1e-6 <= abs(number) < 1e21:
        from decimal import Decimal

        return format(Decimal(text), "f")
    return text.replace("e-0", "e-")
