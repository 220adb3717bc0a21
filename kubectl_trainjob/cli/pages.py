"""The pages of the manual, `manual/*.md` next to this module, and commands whose help is a part of their page."""

from __future__ import annotations

import os
import re

import click

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "manual")
_SUFFIX = ".md"
_SECTION = re.compile(r"^## (.*)\n", re.MULTILINE)
_TITLE_AND_SYNOPSIS = re.compile(r"\A# .*\n\n(?P<summary>.*\n)\n```\n.*?^```\n", re.MULTILINE | re.DOTALL)


def topics() -> list[str]:
    """The names of all pages, sorted."""
    return sorted(file.removesuffix(_SUFFIX) for file in os.listdir(_FOLDER) if file.endswith(_SUFFIX))


def read(topic: str) -> str:
    """The page of a topic, as Markdown."""
    with open(os.path.join(_FOLDER, topic + _SUFFIX), encoding="utf-8") as file:
        return file.read()


def summary(topic: str) -> str:
    """The sentence below the title of a page."""
    return read(topic).split("\n", 3)[2]


class ManualCommand(click.Command):
    """A command whose help has the introduction, the examples and the exit codes of its page."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The introduction and the examples."""
        self._write(formatter, "")
        self._write(formatter, "Examples")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The exit codes."""
        self._write(formatter, "Exit codes")

    def _write(self, formatter: click.HelpFormatter, title: str) -> None:
        from kubectl_trainjob.report.manual_text import as_text

        introduction, *sections = _SECTION.split(read(self.name or ""))
        texts = {"": _TITLE_AND_SYNOPSIS.sub(r"\g<summary>", introduction)}
        texts |= zip(sections[::2], sections[1::2], strict=True)
        formatter.write_paragraph()
        if title:
            formatter.write_heading(title)
        formatter.write(as_text(texts[title], formatter.width))
