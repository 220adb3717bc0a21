"""Patterns of paths with the syntax and the meaning of `.gitignore`: of git, and of the settings of `trainjob.yaml`.

Mirrors `dir.c` and `wildmatch.c` of git, which compare bytes. A pattern without a slash in it is for every entry of
that name. One with a slash at its end is for directories only, and one with "!" takes entries back.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

_SPECIAL = re.compile(rb"[*?\[\\]")
_PIECE = re.compile(rb"\*+|\\?.", re.DOTALL)
_CLASS = re.compile(rb"\[:([^\]]*):\]")
_NEVER = b"(?!)"
_CLASSES = {
    "alnum": rb"[0-9A-Za-z]",
    "alpha": rb"[A-Za-z]",
    "blank": rb"[ \t]",
    "cntrl": rb"[\x00-\x1f\x7f]",
    "digit": rb"[0-9]",
    "graph": rb"[!-~]",
    "lower": rb"[a-z]",
    "print": rb"[ -~]",
    "punct": rb"[!-/:-@\[-`{-~]",
    "space": rb"[ \t-\r]",
    "upper": rb"[A-Z]",
    "xdigit": rb"[0-9A-Fa-f]",
}
_BYTES = [bytes([each]) for each in range(256)]


_Kind = Literal["whole", "end", "start"]
"""What the literal of a pattern is of a text that matches."""


class _PathPattern(NamedTuple):
    """`literal` and `rest` are compared with a name, or `in_path` with the whole path."""

    number: int
    kind: _Kind
    literal: bytes
    rest: bytes
    ignores: bool
    is_for_directories: bool
    in_path: bool

    def matches(self, compared: bytes) -> bool:
        """Whether a text with the literal matches."""
        return self.kind != "start" or bool(_regex(self.rest).fullmatch(compared, len(self.literal)))


class Patterns:
    """The patterns of one file, the last one that matches decides; paths are relative to its directory.

    They are found by their literals: only some of many patterns are compared with a path.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._patterns: dict[tuple[bool, _Kind], dict[bytes, list[_PathPattern]]] = {}
        for each in _read(lines):
            self._patterns.setdefault((each.in_path, each.kind), {}).setdefault(each.literal, []).append(each)
        self._lengths = {key: sorted({*map(len, found)}) for key, found in self._patterns.items()}

    def ignores(self, path: bytes, *, is_directory: bool) -> bool | None:
        """Whether they ignore an entry; None if none of them matches."""
        texts = {True: path, False: path.rpartition(b"/")[2]}
        for each in sorted(self._with_literal(texts), reverse=True):
            if (is_directory or not each.is_for_directories) and each.matches(texts[each.in_path]):
                return each.ignores
        return None

    def _with_literal(self, texts: Mapping[bool, bytes]) -> Iterator[_PathPattern]:
        for (in_path, kind), found in self._patterns.items():
            text = texts[in_path]
            for length in [len(text)] if kind == "whole" else self._lengths[in_path, kind]:
                if length <= len(text):
                    yield from found.get(text[len(text) - length :] if kind == "end" else text[:length], ())


class Ignore:
    """Patterns of paths from the root of a repository."""

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._patterns = Patterns(map(os.fsencode, patterns))

    def __call__(self, path: str, is_directory: bool) -> bool:
        """Whether the entry at `path` is skipped; the walk does not enter directories that are."""
        return self._patterns.ignores(os.fsencode(path), is_directory=is_directory) is True


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file of patterns."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [line.removesuffix(b"\r") for line in lines[:-1]] + lines[-1:]


def _without_spaces(line: bytes) -> bytes:
    """A line without the spaces at its end, except for an escaped one."""
    text = line.rstrip(b" ")
    is_escaped = (len(text) - len(text.rstrip(b"\\"))) % 2 == 1
    return line[: len(text) + is_escaped]


def _read(lines: Iterable[bytes]) -> Iterator[_PathPattern]:
    for number, line in enumerate(lines):
        text = _without_spaces(line)
        is_taken_back = text.startswith(b"!")
        text = text[is_taken_back:]
        is_for_directories = text.endswith(b"/")
        text = text.removesuffix(b"/")
        if text and not line.startswith(b"#"):
            in_path = b"/" in text
            parts = _parts(text.removeprefix(b"/"), in_path=in_path)
            yield _PathPattern(number, *parts, not is_taken_back, is_for_directories, in_path)


