"""Runs a Python program as in a Pod with GPUs: `with_gpus.py COUNT PROGRAM ARGUMENT...`, or `COUNT -m MODULE ...`.

Only their count is imitated: launchers start one process for each, and the probe uses none.
"""

import runpy
import sys

import torch

COUNT = int(sys.argv[1])
torch.cuda.is_available = lambda: COUNT > 0
torch.cuda.device_count = lambda: COUNT
sys.argv = sys.argv[2:]
if sys.argv[0] == "-m":
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    runpy.run_path(sys.argv[0], run_name="__main__")
