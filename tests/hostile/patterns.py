"""Every regular expression of the package and of the poster of comments, found in the source, and attacks on each.

An attack is a text that a pattern nearly matches: the start of a match, a piece of one many times, and an end. What a
tool proves is in `proofs`; the other patterns are judged by attacks only.
"""

from __future__ import annotations

import ast
import gzip
import importlib
import json
import re
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from kubectl_trainjob.kube.pods import volumes
from kubectl_trainjob.repository.files.patterns import _regex

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_constants
    import sre_parse

    from regexploit.ast.sre import SreOpParser
    from regexploit.redos import find

ROOT = Path(__file__).parents[2]
_POSTER = ROOT / ".github/actions/comment/poster"
_METHODS = ("compile", "match", "search", "sub", "subn", "fullmatch", "split", "findall", "finditer")
_ENGINES = ("re", "regex", "fnmatch", "glob")
_WHOLE = ("match", "fullmatch")
_MOST = sre_constants.MAXREPEAT


class Found(NamedTuple):
    """A pattern, and how it is used: `search`, `match` or `fullmatch`."""

    pattern: re.Pattern[Any]
    method: str


def modules() -> Iterator[tuple[Path, ast.AST]]:
    """The modules that may have patterns."""
    for path in [*(ROOT / "kubectl_trainjob").rglob("*.py"), *_POSTER.glob("*.py")]:
        yield path, ast.parse(path.read_text())


