"""Makes what a release consists of: the wheel, the sdist, krew's archive and krew's manifest.

    python .ci/release.py OUT [--repository URL]

OUT is a folder, made if it is missing. URL is where the repository lies, and its releases below it, as on GitHub. Needs
hatchling (.ci/requirements-build.lock); what krew's archive ships is downloaded by hash. The same commit gives the same
bytes, whoever makes them, where and when.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

_TIME = 1580601600  # of every file; the one that hatchling writes into wheels
# Every machine takes the same wheels, and of them what runs on all: no C parts (the packages work without them), and
# nothing that only an installer or a type checker reads.
_ONE_PLATFORM = ("--platform", "manylinux2014_x86_64", "--implementation", "cp", "--python-version", "3.11")
_LEFT_OUT = re.compile(
    r"/$|\.(c|pyi|pyx|so)$|^[^/]+\.data/|/(RECORD|WHEEL|INSTALLER|entry_points\.txt|top_level\.txt)$|^_yaml/|^[^/]+-stubs/"
)


def main() -> None:
    """Make all of it, and say what was made."""
    arguments = _arguments()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "hatchling", "build", "-d", out.resolve()]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "SOURCE_DATE_EPOCH": str(_TIME)}, check=True)
    [wheel] = out.glob("kubectl_trainjob-*.whl")
    version = "v" + wheel.name.split("-")[1]
    archive = out / f"kubectl-trainjob-{version}.tar.gz"
    archive.write_bytes(packed(_shipped(wheel)))
    (out / "trainjob.yaml").write_text(_manifest(version, arguments.repository, archive), encoding="utf-8")
    for made in sorted(out.iterdir()):
        print(hashlib.sha256(made.read_bytes()).hexdigest(), made.name)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--repository", default="https://github.com/OWNER/kubectl-trainjob", metavar="URL")
    return parser.parse_args()


def _shipped(wheel: Path) -> dict[str, bytes]:
    """The files of krew's archive: path to content."""
    files = {"LICENSE": (ROOT / "LICENSE").read_bytes()}
    files["kubectl-trainjob"] = (HERE / "krew" / "kubectl-trainjob").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        _download(Path(folder))
        for each in (wheel, *sorted(Path(folder).iterdir())):
            files.update(_library(each))
    return files


def _download(folder: Path) -> None:
    """The wheels that the program needs, by hash."""
    lock = HERE / "requirements-runtime.lock"
    how: list[str | Path] = [
        "--no-deps",
        "--only-binary",
        ":all:",
        *_ONE_PLATFORM,
        "--require-hashes",
        "-r",
        lock,
        "-d",
        folder,
    ]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *how], check=True)


def _library(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(wheel) as contents:
        for name in contents.namelist():
            if not _LEFT_OUT.search(name):
                yield f"lib/{name}", contents.read(name)


def packed(files: dict[str, bytes]) -> bytes:
    """A tar.gz that depends on names and contents alone; what begins with #! may be run."""
    made = io.BytesIO()
    with (
        gzip.GzipFile("", "wb", 9, made, mtime=_TIME) as zipped,
        tarfile.open(mode="w", fileobj=zipped, format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), _TIME
            entry.mode = 0o755 if content.startswith(b"#!") and "/" not in name else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def _manifest(version: str, repository: str, archive: Path) -> str:
    values = {
        "version": version,
        "repository": repository,
        "uri": f"{repository}/releases/download/{version}/{archive.name}",
        "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
    }
    _, _, template = (HERE / "krew" / "trainjob.yaml").read_text(encoding="utf-8").partition("\n")
    return re.sub(r"\$\{(\w+)\}", lambda found: values[found[1]], template)


if __name__ == "__main__":
    main()
