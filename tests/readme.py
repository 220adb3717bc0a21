"""`python -m tests.readme` writes what README and the manual's pages take from the program.

That is: the synopsis and the options of each command, the tables of versions, limits and verdicts, and the output of
each example that begins with `$ kubectl trainjob`.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from kubectl_trainjob.cli import lint, review, schema
from kubectl_trainjob.cli.app import INTERRUPTED, app
from kubectl_trainjob.cli.init import _FORMS
from kubectl_trainjob.cli.pages import summary
from kubectl_trainjob.cli.streams import of_every_command
from kubectl_trainjob.cluster.rights import ROLE
from kubectl_trainjob.kube.facts.kinds import KindRole, kinds_with
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER, SUPPORTED_TARGETS, TRAINER_VERSIONS
from kubectl_trainjob.kube.facts.trainer import API_VERSION
from kubectl_trainjob.model.limits import LIMITS, size
from kubectl_trainjob.report.review.summary_line import _VERDICTS
from kubectl_trainjob.review.result import ReviewVerdict
from tests.commands import call

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
MANUAL = ROOT / "kubectl_trainjob" / "cli" / "manual"
PAGES = sorted(MANUAL.glob("*.md"))
COMMANDS = tuple(app.list_commands(click.Context(app)))
EXAMPLE = re.compile(r"^```console\n\$ (kubectl trainjob .*)\n((?:.*\n)*?)```$", re.MULTILINE)

_DATA = ROOT / "kubectl_trainjob" / "kube" / "schemas" / "data"
_WIDTH = 116

_WHAT = {
    "file_bytes": "one file",
    "build_bytes": "all files of a build",
    "output_bytes": "the result",
    "documents": "documents and List items of a build",
    "alias_nodes": "values that aliases repeat",
    "entries": "lines and commas of one document",
    "template_seconds": "CPU time of one template",
    "template_memory": "memory of one template",
    "template_bytes": "what one template renders",
    "templates_seconds": "CPU time of all templates of a run",
    "templates_bytes": "what all templates of a run render",
    "overlay_edits": "edits of overlays for each object: an image counts 1, a label 2, a patch or sweep 20",
    "overlay_steps": "comparisons, copies and writes that overlays take",
    "patch_operations": "operations of one JSON 6902 patch",
    "patched_bytes": "size of an object after `copy` operations",
}


class _Kinds:
    """The packaged schemas of one Trainer."""

    def __init__(self, version: str) -> None:
        with gzip.open(_DATA / f"trainer-{version}.json.gz") as file:
            self._data = json.load(file)

    def fields(self, kind: str, *pointer: str) -> list[str]:
        """The names of the fields of a kind at `pointer`."""
        node = self._data["nodes"][self._data["kinds"][f"{API_VERSION}/{kind}"]["root"]]
        for name in pointer:
            node = self._data["nodes"][node["properties"][name]]
        return sorted(node["properties"])


def supported() -> Iterator[str]:
    """What can be built, for each Trainer."""
    yield "| Trainer | `mlPolicy` of a runtime | `podGroupPolicy` | a TrainJob's way to change the runtime's Pods |"
    yield "| --- | --- | --- | --- |"
    for version in TRAINER_VERSIONS:
        kinds = _Kinds(version)
        policies = [name for name in kinds.fields("ClusterTrainingRuntime", "spec", "mlPolicy") if name != "numNodes"]
        groups = kinds.fields("ClusterTrainingRuntime", "spec", "podGroupPolicy")
        changes = [name for name in kinds.fields("TrainJob", "spec") if name.endswith(("Overrides", "Patches"))]
        default = " (default)" if version == LATEST_TRAINER else ""
        kept = ", ".join([*policies, "none (plain)"])
        yield f"| {version}{default} | {kept} | {', '.join(groups)} | `{changes[0]}` |"
    others = ", ".join(
        f"{name} {', '.join(versions)}" for name, versions in SUPPORTED_TARGETS.items() if name != "trainer"
    )
    yield ""
    kinds = ", ".join(kind.name for kind in kinds_with(KindRole.TRAINING_JOB, KindRole.RUNTIME))
    yield f"The kinds are {kinds} of {API_VERSION}. The results are for {others}."
    yield ""
    yield "A build rejects these older kinds. [migrate](migrate.md) converts them:"
    yield ""
    for group, legacy in groupby(kinds_with(KindRole.LEGACY), key=lambda kind: kind.group):
        yield f"- of {group}: {', '.join(kind.name for kind in legacy)}"


def limits() -> Iterator[str]:
    """Each limit, and its name in trainjob.yaml."""
    yield "| `limits` of trainjob.yaml | of what | default |"
    yield "| --- | --- | --- |"
    for each in fields(LIMITS):
        if each.name != "depth":
            yield f"| `{_camel(each.name)}` | {_WHAT[each.name]} | {_shown(each.name, getattr(LIMITS, each.name))} |"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _shown(name: str, value: Any) -> str:
    if name.endswith(("bytes", "memory")):
        return size(value)
    return f"{value} s" if name.endswith("seconds") else f"{value:,}".replace(",", " ")


_VERDICT_MEANS = {
    ReviewVerdict.UNBUILT: "an object of the head cannot be built, and it is new or the base can build it",
    ReviewVerdict.REJECTED: "the cluster rejects an update",
    ReviewVerdict.ERRORS: "a new finding is an error",
    ReviewVerdict.RERUNS: "a run ends, and a new one starts under another name or kind",
    ReviewVerdict.ENDS: "a run ends or is suspended",
    ReviewVerdict.UNKNOWN: "not everything could be compared: the base has errors, for example",
    ReviewVerdict.CHANGES: "a job changes in place; `changes other objects` if only objects without a job change",
    ReviewVerdict.SAFE: "no running job changes",
}


def verdicts() -> Iterator[str]:
    """Each verdict of a review, by severity."""
    yield "| verdict | key | meaning |"
    yield "| --- | --- | --- |"
    for each in ReviewVerdict:
        yield f"| {_VERDICTS[each][1]} | `{each}` | {_VERDICT_MEANS[each]} |"


def topics() -> Iterator[str]:
    """Each page of the manual that is not about a command."""
    yield "| page | about |"
    yield "| --- | --- |"
    for page in PAGES:
        if page.stem not in COMMANDS:
            yield f"| [{page.stem}]({page.relative_to(ROOT).as_posix()}) | {summary(page.stem)} |"


def formats() -> Iterator[str]:
    """The formats of each command, the default one first."""
    yield "| command | formats of `-o` |"
    yield "| --- | --- |"
    several = {"lint": lint.FORMATS, "review": review.FORMATS, "schema": schema.FORMATS}
    for name in COMMANDS:
        for option in _command(name).params:
            if option.name == "output":
                known = option.type.choices if isinstance(option.type, click.Choice) else several[name]
                yield f"| [{name}]({name}.md) | {', '.join(known)} |"


def role() -> Iterator[str]:
    """The Role that the commands need."""
    yield "```yaml"
    yield "apiVersion: rbac.authorization.k8s.io/v1"
    yield "kind: Role"
    yield "metadata:"
    yield "  name: kubectl-trainjob-applier"
    yield "rules:"
    for condition, rules in groupby(ROLE, key=lambda rule: rule.condition):
        if condition:
            yield f"# {condition}:"
        for groups, resources, verbs, *_ in rules:
            listed = (", ".join(each or '""' for each in names) for names in (groups, resources, verbs))
            yield "- {{apiGroups: [{}], resources: [{}], verbs: [{}]}}".format(*listed)
    yield "```"


def exit_codes() -> Iterator[str]:
    """The tables of exit codes of all pages, as one; every command can be interrupted."""
    pages = {name: (MANUAL / f"{name}.md").read_text(encoding="utf-8") for name in COMMANDS}
    tables = {name: dict(re.findall(r"^\| (\d+) \| (.*) \|$", pages[name], re.MULTILINE)) for name in COMMANDS}
    codes = sorted({str(INTERRUPTED), *(code for table in tables.values() for code in table)}, key=int)
    yield f"| command | {' | '.join(codes)} |"
    yield f"| --- |{' --- |' * len(codes)}"
    for name, table in tables.items():
        cells = {str(INTERRUPTED): "Interrupted.", **table}
        yield f"| [{name}]({name}.md) | {' | '.join(cells.get(code, '') for code in codes)} |"


TABLES = {
    "topics": topics,
    "supported": supported,
    "limits": limits,
    "verdicts": verdicts,
    "formats": formats,
    "exit-codes": exit_codes,
    "role": role,
}


def _context(command: click.Command, name: str) -> click.Context:
    parent = app.make_context("kubectl trainjob", [], resilient_parsing=True)
    return click.Context(command, parent, info_name=name)


def _command(name: str) -> click.Command:
    command = app.get_command(click.Context(app), name)
    assert command
    return command


def synopsis(command: click.Command, name: str) -> str:
    """The command line with every argument and option."""
    context = _context(command, name)
    start = f"kubectl trainjob {name} "
    shared = {option.name for option in of_every_command()}
    parts = [part for each in command.params if each.name not in shared and (part := _part(each, context))]
    kept = [part.replace(" ", "\0") for part in parts]  # an option stays on one line with its value
    lines = textwrap.wrap(
        start + " ".join(kept),
        _WIDTH,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ") + "\n"


def _part(parameter: click.Parameter, context: click.Context) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(context)
    assert isinstance(parameter, click.Option)
    value = "" if parameter.is_flag else " " + re.sub(r"^\[(.*)\]$", r"\1", parameter.make_metavar(context))
    return f"[{parameter.opts[0]}{value}]" + ("..." if parameter.multiple else "")


def options(command: click.Command, name: str) -> Iterator[str]:
    """The options as `--help` has them."""
    context = _context(command, name)
    yield "| option | meaning |"
    yield "| --- | --- |"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and isinstance(parameter, click.Option):
            form, meaning = (text.replace("|", "\\|") for text in record)
            yield f"| `{form}` | {meaning} |"


def _forms() -> Iterator[str]:
    yield "```"
    yield from (synopsis(form, f"init {name}").rstrip("\n") for name, form in _FORMS.items())
    yield "```"


def prepared(folder: Path) -> Path:
    """A copy of this repository's examples, and a job with a misspelt runtimeRef, in `folder`."""
    (folder / ".git").mkdir()
    for name in ("runtimes", "overlays", "tests/examples/upgrade", "tests/examples/lint"):
        shutil.copytree(ROOT / name, folder / name)
    job = (ROOT / "overlays" / "fashion-mnist" / "job.yaml").read_text(encoding="utf-8")
    (folder / "job.yaml").write_text(job.replace("name: torch-distributed\n", "name: torch-distribute\n"))
    return folder


