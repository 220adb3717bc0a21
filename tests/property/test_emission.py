"""What we write is read alike by kubectl, kustomize, PyYAML and ruamel.yaml, whatever the strings.

By default 300 random objects; `CI=true` or `THOROUGH=1` judges 10 000 (`SEED=n` for others than last time).
"""

import copy
import functools
import json
import os
import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.yaml.emit import Emitter
from kubectl_trainjob.repository.yaml.quoting import scalar
from kubectl_trainjob.repository.yaml.read import read_stream
from tests.printed import render
from tests.property import hostile, readers

pytestmark = pytest.mark.slow

THOROUGH = os.environ.get("CI") == "true" or os.environ.get("THOROUGH") == "1"
BATCHES, SIZE = (10, 1000) if THOROUGH else (1, 300)
SEED = int(os.environ.get("SEED", "0"))

READERS = [readers.kubectl, readers.kustomize, readers.pyyaml, readers.ruamel_12, readers.ruamel_11]
each_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)


def meant_for(reader: Any, objects: list[Any]) -> list[Any]:
    return readers.spare_kustomize(objects) if reader is readers.kustomize else objects


def check(reader: Any, objects: list[Any]) -> None:
    meant = meant_for(reader, objects)
    read = reader("".join(render(meant, "yaml")))
    by_name = {body["metadata"]["name"]: body for body in read}
    assert len(read) == len(meant)
    wrong = [
        d
        for body in meant
        for d in readers.differences(body, by_name.get(body["metadata"]["name"]), body["metadata"]["name"])
    ]
    assert not wrong, "\n".join(wrong[:20])


@functools.lru_cache(maxsize=1)
def batch(number: int) -> list[Any]:
    chance = random.Random(f"{SEED} {number}")
    return [hostile.random_object(chance, i) for i in range(SIZE)]


@pytest.mark.parametrize(
    ("reader", "text", "value"),
    [
        pytest.param(readers.kubectl, "y", True, id="kubectl"),
        pytest.param(readers.kustomize, "0o17", 15, id="kustomize"),
        pytest.param(readers.pyyaml, "22:22", 1342, id="pyyaml"),
        pytest.param(readers.ruamel_12, "0o17", 15, id="ruamel_12"),
        pytest.param(readers.ruamel_11, "22:22", 1342, id="ruamel_11"),
    ],
)
def test_the_judges_do_misread(reader, text, value):
    [body] = reader(f"apiVersion: v1\nkind: Thing\nmetadata: {{name: a}}\nspec: {text}\n")
    assert body["spec"] == value


@each_reader
def test_every_misread_string_survives_as_value_item_and_key(reader):
    check(reader, [hostile.catalogue(0)])


@pytest.mark.parametrize("number", range(BATCHES))
@each_reader
def test_random_objects_are_read_as_meant(reader, number):
    check(reader, batch(number))


@pytest.mark.parametrize("objects", [[hostile.catalogue(0)], batch(0)[:300]], ids=["catalogue", "random"])
def test_json_is_read_as_meant(objects):
    text = "".join(render(objects, "json"))
    read = json.loads(text)
    assert (read["apiVersion"], read["kind"]) == ("v1", "List")
    assert not readers.differences(objects, read["items"])
    assert not readers.differences(objects, readers.kubectl(text))


@pytest.mark.parametrize("fmt", ["yaml", "json"])
def test_the_text_shows_every_character(fmt):
    text = "".join(render([hostile.catalogue(0), *batch(0)], fmt))
    hidden = {c for c in text if not c.isprintable() and c not in "\n\t"}
    assert not {c for c in hidden if ord(c) < 0xA1 or 0x2000 <= ord(c) < 0x2070 or c in "\ufeff\u061c"}
    assert fmt == "yaml" or "\t" not in text


@pytest.mark.parametrize("fmt", ["yaml", "json"])
def test_the_order_in_which_data_was_put_together_does_not_show(fmt):
    objects = batch(0)
    chance = random.Random(1)
    assert [*render([shuffled(body, chance) for body in objects], fmt)] == [*render(objects, fmt)]


def test_what_was_printed_before_does_not_show():
    objects = [hostile.catalogue(0), *batch(0)]
    alone = ["".join(render([body], "yaml")) for body in objects]
    assert "".join(render(objects, "yaml")) == "---\n".join(alone)


def test_objects_are_left_as_they_were():
    objects = batch(0)
    before = copy.deepcopy(objects)
    for fmt in ("yaml", "json"):
        "".join(render(objects, fmt))
    assert objects == before
    assert [[*body["spec"]] for body in objects] == [[*body["spec"]] for body in before]


@pytest.mark.parametrize("fmt", ["yaml", "json"])
def test_reading_and_writing_again_changes_nothing(fmt):
    objects = without_nul([hostile.catalogue(0), *batch(0)])
    text = "".join(render(objects, fmt))
    reading = read_stream(SourceFile("-", text))
    again = [body for body, _ in reading.objects]
    assert [d.message for d in reading.diagnostics] == []
    assert not readers.differences(objects, again)
    assert "".join(render(again, fmt)) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_a_string_to_pyyaml(text):
    assert yaml.load(f"a: {scalar(text)}\n{scalar(text)}: b\n", Loader=yaml.CSafeLoader) == {"a": text} | {text: "b"}


@given(st.text(st.sampled_from("a0 \n\t:#-é'\""), min_size=1))
def test_any_lines_are_a_string_to_pyyaml(text):
    body = {"a": {"b": [text, {"c": text}]}, "d": text}
    assert yaml.load(Emitter().document(body), Loader=yaml.CSafeLoader) == body


def without_nul(value: Any) -> Any:
    """We do not read NUL: no container can be given one."""
    if isinstance(value, dict):
        return {without_nul(key): without_nul(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_nul(item) for item in value]
    return value.replace("\0", "") if isinstance(value, str) else value


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = [*value]
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value
