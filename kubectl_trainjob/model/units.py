"""What `repository` reads: manifests and overlays; `compiler.overlay` applies a tree of units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import Pointer, Source, SourceFile
from kubectl_trainjob.model.stages import Manifest


class Selector(NamedTuple):
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
    """`body` is a strategic merge patch (a mapping) or JSON 6902 operations (a list) at `pointer`.

    A merge patch without a `target` identifies its object itself. `index` counts the overlay's `patches`.
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


class ImageChange(NamedTuple):
    """One item of `images`: the changes of the image `name`; "" keeps a part."""

    name: str
    new_name: str = ""
    new_tag: str = ""
    digest: str = ""
    tag_suffix: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SweepItem:
    """One item of `sweeps` with its `target`, None if it has none."""

    body: Mapping[str, Any]
    target: Selector | None


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """The settings of one `overlay.yaml`, an overlay or a component; `source` is its document.

    `is_complete` says whether all its resources could be read: otherwise missing objects are not reported.
    """

    source: Source
    namespace: str = ""
    name_prefix: str = ""
    name_suffix: str = ""
    name_hash: bool = False
    labels: tuple[LabelSet, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)
    images: tuple[ImageChange, ...] = ()
    patches: tuple[Patch, ...] = ()
    sweeps: tuple[SweepItem, ...] = ()
    is_complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """An overlay and its resources. Those of a component are also all resources of the overlay that lists it."""

    overlay: Overlay
    resources: tuple[Manifest | Unit, ...]


def manifests_of(unit: Unit) -> Iterator[Manifest]:
    """Every object below an overlay, as it was read."""
    for resource in unit.resources:
        if isinstance(resource, Unit):
            yield from manifests_of(resource)
        else:
            yield resource


class PathRules(NamedTuple):
    """The settings of `lint.perPath` for files that match `pattern`, by their paths below the root."""

    pattern: str
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()


class LintSettings(NamedTuple):
    """The settings of lint in a `trainjob.yaml`. Rules have their id or name; `severity` has pairs (rule, severity).

    `schedulers` are the names of schedulers that place gangs. `delivery` is what applies the result: "argocd", "flux",
    "kubectl", or "" without a setting.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    per_path: tuple[PathRules, ...] = ()
    schedulers: tuple[str, ...] = ()
    delivery: str = ""


class OmeSettings(NamedTuple):
    """The settings of `ome`: pairs of scheme and image, pairs of model and path or URI, "" for no `claim`."""

    initializers: tuple[tuple[str, str], ...] = ()
    exporters: tuple[tuple[str, str], ...] = ()
    model_access: str = "hostPath"
    models: tuple[tuple[str, str], ...] = ()
    claim: str = ""


class TuningSettings(NamedTuple):
    """The settings of `tuning`: the most trials of a sweep, and the kind of Katib's trials (trainjob or jobset)."""

    max_trials: int = 100
    trial: str = "trainjob"


class AllowSettings(NamedTuple):
    """The settings of `allow`: what no controller implements, and a build to JobSets does."""

    elastic: bool = False
    extended_mpi: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the `trainjob.yaml` at `source` for a build; "" without a setting."""

    source: Source
    trainer: str = ""
    emit: str = ""
    lint: LintSettings = field(default_factory=LintSettings)
    ome: OmeSettings = field(default_factory=OmeSettings)
    tuning: TuningSettings = field(default_factory=TuningSettings)
    allow: AllowSettings = field(default_factory=AllowSettings)


@dataclass(frozen=True, slots=True, eq=False)
class BuiltDirectory:
    """A directory that `build -O` wrote, in the tree that was read.

    `path` is shown to users. Base and head of a comparison use `common_path` ("" if that is `path`). `real` is the real
    path on disk, "" in a commit. `text` reads a file by its path below the directory. It returns None for a file that
    is missing, not regular, or larger than a result can be.
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


SkippedFor = Literal["built", "template", "foreign", "chart", "link", "broken", "large"]


class SkippedEntry(NamedTuple):
    """An entry that reading a directory skipped.

    Built files, a template, a Helm chart, a link, or a file of another tool: a template, one with errors, or too large.
    Overlays that list a template render it.
    """

    path: str
    reason: SkippedFor


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Every object of the inputs with their overlays, and more runtimes to refer to: those of the repositories
    (`library`) and of this tool (`catalogue` for a version of Trainer; `packaged` are the names of all runtimes in it,
    read or not, with the versions of Trainer that have them).

    `unread_overlays` are overlays' directories below a directory that was read, and `skipped` are other entries not
    read there. `built` has the directories of built files among these. `read_from` has the real paths of all
    directories and files that were passed. `found` has the files that reading directories found, as shown. `forgiven`
    says why files of other tools cannot be read, which is allowed. `limits` are those of the repository.
    `is_declared` says whether a path or a setting named what is deployed together; otherwise all files of a repository
    were read.
    """

    inputs: tuple[Manifest, ...] = ()
    units: tuple[Unit, ...] = ()
    library: tuple[Manifest, ...] = ()
    catalogue: Callable[[str], tuple[Manifest, ...]] = lambda _trainer: ()
    packaged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    library_diagnostics: tuple[Diagnostic, ...] = ()
    ignored: int = 0
    unread_overlays: tuple[str, ...] = ()
    skipped: tuple[SkippedEntry, ...] = ()
    built: tuple[BuiltDirectory, ...] = ()
    read_from: tuple[str, ...] = ()
    found: frozenset[str] = frozenset()
    forgiven: tuple[Diagnostic, ...] = ()
    settings: tuple[Settings, ...] = ()
    limits: Limits = LIMITS
    is_declared: bool = True
