"""The words that texts for users do not use, and the length of their sentences."""

from __future__ import annotations

import re

LONGEST = 20  # words of a sentence

_AVOIDED = (
    r"told|tells?|telling|complains?|it stands here|stands? (?:at|in|on|here|there)|stood|wrong",
    r"mend(?:s|ed|ing)?|refus(?:e|es|ed|al|als|ing)|judged?|unverifiable|as bad as|less bad|worst first",
    r"at random|mind the difference|besides|save for|alone|of its own|of one's own|so that",
    r"(?<!there )(?:is|are) no [a-z]+|given twice|anew|without a doubt|nobody|somebody|whoever|whatever",
    r"persons?|people|what becomes of|becomes? something else|where the processes meet|ask(?:s|ed)? for|beats",
    r"counts before|rests? on|brings|lies? over|lay an overlay|look(?:s|ed)? at|left out|leaves? out",
    r"takes? away|set aside|trouble|could not run|news|passed by|what disagrees",
)
_AVOIDED_WORDS = re.compile(rf"\b(?:{'|'.join(_AVOIDED)})\b", re.IGNORECASE)


def prose(markdown: str) -> str:
    """A page without its code, what is generated, and the marks and targets of links."""
    text = re.sub(r"^```.*?^```$|<!--.*?<!-- end -->|<[^>]+>", "", markdown, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`[^`]*`", "CODE", text)


def avoided(text: str) -> list[str]:
    """The words of a text that have a standard word, in order."""
    return [found[0] for found in _AVOIDED_WORDS.finditer(" ".join(text.split()))]


def sentences(text: str) -> list[str]:
    """The sentences of a text without code; an item of a list and a cell of a table are sentences, too."""
    blocks = re.split(r"\n\s*\n|\n(?=- )|\n(?=\|)|\|", text)
    return [part for block in blocks for part in re.split(r"(?<=[.:;!?])\s+", " ".join(block.split())) if part]
