"""What `diff` and `review` share: the options that choose two trees, and reading them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from kubectl_trainjob.cli.session import Session
    from kubectl_trainjob.model.stages import BuildOptions
    from kubectl_trainjob.repository.trees import BaseAndHead, TreePair


@dataclass(frozen=True, slots=True)
class TreesRequest:
    """The options of both commands, by their names."""

    trees: tuple[str, ...]
    filenames: tuple[str, ...]
    namespace: str
    trainer_version: tuple[str, str]
    emit: str

    def build_options(self) -> tuple[BuildOptions, BuildOptions]:
        """How the base and the head are built."""
        from kubectl_trainjob.model.stages import BuildOptions

        base, head = self.trainer_version
        return BuildOptions(self.namespace, base, self.emit), BuildOptions(self.namespace, head, self.emit)


class OpenTrees(NamedTuple):
    """The two trees, and what they contain, unit by unit."""

    trees: BaseAndHead
    units: Iterator[TreePair]
    session: Session


@contextmanager
def open_trees(request: TreesRequest) -> Iterator[OpenTrees]:
    """The trees that the arguments choose. Raises a usage error for arguments that choose none."""
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.repository.trees import InvalidArguments, base_and_head

    with open_session() as session:
        try:
            trees = base_and_head(request.trees, request.trainer_version, session.workspace.files)
        except InvalidArguments as error:
            raise click.UsageError(str(error)) from None
        with closing(trees):
            yield OpenTrees(trees, trees.read(request.filenames, session.workspace), session)
