"""A rule's manual (after `cleandoc`) in pieces: prose, blocks of YAML below `Bad:` and the like, `See:`."""

from __future__ import annotations

import re
from textwrap import dedent

_SEE = re.compile(r"^See: (https://\S+)$", re.MULTILINE)
_VERSIONS = re.compile(r"^Versions: (\S+)\.$", re.MULTILINE)
_SENTENCE = re.compile(r"(.+?\.)(?:\s|$)", re.DOTALL)
_BLOCK = re.compile(r"^([A-Z][a-z]+:[^\n]*)\n((?:[ \t]+[^\n]*(?:\n|$)|\n)+)", re.MULTILINE)


def see(manual: str) -> str:
    """The address of what to read, "" where the manual names none."""
    found = _SEE.search(manual)
    return found[1] if found else ""


def versions(manual: str) -> str:
    """The versions of Trainer that the rule holds for, `2.0-2.3`; "" where the manual names none."""
    found = _VERSIONS.search(manual)
    return found[1] if found else ""


def block(manual: str, title: str) -> str:
    """The YAML below the title, "" where there is none."""
    blocks = (found[2] for found in _BLOCK.finditer(f"{manual}\n") if found[1].startswith(f"{title}:"))
    return next((dedent(each).strip("\n") + "\n" for each in blocks), "")


def first_sentence(manual: str) -> str:
    """What the rule is about, in one line."""
    found = _SENTENCE.match(manual)
    return " ".join((found[1] if found else manual).split())


def in_markdown(manual: str) -> str:
    """The manual with its blocks as fenced YAML."""
    return _BLOCK.sub(lambda found: _fenced(found[1], found[2]), f"{manual}\n").rstrip("\n")


def _fenced(title: str, block: str) -> str:
    return f"{title}\n\n```yaml\n{dedent(block).strip()}\n```\n\n"
