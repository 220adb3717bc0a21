"""A search space in its normal form: the parameters by name, their exact numbers, and the errors of how they are
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.shape import without_nulls
from kubectl_trainjob.kube.schemas.messages import unknown_field
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import TUNING_FIELD, TUNING_PARAMETER
from kubectl_trainjob.model.source import Place

EXACT = Context(prec=400)
"""Enough digits for sums and products of numbers with texts of up to `LONGEST` characters."""
LONGEST = 40

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
_WIDEST = 400  # the largest exponent that is written out
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_EXPECTED = {"int": "integers", "double": "numbers", "categorical": "strings, numbers or booleans"}
_TYPES = ("int", "double", "categorical")
_FIELDS = ("type", "values", "min", "max", "step", "scale")
_RANGE = ("min", "max", "step", "scale")


class Range(NamedTuple):
    """`step` is None where every number in between is a point: doubles without a step."""

    least: Decimal
    most: Decimal
    step: Decimal | None
    is_log: bool

    @property
    def size(self) -> int | None:
        """The number of points, None for an infinite number."""
        if self.step is None:
            return None
        distance = EXACT.subtract(self.most, self.least)
        return int(EXACT.divide_int(distance, self.step)) + 1

    def point(self, index: int) -> str:
        """The text of a point."""
        assert self.step is not None
        return text_of(EXACT.add(self.least, EXACT.multiply(self.step, Decimal(index))))


class Parameter(NamedTuple):
    """One parameter: its texts, or a range."""

    name: str
    type: str
    texts: tuple[str, ...] = ()
    range: Range | None = None
    states_step: bool = False

    @property
    def size(self) -> int | None:
        """The number of values, None for an infinite number."""
        return self.range.size if self.range else len(self.texts)

    def text(self, index: int) -> str:
        """A value by its position."""
        return self.range.point(index) if self.range else self.texts[index]


class _ParameterError(Exception):
    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def read_space(parameters: Mapping[str, Any], place: Place) -> tuple[tuple[Parameter, ...], list[Diagnostic]]:
    """The parameters, sorted by name, and the errors of each at its entry below `place`."""
    found: list[Parameter] = []
    errors: list[Diagnostic] = []
    for name, specified in sorted(parameters.items()):
        body = without_nulls(specified)
        try:
            if not _NAME.fullmatch(name):
                raise _ParameterError(
                    say('"{}" is not a name of a parameter; write letters, digits, "_", "-" and "."', name)
                )
            if not isinstance(body, dict):
                raise _ParameterError(
                    say('the parameter "{}" must be a mapping with type and values, or min and max', name)
                )
            unknown = [key for key in body if key not in _FIELDS]
            for key in unknown:
                message = unknown_field(key, list(_FIELDS))
                errors.append(Diagnostic(TUNING_FIELD, message, place.child(name, key).key()))
            if not unknown:
                found.append(_parameter(name, body))
        except _ParameterError as error:
            errors.append(Diagnostic(TUNING_PARAMETER, error.message, place.child(name).key()))
    return tuple(found), errors


def _parameter(name: str, body: Mapping[str, Any]) -> Parameter:
    kind = body.get("type")
    if kind not in _TYPES:
        raise _ParameterError(say('the type of parameter "{}" must be int, double or categorical; set type', name))
    ranged = [key for key in _RANGE if key in body]
    if kind == "categorical" and ranged:
        raise _ParameterError(say('parameter "{}" is categorical and has no {}; write values', name, ranged[0]))
    if "values" in body and ranged:
        raise _ParameterError(say('parameter "{}" has values and {}; remove one of them', name, ranged[0]))
    if "values" in body:
        return Parameter(name, kind, tuple(_texts(name, kind, body["values"])))
    if kind == "categorical":
        raise _ParameterError(say('parameter "{}" has no values; add them', name))
    return _range_parameter(name, kind, body)


def _texts(name: str, kind: str, values: Any) -> Iterator[str]:
    if not isinstance(values, list) or not values:
        raise _ParameterError(say('values of parameter "{}" must be a list of at least one value', name))
    seen: set[str] = set()
    for value in values:
        text = _text(value, kind)
        if text is None:
            expected = _EXPECTED[kind]
            raise _ParameterError(say('values of parameter "{}" must be {}, not {}', name, expected, value))
        if text in seen:
            raise _ParameterError(say('values of parameter "{}" have the duplicate "{}"; remove one', name, text))
        seen.add(text)
        yield text


def _text(value: Any, kind: str) -> str | None:
    if kind == "categorical":
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return value
    number = number_of(value)
    if number is None or (kind == "int" and not is_whole(number)):
        return None
    text = text_of(number)
    return text if len(text) <= LONGEST else None


def _range_parameter(name: str, kind: str, body: Mapping[str, Any]) -> Parameter:
    least, most = (_bound(name, kind, body, key) for key in ("min", "max"))
    scale = body.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise _ParameterError(say('scale of parameter "{}" must be linear or log', name))
    if least >= most:
        raise _ParameterError(say('min of parameter "{}" must be less than max', name))
    is_log = scale == "log"
    if is_log and least <= 0:
        raise _ParameterError(say('min of parameter "{}" must be greater than 0 for scale: log', name))
    if is_log and "step" in body:
        raise _ParameterError(say('parameter "{}" has scale: log, which has no step; remove one of them', name))
    step = _bound(name, kind, body, "step") if "step" in body else Decimal(1) if kind == "int" else None
    if step is not None and step <= 0:
        raise _ParameterError(say('step of parameter "{}" must be greater than 0', name))
    return Parameter(name, kind, range=Range(least, most, step, is_log), states_step="step" in body)


def _bound(name: str, kind: str, body: Mapping[str, Any], key: str) -> Decimal:
    if key not in body:
        raise _ParameterError(say('parameter "{}" has no {}; write values, or min and max', name, key))
    number = number_of(body[key])
    if number is None or (kind == "int" and not is_whole(number)) or len(text_of(number)) > LONGEST:
        expected = say("an integer" if kind == "int" else "a number")
        template = '{} of parameter "{}" must be {} of at most {} characters, not {}'
        raise _ParameterError(say(template, key, name, expected, LONGEST, body[key]))
    return number


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
