"""Which objects a patch's `target` selects.

Mirrors kustomize's api/types/selector.go (NewSelectorRegex), api/resmap/reswrangler.go (Select) and the label selectors
of k8s.io/apimachinery/pkg/labels (Parse): group, version, kind, name and namespace are regular expressions for the
whole text; name and namespace are those of today or those that the object had before any overlay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kubectl_trainjob.compiler.errors import MessageError
from kubectl_trainjob.compiler.overlay.pattern import Pattern, PatternError, compile_pattern
from kubectl_trainjob.compiler.overlay.steps import Steps, StepsError
from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED, group_of
from kubectl_trainjob.kube.facts.validation import label_value, qualified_name
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.model.units import Selector

NO_NAMESPACE = "_non_namespaceable_"
"""The namespace in kustomize of an object whose kind has none."""

Tags = Mapping[str, Any]
"""Labels or annotations; all values that are not strings are treated in the same way."""

Requirement = Callable[[Tags], bool]

_TOKENS = re.compile(r"[^\s=!(),<>]+|==|!=|[=!(),<>]")
_LABELS, _ANNOTATIONS = "labelSelector", "annotationSelector"
_OPERATORS = frozenset(("=", "==", "!=", "<", ">", "in", "notin"))
_SYMBOLS = frozenset("=!(),<>") | {"==", "!="}
_LARGEST = (1 << 63) - 1
_REQUIREMENTS = 8  # of a selector that are compared in one step


class SelectorError(MessageError):
    """An invalid `target`; `field` is its key in the overlay, as "labelSelector"."""

    def __init__(self, message: Message, field: str) -> None:
        super().__init__(message)
        self.field = field


class Matcher(NamedTuple):
    """A compiled `target`: the patterns of its fields, and what it requires of tags."""

    patterns: Mapping[str, Pattern]
    labels: tuple[Requirement, ...]
    annotations: tuple[Requirement, ...]
    steps: Steps

    def __call__(self, identities: Sequence[ObjectId], labels: Tags, annotations: Tags) -> bool:
        """Whether an object matches; `identities` are its names and former names, the latest first.

        Raises SelectorError for too many steps.
        """
        now, first = identities[0], identities[-1]
        texts = {
            "kind": (now.kind,),
            "group": (group_of(now.api_version),),
            "version": (now.api_version.rpartition("/")[2],),
            "name": (now.name, first.name),
            "namespace": (effective_namespace(now), effective_namespace(first)),
        }
        return (
            all(_fits(pattern, texts[field], field) for field, pattern in self.patterns.items())
            and self._meets(self.labels, labels, _LABELS)
            and self._meets(self.annotations, annotations, _ANNOTATIONS)
        )

    def _meets(self, requirements: tuple[Requirement, ...], tags: Tags, field: str) -> bool:
        try:
            self.steps.take(len(requirements) // _REQUIREMENTS)
        except StepsError as error:
            message = say("comparing tags with this selector {}; write a shorter one", error.message)
            raise SelectorError(message, field) from None
        return all(requirement(tags) for requirement in requirements)


def compile_selector(selector: Selector, steps: Steps) -> Matcher:
    """The matcher of a `target`. Raises SelectorError."""
    specified = specified_fields(selector)
    labels, annotations = (_requirements(specified.pop(field, ""), field) for field in (_LABELS, _ANNOTATIONS))
    patterns = {field: _pattern(text, field, steps) for field, text in specified.items()}
    return Matcher(patterns, labels, annotations, steps)


def specified_fields(selector: Selector) -> dict[str, str]:
    """The fields of a `target` that are not empty, by their keys in the overlay."""
    fields = {
        "kind": selector.kind,
        "group": selector.group,
        "version": selector.version,
        "name": selector.name,
        "namespace": selector.namespace,
        _LABELS: selector.label_selector,
        _ANNOTATIONS: selector.annotation_selector,
    }
    return {name: text for name, text in fields.items() if text}


def effective_namespace(identity: ObjectId) -> str:
    """The namespace by which kustomize identifies objects: "default" if there is none."""
    return NO_NAMESPACE if identity.kind in CLUSTER_SCOPED else identity.namespace or "default"


def _fits(pattern: Pattern, texts: Sequence[str], field: str) -> bool:
    try:
        return any(pattern.matches(text) for text in texts)
    except StepsError as error:
        raise SelectorError(_too_much(error), field) from None


def _pattern(text: str, field: str, steps: Steps) -> Pattern:
    try:
        return compile_pattern(text, steps)
    except PatternError as error:
        raise SelectorError(error.message, field) from None
    except StepsError as error:
        raise SelectorError(_too_much(error), field) from None


def _too_much(error: StepsError) -> Message:
    return say(
        "matching names with this pattern {}; write a simpler one, or build fewer overlays at a time", error.message
    )


def _requirements(text: str, field: str) -> tuple[Requirement, ...]:
    parser = _LabelParser(text)
    try:
        return tuple(parser.requirements())
    except _LabelError as error:
        raise SelectorError(say('the selector "{}" {}', text, error.message), field) from None


class _LabelError(MessageError):
    """A label selector that cannot be read; the message goes on after 'the selector "…" '."""


class _LabelParser:
    """Kubernetes' syntax of label selectors. Raises _LabelError."""

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
                    raise _LabelError(say('ends in ","; remove it, or add a requirement'))
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
            raise _LabelError(say('needs "{}" {}', symbol, _before(token)))

    def _word(self) -> str:
        token = self._next()
        if not token or token in _SYMBOLS:
            raise _LabelError(say("needs a label {}", _before(token)))
        return token

    def _requirement(self) -> Requirement:
        is_absent = self._peek() == "!"
        self._at += is_absent
        key = self._word()
        if error := qualified_name(key):
            raise _LabelError(say('has the key "{}", which {}', key, error))
        if is_absent:
            return lambda labels: key not in labels
        if self._peek() in ("", ","):
            return lambda labels: key in labels
        operator = self._next()
        if operator not in _OPERATORS:
            raise _LabelError(say('needs "=", "!=", "in" or "notin" {}', _before(operator)))
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
        """A value, "" if there is none before one of `ends`."""
        value = "" if self._peek() in ("", *ends) else self._word()
        if error := label_value(value):
            raise _LabelError(say('has the value "{}", which {}', value, error))
        return value


def _before(token: str) -> Message:
    return say('before "{}"', token) if token else say("at its end")


def _comparison(key: str, operator: str, values: frozenset[str]) -> Requirement:
    if operator in ("in", "=", "=="):
        return lambda labels: _is_among(labels.get(key), values)
    if operator in ("notin", "!="):
        return lambda labels: not _is_among(labels.get(key), values)
    (limit,) = values
    number, sign = _integer(limit), 1 if operator == ">" else -1
    if number is None:
        raise _LabelError(say('compares by "{}" with "{}", which is not an integer', operator, limit))
    return lambda labels: (value := _integer(labels.get(key))) is not None and sign * value > sign * number


def _is_among(value: Any, values: frozenset[str]) -> bool:
    return isinstance(value, str) and value in values


def _integer(text: Any) -> int | None:
    if not isinstance(text, str) or not re.fullmatch(r"[+-]?[0-9]{1,64}", text):
        return None
    number = int(text)
    return number if -_LARGEST - 1 <= number <= _LARGEST else None
