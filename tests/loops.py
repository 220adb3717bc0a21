"""One test for many inputs: `for_each` checks all of them, reports every input that fails, and counts what it checked.

Thousands of small inputs cost less this way than as thousands of tests: pytest collects and reports one item.
Where all of them take long, `sampled` and `sample` keep a part for the default run and mark the rest as slow.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

_SHOWN = 4_000  # characters of one failure

Test = Callable[..., None]
_PARAMETER = type(pytest.param())


class Loop(NamedTuple):
    """One looped argument: its name and its values by label."""

    argument: str
    values: list[tuple[str, Any]]


def for_each(argument: str, values: Mapping[str, Any] | Iterable[Any], at_least: int) -> Callable[[Test], Test]:
    """Call a test once for each value, like `pytest.mark.parametrize`; loops that are stacked give the product.

    The keys of a mapping are labels; other values are their own. Fewer values than `at_least` are an error. All calls
    share the test's fixtures: a test that needs a fresh `tmp_path` for each value is parametrized instead.
    """
    pairs = values.items() if isinstance(values, Mapping) else ((str(value), value) for value in values)
    loop = Loop(argument, list(pairs))

    def decorate(test: Test) -> Test:
        assert len(loop.values) >= at_least, f"{test.__name__}: {len(loop.values)} values, expected {at_least}"
        return _looped(getattr(test, "original", test), (loop, *getattr(test, "loops", ())), every=1)

    return decorate


def sampled(every: int) -> Callable[[Test], Test]:
    """Split a looped test: one item checks every n-th input, a slow one all others."""

    def decorate(test: Test) -> Test:
        vary = pytest.mark.parametrize(
            "part", [pytest.param(True, id="sample"), pytest.param(False, id="rest", marks=pytest.mark.slow)]
        )
        return vary(_looped(vars(test)["original"], vars(test)["loops"], every))

    return decorate


def sample(values: Mapping[str, Any] | Sequence[Any], every: int) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: every n-th as it is, the others marked as slow."""
    if isinstance(values, Mapping):
        values = [pytest.param(value, id=label) for label, value in values.items()]
    wrapped = [each if isinstance(each, _PARAMETER) else pytest.param(each) for each in values]
    return [each if number % every == 0 else slow(each) for number, each in enumerate(wrapped)]


def slow(parameter: Any) -> Any:
    """A `pytest.param` with one mark more."""
    return parameter._replace(marks=(*parameter.marks, pytest.mark.slow))


def cases(test: Test | None, part: bool | None) -> int:
    """How many inputs a test checks, or a part of it."""
    loops = getattr(test, "loops", ())
    return sum(1 for _ in _product(loops, getattr(test, "every", 1), part)) if loops else 1


def report(failures: Sequence[str], count: int) -> None:
    """Fail with the text of every failure."""
    if failures:
        pytest.fail("\n".join([f"{len(failures)} of {count} cases failed", *failures]), pytrace=False)


def _product(loops: Sequence[Loop], every: int, part: bool | None) -> Iterator[tuple[tuple[str, Any], ...]]:
    """The inputs of a part. The sum of the positions decides: a sample has every value of every loop."""
    for pairs in itertools.product(*(enumerate(loop.values) for loop in loops)):
        if part is None or part == (sum(position for position, _ in pairs) % every == 0):
            yield tuple(pair for _, pair in pairs)


def _looped(test: Test, loops: tuple[Loop, ...], every: int) -> Test:
    names = [loop.argument for loop in loops]

    @functools.wraps(test)
    def run(*, part: bool | None = None, **fixtures: Any) -> None:
        failures = []
        count = 0
        for pairs in _product(loops, every, part):
            count += 1
            chosen = {name: value for name, (_, value) in zip(names, pairs, strict=True)}
            try:
                test(**fixtures, **chosen)
            except (Exception, pytest.fail.Exception) as error:
                failures.append(_failure(" / ".join(label for label, _ in pairs), error))
        report(failures, count)

    given = list(inspect.signature(test).parameters.values())
    kept = [parameter for parameter in given if parameter.name not in names]
    assert len(kept) + len(names) == len(given), f"{test.__name__} has no argument of some name"
    if every > 1:
        kept.append(inspect.Parameter("part", inspect.Parameter.KEYWORD_ONLY))
    vars(run).update(original=test, loops=loops, every=every, __signature__=inspect.Signature(kept))
    return run


def _failure(label: str, error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/tests/" in frame.filename] or frames
    said = "".join(traceback.format_exception_only(error)).rstrip()
    short = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
    return f"== {label!r}\n{ours[-1].filename}:{ours[-1].lineno}: {short}"
