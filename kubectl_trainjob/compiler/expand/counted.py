"""A value together with what it was made from."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from kubectl_trainjob.model.draft import Cause

Value_co = TypeVar("Value_co", covariant=True)


class Counted(NamedTuple, Generic[Value_co]):
    """A value that was counted or chosen, and the input values that it rests on.

    The first of these decides: it is the line that a person would edit, which is what `Origin.first_place` names and
    `environment/counting.py` explains. The others are what was looked at besides.
    """

    value: Value_co
    because: tuple[Cause, ...] = ()
