"""No document can hide a name from `mentions`; PyYAML says what a document means."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from kubectl_trainjob.repository.files.mention import holds_only, mentions

NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,14}[a-z0-9])?", fullmatch=True)


@st.composite
def spelled(draw: st.DrawFn) -> tuple[str, str]:
    """A name and a way to write it."""
    name = draw(NAMES)
    plain = st.sampled_from(["{}", "'{}'", '"{}"', "&a {}", "!!str {}", "|-\n  {}", ">-\n  {}"]).map(
        lambda form: form.format(name)
    )
    return name, draw(st.one_of(plain, _escaped(name)))


def _escaped(name: str) -> st.SearchStrategy[str]:
    def spell(choices: list[str]) -> str:
        forms = {
            "as it is": "{0}",
            "x": "\\x{1:02x}",
            "u": "\\u{1:04x}",
            "U": "\\U{1:08x}",
            "joined": "\\\n   {0}",
            "joined after CR": "\\\r\n\t {0}",
        }
        return '"' + "".join(forms[how].format(c, ord(c)) for how, c in zip(choices, name, strict=True)) + '"'

    ways = st.sampled_from(["as it is", "as it is", "x", "u", "U", "joined", "joined after CR"])
    return st.lists(ways, min_size=len(name), max_size=len(name)).map(spell)


@given(spelled(), st.booleans())
def test_every_spelling_of_a_name_is_seen(case, flow):
    name, text = case
    assume(not (flow and text[0] in "|>"))
    document = f"{{a: {text} , b: 1}}" if flow else f"a: {text}\nb: 1\n"
    try:
        assume(str(yaml.safe_load(document)["a"]) == name)
    except yaml.YAMLError:
        assume(False)
    assert mentions([name])(document)


@pytest.mark.parametrize(
    "text", ["name: llama-2", "name: allama", "name: llama.x", 'a: "llama_"', "", 'x: "\\n"\ny: lla', "llam\\\na"]
)
def test_other_names_are_not_seen(text):
    assert not mentions(["llama"])(text)


def test_without_names_nothing_is_seen():
    assert not mentions([])("name: llama")


@pytest.mark.parametrize(
    ("text", "is_all"),
    [
        ("kind: TrainJob\n", True),
        ("---\nkind: TrainJob\n---\nkind: TrainJob  \r\n", True),
        ("kind: TrainJob\n---\nkind: ClusterTrainingRuntime\n", False),
        ("kind: ClusterTrainingRuntime\nspec:\n  kind: TrainJob\n", False),
        ("kind: ClusterTrainingRuntime\n# kind: TrainJob\n", False),
        ('{"kind": "TrainJob"}', False),
    ],
)
def test_files_of_one_kind(text, is_all):
    assert holds_only("TrainJob")(text) is is_all
