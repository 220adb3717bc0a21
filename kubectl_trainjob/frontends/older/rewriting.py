"""One object while rules rewrite it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from kubectl_trainjob.model.draft import Draft, computed
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.source import Place, Pointer, has
from kubectl_trainjob.model.stages import Manifest

OBJECT = "object"


class RuleClass(StrEnum):
    """What a user does after a rule."""

    AUTO = "auto"  # nothing
    ASK = "ask"  # checks the result, or decides
    ERROR = "error"  # corrects the file


class RuleNote(NamedTuple):
    """What a user has to check at a line of the object as written, or only to know."""

    rule: str
    message: Message
    place: Place
    is_difference: bool = False


class RuntimeFacts(NamedTuple):
    """What the rules of TrainJobs need to know of a runtime: its processes as written, and whether it has GPUs.

    `steps` are the initializers that it has, None if the runtime is not known.
    """

    processes: int | None = None
    has_gpu: bool = False
    steps: tuple[str, ...] | None = None


class Rewriting:
    """The object so far, and what was found. `is_old` says whether its apiVersion is one before v1alpha1.

    `runtime` has the facts of a TrainJob's runtime, `kinds` the kinds of known runtimes by name. `is_used` says whether
    a known TrainJob refers to a runtime.
    """

    def __init__(self, manifest: Manifest, runtime: RuntimeFacts, kinds: Mapping[str, str], *, is_old: bool) -> None:
        self.manifest = manifest
        self.draft = Draft(None, {OBJECT: manifest.source}).put((), manifest.body, copied=(OBJECT,))
        self.runtime = runtime
        self.kinds = kinds
        self.is_old = is_old
        self.is_used = True
        self.rule = ""
        self.applied: list[str] = []
        self.notes: list[RuleNote] = []

    def get(self, *pointer: str | int) -> Any:
        """The value at a pointer, None for none."""
        return self.draft.get(*pointer)

    def has(self, *pointer: str | int) -> bool:
        """Whether there is a value, possibly null."""
        return has(self.draft.value, pointer)

    def put(self, pointer: Pointer, value: Any, because: Pointer = ()) -> None:
        """Write a value; `because` is the value of the object as written that decides."""
        self.draft = self.draft.step(self.rule).put(pointer, value, because=((OBJECT, *because),))

    def put_each(self, writes: Iterable[tuple[Pointer, Any, Pointer]]) -> None:
        """Several writes, each with its pointer, value and reason."""
        found = [computed(pointer, value, ((OBJECT, *because),)) for pointer, value, because in writes]
        self.draft = self.draft.step(self.rule).put_each(found)

    def drop(self, *pointer: str | int) -> None:
        """Remove an entry."""
        self.draft = self.draft.step(self.rule).drop(pointer)

    def move(self, old: Pointer, new: Pointer) -> None:
        """Move a value with its lines."""
        entry = self.draft.entry(*old)
        self.draft = self.draft.step(self.rule).drop(old).graft(new, entry)

    def rename(self, parent: Pointer, old: str, new: str) -> None:
        """Give a field another name, unless it already exists."""
        if self.has(*parent, old) and not self.has(*parent, new):
            self.move((*parent, old), (*parent, new))

    def ask(self, message: Message, *pointer: str | int, is_difference: bool = False) -> None:
        """Report something to check, or a difference; a value that was moved is reported at its line."""
        found = self.draft.place(pointer) if self.has(*pointer) else None
        place = found or self.manifest.place(*pointer)
        self.notes.append(RuleNote(self.rule, message, place.key(), is_difference))

    def replicated_jobs(self) -> list[Any]:
        """The replicatedJobs of a runtime that are mappings."""
        jobs = self.get("spec", "template", "spec", "replicatedJobs")
        return [each for each in jobs if isinstance(each, dict)] if isinstance(jobs, list) else []


JOBS: Pointer = ("spec", "template", "spec", "replicatedJobs")
POD: Pointer = ("template", "spec", "template", "spec")
