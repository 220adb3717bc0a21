"""The server's times."""

from __future__ import annotations

from datetime import datetime


def seconds_between(earlier: str, later: str) -> float:
    """The seconds from one RFC 3339 time to another; 0 if one of them is missing."""
    if not earlier or not later:
        return 0.0
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
