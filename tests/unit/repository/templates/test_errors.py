"""What is wrong with a template: the rule, the template's line, and words that help."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.message import Data
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.positions import Locator
from tests.reading import Renderer

CONTEXT = {
    "values": {"epochs": 3, "name": "mnist", "gpus": ["a"], "deep": {"env": {"LR": "1"}}, "odd key": {"a": 1}},
    "overlay": {"name": "prod", "namespace": "ml"},
}


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


def rejected(renderer: Renderer, template: str, context: Any = CONTEXT) -> Diagnostic:
    found = renderer.render(SourceFile("jobs/a.yaml.j2", template), context)
    assert isinstance(found, Diagnostic), found
    assert found.place.source.file.text == template
    assert found.message[0].islower() or found.message[0] in "\"'.%"
    return found


SYNTAX, UNDEFINED, UNSAFE, LIMIT, FAILED = (f"KTJ06{n}" for n in range(5))

ERRORS = [
    pytest.param("a\n{{ values. }}\nb", SYNTAX, 2, "expected name or number", id="half an attribute"),
    pytest.param("a\n{% if %}", SYNTAX, 2, "expected an expression", id="if without a condition"),
    pytest.param("{% for x in y %}\n\n", SYNTAX, 2, "'endfor'", id="block without an end"),
    pytest.param("a\n\n{% endif %}", SYNTAX, 3, "unknown tag 'endif'", id="end without a block"),
    pytest.param("a\n{{ 'x }}\n", SYNTAX, 2, "unexpected char", id="open quote"),
    pytest.param("a\n{{ (1 }}", SYNTAX, 2, "unexpected '}', expected ')'", id="open bracket"),
    pytest.param("\n{# a", SYNTAX, 2, "missing end of comment tag", id="open comment"),
    pytest.param("\n{% raw %}\n", SYNTAX, 2, "missing end of raw", id="open raw block"),
    pytest.param("\n{{ x|upperr }}", SYNTAX, 2, 'did you mean "upper"?', id="filter misspelt"),
    pytest.param("{{ x|b64encode }}", SYNTAX, 1, "there are: abs, batch", id="unknown filter"),
    pytest.param(
        "{% if 0 %}\n{{ x|nope }}{% endif %}",
        SYNTAX,
        2,
        'filter "nope" does not exist',
        id="unknown filter, not reached",
    ),
    pytest.param("\n{{ x is numeric }}", SYNTAX, 2, "there are: !=, <, <=, ==, >, >=, boolean", id="unknown test"),
    pytest.param("{{ [1]|select('positive')|list }}", SYNTAX, 1, "there are: !=, <", id="unknown test by name"),
    pytest.param("{{ x is defind }}", SYNTAX, 1, 'did you mean "defined"?', id="test misspelt"),
    pytest.param("{{ [1]|map('uper')|list }}", SYNTAX, 1, 'did you mean "upper"?', id="filter by name"),
    pytest.param("{{ [1]|select('evn')|list }}", SYNTAX, 1, 'did you mean "even"?', id="test by name"),
    pytest.param("\n{% macro m(a, a) %}{% endmacro %}", SYNTAX, 2, "duplicate argument 'a'", id="argument twice"),
    pytest.param("\n{{ range(stop=1, stop=2) }}", SYNTAX, 2, "keyword argument repeated: stop", id="keyword twice"),
    pytest.param(
        "\n" * 3 + "{% for x in [1] %}\n" * 25 + "{% endfor %}" * 25, SYNTAX, 24, "nested blocks", id="nested loops"
    ),
    pytest.param("\n{{ %s }}" % ("9" * 5000), SYNTAX, 2, "too large", id="number of 5000 digits"),
    pytest.param("\n{{ 1e999 }}", SYNTAX, 2, "too large", id="endless number"),
    pytest.param("{{ '\\N{nothing}' }}", SYNTAX, 1, "unknown Unicode character", id="unknown character name"),
    pytest.param("a\n{{ value.x }}", UNDEFINED, 2, '"value" is not defined; did you mean "values"?', id="name"),
    pytest.param(
        "{{ xyzzy }}", UNDEFINED, 1, "defined here: dict, namespace, overlay, range, values", id="no name near"
    ),
    pytest.param("{% set epochs = 1 %}{{ epoch }}", UNDEFINED, 1, 'did you mean "epochs"?', id="own name"),
    pytest.param("a\n{{ values.epoch }}", UNDEFINED, 2, 'values has no "epoch"; did you mean "epochs"?', id="value"),
    pytest.param("{{ values['epoch'] }}", UNDEFINED, 1, 'values has no "epoch"', id="value in brackets"),
    pytest.param(
        "{{ values.deep.env.LT }}", UNDEFINED, 1, 'values.deep.env has no "LT"; did you mean "LR"?', id="path"
    ),
    pytest.param("{{ values['odd key'].b }}", UNDEFINED, 1, 'values["odd key"] has no "b"', id="odd path"),
    pytest.param("{{ {'a': 1}.b }}", UNDEFINED, 1, 'the mapping has no "b"; defined here: a', id="mapping of its own"),
    pytest.param("{{ values.gpus[3] }}", UNDEFINED, 1, "values.gpus has no item 3, only 1", id="item"),
    pytest.param("{{ values.gpus.size }}", UNDEFINED, 1, 'values.gpus has no "size"', id="field of a list"),
    pytest.param("{{ values.name.first }}", UNDEFINED, 1, 'the text has no "first"', id="field of a text"),
    pytest.param("{{ values.name.upper }}", UNDEFINED, 1, "must be called; write .upper(…)", id="method not called"),
    pytest.param("{{ values.missing.more }}", UNDEFINED, 1, 'values has no "missing"', id="missing parent"),
    pytest.param("{% if values.missing %}{% endif %}", UNDEFINED, 1, 'values has no "missing"', id="condition"),
    pytest.param("{% for x in values.missing %}{% endfor %}", UNDEFINED, 1, 'values has no "missing"', id="loop"),
    pytest.param("{{ values.missing|upper }}", UNDEFINED, 1, 'values has no "missing"', id="filtered"),
    pytest.param("{{ values.missing ~ 'a' }}", UNDEFINED, 1, 'values has no "missing"', id="joined"),
    pytest.param("{{ values.missing in 'abc' }}", UNDEFINED, 1, 'values has no "missing"', id="searched"),
    pytest.param("{{ values.missing == 1 }}", UNDEFINED, 1, 'values has no "missing"', id="compared"),
    pytest.param("{{ values.missing|items }}", UNDEFINED, 1, 'values has no "missing"', id="pairs"),
    pytest.param("{{ values.missing|to_yaml }}", UNDEFINED, 1, 'values has no "missing"', id="written"),
    pytest.param("{{ [values.missing] }}", UNDEFINED, 1, 'values has no "missing"', id="in a list"),
    pytest.param("{{ nothing() }}", UNDEFINED, 1, '"nothing" is not defined', id="called"),
    pytest.param("{{ values.nothing.get() }}", UNDEFINED, 1, 'values has no "nothing"', id="method of a missing value"),
    pytest.param("{{ loop.index }}", UNDEFINED, 1, '"loop" is not defined', id="loop outside of one"),
    pytest.param(
        "{% for x in [1] %}{{ loop.previtem }}{% endfor %}", UNDEFINED, 1, "no previous item", id="first item"
    ),
    pytest.param(
        "{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}", UNDEFINED, 1, "no caller defined", id="caller"
    ),
    pytest.param("{{ []|first }}", UNDEFINED, 1, "no first item", id="first of nothing"),
    pytest.param("{% macro m() %}\n\n{{ values.x }}\n{% endmacro %}\n{{ m() }}", UNDEFINED, 3, "", id="inside a macro"),
    pytest.param("{% set x %}\n\n{{ values.x }}\n{% endset %}", UNDEFINED, 3, "", id="inside a block"),
    pytest.param("a\n{{ 1 /\n 0 }}", FAILED, 2, "division by zero", id="division by zero"),
    pytest.param("\n{% with a = 1 / 0 %}{% endwith %}", FAILED, 2, "division by zero", id="with"),
    pytest.param("\n{% if 1 / 0 %}{% endif %}", FAILED, 2, "division by zero", id="if"),
    pytest.param("\n{% if 0 %}\n{% elif 1 / 0 %}{% endif %}", FAILED, 3, "division by zero", id="elif"),
    pytest.param("\n{% set x = 1 / 0 %}", FAILED, 2, "division by zero", id="set"),
    pytest.param("\n{{ 1 + 'a' }}", FAILED, 2, "unsupported operand", id="number and text"),
    pytest.param("{{ values.epochs < 'a' }}", FAILED, 1, "not supported between", id="comparison"),
    pytest.param("{% for x in 5 %}{% endfor %}", FAILED, 1, "not iterable", id="loop over a number"),
    pytest.param("{% for a, b in [1] %}{% endfor %}", FAILED, 1, "unpack", id="pairs of a number"),
    pytest.param("{{ 'x'|indent(wdth=1) }}", FAILED, 1, "indent() got an unexpected", id="argument of a filter"),
    pytest.param("{{ 2|round(1, 2, 3) }}", FAILED, 1, "round() takes", id="arguments of a filter"),
    pytest.param(
        "{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", FAILED, 1, "macro 'm' takes not more", id="macro's arguments"
    ),
    pytest.param("{% set values.x = 1 %}", FAILED, 1, "non-namespace", id="assigning to data"),
    pytest.param("{{ range }}", FAILED, 1, "a function cannot be printed", id="function as text"),
    pytest.param("{% macro m() %}{% endmacro %}{{ [m] }}", FAILED, 1, "a macro cannot be printed", id="macro as text"),
    pytest.param(
        "{% for x in [1] %}{{ loop ~ '' }}{% endfor %}", FAILED, 1, "the loop cannot be printed", id="loop as text"
    ),
    pytest.param("{{ namespace(a=1) }}", FAILED, 1, "a namespace cannot be printed", id="namespace as text"),
    pytest.param("{{ {1: 2} }}", FAILED, 1, "the key 1 of a mapping is not a string", id="number as key"),
    pytest.param("{{ 2 ** 70 }}", FAILED, 1, "does not fit into 64 bits", id="large number"),
    pytest.param("{{ 2 ** 70000 }}", FAILED, 1, "does not fit into 64 bits", id="very large number"),
    pytest.param("{{ 1e300 * 1e300 }}", FAILED, 1, "a number is inf", id="infinity"),
    pytest.param("\n{{ '\\ud83d' }}", FAILED, 2, "half a character", id="half a character"),
    pytest.param("{{ '\\ud83d'|to_json }}", FAILED, 1, "lone surrogate", id="half a character as JSON"),
    pytest.param("{{ [1 if 0]|to_yaml }}", FAILED, 1, "an if without else", id="nothing in a list"),
    pytest.param("{{ '%d' % 'a' }}", FAILED, 1, "%d format", id="format"),
    pytest.param("{{ '%s'|format(1, a=2) }}", FAILED, 1, "choose one", id="format with both"),
    pytest.param("{{ range(200000) }}", LIMIT, 1, "more than 100000 numbers", id="range"),
    pytest.param("{% macro m() %}\n{{ m() }}{% endmacro %}\n{{ m() }}", LIMIT, 2, "too deeply", id="endless macro"),
    pytest.param("\n{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", LIMIT, 2, "too deeply", id="brackets"),
    pytest.param("\n{{ %s1 }}" % ("-" * 3000), LIMIT, 2, "too deeply", id="signs"),
    pytest.param("\n{{ a%s }}" % (".b" * 3000), LIMIT, 2, "too deeply", id="attributes"),
    pytest.param("\n" + "{% if 1 %}" * 1000 + "{% endif %}" * 1000, LIMIT, 2, "too deeply", id="blocks"),
]


@pytest.mark.parametrize(("template", "rule", "line", "words"), ERRORS)
def test_error(renderer: Renderer, template: str, rule: str, line: int, words: str) -> None:
    found = rejected(renderer, template)
    assert (found.rule.id, Locator().resolve(found.place).span.line) == (rule, line), found.message
    assert words in found.message
    assert "; " in found.message, "it ends with what to do"
    assert not re.search(r" at \d+;", found.message), "a column is a column"


@pytest.mark.parametrize(
    ("template", "line", "columns"),
    [
        pytest.param("a\n  {{ 1/0 }}  \nb", 2, (3, 12), id="without the blanks around"),
        pytest.param("a\r\n{{ 1/0 }}\r\n", 2, (1, 10), id="carriage return and line feed"),
        pytest.param("a\r{{ 1/0 }}\r", 2, (1, 10), id="carriage return"),
        pytest.param("a\u2028b\n{{ 1/0 }}", 3, (1, 10), id="line separator, which only YAML counts"),
        pytest.param("{{ 1/0 }}", 1, (1, 10), id="only line"),
        pytest.param("a\r\n\r  {{ 'x }}\n", 3, (6, 7), id="a character that cannot be read"),
        pytest.param("{{ 'x'\n\n  | ! }}", 3, (5, 6), id="a character in the third line of an expression"),
        pytest.param("\u2028{# \n #}{{ 'é' }}{{ ? }}\n", 3, (16, 17), id="a character behind a comment"),
    ],
)
def test_the_place_is_the_line(renderer: Renderer, template: str, line: int, columns: tuple[int, int]) -> None:
    span = Locator().resolve(rejected(renderer, template).place).span
    assert (span.line, span.column, span.end_column) == (line, *columns)


@pytest.mark.parametrize(
    ("template", "data"),
    [
        pytest.param("{{ values.epoch }}", ["values", "epoch", "epochs"], id="names"),
        pytest.param("{{ 1 / 0 }}", ["division by zero"], id="words of Python"),
        pytest.param("{{ 'x' | '<b>' }}", None, id="words of Jinja2"),
        pytest.param("{{ values['<b>[a](b)'] }}", ["values", "<b>[a](b)"], id="markup"),
    ],
)
def test_words_and_data_are_apart(renderer: Renderer, template: str, data: list[str] | None) -> None:
    pieces = rejected(renderer, template).message.pieces
    found = [piece.text for piece in pieces if isinstance(piece, Data)]
    assert found[: len(data)] == data if data else len(found) == 1
    assert not any("<" in piece for piece in pieces if isinstance(piece, str))


def test_one_error_does_not_hide_another(renderer: Renderer) -> None:
    found = [
        renderer.render(SourceFile(f"{n}", text), CONTEXT) for n, text in enumerate(["{{ a }}", "ok", "{{ 1/0 }}"])
    ]
    assert [type(each) for each in found] == [Diagnostic, SourceFile, Diagnostic]


@pytest.mark.parametrize(
    ("template", "words"),
    [
        pytest.param("\n{{ 'a' * 10**10 }}", "more than 512 MiB of memory, the limit", id="memory"),
        pytest.param("\n{% for i in range(9) %}{{ 'a' * 2**17 }}{% endfor %}", "more than 1 MiB of text", id="text"),
        pytest.param("\n{{ 'é' * 2**19 }} ", "more than 1 MiB of text", id="text in bytes"),
    ],
)
def test_a_limit_names_the_file_and_itself(renderer: Renderer, template: str, words: str) -> None:
    found = rejected(renderer, template)
    assert (found.rule.id, Locator().resolve(found.place).span.line) == ("KTJ063", 2)
    assert found.message.startswith('"a.yaml.j2" ')
    assert words in found.message


def test_the_limits_are_those_of_the_build() -> None:
    limits = Limits(template_seconds=1, template_memory=64 << 20, template_bytes=1 << 10)
    with Renderer(limits) as renderer:
        assert (
            "more than 1 s of processor" in rejected(renderer, "{% set x = 3 ** 9999999 %}{{ x * x % 7 }}" * 40).message
        )
        assert "more than 64 MiB of memory" in rejected(renderer, "{{ ('a' * 10**8)|length }}").message
        assert "more than 1 KiB" in rejected(renderer, "a" * 1025).message
        made = renderer.render(SourceFile("a", "a" * 1024), CONTEXT)
        assert isinstance(made, SourceFile)
        assert len(made.text) == 1024


def test_the_manual_lists_what_is_offered() -> None:
    from kubectl_trainjob.report.lint.manual import page
    from kubectl_trainjob.repository.templates.child.filters import FILTERS, FUNCTIONS

    listed = re.search(r"filters exist: ([^.]*)\.\s+These functions exist: ([^.]*)\.", page("KTJ062"))
    assert listed is not None
    assert [re.findall(r"`(\w+)`", part) for part in listed.groups()] == [sorted(FILTERS), sorted(FUNCTIONS)]
