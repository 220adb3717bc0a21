"""`overlay.yaml`: kind `Overlay` of kubectl-trainjob.dev/v1alpha1, in kustomize's words wherever it has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import INVALID_OVERLAY
from kubectl_trainjob.model.source import Place, Source
from kubectl_trainjob.model.units import ImageChange, LabelSet, Selector
from kubectl_trainjob.repository.files.settings import HEAD, Fields

_SETTINGS = (
    "resources",
    "namespace",
    "nameSuffix",
    "nameHash",
    "labels",
    "annotations",
    "images",
    "values",
    "patches",
)
# kustomize's other words, and what to write here instead.
_ADVICE = {
    "bases": "; list them in resources",
    "commonLabels": "; write labels: [{pairs: {…}, includeTemplates: true}]",
    "commonAnnotations": "; write annotations",
    "patchesStrategicMerge": "; write patches: [{path: …}]",
    "patchesJson6902": "; write patches: [{target: {…}, path: …}]",
    "namePrefix": "; there is nameSuffix",
    **dict.fromkeys(
        (
            "components",
            "configMapGenerator",
            "secretGenerator",
            "generators",
            "transformers",
            "replacements",
            "replicas",
        ),
        ", which is kustomize's alone: let kustomize build it, `kubectl kustomize DIR | kubectl trainjob build -`",
    ),
}
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUFFIX = re.compile(r"[-a-z0-9.]{0,61}[a-z0-9]")


@dataclass(frozen=True, slots=True, eq=False)
class PatchEntry:
    """One item of `patches`: exactly one of `path` and `inline` is stated."""

    index: int
    path: str
    inline: Any
    target: Selector | None


@dataclass(frozen=True, slots=True, eq=False)
class OverlayFile:
    """What one `overlay.yaml` says, before any file that it names was read."""

    source: Source
    resources: tuple[str, ...]
    namespace: str
    name_suffix: str
    name_hash: bool
    labels: tuple[LabelSet, ...]
    annotations: Mapping[str, str]
    images: tuple[ImageChange, ...]
    values: Mapping[str, Any]
    patches: tuple[PatchEntry, ...]


def read_overlay(body: Mapping[str, Any], source: Source) -> tuple[OverlayFile, list[Diagnostic]]:
    """The overlay, and what is wrong with it; what is wrong has its default."""
    settings = Fields(body, Place(source), INVALID_OVERLAY, [])
    settings.refuse_unknown((*HEAD, *_SETTINGS), _ADVICE)
    settings.refuse_other_head("Overlay", "overlay.yaml")
    overlay = OverlayFile(
        source,
        settings.texts("resources"),
        _name(settings, "namespace", _NAMESPACE, 'up to 63 lower case letters, digits and "-"'),
        _name(settings, "nameSuffix", _SUFFIX, 'lower case letters, digits, "-" and "."'),
        settings.flag("nameHash"),
        tuple(_labels(each) for _, each in settings.each("labels")),
        settings.pairs("annotations"),
        tuple(_image(each) for _, each in settings.each("images")),
        settings.mapping("values"),
        tuple(_patch(index, each) for index, each in settings.each("patches")),
    )
    return overlay, settings.found


def _name(settings: Fields, field: str, pattern: re.Pattern[str], allowed: str) -> str:
    name = settings.text(field)
    if name and not pattern.fullmatch(name):
        settings.refuse(f'{field} "{name}" cannot be part of an object\'s name: {allowed}', field)
        return ""
    return name


def _labels(settings: Fields) -> LabelSet:
    advice = {"includeSelectors": ": selectors of a running workload cannot change; remove it"}
    settings.refuse_unknown(("pairs", "includeTemplates"), advice)
    if not settings.body.get("pairs") and set(settings.body) <= {"pairs", "includeTemplates"}:
        settings.refuse(f"{settings.name} has no pairs; add some, or remove it")
    return LabelSet(settings.pairs("pairs"), settings.flag("includeTemplates"))


def _image(settings: Fields) -> ImageChange:
    settings.refuse_unknown(("name", "newName", "newTag", "digest", "tagSuffix"))
    fields = (settings.text(field) for field in ("name", "newName", "newTag", "digest", "tagSuffix"))
    change = ImageChange(*fields)
    if not change.name:
        settings.refuse(f"{settings.name} lacks the name of the image to change")
    elif set(settings.body) == {"name"}:
        settings.refuse(f"{settings.name} changes nothing; add newName, newTag, digest or tagSuffix")
    return change


def _patch(index: int, settings: Fields) -> PatchEntry:
    advice = {"options": ": to change a name or a kind, write JSON 6902 operations"}
    settings.refuse_unknown(("target", "patch", "path"), advice)
    path, inline = settings.text("path"), settings.body.get("patch")
    if (inline is None) == (not path):
        settings.refuse(f"{settings.name} needs exactly one of patch and path")
    elif inline is not None and not isinstance(inline, (str, list, dict)):
        settings.refuse(
            f"{settings.name}.patch must be a mapping, a list of operations, or text that holds one", "patch"
        )
        inline = {}
    return PatchEntry(index, path, inline, _target(settings) if "target" in settings.body else None)


def _target(settings: Fields) -> Selector:
    target = settings.below("target")
    names = ("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector")
    target.refuse_unknown(names)
    return Selector(*(target.text(name) for name in names))
