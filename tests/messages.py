"""Messages of tests."""

from __future__ import annotations

import re

from kubectl_trainjob.model.message import Data, Message


def message(text: str) -> Message:
    """The message of this text, in which everything in double quotes is data; a message stays as it is."""
    if isinstance(text, Message):
        return text
    parts = re.split(r'"([^"]*)"', text)
    return Message(*(Data(part, is_quoted=True) if number % 2 else part for number, part in enumerate(parts) if part))
