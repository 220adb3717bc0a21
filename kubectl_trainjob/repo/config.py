"""`trainjob.yaml`: what a team has agreed on for its repository.

Kind `Config` of kubectl-trainjob.dev/v1alpha1. Only `target` and `runtimes` have an effect yet; every other setting is
refused rather than ignored.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_trainjob.api.supported import SUPPORTED_TARGETS
from kubectl_trainjob.findings.diagnostic import Diagnostic
from kubectl_trainjob.findings.settings import INVALID_SETTING, UNSUPPORTED_TARGET
from kubectl_trainjob.source import Place, Source, SourceFile
from kubectl_trainjob.yamlio.nearest import nearest
from kubectl_trainjob.yamlio.read import read_stream

_SETTINGS = ("target", "runtimes")
_PLANNED = ("emit", "limits", "catalog", "ignore", "lint", "delivery", "ome", "tuning", "allow")
_HEAD = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one root; `trainer` is "" where no version is targeted, `place` where the target stands."""

    trainer: str = ""
    runtimes: tuple[str, ...] = ("runtimes",)
    place: Place | None = None


def read_config(file: SourceFile) -> tuple[Config, list[Diagnostic]]:
    """The settings, and what is wrong with them; a setting that is wrong has its default."""
    reading = read_stream(file)
    if reading.diagnostics:
        return Config(), reading.diagnostics
    if len(reading.objects) != 1:
        place = Place(Source(file, 1 if reading.objects else 0))
        return Config(), [Diagnostic(INVALID_SETTING, "trainjob.yaml must hold one document of kind Config", place)]
    body, source = reading.objects[0]
    diagnostics = [*_unknown(body, source), *_head(body, source), *_target(body, source), *_runtimes(body, source)]
    if diagnostics:
        return Config(), diagnostics
    trainer = str((body.get("target") or {}).get("trainer", ""))
    folders = tuple(map(posixpath.normpath, body.get("runtimes", Config().runtimes)))
    return Config(trainer, folders, Place(source, ("target", "trainer"))), []


def _invalid(source: Source, message: str, *pointer: str | int) -> Diagnostic:
    return Diagnostic(INVALID_SETTING, message, Place(source, pointer))


def _head(body: Mapping[str, Any], source: Source) -> Iterator[Diagnostic]:
    for field, expected in (("apiVersion", "kubectl-trainjob.dev/v1alpha1"), ("kind", "Config")):
        if body.get(field) != expected:
            yield _invalid(source, f'{field} of trainjob.yaml must be "{expected}"', field)


def _unknown(body: Mapping[str, Any], source: Source) -> Iterator[Diagnostic]:
    for key in body:
        if key in _PLANNED:
            yield _invalid(source, f'setting "{key}" is not supported by this version; remove it', key)
        elif key not in _SETTINGS + _HEAD:
            yield _invalid(source, f'there is no setting "{key}"{_hint(key, _SETTINGS)}', key)


def _hint(word: str, known: tuple[str, ...]) -> str:
    meant = nearest(word, known)
    return f'; did you mean "{meant}"?' if meant else f" (there are {', '.join(known)})"


def _target(body: Mapping[str, Any], source: Source) -> Iterator[Diagnostic]:
    target = body.get("target", {})
    if not isinstance(target, dict):
        yield _invalid(source, 'target must be a mapping such as {trainer: "2.3"}', "target")
        return
    for product, version in target.items():
        supported = SUPPORTED_TARGETS.get(product)
        if supported is None:
            hint = _hint(product, tuple(SUPPORTED_TARGETS))
            yield _invalid(source, f'there is no target "{product}"{hint}', "target", product)
        elif not isinstance(version, str):
            message = f'{product} must be text, not the number {version}: write "{version}" in quotes'
            yield _invalid(source, message, "target", product)
        elif version not in supported:
            message = f'{product} "{version}" is not supported; supported: {", ".join(supported)}'
            yield Diagnostic(UNSUPPORTED_TARGET, message, Place(source, ("target", product)))


def _runtimes(body: Mapping[str, Any], source: Source) -> Iterator[Diagnostic]:
    folders = body.get("runtimes", [])
    if not isinstance(folders, list):
        yield _invalid(source, "runtimes must be a list of folders below the repository's root", "runtimes")
        return
    for index, folder in enumerate(folders):
        if not isinstance(folder, str) or not _is_below(folder):
            message = f'"{folder}" is no folder below the repository\'s root; write a path such as platform/runtimes'
            yield _invalid(source, message, "runtimes", index)


def _is_below(folder: str) -> bool:
    return (
        posixpath.normpath(folder) != "."
        and not folder.startswith("/")
        and ".." not in folder.split("/")
        and "\0" not in folder
    )
