#!/usr/bin/env python3
"""Writes what a process sees to a file of the directory PROBE."""

import json
import os

RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
LOCAL = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")


def first(names):
    return next((os.environ[name] for name in names if name in os.environ), None)


seen = {
    "rank": int(first(RANKS)),
    "size": int(first(SIZES)),
    "local": int(first(LOCAL)),
    "host": os.environ.get("POD", ""),
    "master": f"{os.environ.get('MASTER_ADDR', '')}:{os.environ.get('MASTER_PORT', '')}",
}
with open(f"{os.environ['PROBE']}/{seen['rank']}-{os.getpid()}", "w", encoding="utf-8") as file:
    json.dump(seen, file)
