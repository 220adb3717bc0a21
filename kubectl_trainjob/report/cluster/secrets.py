"""The Secrets that jobs need, as lines, and new Secrets as YAML or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubectl_trainjob.cluster.desired_objects import DesiredObject
from kubectl_trainjob.cluster.secrets import keys_of
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.report.json_syntax import as_json_text
from kubectl_trainjob.report.phrases import shown_lines
from kubectl_trainjob.repository.positions import Locator


def list_secrets(needed: Sequence[DesiredObject]) -> str:
    """One line for each Secret: its name, namespace, keys and TrainJob, and the line of that."""
    resolve = Locator().resolve
    named = ((each, ", ".join(keys_of(each.makes))) for each in needed)
    return shown_lines(
        f"secret/{each.id.name}{_namespace(each)} with {keys} for trainjob/{each.train_job} ({resolve(each.place)})"
        for each, keys in named
    )


def _namespace(one: DesiredObject) -> str:
    return f" in namespace {one.id.namespace}" if one.id.namespace else ""


def format_report(made: Iterable[Body], output: str) -> str:
    """Objects with keys, for a program that seals them: "yaml" or "json"."""
    bodies = list(made)
    if output == "json":
        return as_json_text({"apiVersion": "v1", "kind": "List", "items": bodies})
    from kubectl_trainjob.repository.yaml.emit import LEAD, Emitter

    emitter = Emitter(lead=LEAD)
    return "---\n".join(emitter.document(each) for each in bodies)
