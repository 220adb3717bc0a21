"""Stand-ins for the stages, so that the command is judged by what it does with their results."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import pytest

from kubectl_trainjob.source import Place, Span
from kubectl_trainjob.stages import Build, Documents


@dataclass
class Stages:
    """What the stand-ins return, and what they were called with."""

    result: Build = field(default_factory=Build)
    fault: BaseException | None = None
    paths: tuple[str, ...] = ()
    stdin: bytes | None = None
    options: Any = None
    rendered: str = ""

    def read(self, paths: Sequence[str], stdin: Callable[[], bytes]) -> Documents:
        self.paths = tuple(paths)
        if "-" in paths:
            self.stdin = stdin()
        if self.fault is not None:
            raise self.fault
        return Documents(())

    def build(self, _documents: Documents, options: Any) -> Build:
        self.options = options
        return self.result

    def render(self, objects: Sequence[Any], fmt: str) -> Iterator[str]:
        self.rendered = fmt
        for body in objects:
            yield f"{body['kind']}: ä\n"


class Locator:
    """Every place is the file's first character."""

    def settle(self, place: Place) -> Place:
        return replace(place, span=Span(1, 1, 1, 2))


@dataclass(frozen=True)
class BuildOptions:
    namespace: str = ""
    trainer_version: str = "2.3"


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> Stages:
    """The stages replaced by stand-ins for one test."""
    stand_in = Stages()
    contents = {
        "kubectl_trainjob.repo.read": {"read": stand_in.read},
        "kubectl_trainjob.pipeline": {"build": stand_in.build, "BuildOptions": BuildOptions},
        "kubectl_trainjob.emit.render": {"render": stand_in.render},
        "kubectl_trainjob.yamlio.spans": {"Locator": Locator},
    }
    for name, attributes in contents.items():
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
        parent, _, child = name.rpartition(".")
        monkeypatch.setattr(importlib.import_module(parent), child, module, raising=False)
    return stand_in
