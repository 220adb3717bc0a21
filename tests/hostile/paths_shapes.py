"""What may stand where a repository should have a file or a directory, and how the complaint must call it."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.paths_world import World

LINK = "symbolic link"
SPECIAL = "not a regular file"
DENIED = "Permission denied"
LOOP = "Too many levels of symbolic links"
GIT = "belongs to git"


@dataclass(frozen=True)
class Shape:
    """`make` puts something into the slot; `phrase` is what the complaint calls it, `named` the same where a person
    named the slot: then what leads into the repository (`inside`) is followed.
    """

    make: Callable[[World], object]
    phrase: str = LINK
    named: str = "leads out of the repository"
    inside: bool = False


def _link(world: World, target: str | Path) -> None:
    world.slot.symlink_to(target)


def _relative(world: World, target: Path) -> str:
    return os.path.relpath(target, world.slot.parent)


def _chain(world: World) -> None:
    first, second = world.repository / ".first", world.secret.with_name("second")
    _link(world, first)
    first.symlink_to(second)
    second.symlink_to(world.secret)


def _cycle(world: World) -> None:
    other = world.slot.with_name(".other")
    _link(world, other.name)
    other.symlink_to(world.slot.name)


def _sibling(world: World) -> None:
    sibling = world.repository.with_name(f"{world.repository.name}-secrets")
    sibling.mkdir()
    world.secret.rename(sibling / world.secret.name)
    _link(world, _relative(world, sibling / world.secret.name))


def _out_and_in(world: World) -> None:
    inner = world.repository / ".inner"
    world.secret.rename(inner)
    world.secret.with_name("back").symlink_to(world.repository)
    _link(world, f"{_relative(world, world.secret.with_name('back'))}/.inner")


def _inside(world: World) -> None:
    inner = world.repository / ".inner"
    world.secret.rename(inner)
    _link(world, _relative(world, inner))


def _pipe(world: World) -> None:
    pipe = world.secret.with_name("pipe")
    os.mkfifo(pipe)
    _link(world, pipe)


def _broken(world: World) -> None:
    text = world.secret.with_name("broken")
    text.write_text(f"password: [{world.secret.read_text()}")
    _link(world, text)


def _socket(world: World) -> None:
    before = Path.cwd()
    os.chdir(world.slot.parent)  # the whole path may be too long for a socket
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(world.slot.name)
    finally:
        os.chdir(before)


def _device(world: World) -> None:
    """Zeros without end; who may not make a device makes a link to one."""
    with contextlib.suppress(PermissionError):
        os.mknod(world.slot, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        return
    _link(world, "/dev/zero")


def _sparse(world: World) -> None:
    with world.slot.open("wb") as file:
        file.write(world.secret.read_bytes())
        file.truncate(2 << 30)


def _locked_file(world: World) -> None:
    world.slot.write_bytes(world.secret.read_bytes())
    world.slot.chmod(0)


def _locked_directory(mode: int) -> Callable[[World], None]:
    def make(world: World) -> None:
        world.slot.mkdir()
        for file in world.secret.iterdir():
            (world.slot / file.name).write_bytes(file.read_bytes())
        world.slot.chmod(mode)

    return make


_LINKS = {
    "link": Shape(lambda world: _link(world, _relative(world, world.secret))),
    "absolute link": Shape(lambda world: _link(world, world.secret)),
    "link to a link": Shape(_chain),
    "link to a sibling": Shape(_sibling),
    "link out and in again": Shape(_out_and_in, inside=True),
    "link inside": Shape(_inside, inside=True),
    "link to nowhere": Shape(lambda world: _link(world, "nowhere"), named="No such file"),
    "link to itself": Shape(lambda world: _link(world, world.slot.name), named=LOOP),
    "cycle of links": Shape(_cycle, named=LOOP),
}

FILES = {
    **_LINKS,
    "link to a broken text": Shape(_broken),
    "link to the environment": Shape(lambda world: _link(world, "/proc/self/environ")),
    "link to git's configuration": Shape(lambda world: _link(world, world.repository / ".git/config"), named=GIT),
    "link to a device": Shape(lambda world: _link(world, "/dev/zero")),
    "link to standard input": Shape(lambda world: _link(world, "/dev/stdin")),
    "link to a directory": Shape(lambda world: _link(world, world.secret.parent)),
    "pipe": Shape(lambda world: os.mkfifo(world.slot), SPECIAL),
    "socket": Shape(_socket, SPECIAL, named="No such device"),
    "device": Shape(_device, "", named=""),
    "locked": Shape(_locked_file, DENIED, named=DENIED),
    "sparse": Shape(_sparse, "large", named="large"),
}

DIRECTORIES = {
    **_LINKS,
    "link to the directory above": Shape(lambda world: _link(world, ".."), inside=True),
    "link to the root": Shape(lambda world: _link(world, "/")),
    "link to the process": Shape(lambda world: _link(world, "/proc/self")),
    "link to git's folder": Shape(lambda world: _link(world, world.repository / ".git"), named=""),
    "link to a pipe": Shape(_pipe),
    "locked": Shape(_locked_directory(0), DENIED, named=DENIED),
    "locked, can be listed": Shape(_locked_directory(0o444), DENIED, named=DENIED),
    "locked, can be entered": Shape(_locked_directory(0o111), DENIED, named=DENIED),
}
