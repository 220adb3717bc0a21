"""`overlay.yaml`: an `Overlay` or `Component` of kubectl-trainjob.dev/v1alpha1, in kustomize's words if it has some."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from kubectl_trainjob.kube.facts.kinds import OVERLAY
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.message import describe, say
from kubectl_trainjob.model.rules import INVALID_OVERLAY
from kubectl_trainjob.model.source import Place, Source
from kubectl_trainjob.model.units import ImageChange, LabelSet, Overlay, Selector, SweepItem
from kubectl_trainjob.repository.files.settings import HEAD, Fields
from kubectl_trainjob.repository.files.walk import OVERLAY_FILE

SETTINGS = ["resources", "components", "namespace", "namePrefix", "nameSuffix", "nameHash", "labels", "annotations"]
SETTINGS += ["images", "values", "patches", "sweeps"]
_OF_KUSTOMIZE = "configMapGenerator secretGenerator generators transformers replacements replicas"
# Other settings of kustomize, and what to write here instead.
_ADVICE = {
    "bases": "; list them in resources",
    "commonLabels": "; write labels: [{pairs: {…}, includeTemplates: true}]",
    "commonAnnotations": "; write annotations",
    "patchesStrategicMerge": "; write patches: [{path: …}]",
    "patchesJson6902": "; write patches: [{target: {…}, path: …}]",
    **dict.fromkeys(
        _OF_KUSTOMIZE.split(),
        " here, only in kustomize; build with it: kubectl kustomize DIR | kubectl trainjob build -",
    ),
}
_TARGET = ("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector")
_IMAGE = ("name", "newName", "newTag", "digest", "tagSuffix")
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9][-a-z0-9.]{0,61}")
_SUFFIX = re.compile(r"[-a-z0-9.]{0,61}[a-z0-9]")


@dataclass(frozen=True, slots=True, eq=False)
class PatchEntry:
    """One item of `patches`: exactly one of `path` and `inline` is set."""

    index: int
    path: str
    inline: Any
    target: Selector | None


@dataclass(frozen=True, slots=True, eq=False)
class OverlayFile:
    """The content of one `overlay.yaml`, before the files that it lists are read: `settings` has no patches."""

    settings: Overlay
    resources: tuple[str, ...]
    components: tuple[str, ...]
    values: Mapping[str, Any]
    patches: tuple[PatchEntry, ...]

    @property
    def source(self) -> Source:
        """Its document."""
        return self.settings.source


def read_overlay(body: Mapping[str, Any], source: Source, kind: str = OVERLAY) -> tuple[OverlayFile, list[Diagnostic]]:
    """The overlay or component, and its errors; an invalid setting has its default."""
    settings = Fields(body, Place(source), INVALID_OVERLAY, [])
    settings.reject_unknown((*HEAD, *SETTINGS), _ADVICE)
    settings.reject_other_head(kind, OVERLAY_FILE)
    overlay = Overlay(
        source,
        _name(settings, "namespace", _NAMESPACE, 'up to 63 lower case letters, digits and "-"'),
        _name(settings, "namePrefix", _PREFIX, 'lower case letters, digits, "-" and "."'),
        _name(settings, "nameSuffix", _SUFFIX, 'lower case letters, digits, "-" and "."'),
        settings.flag("nameHash"),
        tuple(_labels(each) for _, each in settings.each("labels")),
        settings.pairs("annotations"),
        tuple(_image(each) for _, each in settings.each("images")),
        sweeps=tuple(_sweep(each) for _, each in settings.each("sweeps")),
    )
    resources, components = settings.texts("resources"), settings.texts("components")
    patches = tuple(_patch(index, each) for index, each in settings.each("patches"))
    return OverlayFile(overlay, resources, components, settings.mapping("values"), patches), settings.found


def _name(settings: Fields, field: str, pattern: re.Pattern[str], allowed: str) -> str:
    name = settings.text(field)
    if name and not pattern.fullmatch(name):
        message = say('{} "{}" cannot be part of the name of an object; write {}', say(field), name, say(allowed))
        settings.reject(message, field)
        return ""
    return name


def _labels(settings: Fields) -> LabelSet:
    advice = {"includeSelectors": ": selectors of a running workload cannot change; remove it"}
    settings.reject_unknown(("pairs", "includeTemplates"), advice)
    if not settings.body.get("pairs") and set(settings.body) <= {"pairs", "includeTemplates"}:
        settings.reject(say("{} has no pairs; add some, or remove it", settings.name))
    return LabelSet(settings.pairs("pairs"), settings.flag("includeTemplates"))


def _image(settings: Fields) -> ImageChange:
    settings.reject_unknown(_IMAGE)
    change = ImageChange(*map(settings.text, _IMAGE))
    if not change.name:
        settings.reject(say("{} has no name; write the image to change", settings.name))
    elif set(settings.body) == {"name"}:
        settings.reject(say("{} changes nothing; add newName, newTag, digest or tagSuffix", settings.name))
    return change


def _patch(index: int, settings: Fields) -> PatchEntry:
    advice = {"options": ": to change a name or a kind, write JSON 6902 operations"}
    settings.reject_unknown(("target", "patch", "path"), advice)
    path, inline = settings.text("path"), settings.body.get("patch")
    if (inline is None) == (not path):
        settings.reject(say("{} needs exactly one of patch and path", settings.name))
    elif inline is not None and not isinstance(inline, (str, list, dict)):
        message = say("{}.patch must be a mapping, a list of operations, or a string that contains one", settings.name)
        settings.reject(message, "patch")
        inline = {}
    return PatchEntry(index, path, inline, _target(settings))


def _sweep(settings: Fields) -> SweepItem:
    """The front end checks the other fields of an item."""
    seed = settings.body.get("seed")
    if isinstance(seed, bool) or not isinstance(seed, (str, int, NoneType)):
        settings.reject(say("{}.seed must be an integer or a string, not {}", settings.name, describe(seed)), "seed")
    return SweepItem(settings.body, _target(settings))


def _target(settings: Fields) -> Selector | None:
    if "target" not in settings.body:
        return None
    target = settings.below("target")
    target.reject_unknown(_TARGET)
    return Selector(*map(target.text, _TARGET))
