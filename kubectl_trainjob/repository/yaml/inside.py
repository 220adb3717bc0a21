"""Which places of a text are inside of a value, where what looks like a comment is none."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from kubectl_trainjob.repository.yaml.compose import YAMLError, events, may_nest_deeply
from kubectl_trainjob.repository.yaml.stream import TooManyError, pieces

_ALL = 1 << 62  # documents
_BLOCKS = ("|", ">")


def outside_values(text: str, offsets: Iterable[int]) -> list[int]:
    """Those offsets that no scalar covers; all of them where the text cannot be parsed, as a template."""
    wanted = list(offsets)
    if not wanted or may_nest_deeply(text):
        return wanted
    try:
        scalars = list(_scalars(text))
    except (YAMLError, TooManyError, ValueError):
        return wanted
    starts = [start for start, _ in scalars]
    return [offset for offset in wanted if not _covers(scalars, bisect_left(starts, offset), offset)]


def _covers(scalars: list[tuple[int, int]], behind: int, offset: int) -> bool:
    """Whether the scalar before number `behind`, the last that begins before the offset, goes on behind it."""
    return behind > 0 and offset < scalars[behind - 1][1]


def _scalars(text: str) -> Iterator[tuple[int, int]]:
    """Where scalars begin and end; of a block the part behind its first line, which may have a comment."""
    for piece in pieces(text, _ALL):
        if piece.is_json:  # which has no comments
            yield piece.start - 1, piece.start + len(piece.text)
            continue
        for event in events(piece.text):
            if hasattr(event, "style") and hasattr(event, "value"):
                start, end = event.start_mark.index, event.end_mark.index
                if event.style in _BLOCKS:
                    start = piece.text.find("\n", start, end)
                if 0 <= start < end:
                    yield piece.start + start, piece.start + end
