"""Whether a file may have an object of some name, without parsing its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

# Double-quoted text can hide a name: characters by number, and joined lines.
_BY_NUMBER = re.compile(r"\\[xuU]")
_JOINED = re.compile("\\\\(?:\r\n|[\r\n\x85\u2028\u2029])[ \t]*")
_DOCUMENT = re.compile(r"^---[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_ROOT_KEY = re.compile(r"(?:apiVersion|kind|metadata|spec|status):(?:[ \t].*)?\r?")
_DASH = re.compile(r"^-", re.MULTILINE)
_BEGINS_AT_ONCE = re.compile(r"^[^\s#-].*", re.MULTILINE)


def holds_only(*kinds: str) -> Callable[[str], bool]:
    """A function of texts: true only if every document has one of the kinds, in the usual layout.

    That is a mapping in block style with a kind. Its lines without indent are the usual keys of an object.
    """

    def is_of_kind(document: str) -> bool:
        lines = [line.rstrip() for line in _BEGINS_AT_ONCE.findall(document)]
        specified = [line[5:].strip() for line in lines if line.startswith("kind:")]
        return all(map(_ROOT_KEY.fullmatch, lines)) and len(specified) == 1 and specified[0] in kinds

    def is_all(text: str) -> bool:
        # Items of a list, and a mark with content after it, begin with a dash.
        documents = [part for part in _DOCUMENT.split(text) if part.strip()]
        return not any(_DASH.search(part) for part in documents) and all(map(is_of_kind, documents))

    return is_all


def mentions(names: Collection[str]) -> Callable[[str], bool]:
    """A function of texts: false only where no document can have a value that is one of the names, in any style.

    Names are those of Kubernetes objects: letters, digits, dots and dashes.
    """
    specified = [(name, re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")) for name in names]

    def states_one(text: str) -> bool:
        # Patterns are slow if they do not match, and most files have no match.
        return any(name in text and pattern.search(text) for name, pattern in specified)

    def may_have(text: str) -> bool:
        if states_one(text):
            return True
        if "\\" not in text or '"' not in text:
            return False
        return bool(_BY_NUMBER.search(text)) or states_one(_JOINED.sub("", text))

    return may_have
