"""What an error of the API server means: its reason in our words, and a message without the user's values.

The reasons are those of `apply -o json`. Which errors are temporary was measured on Kubernetes 1.36.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any, Literal, TypeVar

from kubectl_trainjob.cluster.protocol import NO_ANSWER, ApiAnswer
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.source import entries

Reason = Literal[
    "Conflict", "Error", "Exists", "Forbidden", "Invalid", "NotFound", "Stale", "Terminating", "Timeout",
    "Unauthorized", "Unavailable",
]  # fmt: skip
"""`Stale`: the object changed after it was read. `Exists`: a name is in use. After both, read it again."""

NEW = "1"
"""An apply with this resourceVersion succeeds only if there is no object of the name."""
Value = TypeVar("Value")
_TEMPORARY = frozenset({NO_ANSWER, 429, 500, 502, 503, 504})
_TYPE_ERROR = re.compile(
    r"failed to create typed patch object|"
    r"\A(?>.*?failed to convert new object).*: unable to convert unstructured object",
    re.S,
)
_QUOTA = "exceeded quota"
_FROZEN = re.compile(r"is immutable|cannot be (added to|removed from|changed)|can only be modified when")
_VALUE = re.compile(r"((?:Invalid|Duplicate|Unsupported|Not supported) value: )(?:([\[{])|\"(?:[^\"\\]|\\.)*\")", re.S)
_GOT = re.compile(
    r", got &.*?(?=\n  \.\S+: (?:expected \w+, got &|field not declared|duplicate entries|element \d)|\Z)", re.S
)
"""The value in an error of type, up to the next error; it is printed without quotes."""
_VALUES = frozenset({"value", "data", "stringData", "binaryData", "args", "command"})
_MASK = "***"
_SHORTEST = 4  # characters of a value that is masked: shorter ones are in every text
_LONGEST = 1000


class ApiError(Exception):
    """A request failed permanently; `fields` are the paths that the server names."""

    def __init__(self, reason: Reason, message: str, fields: tuple[str, ...] = (), *, is_frozen: bool = False) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.message = message
        self.fields = fields
        self.is_frozen = is_frozen

    @property
    def final_reason(self) -> Reason:
        """The reason in a result: that of an error after which nothing is tried again."""
        return "Error" if self.reason in ("Stale", "Exists") else self.reason


def or_none(read: Callable[[], Value]) -> Value | None:
    """What a function reads, None after an error, for example without the right to read it."""
    try:
        return read()
    except ApiError:
        return None


def is_temporary(answer: ApiAnswer) -> bool:
    """Whether the same request may succeed later."""
    if answer.status == 500:
        return _TYPE_ERROR.search(answer.message) is None
    return answer.status in _TEMPORARY or (answer.status == 403 and _QUOTA in answer.message)


def error_of(answer: ApiAnswer, sent: Any) -> ApiError:
    """The error of an answer; `sent` is the body of the request, whose values are masked."""
    causes = answer.details.get("causes") or ()
    fields = tuple(str(cause["field"]).removeprefix(".") for cause in causes if cause.get("field"))
    is_frozen = answer.status in (403, 422) and _FROZEN.search(answer.message) is not None
    reason = _reason(answer)
    if reason == "Conflict" and _is_create(sent):
        reason = "Exists"  # the server compares the fields before the version
    return ApiError(reason, mask_data(answer.message, sent), fields, is_frozen=is_frozen)


def _is_create(sent: Any) -> bool:
    """Whether an apply must find no object."""
    return isinstance(sent, dict) and sent.get("metadata", {}).get("resourceVersion") == NEW


def _reason(answer: ApiAnswer) -> Reason:
    status, message = answer.status, answer.message
    if is_temporary(answer) and status != 403:
        return "Unavailable"
    if status == 409:
        return _conflict(answer)
    if status == 403:
        return "Terminating" if "because it is being terminated" in message else "Forbidden"
    if status == 422 and "metadata.uid" in message:
        return "Stale"
    known: dict[int, Reason] = {400: "Invalid", 401: "Unauthorized", 404: "NotFound", 422: "Invalid", 500: "Invalid"}
    return known.get(status, "Error")


def _conflict(answer: ApiAnswer) -> Reason:
    if answer.message.startswith("Apply failed with"):
        return "Conflict"
    has_name = isinstance(answer.body, dict) and answer.body.get("reason") == "AlreadyExists"
    return "Exists" if has_name else "Stale"


def mask_data(message: str, sent: Any) -> str:
    """A server's message without the values of the object that it is about.

    Webhooks repeat whole lists, with the values of environment variables. Errors of type have the value.
    """
    text = _GOT.sub("", message) if _TYPE_ERROR.search(message) else message
    text = " ".join(_without_values(text).split())
    text = _without_texts(text, {value for value in _values(sent) if len(value) >= _SHORTEST})
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _without_texts(text: str, values: Set[str]) -> str:
    """A text with all of the values masked, also those that overlap, in one pass."""
    by_start = group((value[:_SHORTEST], value) for value in values)
    prefixes = {start: _Prefixes(each) for start, each in by_start.items()}
    shown, end = [], 0  # of the last value
    for at, char in enumerate(text):
        known = prefixes.get(text[at : at + _SHORTEST])
        if known and (size := known.longest(text, at)):
            shown.append(_MASK if at >= end else "")
            end = max(end, at + size)
        shown.append(char if at >= end else "")
    return "".join(shown)


class _Prefixes:
    """Finds the longest of some values at a position: a binary search by length, not one value after the other."""

    def __init__(self, values: Sequence[str]) -> None:
        self._lengths = sorted({len(each) for each in values})
        self._sizes: dict[str, int] = {}
        """By the start of a value that the search meets: the length of the longest value that this starts with."""
        for value in sorted(values, key=len):
            self._add(value)

    def _add(self, value: str) -> None:
        """Values are added from short to long."""
        low, high = 0, len(self._lengths)
        while low < high:
            middle = (low + high) // 2
            start = value[: self._lengths[middle]]
            if self._lengths[middle] > len(value):
                high = middle
                continue
            if start == value:
                self._sizes[start] = len(start)
            elif start not in self._sizes:
                self._sizes[start] = self.longest(start, 0)
            low = middle + 1

    def longest(self, text: str, at: int) -> int:
        """The length of the longest value here, 0 for none."""
        low, high, found = 0, len(self._lengths), 0
        while low < high:
            middle = (low + high) // 2
            size = self._sizes.get(text[at : at + self._lengths[middle]])
            if size is None:
                high = middle
            else:
                low, found = middle + 1, size or found
        return found


def _without_values(text: str) -> str:
    """A text without the values in it; a list or mapping ends at the last bracket, because it may contain brackets."""
    ends = {"[": text.rfind("]"), "{": text.rfind("}")}
    parts, position = [], 0
    while found := _VALUE.search(text, position):
        end = ends[found[2]] + 1 if found[2] else found.end()
        is_open = end < found.end()
        parts += [text[position : found.end() if is_open else found.end(1)], "" if is_open else _MASK]
        position = max(end, found.end())
    return "".join([*parts, text[position:]])


def _values(body: Any, *, is_value: bool = False) -> Iterator[str]:
    """The values of environment variables, commands, arguments, and of the data of ConfigMaps and Secrets."""
    for name, value in entries(body):
        yield from _values(value, is_value=is_value or name in _VALUES)
    if is_value and isinstance(body, str):
        yield body
