"""Paths to documents: which files are read, from which root, and what becomes of each document."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.units import Documents, manifests_of
from kubectl_trainjob.repository.positions import Locator
from tests.reading import read

_JOB = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: %s}\n"
_RUNTIME = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: %s}\n"
_OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
_CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files of a repository, which is the current directory: `write({"jobs/a.yaml": text})`."""
    repository = tmp_path / "repo"
    (repository / ".git").mkdir(parents=True)
    monkeypatch.chdir(repository)

    def files(content: dict[str, str | bytes]) -> None:
        for path, text in content.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(text if isinstance(text, bytes) else text.encode())

    return files


def _read(*paths: str, stdin: bytes = b"", **limits: int) -> Documents:
    return read(paths, lambda _most: stdin, replace(LIMITS, **limits))


def _names(documents: Documents) -> list[str]:
    return [manifest.id.name for manifest in documents.inputs]


def _errors(documents: Documents) -> list[tuple[str, str, int, int]]:
    found = [(d.rule.id, d.place.source.file.path, Locator().resolve(d.place).span) for d in documents.diagnostics]
    return [(rule, path, span.line, span.column) for rule, path, span in found]


def test_directory_is_read_recursively_and_sorted(write: Write) -> None:
    write(
        {f"jobs/{path}": _OTHER % path.replace("/", "-") for path in ("b.yaml", "a/z.yml", "c.json/x.yaml", "a.yaml")}
    )
    documents = _read("jobs")
    assert _names(documents) == ["a-z.yml", "a.yaml", "b.yaml", "c.json-x.yaml"]
    assert [m.source.file.path for m in documents.inputs][:2] == ["jobs/a/z.yml", "jobs/a.yaml"]


def test_what_a_directory_leaves_out(write: Write) -> None:
    broken = "a: [\n"
    write({"jobs/a.yaml": _OTHER % "a"})
    unread_overlays = [
        ".hidden.yaml",
        ".cache/x.yaml",
        "o/overlay.yaml",
        "o/x.yaml",
        "o/deep/x.yaml",
        "notes.txt",
        "x.yaml.bak",
    ]
    write({f"jobs/{path}": broken for path in [*unread_overlays, "kustomization.yaml", "k/kustomization.yml"]})
    write({"jobs/o/overlay.yaml": "resources: [\n"})
    documents = _read("jobs")
    assert _names(documents) == ["a"]
    assert [found.rule.id for found in documents.diagnostics] == ["KTJ028", "KTJ028"]


def test_configuration_is_no_object(write: Write) -> None:
    kustomize = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: %s\n"
    write({"trainjob.yaml": _CONFIG, "a.yaml": kustomize % "Kustomization", "b.yaml": kustomize % "Component"})
    write({"d.yaml": _OTHER % "d"})
    flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux}\n"
    write({"e.yaml": flux})
    documents = _read(".")
    assert _names(documents) == ["d", "flux"]
    assert ([found.rule.id for found in documents.diagnostics], documents.ignored) == (["KTJ028", "KTJ028"], 0)


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("jobs/overlay.yml", _CONFIG.replace("Config", "Overlay"), "KTJ040"),
        ("trainjob.yml", _CONFIG, "KTJ040"),
        ("jobs/a.yaml", _CONFIG.replace("Config", "Overlays"), "KTJ040"),
        ("jobs/trainjob.yaml", _CONFIG, "KTJ043"),
    ],
)
def test_configuration_that_has_no_effect_is_reported(write: Write, path: str, text: str, rule: str) -> None:
    write({path: text, "a.yaml": _OTHER % "a"})
    assert [found.rule.id for found in _read(".").diagnostics] == [rule]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        pytest.param("trainjob.yaml", "emit: trainjob\n", 1, id="settings"),
        pytest.param("trainjob.yaml", "# ours\nlimits: {documents: 5}\n", 2, id="below a comment"),
        pytest.param("trainjob.yaml", "{ignore: [charts]}", 1, id="in braces"),
        pytest.param("jobs/trainjob.yaml", "emit: trainjob\n", 1, id="in the directory that is read"),
        pytest.param("jobs/deep/trainjob.yaml", "emit: trainjob\n", 1, id="in a directory below"),
    ],
)
@pytest.mark.parametrize("named", [".", "jobs"])
def test_settings_that_do_not_say_what_they_are(write: Write, path: str, text: str, line: int, named: str) -> None:
    """By its name the file should count, so nobody may believe that it does."""
    write({path: text, "jobs/a.yaml": _OTHER % "a"})
    documents = _read(named)
    assert [(rule, where, found) for rule, where, found, _ in _errors(documents)] == [("KTJ040", path, line)]
    assert (_names(documents), documents.ignored) == (["a"], 0)


