"""Secrets inside of texts: options of commands, assignments, headers, addresses, settings, private keys. No output has
them.

Patterns are compiled when they are used: every command loads this module.
"""

from __future__ import annotations

import re

from kubectl_trainjob.model.secrets import ISSUED, MASK, NO_SECRET, PLAIN_WORDS, has_secret, is_secret_name

_HINTS = (
    "token",
    "secret",
    "pass",
    "pwd",
    "pswd",
    "key",
    "cred",
    "auth",
    "bearer",
    "cookie",
    "jwt",
    "sas",
    "pw",
    "sig",
    "://",
    "hf_",
    "gh",
    "gl",
    "akia",
    "asia",
    "xox",
    "xapp",
    "sk-",
    "live_",
    "gsk_",
    "dckr_",
    "hvs.",
    "pypi-",
    "ya29.",
    "npm_",
    "nvapi-",
    "r8_",
    "aiza",
    "dapi",
    "sg.",
    "eyj",
    "-u",
    "mysql",
    "mariadb",
    "login",
    "--with-",
    "sudo",
    "mongo",
    "mc ",
    "ls0tls1crudj",
    "yxbpvmvyc2lvb",
    "ewog",
    "ewoj",
    "redis",
)
"""No text without one of these has a secret."""
_ENCODED = (
    r"(?:LS0tLS1CRUdJTi(?:BQUklW|B[EFPS])|YXBpVmVyc2lvbjogdjEK(?:Y2x1c3RlcnM6|a2luZDogQ29uZmln|a2luZDogU2VjcmV0)"
    r"|eyJhdXRocyI6|ewoJImF1dGhzIj|ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3Vud)"
)
"""How private keys, kubeconfigs, Secrets, logins of registries and keys of service accounts begin in Base64."""
_ISSUED_INSIDE = (
    rf"(?<![A-Za-z0-9]){ISSUED}|(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{{12,}}+=*+|\b{_ENCODED}[A-Za-z0-9+/]++=*+"
)
_PRIVATE_KEY = r"(?P<start>-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----)(?:[^-]++|-(?!----))*+"
_IN_ADDRESS = r"""(?P<start>://(?P<user>[^\s/@:"']*+))(?::(?P<password>[^\s/@"']++))?+@"""
# `--token VALUE`, `TOKEN=VALUE`, `"token": "VALUE"`, `["--token", "VALUE"]`, `os.environ["TOKEN"] = "VALUE"`,
# `setenv TOKEN VALUE`, `<token>VALUE`, `{name: TOKEN, value: VALUE}`, `/token=VALUE` but not `/image-token:TAG`. Each
# name is checked once: it begins after another character.
_NAME = r"""(?x)
    (?: (?<![\w.-])
      (?: name\\{0,3}["']?[ \t]*+:[ \t]*+\\{0,3}["']?(?P<variable_name>[A-Za-z_][\w.-]*+)\\{0,3}["']?,?\s*+
            \\{0,3}["']?value\\{0,3}["']?[ \t]*+:[ \t]*+(?:[|>][-+\d]{0,2}[ \t]*+\r?\n[ \t]*+)?+
        | --?(?P<option>[A-Za-z][\w.-]*+)\\{0,3}["']?
            (?: [:=] | ,\s*+(?=\\{0,3}["']) | [ \t]++(?:\\\r?\n[ \t]*+)?+ )
        | (?:(?<=\bset[ ])|(?<=\bsetenv[ ])|(?<=\bset[ ]-x[ ])|(?<=\bENV[ ])|(?<=-env[ ])|(?<=-genv[ ]))
            (?P<variable>[A-Za-z_][\w.-]*+)[ \t]++
        | (?<=-e[ ])(?P<given>[A-Za-z_]\w*+)[ \t]++
        | (?:(?<=setdefault\()|(?<=putenv\()|(?<=getenv\()|(?<=\.get\())["'](?P<looked_up>[A-Za-z_]\w*+)["'],[ \t]*+
        | (?<=\$\{)(?P<default>[A-Za-z_]\w*+):?[-=]
        | (?<=/)(?P<part_of_path>[A-Za-z_][\w.-]*+)=
        | (?<!/)(?P<name>[A-Za-z_][\w.-]*+)\\{0,3}(?:["']\]?)?[ \t]*+(?:[:+?]?=>?|:)[ \t]*+
            (?:[&!][\w.!-]*+[ \t]++){0,2} (?:[|>][-+\d]{0,2}[ \t]*+\r?\n[ \t]*+)?+ )
      | <name>(?P<property>[\w.-]++)</name>\s*+<value>
      | <(?P<tag>[A-Za-z][\w.-]*+)> )
    \[?
"""
_VALUE = r"""(?x)
    (?:\$\{\w++:?[-=])?+
    (?P<text> \\++["'][^"'\\\n]++ | \$?"(?:[^"\\\n]++|\\.)*+" | \$?'[^'\n]*+' | (?!--|\{)["']?[^\s"',;&|)}\]<]++ )
"""
_CODE = r"[A-Za-z_]\w*+(?:\.\w++)*+[(\[]"
# `Authorization: Basic VALUE`, `?sig=VALUE`, `curl -u USER:VALUE`, `mysql -pVALUE`, `docker login -p VALUE`,
# `echo VALUE | docker login --password-stdin`.
_FORMAL_VALUE = r"""(?xi)
    (?P<start> (?: \bauthorization["']?[ \t]*+[:=][ \t]*+["']?(?:[a-z-]{0,20}key|basic|bearer|digest|token)[ \t]++
      | [?&](?:[a-z-]{0,20}-)?sig(?:nature)?=
      | (?<![\w-])(?:-u[ \t]*+|--(?:proxy-)?user(?:=|[ \t]++))["']?[^\s"':/]{1,256}+:
      | \b(?!mysqld\b)(?:mysql|mariadb)[a-z]{0,10}[ \t](?:[^|;&\n]{0,80}?[ \t])?-p
      | \b(?:sshpass|mongo[a-z]{0,10})[ \t](?:[^|;&\n]{0,80}?[ \t])?-p[ \t=]*+
      | \blogin[ \t](?:[^|;&\n]{0,80}?[ \t])?-p[ \t=]++
      | \b(?:docker|podman|nerdctl|buildah|skopeo|helm|oras)[ \t](?:[^|;&\n]{0,80}?[ \t])?login[ \t]
          (?:[^|;&\n]{0,80}?[ \t])?-p
      | \b(?:echo|printf)[ \t]++(?:-[a-z]{1,2}[ \t]++)?(?:["']?%s(?:\\n)?["']?[ \t]++)?
          (?=[^|;&\n>]{1,300}(?:\|[^|;&\n]{1,80}[ \t]-(?:-password-stdin|-with-token|S)\b
            |>{1,2}[ \t]*+["']?[\w./~-]{0,80}(?:token|password|api_key)\b))
      | [ \t]--(?:password-stdin|with-token)[ \t]*+<<<[ \t]*+
      | \bredis-cli[ \t](?:[^|;&\n]{0,80}?[ \t])?-a[ \t]*+
      | \b(?:wandb|vault)[ \t]++login[ \t]++(?:--[\w-]++(?:[= \t]https?://\S++)?[ \t]++){0,5}+(?!-)
      | \blogin\s++\S{1,80}+\s++password\s++
      | \bmc[ \t]++(?:alias[ \t]++set|config[ \t]++host[ \t]++add)[ \t]++(?:\S++[ \t]++){3}+
      | \bhooks\.slack\.com/[a-z]{1,20}+/ | \bdiscord(?:app)?\.com/api/webhooks/\d++/
      | \bapi\.telegram\.org/bot\d++: | \bwebhook\.office\.com/webhookb2/ ) ["']? )
    (?P<value> [^\s"']++ )
"""


