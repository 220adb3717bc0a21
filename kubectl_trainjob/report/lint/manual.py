"""The manual of a rule: its page below `lint/manual`, and the pieces of a page.

A page has a heading, a line of facts, text, and sections of YAML: `## Bad`, `## Good` and what these need. The facts
are severity, category, and the versions of Trainer that the rule is for. `See: ADDRESS` may be its last line.
"""

from __future__ import annotations

import pkgutil
import re

_SEE = re.compile(r"^See: (https://\S+)$", re.MULTILINE)
_VERSIONS = re.compile(r"\A.*\n\n.*, Trainer ([\d.-]+),")
_SENTENCE = re.compile(r"(.+?\.)(?:\s|$)", re.DOTALL)


def page(rule_id: str) -> str:
    """The page of a rule in Markdown, "" where there is none."""
    try:
        return (pkgutil.get_data("kubectl_trainjob.lint", f"manual/{rule_id}.md") or b"").decode()
    except FileNotFoundError:
        return ""


def body(page: str) -> str:
    """The page without its heading and its line of facts."""
    return "".join(page.split("\n\n", 2)[2:]).rstrip("\n")


def see(page: str) -> str:
    """The address of further documentation, "" where the page has none."""
    found = _SEE.search(page)
    return found[1] if found else ""


def versions(page: str) -> str:
    """The versions of Trainer that the rule is for, `2.0-2.3`; "" where the page has none."""
    found = _VERSIONS.match(page)
    return found[1] if found else ""


def section(page: str, title: str) -> str:
    """The YAML of a section, "" where there is none; `## Bad (Trainer 2.1)` is the section `Bad`."""
    found = re.search(rf"^## {title}\b[^\n]*\n\n```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def summary(page: str) -> str:
    """The first sentence, in one line."""
    found = _SENTENCE.match(body(page))
    return " ".join(found[1].split()) if found else ""
