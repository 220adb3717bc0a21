"""The fields of our own configuration files, read with types; errors are diagnostics at the line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.kube.facts.kinds import CONFIGURATION_GROUP
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, describe, joined, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place

API_VERSION = f"{CONFIGURATION_GROUP}/v1alpha1"
HEAD = ("apiVersion", "kind", "metadata")
HEADLESS = (
    "the file has the name of this tool's settings, but no apiVersion and no kind; "
    f'write "apiVersion: {API_VERSION}" and "kind: Config", or rename the file'
)
"""The error of a `trainjob.yaml` without a type."""


@dataclass(frozen=True, slots=True)
class Fields:
    """One mapping. Each method returns the field, or its default where it is absent or invalid."""

    body: Mapping[str, Any]
    place: Place
    rule: Rule
    found: list[Diagnostic]
    name: str = ""

    def reject(self, message: Message, *pointer: str | int) -> None:
        """Report the value at `pointer`."""
        self.found.append(Diagnostic(self.rule, message, self.place.child(*pointer)))

    def reject_unknown(self, known: Sequence[str], advice: Mapping[str, str] | None = None) -> None:
        """Report every field that is not among `known`; `advice` says what to do about some."""
        for key in self.body:
            if key not in known:
                own = [name for name in known if self.name or name not in HEAD]
                hint = say(advice[key]) if advice and key in advice else _hint(key, own)
                message = say('setting "{}" does not exist{}', self._field_name(key), hint)
                self.found.append(Diagnostic(self.rule, message, self.place.child(key).key()))

    def reject_other_head(self, kind: str, file: str) -> None:
        """Report another apiVersion or kind."""
        for field, expected in (("apiVersion", API_VERSION), ("kind", kind)):
            if self.body.get(field) != expected:
                self.reject(say('{} of {} must be "{}"', say(field), say(file), say(expected)), field)

    def text(self, name: str, choices: Sequence[str] = ()) -> str:
        """A string, "" when absent; one of `choices` where there are some."""
        value = self._value(name, "", "a string")
        if value and choices and value not in choices:
            allowed = joined(map(say, choices), last=" or ")
            self.reject(say('{} "{}" is invalid; write {}', self._field_name(name), value, allowed), name)
            return ""
        return str(value)

    def flag(self, name: str) -> bool:
        """A boolean, False when absent."""
        return bool(self._value(name, False, "true or false"))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, none when absent."""
        items = self._value(name, [], "a list")
        for index, item in enumerate(items):
            if not isinstance(item, str):
                self.reject(_must_be(f"{self._field_name(name)}[{index}]", "a string", item), name, index)
        return tuple(item for item in items if isinstance(item, str))

    def mapping(self, name: str) -> dict[str, Any]:
        """A mapping, empty when absent."""
        return dict(self._value(name, {}, "a mapping"))

    def pairs(self, name: str) -> dict[str, str]:
        """A mapping of strings, empty when absent."""
        pairs = self.mapping(name)
        for key, value in pairs.items():
            if not isinstance(value, str):
                self.reject(_must_be(f"{self._field_name(name)}.{key}", "a string", value), name, key)
        return {key: value for key, value in pairs.items() if isinstance(value, str)}

    def below(self, name: str) -> Fields:
        """The fields of a mapping."""
        return Fields(self.mapping(name), self.place.child(name), self.rule, self.found, self._field_name(name))

    def each(self, name: str) -> Iterator[tuple[int, Fields]]:
        """The index and the fields of every item of a list of mappings."""
        for index, item in enumerate(self._value(name, [], "a list")):
            label = f"{self._field_name(name)}[{index}]"
            if isinstance(item, dict):
                yield index, Fields(item, self.place.child(name, index), self.rule, self.found, label)
            else:
                self.reject(_must_be(label, "a mapping", item), name, index)

    def _value(self, name: str, default: Any, expected: str) -> Any:
        value = self.body.get(name, default)
        if isinstance(value, type(default)):
            return value
        self.reject(_must_be(self._field_name(name), expected, value), name)
        return default

    def _field_name(self, field: str) -> str:
        return f"{self.name}.{field}" if self.name else field


def _hint(word: str, known: list[str]) -> Message:
    meant = nearest(word, known)
    return say('; did you mean "{}"?', meant) if meant else say("; the settings here are {}", joined(map(say, known)))


def _must_be(name: str, expected: str, value: Any) -> Message:
    is_scalar = expected == "a string" and isinstance(value, (bool, int, float))
    advice = say("; write it in quotes") if is_scalar else say("")
    return say("{} must be {}, not {}{}", name, say(expected), describe(value), advice)
