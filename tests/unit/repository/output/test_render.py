"""Streams and Lists."""

import json
import re

import pytest
import yaml

from tests.printed import render

HOSTS = {
    "data": {"hostfile": "a slots=1\nb slots=1\n"},
    "metadata": {"name": "hosts", "labels": {"x": "y"}},
    "kind": "ConfigMap",
    "apiVersion": "v1",
}
THING = {"spec": {"b": None, "a": []}, "apiVersion": "v2", "kind": "Thing"}


def test_a_stream_has_separators_between_documents_only():
    assert [*render([HOSTS, THING], "yaml")] == [
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    x: 'y'\n  name: hosts\n"
        "data:\n  hostfile: |\n    a slots=1\n    b slots=1\n",
        "---\n",
        "apiVersion: v2\nkind: Thing\nspec:\n  a: []\n  b: null\n",
    ]


def test_a_list():
    assert "".join(render([THING, {"kind": "K"}], "json")) == (
        '{\n    "apiVersion": "v1",\n    "kind": "List",\n    "items": [\n'
        '        {\n            "apiVersion": "v2",\n            "kind": "Thing",\n            "spec": {\n'
        '                "a": [],\n                "b": null\n            }\n        },\n'
        '        {\n            "kind": "K"\n        }\n    ]\n}\n'
    )


@pytest.mark.parametrize("fmt", ["yaml", "json"])
@pytest.mark.parametrize("text", ["##[error]a", "a ##vso[b]", "a\n##teamcity[b]\n", "a: ##[b"])
def test_the_log_of_a_ci_system_takes_nothing_for_a_command(fmt, text):
    written = "".join(render([{"kind": text, text: [text, text]}], fmt))
    assert re.search(r"##\w*\[", written) is None
    body = yaml.safe_load(written)
    assert (body["items"][0] if fmt == "json" else body) == {"kind": text, text: [text, text]}


def test_nothing():
    assert "".join(render([], "yaml")) == ""
    assert json.loads("".join(render([], "json"))) == {"apiVersion": "v1", "kind": "List", "items": []}


def test_an_object_a_piece_so_that_large_builds_stream():
    taken = []
    pieces = render((taken.append(number) or HOSTS for number in range(3)), "yaml")
    assert next(pieces).startswith("apiVersion: v1\n")
    assert taken == [0]
    assert [*pieces].count("---\n") == 2


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param("é日本語😀", '"é日本語😀"', id="letters stay"),
        pytest.param('"\\/', r'"\"\\/"', id="quotes and backslashes"),
        pytest.param("\n\t\r\0\x1b", r'"\n\t\r\u0000\u001b"', id="control characters"),
        pytest.param("\x7f\x85\x9f", r'"\u007f\u0085\u009f"', id="DEL and C1"),
        pytest.param("\u2028\u2029\u202e\u2066\ufeff", r'"\u2028\u2029\u202e\u2066\ufeff"', id="separators, bidi, BOM"),
        pytest.param("\U000e0041", r'"\udb40\udc41"', id="beyond 16 bits"),
    ],
)
def test_json_strings(text, written):
    rendered = "".join(render([{"a": text}], "json"))
    assert f'"a": {written}\n' in rendered
    assert json.loads(rendered)["items"] == [{"a": text}]


@pytest.mark.parametrize("fmt", ["yaml", "json"])
@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "\ud800", 1 << 64], ids=["nan", "inf", "surrogate", "large"]
)
def test_what_no_manifest_can_hold_is_rejected(fmt, value):
    with pytest.raises(ValueError, match=r"."):
        "".join(render([{"a": value}], fmt))
