"""What all tests share: Hypothesis profiles, an environment without a user's settings, lines at the end of the run."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.loops import cases

# Files with few tests that take minutes. By default, pytest-xdist starts files with many tests first. With
# --no-loadscope-reorder these come first, and no process works on one of them alone at the end.
_LONG = (
    "cluster/apply/test_kills.py",
    "cluster/test_applied.py",
    "cluster/test_compared.py",
    "cluster/apply/test_controller_faults.py",
    "cluster/test_live.py",
    "launchers/test_torchrun.py",
    "launchers/test_examples.py",
    "delivery/test_image.py",
    "property/test_origins.py",
    "differential/test_patches_kustomize.py",
    "hostile/test_patterns.py",
)

# `fast` for everybody's run; `--hypothesis-profile=thorough` in CI, which draws the same examples for the same commit;
# `--hypothesis-profile=search` to look for new ones. No deadlines: nothing here is judged by a clock.
settings.register_profile("fast", max_examples=30, deadline=None, derandomize=True)
settings.register_profile(
    "thorough", max_examples=500, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", settings.get_profile("thorough"), derandomize=False, print_blob=True)
settings.load_profile("fast")

# Without the compiled modules, each process of a test would compile the program again: half a second instead of none.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


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


@pytest.fixture
def note_figure(record_property: Callable[[str, Any], None], request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Adds a line to the end of the run, by the test's folder; a worker sends it with the test's report."""
    folder = request.path.parent.name
    return lambda line: record_property("line", (folder, line))


def pytest_configure() -> None:
    """A background job of a shell ignores SIGINT, and so would each program that a test starts and interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first."""
    places = {f"tests/{name}": place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note how many inputs a test checks."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    count = cases(getattr(item, "function", None), parameters.get("part"))
    if count > 1:
        item.user_properties.append(("cases", count))
    return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The lines of all tests by folder, and how many inputs the tests checked."""
    reports = [each for state in ("passed", "failed") for each in terminalreporter.stats.get(state, ())]
    called = [each for each in reports if each.when == "call"]
    lines = [value for each in called for name, value in each.user_properties if name == "line"]
    for folder in dict.fromkeys(folder for folder, _ in lines):
        terminalreporter.section(f"figures of {folder}")
        terminalreporter.write_line("\n".join(line for of, line in lines if of == folder))
    counts = [dict(each.user_properties).get("cases", 1) for each in called]
    terminalreporter.write_line(f"{len(counts)} tests checked {sum(counts)} cases")
