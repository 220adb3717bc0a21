"""How the loop builds a TrainingSet: like any other directory, but nothing outside of its source counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import NamedTuple

from kubectl_trainjob.cli.session import open_session
from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.controller.artifact import artifacts
from kubectl_trainjob.cluster.controller.publish import ArchiveStore, publish
from kubectl_trainjob.cluster.controller.reconcile import LoopSource
from kubectl_trainjob.cluster.controller.shadow import compare_jobs
from kubectl_trainjob.cluster.controller.source import SourceError, SourceTree, directories
from kubectl_trainjob.cluster.controller.training_set import TrainingSet
from kubectl_trainjob.cluster.controller.verdict import Verdict, first_of
from kubectl_trainjob.cluster.plan import ApplyPlan, EmptyPlanError, InvalidFilesError, PlanOptions, make_plan
from kubectl_trainjob.compiler.executor import IN_PROCESS
from kubectl_trainjob.compiler.pipeline import build
from kubectl_trainjob.compiler.printing import build_findings, printed_objects
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.model.units import Documents
from kubectl_trainjob.repository.files.filesystem import Disk
from kubectl_trainjob.repository.files.find_root import is_below
from kubectl_trainjob.repository.files.read import read
from kubectl_trainjob.repository.output.layout import layout
from kubectl_trainjob.repository.output.render import printer, texts
from kubectl_trainjob.repository.positions import Locator


class SourceOptions(NamedTuple):
    """Paths by the names of Directories, the account of sets without one, and where artifacts are unpacked.

    With `is_shadow`, TrainJobs are compared with what Trainer of the version `trainer` ("" for the latest) creates.
    """

    directories: Mapping[str, str]
    account: str
    crosses_namespaces: bool
    unpacked: str
    is_shadow: bool = False
    trainer: str = ""


def loop_source(options: SourceOptions, storage: ArchiveStore | None) -> LoopSource:
    """How the loop opens, builds and publishes sources."""
    open_directory, open_artifact = directories(options.directories), artifacts(options.unpacked or None)

    def open_source(wanted: TrainingSet, api: Api) -> AbstractContextManager[SourceTree]:
        return (open_directory if wanted.source.kind == "Directory" else open_artifact)(wanted, api)

    def compare(wanted: TrainingSet, api: Api) -> Verdict:
        return compare_jobs(api, wanted.key.namespace, options.trainer)

    source = LoopSource(open_source, built, options.account, options.crosses_namespaces)
    if options.is_shadow:
        return source._replace(compare=compare, is_shadow=True)
    if storage is None:
        return source

    def publish_build(tree: SourceTree, wanted: TrainingSet, api: Api) -> Verdict:
        files = printed_files(tree, wanted)
        tree.check()
        return publish(wanted, files, tree.revision, api, storage)

    return source._replace(publish=publish_build, forget=storage.forget)


@contextmanager
def built(tree: SourceTree, wanted: TrainingSet) -> Iterator[ApplyPlan]:
    """Build the path of a TrainingSet. Raises SourceError."""
    namespace, name = wanted.key
    options = PlanOptions(BuildOptions(namespace), name, parent="TrainingSet", home=namespace)
    with _documents(tree, wanted) as documents:
        with _as_source_errors():
            plan = make_plan(documents(), options, IN_PROCESS)
        yield plan


def printed_files(tree: SourceTree, wanted: TrainingSet) -> dict[str, bytes]:
    """The files of `build -O`, by path: those of the path of a TrainingSet. Raises SourceError."""
    with _documents(tree, wanted) as documents, _as_source_errors():
        compilation = build(documents(), BuildOptions(), printer("yaml"), IN_PROCESS)
        findings = build_findings(compilation, is_strict=True, is_set=True)
        if has_errors(findings):
            raise InvalidFilesError(findings)
        objects = list(printed_objects(compilation))
        if not objects:
            raise EmptyPlanError("nothing to publish: the files have no object except runtimes")
        return dict(zip(layout(each.id for each in objects), texts(objects, "yaml"), strict=True))


@contextmanager
def _documents(tree: SourceTree, wanted: TrainingSet) -> Iterator[Callable[[], Documents]]:
    """The function that reads the path of a TrainingSet."""
    with open_session(tree.directory) as session:
        files = Disk(session.workspace.files.current, tree.directory)
        workspace = replace(session.workspace, files=files, raises_limits=False)

        def documents() -> Documents:
            if not is_below(tree.directory, os.path.realpath(os.path.join(tree.directory, wanted.path))):
                raise EnvironmentFault(f"{wanted.path} is not below the root of the source")
            return read(("./-" if wanted.path == "-" else wanted.path,), workspace)  # never standard input

        yield documents


@contextmanager
def _as_source_errors() -> Iterator[None]:
    try:
        yield
    except InvalidFilesError as error:
        raise SourceError(_errors(error.findings), "BuildFailed") from None
    except (EmptyPlanError, EnvironmentFault) as error:
        raise SourceError(str(error), "BuildFailed") from None


def _errors(findings: Sequence[Diagnostic]) -> str:
    """The first errors, at their lines."""
    resolve = Locator().resolve
    errors = (each for each in findings if each.severity is Severity.ERROR)
    return first_of([f"{resolve(each.place)}: {each.message} ({each.rule.id})" for each in errors])
