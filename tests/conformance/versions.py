"""Which recorded cases a test judges: by default a sample of the latest, in slow tests all of every Trainer."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.conformance.cases import LATEST, VERSIONS, Case, load

_EVERY = 6


class Chosen(NamedTuple):
    """Every n-th case of a Trainer version."""

    version: str
    every: int = 1

    def cases(self) -> list[Case]:
        """The cases, in the order of the records."""
        return load(self.version)[:: self.every]


def _each(versions: tuple[str, ...]) -> pytest.MarkDecorator:
    sample = pytest.param(Chosen(LATEST, _EVERY), id=f"{LATEST}-sample")
    all_cases = [pytest.param(Chosen(version), id=version, marks=pytest.mark.slow) for version in versions]
    return pytest.mark.parametrize("chosen", [sample, *all_cases])


EACH_VERSION = _each(VERSIONS)
SINCE_2_1 = _each(VERSIONS[1:])
LATEST_ONLY = _each((LATEST,))