def _parts(text: bytes, *, in_path: bool) -> tuple[_Kind, bytes, bytes]:
    """The kind, the literal and the rest; git compares a start by itself, so "a**/b" has "**/b" at the start of it."""
    special = _SPECIAL.search(text)
    if special is None:
        return "whole", text, b""
    if not in_path and text[:1] == b"*" and _SPECIAL.search(text, 1) is None:
        return "end", text[1:], b""
    return "start", text[: special.start()], text[special.start() :]


class _Star(NamedTuple):
    """Any characters of one name, or with `crosses` any directories."""

    crosses: bool


@lru_cache(maxsize=1024)
def _regex(glob: bytes) -> re.Pattern[bytes]:
    """A pattern as a regular expression. Its time is linear in each star: none returns into an earlier one.

    The first place for what follows `**/` is as good as a later one. The same is true for what follows `*` in a name
    with another star.
    """
    segments, atoms = list[bytes](), list[bytes | _Star]()
    for atom in (*_atoms(glob), _Star(crosses=True)):
        if isinstance(atom, _Star) and atom.crosses:
            segments.append(_segment(atoms))
            atoms = []
        else:
            atoms.append(atom)
    *middle, last = segments
    first, *middle = middle or [last]
    if len(segments) == 1:
        return re.compile(first, re.DOTALL)
    last = b".*" if glob.endswith(b"**") and not last else rb"(?:.*/)?" + last
    return re.compile(b"".join((first, *(rb"(?>(?:[^/]*/)*?%b)" % each for each in middle), last)), re.DOTALL)


def _segment(atoms: list[bytes | _Star]) -> bytes:
    """Atoms between two `**`."""
    parts, is_open = list[bytes](), False
    for index, atom in enumerate(atoms):
        if not isinstance(atom, _Star):
            parts.append(atom)
            continue
        rest = atoms[index + 1 :]
        in_name = rest[: rest.index(b"/")] if b"/" in rest else rest
        parts.append(b")" * is_open)
        is_open = any(isinstance(each, _Star) for each in in_name)
        parts.append(rb"(?>[^/]*?" if is_open else rb"[^/]*")
    return b"".join(parts)


def _atoms(glob: bytes) -> Iterator[bytes | _Star]:
    """The expressions of single characters, and the stars."""
    at = 0
    while at < len(glob):
        found = _PIECE.match(glob, at)
        assert found is not None
        piece, start, at = found[0], at, found.end()
        if piece[:1] == b"*":
            crosses = len(piece) > 1 and glob[:start][-1:] in (b"", b"/") and glob[at : at + 1] in (b"", b"/")
            yield _Star(crosses)
            at += crosses  # the slash
        elif piece == b"?":
            yield rb"[^/]"
        elif piece == b"[":
            members, at = _bracket(glob, start)
            yield members
        else:
            yield _NEVER if piece == b"\\" else re.escape(piece[-1:])


def _bracket(glob: bytes, at: int) -> tuple[bytes, int]:
    """The expression of a bracket that begins at `at`, and its end. With an error, or without an end, none matches."""
    is_negated = glob[at + 1 : at + 2] in (b"!", b"^")
    at, before, members = at + 1 + is_negated, b"", set[bytes]()
    is_first = True
    while is_first or glob[at : at + 1] != b"]":
        is_first = False
        each = glob[at : at + 1]
        named = _CLASS.match(glob, at)
        if each == b"-" and before and glob[at + 1 : at + 2] not in (b"", b"]"):
            at += 2 + (glob[at + 1 : at + 2] == b"\\")
            members.update(byte for byte in _BYTES if before <= byte <= glob[at - 1 : at])
            each = b""
        elif named:
            at = named.end()
            expression = _CLASSES.get(named[1].decode("latin-1"), _NEVER)
            members.update(byte for byte in _BYTES if re.match(expression, byte))
            each = b""
            if expression is _NEVER:
                return _NEVER, len(glob)
        else:
            at += each == b"\\"
            each = glob[at : at + 1]
            at += 1
            members.add(each)
        if at > len(glob) or b"" in members:
            return _NEVER, len(glob)
        before = each
    chosen = b"".join(sorted(map(re.escape, members)))
    if is_negated:
        return b"[^/%b]" % chosen, at + 1
    members.discard(b"/")
    return b"(?!/)[%b]" % chosen if members else _NEVER, at + 1
