"""What all tests share: Hypothesis profiles, and an environment in which a user's settings change nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# `fast` for everybody's run; `--hypothesis-profile=thorough` in CI, which draws the same examples for the same commit;
# `--hypothesis-profile=search` to look for new ones. No deadlines: nothing here is judged by a clock.
settings.register_profile("fast", max_examples=60, deadline=None, derandomize=True)
settings.register_profile(
    "thorough", max_examples=1000, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", settings.get_profile("thorough"), derandomize=False, print_blob=True)
settings.load_profile("fast")


@pytest.fixture(autouse=True, scope="session")
def plain_terminal() -> Iterator[None]:
    """No colour setting of the person who runs the tests reaches them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
            patch.delenv(name, raising=False)
        patch.setenv("TERM", "xterm")
        yield


@pytest.fixture(autouse=True, scope="module")
def gc_as_before() -> Iterator[None]:
    """A build in the tests' own process turns the garbage collector off for good."""
    yield
    gc.enable()
