"""Texts that the API server parses further: quantities and times.

Mirrors k8s.io/apimachinery/pkg/api/resource (ParseQuantity) and metav1.Time (RFC 3339), which decide after the schema.
"""

from __future__ import annotations

import re
from datetime import datetime

INT32 = (-(2**31), 2**31 - 1)
INT64 = (-(2**63), 2**63 - 1)
LARGEST_EXACT_FLOAT = 2**53 - 1

_QUANTITY = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,18})?")
_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?(Z|[+-]([0-9]{2}):([0-9]{2}))")


def is_quantity(text: str) -> bool:
    """Whether both the CRD's pattern and Kubernetes' parser take the text for a quantity."""
    return _QUANTITY.fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Whether the text is a time such as `2026-03-01T08:00:00Z`."""
    match = _TIME.fullmatch(text)
    if match is None or int(match[4] or 0) > 23 or int(match[5] or 0) > 59:
        return False
    try:
        datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return False
    return True


def python_pattern(pattern: str) -> str:
    """A CRD's pattern (RE2) for Python's `re` with ASCII classes: `$` is the end of the text, not a last line's."""
    return pattern[:-1] + r"\Z" if pattern.endswith("$") and not pattern.endswith(r"\$") else pattern
