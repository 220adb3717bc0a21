"""The patches of one overlay: which objects each is for, and its application."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from kubectl_trainjob.compiler.errors import PatchError
from kubectl_trainjob.compiler.overlay.json_patch import apply_operations
from kubectl_trainjob.compiler.overlay.merge import merge_patch
from kubectl_trainjob.compiler.overlay.select import SelectorError, compile_selector, specified_fields
from kubectl_trainjob.compiler.overlay.steps import Steps, StepsError
from kubectl_trainjob.kube.facts.kinds import CLUSTER_SCOPED
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.draft import Cause, Draft
from kubectl_trainjob.model.edited_object import ObjectEdit, identities, lost_parts
from kubectl_trainjob.model.message import Message, joined, listed, say
from kubectl_trainjob.model.nearest import did_you_mean
from kubectl_trainjob.model.source import Place, Source, mapping_at
from kubectl_trainjob.model.stages import Manifest, ObjectId
from kubectl_trainjob.model.units import Overlay, Patch, Selector

_MOST_NAMES = 5  # that a message lists
_GENERATED = ("JobSet", "PodGroup", "Job", "Pod")


class OverlayResource:
    """The object as it was, as it is now, and the edits in between.

    `lost` is what makes an object and the patches so far took from this one, and the patches that did.
    """

    __slots__ = ("draft", "edits", "is_deleted", "known_as", "lost", "manifest", "sweep")

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.draft = Draft(manifest.body)
        self.edits: list[ObjectEdit] = []
        self.is_deleted = False
        self.known_as = identities(manifest)
        self.lost: dict[str, Place] = {}
        self.sweep = manifest.sweep

    @property
    def identity(self) -> ObjectId:
        """The names of the object before this overlay."""
        return self.manifest.id

    @property
    def type(self) -> tuple[str, str]:
        """Its apiVersion and kind now: a patch can change them."""
        found = self.draft.get("apiVersion"), self.draft.get("kind")
        return (
            found if all(isinstance(each, str) for each in found) else (self.identity.api_version, self.identity.kind)
        )

    def patch(self, edit: ObjectEdit, place: Place) -> None:
        """As `write`, for the patch at `place`, which may remove required fields, or add them again."""
        self.write(edit)
        self.lost = {what: self.lost.get(what, place) for what in lost_parts(self.draft.value, self.manifest)}

    def write(self, edit: ObjectEdit) -> None:
        """Apply one edit, and record it if it changes the object. Raises the errors of the edit."""
        new = edit.write(self.draft)
        if new is None:
            self.is_deleted = True
        elif new.value is not self.draft.value:
            self.draft = new
            self.edits.append(edit)


_OPERATIONS, _MERGE = 4, 2  # steps for each value of a patch
_NO_OBJECT = "the patch has no target object; write apiVersion, kind and metadata.name, or a target"


class Patcher:
    """Applies an overlay's patches in their order. `inputs` holds their documents, as causes name them."""

    def __init__(self, overlay: Overlay, inputs: Mapping[str, Source], steps: Steps) -> None:
        self._overlay = overlay
        self._inputs = inputs
        self._steps = steps

    def apply(self, number: int, resources: Sequence[OverlayResource]) -> Iterator[Diagnostic]:
        """Patch the objects that patch `number` is for; yields its errors."""
        if self._steps.are_used_up:
            return
        patch = self._overlay.patches[number]
        try:
            chosen = self._targets(patch, [resource for resource in resources if not resource.is_deleted])
        except SelectorError as error:
            place = Place(self._overlay.source, ("patches", patch.index, "target", error.field))
            yield Diagnostic(rules.INVALID_OVERLAY, error.message, place)
            return
        if isinstance(chosen, Diagnostic):
            yield chosen
            return
        cost = _values(patch.body) * (_OPERATIONS if isinstance(patch.body, list) else _MERGE)
        for resource in chosen:
            try:
                self._steps.take(cost)
                yield from self._patch(resource, patch, (f"patch.{number}", *patch.pointer))
            except StepsError as error:
                message = say(
                    "patching {} {}; patch fewer objects, or write shorter patches",
                    str(resource.identity),
                    error.message,
                )
                yield Diagnostic(rules.TOO_MANY_EDITS, message, Place(patch.source, patch.pointer))
                return

    def _targets(self, patch: Patch, resources: list[OverlayResource]) -> list[OverlayResource] | Diagnostic:
        if patch.target is None:
            found = _named_targets(patch, resources, self._steps)
            return found if self._overlay.is_complete or not isinstance(found, Diagnostic) else []
        matcher = compile_selector(patch.target, self._steps)
        chosen = [resource for resource in resources if matcher(resource.known_as, *tags_of(resource.draft))]
        if chosen or not self._overlay.is_complete:
            return chosen
        place = Place(self._overlay.source, ("patches", patch.index, "target")).key()
        specified = (say('{} "{}"', name, value) for name, value in specified_fields(patch.target).items())
        advice = _other_target(patch.target, resources, self._steps)
        target = joined(specified) or say("the target")
        return Diagnostic(rules.UNUSED_SETTING, say("no object of this overlay matches {}; {}", target, advice), place)

    def _patch(self, resource: OverlayResource, patch: Patch, cause: Cause) -> Iterator[Diagnostic]:
        try:
            edit = ObjectEdit("overlay patch", self._edit(patch, resource.type, cause), cause)
            resource.patch(edit, Place(patch.source, patch.pointer))
        except PatchError as error:
            source = self._inputs[str(error.cause[0])]
            related = (RelatedPlace(say("the object"), resource.manifest.place("metadata", "name")),)
            message = say("the patch cannot be applied to {}: {}", str(resource.identity), error.message)
            yield Diagnostic(rules.FAILED_PATCH, message, Place(source, error.cause[1:]), related)

    def _edit(self, patch: Patch, of: tuple[str, str], cause: Cause) -> Callable[[Draft], Draft | None]:
        if isinstance(patch.body, list):
            return partial(apply_operations, operations=patch.body, cause=cause, steps=self._steps)
        api_version, kind = of
        return partial(
            merge_patch, patch=patch.body, api_version=api_version, kind=kind, cause=cause, steps=self._steps
        )


