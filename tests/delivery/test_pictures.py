"""The pictures are those of the golden comments, and a browser shows their pages without complaint."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest

from tests import pictures
from tests.cli import browser
from tests.cli.test_diff_html import parsed, words
from tests.delivery import png, stories

EACH = pytest.mark.parametrize("story", stories.NAMES)
_LARGEST = 150_000  # bytes: a README is opened on telephones, too


def picture(story: str) -> bytes:
    return (pictures.FOLDER / f"{story}.png").read_bytes()


@EACH
def test_a_picture_is_of_the_golden_comment(story: str) -> None:
    found = png.read(picture(story))
    assert found.source == pictures.digest(pictures.page_of(story)), "python -m tests.pictures takes it anew"
    assert found.width == pictures.WIDTH * pictures.SCALE
    assert len(picture(story)) <= _LARGEST


def test_there_is_a_picture_of_each_story_and_no_other() -> None:
    assert {path.name for path in pictures.FOLDER.iterdir()} == {f"{story}.png" for story in stories.NAMES}


@pytest.mark.slow
@EACH
def test_a_browser_shows_the_page_in_the_pictures_size(story: str, tmp_path: Path) -> None:
    page = pictures.page_of(story)
    shown = browser.show(page, tmp_path)
    assert shown.console == []
    assert words(parsed(shown.dom)) == words(parsed(page))
    height = browser.height(page, tmp_path, pictures.WIDTH) * pictures.SCALE
    assert png.read(picture(story)).height == pytest.approx(height, rel=0.15), "fonts differ, but not that much"


_DIFFERENCE = """<!DOCTYPE html><html lang="en"><head><title>?</title></head><body>
<img src="data:image/png;base64,{}"><img src="data:image/png;base64,{}"><script>
onload = () => {{
  const pixels = [...document.images].map(image => {{
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  }});
  let most = pixels[0].length === pixels[1].length ? 0 : 1000;
  pixels[0].forEach((value, at) => {{ most = Math.max(most, Math.abs(value - pixels[1][at])) }});
  document.title = most;
}};
</script></body></html>
"""


@pytest.mark.slow
def test_fewer_colours_look_the_same(tmp_path: Path) -> None:
    """A browser compares: no channel of a pixel moves by more than the distance of two kinds of colours."""
    full = pictures.taken(pictures.page("### ❌ Refused\n\n```diff\n- `a`\n+ `b`\n```\n"), tmp_path)
    small = png.small(full, "a story")
    assert png.read(small) == (*png.read(full)[:2], "a story")
    assert len(small) < len(full)
    page = _DIFFERENCE.format(*(b64encode(data).decode() for data in (full, small)))
    (most,) = re.findall("<title>(.*)</title>", browser.show(page, tmp_path).dom)
    assert 0 <= int(most) <= 32
