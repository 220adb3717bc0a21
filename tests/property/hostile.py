"""Strings and objects that readers like to misread."""

import random
from typing import Any

_WORDS = r"""
on off yes no y n Y N On True TRUE true tRUE ~ null Null NULL nULL 0400 0o400 0O1 0x1F 0X1f 0b101 0B1 22:22
1:30:00 -190:20:30 190:20:30.15 1_000 1.0 1e3 1E3 1e-5 .5 5. +.5 -.5e1 2024-01-01 2024-1-1
2024-01-01T00:00:00Z 2001-12-14t21:59:43.10-05:00 = << .inf .nan -.inf +.INF .NaN .Nan +5 -5 - ? : # @ ` % & *
! | > ' " { } [ ] , --- ... -a ?a :a a:b a#b #a @a `a` %a &a *a !a !!str |a >a 'a' "a" {a} [a] ,a 0o8 09 08
12e4567 1e400 00 0_7 1,000 1.2.3.4 10.0.0.1 %TAG -- --x --lr=1e-5 0x 0b 0o +- +_ ._0 +._ -_1 +1.5e3 1__0 _1 _
. .. ./run.sh ~/.ssh ~a .e5 e5 1e 1e+ 0.1_0 685_230.15 0x_1 +0o7 -0b1 9223372036854775807 9223372036854775808
1e5.5 Infinity NaN inf nan =a a= <<: a<<b ^a $a ${A} $(A) \ \n a\b C:\x // http://a.b:80/c?d=e#f a,b a;b
key=value 1m 100m 1000Gi 1a2b3c deadbeef é ümlaut 日本語 😀 ☃ ٣ ² ½ Ⅷ y: no: 0: yes,no n/a N/A off-by-one
null-pointer trueish ~~ !!null !!binary <tag> <a (a) a) ) ; ^ 12:30 12:30:45 1:2 1:60 1:99 0:0 0x1p3 0x1.8p1
1p3
"""
WORDS = _WORDS.split()

PHRASES = [
    *[
        "",
        " ",
        "  ",
        " a",
        "a ",
        "a: b",
        "a:",
        "a #b",
        "a# b",
        "- a",
        "? a",
        ": a",
        "-\ta",
        "a\t#b",
        "a:\tb",
        "--- a",
        "... a",
    ],
    *[
        "\n",
        "a\n",
        "\na",
        "\n\na",
        "a\nb",
        "a\n\nb\n",
        " a\nb",
        "a\n b",
        "a\n\n",
        "a\n\n\n",
        "a \nb",
        "\ta",
        "a\t",
        "a\tb",
        "a\tb\nc",
    ],
    *[
        "a\n\tb",
        "\ta\nb",
        "a\n  \nb",
        "a\n\t\nb",
        "a\n \n",
        "\n\n",
        "  \n",
        "\n ",
        "...\na",
        "---\na",
        "a\n---\nb",
        "a\n...\n",
        "a\n# b\n",
    ],
    *[
        "# a\nb",
        "- a\n- b\n",
        "a: b\nc: d\n",
        "%a\nb",
        "a\n%b",
        "'a\nb'",
        '"a\nb"',
        "a\\\nb",
        "|\na",
        ">\na",
        "#!/bin/sh\nset -e\n",
    ],
    *[
        "a\rb",
        "a\r\nb\r\n",
        "a\r",
        "\r",
        "\0",
        "a\0b",
        "\x01",
        "\x07",
        "\x08",
        "\x0b",
        "\x0c",
        "\x1b[31mred\x1b[0m",
        "\x7f",
        "\x80",
        "\x85",
    ],
    *[
        "a\x85b",
        "a\x85\nb",
        "\x9f",
        "\xa0",
        "\xa0a",
        "a\xa0",
        "\xa0\nx",
        "x\n\xa0\n",
        "\xad",
        "a\xadb",
        "\u2028",
        "a\u2028b\nc",
        "\u2029",
    ],
    *[
        "\ufeff",
        "\ufeffa",
        "a\ufeff",
        "a\nb\ufeff",
        "\u200b",
        "a\u200d",
        "\u202eabc",
        "\u2066a\u2069",
        "\u061c",
        "\u3000",
        "a\u3000",
        "\u2003a",
    ],
    *[
        "\ufffd",
        "\ufffe",
        "\uffff",
        "\ue000",
        "\U0001f600",
        "\U0001f468\u200d\U0001f469",
        "❤\ufe0f",
        "\U000e0041",
        "\U0010ffff",
        "\U0010fffe",
    ],
    *[
        "e\u0301",
        "\u0301",
        "it's",
        '"q"',
        "''",
        '""',
        "a'b\"c",
        "\\",
        "\\\\",
        "a\\",
        "yes ",
        " no",
        "y\n",
        "null\n",
        "true\n",
        "1\n",
        "~\n",
    ],
    *[
        "x" * 300,
        "x" * 1020,
        "x" * 1100,
        "x " * 600 + "x",
        "é" * 700,
        "word " * 40 + "\n" + "word " * 40,
        "a: " * 500,
        "x" * 20000,
    ],
    *[
        "{{ a }}",
        "{% a %}",
        "a ? b",
        "a - b",
        "a | b",
        "a > b",
        "[a]\n",
        "{a: b}",
        "a, b",
        "a [b]",
        "a {b}",
        "a & b",
        "* a",
        "& a",
        "! a",
    ],
]

