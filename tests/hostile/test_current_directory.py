"""What lies in the current directory is read, never run: it may be a stranger's repository."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.loops import sample
from tests.tools import require

_PROGRAM = "import pathlib; pathlib.Path('ran').touch(); raise SystemExit('ran')\n"


_NAMES = ("yaml", "click", "re", "jinja2", "jsonpatch", "sitecustomize")
_CASES = [(program, name) for program in ("module", "script") for name in _NAMES]


# `python -m kubectl_trainjob` means the package of this name that lies there.
@pytest.mark.parametrize(
    ("program", "name"), sample([pytest.param(*each) for each in [*_CASES, ("script", "kubectl_trainjob")]], every=7)
)
def test_no_module_of_it_is_imported(program: str, name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text(_PROGRAM)
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "overlay.yaml").write_text(
        "{apiVersion: kubectl-trainjob.dev/v1alpha1, kind: Overlay, resources: [a.yaml.j2],"
        " patches: [{target: {kind: ConfigMap}, patch: [{op: add, path: /data, value: {}}]}]}"
    )
    (tmp_path / "o" / "a.yaml.j2").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    command = [sys.executable, "-m", "kubectl_trainjob"] if program == "module" else [require("kubectl-trainjob")]
    done = subprocess.run([*command, "build", "o"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not (tmp_path / "ran").exists()
    assert (done.returncode, "kind: ConfigMap" in done.stdout) == (0, True), done.stderr
