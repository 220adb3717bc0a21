"""`help`: pages of the manual on a terminal and in a pipe, rules, and names that do not exist."""

from __future__ import annotations

import re

import pytest

from kubectl_trainjob.cli import help as manual
from kubectl_trainjob.cli.app import run
from kubectl_trainjob.report.manual_text import as_text
from tests.readme import COMMANDS

_PAGE = """\
# limits

A **page** with a [link](overlays.md), a [web page](https://a.example/x) and a [folder](../../../tests).

![A comment](x.png)

- one `code span`
- two, which is so long
  that it continues

<!-- table -->
| field | meaning |
| --- | --- |
| `a` | this \\| that |
| `longer` | a text that does not fit into the width of this terminal |
<!-- end -->

```yaml
a:   [1, 2]  # [kept](as it is)

b: 2
```

## Next

The end.
"""


def printed(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run("kubectl-trainjob", ["help", *arguments]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


def test_without_a_topic_all_pages_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed(capfd)
    commands, _, topics = out.partition("\nTopics:\n")
    assert re.findall(r"^  (\S+)", commands, re.M) == list(COMMANDS)
    assert sorted([*COMMANDS, *re.findall(r"^  (\S+)", topics, re.M)]) == manual.topics()
    assert out.endswith("Print a page: kubectl trainjob help TOPIC\nPrint a rule: kubectl trainjob help KTJ301\n")


@pytest.mark.parametrize("topic", manual.topics())
def test_every_page_is_printed_without_marks(topic: str, capfd: pytest.CaptureFixture[str]) -> None:
    out = printed(capfd, topic)
    assert out.startswith(f"{topic}\n  ")
    assert not re.search(r"```|<!--|\]\(|^#|\x1b", out, re.M)
    page = manual.read(topic)
    code = [line for block in re.findall(r"^```\w*\n(.*?)^```$", page, re.M | re.S) for line in block.splitlines()]
    assert [line for line in code if line.strip() and f"    {line.rstrip()}\n" not in out] == []
    prose = [line for line in out.splitlines() if line.removeprefix("    ") not in code]
    assert [line for line in prose if len(line) > 80] == []


def test_a_topic_in_capitals_and_a_rule_in_small_letters_are_found(capfd: pytest.CaptureFixture[str]) -> None:
    assert printed(capfd, "LIMITS") == printed(capfd, "limits")
    rule = printed(capfd, "KTJ309")
    assert rule.startswith("KTJ309 shm-missing")
    assert printed(capfd, "ktj309") == printed(capfd, "shm-missing") == rule
    assert run("kubectl-trainjob", ["lint", "explain", "KTJ309"]) == 0
    assert capfd.readouterr().out == rule


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("explian", 'page "explian" does not exist; did you mean "explain"'),
        ("image-tag", 'page "image-tag" does not exist; did you mean "image-tag-latest"'),
        ("KTJ39", 'page "KTJ39" does not exist; did you mean "KTJ3'),
        ("\x1b]0;", 'page "\\x1b]0;" does not exist; `help` without a topic lists the pages'),
        ("../help", 'page "../help" does not exist; did you mean "help"'),
    ],
)
def test_an_unknown_topic_is_a_usage_error_with_the_nearest_names(
    topic: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("kubectl-trainjob", ["help", topic]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert f"error: {message}" in err


_TEXT = """\
limits
  A page with a link (help overlays), a web page
  (https://a.example/x) and a folder.

  [picture: A comment]

  - one `code span`
  - two, which is so long that it continues

  field     meaning
  --------  --------------------------------------
  `a`       this | that
  `longer`  a text that does not fit into the
            width of this terminal

    a:   [1, 2]  # [kept](as it is)

    b: 2

Next
  The end.
"""


def test_a_page_as_text() -> None:
    assert as_text(_PAGE, 50) == _TEXT


def test_headings_and_code_spans_are_bold_on_a_terminal() -> None:
    text = as_text(_PAGE, 50, colour=True)
    assert re.sub(r"\x1b\[[01]m", "", text) == _TEXT
    assert re.findall(r"\x1b\[1m(.*?)\x1b\[0m", text) == ["limits", "`code span`", "`a`", "`longer`", "Next"]


def test_a_narrow_table_keeps_every_word() -> None:
    words = re.sub(r"[-|]", " ", _PAGE.partition("<!-- table -->")[2].partition("<!-- end -->")[0]).split()
    narrow = as_text(_PAGE.partition("<!-- table -->")[2].partition("```")[0], 10)
    assert set(words) - {"\\"} <= set(narrow.split())
