"""A directory is opened for writing only if its path is real: a link may be put there after the path was resolved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubectl_trainjob.repository.output.folder import open_directory


@pytest.mark.parametrize("link", ["a", "a/b", "a/b/c"])
def test_no_link_in_the_path_is_followed(link: str, tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    path = str(tmp_path / "a/b/c")
    with open_directory(path) as folder:
        assert folder.path == path
    os.rename(tmp_path / link, tmp_path / "moved")
    (tmp_path / link).symlink_to(tmp_path / "moved")
    assert os.path.isdir(path)
    with pytest.raises(OSError, match=r"directory|symbolic"), open_directory(path):
        pytest.fail("the link was followed")


def test_a_directory_below_one_that_cannot_be_listed_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a").chmod(0o111)
    with open_directory(str(tmp_path / "a/b")) as folder:
        folder.create("new", b"x")
    assert (tmp_path / "a/b/new").read_bytes() == b"x"
