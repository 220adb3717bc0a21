"""Hostile templates: a clear error in bounded time and memory, and nothing of the machine in any answer."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.templates.child.filters import FILTERS, FUNCTIONS, METHODS, TESTS
from tests.hostile.templates import BOMBS, CANARY, CONTEXT, ESCAPES, GADGETS, NO_LINE, SLOW_BOMBS, with_gadgets
from tests.loops import for_each, sampled
from tests.reading import Renderer

_SECONDS = 5  # of processor time
_MEBIBYTES = 50
_REPOSITORY = Path(__file__).parents[2]
_INSIDES = re.compile(
    rf"0x[0-9a-f]{{4}}| at 0x|object at|<(?:class|function|built-in|bound|generator|module|Macro|Namespace|Loop)|"
    rf"site-packages|jinja2|\.py\b|kubectl_trainjob|Traceback|/usr|/root|/home|/tmp|root:|No module|{CANARY}"
)


@pytest.fixture(scope="module")
def renderer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renderer]:
    folder = tmp_path_factory.mktemp("beside")
    (folder / "secret").write_text(CANARY)
    with pytest.MonkeyPatch.context() as patch, Renderer() as renderer:
        patch.setenv("TRAINJOB_SECRET", CANARY)
        patch.chdir(folder)
        yield renderer


def answer(renderer: Renderer, template: str, context: Any = CONTEXT, said: str = "") -> tuple[str, str]:
    """The rule and the message, or "" and the text; nothing of the insides is in either, save what was `said`."""
    made = renderer.render(SourceFile("a.yaml.j2", template), context)
    if isinstance(made, SourceFile):
        rule, text = "", made.text
    else:
        rule, text = made.rule.id, made.message
        assert isinstance(made, Diagnostic)
        assert 1 <= Locator().resolve(made.place).span.line <= template.count("\n") + 1
    assert rule in ("", "KTJ060", "KTJ061", "KTJ062", "KTJ063", "KTJ064")
    assert not [found for found in _INSIDES.findall(text) if found not in said], text
    return rule, text


@sampled(every=3)
@for_each("escape", ESCAPES, at_least=230)
def test_no_way_out(renderer: Renderer, escape: tuple[str, str, str]) -> None:
    template, rule, text = escape
    found = answer(renderer, template)
    assert found[0] == rule, found
    if not rule:
        assert found[1] == text


def test_the_corpus_is_large() -> None:
    assert len({template for template, rule, _ in ESCAPES if rule}) >= 200


OFFERED = {
    **{f"filter {name}": f"GADGET|{name}" for name in FILTERS},
    **{f"filter {name} of a list": f"[GADGET]|{name}" for name in FILTERS},
    **{f"argument of the filter {name}": f"'a'|{name}(GADGET)" for name in FILTERS},
    **{f"attribute of the filter {name}": f"[1, 2]|{name}(attribute=GADGET)" for name in FILTERS},
    **{f"test {name}": f"GADGET is {name}" for name in TESTS if name.isalpha()},
    **{f"argument of the test {name}": f"1 is {name}(GADGET)" for name in TESTS if name.isalpha()},
    **{f"function {name}": f"{name}(GADGET)" for name in FUNCTIONS},
    **{f"function {name} with all of it": f"{name}(*GADGET, **GADGET)" for name in FUNCTIONS},
    **{f"method {name} of text": f"'a'.{name}(GADGET)" for name in METHODS[str]},
    **{f"method {name} of a list": f"[1].{name}(GADGET)" for name in METHODS[list]},
    **{f"method {name} of a mapping": f"values.{name}(GADGET)" for name in METHODS[dict]},
    **{f"loop.{name}": f"loop.{name}(GADGET)" for name in ("cycle", "changed", "index", "__init__")},
    **{f"gadget{rest}": f"GADGET{rest}" for rest in ("()", "(1)", ".a", "[0]", "['a']", "[0:1]", ".a()")},
    **{f"text {sign}": f"'a' {sign} GADGET" for sign in "+-*/%~<>"},
    **{f"{sign} text": f"GADGET {sign} 'a'" for sign in ("+", "*", "%", "~", "<", "==", "in", "and", "or")},
}


@sampled(every=3)
@for_each("expression", OFFERED, at_least=289)
def test_nothing_that_is_offered_is_a_gadget(expression: str, renderer: Renderer) -> None:
    gadget = list(GADGETS.values())[len(expression) % len(GADGETS)]  # any
    answer(renderer, with_gadgets(expression.replace("GADGET", gadget)))


@pytest.mark.slow
@for_each("expression", OFFERED, at_least=289)
def test_nothing_that_is_offered_is_a_gadget_for_any_value(expression: str, renderer: Renderer) -> None:
    for gadget in GADGETS.values():
        answer(renderer, with_gadgets(expression.replace("GADGET", gadget)))


VALUES = ["'a'", "1", "1.5", "none", "true", "[]", "()", "{}", "m()", "range(2)", "''.split()"]
ACCESSES = ["GADGET.NAME", "(GADGET)['NAME']", "(GADGET).NAME()", "[GADGET]|map(attribute='NAME')"]


@sampled(every=5)
@for_each("name", ["__class__", "__globals__", "__init__", "mro"], at_least=4)
@for_each("access", ACCESSES, at_least=4)
@for_each("gadget", [*GADGETS.values(), *VALUES], at_least=19)
def test_no_value_has_insides(renderer: Renderer, name: str, access: str, gadget: str) -> None:
    rule, _ = answer(renderer, with_gadgets(access.replace("GADGET", gadget).replace("NAME", name)))
    assert rule


def measured(names: list[str], folder: Path) -> dict[str, Any]:
    """What a process of its own made of the bombs."""
    (folder / "secret").write_text(CANARY)
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.templates_measured", *names],
        capture_output=True,
        check=False,
        cwd=_REPOSITORY,
        timeout=600,
        env=os.environ | {"TRAINJOB_SECRET": CANARY},
    )
    assert done.returncode == 0, done.stderr.decode()
    assert CANARY.encode() not in done.stdout + done.stderr
    return json.loads(done.stdout)


def check(measurement: dict[str, Any], bombs: dict[str, tuple[str, str | None]]) -> None:
    results = measurement["results"]
    assert {name: found["rule"] for name, found in results.items()} == {name: bombs[name][1] for name in results}
    assert {name: found["seconds"] for name, found in results.items() if found["seconds"] > _SECONDS} == {}
    rejected = {name: found for name, found in results.items() if found["rule"]}
    assert {
        name: found["line"] for name, found in rejected.items() if found["line"] != (1 if name == NO_LINE else 3)
    } == {}
    for name, found in rejected.items():
        assert not _INSIDES.search(found["message"]), name
        if found["rule"] == "KTJ063":
            assert found["message"].startswith('"bomb.yaml.j2" ')
            assert re.search("limit|too deeply", found["message"])
    assert measurement["mebibytes"] < _MEBIBYTES
    assert measurement["is_reaped"]


def test_a_bomb_of_each_kind_ends_at_once(tmp_path: Path) -> None:
    names = ["text repeated", "number padded", "list repeated", "range", "much text", "macro without end", "brackets"]
    check(measured([*names, "signs", "open comment"], tmp_path), BOMBS)


@pytest.mark.gate
@pytest.mark.slow
def test_a_bomb_ends_in_time(tmp_path: Path) -> None:
    check(measured(["nested loops"], tmp_path), SLOW_BOMBS)


@pytest.mark.gate
@pytest.mark.slow
def test_all_bombs_end_at_once(tmp_path: Path) -> None:
    check(measured(list(BOMBS), tmp_path), BOMBS)


@pytest.mark.gate
@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW_BOMBS)
def test_every_bomb_ends_in_time(name: str, tmp_path: Path) -> None:
    check(measured([name], tmp_path), SLOW_BOMBS)


FRAGMENTS = """
{{ }} {% %} {# #} {%- -%} {{- -}} {%+ if for in endfor else elif endif set endset macro endmacro call endcall
filter endfilter with endwith raw endraw block include import from extends self super loop caller varargs values
overlay name gpus nothing ns range dict namespace x y m ( ) [ ] { } . , : | ~ + - * / // % ** == != < > = is not
and or 1 0 2.5 '' 'a' '__class__' "b" true none __class__ __init__ upper join map select attribute format
to_json to_yaml quote indent default length sort batch groupby defined odd cycle index items get split \\n
\ufdd0 \ufdd01\ufdd1 é \u2028 a: text
"""
words = st.sampled_from([word.replace("\\n", "\n") for word in FRAGMENTS.split()])
spaced = st.lists(words, max_size=12).map(" ".join)
dense = st.lists(words, max_size=12).map("".join)
expressions = spaced.map(lambda text: "{{ " + text + " }}")
statements = spaced.map(lambda text: "{% " + text + " %}")
loops = spaced.map(lambda text: "{% for x in values.gpus %}" + text + "{% endfor %}\n")
macros = spaced.map(lambda text: "{% macro m(x, y=1) %}\n" + text + "{% endmacro %}{{ m(1) }}")
documents = st.lists(dense | spaced | expressions | statements | loops | macros, max_size=4).map("".join)


@given(documents)
def test_any_template_gives_a_text_or_a_diagnostic(renderer: Renderer, template: str) -> None:
    answer(renderer, template, said=template)


@given(st.text(max_size=60))
def test_any_text_gives_a_text_or_a_diagnostic(renderer: Renderer, template: str) -> None:
    answer(renderer, template, said=template)


def test_a_value_is_never_a_template(renderer: Renderer) -> None:
    for template, _, _ in ESCAPES[:80]:
        assert answer(renderer, "{{ x }}", {"x": template}) == ("", template)


@pytest.mark.slow
def test_bombs_one_after_the_other_leave_the_next_template_alone() -> None:
    bombs = [BOMBS[name][0] for name in ("text repeated", "number padded", "list repeated")]
    with Renderer(Limits(template_seconds=1)) as renderer:
        for bomb in bombs:
            renderer.render(SourceFile("a", bomb), CONTEXT)
            assert answer(renderer, "{{ values.name }}") == ("", "mnist")
