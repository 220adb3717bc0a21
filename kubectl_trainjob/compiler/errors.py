"""Errors of the user's patches and patterns, with messages that keep words and data apart."""

from __future__ import annotations

from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import Message


class MessageError(Exception):
    """An error with a `message` for users; some messages are the end of a sentence that the handler begins."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class PatchError(MessageError):
    """The patch cannot be applied to the object; `cause` is the entry of the patch that has the error."""

    def __init__(self, message: Message, cause: Cause) -> None:
        super().__init__(message)
        self.cause = cause
