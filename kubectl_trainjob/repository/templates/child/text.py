"""Values to text: what `{{ … }}` prints, and what the filters `to_json`, `to_yaml` and `quote` give.

Only plain data has a text. Anything else (a macro, a loop) would show where it lies in memory.
"""

from __future__ import annotations

import re
from typing import Any

from kubectl_trainjob.repository.templates.child.marks import unmarked
from kubectl_trainjob.repository.templates.child.problem import ProblemError
from kubectl_trainjob.repository.yaml.emit import Emitter, atom
from kubectl_trainjob.repository.yaml.quoting import UNSEEN, scalar

_ESCAPED = re.compile(rf'["\\\t\n{UNSEEN}]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NAMES = {"Macro": "a macro", "LoopContext": "the loop", "Namespace": "a namespace", "function": "a function"}
_NO_ELSE = "Undefined"  # the class of what an `if` without `else` gives
UNDEFINED = "Missing"  # the class of every other undefined value, whose text is its error


def show(value: Any) -> str:
    """What a template prints: text as it is, anything else as JSON (`true`, `null`, `["a"]`), which is YAML, too.

    An `if` without `else` that is not taken prints nothing, as everywhere in Jinja2.
    """
    if type(value) is str:
        return value
    return "" if type(value).__name__ == _NO_ELSE else to_json(value)


def to_json(value: Any) -> str:
    """A value as JSON on one line, which is YAML, too: a string is always quoted and cannot end early.

    Raises ProblemError for what is not plain data, and for numbers and texts that JSON or UTF-8 cannot hold.
    """
    kind = type(value)
    if kind is str:
        return '"' + _ESCAPED.sub(_escape, unmarked(value)) + '"'
    if kind is dict:
        return "{" + ", ".join([f"{to_json(_key(key))}: {to_json(item)}" for key, item in value.items()]) + "}"
    if kind is list or kind is tuple:
        return "[" + ", ".join(map(to_json, value)) + "]"
    return _float(value) if kind is float else _atom(value)


def to_yaml(value: Any) -> str:
    """A value as block YAML without a line end; `indent` fits it into a document."""
    if type(value) is str:
        return _quoted(value)
    data = plain(value)
    try:
        text = Emitter().document({"x": data}).removesuffix("\n")
        return Emitter().document(data).removesuffix("\n") if type(data) is dict else re.sub(r"\Ax:\s", "", text)
    except (TypeError, ValueError) as error:
        raise _unwritable(error) from None


def quote(value: Any) -> str:
    """The text of a value as a quoted string, whatever the value is: 3 gives "3"."""
    return to_json(show(value))


def plain(value: Any) -> Any:
    """A copy of plain data with strings free of marks; raises ProblemError for anything else."""
    kind = type(value)
    if kind is str:
        return unmarked(value)
    if kind is dict:
        return {unmarked(_key(key)): plain(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [plain(item) for item in value]
    to_json(value)  # says what is no plain data
    return value


def _key(key: Any) -> str:
    if type(key) is str:
        return key
    raise ProblemError("failed", f"the key {show(key)} of a mapping is no text; put it in quotes")


def _float(value: float) -> str:
    """As Python prints it, save that YAML 1.1 wants a dot before an exponent."""
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        raise ProblemError("failed", f"a number came out as {text}, which no manifest can hold; correct the expression")
    return text if "." in text else text.replace("e", ".0e")


def _atom(value: Any) -> str:
    kind = type(value).__name__
    if kind == UNDEFINED:
        return str(value)
    if kind == _NO_ELSE:
        raise ProblemError("failed", "an if without else gave nothing; give it an else")
    try:
        return atom(value)
    except TypeError:
        what = _NAMES.get(kind, f"a {kind}")
        raise ProblemError("failed", f"{what} has no text of its own; print what it holds or gives") from None
    except ValueError:
        raise ProblemError("failed", "a number does not fit into an int64; write it as text") from None


def _quoted(value: str) -> str:
    try:
        return scalar(unmarked(value))
    except ValueError as error:
        raise _unwritable(error) from None


def _unwritable(error: Exception) -> ProblemError:
    return ProblemError("failed", f"{error}; correct the value")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xD800 <= code <= 0xDFFF:
        raise ProblemError("failed", f"a lone surrogate (U+{code:04X}) cannot be written; write the character itself")
    # Beyond U+FFFF, JSON and YAML have no escape in common.
    return _ESCAPES.get(match[0]) or (f"\\u{code:04x}" if code < 0x10000 else match[0])
