"""The recorded cases: one compressed file a Trainer version, one JSON object a line.

A line holds `group`, `name`, `input` (a YAML stream) and `expected` (the record, see README.md). Lines are sorted by
group and name and written with sorted keys, so that unpacked files of two revisions compare line by line.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "cases"
VERSIONS = ("2.0", "2.1", "2.2", "2.3")
LATEST = VERSIONS[-1]


@dataclass(frozen=True, slots=True)
class Case:
    """One input and what upstream answered; `version` is Trainer's."""

    group: str
    name: str
    input: str
    expected: dict[str, Any]
    version: str = LATEST

    @property
    def id(self) -> str:
        """How people call it: `torch/012-x`."""
        return f"{self.group}/{self.name}"


def path_of(version: str) -> Path:
    """The file that holds the cases of a Trainer version."""
    return FOLDER / f"{version}.jsonl.xz"


def read_lines(path: Path) -> Iterator[Any]:
    """The JSON values of a compressed file of lines."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """Write a compressed file of lines; the same values give the same bytes."""
    text = "".join(
        json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n" for value in values
    )
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def load(version: str) -> list[Case]:
    """All cases of a Trainer version, by group and name."""
    return [Case(**line, version=version) for line in read_lines(path_of(version))]


def save(version: str, cases: Iterable[Case]) -> None:
    """Replace the cases of a Trainer version."""
    ordered = sorted(cases, key=lambda case: (case.group, case.name))
    assert len({case.id for case in ordered}) == len(ordered), "two cases of one name"
    write_lines(
        path_of(version),
        ({"group": c.group, "name": c.name, "input": c.input, "expected": c.expected} for c in ordered),
    )


def find(version: str, wanted: str) -> list[Case]:
    """The cases whose id begins with `wanted`: a group, `group/012` or a full name."""
    return [case for case in load(version) if case.id.startswith(wanted)]