def _values(body: Any) -> int:
    """How many values a patch has."""
    count, level = 0, [body]
    while level:
        count += len(level)
        below = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [value for values in below for value in values]
    return count


def tags_of(draft: Draft) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The labels and annotations of an object, which selectors compare."""
    return mapping_at(draft.value, "metadata", "labels"), mapping_at(draft.value, "metadata", "annotations")


def _named_targets(patch: Patch, resources: list[OverlayResource], steps: Steps) -> list[OverlayResource] | Diagnostic:
    """The one object that a merge patch names; mirrors kustomize's PatchTransformer (transformStrategicMerge)."""
    named = mapping_at(patch.body, "metadata")
    parts = patch.body.get("apiVersion"), patch.body.get("kind"), named.get("namespace") or "", named.get("name")
    place = Place(patch.source, patch.pointer)
    if not all(isinstance(part, str) for part in parts):
        return Diagnostic(rules.PATCH_WITHOUT_OBJECT, say(_NO_OBJECT), place)
    wanted = ObjectId(*map(str, parts))
    chosen = [resource for resource in resources if any(_is_same(each, wanted) for each in resource.known_as)]
    if len(chosen) == 1:
        return chosen
    count = say("{} times", len(chosen)) if chosen else say("no")
    where = say(' in namespace "{}"', wanted.namespace) if wanted.namespace else say("")
    field, advice = _meant(wanted, resources, steps)
    names = wanted.kind, wanted.name, where, wanted.api_version
    message = say('this overlay has {} {} "{}"{} of {}; {}', count, *names, advice)
    return Diagnostic(rules.PATCH_WITHOUT_OBJECT, message, place.child(*field))


def _meant(wanted: ObjectId, resources: list[OverlayResource], steps: Steps) -> tuple[tuple[str, ...], Message]:
    """The field that most likely makes a patch match no object, and its right value."""
    known = [each for resource in resources for each in resource.known_as]
    for each in known:
        if each.name == wanted.name and each.kind == wanted.kind and each.api_version != wanted.api_version:
            return ("apiVersion",), say('it has one of "{}"', each.api_version)
        if each.name == wanted.name and each.kind != wanted.kind:
            return ("kind",), say("it has a {} of this name", each.kind)
    if wanted.kind in _GENERATED and all(each.kind != wanted.kind for each in known):
        return ("kind",), _generated_kind_hint(wanted.kind)
    names = {each.name for each in known if each.kind == wanted.kind} if steps.may_hint() else ()
    return ("metadata", "name"), did_you_mean(wanted.name, names, say("correct the name"))


def _other_target(target: Selector, resources: list[OverlayResource], steps: Steps) -> Message:
    """What a selector that matches nothing was probably meant to match."""
    known = [each for resource in resources for each in resource.known_as]
    kinds = {each.kind for each in known}
    if target.kind not in kinds and target.kind in _GENERATED:
        return _generated_kind_hint(target.kind)
    if target.kind and target.kind not in kinds:
        return did_you_mean(target.kind, kinds, say("correct the target"))
    names = {each.name for each in known if target.kind in ("", each.kind)} if steps.may_hint() else set()
    listing = say("it has {}", listed(sorted(names)[:_MOST_NAMES])) if names else say("correct the target")
    return did_you_mean(target.name, names, listing)


def _generated_kind_hint(kind: str) -> Message:
    return say("overlays change the inputs, and a {} is generated later: patch the TrainJob or its runtime", kind)


def _is_same(one: ObjectId, other: ObjectId) -> bool:
    same = (one.api_version, one.kind, one.name) == (other.api_version, other.kind, other.name)
    return same and (one.kind in CLUSTER_SCOPED or (one.namespace or "default") == (other.namespace or "default"))
