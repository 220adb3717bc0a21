"""The inputs of the groups `own` and `typed`, made from a seed: the same ones every time, whatever the machine."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Iterable
from typing import Any

import yaml

from tests.conformance.inputs import containers, launch, rejected, releases, structure
from tests.conformance.inputs.shapes import Topic
from tests.conformance.inputs.typed import Facts, topics

_SEED = "trainjob"
_TYPED = 120
_RELEASED = 160
_TOPICS = (*containers.TOPICS, *structure.TOPICS, *launch.TOPICS, *rejected.TOPICS)

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


def inputs(seed: str = _SEED, topics: Iterable[Topic] = _TOPICS) -> dict[str, str]:
    """The streams by name; another seed gives others of the same topics."""
    made: dict[str, str] = {}
    for topic in topics:
        for index in range(topic.count):
            documents = topic.make(random.Random(f"{seed}/{topic.name}/{index}"))
            write = _STYLES[index % len(_STYLES)] if topic.name == "spelling" else _stream
            made[f"{len(made):03}-{topic.name}"] = write(documents)
    return made


def typed(facts: Facts, seed: str = _SEED, count: int = _TYPED) -> dict[str, str]:
    """Streams filled along upstream's Go types; `facts` is what the recorder reports of them."""
    return inputs(seed, topics(facts, count))


def released(version: str, seed: str = _SEED, count: int = _RELEASED) -> dict[str, str]:
    """Streams in the shape of one Trainer version."""
    return inputs(seed, releases.topics(version, count))


def _stream(documents: list[dict[str, Any]]) -> str:
    text = yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6)
    assert list(yaml.load_all(text, yaml.SafeLoader)) == json.loads(json.dumps(documents))
    return text


def _json(documents: list[dict[str, Any]]) -> str:
    return "\n---\n".join(json.dumps(document, indent=1, ensure_ascii=False) for document in documents)


def _flow(documents: list[dict[str, Any]]) -> str:
    dump = functools.partial(yaml.dump, Dumper=_Dumper, default_flow_style=True, allow_unicode=False, width=60)
    return "---\n".join(dump(document) for document in documents)


def _commented(documents: list[dict[str, Any]]) -> str:
    return f"# first\n---\n# second\n{_stream(documents[:1])}---\n---\n# third\n{_stream(documents[1:])}"


def _dos(documents: list[dict[str, Any]]) -> str:
    return _stream(documents).replace("\n", "\r\n")


_STYLES = (_stream, _json, _flow, _commented, _dos)
