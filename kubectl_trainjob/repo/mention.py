"""Whether a file may hold an object of some name: told from its text, without parsing it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

# What can make up a name in a double-quoted text without showing it: characters by number, and joined lines.
_BY_NUMBER = re.compile(r"\\[xuU]")
_JOINED = re.compile("\\\\(?:\r\n|[\r\n\x85\u2028\u2029])[ \t]*")
_DOCUMENT = re.compile(r"^---", re.MULTILINE)


def holds_only(kind: str) -> Callable[[str], bool]:
    """A look at texts: true only where each document says in a line of its own that it is of the kind."""
    says_so = re.compile(rf"^kind:[ \t]*{re.escape(kind)}[ \t]*\r?$", re.MULTILINE)

    def is_all(text: str) -> bool:
        parts = _DOCUMENT.split(text)
        return len(says_so.findall(text)) >= sum(1 for part in parts if part.strip())

    return is_all


def mentions(names: Collection[str]) -> Callable[[str], bool]:
    """A look at texts: false only where no document can have a value that is one of the names, however it is written.

    Names are those of Kubernetes objects: letters, digits, dots and dashes.
    """
    stated = [(name, re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")) for name in names]

    def states_one(text: str) -> bool:
        # Patterns are slow where nothing is found, and most files have nothing.
        return any(name in text and pattern.search(text) for name, pattern in stated)

    def may_have(text: str) -> bool:
        if states_one(text):
            return True
        if "\\" not in text or '"' not in text:
            return False
        return bool(_BY_NUMBER.search(text)) or states_one(_JOINED.sub("", text))

    return may_have
