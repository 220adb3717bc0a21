"""Where a command reads: the disk, standard input, one renderer of templates, and the progress on stderr."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from kubectl_trainjob.cli.progress import Progress
from kubectl_trainjob.cli.streams import standard_input
from kubectl_trainjob.repository.files.current import CurrentDirectory
from kubectl_trainjob.repository.files.filesystem import Disk, Workspace

if TYPE_CHECKING:
    from kubectl_trainjob.repository.templates.render import Renderer


@contextmanager
def open_workspace() -> Iterator[Workspace]:
    """The workspace of one command; its end clears the progress and ends the process that renders templates."""
    with ExitStack() as stack:

        @cache
        def renderer() -> Renderer:
            from kubectl_trainjob.repository.templates.render import Renderer  # most repositories have no template

            return stack.enter_context(Renderer())

        yield Workspace(Disk(CurrentDirectory(os.getcwd())), standard_input, renderer, stack.enter_context(Progress()))
