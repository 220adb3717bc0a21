"""What `build` imports: start-up is most of the time that one job takes."""

import re
import sys

import pytest

from tests.benchmark import corpus
from tests.gates.conftest import python

pytestmark = pytest.mark.gate

# Each of these costs more than reading, expanding and printing a job. jsonschema_rs: 40 to 70 ms.
_FORBIDDEN = """
asyncio concurrent ctypes doctest email ftplib http importlib.metadata importlib.resources jinja2 jsonpatch jsonschema
jsonschema_rs kubernetes logging multiprocessing pdb pydantic pydoc queue requests rich ruamel socket sqlite3 ssl
subprocess tempfile unittest urllib.request xml zipfile
"""
FORBIDDEN = _FORBIDDEN.split()
OWN_PARTS_NOT_NEEDED = [
    "cluster",
    "compiler.overlay",
    "frontends",
    "lint",
    "report.diagnostics",
    "repository.files.overlays",
    "repository.output.built_index",
    "repository.output.directory",
    "repository.output.folder",
    "repository.output.layout",
    "repository.positions",
    "repository.templates",
    "repository.yaml.spans",
    "review",
]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    file = tmp_path_factory.mktemp("plain") / "jobs.yaml"
    corpus.write_stream(file, 7)
    done = python("-X", "importtime", "-m", "kubectl_trainjob", "build", str(file))
    assert done.stdout.count("kind: JobSet") == 7
    return set(re.findall(r"^import time:.*\| +([\w.]+)$", done.stderr, re.MULTILINE))


def test_build_imports_nothing_heavy(imported, note_figure):
    ours = sum(module.startswith("kubectl_trainjob") for module in imported)
    note_figure(f"modules imported by a build: {len(imported)}, {ours} of them ours")
    heavy = {module for module in imported for name in FORBIDDEN if f"{module}.".startswith(f"{name}.")}
    assert not heavy


def test_build_imports_no_package_but_click_and_yaml(imported):
    packages = {module.split(".")[0] for module in imported}
    foreign = packages - sys.stdlib_module_names - {"kubectl_trainjob"}
    of_python = {"org", "sitecustomize", "usercustomize"}  # tried by `copy` and `site`
    assert {name for name in foreign - of_python if not name.startswith("_")} <= {"click", "yaml"}


def test_build_imports_no_part_that_it_does_not_need(imported):
    names = [f"kubectl_trainjob.{part}." for part in OWN_PARTS_NOT_NEEDED]
    assert not {module for module in imported if f"{module}.".startswith(tuple(names))}
