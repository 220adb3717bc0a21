"""What `repo` reads: manifests, and overlays over them; `overlay` makes manifests of a tree of units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import Pointer, Source, SourceFile
from kubectl_trainjob.model.stages import Manifest


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
    """`body` is a strategic merge patch (a mapping) or JSON 6902 operations (a list); it stands at `pointer`.

    A merge patch without a `target` names its object itself. `index` counts the overlay's `patches`.
    """

    body: Any
    source: Source
    pointer: Pointer
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
    """What one `overlay.yaml` says of its members; `source` is its document.

    `is_complete` says whether everything that it lists could be read: else nobody should wonder what is missing.
    """

    source: Source
    namespace: str = ""
    name_suffix: str = ""
    name_hash: bool = False
    labels: tuple[LabelSet, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)
    images: tuple[ImageChange, ...] = ()
    patches: tuple[Patch, ...] = ()
    is_complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """An overlay and what it lies over."""

    overlay: Overlay
    members: tuple[Manifest | Unit, ...]


def manifests_of(unit: Unit) -> Iterator[Manifest]:
    """Every object below an overlay, as it was read."""
    for member in unit.members:
        if isinstance(member, Unit):
            yield from manifests_of(member)
        else:
            yield member


@dataclass(frozen=True, slots=True)
class PathRules:
    """What `lint.perPath` says of files whose paths below the root match `pattern`."""

    pattern: str
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LintSettings:
    """What a `trainjob.yaml` says of lint. Rules are named by id or name; `severity` has pairs (rule, severity).

    `schedulers` are the names of schedulers that place gangs, `delivery` is what applies the result ("argocd", "flux",
    "kubectl", "" where it is not said).
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    per_path: tuple[PathRules, ...] = ()
    schedulers: tuple[str, ...] = ()
    delivery: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the `trainjob.yaml` at `source` says of a build; "" where it says nothing."""

    source: Source
    trainer: str = ""
    emit: str = ""
    lint: LintSettings = field(default_factory=LintSettings)


@dataclass(frozen=True, slots=True, eq=False)
class BuiltDirectory:
    """A directory that `build -O` wrote, as the tree has it that was read.

    `path` is shown to users, `common_path` is the path that both sides of a comparison use ("" where that is `path`),
    `real` the real path on disk, "" in a commit. `text` reads a file by its path below the directory; None where no
    regular file of that path exists, or a larger one than a result may be.
    """

    path: str
    text: Callable[[str], str | None]
    common_path: str = ""
    real: str = ""

    def file(self, path: str) -> SourceFile | None:
        """A file of the directory, by its path below it; None as for `text`."""
        text = self.text(path)
        return None if text is None else self.named(path, text)

    def named(self, path: str, text: str = "") -> SourceFile:
        """A file of the directory, which may not exist, with the path that users see."""
        common_path = f"{self.common_path}/{path}" if self.common_path else ""
        return SourceFile(f"{self.path}/{path}", text, below_base=common_path)


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Every object of the inputs, the overlays among them, and the runtimes that may be referred to besides these: the
    library is the repositories' own, the catalogue comes with the tool; `packaged` are the names
    of all runtimes in it, asked for or not.

    `left_out` are overlays' directories below a directory that was read, `passed_by` what else was not read there, and
    why, `built` the directories of built files among these, `read_from` the real paths of all directories and files
    that were named, `limits` those of the repository.
    """

    inputs: tuple[Manifest, ...] = ()
    units: tuple[Unit, ...] = ()
    library: tuple[Manifest, ...] = ()
    catalogue: tuple[Manifest, ...] = ()
    packaged: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    library_diagnostics: tuple[Diagnostic, ...] = ()
    ignored: int = 0
    left_out: tuple[str, ...] = ()
    passed_by: tuple[str, ...] = ()
    built: tuple[BuiltDirectory, ...] = ()
    read_from: tuple[str, ...] = ()
    settings: tuple[Settings, ...] = ()
    limits: Limits = LIMITS
