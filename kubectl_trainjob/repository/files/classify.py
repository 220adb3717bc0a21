"""One document's data to a manifest: its type and name, and whether it is an object at all."""

from __future__ import annotations

from typing import Any, Literal

from kubectl_trainjob.kube.facts.kinds import CONFIGURATION_GROUP, KindRole, group_of, role_of
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import INVALID_SETTING
from kubectl_trainjob.model.source import Place, Source
from kubectl_trainjob.model.stages import Manifest, ObjectId
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE

_FILES = {"Config": CONFIG_FILE, "Overlay": OVERLAY_FILE}

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
    metadata = body.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    identity = ObjectId(api_version, kind, _text(named.get("namespace")), _text(named.get("name")))
    role = role_of(identity)
    if role is KindRole.KUSTOMIZATION or group_of(api_version) == CONFIGURATION_GROUP:
        return _unbuilt(source) if role is KindRole.KUSTOMIZATION else _configuration(kind, source)
    if (bad := _bad_metadata(named, kind, has_schema=role in (KindRole.TRAINING_JOB, KindRole.RUNTIME))) is not None:
        field, message = bad
        return Diagnostic(rules.MISSING_NAME, message, Place(source, ("metadata", field)))
    return Manifest(identity, body, source)


def _configuration(kind: str, source: Source) -> Diagnostic | NotAnObject:
    """This tool's own configuration, which is read from a file of one name only."""
    expected = _FILES.get(kind)
    if expected is None:
        message = f'"{CONFIGURATION_GROUP}" has no kind "{kind}"; it has {", ".join(_FILES)}'
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
                return Diagnostic(rules.MISSING_TYPE, message, Place(source, (key,)).key())
    return None


def _unbuilt(source: Source) -> Diagnostic:
    return Diagnostic(rules.UNBUILT_KUSTOMIZATION, f"the kustomization {UNBUILT}", Place(source, ("kind",)))


def _bad_type(field: str, value: Any, source: Source) -> Diagnostic:
    other = "apiVersion" if field == "kind" else "kind"
    if value is None or value == "":
        message = f'"{field}" is missing while "{other}" is there; add it, or remove both from what is no object'
    else:
        message = f'"{field}" must be text, not {_shown(value)}; write it in quotes'
    return Diagnostic(rules.MISSING_TYPE, message, Place(source, (field,)))


def _bad_metadata(metadata: dict[str, Any], kind: str, *, has_schema: bool) -> tuple[str, str] | None:
    """The invalid field of the metadata, and its error; a schema checks types itself."""
    if metadata.get("name") in (None, "") and not metadata.get("generateName"):
        return "name", f'the {kind} has no name; add "metadata.name"'
    if has_schema:
        return None
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
