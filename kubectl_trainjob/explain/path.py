"""Paths into an object as users write them at a prompt, and their pointers.

    spec.replicatedJobs[node].template.spec.template.spec.containers[node].env[PET_NNODES].value
    spec.containers[0].resources.limits[nvidia.com/gpu]
    /spec/containers/0/resources/limits/nvidia.com~1gpu

A step is a mapping's key or a list's member, after a dot or in brackets. A member is named by the key that its list is
merged by, or by its index from 0. The key of an unknown list is `name`. A key of several parts is joined with "/"
(`ports[53/UDP]`); its first part is enough where no other member has it. Dots in a key need no quotes where they have
no other meaning. A backslash escapes the next character. In brackets a key may be in quotes; in double quotes it is a
JSON string. The outer signs of kubectl's JSONPath, "{.}" and "$", are skipped. A text that begins with "/" is a JSON
pointer (RFC 6901), which only has indices.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, takewhile
from typing import Any

from kubectl_trainjob.explain.notation import PathError, PathStep, quote, steps, tokens
from kubectl_trainjob.kube.facts.merge_keys import PLAIN, Merging, merging_of
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.source import Pointer, json_pointer, value_at, values
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.repository.yaml.quoting import UNSEEN

_LONGEST = 60  # characters of a name shown in a message
_LONGEST_PATH = 200
_LISTED = 8
_COMPARED = 500  # names that may be what was meant

_INDEX = re.compile("0|[1-9][0-9]{0,8}")

_SIMPLE = re.compile(r"[\w-]+")
_BARE = re.compile(rf"""[^\s"'\[\]\\{UNSEEN}]+""")
_DEFAULTS = {"protocol": "TCP"}

_Members = tuple[list[tuple[str, ...]], Counter[str]]
NameCache = dict[int, _Members]
"""The names of the items of an object's lists, by the ids of the lists."""

__all__ = ["NameCache", "PathError", "resolve", "show"]
_LOOKED_AT = 5000  # values of an object
_MOST = 5


def resolve(body: Body, text: str) -> Pointer:
    """The pointer of a path in an object; no path, or ".", is the whole object. Raises PathError."""
    rest: Sequence[PathStep] = tokens(text) if text.startswith("/") else steps(text)
    here = _PathNode(body, (), body, _merging(body), {})
    while rest:
        key, used = _next(here, rest)
        here, rest = here.below(key), rest[used:]
    return here.pointer


def show(body: Body, pointer: Pointer, cache: NameCache | None = None) -> str:
    """The path that `resolve` takes back to the pointer: members of lists by key where one names them, else by index.

    Where neither is clear (two members are called "a", another one "0"), it is a JSON pointer. A pointer to a missing
    value is shown unchanged. Callers that show many paths of one object pass a `cache`.
    """
    here = _PathNode(body, (), body, _merging(body), {} if cache is None else cache)
    parts: list[str] = []
    for key in pointer:
        part = here.spelling(key)
        if part is None:
            return json_pointer(pointer)
        parts.append(part)
        here = here.below(key)
    return "".join(parts).removeprefix(".") or "."


def _merging(body: Body) -> Merging:
    return merging_of(str(body.get("apiVersion")), str(body.get("kind"))) or PLAIN


@dataclass(frozen=True, slots=True)
class _PathNode:
    """A value of the object, its place, and how it is merged."""

    root: Body
    pointer: Pointer
    value: Any
    merging: Merging
    cache: NameCache

    def below(self, key: str | int) -> _PathNode:
        merging = self.merging.below(key) if isinstance(key, str) else Merging(self.merging.fields)
        return _PathNode(self.root, (*self.pointer, key), value_at(self.value, (key,)), merging, self.cache)

    def members(self) -> _Members:
        """The names of each item of the list, and the number of items with each name."""
        known = self.cache.get(id(self.value))
        if known is None:
            names = self._names()
            known = self.cache[id(self.value)] = names, Counter(name for each in names for name in each)
        return known

    def _names(self) -> list[tuple[str, ...]]:
        keys = self.merging.keys or ("name",)
        if not self.merging.keys and not all(_part(item, "name") for item in self.value):
            return [()] * len(self.value)
        return [_names(item, keys) for item in self.value]

    def spelling(self, key: str | int) -> str | None:
        """How a step is written; None where a list's member has neither a name nor a unique index."""
        if isinstance(key, str):
            return f".{key}" if _SIMPLE.fullmatch(key) else _in_brackets(key)
        members, counts = self.members() if isinstance(self.value, list | tuple) else ([], Counter[str]())
        names = members[key] if key < len(members) else ()
        own = next((name for name in names if counts[name] == 1), None)
        if own is not None:
            return _in_brackets(own)
        return None if counts[str(key)] else f"[{key}]"

    def __str__(self) -> str:
        shown = show(self.root, self.pointer) if self.pointer else "the object"
        return shown if len(shown) <= _LONGEST_PATH else "..." + shown[-_LONGEST_PATH:]