STRINGS = [*WORDS, *PHRASES]

_ALPHABET = "ab01yn.:-#'\"\n \t{}[],&*!|>%@`?=~_+eExXoO/\\<é\u2028😀\x85\xa0\r\x7f\ufeff\u3000"
_NUMBERS = [
    0,
    1,
    -1,
    2**31,
    2**53 + 1,
    -(2**63),
    2**63 - 1,
    1.5,
    -0.5,
    0.1,
    1e-7,
    -1e-7,
    1.5e300,
    5e-324,
    1e19,
    123456789.125,
]


def random_string(chance: random.Random) -> str:
    """A hostile string, a piece of several, or noise out of the characters that YAML gives a meaning."""
    kind = chance.random()
    if kind < 0.45:
        return chance.choice(STRINGS)
    if kind < 0.6:
        return chance.choice(["", " ", "\n", ": ", " #", "-", ","]).join(chance.choices(STRINGS, k=2))
    if kind < 0.65:
        return "".join(
            chr(chance.choice([chance.randrange(0x20, 0xD800), chance.randrange(0xE000, 0x110000)])) for _ in range(4)
        )
    return "".join(chance.choices(_ALPHABET, k=chance.randint(1, 12)))


def random_value(chance: random.Random, depth: int = 0) -> Any:
    """JSON-like data, at most five levels deep."""
    kind = chance.random()
    if depth < 5 and kind < 0.3:
        return [random_value(chance, depth + 1) for _ in range(chance.choice([0, 1, 1, 2, 3]))]
    if depth < 5 and kind < 0.6:
        return random_mapping(chance, depth)
    if kind < 0.9:
        return random_string(chance)
    return chance.choice(
        [True, False, None, chance.choice(_NUMBERS), chance.randint(-1000, 1000), chance.uniform(-1e6, 1e6)]
    )


def random_mapping(chance: random.Random, depth: int = 0) -> dict[str, Any]:
    """A mapping, three in four keys harmless."""
    keys = [
        random_string(chance) if chance.random() < 0.25 else f"key{i}" for i in range(chance.choice([0, 1, 2, 3, 4]))
    ]
    return {key: random_value(chance, depth + 1) for key in keys}


def random_object(chance: random.Random, number: int) -> dict[str, Any]:
    """A Kubernetes object of an unknown kind, whose `spec` is anything."""
    return {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": f"thing-{number}"},
        "spec": {"value": random_value(chance), "fields": random_mapping(chance), "text": random_string(chance)},
    }


def catalogue(number: int) -> dict[str, Any]:
    """All strings, each as a value, as a list's item, below lists and as a key."""
    return {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": f"thing-{number}"},
        "spec": {
            "items": STRINGS,
            "values": {f"key{i}": text for i, text in enumerate(STRINGS)},
            "keys": {text: i for i, text in enumerate(STRINGS)},
            "nested": [[text, [text], {text: {text: [text]}}] for text in STRINGS],
            "others": [*_NUMBERS, True, False, None, [], {}, [[]], [{}], [[1, [2]], {"a": []}], {"a": {"b": {}}}],
        },
    }
