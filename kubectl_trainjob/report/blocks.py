"""What reports are made of: one model, which the renderers of text, Markdown and HTML write.

Texts in blocks keep the users' data apart from words (`Data`). A renderer makes data safe for its output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.report.grouped import GroupedFinding
from kubectl_trainjob.report.sentence import Sentence, joined

Weight = Literal["bad", "doubtful", "good"]
"""How a verdict is marked."""


class Badge(NamedTuple):
    """A verdict in a cell of a table."""

    weight: Weight
    words: str


class Headline(NamedTuple):
    """The verdict: what is `unknown`, the `first` statement, then others, of which some are bad.

    `sides` are the names of what is compared. With a `weight` the first statement is marked and stands alone.
    """

    first: Sentence
    sides: tuple[str, str] | None = None
    unknown: Sentence = ()
    bad: tuple[Sentence, ...] = ()
    others: tuple[Sentence, ...] = ()
    weight: Weight | None = None

    def in_line(self) -> Sentence:
        """`3 TrainJobs change; 2 updates are refused while running; +16 nvidia.com/gpu`."""
        return joined([*filter(None, (self.unknown, self.first, *self.bad, *self.others))], "; ")


class Statements(NamedTuple):
    """Sentences, each by itself."""

    sentences: Sequence[Sentence]


class Names(NamedTuple):
    """Names below a title; `lead` are the words before them, where the title does not say enough."""

    title: str
    names: Sequence[Sentence]
    lead: str = ""


class Errors(NamedTuple):
    """Errors of files that are not among the findings."""

    items: Sequence[Sentence]


class Column(NamedTuple):
    """A column of a table: the rows' names, words, numbers, or numbers that may need several lines."""

    name: Sentence
    kind: Literal["name", "words", "number", "wide"] = "number"


class Table(NamedTuple):
    """Rows with a cell for each column."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Sentence | Badge]]


class Number(NamedTuple):
    """How much of something both sides request; `difference` has a sign and is "" where nothing changes.

    `is_device` marks Pods and extended resources, which users look for first.
    """

    name: Sentence
    before: str
    after: str
    difference: str
    is_device: bool = False

    def in_line(self) -> str:
        """`8 → 16 (+8)`, or the number where it is the same."""
        return f"{self.before} → {self.after} ({self.difference})" if self.difference else self.after


class Numbers(NamedTuple):
    """The numbers of all TrainJobs, or the sentence that none changes, and the groups in which one does."""

    numbers: Sequence[Number]
    unchanged: Sentence
    groups: Table | None


class Effect(NamedTuple):
    """A cause and the names of the TrainJobs that it changes."""

    cause: Sentence
    jobs: int
    names: Sequence[Sentence]


class Effects(NamedTuple):
    """What causes the changes."""

    effects: Sequence[Effect]


class Value(NamedTuple):
    """A value that differs: plain data, or ABSENT. `place` are its lines.

    `rejected` says when a cluster rejects it: "" where the card's verdict says so, None where it does not.
    """

    path: str
    old: Any
    new: Any
    place: Sentence
    rejected: str | None = None


class Reason(NamedTuple):
    """Why a cluster rejects a change of what is at `path`."""

    path: str
    words: Sentence


class Card(NamedTuple):
    """An object that differs, or so many `objects` that differ in the same way, the `members`.

    `weight` is what a cluster says of the update, None where it says nothing; `effect` says it in words. The card of an
    update that running jobs meet is `urgent` where it is rejected.
    """

    name: Sentence
    change: str
    about: Sequence[Sentence] = ()
    renamed: Sentence = ()
    effect: Sentence = ()
    weight: Weight | None = None
    is_urgent: bool = False
    values: Sequence[Value] = ()
    reasons: Sequence[Reason] = ()
    notes: Sequence[Sentence] = ()
    members: Sequence[Sentence] = ()
    objects: int = 1


class Cards(NamedTuple):
    """The objects that differ, each card by itself."""

    cards: Sequence[Card]


class FindingTable(NamedTuple):
    """A row for each finding."""

    title: str
    findings: Sequence[GroupedFinding]


class FindingDetails(NamedTuple):
    """All about each finding; `more` counts findings that are not here."""

    title: str
    findings: Sequence[GroupedFinding]
    more: int = 0


class Unverified(NamedTuple):
    """What could not be checked: the causes."""

    causes: Sequence[Sentence]


Block = Statements | Names | Errors | Table | Numbers | Effects | Cards | FindingTable | FindingDetails | Unverified


class Document(NamedTuple):
    """A whole report; `command` prints more where a format omits something."""

    headline: Headline | None
    blocks: Sequence[Block]
    command: str = ""
