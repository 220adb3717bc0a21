"""Paths as URI references (RFC 3986)."""

from __future__ import annotations

import re

_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte of a path


def uri_reference(path: str) -> str:
    """A relative path as a relative reference, an absolute one as a `file:` URI; every other byte percent-encoded."""
    path = path.removeprefix("./")
    raw = _NO_BYTE.sub("\ufffd", path).encode("utf-8", "surrogateescape")
    encoded = "".join(chr(byte) if byte in _LITERAL else f"%{byte:02X}" for byte in raw)
    return f"file://{encoded}" if encoded.startswith("/") else encoded
