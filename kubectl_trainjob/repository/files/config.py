"""`trainjob.yaml`: what a team has agreed on for its repository.

Kind `Config` of kubectl-trainjob.dev/v1alpha1. A setting that has no effect yet is refused rather than ignored.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.supported import EMITS, SUPPORTED_TARGETS
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.rules import INVALID_SETTING, UNSUPPORTED_TARGET
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.units import LintSettings
from kubectl_trainjob.repository.files.lint_settings import lint_settings
from kubectl_trainjob.repository.files.settings import HEAD, HEADLESS, Fields
from kubectl_trainjob.repository.yaml.read import read_stream

_SETTINGS = ("target", "emit", "runtimes", "catalog", "ignore", "limits", "lint", "delivery")
_PLANNED = dict.fromkeys(("ome", "tuning", "allow"), ": it is planned, but not supported by this version; remove it")
_LARGEST = 1 << 53
_LONGEST = 3600  # seconds
_MOST_PATTERNS = 100  # each is held against each file


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one root; `trainer` and `emit` are "" where they are not stated.

    `source` is the document, None where there is no such file.
    """

    trainer: str = ""
    emit: str = ""
    runtimes: tuple[str, ...] = ("runtimes",)
    catalog: bool = False
    ignore: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    lint: LintSettings = field(default_factory=LintSettings)
    source: Source | None = None

    def is_in(self, file: SourceFile) -> bool:
        """Whether these settings stand in a file, or one that says the same."""
        return self.source is not None and self.source.file.text == file.text

    def limited(self, limits: Limits) -> Limits:
        """`limits` with those that are stated here."""
        return replace(limits, **self.limits) if self.limits else limits


def read_config(file: SourceFile) -> tuple[Config, list[Diagnostic]]:
    """The settings, and what is wrong with them; with anything wrong, all have their defaults."""
    reading = read_stream(file)
    if reading.diagnostics:
        return Config(source=Source(file)), reading.diagnostics
    if len(reading.objects) != 1:
        place = Place(Source(file, 1 if reading.objects else 0))
        return Config(), [Diagnostic(INVALID_SETTING, "trainjob.yaml must hold one document of kind Config", place)]
    body, source = reading.objects[0]
    if body.get("apiVersion") is None and body.get("kind") is None:
        return Config(source=source), [Diagnostic(INVALID_SETTING, HEADLESS, Place(source))]
    settings = Fields(body, Place(source), INVALID_SETTING, [])
    config = _config(settings, source)
    return (Config(source=source), settings.found) if settings.found else (config, [])


def _config(settings: Fields, source: Source) -> Config:
    settings.refuse_unknown((*HEAD, *_SETTINGS), _PLANNED)
    settings.refuse_other_head("Config", "trainjob.yaml")
    return Config(
        trainer=_trainer(settings),
        emit=settings.text("emit", EMITS),
        runtimes=_runtimes(settings),
        catalog=settings.flag("catalog"),
        ignore=_ignore(settings),
        limits=_limits(settings),
        lint=lint_settings(settings),
        source=source,
    )


def _trainer(settings: Fields) -> str:
    target = settings.below("target")
    target.refuse_unknown(tuple(SUPPORTED_TARGETS))
    stated = {product: target.text(product) for product in SUPPORTED_TARGETS}
    for product, version in stated.items():
        supported = SUPPORTED_TARGETS[product]
        if version and version not in supported:
            message = f'{product} "{version}" is not supported; supported: {", ".join(supported)}'
            target.found.append(Diagnostic(UNSUPPORTED_TARGET, message, target.place.child(product)))
    return stated["trainer"]


def _runtimes(settings: Fields) -> tuple[str, ...]:
    if "runtimes" not in settings.body:
        return Config().runtimes
    folders = settings.texts("runtimes")
    for folder in folders:
        if not _is_below(folder):
            message = f'"{folder}" is no folder below the repository\'s root; write a path such as platform/runtimes'
            settings.refuse(message, "runtimes", settings.body["runtimes"].index(folder))
    return tuple(map(posixpath.normpath, folders))


def _is_below(folder: str) -> bool:
    return (
        posixpath.normpath(folder) != "."
        and not folder.startswith("/")
        and ".." not in folder.split("/")
        and "\0" not in folder
    )


def _ignore(settings: Fields) -> tuple[str, ...]:
    patterns = settings.texts("ignore")
    if len(patterns) > _MOST_PATTERNS:
        settings.refuse(
            f"ignore has more than {_MOST_PATTERNS} patterns, the limit; ignore whole directories", "ignore"
        )
        return ()
    for index, pattern in enumerate(patterns):
        if not pattern.strip("/") or ".." in pattern.split("/") or pattern.startswith("!"):
            message = f'"{pattern}" is no pattern of paths below the root; write one such as charts/** or "*.tmpl.yaml"'
            settings.refuse(message, "ignore", index)
    return patterns


def _limits(settings: Fields) -> dict[str, int]:
    stated = settings.below("limits")
    names = {_camel(each.name): each.name for each in fields(Limits) if each.name != "depth"}
    stated.refuse_unknown(tuple(names))
    found = {name: _size(stated, spelled) for spelled, name in names.items() if spelled in stated.body}
    return {name: size or getattr(LIMITS, name) for name, size in found.items()}


def _size(stated: Fields, name: str) -> int:
    """A whole number, or a quantity such as 64Mi."""
    size = _whole(stated.body[name])
    if name.endswith("Seconds") and size > _LONGEST:
        stated.refuse(f"limits.{name} must be at most {_LONGEST}", name)
    if not 0 < size <= _LARGEST:
        stated.refuse(f"limits.{name} must be a positive whole number, or a quantity such as 64Mi", name)
    return size


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return 0
    try:
        return Quantity.parse(value).value()
    except QuantityError:
        return 0


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
