"""The value of a plain (unquoted, untagged) YAML scalar in kubectl.

Mirrors `resolve` of go.yaml.in/yaml/v2, followed by the trip through JSON that sigs.k8s.io/yaml and
k8s.io/apimachinery/pkg/util/json make: whole floats are read as integers, integers beyond 64 bits as floats.
"""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NOT_FINITE = frozenset((".nan", ".NaN", ".NAN", *(s + w for s in ("", "+", "-") for w in (".inf", ".Inf", ".INF"))))
_NUMERIC_START = frozenset("0123456789+-.")

_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))", re.ASCII)
_SIGN_AFTER_0B = r"0b([-+])([01]+)"
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_DOT_FLOAT = r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?"

_INT64 = range(-(1 << 63), 1 << 63)
_MAX_UINT64 = (1 << 64) - 1
_MAX_DIGITS = {16: 16, 2: 64, 8: 22, 10: 20}
_INFINITY = float("inf")
_FIRST_EXPONENT_FORM = 1e21  # Go's JSON encoder writes floats from here on with an exponent


class NotFiniteError(ValueError):
    """`.inf` and `.nan` have no JSON form: kubectl rejects the file."""


def plain(text: str) -> Scalar:
    """The value of a plain scalar; raises NotFiniteError for `.inf`, `.nan` and their spellings."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC_START:
        return text
    if text in _NOT_FINITE:
        raise NotFiniteError(text)
    if text[0] == ".":
        return _float(text) if re.fullmatch(_DOT_FLOAT, text, re.ASCII) else text
    return _number(text.replace("_", ""), text)


def parse_json_number(text: str) -> int | float:
    """The value of a JSON number; raises NotFiniteError where it does not fit a float."""
    value = _number(text, text)
    if isinstance(value, str):
        raise NotFiniteError(text)
    return value


def _number(digits: str, text: str) -> str | int | float:
    """`digits` is `text` without its underscores; `text` is the result where no number is meant."""
    integer = _integer(digits)
    if integer is not None:
        return integer if integer in _INT64 else float(integer)
    if _FLOAT.fullmatch(digits):
        return _float(digits, text)
    odd = re.fullmatch(
        _SIGN_AFTER_0B, digits, re.ASCII
    )  # `0b-101` is -5: the prefix is cut off before the sign is read
    if odd and (value := _in_base(odd[1], odd[2], 2)) is not None:
        return value if value in _INT64 else text
    return text


def _integer(digits: str) -> int | None:
    """An integer of int64 or uint64, as strconv.ParseInt and ParseUint with base 0 take it."""
    match = _INTEGER.fullmatch(digits)
    if match is None:
        return None
    sign, *groups = match.groups()
    for base, group in zip((16, 2, 8, 10), groups, strict=True):
        if group is not None:
            return _in_base(sign, group, base)
    return None


def _in_base(sign: str, digits: str, base: int) -> int | None:
    significant = digits.lstrip("0") or "0"
    if len(significant) > _MAX_DIGITS[base]:
        return None
    value = int(significant, base)
    if sign == "-":
        value = -value
    unsigned = not sign and 0 <= value <= _MAX_UINT64
    return value if unsigned or value in _INT64 else None


def _float(digits: str, text: str | None = None) -> str | int | float:
    """A float that overflows stays text; a whole one of 64 bits is the integer of its JSON form."""
    value = float(digits)
    if abs(value) == _INFINITY:
        return digits if text is None else text
    if not value.is_integer() or abs(value) >= _FIRST_EXPONENT_FORM:
        return value
    whole = _shown_whole(value)
    return whole if whole in _INT64 else value


def _shown_whole(value: float) -> int:
    """The integer that a whole float's shortest decimal form shows, which beyond 2**53 differs from int(value)."""
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return int(value)
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction + "0" * (int(exponent) - len(fraction)))