def test_a_training_set_is_an_object_like_others(write: Write) -> None:
    """A repository may have those of its own jobs; the other kinds of the group are configuration."""
    write({"set.yaml": "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: TrainingSet\nmetadata: {name: a}\n"})
    documents = _read(".")
    assert (_errors(documents), _names(documents)) == ([], ["a"])


@pytest.mark.parametrize(
    ("text", "line", "advice"),
    [
        pytest.param("name: a\n", 3, 'and write "metadata:" above it', id="without metadata"),
        pytest.param("metadata:\nname: a\n", 4, 'below "metadata:"', id="below an empty key"),
        pytest.param("metadata:\n  labels: {a: b}\nname: a\n", 5, 'below "metadata:"', id="beside metadata"),
        pytest.param("metadata:\n  name:a\n", 4, 'write a blank after ":"', id="without a blank"),
        pytest.param("metadata: {}\n", 3, "add metadata.name", id="none"),
        pytest.param("metadata:\n  nmae: a\n", 4, 'write "name" in place of "nmae"', id="misspelt"),
        pytest.param("Metadata:\n  name: a\n", 3, 'write "metadata" in place of "Metadata"', id="a capital"),
    ],
)
def test_a_name_at_a_wrong_place(write: Write, text: str, line: int, advice: str) -> None:
    write({"a.yaml": "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n" + text})
    documents = _read("a.yaml")
    assert [(rule, found) for rule, _, found, _ in _errors(documents)] == [("KTJ031", line)]
    assert str(documents.diagnostics[0].message).endswith(advice)


def test_documents_without_a_type_are_counted(write: Write) -> None:
    write({"values.yaml": "image: x\n---\nreplicas: 3\n---\n" + _OTHER % "a"})
    documents = _read(".")
    assert (_names(documents), documents.ignored) == (["a"], 2)


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        pytest.param("kind: A\nmetadata: {name: a}\n", [("KTJ030", 1, 1)], id="no apiVersion"),
        pytest.param("# x\napiVersion: v1\n", [("KTJ030", 2, 1)], id="no kind"),
        pytest.param("apiVersion: v1\nkind: 5\n", [("KTJ030", 2, 7)], id="kind is a number"),
        pytest.param("apiVersion: 1.5\nkind: A\n", [("KTJ030", 1, 13)], id="apiVersion is a number"),
        pytest.param("apiVersion: v1\nkind: ''\n", [("KTJ030", 2, 7)], id="kind is empty"),
        pytest.param("apiVersion: v1\nkind: A\nmetadata:\n  labels: {}\n", [("KTJ031", 3, 1)], id="no name"),
        pytest.param("apiVersion: v1\nkind: A\n", [("KTJ031", 1, 1)], id="no metadata"),
        pytest.param("apiVersion: v1\nkind: A\nmetadata: {name: 5}\n", [("KTJ031", 3, 18)], id="name is a number"),
        pytest.param("apiVersion: v1\nkind: A\nmetadata: {generateName: a-}\n", [], id="generated name"),
        pytest.param(_JOB % "5", [], id="a TrainJob's name is for its schema"),
        pytest.param(_OTHER % "a, namespace: 5", [("KTJ031", 3, 32)], id="namespace is a number"),
        pytest.param(_OTHER % "a, namespace: {}", [("KTJ031", 3, 32)], id="namespace is a mapping"),
        pytest.param("kind: List\nitems: [{a: b}]", [("KTJ030", 2, 9)], id="item of a List without a type"),
    ],
)
def test_type_and_name(write: Write, text: str, errors: list[tuple[str, int, int]]) -> None:
    write({"a.yaml": text})
    documents = _read("a.yaml")
    assert [(rule, line, column) for rule, _, line, column in _errors(documents)] == errors
    assert len(documents.inputs) == (not errors)
    assert all(manifest.id.namespace == "" for manifest in documents.inputs)


def test_each_file_counts_once(write: Write) -> None:
    write({"jobs/a.yaml": _OTHER % "a", "jobs/b.yaml": _OTHER % "b"})
    Path("link.yaml").symlink_to("jobs/a.yaml")
    assert _names(_read("jobs/b.yaml", "jobs", "./jobs/../jobs", "link.yaml", os.path.abspath("jobs/a.yaml"))) == [
        "b",
        "a",
    ]


