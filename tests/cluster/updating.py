"""Creates an object by a server-side apply, and asks with a dry run what the server says to another version of it.

The dry run goes through all of admission and writes nothing. Nothing else changes the objects meanwhile: where the
controllers of Jobs do not run, no Pod is made and no Job becomes active.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from kubectl_trainjob.kube.updates.result import STATES, State, UpdateResult
from tests.cluster.applying import MANAGER
from tests.cluster.ownership import Object
from tests.cluster.plane.client import APPLY, ApiError, Client

SUSPENDS: Mapping[State, tuple[bool, bool]] = {
    "running": (False, False),
    "suspended": (True, True),
    "suspending": (False, True),
    "resuming": (True, False),
}
"""`spec.suspend` before and after the update."""

# Trainer's webhook looks runtimes up in a cache, which is behind.
_NOT_YET = "must be created before"
_NULL = 'must be of type object: "null"'
_FIELD = re.compile(r"(?:is invalid|denied the request): (?:\S+ \"\S+\" is invalid: )?\[?(spec[\w.\[\]]*): ")


def answer(client: Client, old: Object, new: Object, state: State) -> str:
    """What the server says to the update of an object that is created for it; empty where it accepts it."""
    create(client, old, state)
    return update(client, new, state)


def create(client: Client, old: Object, state: State) -> None:
    """Apply the old version, really."""
    _retried(client, lambda: client.apply(_suspending(old, SUSPENDS[state][0]), MANAGER))


def update(client: Client, new: Object, state: State) -> str:
    """What the server says to the new version; empty where it accepts it."""
    return dry_run(client, _suspending(new, SUSPENDS[state][1]))


def dry_run(client: Client, one: Object) -> str:
    """What the server says when an object is applied; empty where it accepts it. Nothing is written."""
    query = f"?fieldManager={MANAGER}&fieldValidation=Strict&dryRun=All"
    try:
        _retried(client, lambda: client.request("PATCH", client.path(one) + query, one, APPLY))
    except ApiError as error:
        return str(error)
    return ""


def field_of(message: str) -> str:
    """The field that a rejection names first, "" where it names none."""
    found = _FIELD.search(message)
    return found[1] if found else ""


def disagreements(answers: Mapping[State, str], verdict: UpdateResult) -> list[str]:
    """Where the server and our verdict differ: in accepting, or in the field. The server may name fewer fields."""
    found = []
    for state in STATES:
        ours = fields_of(verdict, state)
        said = answers[state]
        is_named = field_of(said) in ours or _NULL in said  # over null the server stumbles before it compares
        if bool(said) != bool(ours) or (ours and not is_named):
            shown = said if len(said) < 500 else f"{said[:250]} … {said[-250:]}"
            found.append(f"{state}: the server says {shown!r}, we refuse {ours}")
    return found


def fields_of(verdict: UpdateResult, state: State) -> list[str]:
    """The fields that a verdict rejects in a state, each once."""
    reasons = (rejection.reason for rejection in verdict.rejections if rejection.state == state)
    return list(dict.fromkeys(reason.partition(": ")[0] for reason in reasons))


def in_namespace(objects: Iterable[Object], namespace: str) -> list[Object]:
    """The objects with a namespace of their own."""
    return [{**one, "metadata": {**one["metadata"], "namespace": namespace}} for one in objects]


def apply_all(client: Client, objects: Sequence[Object]) -> None:
    """Apply what an update needs besides, for example runtimes."""
    for one in objects:
        client.apply(one, MANAGER)


def replace_all(client: Client, objects: Sequence[Object]) -> None:
    """The same where another version is there, which may not let itself be updated."""
    for one in objects:
        if dry_run(client, one):
            client.request("DELETE", client.path(one))
    apply_all(client, objects)


def _suspending(one: Object, suspend: bool) -> Object:
    """Runtimes know no suspension."""
    if one["kind"] not in ("TrainJob", "JobSet"):
        return one
    return {**one, "spec": {**one["spec"], "suspend": suspend}}


def _retried(client: Client, ask: Callable[[], object]) -> None:
    def attempt() -> bool:
        try:
            ask()
        except ApiError as error:
            if _NOT_YET in str(error):
                return False
            rejected.append(error)
        return True

    rejected: list[ApiError] = []
    client.wait("Trainer's sight of a runtime", attempt)
    if rejected:
        raise rejected[0]
