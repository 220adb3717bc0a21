"""No regular expression takes longer than its text, whatever the text is."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.hostile.patterns import Found, in_source, reported, slow
from tests.loops import for_each

pytestmark = pytest.mark.slow

# The patterns that regexploit reports by mistake, by the module and a part; the attacks measure these as all others.
_READ_BY_ATTACKS_ONLY = {
    "poster/subset.py": r"(?<!`)(`+)(?!`)",  # it takes no account of the assertions, which hold a run of ` together
    "kube/launch/launchers.py": r'^ +flags="-N ',  # a match begins at a line only, because of (?m)^
}
BAD = {
    "a square": Found(re.compile(r":(?:[ \t]+[&!]\S*)*[ \t]*(?:[ \t]#.*)?$"), "search"),
    "a search for an end": Found(re.compile(r"\{\{(.*?)\}\}"), "search"),
    "a word that begins again": Found(re.compile(r"""\bkind["']?\s*:\s*(?:[!&|>]\S*\s+)*["']?Secret\b"""), "search"),
    "brackets that do not end": Found(re.compile(r"\b(spec(?:\.[\w-]+|\[[^\]]+\])+)"), "search"),
    "a value to the last bracket": Found(re.compile(r"(Invalid|Other) value: (?:\[.*\]|\{.*\})", re.S), "search"),
    "two repetitions": Found(re.compile(r"a[ \t]*(?:x)?[ \t]*y"), "match"),
    "a repetition of alternatives": Found(re.compile(r"(?:a|a)*b"), "match"),
    "a repetition of a repetition": Found(re.compile(r"(a+)+b"), "fullmatch"),
}

found = cache(in_source)


def test_every_call_is_found() -> None:
    assert len(found()) >= 240
    modules = {place.partition(":")[0] for place in found()}
    assert {"kubectl_trainjob/explain/values.py", ".github/actions/comment/poster/subset.py"} <= modules
    assert len([place for place in found() if "kube/schemas/scalars.py" in place]) >= 6  # of the packaged schemas


@for_each("pattern", BAD, at_least=8)
def test_the_attacks_find_what_is_slow(pattern: Found) -> None:
    assert next(slow(pattern), "")


def test_regexploit_finds_what_is_slow() -> None:
    assert all(map(reported, (BAD["a search for an end"], BAD["a repetition of a repetition"])))


def test_no_pattern_is_slow() -> None:
    assert {place: attack for place, each in found().items() if (attack := next(slow(each), ""))} == {}


def test_regexploit_reports_no_pattern() -> None:
    places = [place for place, each in found().items() if reported(each)]
    assert [place for place in places if not _is_read_by_attacks(place)] == []
    assert len(places) == len(_READ_BY_ATTACKS_ONLY)


def _is_read_by_attacks(place: str) -> bool:
    return any(name in place and part in place for name, part in _READ_BY_ATTACKS_ONLY.items())
