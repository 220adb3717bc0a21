"""The archives that the controller serves, on the disk."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

import pytest

from kubectl_trainjob.cluster.controller.publish import ArchiveStore, empty_directory
from kubectl_trainjob.cluster.controller.training_set import SetKey
from kubectl_trainjob.model.faults import EnvironmentFault

KEY = SetKey("n", "s")


@pytest.fixture
def store(tmp_path: Path) -> ArchiveStore:
    return ArchiveStore(empty_directory(str(tmp_path / "archives")), "localhost")


def _served(store: ArchiveStore, path: str) -> bytes | None:
    file = store.find(f"/{path}")
    return Path(file).read_bytes() if file else None


def test_the_newest_archive_and_the_one_before_are_served(store: ArchiveStore) -> None:
    """Also if the newest one is as an earlier one."""
    a, b = store.store(KEY, b"a"), store.store(KEY, b"b")
    for age, path in ((20, a), (10, b)):  # seconds: the clock of files has ticks
        os.utime(str(store.find(f"/{path}")), (time.time() - age, time.time() - age))
    assert store.store(KEY, b"a") == a
    c = store.store(KEY, b"c")
    assert [_served(store, each) for each in (a, b, c)] == [b"a", None, b"c"]


def test_a_set_that_is_gone(store: ArchiveStore, tmp_path: Path) -> None:
    path = store.store(KEY, b"a")
    other = store.store(SetKey("n", "t"), b"a")
    store.forget(KEY)
    assert (_served(store, path), _served(store, other)) == (None, b"a")
    assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == [other.rpartition("/")[2]]


def test_a_disk_that_is_full(store: ArchiveStore, tmp_path: Path) -> None:
    """An error of the environment, and no part of an archive is left."""
    path = store.store(KEY, b"a")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(EnvironmentFault, match=r"cannot be stored: .*; check --storage-path"):
            store.store(KEY, b"b" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == [path.rpartition("/")[2]]
