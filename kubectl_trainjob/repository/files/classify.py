"""One document's data to a manifest: its type and name, and whether it is an object at all."""

from __future__ import annotations

from typing import Any, Literal

from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import inputs
from kubectl_trainjob.model.rules.settings import INVALID_SETTING
from kubectl_trainjob.model.source import Place, Source
from kubectl_trainjob.model.stages import Manifest, ObjectId
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.settings import GROUP
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE

_KUSTOMIZE = ("Kustomization", "Component")
_KUSTOMIZE_GROUP = "kustomize.config.k8s.io"
_OWN = {"Config": CONFIG_FILE, "Overlay": OVERLAY_FILE}

UNBUILT = (
    "is not built here, its files are read as they are; pipe it instead: "
    "kubectl kustomize DIR | kubectl trainjob build -"
)

NotAnObject = Literal["ignored", "configuration", "headless"]


def classify(body: dict[str, Any], source: Source) -> Manifest | Diagnostic | NotAnObject:
    """The manifest; or what is wrong with it; or why it is none.

    "ignored" and "headless" have neither apiVersion nor kind; by its file's name the latter should configure this tool.
    """
    api_version, kind = body.get("apiVersion"), body.get("kind")
    if api_version is None and kind is None:
        is_headless = (source.document, source.prefix, _file_name(source)) == (0, (), CONFIG_FILE)
        return _misspelt(body, source) or ("headless" if is_headless else "ignored")
    if not isinstance(api_version, str) or not api_version:
        return _bad_type("apiVersion", api_version, source)
    if not isinstance(kind, str) or not kind:
        return _bad_type("kind", kind, source)
    if group_of(api_version) in (GROUP, _KUSTOMIZE_GROUP) and (found := _configuration(body, source)) is not None:
        return found
    metadata = body.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    if (bad := _bad_metadata(named, api_version, kind)) is not None:
        field, message = bad
        return Diagnostic(inputs.MISSING_NAME, message, Place(source, ("metadata", field)))
    name, namespace = named.get("name"), named.get("namespace")
    return Manifest(ObjectId(api_version, kind, _text(namespace), _text(name)), body, source)


def _configuration(body: dict[str, Any], source: Source) -> Diagnostic | NotAnObject | None:
    """What configures a tool, ours or kustomize, and is never sent to a cluster."""
    if group_of(body["apiVersion"]) == GROUP:
        return _own(body["kind"], source)
    return _unbuilt(source) if body["kind"] in _KUSTOMIZE else None


def _own(kind: str, source: Source) -> Diagnostic | NotAnObject:
    """Our own configuration, which counts in a file of one name only."""
    expected = _OWN.get(kind)
    if expected is None:
        message = f'"{GROUP}" has no kind "{kind}"; it has {", ".join(_OWN)}'
        return Diagnostic(INVALID_SETTING, message, Place(source, ("kind",)))
    if _file_name(source) in (expected, "-"):
        return "configuration"
    message = f"a {kind} is read from a file {expected} alone, so this one has no effect; rename the file"
    return Diagnostic(INVALID_SETTING, message, Place(source, ("kind",)))


def _file_name(source: Source) -> str:
    return source.file.path.replace("\\", "/").rpartition("/")[2]


def _misspelt(body: dict[str, Any], source: Source) -> Diagnostic | None:
    """What a document without apiVersion and kind has in their places: most often another spelling."""
    for key in body:
        for field in ("apiVersion", "kind"):
            if key.lower() == field.lower():
                message = f'"{key}" is no field of an object; write {field}'
                return Diagnostic(inputs.MISSING_TYPE, message, Place(source, (key,)).key())
    return None


def _has_schema(api_version: str, kind: str) -> bool:
    return api_version == trainer.API_VERSION and kind in trainer.KINDS


def _unbuilt(source: Source) -> Diagnostic:
    return Diagnostic(inputs.UNBUILT_KUSTOMIZATION, f"the kustomization {UNBUILT}", Place(source, ("kind",)))


def _bad_type(field: str, value: Any, source: Source) -> Diagnostic:
    other = "apiVersion" if field == "kind" else "kind"
    if value is None or value == "":
        message = f'"{field}" is missing while "{other}" is there; add it, or remove both from what is no object'
    else:
        message = f'"{field}" must be text, not {_shown(value)}; write it in quotes'
    return Diagnostic(inputs.MISSING_TYPE, message, Place(source, (field,)))


def _bad_metadata(metadata: dict[str, Any], api_version: str, kind: str) -> tuple[str, str] | None:
    """The field of the metadata that makes no identity, and what is wrong with it."""
    if metadata.get("name") in (None, "") and not metadata.get("generateName"):
        return "name", f'the {kind} has no name; add "metadata.name"'
    if _has_schema(api_version, kind):
        return None  # its schema tells the types
    for field in ("name", "generateName", "namespace"):
        value = metadata.get(field)
        if not isinstance(value, str | None):
            return field, f'"metadata.{field}" of the {kind} must be text, not {_shown(value)}; write it in quotes'
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    return str(value).lower() if isinstance(value, bool) else str(value)
