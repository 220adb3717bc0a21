"""What is wrong with a patch."""

from __future__ import annotations

from kubectl_trainjob.model.draft import Cause


class PatchError(ValueError):
    """The patch cannot be applied to the object; `cause` is the entry of the patch that is to blame."""

    def __init__(self, message: str, cause: Cause) -> None:
        super().__init__(message)
        self.cause = cause
