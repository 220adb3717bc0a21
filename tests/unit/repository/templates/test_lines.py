"""Which line of the template each rendered line comes from. The templates say it themselves: `L7` stands in line 7."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, StrictUndefined

from kubectl_trainjob.model.source import Place, Source, SourceFile, Span
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.templates.child.marks import line_map, mark, unmarked
from tests.reading import Renderer

YAML_LINE = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
CONTEXT = {"values": {"name": "mnist", "gpus": ["a", "b"], "text": "first\n  second\n\nthird\n"}}


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


def numbered(template: str) -> str:
    """The template with each `L@` saying the line that it stands in, as YAML counts."""
    return re.sub("L@", lambda at: f"L{len(YAML_LINE.findall(template, 0, at.start())) + 1}", template)


def mapped(renderer: Renderer, template: str) -> list[tuple[str, int]]:
    """Each rendered line with the template's line that it is said to come from."""
    made = renderer.render(SourceFile("a.yaml.j2", template), CONTEXT)
    assert isinstance(made, SourceFile), made
    assert made.written is not None
    lines = YAML_LINE.split(made.text)
    assert len(made.written.lines) == len(lines)
    return list(zip(lines, made.written.lines, strict=True))


def wrong(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The rendered lines that are said to come from another line than they say themselves."""
    said = [(line, came, re.search(r"L(\d+)", line)) for line, came in pairs]
    return [(line, came) for line, came, found in said if found and int(found[1]) != came]


TEMPLATES = {
    "plain": "a L@\nb L@\n",
    "loop": "L@\n{% for x in values.gpus %}\n- L@\n  L@ {{ x }}\n{% endfor %}\nL@\n",
    "loop on one line": "{% for x in values.gpus %}L@ {{ x }}, {% endfor %}\nL@\n",
    "loop that starts behind text": "a L@ {% for x in values.gpus %}\n  L@\n{% endfor %}\nL@",
    "branches": "{% if 0 %}\nL@\n{% elif 1 %}\nL@\n{% else %}\nL@\n{% endif %}\nL@",
    "expression alone": "L@\n{{ 'L@' }}\nL@\n",
    "expressions in a row": "{{ 'L@' }}{{ values.name }}\n{{ 'L@\n' }}{{ 'L@' }}\n{{ 'L@' }}",
    "expression behind a block": "{% if 1 %}{{ 'L@' }}{% endif %}\n{% if 1 %}{{ 'L@' }}{% endif %}\nL@",
    "value of several lines": "L@\nL@ |\n  {{ 'L@\nL3\nL3' | indent(2) }}\nL@\n",
    "value of several lines alone": "L@\n{{ ['L@', 'L@', '', 'L@'] | join('\\n') }}\nL@\n",
    "expression of several lines": "L@\n{{\n  'L2'\n}}\nL@",
    "macro": "{% macro m(x) %}\n- L@\n  L@ {{ x }}\n{% endmacro %}\nL@\n{{ m(1) }}\nL@\n"
    "    {{ m(2) | indent(4) }}\nL@ {{ m(3) }}\nL@",
    "trimmed macro": "{% macro m() %}\n\n  L@\n  L@\n\n{% endmacro %}\nL@\n  {{ m() | trim | indent(4) }}\nL@",
    "macro in a macro": "{% macro a() %}\nL@\n{% endmacro %}\n{% macro b() %}\n- L@ {{ a() }}L@\n{% endmacro %}"
    "\n{{ b() }}L@",
    "call block": "{% macro m() %}\n- L@\n  {{ caller() }}\n{% endmacro %}\n{% call m() %}\nL@\nL@\n{% endcall %}\nL@",
    "set block": "{% set x %}\nL@\nL@\n{% endset %}\nL@\n{{ x }}L@\n",
    "filter block": "L@\n{% filter indent(4) %}\nL@\nL@\n{% endfilter %}\nL@\n",
    "joined": "{% macro m(x) %}\nL@ {{ x }}\n{% endmacro %}\nL@\n{{ [m(1), m(2)] | join }}\nL@",
    "raw": "L@\n{% raw %}\nL@ {{ x }}\nL@\n{% endraw %}\nL@",
    "comments": "L@\n{# a\nb #}\nL@ {# c #}\n  {# d #}\nL@",
    "whitespace control": "L@\n{%- if 1 -%}\n  L@\n  {%- endif %}\n\nL@\n{{- 'x' -}}\n\nL@\n",
    "stripped at the start": "{% if 1 -%}\n\n\n  L@\n{%- endif %}\nL@",
    "indented blocks": "L@\n  {% if 1 %}\n    L@\n    {%+ if 1 %}\n    L@\n    {% endif %}\n  {% endif %}\nL@",
    "carriage returns and line feeds": "L@\r\n{% for x in values.gpus %}\r\n- L@\r\n{% endfor %}\r\n{{ 'L@' }}"
    "\r\nL@\r\n",
    "carriage returns": "L@\r{% if 1 %}\rL@\r{% endif %}\rL@",
    "line separators": "L@\u2028L@\n{% for x in values.gpus %}\nL@\x85L@ {{ 'L@' }}\n{% endfor %}\nL@\u2029L@",
    "line separators in values": "L@ {{ 'a\\x85b\\u2028' }}\nL@",
    "compared block": "{% set x %}\nyes\n{% endset %}\n{% if x == 'yes\n' %}\nL@\n{% endif %}\nL@",
    "tested and measured block": "{% set x %}yes{% endset %}\n{% if x is eq 'yes' and x|length == 3 %}\nL@\n"
    "{% endif %}\nL@",
    "block as a key": "{% set x %}name{% endset %}\n{{ values[x] }} L@\nL@",
    "empty block": "{% set x %}{{ '' }}{% endset %}\n{% if x %}\nL@\n{% endif %}\nL@",
    "caller's number": "{% macro m() %}{{ 1 }}{% endmacro %}\n{% for i in range(m()|int) %}\nL@\n{% endfor %}\nL@",
    "half of a text": "{% set x %}yes\n{% endset %}\n{{ x[:2] }} L@\nL@",
    "text that looks like a mark": "L@ {{ values.name ~ '12' }}\nL@",
    "empty": "",
    "blank lines": "\n\nL@\n\n",
}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_lines(renderer: Renderer, template: str) -> None:
    pairs = mapped(renderer, numbered(template))
    assert wrong(pairs) == []
    assert any("L" in line for line, _ in pairs) or "L" not in template


@pytest.mark.parametrize(
    ("template", "lines"),
    [
        pytest.param("a\n{{ 'x\ny' }}\nb", (1, 2, 2, 4), id="value"),
        pytest.param("\n{% for i in [1, 2] %}\n\n{% endfor %}\n", (1, 3, 3, 3), id="blank lines"),
        pytest.param("{% if 1 %}\n\n{% endif %}\na\n", (2, 4, 4), id="blank first line"),
        pytest.param("a\r\n{{ 'x' }}\r\n", (1, 2, 2), id="carriage returns"),
        pytest.param("{% macro m() %}\nm\n{% endmacro %}\na: {{ m() }}", (4, 2), id="macro behind text"),
        pytest.param("a\n{{ values.text }}", (1, 2, 2, 2, 2, 2), id="last value"),
    ],
)
def test_lines_that_do_not_show_theirs(renderer: Renderer, template: str, lines: tuple[int, ...]) -> None:
    assert tuple(came for _, came in mapped(renderer, template)) == lines


def test_unknown_lines_come_from_where_the_renderings_part(renderer: Renderer) -> None:
    """Reversed, a text with marks is not what it was, and nobody knows where its lines come from."""
    pairs = mapped(renderer, "a\n{% set x %}\nb\n{% endset %}\n{{ x[::-1] }}\nc\nd\n")
    assert pairs == [("a", 1), ("", 5), ("b", 5), ("c", 6), ("d", 7), ("", 7)]


@pytest.mark.parametrize(
    "template",
    [
        pytest.param("a\nb \ufdd0\n", id="in the template"),
        pytest.param("a\n{{ '\\ufdd0' }}\n", id="as an escape"),
        pytest.param("a\n{{ '\\UFDD1' if 0 else '\\U0000FDD1' }}\n", id="as a long escape"),
    ],
)
def test_no_marks_where_the_text_has_some(renderer: Renderer, template: str) -> None:
    if "UFDD1" in template:
        template = template.replace("'\\UFDD1' if 0 else ", "")
    assert {came for _, came in mapped(renderer, template)} == {1}


def test_no_marks_where_a_value_has_some() -> None:
    with Renderer() as renderer:
        made = renderer.render(SourceFile("a", "a\n{{ x }}\nb"), {"x": "\ufdd01\ufdd1"})
    assert isinstance(made, SourceFile)
    assert made.text == "a\n\ufdd01\ufdd1\nb"
    assert made.written is not None
    assert made.written.lines == (1, 1, 1)


@given(
    st.lists(st.one_of(st.integers(1, 40).map(mark), st.sampled_from(["a", " ", "\n", "\r", "\x85", "\r\n", "b c"]))),
    st.sampled_from([None, "a\n", "\n\n\n", ""]),
)
def test_every_line_has_a_line(parts: list[str], other: str | None) -> None:
    marked = "".join(parts)
    plain = unmarked(marked) if other is None else other
    lines = line_map(marked, plain)
    assert len(lines) == len(YAML_LINE.split(plain))
    assert set(lines) <= set(range(1, 41))


DATA = st.sampled_from(
    ["x: L@", "  - L@", "", "    L@ {{ values.name }}", "L@ # y", "{{ 'L@' }}", "  {{ 'L@' }} {{ 1 }}", "\tL@"]
)
ENDS = st.sampled_from(["\n", "\r\n"])


def blocks(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """Statements around lines."""
    pairs = st.sampled_from(
        [
            ("{% if 1 %}", "{% endif %}"),
            ("  {% if values.gpus %}", "  {% endif %}"),
            ("{% if 0 %}", "{% endif %}"),
            ("{% for i in values.gpus %}", "{% endfor %}"),
            ("L@ {% for i in [1, 2] %}", "{% endfor %}"),
            ("{% filter indent(2) %}", "{% endfilter %}"),
            ("{% with a = 1 %}", "{% endwith %}"),
            ("{% raw %}", "{% endraw %}"),
            ("{%- if 1 %}", "{%- endif %}"),
            ("{% set s %}", "{% endset %}{{ s }}"),
            ("{% macro m() %}", "{% endmacro %}{{ m() }}{{ m() | trim }}"),
            ("{#", "#}"),
        ]
    )
    wrapped = st.tuples(pairs, inner).map(lambda made: [made[0][0], *made[1], made[0][1]])
    return st.lists(wrapped | inner, max_size=4).map(lambda lists: [line for lines in lists for line in lines])


@given(st.recursive(st.lists(DATA, max_size=4), blocks, max_leaves=12), ENDS)
def test_random_templates(renderer: Renderer, lines: list[str], end: str) -> None:
    template = numbered(end.join(lines))
    stock = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined)
    try:
        text = stock.from_string(template).render(CONTEXT)
    except Exception:
        return  # a raw block in a raw block and the like
    pairs = mapped(renderer, template)
    assert [line for line, _ in pairs] == YAML_LINE.split(text)
    assert wrong(pairs) == []


LANDING = """\
{% macro item(name) %}
- name: {{ name }}
  size: big
{% endmacro %}
kind: Things
{% for gpu in values.gpus %}
{{ gpu }}: {shape: round}
{% endfor %}
items:
  {{ item("x") | trim | indent(2) }}
last: {at: end}
"""


@pytest.mark.parametrize(
    ("pointer", "span"),
    [
        pytest.param(("kind",), Span(5, 7, 5, 13), id="as written"),
        pytest.param(("b",), Span(7, 1, 7, 26), id="in a loop: the line"),
        pytest.param(("items", 0, "size"), Span(3, 3, 3, 12), id="in a macro: the line"),
        pytest.param(("last", "at"), Span(11, 12, 11, 15), id="behind all"),
    ],
)
def test_a_place_lands_on_the_template(renderer: Renderer, pointer: tuple[str | int, ...], span: Span) -> None:
    made = renderer.render(SourceFile("a.yaml.j2", LANDING), CONTEXT)
    assert isinstance(made, SourceFile)
    settled = Locator().resolve(Place(Source(made), pointer))
    assert settled.file.text == LANDING
    assert settled.span == span
