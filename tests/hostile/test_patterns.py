"""No regular expression takes longer than its text, whatever the text is."""

from __future__ import annotations

import ast
import re
from functools import cache, partial

import pytest

from tests.hostile.patterns import Found, in_source, missed_uses, modules, reported, slow
from tests.hostile.proofs import unproven
from tests.loops import for_each

pytestmark = pytest.mark.slow

# The patterns that regexploit reports by mistake, by the module and a part; the attacks measure these as all others.
_READ_BY_ATTACKS_ONLY = {
    "poster/subset.py": r"(?<!`)(`+)(?!`)",  # it takes no account of the assertions, which hold a run of ` together
    "kube/launch/flux.py": r'^ +flags="-N ',  # a match begins at a line only, because of (?m)^
}
# The patterns that recheck does not prove, by the module and a part: the attacks are longer for these. First run
# `python -m tests.hostile.proofs`, which tries to prove a new one.
_LOOKS = "looks ahead or behind, which its automaton does not read; its fuzzer finds nothing"
_GIVES_NOTHING_BACK = "slow only without what is possessive or atomic in it; with it, its fuzzer finds nothing"
_LARGE = "too large for its automaton; its fuzzer finds nothing in its time"
_BY_GROWTH = {
    ("model/secret_texts.py", r"(?: (?<![\\w.-])"): _LOOKS,
    ("model/secret_texts.py", r"(?P<start> (?: \\bauthorization"): _LARGE,
    ("model/secret_texts.py", r"(?<![A-Za-z0-9])(?:hf_"): _LARGE,
    ("model/secret_texts.py", r"| (?!--"): _GIVES_NOTHING_BACK,
    ("model/secret_texts.py", r"PRIVATE KEY(?: BLOCK)?"): _LARGE,
    ("model/secrets.py", r"'(?:hf_[A-Za-z0-9]{16,}+"): _LARGE,
    ("model/secret", r"| true | false | yes"): _LOOKS,
    ("model/printable.py", r"(?<=#)#(?=\\w*\\[)"): _LOOKS,
    ("model/edited_object.py", r"(?!List$)"): _LOOKS,
    ("repository/excerpt.py", r"(?!Secret(?:List)?"): _LOOKS,
    ("repository/excerpt.py", r"{0,40}"): "at most 41 characters follow a backslash, and nothing is tried again",
    ("yaml/stream.py", r"(?<!"): _LOOKS,
    ("yaml/strict_piece.py", r"(?<=\\s))#.*$"): _GIVES_NOTHING_BACK,
    ("yaml/strict.py", r"(?<!"): _LOOKS,
    ("yaml/quoting.py", r"(?=\\w*\\[)"): _LOOKS,
    ("yaml/quoting.py", r"(?<![ :])\\Z"): _LOOKS,
    ("yaml/fast.py", r"\\n---(?!"): _LOOKS,
    ("yaml/edit_lines.py", r"[ \\t]++#[^\\r\\n]*+"): _GIVES_NOTHING_BACK,
    ("git/commits.py", r"(?! - | .*"): _LOOKS,
    ("files/find_root.py", r"(?!\\s*["): _LOOKS,
    ("files/patterns.py", r"(?>"): _GIVES_NOTHING_BACK,
    ("files/patterns.py", r"(?!/)"): _LOOKS,
    ("child/text.py", r"(?=\\w*\\[)"): _LOOKS,
    ("child/sandbox.py", r"(?=[a-z]\\w*\\(\\))"): _LOOKS,
    ("output/render.py", r"(?=\\w*\\[)"): _LOOKS,
    ("output/replace.py", r"(?<=[ \\t])#"): _LOOKS,
    ("tuning/trials.py", r"(?!"): _LOOKS,
    ("legacy/commands.py", r"(?=\\s|$)"): _LOOKS,
    ("legacy/commands.py", r"(?!=)"): _LOOKS,
    ("legacy/names.py", r"(?<![\\w.-])a.b-"): _LOOKS,
    ("report/json_syntax.py", r"(?=\\w*\\[)"): _LOOKS,
    ("report/phrases.py", r":(?=:)"): _LOOKS,
    ("report/html_syntax.py", r":(?=:)"): _LOOKS,
    ("explain/notation.py", r"(?!(?P=quote))"): _LOOKS,
    ("explain/values.py", r"(?<![\\w.])[A-Za-z_]"): _LOOKS,
    ("lint/comments.py", r"(?<=\\s))#"): _LOOKS,
    ("rules/flux_substitution.py", r"(?<!\\$)"): _LOOKS,
    ("facts/image.py", r"(?P<path>"): _LARGE,
    ("facts/validation.py", r"(?=.*[a-z])"): _LOOKS,
    ("pods/volumes.py", r"(?!iqn"): _LOOKS,
    ("cluster/errors.py", r"(?>.*?failed"): _GIVES_NOTHING_BACK,
    ("cluster/errors.py", r"(?=\\n  "): _LOOKS,
    ("cluster/times.py", r"(?<!\\d)"): _LOOKS,
    ("overlay/pattern.py", r"(?!-[^"): _GIVES_NOTHING_BACK,
    ("poster/subset.py", r"(?<!`)(`+)(?!`)"): _LOOKS,
    ("poster/subset.py", r"[/!](?!"): _LOOKS,
    ("poster/subset.py", r"(?=\\w*[a-f])"): _LOOKS,
}  # fmt: skip
_LONGER = (300, 3000, 9000)
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


def test_no_use_is_missed() -> None:
    hidden = ["from re import match", "import re as regular", "import fnmatch", "found = map(re.compile, texts)"]
    assert [len(missed_uses(ast.parse(each))) for each in (*hidden, "import re", "re.sub('a', 'b', text)")] == [
        1
    ] * 4 + [0] * 2
    missed = {path.name: uses for path, tree in modules() if (uses := missed_uses(tree))}
    assert missed == {"deploy.py": ["from fnmatch import fnmatchcase"]}  # on names of files, with a `*` that is atomic


def test_each_pattern_is_proven_or_named() -> None:
    places = unproven(found().items())
    assert [place for place in places if not any(map(partial(_is_of, place), _BY_GROWTH))] == []
    assert [name for name in _BY_GROWTH if not any(_is_of(place, name) for place in places)] == []


def test_no_pattern_without_proof_is_slow() -> None:
    places = unproven(found().items())
    assert {place: attack for place in places if (attack := next(slow(found()[place], _LONGER), ""))} == {}


@for_each("pattern", BAD, at_least=8)
def test_the_attacks_find_what_is_slow(pattern: Found) -> None:
    assert next(slow(pattern), "")


def test_regexploit_finds_what_is_slow() -> None:
    assert all(map(reported, (BAD["a search for an end"], BAD["a repetition of a repetition"])))


def test_no_proven_pattern_is_slow() -> None:
    """The test of those without proof has the same attacks, and longer ones."""
    proven = found().keys() - set(unproven(found().items()))
    assert len(proven) >= 200
    assert {place: attack for place in proven if (attack := next(slow(found()[place]), ""))} == {}


def test_regexploit_reports_no_pattern() -> None:
    places = [place for place, each in found().items() if reported(each)]
    assert [place for place in places if not any(map(partial(_is_of, place), _READ_BY_ATTACKS_ONLY.items()))] == []
    assert len(places) == len(_READ_BY_ATTACKS_ONLY)


def _is_of(place: str, name: tuple[str, str]) -> bool:
    return all(part in place for part in name)
