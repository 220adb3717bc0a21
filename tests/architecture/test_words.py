"""Texts use standard terms and short sentences: the manual of each rule, guides, messages, comments and names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kubectl_trainjob.model.rules import RULES
from tests import words
from tests.architecture.sizes import MODULES, ROOT
from tests.loops import for_each

_RULES = ROOT / "kubectl_trainjob" / "lint" / "manual"
_GITHUB = ROOT / ".github"
GUIDES = [
    ROOT / "CHANGELOG.md",
    _GITHUB / "ARCHITECTURE.md",
    _GITHUB / "CONTRIBUTING.md",
    _GITHUB / "actions" / "review" / "README.md",
]
PACKAGED = [
    *(path for suffix in ("yaml", "sh") for path in (ROOT / "kubectl_trainjob" / "integrations").rglob(f"*.{suffix}")),
    *(ROOT / "kubectl_trainjob" / "cli" / "schemas").glob("*.json"),
    *(ROOT / "runtimes").glob("*.yaml"),
    *(ROOT / "overlays").rglob("*.yaml"),
]


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule) for rule in RULES])
def test_the_words_of_a_rule(rule: str) -> None:
    page = (_RULES / f"{rule}.md").read_text(encoding="utf-8")
    text = re.sub(r"^(?:# |See: ).*$", "", words.prose(page), flags=re.MULTILINE)
    assert (words.avoided(text), words.long_sentences(text)) == ([], [])


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in GUIDES])
def test_the_words_of_a_guide(path: Path) -> None:
    text = words.prose(path.read_text(encoding="utf-8"))
    assert (words.avoided(text), words.long_sentences(text)) == ([], [])


@for_each("path", PACKAGED, at_least=30)
def test_the_words_of_packaged_files(path: Path) -> None:
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    _report(path, [words.Text(number, f"{each}: {line}") for number, line in lines for each in words.avoided(line)])


def _report(path: Path, found: list[words.Text]) -> None:
    assert not found, "\n" + "\n".join(f"{path.relative_to(ROOT)}:{line}: {text}" for line, text in found)


def _plain(text: str) -> str:
    """The text with code, and characters in quotes, as one word."""
    return re.sub(r"`[^`]*`|'.'(?:, '.')*(?: and '.')?", "CODE", text)


@for_each("path", MODULES, at_least=200)
def test_the_words_of_texts(path: Path) -> None:
    found = list(words.literals(path.read_text(encoding="utf-8"))) if path.stem != "html_style" else []
    _report(path, [words.Text(line, f"{each}: {text}") for line, text in found for each in words.avoided(_plain(text))])


@for_each("path", MODULES, at_least=200)
def test_the_sentences_of_messages(path: Path) -> None:
    found = words.messages(path.read_text(encoding="utf-8"))
    _report(path, [words.Text(line, each) for line, text in found for each in words.long_sentences(_plain(text))])


@for_each("path", MODULES, at_least=200)
def test_the_words_of_comments(path: Path) -> None:
    found = words.comments(path.read_text(encoding="utf-8"))
    plain = [(line, words.without_quotations(text)) for line, text in found]
    _report(path, [words.Text(line, f"{each}: {text}") for line, text in plain for each in words.avoided(text)])


@for_each("path", MODULES, at_least=200)
def test_the_sentences_of_comments(path: Path) -> None:
    found = [(line, words.without_tables(text)) for line, text in words.comments(path.read_text(encoding="utf-8"))]
    _report(path, [words.Text(line, each) for line, text in found for each in words.long_sentences(text)])


@for_each("path", MODULES, at_least=200)
def test_the_words_of_names(path: Path) -> None:
    _report(path, list(words.worst_names(path.read_text(encoding="utf-8"))))


def test_the_modules_in_the_guide_exist() -> None:
    text = (_GITHUB / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:[a-z_]+/)+[a-z_]+)(?:\.py)?`", text)
    paths += [name.replace(".", "/") for name in re.findall(r"`((?:compiler|kube|repository)\.[a-z_.]+)`", text)]
    tops = (ROOT, ROOT / "kubectl_trainjob")
    missing = [
        path for path in paths if not any((top / f"{path}{end}").exists() for top in tops for end in ("", ".py"))
    ]
    assert (missing, len(paths) > 20) == ([], True)