def without_secrets(text: str) -> str:
    """A text with the secrets in its options, assignments and addresses masked: `--token=***`."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    text = re.sub(_PRIVATE_KEY, rf"\g<start>{MASK}", text)
    text = re.sub(_IN_ADDRESS, _address_without_secret, text)
    text = re.sub(_FORMAL_VALUE, _formal_without_secret, text)
    text = _without_named_values(text)
    return re.sub(_ISSUED_INSIDE, MASK, text)


def _address_without_secret(found: re.Match[str]) -> str:
    user, password = found["user"], found["password"]
    if password is None:  # `https://TOKEN@host`
        is_plain = not user or re.fullmatch(PLAIN_WORDS, user.lower()) or re.fullmatch(NO_SECRET, user)
        return found[0] if is_plain else f"://{MASK}@"
    return found[0] if re.fullmatch(NO_SECRET, password) else f"{found['start']}:{MASK}@"


def _without_named_values(text: str) -> str:
    """The text without values after names of secrets. What follows another name may begin with a name: `-e TOKEN=…`."""
    names = re.compile(_NAME)
    values = re.compile(_VALUE)
    parts, done, at = [], 0, 0
    while found := names.search(text, at):
        at = found.end()
        name = found[found.lastgroup or 0]
        if is_secret_name(name) and (value := values.match(text, at)):
            at = value.end()
            if _is_secret(found, value["text"]):
                parts += [text[done : value.start("text")], MASK]
                done = at
    return "".join([*parts, text[done:]])


def _is_secret(found: re.Match[str], value: str) -> bool:
    """Whether the text after a name is its secret, and not code that reads it: `token = os.environ["TOKEN"]`.

    What follows `-e NAME` may also be an image.
    """
    is_code = found["name"] is not None and re.match(_CODE, value) is not None
    is_image = "/" in value or ":" in value or re.fullmatch(PLAIN_WORDS, value.lower()) is not None
    if is_code or (found["given"] is not None and (value[0] == "-" or is_image)):
        return False
    return has_secret(found[found.lastgroup or 0], value.strip("\"'\\"))


def _formal_without_secret(found: re.Match[str]) -> str:
    return found[0] if re.fullmatch(NO_SECRET, found["value"]) else f"{found['start']}{MASK}"
