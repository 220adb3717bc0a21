"""The files of a new repository are read as they are meant."""

from __future__ import annotations

import pytest
import yaml

from kubectl_trainjob.cli.scaffold import pieces
from kubectl_trainjob.kube.facts.supported import EMITS, TRAINER_VERSIONS
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.repository.files.config import read_config
from kubectl_trainjob.repository.files.overlay_file import OverlayFile, read_overlay


@pytest.mark.parametrize("version", TRAINER_VERSIONS)
@pytest.mark.parametrize("emit", EMITS)
def test_the_settings_are_settings(version: str, emit: str) -> None:
    file = pieces.settings(version, emit)
    config, diagnostics = read_config(SourceFile(file.path, file.text))
    assert diagnostics == []
    assert (file.path, config.trainer, config.emit, config.runtimes) == ("trainjob.yaml", version, emit, ("runtimes",))


def overlay(file: pieces.NewFile) -> OverlayFile:
    source = Source(SourceFile(file.path, file.text))
    found, diagnostics = read_overlay(yaml.safe_load(file.text), source)
    assert diagnostics == []
    assert found.resources == ("../../jobs",)
    return found


@pytest.mark.parametrize(
    ("file", "path", "namespace", "name_hash", "patches"),
    [
        pytest.param(pieces.development(), "overlays/dev/overlay.yaml", "dev", False, 0, id="dev"),
        pytest.param(pieces.production("a", 4), "overlays/prod/overlay.yaml", "prod", True, 1, id="prod"),
        pytest.param(pieces.production("a", 0), "overlays/prod/overlay.yaml", "prod", True, 0, id="prod on one node"),
        pytest.param(pieces.added_overlay("q", "n"), "overlays/q/overlay.yaml", "n", False, 0, id="another"),
    ],
)
def test_an_overlay_is_an_overlay(
    file: pieces.NewFile, path: str, namespace: str, name_hash: bool, patches: int
) -> None:
    found = overlay(file)
    settings = found.settings
    assert (file.path, settings.namespace, settings.name_hash) == (path, namespace, name_hash)
    assert len(found.patches) == patches


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(pieces.development(), id="dev"),
        pytest.param(pieces.production("a", 0), id="prod"),
        pytest.param(pieces.added_overlay("q", "n"), id="more"),
    ],
)
def test_what_stands_in_comments_is_right_too(file: pieces.NewFile) -> None:
    lines = file.text.splitlines()
    settings = [
        line.removeprefix("# ") for line in lines if line.startswith(("# labels:", "# images:", "# patches:", "#   "))
    ]
    head = [line for line in lines if not line.startswith("#")]
    found = overlay(pieces.NewFile(file.path, "\n".join([*head, *settings])))
    assert (len(found.settings.labels), len(found.settings.images), len(found.patches)) == (1, 1, 1)


def test_a_runtime_is_the_catalogue_s_to_the_letter() -> None:
    file = pieces.runtime("plain", "platform/runtimes", "2.3")
    assert (file.path, file.text) == ("platform/runtimes/plain.yaml", pieces.catalogue.read("plain"))