def test_named_path_may_be_a_link(write: Write) -> None:
    write({"jobs/a.yaml": _JOB % "a", "runtimes/r.yaml": _RUNTIME % "r"})
    Path("link").symlink_to("jobs")
    documents = _read("link")
    assert [m.source.file.path for m in documents.inputs] == ["link/a.yaml"]
    assert [m.id.name for m in documents.library] == ["r"]


def test_standard_input(write: Write) -> None:
    write({"runtimes/r.yaml": _RUNTIME % "r"})
    documents = _read("-", "-", stdin=b"\xef\xbb\xbf" + (_JOB % "a").encode())
    assert _names(documents) == ["a"]
    assert documents.inputs[0].source.file.path == "-"
    assert [m.source.file.path for m in documents.library] == ["runtimes/r.yaml"]


def test_pipe_may_be_named(write: Write) -> None:
    write({"runtimes/r.yaml": _RUNTIME % "r"})
    out, into = os.pipe()
    os.write(into, (_JOB % "a").encode())
    os.close(into)
    documents = _read(f"/dev/fd/{out}")
    os.close(out)
    assert (_names(documents), len(documents.library)) == (["a"], 1)


@pytest.mark.parametrize("marker", ["configuration", "git directory", "git file", "none"])
def test_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: str) -> None:
    """runtimes/ is looked up beside the marker that is found upward."""
    top = tmp_path / "top"
    files = {"runtimes/r.yaml": _RUNTIME % "top", "a/b/job.yaml": _JOB % "a", "a/b/runtimes/r.yaml": _RUNTIME % "own"}
    if marker == "configuration":
        files["trainjob.yaml"] = _CONFIG
        files["a/.git"] = "gitdir: elsewhere\n"  # the configured root wins over a nearer git top level
        files["a/b/trainjob.yaml"] = _JOB % "a"  # a job that is kept in a file of that name is no configuration
    elif marker == "git directory":
        files[".git/HEAD"] = ""
    elif marker == "git file":
        files[".git"] = ""
    for path, text in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text)
    monkeypatch.chdir(top / "a")
    documents = _read("b/job.yaml")
    assert [m.id.name for m in documents.library] == ["own" if marker == "none" else "top"]
    assert [m.source.file.path for m in documents.library] == [
        "b/runtimes/r.yaml" if marker == "none" else "../runtimes/r.yaml"
    ]


def test_library_is_what_is_not_among_the_inputs(write: Write) -> None:
    write(
        {
            "jobs/a.yaml": _JOB % "a",
            "runtimes/r.yaml": _RUNTIME % "r",
            "runtimes/s.yaml": _RUNTIME % "s" + "---\n" + _OTHER % "x",
        }
    )
    assert [m.id.name for m in _read("jobs").library] == ["r", "s"]
    assert [m.id.name for m in _read("jobs", "runtimes/r.yaml").library] == ["s"]
    assert _read(".").library == ()


def test_library_is_read_for_jobs_only(write: Write) -> None:
    write({"a.yaml": _OTHER % "a", "runtimes/r.yaml": "a: ["})
    assert _read("a.yaml").library_diagnostics == ()


def test_library_keeps_its_diagnostics_apart(write: Write) -> None:
    write({"a.yaml": _JOB % "a", "runtimes/r.yaml": _RUNTIME % "r" + "---\na: [\n---\n" + _RUNTIME % "s"})
    documents = _read("a.yaml")
    assert documents.diagnostics == ()
    assert [found.rule.id for found in documents.library_diagnostics] == ["KTJ001"]
    assert [m.id.name for m in documents.library] == ["r", "s"]


def test_library_has_runtimes_that_can_be_referred_to(write: Write) -> None:
    other = (_RUNTIME % "r").replace("v1alpha1", "v9")
    write({"a.yaml": _JOB % "a", "runtimes/r.yaml": other + "---\n" + _RUNTIME % "s"})
    assert [m.id.name for m in _read("a.yaml").library] == ["s"]


def test_no_library_is_no_error(write: Write) -> None:
    write({"a.yaml": _JOB % "a"})
    assert _read("a.yaml").library == ()


@pytest.mark.parametrize(
    ("make", "path", "rule"),
    [
        pytest.param(lambda: Path("jobs/l.yaml").symlink_to("../../secret.yaml"), "jobs/l.yaml", "KTJ025", id="link"),
        pytest.param(lambda: os.mkfifo("jobs/p.yaml"), "jobs/p.yaml", "KTJ025", id="pipe"),
        pytest.param(lambda: Path("jobs/t.yaml.j2").touch(), "jobs/t.yaml.j2", "KTJ026", id="template"),
    ],
)
def test_what_a_directory_must_not_hold(write: Write, make: Callable[[], None], path: str, rule: str) -> None:
    write({"../secret.yaml": "secret: do not show this", "jobs/a.yaml": _OTHER % "a"})
    make()
    documents = _read("jobs")
    assert _errors(documents) == [(rule, path, 1, 1)]
    assert _names(documents) == ["a"]
    assert "do not show" not in str(documents)


