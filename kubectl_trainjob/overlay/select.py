"""Which objects a patch's `target` means.

Mirrors kustomize's api/types/selector.go (NewSelectorRegex), api/resmap/reswrangler.go (Select) and the label selectors
of k8s.io/apimachinery/pkg/labels (Parse): group, version, kind, name and namespace are regular expressions for the
whole text; name and namespace are those of today or those that the object had before any overlay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kubectl_trainjob.api.kinds import CLUSTER_SCOPED, group_of
from kubectl_trainjob.api.validation import label_value, qualified_name
from kubectl_trainjob.overlay.pattern import Pattern, PatternError, compile_pattern
from kubectl_trainjob.schemas.messages import quoted
from kubectl_trainjob.stages import ObjectId
from kubectl_trainjob.units import Selector

NO_NAMESPACE = "_non_namespaceable_"
"""What kustomize takes for the namespace of an object that has none by its kind."""

Texts = Mapping[str, str]
Requirement = Callable[[Texts], bool]

_TOKENS = re.compile(r"[^\s=!(),<>]+|==|!=|[=!(),<>]")
_OPERATORS = frozenset(("=", "==", "!=", "<", ">", "in", "notin"))
_SYMBOLS = frozenset("=!(),<>") | {"==", "!="}
_LARGEST = (1 << 63) - 1


class SelectorError(ValueError):
    """A `target` that says nothing; `field` is its key in the overlay, as "labelSelector"."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class Matcher(NamedTuple):
    """A compiled `target`; a field that is not stated is None."""

    group: Pattern | None
    version: Pattern | None
    kind: Pattern | None
    name: Pattern | None
    namespace: Pattern | None
    labels: tuple[Requirement, ...]
    annotations: tuple[Requirement, ...]

    def __call__(self, identities: Sequence[ObjectId], labels: Texts, annotations: Texts) -> bool:
        """Whether an object is meant; `identities` are what it is called and was called, the latest first."""
        now, first = identities[0], identities[-1]
        return (
            _fits(self.kind, now.kind)
            and _fits(self.group, group_of(now.api_version))
            and _fits(self.version, now.api_version.rpartition("/")[2])
            and _fits(self.name, now.name, first.name)
            and (self.namespace is None or _fits(self.namespace, effective_namespace(now), effective_namespace(first)))
            and all(requirement(labels) for requirement in self.labels)
            and all(requirement(annotations) for requirement in self.annotations)
        )


def compile_selector(selector: Selector) -> Matcher:
    """The question that a `target` puts to objects. Raises SelectorError."""
    return Matcher(
        _pattern(selector.group, "group"),
        _pattern(selector.version, "version"),
        _pattern(selector.kind, "kind"),
        _pattern(selector.name, "name"),
        _pattern(selector.namespace, "namespace"),
        _requirements(selector.label_selector, "labelSelector"),
        _requirements(selector.annotation_selector, "annotationSelector"),
    )


def effective_namespace(identity: ObjectId) -> str:
    """The namespace by which kustomize tells objects apart: "default" where none is stated."""
    return NO_NAMESPACE if identity.kind in CLUSTER_SCOPED else identity.namespace or "default"


def _fits(pattern: Pattern | None, *texts: str) -> bool:
    return pattern is None or any(pattern.matches(text) for text in texts)


def _pattern(text: str, field: str) -> Pattern | None:
    try:
        return compile_pattern(text) if text else None
    except PatternError as error:
        raise SelectorError(str(error), field) from None


def _requirements(text: str, field: str) -> tuple[Requirement, ...]:
    parser = _LabelParser(text)
    try:
        return tuple(parser.requirements())
    except ValueError as error:
        raise SelectorError(f"the selector {quoted(text)} {error}", field) from None


class _LabelParser:
    """Kubernetes' syntax of label selectors. Raises ValueError; its message goes on after 'the selector "…" '."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKENS.findall(text)
        self._at = 0

    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        while self._at < len(self._tokens):
            found.append(self._requirement())
            if self._at < len(self._tokens):
                self._expect(",")
                if self._at == len(self._tokens):
                    raise ValueError('ends in ","; remove it, or add a requirement')
        return found

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _expect(self, symbol: str) -> None:
        token = self._next()
        if token != symbol:
            raise ValueError(f'needs "{symbol}" {_before(token)}')

    def _word(self) -> str:
        token = self._next()
        if not token or token in _SYMBOLS:
            raise ValueError(f"needs a label {_before(token)}")
        return token

    def _requirement(self) -> Requirement:
        is_absent = self._peek() == "!"
        self._at += is_absent
        key = self._word()
        if fault := qualified_name(key):
            raise ValueError(f"has the key {quoted(key)}, which {fault}")
        if is_absent:
            return lambda labels: key not in labels
        if self._peek() in ("", ","):
            return lambda labels: key in labels
        operator = self._next()
        if operator not in _OPERATORS:
            raise ValueError(f'needs "=", "!=", "in" or "notin" {_before(operator)}')
        values = self._set() if operator in ("in", "notin") else [self._value(",")]
        return _comparison(key, operator, frozenset(values))

    def _set(self) -> list[str]:
        self._expect("(")
        values = [self._value(",", ")")]
        while self._peek() == ",":
            self._at += 1
            values.append(self._value(",", ")"))
        self._expect(")")
        return values

    def _value(self, *ends: str) -> str:
        """A value, "" where none stands before one of `ends`."""
        value = "" if self._peek() in ("", *ends) else self._word()
        if fault := label_value(value):
            raise ValueError(f"has the value {quoted(value)}, which {fault}")
        return value


def _before(token: str) -> str:
    return f"before {quoted(token)}" if token else "at its end"


def _comparison(key: str, operator: str, values: frozenset[str]) -> Requirement:
    if operator in ("in", "=", "=="):
        return lambda labels: key in labels and labels[key] in values
    if operator in ("notin", "!="):
        return lambda labels: key not in labels or labels[key] not in values
    (limit,) = values
    number, sign = _integer(limit), 1 if operator == ">" else -1
    if number is None:
        raise ValueError(f'compares by "{operator}" with {quoted(limit)}, which is no integer')
    return lambda labels: (value := _integer(labels.get(key))) is not None and sign * value > sign * number


def _integer(text: str | None) -> int | None:
    if not isinstance(text, str) or not re.fullmatch(r"[+-]?[0-9]{1,64}", text):
        return None
    number = int(text)
    return number if -_LARGEST - 1 <= number <= _LARGEST else None
