"""`build --for argocd`: what the plugin of Argo CD runs, in the directory of an Application.

The contract of the plugin: argo-cd docs/operator-manual/config-management-plugins.md, cmpserver/plugin/plugin.go.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kubectl_trainjob import __version__
from kubectl_trainjob.cli.session import Session, open_session
from kubectl_trainjob.cli.streams import print_error
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.message import truncate
from kubectl_trainjob.repository.files.filesystem import Disk
from kubectl_trainjob.repository.files.find_root import find_root, is_below, upward

if TYPE_CHECKING:
    from kubectl_trainjob.compiler.compilation import Findings
    from kubectl_trainjob.compiler.printing import AnyObject

_PARAMETER = "overlay"
_ENV = "ARGOCD_ENV_"  # what an Application sets in plugin.env
_SETTINGS = ("OVERLAY", "TRAINJOB_VERSION", "TRAINJOB_TIMEOUT")
_SECONDS = 50  # Argo CD kills a plugin without a warning after 60 s, its default
_MOST_ERRORS = 20  # lines, which the page of an Application shows


class PluginCall(NamedTuple):
    """Where to build: the root of the repository and the directory below it; `seconds` is the longest time."""

    root: str
    path: str
    seconds: float


def plugin_call(environ: Mapping[str, str], current: str, below: str = "") -> PluginCall:
    """The call in `current`, the directory of the Application, for a directory `below` it.

    Raises EnvironmentFault for parameters that are not valid.
    """
    settings = {name[len(_ENV) :]: value for name, value in environ.items() if name.startswith(_ENV)}
    if unknown := sorted(settings.keys() - set(_SETTINGS)):
        name = truncate(unknown[0])
        raise EnvironmentFault(f"plugin.env has the unknown variable {name}; use one of {', '.join(_SETTINGS)}")
    version = settings.get("TRAINJOB_VERSION") or environ.get("TRAINJOB_VERSION") or __version__
    if version.removeprefix("v") != __version__:
        found = truncate(version)
        raise EnvironmentFault(
            f"TRAINJOB_VERSION is {found}, but the plugin is kubectl-trainjob {__version__}; make them equal"
        )
    overlay = _overlay(environ.get("ARGOCD_APP_PARAMETERS", "")) or settings.get("OVERLAY", "")
    root = _root(current, environ.get("ARGOCD_APP_SOURCE_PATH", ""))
    folder = os.path.normpath(os.path.join(current, below))
    path = os.path.relpath(_below(folder, overlay, root) if overlay else folder, root)
    return PluginCall(root, path, _seconds(settings.get("TRAINJOB_TIMEOUT") or environ.get("TRAINJOB_TIMEOUT", "")))


def _overlay(text: str) -> str:
    """The parameter of the Application; "" without one."""
    try:
        given = json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        given = text
    entries = [] if given is None else given
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise EnvironmentFault(
            'ARGOCD_APP_PARAMETERS is not a JSON list of parameters; write [{"name": "overlay", "string": "prod"}]'
        )
    names = [each.get("name") for each in entries]
    if unknown := [name for name in names if name != _PARAMETER]:
        raise EnvironmentFault(f"unknown parameter {_quote(unknown[0])}; use {_PARAMETER}")
    if len(entries) > 1:
        raise EnvironmentFault(f"the parameter {_PARAMETER} is duplicate; remove one")
    return _text(entries[0]) if entries else ""


def _text(parameter: Mapping[str, Any]) -> str:
    value = parameter.get("string")
    if not isinstance(value, str) or any(parameter.get(each) is not None for each in ("array", "map")):
        raise EnvironmentFault(f"the parameter {_PARAMETER} must be a string, the directory of an overlay")
    return value


def _quote(value: Any) -> str:
    return truncate(json.dumps(value))


def _below(folder: str, overlay: str, root: str) -> str:
    """The directory of an overlay.

    Raises EnvironmentFault for a path that is not below `folder`, or that a link leads out of the repository.
    """
    if os.path.isabs(overlay) or ".." in overlay.replace("\\", "/").split("/") or not overlay.isprintable():
        raise EnvironmentFault(
            f"the overlay {_quote(overlay)} is not a path below the Application; write one such as prod"
        )
    found = os.path.join(folder, os.path.normpath(overlay))
    if not os.path.isdir(found) or not is_below(os.path.realpath(root), os.path.realpath(found)):
        raise EnvironmentFault(
            f"the overlay {_quote(overlay)} does not exist below the path of the Application; correct the name"
        )
    return found


def _root(folder: str, source_path: str) -> str:
    """The top of the copy of the repository: by Argo CD's path, else by the marks of a repository."""
    steps = [step for step in source_path.split("/") if step not in ("", ".")]
    parts = folder.split(os.sep)
    if source_path and parts[len(parts) - len(steps) :] == steps:
        return os.sep.join(parts[: len(parts) - len(steps)])
    tops = (each for each in upward(folder) if os.path.lexists(os.path.join(each, ".git")))
    return next(tops, find_root(folder))


