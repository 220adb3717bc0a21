"""Hostile manifests through `read`, each in its own process: the right error, in bounded time and memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.yaml.compose import BACKEND
from kubectl_trainjob.repository.yaml.read import Reader
from tests.hostile.inputs import HOSTILE, Hostile
from tests.loops import sample
from tests.reading import read

pytestmark = pytest.mark.slow

_MEBIBYTES = 100  # a bomb that goes off takes gigabytes
_REPOSITORY = Path(__file__).parents[2]
_BOMBS = [name for name in HOSTILE if len(HOSTILE[name].make()) > 8_000 or "alias" in name or "merge" in name]


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_right_error(hostile: Hostile) -> None:
    documents = read(["-"], lambda _most: hostile.make())
    assert {found.rule.id for found in documents.diagnostics} == hostile.rules


@pytest.mark.parametrize("name", sample(_BOMBS, every=3))
def test_bounded(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.measured"],
        input=HOSTILE[name].make(),
        capture_output=True,
        check=False,
        cwd=_REPOSITORY,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout)
    assert {rule for rule, *_ in result["found"]} <= HOSTILE[name].rules
    assert result["mebibytes"] < _MEBIBYTES


@pytest.mark.skipif(BACKEND == "python", reason="PyYAML has no libyaml here, so there is one backend")
@pytest.mark.parametrize("name", [name for name in HOSTILE if name not in _BOMBS])
def test_backends_reject_alike(name: str) -> None:
    try:
        file = SourceFile("-", HOSTILE[name].make().decode())
    except UnicodeDecodeError:
        return
    ids = [
        {found.rule.id for found in Reader(backend=backend).read(file).diagnostics} for backend in ("libyaml", "python")
    ]
    assert ids[0] == ids[1]
