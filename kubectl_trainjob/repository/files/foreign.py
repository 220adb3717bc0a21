"""Files of other tools that a walk finds: which of them are ours, and which belong to a kustomization."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_trainjob.kube.facts.kinds import KindRole, kinds_with
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile, list_at
from kubectl_trainjob.repository.files.root import Files, TooLargeError, UnsafePathError
from kubectl_trainjob.repository.yaml.read import read_stream

OF_BUILD = frozenset((rules.BUILD_TOO_LARGE, rules.TOO_MANY_DOCUMENTS))
"""The rules about all files of a build together."""
OF_OBJECT = frozenset((rules.NOT_AN_OBJECT, rules.MISSING_TYPE, rules.MISSING_NAME, rules.UNBUILT_KUSTOMIZATION))
"""The rules about a document without an object to build, in a file that can be read."""

_TYPES = (KindRole.TRAINING_JOB, KindRole.RUNTIME, KindRole.JOB_SET)
_KINDS = "|".join(kind.name for kind in kinds_with(*_TYPES, KindRole.SOURCE_JOB, KindRole.SOURCE_RUNTIME))
_GROUPS = "|".join({re.escape(kind.group): None for kind in kinds_with(*_TYPES, KindRole.CONFIGURATION)})
_SAYS_OURS = re.compile(rf"\b(?:apiVersion\W{{1,8}}(?:{_GROUPS})/|kind\W{{1,8}}(?:{_KINDS})\b)", re.IGNORECASE)
_METADATA = re.compile(r"^metadata:.*\n(?:[ #].*\n|\n)*", re.MULTILINE)
_FILLED_IN = re.compile(r"\b(?:name|namespace|generateName): *[\"']?[\w.-]*(?:\$\{\w|\{\{)")

_LARGEST = 1 << 20  # bytes of a kustomization
# The fields of a kustomization whose files are not manifests: lists of paths, or of mappings with paths.
_PATHS = ("patchesStrategicMerge", "patches", "patchesJson6902", "replacements", "configurations", "crds")
_PLUGINS = ("transformers", "generators", "validators")


def is_ours(text: str) -> bool:
    """Whether a text says a kind that this tool builds or checks, also one with errors."""
    return _SAYS_OURS.search(text) is not None


def is_template(text: str) -> bool:
    """Whether another tool, such as envsubst, fills in names of objects in a file that says our kinds."""
    return is_ours(text) and any(_FILLED_IN.search(block) for block in _METADATA.findall(text))


def owned_by_kustomizations(files: Files, paths: Iterable[str], limits: Limits) -> frozenset[str]:
    """The files that kustomizations list as patches and settings, as paths from the root."""
    return frozenset(owned for path in paths for owned in _own_files(files, path, limits))


def _own_files(files: Files, path: str, limits: Limits) -> Iterator[str]:
    try:
        text = files.read(path, _LARGEST).decode()
    except (UnsafePathError, TooLargeError, OSError, ValueError):
        return  # it is only read for its lists
    directory = posixpath.dirname(path)
    for body, _ in read_stream(SourceFile("", text), limits).objects:
        for written in _paths_written(body):
            yield posixpath.normpath(posixpath.join(directory, written))


def _paths_written(body: dict[str, Any]) -> Iterator[str]:
    for field in (*_PATHS, *_PLUGINS):
        for item in list_at(body, field):
            found = item.get("path") if isinstance(item, dict) else item
            if isinstance(found, str) and found and "\n" not in found:
                yield found
