"""Quantities: resource amounts such as `100m`, `4Gi` and `1e3`, read, added, compared and written as Kubernetes does.

Mirrors k8s.io/apimachinery/pkg/api/resource (Quantity, int64Amount, infDecAmount, suffixer), its oddities included:
texts that upstream takes for canonical are kept (`1.500`, `+5`), a unit beyond `E` is dropped (`1000E` prints `1`).
"""

from __future__ import annotations

from functools import total_ordering
from typing import ClassVar, Literal

from kubectl_trainjob.kube.facts.numbers import INT64_MAX, as_int32, as_int64, fits_int64, format_json_number

Notation = Literal["", "DecimalSI", "BinarySI", "DecimalExponent"]

_DIGITS = "0123456789"
_LETTERS = "eEinumkKMGTP"
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {exponent // 10: suffix for suffix, exponent in _BINARY.items()}
_NANO = -9
_INT64_DIGITS = 18
# Upstream multiplies until it has no memory left; no valid job has numbers of this length.
_LONGEST = 4000

_INVALID_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_INVALID_NUMBER = "unable to parse numeric part of quantity"
_INVALID_SUFFIX = "unable to parse quantity's suffix"
_TOO_LONG = "quantity needs more digits than can be computed with"


class QuantityError(ValueError):
    """The text is not a quantity; the message is Kubernetes'."""


@total_ordering
class Quantity:
    """An amount of a resource: `unscaled` * 10**`scale`, and the notation it is written in. Immutable.

    `exact` means upstream's arbitrary precision form (inf.Dec), not its int64 form; only `value` and overflow differ.
    """

    __slots__ = ("_exact", "_scale", "_text", "_unscaled", "notation")

    ZERO: ClassVar[Quantity]
    """Zero, without a notation: a sum that starts here takes the notation of the first amount."""

    def __init__(
        self, unscaled: int = 0, scale: int = 0, notation: Notation = "", *, exact: bool = False, text: str = ""
    ) -> None:
        self._unscaled = unscaled
        self._scale = scale
        self._exact = exact
        self._text = text
        self.notation: Notation = notation

    @staticmethod
    def parse(text: str | int | float) -> Quantity:
        """The quantity of a text, or of a number as written in JSON. Raises QuantityError."""
        return _parse(text if isinstance(text, str) else format_json_number(text))

    def is_zero(self) -> bool:
        """Whether the amount is zero."""
        return self._unscaled == 0

    def __str__(self) -> str:
        if not self._text:
            self._text = self._format()
        return self._text

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def _format(self) -> str:
        if self._unscaled == 0:
            return "0"
        if self.notation == "BinarySI" and (whole := self._whole()) is not None and abs(whole) >= 1024:
            number, times = _without_factors(whole, 1024)
            return f"{number}{_BINARY_SUFFIX.get(times, '')}"
        number, times = _without_factors(self._unscaled, 10)
        exponent = self._scale + times
        number *= 10 ** (exponent % 3)
        exponent -= exponent % 3
        if self.notation in ("DecimalSI", "BinarySI"):
            return f"{number}{_DECIMAL_SUFFIX.get(exponent, '')}"
        return f"{number}e{exponent}" if exponent else str(number)

    def _whole(self) -> int | None:
        whole, rest = divmod(self._unscaled * _power(self._scale), _power(-self._scale))
        return None if rest else whole

    def value(self) -> int:
        """The amount as an int64, rounded up; what does not fit comes out as upstream's arithmetic leaves it."""
        if self._exact:
            return _scaled_value(self._unscaled, self._scale)
        if self._scale >= 0:
            whole = self._unscaled * _power(min(self._scale, _INT64_DIGITS + 1))
            # Upstream multiplies by these powers at once and keeps what int64 wraps to.
            return as_int64(whole) if self._scale in (1, 2, 3, 6, 9) or fits_int64(whole) else 0
        whole, rest = divmod(abs(self._unscaled), _power(-self._scale))
        whole += rest > 0
        return whole if self._unscaled >= 0 else -whole

    def milli(self) -> int:
        """The thousandths as an int64, like `value`."""
        return Quantity(self._unscaled, self._scale + 3, exact=self._exact).value()

    def __add__(self, other: Quantity) -> Quantity:
        notation = other.notation if self._unscaled == 0 else self.notation
        exact = self._exact or other._exact
        if not exact:
            if other._unscaled == 0:
                return Quantity(self._unscaled, self._scale, notation)
            if self._unscaled == 0:
                return Quantity(other._unscaled, other._scale, notation)
        mine, theirs, scale = _align(self, other)
        exact = exact or not (fits_int64(mine) and fits_int64(theirs) and fits_int64(mine + theirs))
        return Quantity(mine + theirs, scale, notation, exact=exact)

    def __mul__(self, factor: int) -> Quantity:
        if self._exact or self._unscaled == 0:
            return Quantity(self._unscaled * factor, self._scale, self.notation, exact=self._exact)
        if factor == 0:
            return Quantity(0, 0, self.notation)
        product = self._unscaled * factor
        small = fits_int64(product) and fits_int64(product * _power(min(self._scale, _INT64_DIGITS + 1)))
        exact = not small or product % _power(-self._scale) != 0
        return Quantity(product, self._scale, self.notation, exact=exact)

    def _compare(self, other: Quantity) -> int:
        if abs(self._scale - other._scale) > _LONGEST * 2:
            larger = self if self._scale > other._scale else other
            mine, theirs = (q._unscaled if q is larger or larger.is_zero() else 0 for q in (self, other))
        else:
            mine, theirs, _ = _align(self, other)
        return (mine > theirs) - (mine < theirs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self._compare(other) == 0

    def __lt__(self, other: Quantity) -> bool:
        return self._compare(other) < 0

    def __gt__(self, other: Quantity) -> bool:
        return self._compare(other) > 0

    def __hash__(self) -> int:
        number, times = _without_factors(self._unscaled, 10)
        return hash((number, times + self._scale if number else 0))


Quantity.ZERO = Quantity()
_canonical: dict[str, str] = {}


def canonical(text: str | int | float) -> str:
    """The text that Kubernetes stores for a quantity of a manifest. Raises QuantityError."""
    if not isinstance(text, str):
        return str(_parse(format_json_number(text)))
    known = _canonical.get(text)
    if known is None:
        # Decoding JSON trims blanks; a control character is escaped there and so stays an error.
        known = str(_parse(text.strip(" ")))
        if len(_canonical) < 4096:
            _canonical[text] = known
    # Callers check for changes by identity.
    return text if known == text else known


def _parse(text: str) -> Quantity:
    if text == "0":
        return Quantity(0, 0, "DecimalSI", text=text)
    unsigned = text[1:] if text[:1] in ("+", "-") else text
    rest = unsigned.lstrip("0")
    tail = rest.lstrip(_DIGITS)
    whole = rest[: len(rest) - len(tail)] or "0"
    fraction = ""
    if tail[:1] == ".":
        rest, tail = tail[1:], tail[1:].lstrip(_DIGITS)
        fraction = rest[: len(rest) - len(tail)]
    notation, exponent = _suffix(text, tail)
    digits = whole + fraction
    if len(digits) > _LONGEST:
        raise QuantityError(_TOO_LONG)
    sign = -1 if text[0] == "-" else 1
    small = _small(text, sign, digits, as_int32(exponent - len(fraction)), notation, exponent)
    if small is not None:
        return small
    # Digits are missing only where an empty number does not fit the int64 form, as in "Ei".
    if text != tail and unsigned[: len(unsigned) - len(tail)].strip("."):
        return _large(sign, int(digits), len(fraction), exponent, notation)
    raise QuantityError(_INVALID_NUMBER)


def _suffix(text: str, suffix: str) -> tuple[Notation, int]:
    """The notation and exponent (of 2 in BinarySI, else of 10) of a suffix."""
    if suffix in _DECIMAL and text:
        return "DecimalSI", _DECIMAL[suffix]
    if suffix in _BINARY:
        return "BinarySI", _BINARY[suffix]
    digits = suffix.lstrip(_LETTERS)
    digits = digits[1:] if digits[:1] in ("+", "-") else digits
    if not text or digits.lstrip(_DIGITS):
        raise QuantityError(_INVALID_FORM)
    head, number = suffix[:1], suffix[1:]
    digits = number[1:] if number[:1] in ("+", "-") else number
    if head in ("e", "E") and digits and not digits.strip(_DIGITS) and len(digits.lstrip("0")) <= 19:
        exponent = int(digits.lstrip("0") or "0") * (-1 if number[0] == "-" else 1)
        if fits_int64(exponent):
            return "DecimalExponent", as_int32(exponent)
    raise QuantityError(_INVALID_SUFFIX)


def _small(text: str, sign: int, digits: str, scale: int, notation: Notation, exponent: int) -> Quantity | None:
    """The int64 form; None where the number needs the arbitrary precision form."""
    if notation == "BinarySI":
        # 15 digits less the suffix's own: 2**10 has about three.
        if scale != exponent or len(digits) > 14 - exponent * 3 // 10:
            return None
        number = int(digits)
        kept = text if exponent % 10 == 0 and number & 7 else ""
        return Quantity(sign * number << exponent, 0, notation, text=kept)
    if len(digits) > _INT64_DIGITS or scale < _NANO:
        return None
    kept = text if scale % 3 == 0 and digits[0] != "0" and not digits.endswith("000") else ""
    return Quantity(sign * int(digits), scale, notation, text=kept)


def _large(sign: int, number: int, places: int, exponent: int, notation: Notation) -> Quantity:
    scale = -places
    if notation == "BinarySI":
        number <<= exponent
    else:
        scale = as_int32(scale + exponent)
    if number:
        number, scale = _rounded_up(number, scale), _NANO
    if notation == "BinarySI":
        if number > INT64_MAX * 10**-scale:
            number, scale = INT64_MAX, 0
        elif 0 < number < 10**-scale:
            notation = "DecimalSI"
    return Quantity(sign * number, scale, notation, exact=True)


def _rounded_up(number: int, scale: int) -> int:
    """`number` * 10**`scale` in billionths."""
    shift = scale - _NANO
    if shift > _LONGEST:
        raise QuantityError(_TOO_LONG)
    if shift >= 0:
        return number * _power(shift)
    return -(-number // _power(-shift)) if shift > -_LONGEST * 2 else 1


def _scaled_value(unscaled: int, scale: int) -> int:
    if scale == 0:
        return as_int64(unscaled)
    if scale > 0:
        # A float that is too large is the smallest int64 on amd64.
        power = _power(scale) if scale <= _INT64_DIGITS else -(1 << 63)
        return as_int64(as_int64(unscaled) * power)
    divisor = _power(-scale)
    if unscaled < INT64_MAX and -scale <= _INT64_DIGITS:
        unscaled = as_int64(unscaled)
        whole = abs(unscaled) // divisor
        whole = whole if unscaled >= 0 else -whole
        return whole + (unscaled % divisor != 0)
    return as_int64(as_int64(unscaled // divisor) + (unscaled % divisor != 0))


def _align(one: Quantity, other: Quantity) -> tuple[int, int, int]:
    scale = min(one._scale, other._scale)
    mine = one._unscaled * _power(one._scale - scale) if one._unscaled else 0
    theirs = other._unscaled * _power(other._scale - scale) if other._unscaled else 0
    return mine, theirs, scale


def _power(exponent: int) -> int:
    """10**exponent, at least 1."""
    if exponent > _LONGEST * 2:
        raise QuantityError(_TOO_LONG)
    power: int = 10 ** max(exponent, 0)
    return power


def _without_factors(number: int, factor: int) -> tuple[int, int]:
    times = 0
    while number and number % factor == 0:
        number //= factor
        times += 1
    return number, times
