"""Bytes to text: UTF-8, with or without a byte order mark."""

from __future__ import annotations

import codecs

from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import Place, Source, SourceFile, Span
from kubectl_trainjob.repository.yaml.stream import Lines

_WIDE = (("UTF-32", (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)), ("UTF-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)))


def decode(path: str, data: bytes, below_base: str = "") -> SourceFile | Diagnostic:
    """The file's text without its byte order mark, or the error of its encoding. The paths are a SourceFile's."""
    if wide := _wide_encoding(data):
        place = Place(Source(SourceFile(path, "", below_base=below_base)), span=Span(1, 1, 1, 2))
        return Diagnostic(rules.NOT_UTF8, say("the file is {}; save it as UTF-8", say(wide)), place)
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return SourceFile(path, body.decode(), below_base=below_base)
    except UnicodeDecodeError as error:
        shown = SourceFile(path, body.decode(errors="replace"), below_base=below_base)
        start = len(body[: error.start].decode(errors="replace"))
        message = say("the byte {} is not UTF-8; save the file as UTF-8", f"0x{body[error.start]:02x}")
        return Diagnostic(rules.NOT_UTF8, message, Place(Source(shown), span=Lines(shown.text).span(start, start + 1)))


def _wide_encoding(data: bytes) -> str:
    for name, marks in _WIDE:
        if data.startswith(marks):
            return name
    # Without a mark: the first character of a manifest is ASCII, so its other bytes are NUL.
    if len(data) >= 2 and (data[0] == 0) != (data[1] == 0):
        return "UTF-16"
    return "UTF-32" if data[:2] == b"\0\0" and len(data) >= 4 and data[3] else ""
