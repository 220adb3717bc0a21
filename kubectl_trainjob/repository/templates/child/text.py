"""Values to text: what `{{ … }}` prints, and the filters `to_json`, `to_yaml` and `quote`.

Only plain data has a text. Anything else (a macro, a loop) would show an address in memory.
"""

from __future__ import annotations

import re
from typing import Any

from kubectl_trainjob.model.message import say
from kubectl_trainjob.repository.templates.child.marks import unmarked
from kubectl_trainjob.repository.templates.protocol import RenderingError
from kubectl_trainjob.repository.yaml.emit import Emitter, atom
from kubectl_trainjob.repository.yaml.quoting import ESCAPED, ESCAPES, scalar

_ESCAPED = re.compile(ESCAPED)
_NAMES = {"Macro": "a macro", "LoopContext": "the loop", "Namespace": "a namespace", "function": "a function"}
_NO_ELSE = "Undefined"  # the class of the result of an `if` without `else`
UNDEFINED = "Missing"  # the class of every other undefined value, whose text is its error


def show(value: Any) -> str:
    """What a template prints: text unchanged, anything else as JSON (`true`, `null`, `["a"]`), which is YAML, too.

    An `if` without `else` that is not taken prints nothing, as everywhere in Jinja2.
    """
    if type(value) is str:
        return value
    return "" if type(value).__name__ == _NO_ELSE else to_json(value)


def to_json(value: Any) -> str:
    """A value as JSON on one line, which is YAML, too: a string is always quoted and cannot end early.

    Raises RenderingError for what is not plain data, and for numbers and texts that JSON or UTF-8 cannot hold.
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
        return _quote(value)
    data = plain(value)
    try:
        text = Emitter().document({"x": data}).removesuffix("\n")
        return Emitter().document(data).removesuffix("\n") if type(data) is dict else re.sub(r"\Ax:\s", "", text)
    except (TypeError, ValueError) as error:
        raise _unwritable(error) from None


def quote(value: Any) -> str:
    """The text of a value as a quoted string for any type: 3 gives "3"."""
    return to_json(show(value))


def plain(value: Any) -> Any:
    """A copy of plain data with strings free of marks; raises RenderingError for anything else."""
    kind = type(value)
    if kind is str:
        return unmarked(value)
    if kind is dict:
        return {unmarked(_key(key)): plain(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [plain(item) for item in value]
    to_json(value)  # raises for other than plain data
    return value


def _key(key: Any) -> str:
    if type(key) is str:
        return key
    raise RenderingError("failed", say("the key {} of a mapping is not a string; put it in quotes", show(key)))


def _float(value: float) -> str:
    """As Python prints it, with the dot before an exponent that YAML 1.1 requires."""
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        raise RenderingError(
            "failed", say("a number is {}, which a manifest cannot contain; correct the expression", text)
        )
    return text if "." in text else text.replace("e", ".0e")


def _atom(value: Any) -> str:
    kind = type(value).__name__
    if kind == UNDEFINED:
        return str(value)
    if kind == _NO_ELSE:
        raise RenderingError("failed", say("an if without else has no value here; add an else"))
    try:
        return atom(value)
    except TypeError:
        what = say(_NAMES[kind]) if kind in _NAMES else say("a {}", kind)
        raise RenderingError(
            "failed", say("{} cannot be printed; print a value of it, or what it returns", what)
        ) from None
    except ValueError:
        raise RenderingError("failed", say("a number does not fit into 64 bits; write it as a string")) from None


def _quote(value: str) -> str:
    try:
        return scalar(unmarked(value))
    except ValueError as error:
        raise _unwritable(error) from None


def _unwritable(error: Exception) -> RenderingError:
    return RenderingError("failed", say("{}; correct the value", str(error)))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xD800 <= code <= 0xDFFF:
        raise RenderingError(
            "failed", say("a lone surrogate ({}) cannot be written; write the character itself", f"U+{code:04X}")
        )
    # Beyond U+FFFF, JSON and YAML have no escape in common.
    return ESCAPES.get(match[0]) or (f"\\u{code:04x}" if code < 0x10000 else match[0])
