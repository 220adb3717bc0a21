"""The server's times, and durations as Kubernetes writes them."""

from __future__ import annotations

import re
from datetime import datetime

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(?<!\d)(\d++(?:\.\d++)?)(ms|s|m|h)")


def seconds_between(earlier: str, later: str) -> float:
    """The seconds from one RFC 3339 time to another; 0 if one of them is missing."""
    if not earlier or not later:
        return 0.0
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def parsed_duration(text: str) -> float | None:
    """The seconds of `90s`, `5m` or `1h30m`; None for other texts."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
