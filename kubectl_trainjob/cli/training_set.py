"""How the loop builds a TrainingSet: like any other directory, but nothing outside of its source counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from kubectl_trainjob.cli.session import open_session
from kubectl_trainjob.cluster.controller.source import SourceError, SourceTree
from kubectl_trainjob.cluster.controller.training_set import TrainingSet
from kubectl_trainjob.cluster.controller.verdict import shortened
from kubectl_trainjob.cluster.plan import ApplyPlan, EmptyPlanError, InvalidFilesError, PlanOptions, make_plan
from kubectl_trainjob.compiler.executor import IN_PROCESS
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.repository.files.filesystem import Disk
from kubectl_trainjob.repository.files.find_root import is_below
from kubectl_trainjob.repository.files.read import read
from kubectl_trainjob.repository.positions import Locator

_MOST_ERRORS = 5


@contextmanager
def built(tree: SourceTree, wanted: TrainingSet) -> Iterator[ApplyPlan]:
    """Build the path of a TrainingSet. Raises SourceError."""
    namespace, name = wanted.key
    options = PlanOptions(BuildOptions(namespace, is_strict=True), name, parent="TrainingSet", home=namespace)
    with open_session(tree.directory) as session:
        files = Disk(session.workspace.files.current, tree.directory)
        workspace = replace(session.workspace, files=files, raises_limits=False)
        try:
            if not is_below(tree.directory, os.path.realpath(os.path.join(tree.directory, wanted.path))):
                raise EnvironmentFault(f"{wanted.path} is not below the root of the source")
            plan = make_plan(read((wanted.path,), workspace), options, IN_PROCESS)
        except InvalidFilesError as error:
            raise SourceError(_errors(error.findings), "BuildFailed") from None
        except (EmptyPlanError, EnvironmentFault) as error:
            raise SourceError(str(error), "BuildFailed") from None
        yield plan


def _errors(findings: Sequence[Diagnostic]) -> str:
    """The first errors, at their lines."""
    resolve = Locator().resolve
    errors = [each for each in findings if each.severity is Severity.ERROR]
    lines = []
    for each in errors[:_MOST_ERRORS]:
        at = resolve(each.place)
        lines.append(f"{at.file.path}:{at.span.line}: {each.message} ({each.rule.id})")
    more = len(errors) - _MOST_ERRORS
    return shortened("; ".join([*lines, *([f"and {more} more errors"] if more > 0 else [])]))