def output(command: str, folder: Path) -> str:
    """What a command line that begins with `kubectl trainjob` prints in `folder`: stdout, then stderr."""
    done = call(folder, *shlex.split(command)[2:])
    return done.stdout + done.stderr


def written(text: str, name: str = "") -> str:
    """A page with its tables, and for a command its synopsis and options, as the code has them."""
    tables: dict[str, Callable[[], Iterator[str]]] = dict(TABLES)
    if name in COMMANDS:
        command = _command(name)
        text = re.sub(
            r"(?<=^```\n).*?(?=^```$)", synopsis(command, name), text, count=1, flags=re.MULTILINE | re.DOTALL
        )
        tables |= {"options": lambda: options(command, name), "forms": _forms}
    for title, rows in tables.items():
        before, start, rest = text.partition(f"<!-- {title} -->")
        if start:
            _, end, after = rest.partition("<!-- end -->")
            text = before + start + "\n".join(("", *rows(), "")) + end + after
    return text


def with_outputs(text: str, folder: Path) -> str:
    """A page with the output of each of its examples."""
    return EXAMPLE.sub(lambda found: f"```console\n$ {found[1]}\n{output(found[1], folder)}```", text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        repository = prepared(Path(directory))
        for path in (README, *PAGES):
            page = written(path.read_text(encoding="utf-8"), path.stem)
            path.write_text(with_outputs(page, repository), encoding="utf-8")
