"""Permissions hold for root, too: for tests of folders that may not be read or written."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522  # of Linux' capget and capset: 64 capabilities, in two halves
_OVERRIDES = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Half(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def ordinary_user() -> Iterator[None]:
    """What files forbid is forbidden inside the block. The user stays the same, so what is theirs can still be read."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, halves = _Header(_VERSION, 0), (_Half * 2)()
    assert libc.capget(ctypes.byref(header), halves) == 0, os.strerror(ctypes.get_errno())
    before = halves[0].effective
    halves[0].effective = before & ~_OVERRIDES
    assert libc.capset(ctypes.byref(header), halves) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        halves[0].effective = before
        assert libc.capset(ctypes.byref(header), halves) == 0, os.strerror(ctypes.get_errno())
