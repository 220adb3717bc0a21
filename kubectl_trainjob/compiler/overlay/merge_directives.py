"""`$patch` in a merge patch: what it says, and where it may stand.

Mirrors kyaml/yaml/merge2/smpdirective.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_trainjob.compiler.overlay.patch_error import PatchError
from kubectl_trainjob.kube.facts.merge_keys import Merging
from kubectl_trainjob.model.draft import Cause

DIRECTIVE = "$patch"
_DIRECTIVES = ("delete", "replace", "merge")
_OF_KUBECTL = ("$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")


def directive_of(patch: Mapping[str, Any], cause: Cause) -> str:
    """What a mapping directs: delete, replace, merge or "". Raises PatchError for another word."""
    if DIRECTIVE not in patch:
        return ""
    directive = patch[DIRECTIVE]
    if directive not in _DIRECTIVES:
        message = f'"{DIRECTIVE}: {directive}" means nothing; write delete, replace or merge'
        raise PatchError(message, (*cause, DIRECTIVE))
    return str(directive)


def object_directive_of(patch: Mapping[str, Any], cause: Cause) -> str:
    """What a patch directs for the whole object. Raises PatchError for replace, which does nothing in kustomize."""
    directive = directive_of(patch, cause)
    if directive == "replace":
        message = f'"{DIRECTIVE}: replace" does nothing for a whole object; write it below, for example in spec'
        raise PatchError(message, (*cause, DIRECTIVE))
    return directive


def item_directive_of(item: Mapping[str, Any], cause: Cause) -> str:
    """What a list's entry directs for itself. Raises PatchError for replace, which does nothing in kustomize."""
    directive = directive_of(item, cause)
    if directive == "replace":
        message = (
            f'"{DIRECTIVE}: replace" does nothing beside other fields of an entry; '
            f'to replace the list, write "- {DIRECTIVE}: replace" as an entry of its own'
        )
        raise PatchError(message, (*cause, DIRECTIVE))
    return directive


def is_directive(item: Any) -> bool:
    """Whether a list's entry is no entry, but says what becomes of the list."""
    return isinstance(item, dict) and item.keys() == {DIRECTIVE}


def list_directive_of(patch: list[Any], cause: Cause) -> str:
    """What a list that is merged directs, in an entry of its own. Raises PatchError where it does so twice."""
    found = [index for index, item in enumerate(patch) if is_directive(item)]
    if len(found) > 1:
        raise PatchError(f'the list has "{DIRECTIVE}" twice; keep one of them', (*cause, found[1]))
    return directive_of(patch[found[0]], (*cause, found[0])) if found else ""


def require_no_directives(value: list[Any], cause: Cause) -> None:
    """A list that has no merge key cannot direct anything. Raises PatchError."""
    for index, item in enumerate(value):
        if isinstance(item, dict) and DIRECTIVE in item:
            message = f'this list has no merge key and is replaced as a whole; remove "{DIRECTIVE}"'
            raise PatchError(message, (*cause, index, DIRECTIVE))


def require_known(key: str, merging: Merging | None, cause: Cause) -> None:
    """Other directives of kubectl's would become fields of the object. Raises PatchError."""
    if key.startswith(_OF_KUBECTL) and merging is not None:
        message = f'"{key}" is a directive of kubectl patch that overlays do not have; use "{DIRECTIVE}"'
        raise PatchError(message, (*cause, key))