def missed_uses(tree: ast.AST) -> list[str]:
    """What makes or takes a pattern in a way that `in_source` does not read."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args}
    missed = []
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("re"), method) if method in _METHODS and id(node) not in called:
                missed.append(ast.unparse(node))
            case ast.ImportFrom(module) if module in _ENGINES:
                missed.append(ast.unparse(node))
            case ast.Import(names) if any(
                each.name in _ENGINES and (each.name, each.asname) != ("re", None) for each in names
            ):
                missed.append(ast.unparse(node))
    return missed


def in_source() -> dict[str, Found]:
    """By file and line: the literal patterns, and what functions make of samples."""
    found: dict[str, Found] = {}
    for path, tree in modules():
        for call in ast.walk(tree) if path.stem not in _OUR_OWN else ():
            match call:
                case ast.Call(ast.Attribute(ast.Name("re"), method), [first, *_]) if method in _METHODS:
                    for pattern in _values(_module(path), call, first):
                        place = f"{path.relative_to(ROOT)}:{call.lineno}: {pattern.pattern!r}"
                        found[place] = Found(pattern, _method(path, tree, call, method))
    return found


def _values(module: ModuleType, call: ast.Call, first: ast.expr) -> Iterator[re.Pattern[Any]]:
    flags = next((each for each in ast.walk(call) if isinstance(each, ast.Attribute) and each.attr.isupper()), None)
    made = SAMPLES.get((module.__name__.rpartition(".")[2], ast.unparse(first)))
    for scope in made or [{}]:
        value = eval(compile(ast.Expression(first), "", "eval"), {**_LOCALS, **vars(module), **scope})
        yield re.compile(value, eval(ast.unparse(flags), {"re": re}) if flags else 0)


def _method(path: Path, tree: ast.AST, call: ast.Call, method: str) -> str:
    """How a pattern is used: `search` where any use may begin inside of a text."""
    if method != "compile":
        return method if method in _WHOLE else "search"
    names = {target.id for node in ast.walk(tree) if isinstance(node, ast.Assign) and node.value is call
             for target in node.targets if isinstance(target, ast.Name)}  # fmt: skip
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
        if node.attr in _METHODS
    }
    if not used or used - set(_WHOLE):
        return _MATCHED.get(path.stem, "search") if not used else "search"
    return "match" if "match" in used else "fullmatch"


def _module(path: Path) -> ModuleType:
    if not path.is_relative_to(_POSTER):
        return importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    sys.path.insert(0, str(_POSTER))
    try:
        return importlib.import_module("github" if path.stem.startswith("__") else path.stem)
    finally:
        sys.path.pop(0)


def _of_schemas() -> set[str]:
    """The patterns of the packaged schemas."""
    files = (ROOT / "kubectl_trainjob/kube/schemas/data").iterdir()
    return {each for file in files for each in _keyword(json.loads(gzip.decompress(file.read_bytes())))}


def _keyword(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else ():
        yield from _keyword(each)


# Patterns that functions put together, by module and expression: from what a function may get.
_GLOBS = (b"a*b*c", b"a*b/**/c*d/**/e*f", b"**/[a-z]*/?x*", b"*/**")
SAMPLES: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("patterns", "first"): [{"first": _regex(each).pattern} for each in _GLOBS],
    ("patterns", "expression"): [{"expression": b"[a-z]"}],
    ("scalars", "_python_pattern(pattern)"): [{"pattern": each} for each in sorted(_of_schemas())],
    ("volumes", "pattern"): [{"pattern": each} for each in volumes._INITIATORS.values()],
    ("subset", "pattern"): [{"pattern": each} for each in _module(_POSTER / "subset.py")._LINKED],
}
_LOCALS = {"name": "a.b", "roles": "a|b", "title": "Bad", "piece": "[a-z]", "middle": [], "last": b"", "first": b""}
# Modules whose patterns are passed on, to a function that calls `match`.
_MATCHED = {
    "built_index": "fullmatch",
    "edited_object": "fullmatch",
    "notation": "match",
    "pattern": "match",
    "patterns": "fullmatch",
}
_OUR_OWN = {"manual", "manual_text", "pages"}  # they read the pages of the packaged manual only


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """The start, the piece to repeat and the end of texts that may take long."""
    tree = sre_parse.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    starts = dict.fromkeys(["", *_starts(tree, 0), *_starts(tree, 1)])
    letters = list(dict.fromkeys(_letters(tree)))[:12]
    parts = list(starts)[:_STARTS]
    pieces = dict.fromkeys(
        [
            *letters,
            *parts,
            *map("".join, product(parts, letters)),
            *_bodies(tree),
            *map("".join, product(letters, repeat=2)),
        ]
    )
    for start, piece, end in product(parts, islice(pieces, _PIECES), ("", "\n\x00")):
        if piece:
            yield tuple(
                each.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else each
                for each in (start, piece, end)
            )


_ANCHORS = ("^", "\\A", "?<", "?:^", "?P<start>(?<")  # regexploit does not read them; the attacks do


class _Reader(SreOpParser):
    """Reads what Python 3.11 has more: a possessive repetition gives nothing back, so what follows begins otherwise."""

    def from_POSSESSIVE_REPEAT(self, data: Any) -> Any:  # noqa: N802
        repeat = self.from_MAX_REPEAT(data)
        item = repeat.overall_character_class() if repeat else None
        self.negative_lookahead = item.negate() if item else None
        return repeat

    def from_ATOMIC_GROUP(self, data: Any) -> Any:  # noqa: N802
        return self.sequence_or_singleton(data)


def reported(found: Found) -> list[Any]:
    """What regexploit reports, which is worse than quadratic; a repetition before the pattern makes a square a cube."""
    text = found.pattern.pattern
    text = text.decode("latin-1") if isinstance(text, bytes) else text
    is_anchored = found.method != "search" or text.lstrip("(").startswith(_ANCHORS)
    before = "(?:.|\\n)*" * (1 if is_anchored else 2)
    parsed = _Reader().parse_sre(before + re.sub(r"\(\?[aimsx]+\)", "", text), found.pattern.flags & ~re.UNICODE)
    return [each for each in find(parsed) if each.starriness > 2]


def _sample(tree: Any, least: int = 1) -> str:
    """A text that a tree matches, assertions aside; what can be repeated is there at least so often."""
    return "".join(_sample_of(node, least) for node in tree)


def _sample_of(node: Any, least: int = 1) -> str:
    name, value = str(node[0]), node[1]
    match name:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL" | "ANY":
            return "a" if value != 97 else "b"
        case "IN":
            return next(iter(_members(value)))
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _sample(value[2], least) * max(value[0], least if value[1] is _MOST else 0)
        case "SUBPATTERN" | "ATOMIC_GROUP" | "BRANCH":
            return _sample(_children(node)[0], least)
    return ""


_CATEGORIES = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": lambda char: char.isalnum() or char == "_"}


def _members(value: Any) -> Iterator[str]:
    """Some members of a class."""
    is_negated = str(value[0][0]) == "NEGATE"
    parts = value[is_negated:]
    firsts = [chr(_bounds(each)[0]) for each in parts if str(each[0]) != "CATEGORY"]
    yield from (
        char for char in (*firsts, *"a-0 .A\n/#:{é\x01") if any(_is_in(each, char) for each in parts) != is_negated
    )


def _is_in(part: Any, char: str) -> bool:
    if str(part[0]) != "CATEGORY":
        low, high = _bounds(part)
        return bool(low <= ord(char) <= high)
    name = str(part[1]).removeprefix("CATEGORY_")
    return _CATEGORIES[name.removeprefix("NOT_")](char) != name.startswith("NOT_")


def _bounds(part: Any) -> tuple[int, int]:
    low, high = part[1] if str(part[0]) == "RANGE" else (part[1], part[1])
    return low, high


def _children(node: Any) -> list[Any]:
    name, value = str(node[0]), node[1]
    match name:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [value[2]]
        case "SUBPATTERN":
            return [value[3]]
        case "ATOMIC_GROUP":
            return [value]
        case "ASSERT" | "ASSERT_NOT":
            return [value[1]]
        case "BRANCH":
            return list(value[1])
    return []


def _starts(tree: Any, least: int, before: str = "") -> Iterator[str]:
    """The texts before each repetition."""
    for node in tree:
        if "REPEAT" in str(node[0]):
            yield before
        for child in _children(node):
            yield from _starts(child, least, before)
        before += _sample_of(node, least)
    yield before


def _letters(tree: Any) -> Iterator[str]:
    """Each literal character, and some members of each class."""
    for node in tree:
        if str(node[0]) == "IN":
            yield from islice(_members(node[1]), 3)
        elif str(node[0]) in ("LITERAL", "NOT_LITERAL", "ANY"):
            yield _sample_of(node)
            yield chr(node[1]) if node[1] is not None else " "
        yield from chain.from_iterable(map(_letters, _children(node)))


def _bodies(tree: Any) -> Iterator[str]:
    """A text for each part of a tree, also next to each other."""
    yield _sample(tree)
    for node in tree:
        for child in _children(node):
            yield from _bodies(child)


def seconds(found: Found, text: Any) -> float:
    start = time.process_time()
    if found.method == "search":
        for _ in found.pattern.finditer(text):
            pass
    else:
        getattr(found.pattern, found.method)(text)
    return time.process_time() - start


def _least(found: Found, text: Any) -> float:
    """The least of three times; one, if that is short."""
    time = seconds(found, text)
    return time if time < _SUSPECT else min(time, *(seconds(found, text) for _ in range(2)))


_STARTS, _PIECES = 12, 150
_EXPONENTIAL = 22
_LENGTHS = (300, 3000)  # of the pieces; a cube shows at the first
_WORD, _LONG = 4, 12_000  # words of which each begins a search for an end, which takes a nanosecond a character
_SUSPECT = 0.002
_ROUNDS = 4  # a machine that is busy for a moment is not slow in each


def slow(found: Found, usual: Sequence[int] = _LENGTHS) -> Iterator[str]:
    """The attacks whose time grows by more than half as much again as their length."""
    for start, piece, end in attacks(found.pattern):
        if _least(found, start + piece * _EXPONENTIAL + end) > 3 * _SUSPECT:
            yield f"{start!r} + {piece!r} * {_EXPONENTIAL} + {end!r}: exponential"
            return
        lengths = (*usual, _LONG) if len(piece) >= _WORD and not start else usual
        for count in (length // len(piece) for length in lengths):
            if seconds(found, start + piece * count + end) < _SUSPECT:
                continue
            few, many = (start + piece * n + end for n in (count, 3 * count))
            if all(_grows(found, few, many) for _ in range(_ROUNDS)):
                yield f"{start!r} + {piece!r} * {count} + {end!r}: {seconds(found, few):.4f} s, more for three times"
                return


def _grows(found: Found, few: Any, many: Any) -> bool:
    """Whether three times the text takes more than five times as long."""
    least = _least(found, many)
    return least > 3 * _SUSPECT and least > 5 * _least(found, few)
