"""Runs one command and says what it cost, as JSON: wall and CPU seconds, peak resident MiB, exit code.

A program of its own, because on Linux a child's peak starts at its parent's size; this parent is tiny.
Usage: python -I -S timed.py COMMAND [ARGUMENT...]   (the command's output is thrown away)
"""

import os
import sys
import time

if __name__ == "__main__":
    nothing = os.open(os.devnull, os.O_RDWR)
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.execvp(sys.argv[1], sys.argv[1:])
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
    code = os.waitstatus_to_exitcode(status)
    print(f'{{"wall": {wall:.6f}, "cpu": {cpu:.6f}, "peak": {peak:.3f}, "code": {code}}}')
