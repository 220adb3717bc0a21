"""Every runtime of the catalogue and every worked example builds for Trainer 2.3, without a word."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.examples.examples import ALL_RUNTIMES, OVERLAYS, ROOT, RUNTIMES, Built, build, build_over, pods_of
from tests.tools import missing

_SCHEDULERS = {"coscheduling": "scheduler-plugins-scheduler", "volcano": "volcano"}
_FRAMEWORK = "trainer.kubeflow.org/framework"
_TAGGED = re.compile(r"[a-z0-9./-]+:(?!latest$)[\w.-]+|[a-z0-9./-]+@sha256:[0-9a-f]{64}")


@pytest.fixture(scope="module", params=RUNTIMES, ids=lambda path: path.stem)
def runtime(request: pytest.FixtureRequest) -> tuple[Path, dict[str, Any], str]:
    """A runtime's file, object and text."""
    text = request.param.read_text(encoding="utf-8")
    return request.param, yaml.safe_load(text), text


@pytest.fixture(scope="module", params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> tuple[str, Built]:
    """An overlay's folder, and what it becomes."""
    return request.param, build(request.param)


def test_a_runtime_is_named_as_its_file_and_says_what_it_is(runtime: tuple[Path, dict[str, Any], str]) -> None:
    path, body, text = runtime
    assert (body["kind"], body["metadata"]["name"]) == ("ClusterTrainingRuntime", path.stem)
    assert _FRAMEWORK in body["metadata"]["labels"]
    assert text.startswith("# ")
    assert re.search("#.* change(:| to)", text), "what to change is said"


def test_the_images_of_a_runtime_have_tags(runtime: tuple[Path, dict[str, Any], str]) -> None:
    images = [one["image"] for pod in pods_of(runtime[1]["spec"]["template"]) for one in pod["containers"]]
    assert images
    assert [image for image in images if not _TAGGED.fullmatch(image)] == []


def test_a_gang_has_its_scheduler(runtime: tuple[Path, dict[str, Any], str]) -> None:
    spec = runtime[1]["spec"]
    wanted = {_SCHEDULERS[policy] for policy in spec.get("podGroupPolicy", {})} or {None}
    assert {pod.get("schedulerName") for pod in pods_of(spec["template"])} == wanted


def test_a_job_over_a_runtime_builds_without_a_word(runtime: tuple[Path, dict[str, Any], str]) -> None:
    built = build_over(runtime[0])
    assert (built.exit_code, built.findings) == (0, [])
    (jobset,) = built.of_kind("JobSet")
    assert len(pods_of(jobset)) == len(pods_of(runtime[1]["spec"]["template"]))
    assert len(built.of_kind("PodGroup")) == len(runtime[1]["spec"].get("podGroupPolicy", {}))
    assert len(built.secrets) == ("mpi" in runtime[1]["spec"]["mlPolicy"])


def test_an_overlay_builds_without_a_word(overlay: tuple[str, Built]) -> None:
    _, built = overlay
    assert (built.exit_code, built.findings) == (0, [])
    assert all(one["metadata"].get("namespace") for one in built.of_kind("JobSet"))


def test_every_image_of_an_overlay_has_a_tag(overlay: tuple[str, Built]) -> None:
    images = {
        one["image"] for jobset in overlay[1].of_kind("JobSet") for pod in pods_of(jobset) for one in pod["containers"]
    }
    assert [image for image in sorted(images) if not _TAGGED.fullmatch(image)] == []


def test_dev_and_prod_are_of_the_same_jobs() -> None:
    dev, prod = (_names(build(f"overlays/vision/{name}")) for name in ("dev", "prod"))
    assert {re.sub(r"-dev$", "", name) for name in dev} == {
        "augment", "captions", "ranker", "resnet50", "sweep-1", "sweep-2", "vit",
    }  # fmt: skip
    assert {re.sub(r"-prod-[a-z0-9]+$", "", name) for name in prod} == {
        "augment", "captions", "ranker", "resnet50", "sweep-1", "sweep-2", "sweep-3", "sweep-4", "vit",
    }  # fmt: skip


def test_the_fleet_is_one_of_many_jobs() -> None:
    built = build("overlays/gpu-fleet")
    jobsets = built.of_kind("JobSet")
    assert len(jobsets) >= 20
    assert len({one["metadata"]["namespace"] for one in jobsets}) >= 5
    queued = [one for one in jobsets if "kueue.x-k8s.io/queue-name" in one["metadata"].get("labels", {})]
    assert len(queued) >= 10
    assert len({_gpus(one) for one in jobsets}) >= 4, "jobs of different sizes"
    used = {yaml.safe_load(text)["metadata"]["name"] for text in map(Path.read_text, RUNTIMES)}
    named = set(re.findall(r"^    name: (\S+)$", "".join(_texts("overlays/gpu-fleet")), re.MULTILINE))
    assert used - named == set(), "each runtime of the catalogue is used"


def test_nothing_lies_about_unused() -> None:
    """Each file below an overlay is named by one: a file that is forgotten would pass unseen."""
    listed = {path for found in ROOT.glob("overlays/**/overlay.yaml") for path in _listed(found)}
    files = {path for path in ROOT.glob("overlays/*/**/*") if path.is_file()}
    plain = set((ROOT / "overlays" / "fashion-mnist").glob("*"))
    assert files - plain - listed - {ROOT / folder / "overlay.yaml" for folder in OVERLAYS} == set()


@pytest.mark.slow
def test_a_wheel_has_the_catalogue_and_the_examples(tmp_path: Path) -> None:
    python = _installed(tmp_path)
    script = "from kubectl_trainjob.repository import catalogue as c; print(c.directory(), *c.names(), sep='\\n')"
    shown = subprocess.run([python, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    directory, *names = shown.stdout.splitlines()
    assert Path(directory).is_relative_to(tmp_path)
    assert names == sorted(path.stem for path in ALL_RUNTIMES)
    assert _contents(Path(directory).parent / "runtimes") == _contents(ROOT / "runtimes")
    assert _contents(Path(directory).parent / "overlays") == _contents(ROOT / "overlays")


@pytest.mark.slow
def test_an_installed_wheel_resolves_the_catalogue(tmp_path: Path) -> None:
    python = _installed(tmp_path)
    repository = tmp_path / "repository"
    repository.mkdir()
    head = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
    shutil.copy(ROOT / "overlays" / "fashion-mnist" / "job.yaml", repository)
    command = [python, "-m", "kubectl_trainjob", "build", "job.yaml"]

    (repository / "trainjob.yaml").write_text(head)
    without = subprocess.run(command, capture_output=True, text=True, cwd=repository, check=False)
    assert (without.returncode, without.stdout) == (1, "")
    assert "catalog: true" in without.stderr

    (repository / "trainjob.yaml").write_text(head + "catalog: true\n")
    resolved = subprocess.run(command, capture_output=True, text=True, cwd=repository, check=True)
    assert resolved.stderr == ""
    assert list(yaml.safe_load_all(resolved.stdout)) == _fashion_mnist()


def _fashion_mnist() -> list[dict[str, Any]]:
    return build("overlays/fashion-mnist").objects


def _names(built: Built) -> set[str]:
    return {one["metadata"]["name"] for one in built.of_kind("JobSet")}


def _gpus(jobset: dict[str, Any]) -> int:
    total = 0
    for job in jobset["spec"]["replicatedJobs"]:
        spec = job["template"]["spec"]
        limits = spec["template"]["spec"]["containers"][0].get("resources", {}).get("limits", {})
        total += spec["parallelism"] * int(limits.get("nvidia.com/gpu", 0))
    return total


def _texts(folder: str) -> Iterator[str]:
    return (path.read_text() for path in sorted((ROOT / folder).rglob("*")) if path.is_file())


def _listed(overlay: Path) -> Iterator[Path]:
    body = yaml.safe_load(overlay.read_text())
    named = [*body["resources"], *(patch["path"] for patch in body.get("patches", []) if "path" in patch)]
    for name in named:
        path = (overlay.parent / name).resolve()
        yield path / "overlay.yaml" if path.is_dir() else path


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _installed(folder: Path) -> str:
    """The Python of a fresh environment with our wheel; its dependencies are those of the tests' environment."""
    if importlib.util.find_spec("hatchling") is None:
        missing("hatchling is not installed; it comes with the extra `dev`")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    built = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", f"--wheel-dir={folder}", str(ROOT)]
    subprocess.run([*pip, *built], check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    (wheel,) = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([*pip, f"--python={python}", "install", "--no-deps", "--no-index", str(wheel)], check=True)
    (site,) = environment.rglob("site-packages")
    ours = importlib.util.find_spec("click")
    assert ours is not None
    assert ours.origin is not None
    # What stands in a .pth comes last, and .pth files there do not count: so a checkout installed there stays unseen.
    (site / "dependencies.pth").write_text(str(Path(ours.origin).parents[1]))
    return str(python)
