"""What templates give, judged by Jinja2 itself with the settings that we promise."""

import json
from collections.abc import Iterator

import pytest
from jinja2 import Environment, StrictUndefined

from kubectl_trainjob.model.source import SourceFile
from tests.reading import Renderer

VALUES = {
    "name": "mnist",
    "nodes": 4,
    "zero": 0,
    "rate": 0.25,
    "gpus": ["a100", "h100", "l40s"],
    "env": {"EPOCHS": "3", "items": "own", "LR": "0.1"},
    "jobs": [{"name": "b", "team": "nlp"}, {"name": "a", "team": "cv"}, {"name": "c", "team": "nlp"}],
    "tree": {"name": "root", "children": [{"name": "leaf", "children": []}, {"name": "twig", "children": []}]},
    "braces": "{{ 1 + 1 }} {% raw %}",
    "text": "first\n  second\n\nthird\n",
    "accented": "größer – 中文 😀",
}
CONTEXT = {"values": VALUES, "overlay": {"name": "prod", "namespace": "ml"}}

# Here we print what Jinja2 prints: texts and whole numbers.
ALIKE = {
    "text": "a: {{ values.name }}\nb: {{ overlay.namespace }}\n",
    "no text": "",
    "only line ends": "\n\n\n",
    "no last line end": "a",
    "item": "{{ values['name'] }} {{ values.gpus[0] }} {{ values.gpus[-1] }} {{ values.name[1] }}",
    "slices": "{{ values.name[:2] }}{{ values.name[1:4:2] }}{{ values.gpus[1:]|join }}",
    "loop": "{% for gpu in values.gpus %}\n- {{ loop.index }} {{ loop.revindex0 }} {{ gpu }}\n{% endfor %}\n",
    "loop fields": "{% for g in values.gpus %}{{ loop.first|int }}{{ loop.last|int }}{{ loop.length }}"
    "{{ loop.index0 }}"
    "{{ loop.previtem|d('') }}{{ loop.nextitem|d('') }}{{ loop.cycle('x', 'y') }}{{ loop.depth }}\n{% endfor %}",
    "loop changed": "{% for job in values.jobs %}{{ loop.changed(job.team)|int }}{% endfor %}",
    "loop with a filter and else": "{% for g in values.gpus if g == 'none' %}{{ g }}{% else %}empty{% endfor %}",
    "nested loops": "{% for j in values.jobs %}{% for g in values.gpus %}\n{{ j.name }}{{ g }}{% endfor %}\n"
    "{% endfor %}",
    "recursive loop": "{% for n in [values.tree] recursive %}{{ n.name }}({{ loop(n.children) }}){% endfor %}",
    "pairs": "{% for key, value in values.env.items() %}{{ key }}={{ value }};{% endfor %}",
    "sorted pairs": "{% for key, value in values.env|dictsort %}{{ key }}={{ value }};{% endfor %}",
    "conditions": "{% if values.nodes > 3 and not values.zero %}\nbig\n{% elif values.nodes %}\nsmall\n"
    "{% else %}\n{% endif %}\n",
    "inline condition": "{{ 'a' if values.nodes == 4 else 'b' }}{{ 'a' if values.zero else 'b' }}",
    "inline condition without else": "[{{ 'a' if values.zero }}]",
    "arithmetic": "{{ values.nodes * 8 + 1 }} {{ values.nodes // 3 }} {{ values.nodes % 3 }} {{ 2 ** 10 }}"
    " {{ -values.nodes }}",
    "comparison": "{{ (1 < 2 <= 2)|int }}{{ ('a' in values.env)|int }}{{ ('EPOCHS' not in values.env)|int }}",
    "concatenation": "{{ values.name ~ '-' ~ values.nodes }}{{ 'a' + 'b' }}{{ ('a' * 3) }}",
    "set": "{% set x = values.nodes + 1 %}{{ x }}",
    "set block": "{% set x %}\na {{ values.name }}\n{% endset %}\n[{{ x }}]\n",
    "set block with a filter": "{% set x | upper %}a {{ values.name }}{% endset %}{{ x }}",
    "compared block": "{% set x %}{% if values.nodes %}yes{% endif %}{% endset %}"
    "{{ 'is' if x == 'yes' else 'is not' }}",
    "empty block": "{% set x %}{{ '' }}{% endset %}{{ 'full' if x else 'empty' }}",
    "namespace": "{% set ns = namespace(sum=0) %}{% for i in range(4) %}{% set ns.sum = ns.sum + i %}"
    "{% endfor %}{{ ns.sum }}",
    "with": "{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}",
    "macro": "{% macro env(name, value='x') %}\n- {{ name }}: {{ value }}\n{% endmacro %}\n{{ env('A') }}"
    "{{ env('B', value=2) }}",
    "macro with more arguments": "{% macro m(a) %}{{ a }}{{ varargs|join }}{{ kwargs.z }}{% endmacro %}"
    "{{ m(1, 2, 3, z=4) }}",
    "call block": "{% macro m() %}<{{ caller('x') }}>{% endmacro %}{% call(y) m() %}{{ y }}{{ y }}{% endcall %}",
    "filter block": "{% filter upper %}a {{ values.name }}{% endfilter %}",
    "raw": "{% raw %}{{ not.ours }} {% if %}\n{% endraw %}\n{{ values.name }}",
    "comments": "a\n{# no line #}\nb {# inside #} c\n  {# two\n lines #}\nd\n",
    "whitespace control": "a\n  {%- if 1 %}  \n b  {%- endif -%}  \n c {{- 1 -}} \n d {%+ if 1 %}\n e{% endif +%}\nf\n",
    "indented blocks": "  {% if 1 %}\n    a\n  {% endif %}\n\t{% for x in [1] %}\n b\n\t{% endfor %}\nc",
    "carriage returns": "a\r\n{% if 1 %}\r\nb: {{ values.name }}\r\n{% endif %}\r\nc\r\n",
    "old line ends": "a\r{% if 1 %}\rb\r{% endif %}\rc",
    "values are not templates": "{{ values.braces }}",
    "text of several lines": "a: |\n  {{ values.text | indent(2) }}\nb",
    "accents": "größer: {{ values.accented }}\u2028{{ 'é' }}\x85",
    "text filters": "{{ 'aB cd'|upper }}{{ 'aB'|lower }}{{ 'aB cd'|title }}{{ 'aB'|capitalize }}{{ ' x '|trim }}"
    "{{ 'xax'|trim('x') }}"
    "{{ 'aXbXc'|replace('X', '-') }}{{ 'aXbXc'|replace('X', '-', 1) }}{{ values.nodes|string }}",
    "indent": "{{ values.text|indent }}|{{ values.text|indent(3, true) }}"
    "|{{ values.text|indent(2, blank=true) }}|{{ 'a\nb'|indent('> ') }}",
    "list filters": "{{ values.gpus|first }}{{ values.gpus|last }}{{ values.gpus|length }}{{ values.gpus|count }}"
    "{{ values.gpus|join(', ') }}{{ values.gpus|sort(reverse=true)|join }}{{ values.gpus|reverse|join }}"
    "{{ [3, 1, 3]|unique|join }}"
    "{{ [3, 1]|min }}{{ [3, 1]|max }}{{ [3, 1]|sum }}{{ values.jobs|join(',', attribute='name') }}"
    "{{ 'ab'|list|join('.') }}",
    "mapping filters": "{{ values.jobs|map(attribute='name')|join }}"
    "{{ values.jobs|map(attribute='x', default='?')|join }}"
    "{{ values.gpus|map('upper')|join }}{{ [1, 2, 3]|select('odd')|join }}{{ [1, 2, 3]|reject('odd')|join }}"
    "{{ values.jobs|selectattr('team', 'equalto', 'nlp')|map(attribute='name')|join }}"
    "{{ values.jobs|rejectattr('team', 'equalto', 'nlp')|map(attribute='name')|join }}"
    "{{ values.jobs|sort(attribute='name')|map(attribute='name')|join }}",
    "groups": "{% for team, jobs in values.jobs|groupby('team') %}{{ team }}:{% for j in jobs %}{{ j.name }}"
    "{% endfor %};{% endfor %}",
    "batches": "{% for row in range(5)|batch(2, 'x') %}{{ row|join }};{% endfor %}"
    "{% for row in range(5)|slice(2) %}{{ row|join }};{% endfor %}",
    "numbers": "{{ '7'|int }}{{ 'x'|int(5) }}{{ '1f'|int(base=16) }}{{ 2.7|round|int }}{{ -3|abs }}"
    "{{ '1.5'|float }}{{ 2.5|round(0, 'floor')|int }}",
    "defaults": "{{ values.none_such|default('x') }}{{ values.name|d('x') }}{{ ''|default('x', true) }}"
    "{{ none_such|d(1) }}",
    "tests": "{{ (values.x is defined)|int }}{{ (values.x is undefined)|int }}{{ (1 is odd)|int }}"
    "{{ (4 is even)|int }}"
    "{{ (4 is divisibleby 2)|int }}{{ (none is none)|int }}{{ (1 is number)|int }}{{ (1 is integer)|int }}"
    "{{ (1.5 is float)|int }}"
    "{{ ('a' is string)|int }}{{ ({} is mapping)|int }}{{ ([] is sequence)|int }}{{ ([] is iterable)|int }}"
    "{{ (true is true)|int }}"
    "{{ (true is false)|int }}{{ (true is boolean)|int }}{{ ('a' is lower)|int }}{{ ('a' is upper)|int }}"
    "{{ (1 is in [1])|int }}"
    "{{ (1 is eq 1)|int }}{{ (1 is ne 1)|int }}{{ (1 is lt 2)|int }}{{ (1 is le 1)|int }}{{ (1 is gt 2)|int }}"
    "{{ (1 is ge 1)|int }}",
    "methods": "{{ 'a b'.split()|join('-') }}{{ 'ab'.upper() }}{{ 'ab'.startswith('a')|int }}"
    "{{ 'a-b'.replace('-', '') }}{{ '7'.zfill(3) }}"
    "{{ ','.join(values.gpus) }}{{ values.env.get('LR') }}{{ values.env.get('x', 'y') }}{{ values.env.keys()|join }}"
    "{{ values.env.values()|join }}{{ [1, 2].index(2) }}{{ [1, 1].count(1) }}"
    "{{ 'a:b:c'.partition(':')|join(' ') }}{{ ' a '.strip() }}",
    "format": "{{ '%s-%03d'|format('a', 7) }}{{ '%(a)s'|format(a='b') }}{{ '%.2f' % values.rate }}"
    "{{ '%s %s' % ('a', 1) }}",
    "dict": "{{ dict(a=1).a }}{{ dict(values.env, LR='9').LR }}{% for k in dict([('x', 1)]) %}{{ k }}{% endfor %}",
    "escapes": r"{{ 'a\tb\u00e9\x41\'' }}",
    "long": "{% for i in range(3000) %}\n- line {{ i }}\n{% endfor %}\n",
}


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


