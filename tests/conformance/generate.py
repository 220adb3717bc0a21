"""The inputs of group `own`, made from a seed: the same ones every time, whatever the machine."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import yaml

from tests.conformance.inputs import containers, launch, refused, structure

_SEED = "trainjob"
_TOPICS = (*containers.TOPICS, *structure.TOPICS, *launch.TOPICS, *refused.TOPICS)

# Words that no YAML reader takes for anything but a string; all else is quoted.
_PLAIN = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[A-Za-z/][A-Za-z0-9_./-]*", re.IGNORECASE)


class _Dumper(yaml.SafeDumper):
    """Writes block style without anchors; strings that a reader could misunderstand in double quotes."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if _PLAIN.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _string)


def inputs() -> dict[str, str]:
    """The streams by name."""
    made: dict[str, str] = {}
    for topic in _TOPICS:
        for index in range(topic.count):
            documents = topic.make(random.Random(f"{_SEED}/{topic.name}/{index}"))
            made[f"{len(made):03}-{topic.name}"] = _stream(documents)
    return made


def _stream(documents: list[dict[str, Any]]) -> str:
    text = yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6)
    assert list(yaml.load_all(text, yaml.SafeLoader)) == json.loads(json.dumps(documents))
    return text
