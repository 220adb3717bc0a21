"""Objects as the command prints them."""

from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_trainjob.repository.output.render import Format, joined, printer


def render(objects: Iterable[Any], fmt: Format) -> Iterator[str]:
    """The text in pieces."""
    return map(bytes.decode, joined(map(printer(fmt), objects), fmt))
