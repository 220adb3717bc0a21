"""Problems that schemas, webhooks and checks of Pods find inside one object, before its file is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from kubectl_trainjob.model.diagnostic import Diagnostic, Fix, RelatedPlace, Subject
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import MISSING_FIELD, Rule
from kubectl_trainjob.model.source import Place, Pointer


@dataclass(frozen=True, slots=True)
class Problem:
    """One error; `pointer` is the field that Kubernetes names, `related` holds (message, pointer) pairs.

    `shown` is the field that reports point at, if that is another one: Kubernetes names a whole mapping or list instead
    of one entry, or a field that does not exist. `fix` makes a safe fix from the place of the problem. `meant` is the
    field that the user probably meant by an unknown one.
    """

    rule: Rule
    pointer: Pointer
    message: Message
    on: Literal["key", "value"] = "value"
    related: tuple[tuple[Message, Pointer], ...] = ()
    fix: Callable[[Place], Fix] | None = None
    shown: Pointer = ()
    meant: Pointer = ()

    def located(
        self, find: Callable[[Pointer], Place], subject: Subject | None = None, consequence: Message | None = None
    ) -> Diagnostic:
        """The problem at the place that `find` returns for a pointer; the message begins with the consequence."""
        place = find(self.shown or self.pointer)
        place = place.key() if self.on == "key" else place
        related = tuple(RelatedPlace(message, find(pointer)) for message, pointer in self.related)
        message = say("{}: {}", consequence, self.message) if consequence else self.message
        return Diagnostic(self.rule, message, place, related, subject, self.fix(place) if self.fix else None)


def without_consequences(problems: Iterable[Problem]) -> list[Problem]:
    """The problems without missing fields that the user wrote, but in other letters or at another place.

    Without those below such a field, too.
    """
    every = list(problems)
    meant = {each.meant for each in every if each.meant}
    return [each for each in every if each.rule is not MISSING_FIELD or meant.isdisjoint(_prefixes(each.pointer))]


def _prefixes(pointer: Pointer) -> Iterator[Pointer]:
    return (pointer[:length] for length in range(1, len(pointer) + 1))