def _seconds(text: str) -> float:
    number = text.removesuffix("s")
    if not number:
        return _SECONDS
    if not number.isdecimal() or not 0 < int(number[:6]) < 86_400:
        raise EnvironmentFault(f"TRAINJOB_TIMEOUT must be a number of seconds such as 80, not {_quote(text)}")
    return int(number)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise EnvironmentFault in the block after a time: later, Argo CD would end the program without a reason."""

    def stop(_signal: int, _frame: object) -> None:
        raise EnvironmentFault(
            f"the build takes longer than {seconds:g} s; build smaller overlays, or raise TRAINJOB_TIMEOUT and "
            "server.repo.server.timeout.seconds of Argo CD"
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def plugin_session(call: PluginCall) -> Iterator[Session]:
    """The session of a build for Argo CD: a repository cannot raise its limits, and one process does the work."""
    from kubectl_trainjob.compiler.executor import IN_PROCESS

    with deadline(call.seconds), open_session(call.root) as session:
        files = Disk(session.workspace.files.current, call.root)
        workspace = replace(session.workspace, files=files, raises_limits=False)
        yield Session(workspace, IN_PROCESS)


def objects_for_argocd(objects: Sequence[AnyObject]) -> list[AnyObject]:
    """The objects as Argo CD needs them; a note says what was omitted."""
    from kubectl_trainjob.integrations.argocd_objects import for_argocd, has_ttl
    from kubectl_trainjob.model.stages import Object

    found = [each for each in objects if isinstance(each, Object)]
    assert len(found) == len(objects), "only worker processes write text"
    if named := [str(each.id) for each in found if has_ttl(each.body)]:
        print_error(
            f"note: ttlSecondsAfterFinished of {len(named)} runs is omitted ({named[0]}): Argo CD would create a run "
            "again after its TTL"
        )
    return [replace(each, body=for_argocd(each.body)) for each in found]


def print_one_line_each(findings: Findings) -> None:
    """Write findings to stderr, a line each and errors first: Argo CD shows the text in one paragraph."""
    from kubectl_trainjob.model.rules import Severity
    from kubectl_trainjob.repository.positions import Locator

    resolve, lines = Locator().resolve, []
    for each in findings:
        at = resolve(each.place)
        where = at.file.path, at.span.line, at.span.column
        lines.append(
            (
                each.severity is not Severity.ERROR,
                *where,
                f"{each.severity} {each.rule.id} {each.rule.name}: {each.message}",
            )
        )
    lines.sort()
    for _, path, line, column, text in lines[:_MOST_ERRORS]:
        print_error(f"{path}:{line}:{column}: {text}")
    if len(lines) > _MOST_ERRORS:
        print_error(f"{len(lines) - _MOST_ERRORS} more; run kubectl trainjob build")
