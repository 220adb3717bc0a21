"""Numbers as Go holds them and as encoding/json writes them."""

from __future__ import annotations

INT64_MAX = (1 << 63) - 1


def fits_int64(number: int) -> bool:
    """Whether an int64 can hold `number`."""
    return -INT64_MAX - 1 <= number <= INT64_MAX


def as_int64(number: int) -> int:
    """What an int64 holds after a computation that gives `number`."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def as_int32(number: int) -> int:
    """What an int32 holds after a computation that gives `number`."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def json_number(number: int | float) -> str:
    """A number (or truth value) as Go writes it into JSON; what no int64 holds counts as a float64 there."""
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
