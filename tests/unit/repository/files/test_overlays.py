"""What an overlay's directory gives: its members and patches, and where each problem is reported."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_trainjob.model.stages import BuildOptions
from kubectl_trainjob.model.units import Documents, Unit, manifests_of
from kubectl_trainjob.repository.positions import Locator
from tests.compiled import build
from tests.reading import read

_HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}\n"

Write = Callable[[dict[str, str]], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files of a repository, which is the current directory."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repo")

    def files(content: dict[str, str]) -> None:
        for path, text in content.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text((_HEAD if path.endswith("overlay.yaml") else "") + text)

    return files


def _read(*paths: str) -> Documents:
    return read(paths, lambda _most: b"")


def _names(unit: Unit) -> list[str]:
    return [manifest.id.name for manifest in manifests_of(unit)]


def _found(documents: Documents) -> list[tuple[str, str, int, str]]:
    settled = [(d, Locator().resolve(d.place)) for d in documents.diagnostics]
    return [(d.rule.id, location.file.path, location.span.line, d.message) for d, location in settled]


def test_members(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs, b.yaml, inner, ../other/c.yaml]\n",
            "o/b.yaml": _MAP % "b",
            "o/unlisted.yaml": _MAP % "u",
            "o/inner/overlay.yaml": "resources: [d.yaml]\n",
            "o/inner/d.yaml": _MAP % "d",
            "jobs/a.yaml": _MAP % "a1" + "---\n" + _MAP % "a2",
            "jobs/deep/a.yaml": _MAP % "a3",
            "jobs/prod/overlay.yaml": "resources: []\n",
            "jobs/prod/e.yaml": _MAP % "e",
            "other/c.yaml": _MAP % "c",
        }
    )
    documents = _read("o")
    assert _names(documents.units[0]) == ["a1", "a2", "a3", "b", "d", "c"]
    assert isinstance(documents.units[0].resources[4], Unit)
    assert (documents.inputs, documents.diagnostics, documents.unread_overlays) == ((), (), ("jobs/prod",))
    for same in ("o/", "./o", "o/overlay.yaml"):
        assert _names(_read(same).units[0]) == _names(documents.units[0])


def test_a_file_is_a_member_once(write: Write) -> None:
    write({"o/overlay.yaml": "resources: [a.yaml, ./a.yaml, ../o/a.yaml]\n", "o/a.yaml": _MAP % "a"})
    assert _names(_read("o", "o").units[0]) == ["a"]


def test_two_overlays_share_what_they_list(write: Write) -> None:
    write({f"{name}/overlay.yaml": "resources: [../jobs]\n" for name in ("dev", "prod")} | {"jobs/a.yaml": _MAP % "a"})
    one, other = _read("dev", "prod").units
    assert one.resources[0] is other.resources[0]


@pytest.mark.parametrize("broken", ["spec: {", "apiVersion: v1\nspec: {}\n"])
def test_each_overlay_over_a_broken_file_is_incomplete(write: Write, broken: str) -> None:
    """Whoever read it first, and however deep it lies: nothing can be said of what such an overlay lacks."""
    write({"jobs/a.yaml": broken, "one/overlay.yaml": "resources: [../jobs/a.yaml]\n"})
    write({"two/overlay.yaml": "resources: [../jobs/a.yaml]\n", "three/overlay.yaml": "resources: [../two]\n"})
    for paths in (["one", "two", "three"], ["jobs", "three", "one"], ["two", "three", "two"]):
        assert [unit.overlay.is_complete for unit in _read(*paths).units] == [False] * len(_read(*paths).units), paths


def test_a_directory_leaves_overlays_out(write: Write) -> None:
    write({"a.yaml": _MAP % "a", "o/overlay.yaml": "resources: [b.yaml]\n", "o/b.yaml": _MAP % "b"})
    documents = _read(".")
    assert [manifest.id.name for manifest in documents.inputs] == ["a"]
    assert documents.unread_overlays == ("o",)
    assert _read().unread_overlays == ("o",)


@pytest.mark.parametrize(
    ("entry", "rule", "part"),
    [
        pytest.param("b.yaml", "KTJ051", '"o/b.yaml" does not exist; did you mean "a.yaml"?', id="nearest name"),
        pytest.param("nowhere/b.yaml", "KTJ051", "does not exist; correct the path", id="no directory"),
        pytest.param("../../repo/o/a.yaml", "KTJ051", "leads out of the repository", id="out and in again"),
        pytest.param("../../repo-secrets/a.yaml", "KTJ051", "leads out of the repository", id="sibling"),
        pytest.param("/etc/passwd", "KTJ051", "not a path relative to this overlay", id="absolute"),
        pytest.param("''", "KTJ051", "not a path relative", id="empty"),
        pytest.param("link.yaml", "KTJ051", "it is a symbolic link; copy the target of the link", id="link"),
        pytest.param("https://example.com/a.yaml", "KTJ051", "a build fetches nothing", id="URL"),
        pytest.param("github.com/acme/jobs?ref=v1", "KTJ051", "a build fetches nothing", id="remote directory"),
        pytest.param(".", "KTJ052", 'the resources of "o" contain this overlay', id="itself"),
        pytest.param("inner", "KTJ052", 'the resources of "o" contain this overlay', id="cycle"),
        pytest.param("../b/overlay.yaml", "KTJ051", 'list its directory: write "../b"', id="an overlay's file"),
        pytest.param("a.yaml/x", "KTJ051", "cannot be read: Not a directory", id="below a file"),
    ],
)
def test_resources_that_cannot_be_had(write: Write, entry: str, rule: str, part: str) -> None:
    write(
        {
            "o/overlay.yaml": f"resources:\n- a.yaml\n- {entry}\n",
            "o/a.yaml": _MAP % "a",
            "o/inner/overlay.yaml": "resources:\n- a.yaml\n- ..\n",
            "o/inner/a.yaml": _MAP % "i",
        }
    )
    Path("o/link.yaml").symlink_to("a.yaml")
    documents = _read("o")
    [(found, path, line, message)] = _found(documents)
    assert (found, line) == (rule, 5)
    assert path == ("o/inner/overlay.yaml" if entry == "inner" else "o/overlay.yaml")
    assert part in message
    assert _names(documents.units[0])[0] == "a"


@pytest.mark.parametrize(
    ("patches", "line", "part"),
    [
        pytest.param("- path: q.yaml\n", 4, 'did you mean "p.yaml"?', id="no file"),
        pytest.param("- path: ../../p.yaml\n", 4, "leads out of the repository", id="outside"),
        pytest.param("- {path: list.yaml}\n", 1, "do not name their object; add a target", id="no target"),
        pytest.param("- {path: empty.yaml}\n", 1, "the patch is empty", id="empty"),
        pytest.param("- {path: text.yaml}\n", 1, "a patch is a mapping (strategic merge) or a list", id="text"),
        pytest.param("- patch: |\n    [{op: remove, path: /a}]\n", 5, "add a target", id="inline"),
        pytest.param("- patch: |\n    kind: a\n    b: [\n", 7, "", id="inline that cannot be read"),
        pytest.param('- patch: "kind: a\\nb: ["\n', 4, "", id="quoted that cannot be read"),
        pytest.param("- patch: ''\n", 4, "the patch is empty; write one", id="quoted and empty"),
        pytest.param("- patch: ''", 4, "the patch is empty", id="quoted and empty, at the end of the file"),
        pytest.param("- target: {name: a}\n  patch: ' '\nvalues: {}\n", 5, "the patch is empty", id="a blank"),
        pytest.param("- patch: |\n    # nothing\n", 4, "the patch is empty", id="a comment"),
        pytest.param("- patch: |\n\n\nvalues: {}\n", 4, "the patch is empty", id="empty lines"),
    ],
)
def test_patches_that_cannot_be_had(write: Write, patches: str, line: int, part: str) -> None:
    write(
        {
            "o/overlay.yaml": "patches:\n" + patches,
            "o/p.yaml": "{kind: a}",
            "o/list.yaml": "- {op: remove, path: /a}\n",
            "o/empty.yaml": "# nothing\n",
            "o/text.yaml": "text\n",
        }
    )
    [(_, _, found, message)] = _found(_read("o"))
    assert found == line
    assert part in message


def test_patches_as_they_are_written(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "patches:\n- path: p.yaml\n- patch: |-\n    kind: b\n- patch: {kind: c}\n"
            "- target: {kind: d}\n  patch: [{op: add}]\n",
            "o/p.yaml": "kind: a1\n---\nkind: a2\n",
        }
    )
    patches = _read("o").units[0].overlay.patches
    assert [(patch.body, patch.index) for patch in patches] == [
        ({"kind": "a1"}, 0),
        ({"kind": "a2"}, 0),
        ({"kind": "b"}, 1),
        ({"kind": "c"}, 2),
        ([{"op": "add"}], 3),
    ]


@pytest.mark.parametrize("text", ["", "---\n", "kind: Overlay\n---\nkind: Overlay\n", "[]\n"])
def test_other_documents(write: Write, text: str) -> None:
    write({"o/a.yaml": _MAP % "a"})
    Path("o/overlay.yaml").write_text(text)
    documents = _read("o")
    assert documents.units == ()
    assert documents.diagnostics


def test_template(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [../jobs/t.yaml.j2]\nnamespace: team\nvalues: {names: [a, b]}\n",
            "jobs/t.yaml.j2": "{% for name in values.names %}\n---\napiVersion: v1\nkind: ConfigMap\n"
            "metadata:\n  name: {{ name }}-{{ overlay.name }}-{{ overlay.namespace }}\n{% endfor %}\n",
        }
    )
    documents = _read("o")
    assert _names(documents.units[0]) == ["a-o-team", "b-o-team"]
    [_, second] = manifests_of(documents.units[0])
    location = Locator().resolve(second.place("metadata", "name"))
    assert (location.file.path, location.span.line) == ("jobs/t.yaml.j2", 6)
    assert documents.diagnostics == ()


def test_template_that_an_overlay_lists_is_left_to_it(write: Write) -> None:
    write({"o/overlay.yaml": "resources: [../jobs/t.yaml.j2]\n", "jobs/t.yaml.j2": "a: b\n", "jobs/a.yaml": _MAP % "a"})
    assert _found(_read("jobs")) == []
    write({"jobs/other.yaml.j2": "a: b\n"})
    assert [(rule, path) for rule, path, _, _ in _found(_read("jobs"))] == [("KTJ026", "jobs/other.yaml.j2")]


def test_what_a_template_makes_is_read_like_a_file(write: Write) -> None:
    write(
        {
            "o/overlay.yaml": "resources: [t.yaml.j2]\n",
            "o/t.yaml.j2": "# {{ 1 }}\nkind: ConfigMap\nmetadata: {}\nkind: Secret\n",
        }
    )
    assert [(path, line) for _, path, line, _ in _found(_read("o"))] == [("o/t.yaml.j2", 4), ("o/t.yaml.j2", 2)]


def test_catalogue(write: Write) -> None:
    job = "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: j}}"
    write({"a.yaml": job})
    assert _read("a.yaml").catalogue("2.3") == ()
    Path("trainjob.yaml").write_text("{apiVersion: kubectl-trainjob.dev/v1alpha1, kind: Config, catalog: true}")
    assert "torch-distributed" in [manifest.id.name for manifest in _read("a.yaml").catalogue("2.3")]


def test_directory_of_built_files_is_no_input(write: Write) -> None:
    write({"a.yaml": _MAP % "a", "out/b.yaml": _MAP % "b"})
    Path("out/.kubectl-trainjob-index").write_text("")
    assert [manifest.id.name for manifest in _read(".").inputs] == ["a"]


def _chain(write: Write, levels: int) -> list[str]:
    """Directories of overlays, each over the one before it."""
    write({f"c/o{i:03}/overlay.yaml": f"resources:\n- ../o{i - 1:03}\n" for i in range(1, levels)})
    write({"c/o000/overlay.yaml": "resources:\n- a.yaml\n", "c/o000/a.yaml": _MAP % "a"})
    return [f"c/o{i:03}" for i in range(levels)]


_ORDERS = pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda names: names, id="the lowest first"),
        pytest.param(lambda names: names[::-1], id="the highest first"),
        pytest.param(lambda names: names[-1:], id="the highest alone"),
        pytest.param(lambda names: [names[32], *names], id="one in the middle first"),
    ],
)


@_ORDERS
def test_64_overlays_lie_over_each_other(write: Write, order: Callable[[list[str]], list[str]]) -> None:
    named = order(_chain(write, 64))
    documents = _read(*named)
    assert documents.diagnostics == ()
    assert [_names(unit) for unit in documents.units] == [["a"]] * len(set(named))


@_ORDERS
def test_65_overlays_do_not(write: Write, order: Callable[[list[str]], list[str]]) -> None:
    [(rule, path, line, message)] = _found(_read(*order(_chain(write, 65))))
    assert (rule, line) == ("KTJ057", 4)
    assert path.startswith("c/o")
    assert "overlays are nested deeper than 64 levels" in message


def test_a_long_chain_that_is_named_whole_is_reported_as_too_deep(write: Write) -> None:
    """Each overlay is read once; what they hold together is no news."""
    found = _found(_read(*_chain(write, 400)))
    assert {rule for rule, *_ in found} == {"KTJ057"}
    assert [message for *_, message in found if "64 levels" not in message] == []
    assert (found[0][1], found[0][2]) == ("c/o064/overlay.yaml", 4)


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(("./jobs/a.yaml", "jobs/b.yaml", "o"), id="files first"),
        pytest.param(("o", "p", "./jobs"), id="overlays first"),
        pytest.param(("p", "./jobs/b.yaml", "../repo/o"), id="from above"),
    ],
)
def test_a_file_is_read_once_whatever_ways_lead_to_it(write: Write, paths: tuple[str, ...]) -> None:
    write({f"{name}/overlay.yaml": "resources: [../jobs]\n" for name in "op"})
    write({"jobs/a.yaml": _MAP % "a", "jobs/b.yaml": _MAP % "a" + "---\nkind: X\n---\na: 1\n"})
    documents = _read(*paths)
    assert [rule for rule, *_ in _found(documents)] == ["KTJ030"]
    assert documents.ignored == 1
    settled = [Locator().resolve(found.place) for found in build(documents, BuildOptions()).diagnostics]
    spots = {(location.file.path, location.span) for location in settled}
    assert len(spots) == 2, "what is wrong with a document, and that an object is given twice"
