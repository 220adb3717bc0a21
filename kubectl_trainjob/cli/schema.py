"""`schema`: JSON Schemas for editors; also what `explain` shows of a kind or a field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kubectl_trainjob.cli import options
from kubectl_trainjob.cli.pages import ManualCommand
from kubectl_trainjob.cli.streams import emit, write_file

if TYPE_CHECKING:
    from kubectl_trainjob.kube.schemas.descriptions import DescribedSchema

FORMATS = ("json",)
_SETTINGS = ("Overlay", "Component", "Config")


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    from kubectl_trainjob.kube.facts import jobset, trainer

    runtimes = trainer.TRAINING_RUNTIME, trainer.CLUSTER_TRAINING_RUNTIME
    names = (trainer.TRAIN_JOB, *runtimes, jobset.KIND, *_SETTINGS)
    return [name for name in names if name.lower().startswith(incomplete.lower())]


@click.command(cls=ManualCommand)
@click.argument("kind", metavar="[KIND]", default="", shell_complete=_complete)
@options.output(FORMATS)
@options.trainer_version
def schema(kind: str, output: tuple[options.Output, ...], trainer_version: str) -> int:
    """Print the schema of a kind, or of all."""
    from kubectl_trainjob.kube.facts.kinds import CONFIG, means_kind
    from kubectl_trainjob.kube.schemas.json_schema import combined, of_kind
    from kubectl_trainjob.repository.files.find_root import CONFIG_FILE

    kinds, settings = described_kinds(trainer_version), setting_schemas()
    meant = CONFIG if kind == CONFIG_FILE else kind.partition(".")[0]
    names = [name for name in (*kinds, *settings) if means_kind(meant, name)]
    if kind and not names:
        raise click.UsageError(
            f'a schema of "{kind[:100]}" does not exist; the kinds are {", ".join((*kinds, *settings))}'
        )
    written = of_kind(names[0], kinds, settings) if kind else combined(kinds, settings)
    for each in output or (options.Output(FORMATS[0], ""),):
        if each.file:
            write_file(each.file, schema_text(written))
        else:
            emit([schema_text(written).encode()])
    return 0


def schema_text(written: dict[str, Any]) -> str:
    """The text of a schema file."""
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n"


def described_kinds(version: str) -> dict[str, tuple[str, DescribedSchema]]:
    """The kinds that an editor knows, for a version of Trainer, "" for the target of the repository around."""
    from kubectl_trainjob.compiler.versions import VERSIONS
    from kubectl_trainjob.kube.schemas.descriptions import described_schemas

    admission = VERSIONS[version or _target()].admission
    found = (*described_schemas(admission.schemas), *described_schemas(admission.jobset))
    return {kind: (api_version, described) for api_version, kind, described in found}


def setting_schemas() -> dict[str, dict[str, Any]]:
    """The schemas of our own files, by kind."""
    from pathlib import Path

    folder = Path(__file__).parent / "schemas"
    overlay, config = (json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("overlay", "config"))
    found = {name: {**overlay, "properties": {**overlay["properties"], "kind": {"const": name}}} for name in _SETTINGS}
    return {**found, "Config": config}


def _target() -> str:
    """The Trainer version of the repository of the current directory."""
    from kubectl_trainjob.cli.session import open_session
    from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
    from kubectl_trainjob.model.limits import LIMITS
    from kubectl_trainjob.repository.files.input_reader import InputReader

    with open_session() as session:
        files = session.workspace.files
        here = files.root_of(files.current.real("."))
        root = InputReader(LIMITS, session.workspace).root(here, files.current.relative)
        return root.config.trainer or LATEST_TRAINER


def explain_field(words: tuple[str, ...], version: str) -> bool:
    """Print the type and the description of `KIND` or `KIND.FIELD…`; False if the words do not mean that."""
    from kubectl_trainjob.kube.facts.kinds import means_kind

    word, *path = words[0].removesuffix(".").split(".")
    if len(words) > 1 or "/" in words[0]:
        return False
    kinds = described_kinds(version)
    kind = next((name for name in kinds if means_kind(word, name)), None)
    if kind is None:
        return False
    api_version, described = kinds[kind]
    group = api_version.partition("/")[0].split(".")
    path = path[len(group) :] if path[: len(group)] == group else path
    source = click.get_current_context().get_parameter_source("recursive")
    recursive = source is click.core.ParameterSource.COMMANDLINE
    _print_field((api_version, kind), described, path, recursive=recursive)
    return True


def has_field(kind: str, path: list[str], version: str) -> bool:
    """Whether a kind has a field."""
    described = described_kinds(version).get(kind)
    try:
        return described is not None and bool(_field((described[0], kind), described[1], path))
    except click.UsageError:
        return False


def _print_field(kind: tuple[str, str], described: DescribedSchema, path: list[str], *, recursive: bool) -> None:
    from kubectl_trainjob.report.field_text import field_text

    name = path[-1] if path else ""
    emit([field_text(kind, name, _field(kind, described, path), recursive=recursive).encode()])


def _field(kind: tuple[str, str], described: DescribedSchema, path: list[str]) -> DescribedSchema:
    """A field of a kind, the fields of lists and maps without their keys. Raises UsageError."""
    from kubectl_trainjob.model.nearest import nearest

    for number, name in enumerate(path):
        while described.members is not None:
            described = described.members
        if name not in described.fields:
            near = nearest(name, described.fields)
            hint = f'; did you mean "{near}"?' if near else ""
            where = ".".join((kind[1], *path[:number]))
            raise click.UsageError(f'field "{name}" does not exist in {where}{hint}')
        described = described.fields[name]
    return described
