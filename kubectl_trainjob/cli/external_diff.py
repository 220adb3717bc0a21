"""`KUBECTL_EXTERNAL_DIFF`: another program shows the objects that differ, as in `kubectl diff`.

The program gets two flat directories with one YAML file per object. As in kubectl, the variable is split at blanks, and
arguments have letters, digits, "-" and "=" only. The content of Secrets is masked. The directories are removed when the
program ends, also after a signal.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from kubectl_trainjob.cli.streams import print_error
from kubectl_trainjob.kube.facts.masking import mask, without_secrets
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.repository.output.layout import layout
from kubectl_trainjob.repository.output.render import printer
from kubectl_trainjob.review.diff.changes import Change

VARIABLE = "KUBECTL_EXTERNAL_DIFF"
_ARGUMENT = re.compile(r"[A-Za-z0-9=-]+")


def command_of(environment: Mapping[str, str]) -> list[str]:
    """The program and its arguments; empty where the variable is not set."""
    program, *arguments = environment.get(VARIABLE, "").split() or [""]
    if not program:
        return []
    invalid = next((each for each in arguments if not _ARGUMENT.fullmatch(each)), None)
    if invalid is not None:
        raise EnvironmentFault(
            f'{VARIABLE}: the argument "{invalid}" may only have letters, digits, "-" and "="; call a script instead'
        )
    return [program, *arguments]


def show_with(command: list[str], changes: tuple[Change, ...]) -> None:
    """Run the program on the old and the new objects. Raises EnvironmentFault if it cannot be run."""
    with _ended_in_order(), _directory() as directory:
        sides = [os.path.join(directory, name) for name in ("old", "new")]
        old = [each.old if each.change != "added" else None for each in changes]
        new = [each.new if each.change != "removed" else None for each in changes]
        for side, bodies in zip(sides, (old, new), strict=True):
            os.mkdir(side)
            _write(side, changes, bodies)
        try:
            ended = subprocess.run([*command, *sides], check=False)
        except OSError as error:
            raise EnvironmentFault(f"{VARIABLE}: {command[0]} cannot be run: {error.strerror}") from None
    if ended.returncode not in (0, 1):
        print_error(f"note: {command[0]} ended with {ended.returncode}")


@contextmanager
def _directory() -> Iterator[str]:
    try:
        directory = tempfile.mkdtemp(prefix="kubectl-trainjob-diff-")
    except OSError as error:
        raise EnvironmentFault(f"{VARIABLE}: no directory for temporary files (TMPDIR): {error.strerror}") from None
    try:
        yield directory
    except OSError as error:
        raise EnvironmentFault(f"{VARIABLE}: {error.filename or directory}: {error.strerror}") from None
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Signals that end a process end the block first, and with it the program."""
    meant = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
    before = {number: signal.signal(number, _end) for number in meant}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _write(directory: str, changes: tuple[Change, ...], bodies: list[Body | None]) -> None:
    text = printer("yaml")
    for path, change, body in zip(_names(changes), changes, bodies, strict=True):
        if body is None:
            continue
        with open(os.path.join(directory, path), "wb") as target:
            target.write(text((mask if change.is_secret else without_secrets)(body)))


def _names(changes: tuple[Change, ...]) -> list[str]:
    """The file of each object: `NAMESPACE.KIND_NAME.yaml`, after a number if two overlays build the object."""
    names: dict[int, str] = {}
    for numbers in group((change.overlay, number) for number, change in enumerate(changes)).values():
        paths = layout(changes[number].identity for number in numbers)
        names.update(zip(numbers, (path.removeprefix("namespaces/").replace("/", ".") for path in paths), strict=True))
    uses = Counter(names.values())
    return [names[n] if uses[names[n]] == 1 else f"{n}.{names[n]}" for n in range(len(changes))]
