"""`python -m tests.hostile.paths_flipper A B`: lets two names change places again and again, in bursts, until killed.

Neither is ever missing. Between bursts each state lasts a while, so that a build may see only one of them.
"""

from __future__ import annotations

import ctypes
import os
import random
import sys
import time

_BURST = 21  # odd: the other state comes next
_LONGEST = 0.03  # seconds between bursts
_HERE = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def main(one: str, other: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    print("ready", flush=True)
    while True:
        for _ in range(_BURST):
            if libc.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        time.sleep(random.uniform(0, _LONGEST))


if __name__ == "__main__":
    main(*sys.argv[1:])
