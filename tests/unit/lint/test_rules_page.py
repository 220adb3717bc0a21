"""The page of all rules is that of the code."""

from tests.rules_page import PAGE, page


def test_the_page_is_that_of_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.rules_page writes it"
