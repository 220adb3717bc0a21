"""Which objects hold secrets, whatever became of them: a patch may have given a Secret another kind."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.model.edited import Edited
from kubectl_trainjob.review.diff.renames import PlainObject

_SECRET = "secret"


def is_secret(printed: PlainObject | None) -> bool:
    """Whether an object is a Secret, of any group and however it is spelt, or was one before overlays."""
    return printed is not None and any(kind.strip().casefold() == _SECRET for kind in _kinds(printed))


def _kinds(printed: PlainObject) -> Iterator[str]:
    yield printed.identity.kind
    edits = printed.source.edits if printed.source else None
    while isinstance(edits, Edited):
        yield edits.before.id.kind
        edits = edits.before.source.edits