def rendered(renderer: Renderer, template: str) -> str:
    made = renderer.render(SourceFile("a.yaml.j2", template), CONTEXT)
    assert isinstance(made, SourceFile), made
    assert made.path == "a.yaml.j2"
    assert made.written is not None
    assert made.written.file.text == template
    return made.text


@pytest.mark.parametrize("template", ALIKE.values(), ids=ALIKE)
def test_same_text_as_jinja(renderer: Renderer, template: str) -> None:
    stock = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined, autoescape=False
    )
    assert rendered(renderer, template) == stock.from_string(template).render(CONTEXT)


# Where Jinja2 prints Python, we print what JSON and YAML call it, and a mapping's own entries come before its methods.
OURS = [
    pytest.param(
        "{{ true }} {{ none }} {{ [1, 'a', none] }} {{ {'a': false} }}", 'true null [1, "a", null] {"a": false}'
    ),
    pytest.param("{{ 'x' ~ true ~ [] }}", "xtrue[]"),
    pytest.param("{{ [true, none]|join(' ') }} {{ true|string }} {{ '%s' % true }}", "true null true true"),
    pytest.param("{{ 1.0 }} {{ 0.00001 }} {{ 1e300 * 10 }}", "1.0 1.0e-05 1.0e+301"),
    pytest.param("{{ values.env.items }}", "own"),
    pytest.param("{{ values.env.items()|length }}", "3"),
    pytest.param("{% filter length %}abc{% endfilter %}", "3"),
    pytest.param("{% for k, v in values.env|items %}{{ k }}{% endfor %}", "EPOCHSitemsLR"),
]


