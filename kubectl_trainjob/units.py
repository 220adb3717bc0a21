"""What is built: manifests, and overlays over them. `repo` reads a tree of units, `overlay` makes manifests of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.source import Source
from kubectl_trainjob.stages import Manifest


@dataclass(frozen=True, slots=True)
class Selector:
    """A patch's `target`: every field that is not "" must match; `name` and `namespace` are regular expressions."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    label_selector: str = ""
    annotation_selector: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """`body` is a strategic merge patch (a mapping) or JSON 6902 operations (a list), as it stands at `source`.

    A merge patch without a `target` names its object itself. `index` counts the overlay's `patches`.
    """

    body: Any
    source: Source
    index: int
    target: Selector | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LabelSet:
    """One item of `labels`; with `include_templates` the Pods' templates get the labels, too."""

    pairs: Mapping[str, str]
    include_templates: bool = False


@dataclass(frozen=True, slots=True)
class ImageChange:
    """One item of `images`: what becomes of the image `name`; "" leaves a part as it is."""

    name: str
    new_name: str = ""
    new_tag: str = ""
    digest: str = ""
    tag_suffix: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """What one `overlay.yaml` says of its members; `source` is its document."""

    source: Source
    namespace: str = ""
    name_suffix: str = ""
    name_hash: bool = False
    labels: tuple[LabelSet, ...] = ()
    annotations: Mapping[str, str] | None = None
    images: tuple[ImageChange, ...] = ()
    patches: tuple[Patch, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """An overlay and what it lies over."""

    overlay: Overlay
    members: tuple[Manifest | Unit, ...]
