"""Archives of artifacts: those of tar and git unpack as tar unpacks them, and hostile ones leave nothing outside."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_trainjob.cluster.controller import archive
from kubectl_trainjob.cluster.controller.archive import ArchiveError, unpack
from kubectl_trainjob.cluster.controller.publish import empty_directory
from kubectl_trainjob.model.faults import EnvironmentFault
from tests.loops import for_each
from tests.tools import require

_LONG = "/".join(["d" * 120, "e" * 120, "f.yaml"])
_FILES = {"trainjob.yaml": b"a: 1\n", "jobs/a b.yaml": b"x" * 70_000, "jobs/empty": b"", _LONG: b"1", "é/ü.yaml": b"2"}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _content(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def _tar(*arguments: str) -> Callable[[Path, Path], None]:
    return lambda tree, to: _run([require("tar"), *arguments, "-czf", str(to), "-C", str(tree), "."])


def _git(tree: Path, to: Path) -> None:
    git = [require("git"), "-C", str(tree), "-c", "user.name=a", "-c", "user.email=a@b"]
    _run([*git, "init", "-q"])
    _run([*git, "add", "."])
    _run([*git, "commit", "-qm", "a"])
    _run([*git, "archive", "--format=tar.gz", "-o", str(to), "HEAD"])


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


_MAKERS: list[tuple[str, Callable[[Path, Path], None]]] = [
    *((each, _tar(f"--format={each}")) for each in ("ustar", "gnu", "oldgnu", "pax", "v7")),
    ("git", _git),
]


@for_each("maker", _MAKERS, at_least=6)
def test_real_archives(
    tmp_path_factory: pytest.TempPathFactory, maker: tuple[str, Callable[[Path, Path], None]]
) -> None:
    top = tmp_path_factory.mktemp(maker[0])
    tree, packed, ours, theirs = (top / each for each in ("tree", "a.tar.gz", "ours", "theirs"))
    files = {key: value for key, value in _FILES.items() if key != _LONG or maker[0] not in ("ustar", "v7")}
    _write(tree, files)  # without the path that is too long for old formats
    maker[1](tree, packed)
    ours.mkdir()
    theirs.mkdir()
    _run([require("tar"), "-xzf", str(packed), "-C", str(theirs)])
    with packed.open("rb") as file:
        unpack(file, str(ours))
    assert _content(ours) == _content(theirs) == files


def _entry(name: str, data: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    for key, value in fields.items():
        setattr(entry, key, value)
    return entry, data


def _packed(*entries: tuple[tarfile.TarInfo, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:  # noqa: A002
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as made:
        for entry, data in entries:
            made.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _header(size: int, kind: bytes, name: str = "a") -> bytes:
    """One header whose size need not be true."""
    entry = tarfile.TarInfo(name)
    entry.type = kind
    block = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b"%011o\0" % size if size >= 0 else b"\xff" * 4 + size.to_bytes(8, "big", signed=True)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


_END = bytes(1024)
_LINK = {"type": tarfile.SYMTYPE, "linkname": "/etc"}
_PAX = {"type": tarfile.REGTYPE, "pax_headers": {"path": "../../outside"}}
_EVIL: dict[str, tuple[bytes, str]] = {
    "above": (_packed(_entry("../outside", b"x")), "not below the root"),
    "above, later": (_packed(_entry("a/../../outside", b"x")), "not below the root"),
    "absolute": (_packed(_entry("/tmp/outside", b"x")), "not below the root"),
    "above by an extended header": (_packed(_entry("fine", b"x", **_PAX)), "not below the root"),
    "a directory above": (_packed(_entry("../outside", type=tarfile.DIRTYPE)), "not below the root"),
    "the root as a file": (_packed(_entry("./", b"x", type=tarfile.AREGTYPE)), "neither a regular file|damaged"),
    "a link": (_packed(_entry("link", **_LINK)), "neither a regular"),
    "a link and a file in it": (_packed(_entry("link", **_LINK), _entry("link/passwd", b"x")), "neither a regular"),
    "a hard link": (_packed(_entry("link", type=tarfile.LNKTYPE, linkname="/etc/passwd")), "neither a regular"),
    "a pipe": (_packed(_entry("pipe", type=tarfile.FIFOTYPE)), "neither a regular"),
    "a device": (_packed(_entry("disk", type=tarfile.BLKTYPE, devmajor=8)), "neither a regular"),
    "a sparse file": (_header(0, tarfile.GNUTYPE_SPARSE) + _END, "neither a regular"),
    "an unknown type": (_header(0, b"Z") + _END, "neither a regular"),
    "a file twice": (_packed(_entry("a", b"1"), _entry("a", b"2")), "twice"),
    "a file as a directory": (_packed(_entry("a", b"1"), _entry("a/b", b"2")), "twice"),
    "a directory as a file": (_packed(_entry("a/b", b"1"), _entry("a", b"2")), "twice"),
    "no end": (_packed(_entry("a", b"1"))[:1024], "no end"),
    "cut content": (_header(5000, tarfile.REGTYPE) + b"x" * 512, "damaged|too early"),
    "a damaged header later": (_packed(_entry("a", b"1"))[:1024] + b"\x01" * 512 + _END, "no end"),
    "a damaged header at first": (b"\x01" * 512 + _END, "damaged"),
    **{
        f"a size of {size} in a header of type {kind!r}": (_header(size, kind) + _END, "a size is negative")
        for size in (-1, -512, -1024, -(1 << 62))
        for kind in (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME)
        if size != -1 or kind in (tarfile.REGTYPE, tarfile.DIRTYPE)
    },
    "a huge extended header": (_header(1 << 32, tarfile.XHDTYPE) + _END, "too long"),
    "a huge name": (_header(1 << 32, tarfile.GNUTYPE_LONGNAME) + _END, "too long"),
    "headers of headers": (_header(0, tarfile.XHDTYPE) * 5000 + _END, "damaged"),
    "a name of 5000 characters": (_packed(_entry("n" * 5000, b"1")), "long"),
    "nothing": (b"", "no end|damaged|empty"),
}


@for_each("case", _EVIL, at_least=39)
def test_hostile_archives(tmp_path_factory: pytest.TempPathFactory, case: tuple[bytes, str]) -> None:
    top = tmp_path_factory.mktemp("evil")
    target = top / "x" / "y" / "target"
    target.mkdir(parents=True)
    file = top / "a.tar.gz"
    file.write_bytes(gzip.compress(case[0]))
    with file.open("rb") as opened, pytest.raises((ArchiveError, OSError), match=case[1]):
        unpack(opened, str(target))
    assert {each.name for each in top.rglob("*") if not each.is_relative_to(target)} == {"x", "y", "a.tar.gz"}
    assert [each for each in target.rglob("*") if each.is_symlink() or not (each.is_file() or each.is_dir())] == []


_DAMAGED: dict[str, bytes] = {
    "no gzip": b"PK\x03\x04" + bytes(600),
    "cut": gzip.compress(_packed(_entry("a", os.urandom(9000))))[:5000],
    "garbage inside": gzip.compress(b"")[:10] + b"\xff" * 100,
}


@for_each("case", _DAMAGED, at_least=3)
def test_damaged_files(tmp_path_factory: pytest.TempPathFactory, case: bytes) -> None:
    top = tmp_path_factory.mktemp("damaged")
    (top / "a").write_bytes(case)
    (top / "target").mkdir()
    with (top / "a").open("rb") as opened, pytest.raises(ArchiveError):
        unpack(opened, str(top / "target"))


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is small when packed, one that is large anyway, many files, and deep directories."""
    monkeypatch.setattr(archive, "_SLACK", 1 << 20)
    monkeypatch.setattr(archive, "_MOST_FILES", 1000)
    bombs = [
        (gzip.compress(_packed(_entry("a", bytes(4 << 20)))), "larger than"),
        (gzip.compress(_packed(*(_entry(f"f{number}") for number in range(1001)))), "more than 1000 files"),
        (gzip.compress(_packed(*(_entry(f"{number}/" + "d/" * 200 + "f") for number in range(6)))), "more than 1000"),
    ]
    for number, (data, message) in enumerate(bombs):
        (tmp_path / f"{number}.gz").write_bytes(data)
        (tmp_path / str(number)).mkdir()
        with (tmp_path / f"{number}.gz").open("rb") as opened, pytest.raises(ArchiveError, match=message):
            unpack(opened, str(tmp_path / str(number)))
        assert sum(each.stat().st_size for each in (tmp_path / str(number)).rglob("*")) < 5 << 20


def test_what_a_killed_controller_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "unpacked" / "old").mkdir(parents=True)
    (tmp_path / "unpacked" / "old" / "file").write_text("x")
    path = Path(empty_directory(str(tmp_path / "unpacked")))
    assert [*path.iterdir()] == []
    assert path.stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").write_text("x")
    with pytest.raises(EnvironmentFault, match="use another --storage-path"):
        empty_directory(str(tmp_path / "file" / "below"))
