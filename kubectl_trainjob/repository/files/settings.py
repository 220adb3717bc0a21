"""The fields of our own configuration files, read with types; what is wrong becomes diagnostics at the line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.kube.facts.kinds import CONFIGURATION_GROUP
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import Rule
from kubectl_trainjob.model.source import Place

API_VERSION = f"{CONFIGURATION_GROUP}/v1alpha1"
HEAD = ("apiVersion", "kind", "metadata")
HEADLESS = (
    "by its name the file holds this tool's settings, and it has neither apiVersion nor kind; "
    f'write "apiVersion: {API_VERSION}" and "kind: Config", or rename the file'
)
"""What is wrong with a `trainjob.yaml` that does not say what it is."""


@dataclass(frozen=True, slots=True)
class Fields:
    """One mapping. Each reader returns the field, or its default where it is absent or wrong."""

    body: Mapping[str, Any]
    place: Place
    rule: Rule
    found: list[Diagnostic]
    name: str = ""

    def refuse(self, message: str, *pointer: str | int) -> None:
        """Note what is wrong with the value at `pointer`."""
        self.found.append(Diagnostic(self.rule, message, self.place.child(*pointer)))

    def refuse_unknown(self, known: Sequence[str], advice: Mapping[str, str] | None = None) -> None:
        """Note every field that is not among `known`; `advice` says what to do about some."""
        for key in self.body:
            if key not in known:
                own = [name for name in known if self.name or name not in HEAD]
                hint = (advice or {}).get(key) or _hint(key, own)
                message = f'there is no setting "{self._named(key)}"{hint}'
                self.found.append(Diagnostic(self.rule, message, self.place.child(key).key()))

    def refuse_other_head(self, kind: str, file: str) -> None:
        """Note another apiVersion or kind."""
        for field, expected in (("apiVersion", API_VERSION), ("kind", kind)):
            if self.body.get(field) != expected:
                self.refuse(f'{field} of {file} must be "{expected}"', field)

    def text(self, name: str, choices: Sequence[str] = ()) -> str:
        """A text, "" when absent; one of `choices` where there are some."""
        value = self.body.get(name, "")
        if not self._is(value, str, "text", name):
            return ""
        if value and choices and value not in choices:
            self.refuse(f'{self._named(name)} "{value}" is none of {", ".join(choices)}', name)
            return ""
        return str(value)

    def flag(self, name: str) -> bool:
        """A truth value, False when absent."""
        value = self.body.get(name, False)
        return self._is(value, bool, "true or false", name) and bool(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, none when absent."""
        items = self.items(name)
        for index, item in enumerate(items):
            if not isinstance(item, str):
                self.refuse(_must_be(f"{self._named(name)}[{index}]", "text", item), name, index)
        return tuple(item for item in items if isinstance(item, str))

    def items(self, name: str) -> list[Any]:
        """A list, empty when absent."""
        value = self.body.get(name, [])
        return value if self._is(value, list, "a list", name) else []

    def mapping(self, name: str) -> dict[str, Any]:
        """A mapping, empty when absent."""
        value = self.body.get(name, {})
        return value if self._is(value, dict, "a mapping", name) else {}

    def pairs(self, name: str) -> dict[str, str]:
        """A mapping of texts, empty when absent."""
        pairs = self.mapping(name)
        for key, value in pairs.items():
            if not isinstance(value, str):
                self.refuse(_must_be(f"{self._named(name)}.{key}", "text", value), name, key)
        return {key: value for key, value in pairs.items() if isinstance(value, str)}

    def below(self, name: str) -> Fields:
        """The fields of a mapping."""
        return Fields(self.mapping(name), self.place.child(name), self.rule, self.found, self._named(name))

    def each(self, name: str) -> Iterator[tuple[int, Fields]]:
        """The index and the fields of every item of a list of mappings."""
        for index, item in enumerate(self.items(name)):
            label = f"{self._named(name)}[{index}]"
            if isinstance(item, dict):
                yield index, Fields(item, self.place.child(name, index), self.rule, self.found, label)
            else:
                self.refuse(_must_be(label, "a mapping", item), name, index)

    def _is(self, value: Any, kind: type, expected: str, name: str) -> bool:
        if isinstance(value, kind):
            return True
        self.refuse(_must_be(self._named(name), expected, value), name)
        return False

    def _named(self, field: str) -> str:
        return f"{self.name}.{field}" if self.name else field


def _hint(word: str, known: list[str]) -> str:
    meant = nearest(word, known)
    return f'; did you mean "{meant}"?' if meant else f" (there are {', '.join(known)})"


def _must_be(name: str, expected: str, value: Any) -> str:
    message = f"{name} must be {expected}, not {_described(value)}"
    if expected == "text" and isinstance(value, (bool, int, float)):
        message += ": write it in quotes"
    return message


def _described(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else f'"{value}"'