@pytest.mark.parametrize(("template", "text"), OURS)
def test_values_are_printed_as_json(renderer: Renderer, template: str, text: str) -> None:
    assert rendered(renderer, template) == text


def test_every_process_gives_the_same_bytes() -> None:
    """Each child has a hash seed of its own."""
    template = "{{ values|to_json }}{{ values|to_yaml }}{{ values.jobs|map(attribute='team')|unique|list }}"
    "{{ kwargs|d(dict(b=1, a=2)) }}"
    texts = set()
    for _ in range(4):
        with Renderer() as renderer:
            texts.add(rendered(renderer, template))
    assert len(texts) == 1


def test_a_context_is_data_only(renderer: Renderer) -> None:
    with pytest.raises(TypeError, match="not JSON"):
        renderer.render(SourceFile("a", "{{ x }}"), {"x": object()})
    assert rendered(renderer, "a") == "a"


def test_any_character_of_the_context_comes_back(renderer: Renderer) -> None:
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10000), 0x10000, 0x1F600, 0x10FFFF]))
    made = renderer.render(SourceFile("a", "{{ x }}"), {"x": text})
    assert isinstance(made, SourceFile)
    assert made.text == text
    made = renderer.render(SourceFile("a", "{{ x|to_json }}"), {"x": text})
    assert isinstance(made, SourceFile)
    assert json.loads(made.text) == text
