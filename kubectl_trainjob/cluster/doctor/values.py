"""What `doctor` reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Level = Literal["ok", "note", "warning", "error"]


class DoctorCheck(NamedTuple):
    """One finding about a cluster; `advice` says what to do, "" if nothing is."""

    id: str
    level: Level
    message: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """All findings, and which emits the cluster can take."""

    checks: tuple[DoctorCheck, ...]
    emit: tuple[str, ...]

    @property
    def has_errors(self) -> bool:
        """Whether something must be changed before an apply."""
        return any(each.level == "error" for each in self.checks)
