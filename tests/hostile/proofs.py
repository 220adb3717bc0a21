"""`python -m tests.hostile.proofs` writes proven.txt: the patterns that recheck (npm, 4.5.0) proves to be linear.

It needs node and npm, therefore CI only compares the list with the patterns. What is in the list is not proven again.
The proof is that of recheck's automaton, which reads JavaScript. A possessive or atomic part becomes a usual one, which
tries more. `$` becomes the end of a text.
Where a pattern has `\\b`, `\\w` is ASCII as in JavaScript: other letters behave as an ASCII letter.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.hostile.patterns import Found, in_source, sre_parse

LIST = Path(__file__).with_name("proven.txt")
_PACKAGE = "recheck@4.5.0"
_SECONDS = 20
_SCRIPT = f"""
const {{check}} = require('recheck');
const most = {{timeout: {_SECONDS}000, maxRepeatCount: 300, maxSimpleRepeatCount: 300, maxNFASize: 200000,
               maxPatternSize: 6000}};
(async () => {{
  for (const [source, flags] of JSON.parse(require('fs').readFileSync(0))) {{
    const found = await check(source, flags, most);
    console.log(`${{found.status}} ${{found.checker}}`);
  }}
}})();
"""
_LETTERS = r"\u00aa-\u167f\u1681-\u1fff\u3001-\ud7ff"  # no blank is between them
_OTHERS = r"\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\u00a9\u1680\u2000-\u3000\ud800-\uffff"
_PLACES = {"AT_BEGINNING": "^", "AT_END": "$", "AT_BOUNDARY": r"\b", "AT_NON_BOUNDARY": r"\B"}
_ENDS = {"AT_BEGINNING_STRING": ("^", r"(?<![\s\S])"), "AT_END_STRING": ("$", r"(?![\s\S])")}


def key(found: Found) -> str:
    """The line of a pattern in the list."""
    return f"{found.method} {found.pattern.flags} {found.pattern.pattern!r}"


def unproven(every: Iterable[tuple[str, Found]]) -> list[str]:
    """The places of the patterns that are not in the list."""
    proven = set(LIST.read_text().splitlines())
    return [place for place, each in every if key(each) not in proven]


def in_javascript(found: Found) -> tuple[str, str]:
    """The pattern and the flags."""
    pattern = found.pattern
    tree = sre_parse.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    text = _Translator(pattern).sequence(tree, pattern.flags)
    if not pattern.flags & re.MULTILINE:
        return {"match": f"^(?:{text})", "fullmatch": f"^(?:{text})$"}.get(found.method, text), ""
    end = r"(?![\s\S])" if found.method == "fullmatch" else ""
    return f"(?:{text}){end}", "m" if found.method == "search" else "my"


class _Translator:
    def __init__(self, pattern: re.Pattern[Any]) -> None:
        text = pattern.pattern if isinstance(pattern.pattern, str) else ""
        self._is_ascii = not text or bool(pattern.flags & re.ASCII) or "\\b" in text
        self._groups: dict[int, int] = {}

    def sequence(self, tree: Any, flags: int) -> str:
        return "".join(self._node(str(name), value, flags) for name, value in tree)

    def _node(self, name: str, value: Any, flags: int) -> str:
        match name:
            case "LITERAL" | "NOT_LITERAL" | "IN":
                text = self._class(name, value, flags)
            case "ANY":
                text = r"[\s\S]" if flags & re.DOTALL else r"[^\n\r\u2028\u2029]" if flags & re.MULTILINE else r"[^\n]"
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, part = value
                count = f"{{{least},{'' if most == sre_parse.MAXREPEAT else most}}}"
                text = f"(?:{self.sequence(part, flags)}){count}{'?' if name == 'MIN_REPEAT' else ''}"
            case "SUBPATTERN":
                group, added, removed, part = value
                if group:
                    self._groups[group] = len(self._groups) + 1
                text = f"({'' if group else '?:'}{self.sequence(part, (flags | added) & ~removed)})"
            case "ATOMIC_GROUP":
                text = f"(?:{self.sequence(value, flags)})"
            case "BRANCH":
                text = f"(?:{'|'.join(self.sequence(part, flags) for part in value[1])})"
            case "ASSERT" | "ASSERT_NOT":
                sign = ("<" if value[0] < 0 else "") + ("=" if name == "ASSERT" else "!")
                text = f"(?{sign}{self.sequence(value[1], flags)})"
            case "GROUPREF":
                text = f"(?:\\{self._groups[value]})"
            case _:
                assert name == "AT", name
                place = str(value)
                text = _PLACES[place] if place in _PLACES else _ENDS[place][bool(flags & re.MULTILINE)]
        return text

    def _class(self, name: str, value: Any, flags: int) -> str:
        members = value if name == "IN" else [(name.removeprefix("NOT_"), value)]
        negated = "^" if name == "NOT_LITERAL" or str(members[0][0]) == "NEGATE" else ""
        return f"[{negated}{''.join(self._member(str(kind), each, flags) for kind, each in members)}]"

    def _member(self, kind: str, value: Any, flags: int) -> str:
        if kind == "NEGATE":
            return ""
        if kind == "CATEGORY":
            name = str(value).removeprefix("CATEGORY_")
            if name.endswith("WORD") and not self._is_ascii:
                return rf"\w{_LETTERS}" if name == "WORD" else _OTHERS
            letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[name.removeprefix("NOT_")]
            return f"\\{letter.upper() if name.startswith('NOT_') else letter}"
        low, high = value if kind == "RANGE" else (value, value)
        parts = [(low, high)]
        if flags & re.IGNORECASE:
            of_letters = ((max(low, first), min(high, first + 25)) for first in (65, 97))
            parts += [(one ^ 32, two ^ 32) for one, two in of_letters if one <= two]
        return "".join(f"\\u{one:04x}-\\u{min(two, 0xFFFF):04x}" for one, two in parts if one <= 0xFFFF)


def _prove(found: list[Found]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, _PACKAGE], check=True)
        ended = subprocess.run(
            ["node", "-e", _SCRIPT],
            input=json.dumps([in_javascript(each) for each in found]),
            env={**os.environ, "NODE_PATH": f"{folder}/node_modules"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return [key(each) for each, line in zip(found, ended.stdout.splitlines(), strict=True) if line == "safe automaton"]


if __name__ == "__main__":
    every = in_source()
    new = {key(every[place]): every[place] for place in unproven(every.items())}
    kept = {key(each) for each in every.values()} - new.keys()
    LIST.write_text("".join(f"{line}\n" for line in sorted({*kept, *_prove([*new.values()])})))
