"""The words that texts for users do not use, the length of their sentences, and where code has such texts."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

LONGEST = 20  # words of a sentence

_AVOIDED = (
    r"told|tells?|telling|complain(?:s|ed|ing)?|stands?|stood|standing|wrong(?:ly)?|anew|alone|gone|besides",
    r"mend(?:s|ed|ing)?|refus(?:e|es|ed|al|als|ing)|judg(?:e|es|ed|ing|ments?)|unverifiable|forsak(?:e|es|en|ing)",
    r"as bad as|less bad|worst first|at random|mind the difference|save for|of (?:its|one's|their) own|so that",
    r"(?<!there )(?:is|are) no (?!longer)[a-z]+|(?:is|are|was) (?:not )?there|given twice|without a (?:doubt|word)",
    r"nobody|somebody|whoever|whatever|persons?|people|becom(?:e|es|ing)|where the processes meet|ask(?:s|ed)? for",
    r"beats|counts before|what counts|rests? on|br(?:ings?|ought)|lies|lay an overlay|look(?:s|ed|ing)? at|left out",
    r"leav(?:e|es|ing) out|tak(?:e|es|en) away|set aside|trouble|could not run|news|passed by|what disagrees|behind",
    r"states? (?:none|no|it|its|the|an?|as|them|(?-i:[a-z]+[A-Z]\w*))|stated|holds? GPUs|one of both|names nothing",
    r"selects? nothing|made by|any more|(?:is|are) lost|writes? over|written over|spoil(?:s|ed)?|hidden|known findings",
    r"(?:old|new|both|either) sides?|who wrote|was to be|not said|to blame|those who|how Kubernetes writes",
    r"same as nothing|passed on|surroundings?|spots?|settle[sd]?|alike|headlines?|faults?|conclusions?|outcomes?",
    r"written by (?!hand)|made (?:from|of|out of)|makes? (?:of|objects)|a Trainer(?! (?:\d|version))|idle settings?",
    r"histor(?:y|ies) of (?:a|the) values?|(?:has|have) (?:an?|the) [\w ]{1,30} already|the least severity",
    r"members? of (?:an|the|this) overlay|(?:everything|nothing|anything|something) that|everybody|anybody|memos?",
    r"folders?|whole numbers?|(?:is|are|has|have|with) [^.;]{1,40} twice; (?:keep|remove|use)|must hold",
    r"there is no(?= [a-z{}]+ [\"{])",
)
_AVOIDED_WORDS = re.compile(rf"\b(?:{'|'.join(_AVOIDED)})\b", re.IGNORECASE)
_WORST_NAMES = re.compile(
    r"(?:told|wrong|complain|forsake|mend|judge|refuse|spot|settle|memo)(?:s|d|ed|ing)?|refusals?|refusing|judging"
    r"|forsaken|idle|spoil(?:s|ed|t)|headlines?|anew|learn|drain|surroundings?"
)
_FAULTS = frozenset({"EnvironmentFault", "UsageError", "BadParameter", "ClickException"})


class Text(NamedTuple):
    """A text in a module and its line."""

    line: int
    text: str


def prose(markdown: str) -> str:
    """A page without its code, what is generated, and the marks and targets of links; a list of code is one word."""
    text = re.sub(r"^```.*?^```$|<!--.*?<!-- end -->|<[^>]+>", "", markdown, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"CODE(?:,\s+CODE)+", "CODE", re.sub(r"`[^`]*`", "CODE", text))


def avoided(text: str) -> list[str]:
    """The words of a text that have a standard word, in order."""
    return [found[0] for found in _AVOIDED_WORDS.finditer(" ".join(text.split()))]


def without_quotations(text: str) -> str:
    """The text with code and quotations as one word."""
    return re.sub(r"`[^`]*`|\"[^\"]*\"", "CODE", " ".join(text.split()))


def without_tables(text: str) -> str:
    """A docstring without the lines of tables; code, lists of code and what is in parentheses are one word."""
    lines = (line for line in text.split("\n") if "  " not in line.strip())
    code = re.sub(r"`[^`]*`", "CODE", "\n".join(lines))
    return re.sub(r"CODE(?:,\s+CODE)+", "CODE", re.sub(r"\s\([^()]*\)", "", code))


def sentences(text: str) -> list[str]:
    """The sentences of a text without code; an item of a list and a cell of a table are sentences, too."""
    blocks = re.split(r"\n\s*\n|\n(?= *(?:-|\d\.) )|\n(?=\|)|\|", text)
    return [part for block in blocks for part in re.split(r"(?<=[.:;!?])\s+", " ".join(block.split())) if part]


def long_sentences(text: str) -> list[str]:
    """The sentences of a text that are too long."""
    return [each for each in sentences(text) if len(each.split()) > LONGEST]


def messages(source: str) -> Iterator[Text]:
    """The templates of messages in a module, and the texts of errors that are not about the files."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and node.value is not None
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name == "say" or name in _FAULTS:
                first = node.args[0]
                yield from _literals(constants.get(first.id, first) if isinstance(first, ast.Name) else first)


def _literals(node: ast.AST) -> Iterator[Text]:
    """The text of a literal; data in an f-string is `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield Text(node.lineno, node.value)
    elif isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
        yield Text(node.lineno, "".join(map(str, parts)))
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def literals(source: str) -> Iterator[Text]:
    """The string literals of several words that are not docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) not in docstrings and isinstance(node, ast.Constant) and " " in str(node.value):
            yield Text(node.lineno, str(node.value))


@cache
def comments(source: str) -> tuple[Text, ...]:
    """The docstrings and comments of a module."""
    values = ((node, node.value) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    constants = ((node, value.value) for node, value in values if isinstance(value, ast.Constant))
    docstrings = [Text(node.lineno, value) for node, value in constants if isinstance(value, str)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return (*docstrings, *(Text(each.start[0], each.string) for each in tokens if each.type == tokenize.COMMENT))


def worst_names(source: str) -> Iterator[Text]:
    """The names in a module that have one of the worst words."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            parts = re.split(r"_|(?<=[a-z])(?=[A-Z])", token.string)
            if any(_WORST_NAMES.fullmatch(part.lower()) for part in parts):
                yield Text(token.start[0], token.string)
