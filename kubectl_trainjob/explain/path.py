"""Paths into an object as people write them at a prompt, and the pointers that they mean.

    spec.replicatedJobs[node].template.spec.template.spec.containers[node].env[PET_NNODES].value
    spec.containers[0].resources.limits[nvidia.com/gpu]
    /spec/containers/0/resources/limits/nvidia.com~1gpu

A step is a mapping's key or a list's member, behind a dot or in brackets. A member is named by what its list is merged
by, by `name` where nothing is known of the list, or by its index from 0; a key of several parts is joined with "/"
(`ports[53/UDP]`), and its first part is enough where no other member has it. Dots in a key may stand as they are where
they mean nothing else. A backslash takes the meaning from the next character. In brackets a key may be in quotes; in
double quotes it is a JSON string. The outer signs of kubectl's JSONPath, "{.}" and "$", are passed over. What begins
with "/" is a JSON pointer (RFC 6901), which knows indices only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, takewhile
from typing import Any, NamedTuple

from kubectl_trainjob.api.merge_keys import PLAIN, Merging, merging_of
from kubectl_trainjob.source import Pointer, value_at
from kubectl_trainjob.stages import Body
from kubectl_trainjob.yamlio.nearest import nearest
from kubectl_trainjob.yamlio.quoting import UNSEEN

_LONGEST = 60  # characters of a name shown in a message
_LONGEST_PATH = 200
_LISTED = 8
_COMPARED = 500  # names that may be what was meant

# Possessive: what matched one way is not tried another way.
_DOTTED = r"(?P<dotted>(?:[^.\[\]\\]|\\.)++)"
_QUOTED = r"""(?P<quote>["'])(?P<quoted>(?:(?!(?P=quote))[^\\]|\\.)*+)(?P=quote)"""
_BRACKETS = rf"""\[(?:{_QUOTED}|(?P<bare>(?!["'])(?:[^\]\\]|\\.)++))\]"""
_FIRST = re.compile(rf"\.?(?:{_BRACKETS}|{_DOTTED})", re.DOTALL)
_NEXT = re.compile(rf"\.?{_BRACKETS}|\.{_DOTTED}", re.DOTALL)
_CLOSED = re.compile(rf"\[{_QUOTED}", re.DOTALL)
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_INDEX = re.compile("0|[1-9][0-9]{0,8}")

_SIMPLE = re.compile(r"[\w-]+")
_BARE = re.compile(rf"""[^\s"'\[\]\\{UNSEEN}]+""")
_DEFAULTS = {"protocol": "TCP"}

_SIGNS = {
    ".": "no key follows this dot; write one, or remove the dot",
    "]": 'this "]" closes nothing; remove it, or write "[" where the key begins',
    "\\": "no character follows this backslash; remove it",
}
_NO_SIGN = 'a step begins with "." or "["; write one of them here'


class PathError(Exception):
    """The path cannot be read, or leads nowhere; the message says where, and what to write."""


class _Step(NamedTuple):
    text: str
    form: str  # dotted, bare or quoted in brackets, or a JSON pointer's token


def resolve(body: Body, text: str) -> Pointer:
    """What a path means in an object; no path, or ".", means the whole of it. Raises PathError."""
    steps = _tokens(text) if text.startswith("/") else _steps(text)
    here = _Spot(body, (), body, _merging(body))
    while steps:
        key, used = _next(here, steps)
        here, steps = here.below(key), steps[used:]
    return here.pointer


def show(body: Body, pointer: Pointer) -> str:
    """The path that `resolve` takes back to the pointer: members of lists by key where one names them, else by index.

    Where neither is clear (two members are called "a", another one "0"), it is a JSON pointer. A pointer to what the
    object lacks is shown as it is.
    """
    here = _Spot(body, (), body, _merging(body))
    parts: list[str] = []
    for key in pointer:
        part = here.spelling(key)
        if part is None:
            return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in pointer)
        parts.append(part)
        here = here.below(key)
    return "".join(parts).removeprefix(".") or "."


def _merging(body: Body) -> Merging:
    return merging_of(str(body.get("apiVersion")), str(body.get("kind"))) or PLAIN


@dataclass(frozen=True, slots=True)
class _Spot:
    """A value of the object, where it stands, and how it is merged."""

    root: Body
    pointer: Pointer
    value: Any
    merging: Merging

    def below(self, key: str | int) -> _Spot:
        merging = self.merging.below(key) if isinstance(key, str) else Merging(self.merging.fields)
        return _Spot(self.root, (*self.pointer, key), value_at(self.value, (key,)), merging)

    def members(self) -> list[tuple[str, ...]]:
        """What each member of the list may be called."""
        keys = self.merging.keys or ("name",)
        if not self.merging.keys and not all(_part(item, "name") for item in self.value):
            return [()] * len(self.value)
        return [_names(item, keys) for item in self.value]

    def spelling(self, key: str | int) -> str | None:
        """How a step is written; None where a list's member has neither a name nor an index of its own."""
        if isinstance(key, str):
            return f".{key}" if _SIMPLE.fullmatch(key) else _bracketed(key)
        members = self.members() if isinstance(self.value, list | tuple) else []
        names = members[key] if key < len(members) else ()
        own = next((name for name in names if len(_called(members, name)) == 1), None)
        if own is not None:
            return _bracketed(own)
        return None if _called(members, str(key)) else f"[{key}]"

    def __str__(self) -> str:
        shown = show(self.root, self.pointer) if self.pointer else "the object"
        return shown if len(shown) <= _LONGEST_PATH else "..." + shown[-_LONGEST_PATH:]


def _part(item: Any, key: str) -> str | None:
    """One part of a member's key."""
    value = item.get(key, _DEFAULTS.get(key)) if isinstance(item, dict) else None
    return (value or None) if isinstance(value, str) else str(value) if type(value) is int else None


def _names(item: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    first, *others = (_part(item, key) for key in keys)
    if first is None:
        return ()
    return (first, "/".join([first, *map(str, others)])) if others and all(others) else (first,)


def _called(members: Iterable[tuple[str, ...]], name: str) -> list[int]:
    return [index for index, names in enumerate(members) if name in names]


def _bracketed(name: str) -> str:
    return f"[{name}]" if _BARE.fullmatch(name) else f"[{json.dumps(name)}]"


def _next(here: _Spot, steps: Sequence[_Step]) -> tuple[str | int, int]:
    """The key or index that the first steps mean, and how many of them it takes."""
    if isinstance(here.value, dict):
        return _entry(here, steps)
    if isinstance(here.value, list | tuple):
        return _member(here, steps[0]), 1
    raise PathError(f"{here} is {_kind(here.value)} and has no {_quote(steps[0].text)}; end the path there")


def _kind(value: Any) -> str:
    # Never the value itself: it may be a secret.
    if value is None:
        return "null"
    return "a text" if isinstance(value, str) else "a boolean" if isinstance(value, bool) else "a number"


def _entry(here: _Spot, steps: Sequence[_Step]) -> tuple[str, int]:
    word = steps[0].text
    if word in here.value:
        return word, 1
    joined = list(_joined(here.value, steps))
    if len(joined) == 1:
        return joined[0]
    if joined:
        advice = _one_of((_bracketed(key) for key, _ in joined), len(joined))
        raise PathError(f"{here} has several keys that the path may mean; {advice}")
    raise PathError(f"{here} has no {_quote(word)}; {_advice(word, sorted(here.value))}")


def _joined(mapping: dict[str, Any], steps: Sequence[_Step]) -> Iterator[tuple[str, int]]:
    """The keys with dots that the next steps spell, and how many steps each takes."""
    run = [step.text + "." for step in takewhile(lambda step: step.form == "dotted", steps)]
    counts = {length: count for count, length in enumerate(accumulate(map(len, run)), 1)}
    text = "".join(run)
    return ((key, counts[len(key) + 1]) for key in mapping if len(key) + 1 in counts and text.startswith(key + "."))


def _member(here: _Spot, step: _Step) -> int:
    members = [] if step.form == "token" else here.members()
    found = _called(members, step.text)
    if len(found) == 1:
        return found[0]
    if found:
        advice = _one_of((here.spelling(index) or str(here.below(index)) for index in found), len(found))
        raise PathError(f"{here} has {_quote(step.text)} at {_listed(map(str, found), len(found))}; {advice}")
    is_index = _INDEX.fullmatch(step.text) is not None and step.form != "quoted"
    if is_index and int(step.text) < len(here.value):
        return int(step.text)
    named = {} if is_index else {names[0]: index for index, names in enumerate(members) if names}
    spellings = (here.spelling(index) or str(here.below(index)) for index in named.values())
    advice = _advice(step.text, named, spellings) if named else _index_advice(len(here.value))
    raise PathError(f"{here} has no member {_quote(step.text)}; {advice}")


def _advice(word: str, names: Collection[str], spellings: Iterable[str] | None = None) -> str:
    """What to write instead of a word that is none of the names, which are spelled so."""
    near = nearest(word[:_LONGEST], islice(names, _COMPARED))
    if near:
        return f"did you mean {_quote(near)}?"
    return _one_of(spellings or map(_quote, names), len(names))


def _index_advice(length: int) -> str:
    if not length:
        return _one_of((), 0)
    return f"write an index from 0 to {length - 1}" if length > 1 else "write the index 0"


def _one_of(shown: Iterable[str], count: int) -> str:
    if not count:
        return "it is empty, so end the path there"
    return ("write " if count == 1 else "write one of ") + _listed(shown, count)


def _listed(shown: Iterable[str], count: int) -> str:
    """The first of `count` texts, and how many there are besides."""
    first = [each if len(each) <= _LONGEST_PATH else each[:_LONGEST_PATH] + "..." for each in islice(shown, _LISTED)]
    if count > len(first):
        first.append(f"{count - len(first)} more")
    return " and ".join([", ".join(first[:-1]), first[-1]]) if len(first) > 1 else first[0]


def _quote(text: str) -> str:
    return f'"{text}"' if len(text) <= _LONGEST else f'"{text[:_LONGEST]}..."'


def _tokens(text: str) -> list[_Step]:
    """The steps of a JSON pointer."""
    if wrong := re.search("~(?![01])", text):
        raise _unreadable(text, wrong.start(), 'a "~" stands for nothing by itself; write ~0 for "~" and ~1 for "/"')
    return [_Step(part.replace("~1", "/").replace("~0", "~"), "token") for part in text[1:].split("/")]


def _steps(text: str) -> list[_Step]:
    at, end = _bounds(text)
    steps: list[_Step] = []
    while at < end:
        match = (_NEXT if steps else _FIRST).match(text, at, end)
        if match is None:
            raise _syntax_error(text, at, end)
        steps.append(_step(match))
        at = match.end()
    return steps


def _bounds(text: str) -> tuple[int, int]:
    """Where the path itself begins and ends."""
    start, end = 0, len(text)
    if text.startswith("{"):
        if not text.endswith("}"):
            raise _unreadable(text, 0, 'the "{" is not closed; add "}" at the end, or remove it')
        start, end = 1, end - 1
    if text.startswith("$", start, end) and text[start + 1 : end][:1] in ("", ".", "["):
        start += 1
    return (end, end) if text[start:end] == "." else (start, end)


def _step(match: re.Match[str]) -> _Step:
    form = match.lastgroup or ""
    if match["quote"] != '"':
        return _Step(_BACKSLASH.sub(r"\1", match[form]), form)
    try:
        return _Step(json.loads(f'"{match["quoted"]}"', strict=False), form)
    except json.JSONDecodeError as error:
        advice = "JSON strings have no such escape; write two backslashes for one"
        raise _unreadable(match.string, match.start("quote") + error.pos, advice) from None


def _syntax_error(text: str, at: int, end: int) -> PathError:
    """What is wrong where no step can be read."""
    if text[at] == "." and text[at + 1 : end][:1] in ("[", "]", "\\"):
        at += 1
    sign = text[at]
    return _unreadable(text, at, _open_bracket(text[at:end]) if sign == "[" else _SIGNS.get(sign, _NO_SIGN))


def _open_bracket(rest: str) -> str:
    if rest.startswith("[]"):
        return "nothing stands in these brackets; write a key or an index"
    if _CLOSED.match(rest):
        return 'no "]" follows the closing quote; write it, and a backslash before a quote inside'
    quote = rest[1:2] if rest[1:2] in ('"', "'") else ""
    return f'this "[" is not closed; write {quote}] behind the key'


def _unreadable(text: str, at: int, message: str) -> PathError:
    return PathError(f"column {at + 1} of {_quote(text)}: {message}")