def _part(item: Any, key: str) -> str | None:
    """One part of an item's key."""
    value = item.get(key, _DEFAULTS.get(key)) if isinstance(item, dict) else None
    return (value or None) if isinstance(value, str) else str(value) if type(value) is int else None


def _names(item: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    first, *others = (_part(item, key) for key in keys)
    if first is None:
        return ()
    return (first, "/".join([first, *map(str, others)])) if others and all(others) else (first,)


def _in_brackets(name: str) -> str:
    return f"[{name}]" if _BARE.fullmatch(name) else f"[{json.dumps(name)}]"


def _next(here: _PathNode, steps: Sequence[PathStep]) -> tuple[str | int, int]:
    """The key or index of the first steps, and the number of steps that spell it."""
    if isinstance(here.value, dict):
        return _entry(here, steps)
    if isinstance(here.value, list | tuple):
        return _member(here, steps[0]), 1
    raise PathError(f"{here} is {_kind(here.value)} and has no {quote(steps[0].text)}; end the path there")


def _kind(value: Any) -> str:
    # Never the value itself: it may be a secret.
    if value is None:
        return "null"
    return "a string" if isinstance(value, str) else "a boolean" if isinstance(value, bool) else "a number"


def _entry(here: _PathNode, steps: Sequence[PathStep]) -> tuple[str, int]:
    word = steps[0].text
    if word in here.value:
        return word, 1
    joined = list(_joined_keys(here.value, steps))
    if len(joined) == 1:
        return joined[0]
    if joined:
        advice = _one_of((_in_brackets(key) for key, _ in joined), len(joined))
        raise PathError(f"{here} has several keys that the path may mean; {advice}")
    raise PathError(f"{here} has no {quote(word)}; {_advice(word, sorted(here.value))}")


def _joined_keys(mapping: dict[str, Any], steps: Sequence[PathStep]) -> Iterator[tuple[str, int]]:
    """The keys with dots that the next steps spell, and how many steps each takes."""
    run = [step.text + "." for step in takewhile(lambda step: step.form == "dotted", steps)]
    counts = {length: count for count, length in enumerate(accumulate(map(len, run)), 1)}
    text = "".join(run)
    return ((key, counts[len(key) + 1]) for key in mapping if len(key) + 1 in counts and text.startswith(key + "."))


def _member(here: _PathNode, step: PathStep) -> int:
    members = [] if step.form == "token" else here.members()[0]
    found = [index for index, names in enumerate(members) if step.text in names]
    if len(found) == 1:
        return found[0]
    if found:
        advice = _one_of((here.spelling(index) or str(here.below(index)) for index in found), len(found))
        raise PathError(f"{here} has {quote(step.text)} at {_first_names(map(str, found), len(found))}; {advice}")
    is_index = _INDEX.fullmatch(step.text) is not None and step.form != "quoted"
    if is_index and int(step.text) < len(here.value):
        return int(step.text)
    named = {} if is_index else {names[0]: index for index, names in enumerate(members) if names}
    spellings = (here.spelling(index) or str(here.below(index)) for index in named.values())
    advice = _advice(step.text, named, spellings) if named else _index_advice(len(here.value))
    raise PathError(f"{here} has no member {quote(step.text)}; {advice}")


def _advice(word: str, names: Collection[str], spellings: Iterable[str] | None = None) -> str:
    """What to write instead of a word that is none of the names, which are spelled so."""
    near = nearest(word[:_LONGEST], islice(names, _COMPARED))
    if near:
        return f"did you mean {quote(near)}?"
    return _one_of(spellings or map(quote, names), len(names))


def _index_advice(length: int) -> str:
    if not length:
        return _one_of((), 0)
    return f"write an index from 0 to {length - 1}" if length > 1 else "write the index 0"


def _one_of(shown: Iterable[str], count: int) -> str:
    if not count:
        return "it is empty, so end the path there"
    return ("write " if count == 1 else "write one of ") + _first_names(shown, count)


def _first_names(shown: Iterable[str], count: int) -> str:
    """The first of `count` texts, and how many more there are."""
    first = [each if len(each) <= _LONGEST_PATH else each[:_LONGEST_PATH] + "..." for each in islice(shown, _LISTED)]
    if count > len(first):
        first.append(f"{count - len(first)} more")
    return " and ".join([", ".join(first[:-1]), first[-1]]) if len(first) > 1 else first[0]


def paths_that_end(body: Body, text: str) -> list[str]:
    """The first few paths to a value that end with a text, `PET_NNODES` or `containers[node].image`, as `show` does."""
    end = text.strip().removeprefix(".")
    if not end:
        return []
    cache: NameCache = {}
    shown = (show(body, pointer, cache) for pointer, _ in islice(values(body), 1, _LOOKED_AT + 1))
    return list(islice((path for path in shown if path.endswith((f".{end}", f"[{end}]"))), _MOST))
