"""Whether two bodies say the same, quickly: most of what is compared does."""

from __future__ import annotations

from typing import Any


def is_same(old: Any, new: Any) -> bool:
    """Equality as JSON has it, up to the order of keys: `true` is not 1, and 1 is not 1.0.

    False where the order of keys differs and nothing else: who asks looks closer then.
    """
    return old is new or (bool(old == new) and repr(old) == repr(new))
