"""The paths that an overlay names: where they lead, and what is said of those that lead nowhere."""

from __future__ import annotations

import posixpath

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.source import Place, SourceFile
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.intake import Intake
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import UnsafePathError
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE

_REMOTE = ("://", "?ref=", "git@", "github.com/")
_MOST_HINTS = 50  # the nearest name is sought in a whole directory: enough for a person to read


class Paths:
    """Finds what the overlays of one build name; what cannot be had is noted among the intake's diagnostics."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._hints_left = _MOST_HINTS

    def text(self, root: Root, path: str, place: Place) -> SourceFile | None:
        """A file that the overlay names at `place`; None where it cannot be had, which is noted."""
        try:
            return self._intake.file(root, path, root.show(path))
        except (UnsafePathError, OSError) as error:
            self.missing(root, path, place, error)
            return None

    def inside(self, entry: str, root: Root, inside: str, place: Place) -> str | None:
        """A path as written, relative to the root; None where it leads out of it, which is noted."""
        if any(mark in entry for mark in _REMOTE):
            message = f'"{entry}" lies on another machine, and nothing is fetched; copy what you need'
        elif entry.startswith("/") or "\0" in entry or not entry:
            message = f'"{entry}" is no path relative to this overlay; write one such as ../../jobs'
        elif posixpath.basename(entry) == OVERLAY_FILE:
            message = (
                f'"{entry}" is an overlay, which is listed as a directory; write "{posixpath.dirname(entry) or "."}"'
            )
        else:
            path = posixpath.normpath(posixpath.join(inside, entry))
            if path != ".." and not path.startswith("../"):
                return "" if path == "." else path
            mark = f"{CONFIG_FILE} or .git marks it"
            message = f'"{entry}" leads out of the repository, whose root is "{root.shown}" ({mark}); move it inside'
        self._refuse(message, place)
        return None

    def missing(self, root: Root, path: str, place: Place, error: Exception) -> None:
        """Note why what the overlay names at `place` cannot be had."""
        shown = root.show(path)
        if isinstance(error, UnsafePathError):
            message = f'"{shown}" cannot be used: {error}; copy what it leads to'
        elif isinstance(error, FileNotFoundError):
            parent, _, name = path.rpartition("/")
            self._hints_left -= 1
            meant = nearest(name, _names(root, parent)) if self._hints_left >= 0 else None
            message = f'"{shown}" does not exist; ' + (f'did you mean "{meant}"?' if meant else "mend the path")
        else:
            message = f'"{shown}" cannot be read: {getattr(error, "strerror", None) or error}; check its permissions'
        self._refuse(message, place)

    def _refuse(self, message: str, place: Place) -> None:
        self._intake.diagnostics.append(Diagnostic(rules.UNKNOWN_RESOURCE, message, place))


def _names(root: Root, directory: str) -> list[str]:
    try:
        return [entry.name for entry in root.files.entries(directory)]
    except (UnsafePathError, OSError):
        return []
