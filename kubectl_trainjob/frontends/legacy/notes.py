"""What a migration reports of one job: with places inside the job."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.rules import MIGRATION_DIFFERENCE, MIGRATION_REVIEW, Rule
from kubectl_trainjob.model.source import Pointer
from kubectl_trainjob.model.stages import Manifest


class MigrationNote(NamedTuple):
    """A finding about the value at `pointer`."""

    rule: Rule
    message: Message
    pointer: Pointer

    def at(self, manifest: Manifest) -> Diagnostic:
        """The finding at its line."""
        return Diagnostic(self.rule, self.message, manifest.place(*self.pointer))


def ask(message: Message, *pointer: str | int) -> MigrationNote:
    """A task for a user: to check or to write something."""
    return MigrationNote(MIGRATION_REVIEW, message, pointer)


def note(message: Message, *pointer: str | int) -> MigrationNote:
    """A difference that a user should know."""
    return MigrationNote(MIGRATION_DIFFERENCE, message, pointer)
