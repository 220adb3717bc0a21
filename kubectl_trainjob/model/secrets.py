"""Secrets in environment variables, commands and texts, by their names and the form of the value. No output has them.

Patterns are compiled when they are used: every command loads this module.
"""

from __future__ import annotations

import re

MASK = "***"
_LONG_PASSWORDS = ("PASSWORD", "PASSWD", "PASSWRD", "PSWD", "PASSPHRASE", "PASSCODE", "PWD", "DBPASS", "USERPASS")
_PASSWORDS = (*_LONG_PASSWORDS, "PASS", "PASSWORDS")
_OWNERS = ("API", "ACCESS", "ACCOUNT", "AUTH", "ENCRYPTION", "LICENSE", "MASTER", "PRIVATE", "SECRET", "SIGNING", "SSH")
_GLUED = ("TOKEN", "SECRET", *_LONG_PASSWORDS, *(f"{each}KEY" for each in _OWNERS), "CREDENTIAL", "CREDENTIALS")
"""Words that count at the end of another one, too: `PGPASSWORD`, but not `BYPASS` or `MONKEY`."""
_OFTEN_WORDS = ("AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "PW", "SAS")
"""Here, as in keys, a word such as `oauth2` is shown."""
_SECRET = (*_GLUED, *_PASSWORDS, *_OFTEN_WORDS, "KEY", "CRED", "CREDS", "JWT")
_AFTER = re.compile(r"[_.-](?:\d+|VALUE|BASE|HASH|PEM|B64|PROD|STAGING|DEV|TEST|READ|WRITE|OLD|NEW|BACKUP)$")
"""What may follow the word: `TOKEN_READ`, `SECRET_KEY_BASE`, `PASSWORD_2`."""
_KEY_DATA = re.compile(r"KEY[_.-]DATA$")
"""The private key of a kubeconfig: `client-key-data`."""
_SEVERAL = re.compile(r"(?<=KEY|KEN)S$")
_ISSUED_TO = frozenset({"ACCESS", "API", "AUTH", "HF"})
"""`API_KEYS` and `ACCESS_TOKENS`, but not `MAX_TOKENS`."""
_OF_TOKENIZERS = frozenset(
    ("AUDIO", "BOS", "CLS", "END", "EOS", "IMAGE", "MASK", "PAD", "SEP", "SPECIAL", "START", "STOP", "UNK", "VIDEO")
)
_OF_DATA = frozenset(
    ("ANNOTATION", "CACHE", "COLUMN", "FOREIGN", "INPUT", "LABEL", "METRIC", "OUTPUT", "SORT", "TOPOLOGY")
)
_KNOWN_TO_ALL = frozenset({"PUBLIC", "PUB"})
_BETWEEN_WORDS = re.compile(r"[_./-]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
NO_SECRET = r"""(?xis)
    | true | false | yes | no | on | off | none | null
    | [+-]?[\d._]+(e[+-]?\d+)?        # a number
    | ~?\.{0,2}/(?!(?-i:[A-Za-z0-9+/]{30,86}={1,2}|(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^+]*\+|[^/]*$)[A-Za-z0-9+/]{39})$).*
    | \w+://.*                        # a path, but not a key in Base64, or an address
    | .*\$[({].* | (?-i:\$[A-Z_][A-Z0-9_]*)  # filled in by something else
    | <.*> | \[.*\] | \{.*\}          # a placeholder, or a tokenizer's special token
    | (.)\2*                          # not even a placeholder
"""
_DEFAULT = r"\$\{\w+:?[-=](?P<value>[^}]*+)"
_WORD = r"(?:[a-z]{1,20}\d{0,2}|[a-z]{1,2}\d{3}|\d{1,8}|\d{1,3}[a-z]{1,2})"
PLAIN_WORDS = rf"{_WORD}(?:[_./-]{_WORD}){{0,7}}"
"""What the name of a Secret, a file, a role or a column looks like: words and numbers."""
_ISSUED_WORDS = r"(?i)[a-z]\d{2,3}[_./-][a-z]{1,4}\d{2,3}(?:[_./-]|$)"
"""Of a key that a service issued: `ab123-cd456-ef789`."""
_LABEL_KEY = r"[a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9_.-]+"
ISSUED = (
    r"(?:hf_[A-Za-z0-9]{16,}+|(?:gh[oprsu]_|github_pat_|gl(?:pat|ptt|dt|rt|cbt|soat)-|AKIA|ASIA|nvapi-|xox[a-z]-|xapp-\d-|sk-(?:proj-|ant-[a-z0-9]{1,8}-)?"
    r"|[rs]k_live_|gsk_|dckr_pat_|hvs\.|pypi-AgE|ya29\.|AGE-SECRET-KEY-)[A-Za-z0-9_]{12,}+[\w-]*+"
    r"|npm_[A-Za-z0-9]{36}|r8_[A-Za-z0-9]{37}|AIza[\w-]{35}|dapi[0-9a-f]{32}|SG\.[\w-]{16,32}+\.[\w-]{16,64}+"
    r"|eyJ[\w-]{10,}+\.eyJ[\w-]{4,}+\.[\w-]*+)"
)
"""What Hugging Face, GitHub, GitLab, AWS, NVIDIA, Slack, OpenAI and others issue, and signed tokens (JWT)."""


def is_secret_variable(name: str, value: str) -> bool:
    """Whether the value of an environment variable looks like a password, a token or a key (KTJ904)."""
    last = _words(name)[-1]
    is_clear = last in _PASSWORDS or re.match(ISSUED, value) is not None
    words = _as_words(_without_variable(value), last)
    return has_secret(name, value) and (is_clear or not re.fullmatch(PLAIN_WORDS, words))


def _without_variable(value: str) -> str:
    """The default value that a shell takes: `b` of `${A:-b}`."""
    default = re.match(_DEFAULT, value)
    return default["value"].strip("\"'") if default else value


def _as_words(value: str, last: str) -> str:
    """The value for the search: a colon separates words of a key (`created:At`), and `REPLACE_ME` is in lower case."""
    if last == "KEY":
        return value.lower().replace(":", "/")
    return value.lower() if value.isupper() else value


def is_secret_name(name: str) -> bool:
    """Whether a variable, an option or a key of this name may have a password, a token or a key."""
    *before, last = _words(name)
    return last in _SECRET and _KNOWN_TO_ALL.isdisjoint(before)


def has_secret(name: str, value: str) -> bool:
    """Whether a value is not shown: also some that KTJ904 does not report, because they look like words."""
    *before, last = _words(name)
    value = _without_variable(value)
    if last in _LONG_PASSWORDS and value.isdecimal() and len(set(value)) > 2:
        return True
    if not value or not is_secret_name(name) or re.fullmatch(NO_SECRET, value):
        return False
    if re.match(ISSUED, value):
        return True
    if last == "TOKEN" and before[-1:] and before[-1] in _OF_TOKENIZERS:
        return False
    if last in _OFTEN_WORDS:
        return not re.fullmatch(PLAIN_WORDS, value.lower())
    return not last.endswith("KEY") or not _is_plain_key(before, last, value)


def _is_plain_key(before: list[str], last: str, value: str) -> bool:
    """Whether the value of a name with `key` is one of data, of labels, or words."""
    is_of_data = last == "KEY" and not _OF_DATA.isdisjoint(before[-1:]) and not any(map(str.isdigit, value))
    is_plain = re.fullmatch(PLAIN_WORDS, _as_words(value, last="")) is not None
    if last != "KEY" or not set(_OWNERS).isdisjoint(before):
        return is_of_data or (is_plain and not re.search(_ISSUED_WORDS, value))
    return is_of_data or is_plain or re.fullmatch(_LABEL_KEY, value) is not None


def _words(name: str) -> list[str]:
    """The words of a name in upper case: `api-key`, `API_KEY`, `apiKey`. Of the last one, what means a secret."""
    upper = _KEY_DATA.sub("KEY", _AFTER.sub("", _CAMEL.sub("_", name).upper()))
    *before, last = _BETWEEN_WORDS.split(upper.rstrip("0123456789") or upper)
    if before and before[-1] in _ISSUED_TO:
        last = _SEVERAL.sub("", last)
    return [*before, next((each for each in _GLUED if last.endswith(each)), last)]
