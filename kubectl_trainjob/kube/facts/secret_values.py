"""The secrets in values of environment variables, by the name of the variable and the form of the value."""

from __future__ import annotations

import re

_SECRET = ("TOKEN", "SECRET", "PASSWORD", "KEY")
_OF_TOKENIZERS = frozenset({"BOS", "CLS", "EOS", "MASK", "PAD", "SEP", "SPECIAL", "STOP", "UNK"})
_KNOWN_TO_ALL = frozenset({"PUBLIC", "PUB"})
_BETWEEN_WORDS = re.compile(r"[_.-]")
_NO_SECRET = re.compile(
    r"""
    | true | false | yes | no | on | off | none | null
    | [+-]?[\d._]+(e[+-]?\d+)?        # a number
    | ~?\.{0,2}/.* | \w+://.*         # a path, or an address
    | .*\$[({].*                      # filled in by something else
    | <.*> | \[.*\] | \{.*\}          # a placeholder, or a tokenizer's special token
    | (.)\2*                          # not even a placeholder
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_WORD = r"(?:[a-z]{1,20}\d{0,2}|\d{1,8}|\d{1,3}[a-z]{1,2})"
_PLAIN_WORDS = re.compile(rf"{_WORD}(?:[_./-]{_WORD}){{0,7}}")
"""What the name of a Secret, a file, a role or a column looks like: words and numbers."""
_ISSUED = re.compile(
    r"(?:hf_|gh[oprsu]_|github_pat_|glpat-|AKIA|ASIA|nvapi-|xox[a-z]-|sk-(?:proj-|ant-[a-z0-9]+-)?)[A-Za-z0-9_]{12,}.*",
    re.DOTALL,
)
"""What Hugging Face, GitHub, GitLab, AWS, NVIDIA, Slack and OpenAI begin their tokens with."""


def is_secret_variable(name: str, value: str) -> bool:
    """Whether the value of an environment variable looks like a password, a token or a key (KTJ904)."""
    name = name.upper()
    if not name.endswith(_SECRET):
        return False
    *before, last = _BETWEEN_WORDS.split(name)
    if last not in _SECRET or not _KNOWN_TO_ALL.isdisjoint(before) or _NO_SECRET.fullmatch(value):
        return False
    if last == "PASSWORD" or _ISSUED.fullmatch(value):
        return True
    if last == "TOKEN" and before and before[-1] in _OF_TOKENIZERS:
        return False
    return not _PLAIN_WORDS.fullmatch(_as_words(value, last))


def _as_words(value: str, last: str) -> str:
    """The value for the search: a colon separates words of a key (`created:At`), and `REPLACE_ME` is in lower case."""
    if last == "KEY":
        return value.lower().replace(":", "/")
    return value.lower() if value.isupper() else value
