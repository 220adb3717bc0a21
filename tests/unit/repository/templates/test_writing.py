"""What the filters `to_yaml`, `to_json` and `quote` write into a document is read as meant, whatever the values say."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile
from tests.loops import sample
from tests.property import hostile, readers
from tests.reading import Renderer

READERS = [readers.kubectl, readers.kustomize, readers.ruamel_12, readers.pyyaml, readers.ruamel_11]
ROOM = Limits(template_seconds=60, template_bytes=64 << 20)

TEMPLATE = """\
{% macro block(value) %}
{{ value | to_yaml }}
{% endmacro %}
{% for body in objects %}
---
apiVersion: v1
kind: Thing
metadata:
  name: {{ body.metadata.name }}
spec:
  block:
    {{ body.spec | to_yaml | indent(4) }}
  macro:
  - value:
      {{ block(body.spec) | trim | indent(6) }}
  items:
  {{ body.spec.values() | to_yaml | indent(2) }}
  line: {{ body.short | to_json }}
  printed: {{ body.short }}
  texts:
{% for text in body.texts %}
  - plain: {{ text | to_yaml }}
    quoted: {{ text | quote }}
    {{ text | quote }}: key
    flow: [{{ text | to_json }}, {a: {{ text | tojson }}}]
{% endfor %}
{% endfor %}
"""


def with_short_keys(value: Any) -> Any:
    """YAML readers give up on a key behind 1024 characters, and a line of JSON has no other way to write it."""
    if isinstance(value, dict):
        return {key[:200]: with_short_keys(item) for key, item in value.items()}
    return [with_short_keys(item) for item in value] if isinstance(value, list) else value


def texts(value: Any) -> list[str]:
    """All strings in plain data, keys too."""
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def things() -> list[Any]:
    chance = random.Random(7)
    made = [hostile.catalogue(0), *(hostile.random_object(chance, number) for number in range(1, 40))]
    return [prepared(body) for body in made]


def prepared(body: Any) -> Any:
    short = with_short_keys(body["spec"])
    return body | {"short": short, "texts": [text for text in dict.fromkeys(texts(short)) if len(text) < 500]}


def expected(body: Any) -> Any:
    spec = body["spec"]
    return {
        "apiVersion": "v1",
        "kind": "Thing",
        "metadata": body["metadata"],
        "spec": {
            "block": spec,
            "macro": [{"value": spec}],
            "items": list(spec.values()),
            "line": body["short"],
            "printed": body["short"],
            "texts": [
                {"plain": text, "quoted": text, "flow": [text, {"a": text}]} | {text: "key"} for text in body["texts"]
            ],
        },
    }


@pytest.mark.parametrize("every", [pytest.param(20, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("reader", sample(READERS, every=3), ids=lambda reader: reader.__name__)
def test_values_are_read_as_meant(reader: Any, every: int) -> None:
    objects = things()[::every]
    if reader is readers.kustomize:
        objects = [prepared(readers.spare_kustomize(body)) for body in objects]
        objects = [body | {"texts": [text for text in body["texts"] if text != "<<"]} for body in objects]
    with Renderer(ROOM) as renderer:
        made = renderer.render(SourceFile("a.yaml.j2", TEMPLATE), {"objects": objects})
    assert isinstance(made, SourceFile), made
    read = {body["metadata"]["name"]: body for body in reader(made.text)}
    wrong = [d for body in objects for d in readers.differences(expected(body), read[body["metadata"]["name"]])]
    assert not wrong, "\n".join(wrong[:20])


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


BREAKOUTS = [
    pytest.param("x\nkind: Secret", id="new line"),
    pytest.param('x"\nkind: Secret #', id="quote and new line"),
    pytest.param("x', kind: Secret, a: '", id="single quote"),
    pytest.param("x\u2028kind: Secret", id="line separator"),
    pytest.param("x\x85kind: Secret", id="next line"),
    pytest.param("x\rkind: Secret", id="carriage return"),
    pytest.param("&a *a !!binary", id="indicators"),
    pytest.param("---\nkind: Secret", id="document"),
    pytest.param("{{ overlay }}", id="template"),
    pytest.param("\\", id="backslash"),
    pytest.param("# comment", id="comment"),
]


@pytest.mark.parametrize("text", BREAKOUTS)
@pytest.mark.parametrize("name", ["quote", "to_json", "tojson", "to_yaml", "to_yaml | indent(2)"])
def test_a_value_cannot_leave_its_place(text: str, name: str, renderer: Renderer) -> None:
    template = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nnote: {{ text | FILTER }}\nlast: 1\n"
    made = renderer.render(SourceFile("a", template.replace("FILTER", name)), {"text": text, "overlay": "secret"})
    assert isinstance(made, SourceFile), made
    for reader in (readers.pyyaml, readers.ruamel_12, readers.ruamel_11):
        [body] = reader(made.text)
        assert body == {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}, "note": text, "last": 1}
