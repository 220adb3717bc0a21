"""One document's data to a manifest: its type and name, and whether it is an object at all."""

from __future__ import annotations

from typing import Any, Literal

from kubectl_trainjob.kube.facts.kinds import (
    CONFIG,
    CONFIGURATION_GROUP,
    OVERLAY,
    TRAINING_SET,
    KindRole,
    group_of,
    role_of,
)
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import Message, describe, joined, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import INVALID_SETTING
from kubectl_trainjob.model.source import Place, Source, mapping_at
from kubectl_trainjob.model.stages import Manifest, ObjectId
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE

_FILES = {CONFIG: CONFIG_FILE, OVERLAY: OVERLAY_FILE}

UNBUILT = (
    "is not built by this tool, and the files beside it are read unchanged; build it first: "
    "kubectl kustomize DIR | kubectl trainjob build -"
)

NotAnObject = Literal["ignored", "configuration", "headless"]


def classify(body: dict[str, Any], source: Source) -> Manifest | Diagnostic | NotAnObject:
    """The manifest; or its error; or why the document is not an object.

    "ignored" and "headless" have neither apiVersion nor kind; the latter is in a `trainjob.yaml`.
    """
    api_version, kind = body.get("apiVersion"), body.get("kind")
    if api_version is None and kind is None:
        is_headless = (source.document, source.prefix, _file_name(source)) == (0, (), CONFIG_FILE)
        return _misspelt(body, source) or ("headless" if is_headless else "ignored")
    if not isinstance(api_version, str) or not api_version:
        return _misspelt(body, source) or _bad_type("apiVersion", api_version, source)
    if not isinstance(kind, str) or not kind:
        return _misspelt(body, source) or _bad_type("kind", kind, source)
    named = mapping_at(body, "metadata")
    identity = ObjectId(api_version, kind, _text(named.get("namespace")), _text(named.get("name")))
    role = role_of(identity)
    is_own = group_of(api_version) == CONFIGURATION_GROUP and kind != TRAINING_SET
    if role is KindRole.KUSTOMIZATION or is_own:
        return _configuration(kind, source, role)
    if (bad := _bad_metadata(named, kind, has_schema=role in (KindRole.TRAINING_JOB, KindRole.RUNTIME))) is not None:
        field, message = bad
        place = Place(source, ("metadata", field))
        found = _misspelt_name(body, kind, source) or _misplaced_name(body, kind, source) if field == "name" else None
        return found or Diagnostic(rules.MISSING_NAME, message, place)
    return Manifest(identity, body, source)


def _configuration(kind: str, source: Source, role: KindRole) -> Diagnostic | NotAnObject:
    """A kustomization, or the configuration of this tool, which is only read from a file of one name."""
    if role is KindRole.KUSTOMIZATION:
        message = say("the kustomization {}", say(UNBUILT))
        return Diagnostic(rules.UNBUILT_KUSTOMIZATION, message, Place(source, ("kind",)))
    expected = _FILES.get(kind)
    if expected is None:
        message = say(
            '{} has no kind "{}"; it has {}', say(CONFIGURATION_GROUP), kind, joined(map(say, (*_FILES, TRAINING_SET)))
        )
        return Diagnostic(INVALID_SETTING, message, Place(source, ("kind",)))
    if _file_name(source) in (expected, "-"):
        return "configuration"
    message = say("a {} is only read from a file {}, so this one has no effect; rename the file", kind, say(expected))
    return Diagnostic(INVALID_SETTING, message, Place(source, ("kind",)))


def _file_name(source: Source) -> str:
    return source.file.path.replace("\\", "/").rpartition("/")[2]


def _misspelt(body: dict[str, Any], source: Source) -> Diagnostic | None:
    """A key that is another spelling of apiVersion or kind."""
    for key in body:
        for field in ("apiVersion", "kind"):
            if key.lower() == field.lower() and key != field:
                message = say('"{}" is not a field of an object; write {}', key, say(field))
                return Diagnostic(rules.MISSING_TYPE, message, Place(source, (key,)).key())
    return None


def _bad_type(field: str, value: Any, source: Source) -> Diagnostic:
    other = "apiVersion" if field == "kind" else "kind"
    if value is None or value == "":
        message = say(
            "{} is missing, but {} is set; add {}, or remove both if this is not an object",
            say(field),
            say(other),
            say(field),
        )
    else:
        message = say("{} must be a string, not {}; write it in quotes", say(field), describe(value))
    return Diagnostic(rules.MISSING_TYPE, message, Place(source, (field,)))


def _bad_metadata(metadata: dict[str, Any], kind: str, *, has_schema: bool) -> tuple[str, Message] | None:
    """The invalid field of the metadata, and its error; a schema checks types itself."""
    if metadata.get("name") in (None, "") and not metadata.get("generateName"):
        return "name", say("the {} has no name; add metadata.name", kind)
    if has_schema:
        return None
    for field in ("name", "generateName", "namespace"):
        value = metadata.get(field)
        if not isinstance(value, str | None):
            message = say(
                "metadata.{} of the {} must be a string, not {}; write it in quotes", say(field), kind, describe(value)
            )
            return field, message
    return None


def _misspelt_name(body: dict[str, Any], kind: str, source: Source) -> Diagnostic | None:
    """The error of a key that is another spelling of `metadata` or its `name`."""
    for fields, above, field in ((mapping_at(body, "metadata"), ("metadata",), "name"), (body, (), "metadata")):
        key = next((each for each in fields if nearest(each, (field,))), None)
        if key is not None:
            message = say('the {} has no name; write "{}" in place of "{}"', kind, field, key)
            return Diagnostic(rules.MISSING_NAME, message, Place(source, (*above, key)).key())
    return None


def _misplaced_name(body: dict[str, Any], kind: str, source: Source) -> Diagnostic | None:
    """The error of a name beside the metadata, or without a blank after its key."""
    metadata = body.get("metadata")
    if isinstance(metadata, str):
        message = say('the {} has no name: metadata is the text "{}"; write a blank after ":"', kind, metadata)
        return Diagnostic(rules.MISSING_NAME, message, Place(source, ("metadata",)))
    if not isinstance(body.get("name"), str) or not isinstance(metadata, dict | None):
        return None
    where = say('below "metadata:"') if "metadata" in body else say('and write "metadata:" above it')
    message = say('the {} has no name: "name" is a field of metadata; move its line to the right, {}', kind, where)
    return Diagnostic(rules.MISSING_NAME, message, Place(source, ("name",)).key())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
