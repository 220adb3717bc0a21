"""Which templates the overlays of a repository list: a directory read leaves these to them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.files.repository import Root
from kubectl_trainjob.repository.files.root import TooLargeError, UnsafePathError
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE, overlays
from kubectl_trainjob.repository.yaml.read import read_stream

_LARGEST = 1 << 20  # bytes of an overlay.yaml that is only asked which templates it lists


class Listings:
    """Looks through the overlays of each root once, when the first template is met."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._listed: dict[Root, frozenset[str]] = {}

    def has(self, root: Root, template: str) -> bool:
        """Whether some overlay of the repository lists a template."""
        if root not in self._listed:
            self._listed[root] = frozenset(self._entries(root))
        return template in self._listed[root]

    def _entries(self, root: Root) -> Iterator[str]:
        for inside in overlays(root.files, root.ignored):
            try:
                text = root.files.read(posixpath.join(inside, OVERLAY_FILE), _LARGEST).decode()
            except (UnsafePathError, TooLargeError, OSError, ValueError):
                continue  # it is reported when it is built
            for body, _ in read_stream(SourceFile("", text), self._limits).objects:
                entries = body.get("resources")
                for entry in entries if isinstance(entries, list) else ():
                    yield posixpath.normpath(posixpath.join(inside, str(entry)))
