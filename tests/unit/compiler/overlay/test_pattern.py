"""Patterns match what they say, in linear time, and reject what is not supported by name."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.compiler.overlay import pattern as patterns
from kubectl_trainjob.compiler.overlay.pattern import LONGEST, PatternError, compile_pattern
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.model.limits import LIMITS

_ATOMS = st.sampled_from(
    [*"abc-_1", r"\.", r"\d", r"\w", r"\[", ".", "[ab]", "[^ab]", "[a-c]", r"[\w.]", r"[^\d-]", "[]a]", "[a-c-]"]
)
_REPEATS = st.sampled_from(["*", "+", "?", "*?", "+?", "??"])


def _grown(inner):
    group = st.one_of(inner.map("({})".format), inner.map("(?:{})".format))
    return st.one_of(
        st.tuples(group, _REPEATS).map("".join),
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(st.one_of(inner, st.just("")), min_size=2, max_size=3).map("|".join),
        group,
    )


_INNER = st.recursive(st.one_of(_ATOMS, st.tuples(_ATOMS, _REPEATS).map("".join)), _grown, max_leaves=10)
_PATTERNS = st.tuples(st.sampled_from(["", "^"]), _INNER, st.sampled_from(["", r"\Z"])).map("".join)


@given(_PATTERNS, st.lists(st.text("abc-_.1 \n", max_size=8), min_size=1, max_size=20))
def test_as_python_matches_whole_texts(pattern, texts):
    theirs = re.compile(pattern, re.ASCII)
    ours = compile_pattern(pattern.replace(r"\Z", "$"), Steps(LIMITS))
    wrong = [text for text in texts if ours.matches(text) != bool(theirs.fullmatch(text))]
    assert wrong == []


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        pytest.param("torch-job", ["torch-job"], ["torch-job-1", "Torch-job", ""], id="plain"),
        pytest.param("v1.2", ["v1.2", "v1x2"], ["v1.20", "v1\n2", "1.2"], id="dots"),
        pytest.param("^a$", ["a"], ["", "ba", "a\n"], id="anchors"),
        pytest.param("^$", [""], ["a"], id="anchors of nothing"),
        pytest.param("^a|b$|^$", ["a", "b", ""], ["ab", "bb"], id="anchors of alternatives"),
        pytest.param("^(a|b)+$", ["a", "ba"], ["", "c"], id="anchors around a group"),
        pytest.param("a]}", ["a]}"], ["a"], id="closing brackets"),
        pytest.param(r"a\{2\}", ["a{2}"], ["aa"], id="braces"),
        pytest.param("[a-c-e]", ["b", "-", "e"], ["d"], id="a hyphen after a range"),
        pytest.param(r"[\d-]", ["1", "-"], ["a"], id="a hyphen at the end"),
        pytest.param("[^]a]", ["b"], ["]", "a"], id="a bracket at the start"),
        pytest.param("[é-ü]+", ["öü"], ["z"], id="beyond ASCII"),
        pytest.param(r"\w|\d", ["_", "7"], ["é", "٣"], id="words and digits are ASCII"),
        pytest.param("(a|aa|)*b?", ["", "aaaaab"], ["bb"], id="loops of nothing"),
        pytest.param("()|(|)a", ["", "a"], ["aa"], id="empty groups"),
        pytest.param(r"\*\.\\", ["*.\\"], ["a.\\"], id="escapes"),
    ],
)
def test_pattern(pattern, matching, others):
    compiled = compile_pattern(pattern, Steps(LIMITS))
    assert [text for text in [*matching, *others] if compiled.matches(text)] == matching


@pytest.mark.parametrize(
    ("pattern", "piece"),
    [
        pytest.param("(?i)a", '"(?i)…"', id="flags"),
        pytest.param("(?P<a>b)", '"(?P<…"', id="named group"),
        pytest.param("(?=a)", '"(?=a…"', id="look-ahead"),
        pytest.param("(?<!a)", '"(?<!…"', id="look-behind"),
        pytest.param(r"(a)\1", r'"\1"', id="back-reference"),
        pytest.param(r"\bword", r'"\b"', id="word boundary"),
        pytest.param(r"\pL", r'"\p"', id="Unicode class"),
        pytest.param(r"\Qa\E", r'"\Q"', id="quotation"),
        pytest.param(r"\s", r'"\s"', id="blanks"),
        pytest.param(r"\x61", r'"\x"', id="a code"),
        pytest.param(r"\Aa\z", r'"\A"', id="Perl's anchors"),
        pytest.param(r"\é", r'"\é"', id="escape beyond ASCII"),
        pytest.param("[[:alpha:]]", '"[[:alpha:]"', id="POSIX class"),
        pytest.param("[[a]", '"[[a]"', id="a bracket inside a class"),
        pytest.param("[a&&b]", '"[a&&b]"', id="what Python may read as sets"),
        pytest.param("[+--]", '"[+--]"', id="a range to a hyphen"),
        pytest.param(r"[\s]", r'"[\s]"', id="blanks in a class"),
        pytest.param("[z-a]", "bad character range z-a", id="range"),
        pytest.param(r"[a-\d]", r'"[a-\d]"', id="range to a class"),
        pytest.param(r"[\d-z]", r'"[\d-z]"', id="range from a class"),
        pytest.param("[]", 'the class "[]"', id="empty class"),
        pytest.param("[a", 'ends before a "]"', id="open class"),
        pytest.param("[" + "a-" * 2000, 'ends before a "]"', id="long open class"),
        pytest.param("(a", 'ends before a ")"', id="open group"),
        pytest.param("a)", '")" without', id="closed group"),
        pytest.param("a\\", "backslash", id="open escape"),
        pytest.param("*a", "repeats nothing", id="repetition of nothing"),
        pytest.param("a|+b", "repeats nothing", id="repetition of no alternative"),
        pytest.param("(*a)", "repeats nothing", id="repetition of no group"),
        pytest.param("^*a", "repeats nothing", id="repetition of an anchor"),
        pytest.param("a**", "repeats a repetition", id="repetition twice"),
        pytest.param("(x^|y$)z*", '"^" in the middle', id="start inside"),
        pytest.param("(y$)", '"$" in the middle', id="end inside"),
        pytest.param("a$b", '"$" in the middle', id="end before a character"),
        pytest.param("a{2}", 'uses "{"', id="counted repetition"),
        pytest.param("a{,2}", 'uses "{"', id="braces without a lower bound"),
        pytest.param("(" * 51 + ")" * 51, "deeper than 50", id="too deep"),
        pytest.param("[a]" * 2000, str(LONGEST), id="too long"),
    ],
)
def test_rejected(pattern, piece):
    with pytest.raises(PatternError) as rejected:
        compile_pattern(pattern, Steps(LIMITS))
    assert piece in str(rejected.value)
    assert str(rejected.value).startswith('the pattern "')


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(a+)+$",
            "(a*)*$",
            "(a|a)*$",
            "(a|aa)+$",
            "(.*)*b?c",
            "(.*)(.*)(.*)(.*)(.*)c",
            "(a*b?)*" * 64 + "c",
            "([a-z]+)*1",
        ),
        "(a+a+)+y",
    ],
)
def test_linear_time(monkeypatch, pattern):
    """A backtracking engine would not come back. Counted: states are asked once for each set of them that is new."""
    takes = patterns._takes
    counts = []
    for size in (10_000, 20_000):
        counts.append(0)

        def counted(chars, char):
            counts[-1] += 1
            return takes(chars, char)

        monkeypatch.setattr(patterns, "_takes", counted)
        assert not patterns.Pattern(pattern, Steps(LIMITS)).matches("a" * size + "!")
    assert counts[0] == counts[1] < 100_000


def test_memory_of_steps_is_bounded(monkeypatch):
    """A text that leads to ever new sets of states makes the automaton forget, not fail."""
    monkeypatch.setattr(patterns, "_CACHE_SIZE", 500)
    pattern = "(a|b)*a" + "(a|b)" * 12
    text = "".join("ab"[(7 * i * i + i // 3) % 5 % 2] for i in range(3000))
    compiled = patterns.Pattern(pattern, Steps(LIMITS))
    assert compiled.matches(text) == (text[-13] == "a")
    assert len(compiled._automaton._cache) <= 500
