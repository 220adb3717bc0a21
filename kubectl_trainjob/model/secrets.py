"""Secrets in environment variables, commands and texts, by their names and the form of the value. No output has them.

Patterns are compiled when they are used: every command loads this module.
"""

from __future__ import annotations

import re

MASK = "***"
_LONG_PASSWORDS = ("PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "DBPASS")
_PASSWORDS = (*_LONG_PASSWORDS, "PASS")
_GLUED = ("TOKEN", "SECRET", *_LONG_PASSWORDS, "APIKEY", "ACCESSKEY", "SECRETKEY", "CREDENTIAL", "CREDENTIALS")
"""Words that count at the end of another one, too: `PGPASSWORD`, but not `BYPASS` or `MONKEY`."""
_SECRET = (*_GLUED, "PASS", "KEY")
_OF_TOKENIZERS = frozenset({"BOS", "CLS", "EOS", "MASK", "PAD", "SEP", "SPECIAL", "STOP", "UNK"})
_KNOWN_TO_ALL = frozenset({"PUBLIC", "PUB"})
_BETWEEN_WORDS = re.compile(r"[_./-]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_HINTS = (
    "token",
    "secret",
    "pass",
    "key",
    "credential",
    "://",
    "hf_",
    "gh",
    "glpat",
    "akia",
    "asia",
    "xox",
    "sk-",
    "bearer ",
    "authorization",
    "sig=",
    "signature=",
    "-u",
    "mysql",
    "mariadb",
    "sshpass",
)
_NO_SECRET = r"""(?xis)
    | true | false | yes | no | on | off | none | null
    | [+-]?[\d._]+(e[+-]?\d+)?        # a number
    | ~?\.{0,2}/.* | \w+://.*         # a path, or an address
    | .*\$[({].*                      # filled in by something else
    | <.*> | \[.*\] | \{.*\}          # a placeholder, or a tokenizer's special token
    | (.)\2*                          # not even a placeholder
"""
_WORD = r"(?:[a-z]{1,20}\d{0,2}|\d{1,8}|\d{1,3}[a-z]{1,2})"
_PLAIN_WORDS = rf"{_WORD}(?:[_./-]{_WORD}){{0,7}}"
"""What the name of a Secret, a file, a role or a column looks like: words and numbers."""
_ISSUED = (
    r"(?:hf_|gh[oprsu]_|github_pat_|glpat-|AKIA|ASIA|nvapi-|xox[a-z]-|sk-(?:proj-|ant-[a-z0-9]{1,8}-)?)"
    r"[A-Za-z0-9_]{12,}+[\w-]*+"
)
"""What Hugging Face, GitHub, GitLab, AWS, NVIDIA, Slack and OpenAI issue."""
_ISSUED_INSIDE = rf"(?<![A-Za-z0-9]){_ISSUED}|(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{{12,}}+=*+"
_IN_ADDRESS = r"""(?P<start>://(?P<user>[^\s/@:"']*+))(?::(?P<password>[^\s/@"']++))?+@"""
# `--token VALUE`, `TOKEN=VALUE`, `"token": "VALUE"`. Each name is checked once: it begins after another character.
_NAMED_VALUE = r"""(?x)
    (?P<start>(?<![\w.-])
      (?: --?(?P<option>[A-Za-z][\w.-]*+)["']?(?:=|[ \t]++)
        | (?P<name>[A-Za-z_][\w.-]*+)["']?[ \t]*+[:=][ \t]*+ ))
    (?P<value>"[^"\n]*+" | '[^'\n]*+' | (?!--)[^\s"',;&|)}\]]++)
"""
# `Authorization: Basic VALUE`, `?sig=VALUE`, `curl -u USER:VALUE`, `mysql -pVALUE`, `sshpass -p VALUE`.
_FORMAL_VALUE = r"""(?xi)
    (?P<start> (?: \bauthorization["']?[ \t]*+[:=][ \t]*+["']?(?:basic|bearer|digest|token|negotiate)[ \t]++
      | [?&](?:[a-z-]{0,20}-)?sig(?:nature)?=
      | (?<![\w-])(?:-u[ \t]*+|--(?:proxy-)?user(?:=|[ \t]++))["']?[^\s"':/]++:
      | \b(?:mysql|mariadb)[a-z]{0,10}[ \t](?:[^|;&\n]{0,80}?[ \t])?-p | \bsshpass[ \t]++-p[ \t]*+ ) ["']? )
    (?P<value> [^\s"']++ )
"""


def is_secret_variable(name: str, value: str) -> bool:
    """Whether the value of an environment variable looks like a password, a token or a key (KTJ904)."""
    last = _words(name)[-1]
    is_clear = last in _PASSWORDS or re.match(_ISSUED, value) is not None
    return has_secret(name, value) and (is_clear or not re.fullmatch(_PLAIN_WORDS, _as_words(value, last)))


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
    if not is_secret_name(name) or re.fullmatch(_NO_SECRET, value):
        return False
    if re.match(_ISSUED, value):
        return True
    if last == "TOKEN" and before[-1:] and before[-1] in _OF_TOKENIZERS:
        return False
    return not last.endswith("KEY") or not re.fullmatch(_PLAIN_WORDS, _as_words(value, last=""))


def without_secrets(text: str) -> str:
    """A text with the secrets in its options, assignments and addresses masked: `--token=***`."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    text = re.sub(_IN_ADDRESS, _address_without_secret, text)
    text = re.sub(_NAMED_VALUE, _value_without_secret, text)
    text = re.sub(_FORMAL_VALUE, _formal_without_secret, text)
    return re.sub(_ISSUED_INSIDE, MASK, text)


def _address_without_secret(found: re.Match[str]) -> str:
    user, password = found["user"], found["password"]
    if password is None:  # `https://TOKEN@host`
        is_plain = not user or re.fullmatch(_PLAIN_WORDS, user.lower()) or re.fullmatch(_NO_SECRET, user)
        return found[0] if is_plain else f"://{MASK}@"
    return found[0] if re.fullmatch(_NO_SECRET, password) else f"{found['start']}:{MASK}@"


def _value_without_secret(found: re.Match[str]) -> str:
    value = found["value"].strip("\"'")
    return f"{found['start']}{MASK}" if has_secret(found["option"] or found["name"], value) else found[0]


def _formal_without_secret(found: re.Match[str]) -> str:
    return found[0] if re.fullmatch(_NO_SECRET, found["value"]) else f"{found['start']}{MASK}"


def _words(name: str) -> list[str]:
    """The words of a name in upper case: `api-key`, `API_KEY`, `apiKey`. Of the last one, what means a secret."""
    *before, last = _BETWEEN_WORDS.split(_CAMEL.sub("_", name).upper())
    return [*before, next((each for each in _GLUED if last.endswith(each)), last)]
