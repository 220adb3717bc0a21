"""`python -m tests.pictures` writes .github/pictures/*.png: how the stories' comments begin, as a forge shows them.

They look best where the fonts Liberation and Noto Color Emoji are installed; no test needs those.
Each picture carries the digest of the page that it was made of, so that a test sees without a browser whether it is
still the right one.
"""

from __future__ import annotations

import re
import tempfile
from hashlib import sha256
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from tests.cli import browser
from tests.delivery import png, stories

FOLDER = Path(__file__).parents[1] / ".github" / "pictures"
WIDTH, SCALE = 900, 1.5

_STYLE = """
* { box-sizing: border-box }
html { background: #fff }
body { margin: 0; padding: 12px; color: #1d2228 }
body { font: 14px/1.5 "Liberation Sans", Arial, sans-serif }
article { border: 1px solid #ccd3da; border-radius: 8px; overflow: hidden; max-height: 1000px; position: relative }
article::after { content: ""; position: absolute; inset: 920px 0 0; background: linear-gradient(transparent, #fff) }
header { background: #f4f6f8; border-bottom: 1px solid #ccd3da; padding: 8px 16px; color: #5b6570 }
header b { color: #1d2228 }
main { padding: 4px 16px 8px }
code, pre { font-family: "Liberation Mono", Menlo, Consolas, monospace; font-size: 12px }
code { background: #eef0f3; border-radius: 5px; padding: 2px 5px; overflow-wrap: break-word }
td:last-child code { overflow-wrap: anywhere }
pre { background: #f4f6f8; border-radius: 6px; padding: 10px 12px; line-height: 1.45; overflow: hidden }
pre code { background: none; padding: 0 }
ins, del { text-decoration: none; padding: 2px 0 }
ins { background: #dcf5e0 }
del { background: #fde4e3 }
h3 { font-size: 19px; line-height: 1.35; margin: 14px 0 10px }
h4 { font-size: 15px; margin: 18px 0 8px }
p, ul, details, pre { margin: 0 0 10px }
ul { padding-left: 24px }
table { border-collapse: collapse; margin: 0 0 12px; display: block; overflow: hidden }
th, td { border: 1px solid #ccd3da; padding: 4px 12px }
tbody tr:nth-child(even) { background: #f8f9fb }
"""


def page(markdown: str) -> str:
    """The page that shows a comment: `markdown` as GitHub's own renderer has it, in a box."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
    comment = cmarkgfm.github_flavored_markdown_to_html(markdown, options=options)
    comment = re.sub(r'(?<=<pre lang="diff"><code>).*?(?=</code>)', _coloured, comment, flags=re.DOTALL)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A comment</title>'
        f"<style>{_STYLE}</style></head>\n<body><article><header><b>kubectl-trainjob</b> commented</header>\n"
        f"<main>{comment}</main></article></body></html>\n"
    )


def _coloured(found: re.Match[str]) -> str:
    """A difference with colours, as forges show it."""
    text = re.sub(r"^\+.*$", r"<ins>\g<0></ins>", found[0], flags=re.MULTILINE)
    return re.sub(r"^-.*$", r"<del>\g<0></del>", text, flags=re.MULTILINE)


def page_of(story: str) -> str:
    """The page of a story's golden review."""
    return page(stories.golden(story).read_text(encoding="utf-8"))


def digest(text: str) -> str:
    """What a picture says that it was made of."""
    return sha256(text.encode()).hexdigest()


def taken(text: str, directory: Path) -> bytes:
    """The picture of a page as Chromium makes it, with files in `directory`."""
    return browser.picture(text, directory, WIDTH, browser.height(text, directory, WIDTH), SCALE)


def _write(story: str) -> None:
    text = page_of(story)
    with tempfile.TemporaryDirectory() as directory:
        picture = png.small(taken(text, Path(directory)), digest(text))
    (FOLDER / f"{story}.png").write_bytes(picture)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in stories.NAMES:
        _write(each)