def test_links_to_other_files_do_not_matter(write: Write) -> None:
    write({"jobs/a.yaml": _OTHER % "a", "README.md": "x"})
    Path("jobs/README.md").symlink_to("../README.md")
    assert not _read("jobs").diagnostics


@pytest.mark.parametrize("path", ["nowhere", "nowhere/a.yaml", "a.yaml/b", "o/overlay.yaml/c"])
def test_path_that_cannot_be_read(write: Write, path: str) -> None:
    write({"a.yaml": _OTHER % "a", "o/overlay.yaml": ""})
    with pytest.raises(EnvironmentFault, match=f"^{path}"):
        _read(path)


@pytest.mark.parametrize("paths", [["o"], ["o/overlay.yaml"], ["o", "o/overlay.yaml", "./o/"]], ids=" ".join)
def test_overlay_that_is_named_is_a_unit(write: Write, paths: list[str]) -> None:
    head = _CONFIG.replace("Config", "Overlay")
    write({"o/overlay.yaml": head + "resources: [a.yaml, ../b]\n", "o/a.yaml": _OTHER % "a", "b/c.yaml": _OTHER % "c"})
    write({"o/unlisted.yaml": "a: [\n"})
    documents = _read(*paths)
    [unit] = documents.units
    assert [manifest.id.name for manifest in manifests_of(unit)] == ["a", "c"]
    assert (documents.inputs, documents.diagnostics, documents.unread_overlays) == ((), (), ())


@pytest.mark.parametrize("path", ["o", "o/overlay.yaml"])
def test_overlay_that_says_nothing_is_rejected(write: Write, path: str) -> None:
    write({"o/overlay.yaml": ""})
    documents = _read(path)
    assert _errors(documents) == [("KTJ050", "o/overlay.yaml", 1, 1)]
    assert (documents.units, documents.unread_overlays) == ((), ())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        pytest.param("a: é\n".encode("utf-16"), (1, 1), id="utf-16"),
        pytest.param(b"a: b\nc: caf\xe9\n", (2, 7), id="latin-1"),
    ],
)
def test_encoding(write: Write, text: bytes, error: tuple[int, int]) -> None:
    write({"a.yaml": text, "b.yaml": _OTHER % "b"})
    documents = _read(".")
    assert _errors(documents) == [("KTJ002", "a.yaml", *error)]
    assert _names(documents) == ["b"]


_SIZE = len(_OTHER % "a")


@pytest.mark.parametrize(("size", "errors"), [(_SIZE, []), (_SIZE - 1, ["KTJ020"])], ids=["at the limit", "beyond"])
@pytest.mark.parametrize("path", ["a.yaml", "-"])
def test_file_limit(write: Write, path: str, size: int, errors: list[str]) -> None:
    write({"a.yaml": _OTHER % "a"})
    documents = _read(path, stdin=(_OTHER % "a").encode(), file_bytes=size)
    assert [rule for rule, *_ in _errors(documents)] == errors
    assert all(f"larger than {size} bytes, the limit" in found.message for found in documents.diagnostics)


@pytest.mark.parametrize(
    ("size", "errors"), [(2 * _SIZE, []), (2 * _SIZE - 1, ["KTJ021"])], ids=["at the limit", "beyond"]
)
def test_build_limit(write: Write, size: int, errors: list[str]) -> None:
    write({f"jobs/{name}.yaml": _OTHER % name for name in ("a", "b")})
    documents = _read("jobs", build_bytes=size)
    assert [rule for rule, *_ in _errors(documents)] == errors


@pytest.mark.parametrize(("most", "errors"), [(3, []), (2, ["KTJ022"])], ids=["at the limit", "beyond"])
def test_document_limit(write: Write, most: int, errors: list[str]) -> None:
    write({f"jobs/{name}.yaml": _OTHER % name for name in ("a", "b", "c")})
    documents = _read("jobs", documents=most)
    assert [rule for rule, *_ in _errors(documents)] == errors


def test_numbers_of_the_limits() -> None:
    assert (LIMITS.file_bytes, LIMITS.build_bytes) == (32 * 2**20, 128 * 2**20)
    assert (LIMITS.documents, LIMITS.depth, LIMITS.alias_nodes) == (20_000, 64, 100_000)
