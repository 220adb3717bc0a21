"""Names, labels and paths as k8s.io/apimachinery/pkg/util/validation judges them (cases of its own tables)."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.facts.validation import (
    dns_1035_label,
    dns_1123_label,
    dns_1123_subdomain,
    domain_prefixed_path,
    label_value,
    qualified_name,
)

CASES = [
    (
        dns_1123_label,
        ["a", "ab", "abc", "a1", "a-1", "a--1--2--b", "0", "01", "012", "1a", "1-a", "1--a--b--2", "a" * 63],
        [
            "",
            "A",
            "ABC",
            "aBc",
            "A1",
            "a_b",
            "-",
            "a-",
            "-a",
            "1-",
            "-1",
            "_",
            "a_",
            ".",
            "a.",
            ".a",
            "a.b",
            " ",
            "a ",
            "a\n",
            "é",
            "a" * 64,
        ],
    ),
    (
        dns_1123_subdomain,
        [
            "a",
            "a1",
            "a-1",
            "a--1--2--b",
            "0",
            "1-a",
            "a.a",
            "a.1",
            "1.1",
            "1-a.b",
            "a-1.b-2",
            "a.b.c.d.e",
            "aa.bb.cc.dd.ee",
            "a" * 253,
        ],
        ["", "A", "aBc", "-", "a-", "-1", "_a", "a_b", ".", "a.", ".a", "1..a", " ", "a b", "a.B.c", "a\n", "a" * 254],
    ),
    (
        dns_1035_label,
        ["a", "ab", "abc", "a1", "a-1", "a--1--2--b", "a" * 63],
        ["0", "01", "1a", "1-a", "", "A", "aBc", "-", "a-", "-a", "1-", "a_b", ".", "a.", "a.b", " ", "a\n", "a" * 64],
    ),
    (
        qualified_name,
        [
            "simple",
            "now-with-dashes",
            "1-starts-with-num",
            "1234",
            "simple/simple",
            "a.b.c/d_E.f",
            "1.2.3.4/5678",
            "Uppercase",
            "a" * 63,
            f"{'a' * 253}/a",
        ],
        [
            "nospecialchars%^=@",
            "cantendwithadash-",
            "-cantstart",
            "only/one/slash",
            "Example.com/abc",
            "example_com/abc",
            "example.com/",
            "/simple",
            "",
            "a\n",
            "a" * 64,
            f"{'a' * 254}/a",
        ],
    ),
    (
        label_value,
        ["simple", "now-with-dashes", "1234", "", "Zeta", "only.DOTS_and-x", "a" * 63],
        ["nospecialchars%^=@", "ends-with-dash-", ".starts.with.dot", "with space", "a/b", "a\n", "a" * 64],
    ),
    (
        domain_prefixed_path,
        ["acme.io/foo", "acme.io/a/b", "a/b", "acme.io/%20~!$&'()*+,;=:"],
        ["", "acme", "acme.io/", "/foo", "Acme.io/foo", "acme_io/foo", "acme.io/a b", "acme.io/é", "acme.io/a\n"],
    ),
]


@pytest.mark.parametrize(
    ("judge", "text"), [pytest.param(j, t, id=f"{j.__name__} {t[:12]!r}") for j, good, _ in CASES for t in good]
)
def test_allowed(judge, text):
    assert judge(text) == ""


@pytest.mark.parametrize(
    ("judge", "text"), [pytest.param(j, t, id=f"{j.__name__} {t[:12]!r}") for j, _, bad in CASES for t in bad]
)
def test_rejected(judge, text):
    assert judge(text).startswith("must")
