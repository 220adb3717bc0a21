"""The model of a report, which the renderers of text, Markdown and HTML write.

Texts in blocks keep the users' data apart from words (`Data`). A renderer makes data safe for its output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.explain.columns import LineNote, abbreviated, beside
from kubectl_trainjob.model.message import Message, joined
from kubectl_trainjob.model.printable import columns, printable
from kubectl_trainjob.report.findings import GroupedFinding

_WIDTH = 140  # columns of a screen, for YAML with notes

Weight = Literal["bad", "doubtful", "good"]
"""How a verdict is marked."""


class Badge(NamedTuple):
    """A verdict in a cell of a table."""

    weight: Weight
    words: Message


class SummaryLine(NamedTuple):
    """The verdict: what is `unknown`, the `first` statement, then others, of which some are bad.

    `compared` are the names of what is compared. With a `weight` the first statement is marked and has a separate line.
    """

    first: Message
    compared: tuple[str, str] | None = None
    unknown: Message = Message()
    bad: tuple[Message, ...] = ()
    others: tuple[Message, ...] = ()
    weight: Weight | None = None

    def in_line(self) -> Message:
        """`3 TrainJobs change; 2 updates are rejected while running; +16 nvidia.com/gpu`."""
        return joined([*filter(None, (self.unknown, self.first, *self.bad, *self.others))], "; ")


class Statements(NamedTuple):
    """Sentences, each by itself."""

    sentences: Sequence[Message]


class Names(NamedTuple):
    """Names below a title; `lead` are the words before them, where the title does not say enough."""

    title: str
    names: Sequence[Message]
    lead: Message = Message()


class Errors(NamedTuple):
    """Errors of files that are not among the findings."""

    items: Sequence[Message]


class Column(NamedTuple):
    """A column of a table: the rows' names, words, numbers, or numbers that may need several lines."""

    name: Message
    kind: Literal["name", "words", "number", "wide"] = "number"


class Table(NamedTuple):
    """Rows with a cell for each column."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Message | Badge]]


class Figure(NamedTuple):
    """How much of something base and head request; `difference` has a sign and is "" where nothing changes.

    `is_device` marks Pods and extended resources, which users look for first.
    """

    name: Message
    before: str
    after: str
    difference: str
    is_device: bool = False

    def in_line(self) -> str:
        """`8 → 16 (+8)`, or the number where it is the same."""
        return f"{self.before} → {self.after} ({self.difference})" if self.difference else self.after


class Numbers(NamedTuple):
    """The numbers of all TrainJobs, or the sentence that none changes, and the groups in which one does."""

    numbers: Sequence[Figure]
    unchanged: Message
    groups: Table | None


class Effect(NamedTuple):
    """A cause and the names of the TrainJobs that it changes."""

    cause: Message
    jobs: int
    names: Sequence[Message]


class Effects(NamedTuple):
    """What causes the changes."""

    effects: Sequence[Effect]


class DifferingValue(NamedTuple):
    """A value that differs: plain data, or ABSENT. `place` are its lines. `rejected` says when a cluster rejects it: ""
    if this is in the card's effect, None if it is accepted.
    """

    path: str
    old: Any
    new: Any
    place: Message
    rejected: Message | None = None


class Rejection(NamedTuple):
    """Why a cluster rejects a change of what is at `path`."""

    path: str
    words: Message


class Card(NamedTuple):
    """One object that differs, or several (`objects`, by name in `members`) that differ in the same way.

    `weight` is the result of the update in a cluster, None if unknown; `effect` is its text. A card is `urgent` if the
    update of a running job is rejected.
    """

    name: Message
    change: str
    about: Sequence[Message] = ()
    renamed: Message = Message()
    effect: Message = Message()
    weight: Weight | None = None
    is_urgent: bool = False
    values: Sequence[DifferingValue] = ()
    reasons: Sequence[Rejection] = ()
    notes: Sequence[Message] = ()
    members: Sequence[Message] = ()
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


Findings = FindingTable | FindingDetails


class NotChecked(NamedTuple):
    """What could not be checked: the causes."""

    causes: Sequence[Message]


class Heading(NamedTuple):
    """A highlighted title, and the `rest` of its line; a part begins at level 0."""

    title: Message
    rest: Message = Message()
    level: int = 0
    style: Literal["bold", "warning"] = "bold"


class NamedValue(NamedTuple):
    """A name, a value of one or more lines, and its origin."""

    name: str
    value: str
    note: Message = Message()


class NamedValues(NamedTuple):
    """Values below a heading, in columns."""

    entries: Sequence[NamedValue]
    level: int = 0


class Outline(NamedTuple):
    """Lines, each with the number of blanks that indent it."""

    lines: Sequence[tuple[int, Message]]


class AnnotatedYaml(NamedTuple):
    """Lines of YAML, each with a note or None."""

    title: Message
    lines: Sequence[str]
    notes: Sequence[LineNote | None]

    def shown(self) -> list[str]:
        """The lines with the notes beside them, safe to print."""
        lines = zip(map(printable, self.lines), map(printable, abbreviated(self.notes)), strict=True)
        return beside(list(lines), _WIDTH, columns)


TraceBlock = Heading | NamedValues | Outline | AnnotatedYaml
Block = Statements | Names | Errors | Table | Numbers | Effects | Cards | Findings | NotChecked | TraceBlock


class Document(NamedTuple):
    """A whole report; `command` prints more where a format omits something."""

    summary_line: SummaryLine | None
    blocks: Sequence[Block]
    command: str = ""
