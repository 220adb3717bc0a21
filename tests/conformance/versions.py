"""Which Trainers a test runs for: the default run judges the latest one, slow tests the others too."""

from __future__ import annotations

import pytest

from tests.conformance.cases import LATEST, VERSIONS
from tests.loops import slow

_EACH = [pytest.param(version) if version == LATEST else slow(pytest.param(version)) for version in VERSIONS]
EACH_VERSION = pytest.mark.parametrize("version", _EACH)
SINCE_2_1 = pytest.mark.parametrize("version", _EACH[1:])
