"""Which repository a PATH belongs to, and which links on its way are followed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_trainjob.repository.files.find_root import DiskLinks, find_root, is_configured
from kubectl_trainjob.repository.files.find_root import real_path as real_path_from
from kubectl_trainjob.repository.files.root import UnsafePathError
from tests.reading import current

_CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"


def real_path(path: str) -> str:
    """Where a path leads from the current directory."""
    return real_path_from(path, current(), DiskLinks())


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`repo` with `.git`, and `other` beside it, each with `d/file`; the directory above is the current one."""
    for name in ("repo/.git", "repo/d", "other/d", "repo-secrets"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("repo", "other"):
        (tmp_path / name / "d/file").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("links", "path"),
    [
        pytest.param({}, "repo/d/file", id="no link"),
        pytest.param({}, "./repo//d/../d/./file", id="roundabout"),
        pytest.param({}, "repo/d/../../other/d/file", id="up"),
        pytest.param({}, "repo/nowhere/file", id="missing"),
        pytest.param({"repo/l": "d"}, "repo/l/file", id="inside"),
        pytest.param({"repo/l": "../repo/d"}, "repo/l/file", id="out and in again"),
        pytest.param({"repo/l": ".", "repo/m": "l/l/l/d"}, "repo/l/m/file", id="links of links"),
        pytest.param({"l": "repo"}, "l/d/file", id="into the repository"),
        pytest.param({"repo/l": "d"}, "repo/l/../d/file", id="up behind a link"),
        pytest.param({"l": "other/d"}, "l/../d/file", id="up behind a link that lies in no repository"),
        pytest.param({"other/l": "../repo/d", "l": "other"}, "l/l/file", id="nobody's link to nobody's link"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "absolute"])
def test_links_that_are_followed(beside: Path, links: dict[str, str], path: str, prefix: str) -> None:
    for link, target in links.items():
        (beside / link).symlink_to(target)
    named = f"{beside}/{path}" if prefix else path
    assert real_path(named) == os.path.realpath(named)


@pytest.mark.parametrize(
    ("links", "path"),
    [
        pytest.param({"repo/l": "../other/d"}, "repo/l/file", id="out"),
        pytest.param({"repo/l": "../other"}, "repo/l/d/../d/file", id="above what is named"),
        pytest.param({"repo/l": "/"}, "repo/l", id="to the root"),
        pytest.param({"repo/l": ".."}, "repo/l", id="above"),
        pytest.param({"repo/l": "../repo-secrets"}, "repo/l", id="to a sibling"),
        pytest.param({"repo/l": "../nowhere"}, "repo/l", id="to nowhere outside"),
        pytest.param({"repo/l": "/proc/self/environ"}, "repo/l", id="to the environment"),
        pytest.param({"repo/l": "m", "repo/m": "../other"}, "repo/l", id="by two links"),
        pytest.param({"l": "repo/m", "repo/m": "../other"}, "l/d/file", id="by a link that is nobody's"),
        pytest.param({"repo/d/l": "../../repo/m", "repo/m": "../other"}, "repo/d/l", id="in again and out"),
    ],
)
def test_links_out_of_a_repository_are_rejected(beside: Path, links: dict[str, str], path: str) -> None:
    for link, target in links.items():
        (beside / link).symlink_to(target)
    with pytest.raises(UnsafePathError, match="leads out of the repository; pass the target of the link"):
        real_path(path)


@pytest.mark.parametrize("mark", [".git", "trainjob.yaml"])
def test_what_marks_a_repository(beside: Path, mark: str) -> None:
    (beside / "other/l").symlink_to("../repo")
    assert real_path("other/l") == str(beside / "repo")
    (beside / "other" / mark).write_text(_CONFIG)
    with pytest.raises(UnsafePathError):
        real_path("other/l")


@pytest.mark.parametrize("links", [{"l": "l"}, {"l": "m", "m": "l"}, {"l": "m/l", "m": "."}], ids=str)
def test_loops_of_links(beside: Path, links: dict[str, str]) -> None:
    for link, target in links.items():
        (beside / link).symlink_to(target)
    with pytest.raises(OSError, match="Too many levels"):
        real_path("l")


def test_link_with_a_very_long_target(beside: Path) -> None:
    (beside / "repo/l").symlink_to("d/../" * 800 + "d")
    assert real_path("repo/l/file") == str(beside / "repo/d/file")


@pytest.mark.usefixtures("beside")
def test_pipe_of_a_shell_may_be_named() -> None:
    out, into = os.pipe()
    try:
        assert real_path(f"/dev/fd/{out}").startswith("/")
    finally:
        os.close(out)
        os.close(into)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        pytest.param(lambda path: path.write_text(_CONFIG), True, id="ours"),
        pytest.param(lambda path: path.write_text("kind: TrainJob\n"), False, id="another's"),
        pytest.param(lambda path: path.write_text(_CONFIG.replace("apiV", "apiv")), True, id="ours, misspelt"),
        pytest.param(lambda path: path.write_text("kind: Config\nemit: jobset\n"), True, id="without apiVersion"),
        pytest.param(lambda path: path.write_text("# ours\nemit: jobset\n"), True, id="without apiVersion and kind"),
        pytest.param(lambda path: path.write_text("{emit: jobset}"), True, id="braces without apiVersion and kind"),
        pytest.param(lambda path: path.write_text("{a: 1, kind: TrainJob}"), False, id="another's in braces"),
        pytest.param(lambda path: path.write_text('{\n    "kind": "List"\n}'), False, id="another's in JSON"),
        pytest.param(lambda path: path.write_text("apiVersion: v1\nkind: Config\n"), False, id="a kubeconfig"),
        pytest.param(lambda path: path.write_text("# nothing\n---\n"), False, id="empty"),
        pytest.param(lambda path: path.write_text("a: 1\n" * (1 << 16)), False, id="long, without them so far"),
        pytest.param(lambda path: path.write_text("#" * (1 << 20) + "\n" + _CONFIG), False, id="far below"),
        pytest.param(lambda path: path.mkdir(), False, id="directory"),
        pytest.param(lambda _path: None, False, id="nothing"),
        pytest.param(lambda path: path.symlink_to("/dev/null"), True, id="link"),
        pytest.param(lambda path: path.symlink_to("nowhere"), True, id="link to nowhere"),
        pytest.param(lambda path: path.symlink_to("."), True, id="link to a directory"),
        pytest.param(os.mkfifo, True, id="pipe"),
    ],
)
def test_what_cannot_be_looked_at_counts_as_configuration(
    tmp_path: Path, make: Callable[[Path], object], expected: bool
) -> None:
    make(tmp_path / "trainjob.yaml")
    (tmp_path / "below").mkdir()
    assert is_configured(str(tmp_path)) == expected
    if expected:
        assert find_root(str(tmp_path / "below")) == str(tmp_path)
