"""A tree of units to manifests: each overlay's settings applied to its resources, the innermost first.

The order is kustomize's (api/internal/target, configureBuiltinTransformers): patches, namespace, name prefix, name
suffix, labels, annotations, images; references to renamed objects follow at the very end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from kubectl_trainjob.compiler.overlay.images import Images, change_images
from kubectl_trainjob.compiler.overlay.metadata import add_annotations, add_labels, find_misplaced, set_namespace
from kubectl_trainjob.compiler.overlay.names import Rename, Renames, add_affix, ambiguous_names, follow_names
from kubectl_trainjob.compiler.overlay.patch import OverlayResource, Patcher
from kubectl_trainjob.compiler.overlay.steps import Steps, StepsError
from kubectl_trainjob.compiler.overlay.sweeps import select_sweeps
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import group_of, is_training_input
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.edited_object import ObjectEdit, affixes, edited_object, identities
from kubectl_trainjob.model.message import Message, describe, listed, say
from kubectl_trainjob.model.rules import INVALID_TYPE_OR_ENUM
from kubectl_trainjob.model.source import Place, Source, show_pointer, value_at
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Overlay, Unit


def apply_overlays(unit: Unit, steps: Steps) -> tuple[list[Manifest], list[Diagnostic]]:
    """Every object of a unit after its overlays, and the errors of the overlays' settings.

    `steps` are those of the whole build. There are no objects when they are used up.
    """
    diagnostics: list[Diagnostic] = []
    manifests = _apply_unit(unit, steps, diagnostics)
    return ([], diagnostics) if steps.are_used_up else (_with_references(manifests, diagnostics), diagnostics)


def _apply_unit(unit: Unit, steps: Steps, diagnostics: list[Diagnostic]) -> list[Manifest]:
    resources: list[OverlayResource] = []
    for below in unit.resources:
        manifests = _apply_unit(below, steps, diagnostics) if isinstance(below, Unit) else (below,)
        resources += map(OverlayResource, manifests)
    if steps.are_used_up:
        return []
    diagnostics += select_sweeps(unit.overlay, resources, steps)
    inputs = _inputs(unit.overlay)
    patching = Patcher(unit.overlay, inputs, steps)
    for number in range(len(unit.overlay.patches)):
        diagnostics += patching.apply(number, resources)
    resources = [resource for resource in resources if not resource.is_deleted]
    diagnostics += _set(unit.overlay, resources, steps)
    return [manifest for resource in resources for manifest in _finish(resource, unit.overlay, inputs, diagnostics)]


def _set(overlay: Overlay, resources: Sequence[OverlayResource], steps: Steps) -> Iterator[Diagnostic]:
    """Apply all settings but the patches to the resources; yields their errors."""
    if steps.are_used_up:
        return
    try:
        images = Images(overlay.images, steps)
        for resource in resources:
            for edit in _settings(overlay, *resource.type, images, steps):
                resource.write(edit)
    except StepsError as error:
        message = say(
            "writing the labels, annotations and images into these objects {}; build fewer at a time", error.message
        )
        yield Diagnostic(rules.TOO_MANY_EDITS, message, Place(overlay.source))
        return
    for index, why in images.unknown.items():
        yield Diagnostic(rules.INVALID_OVERLAY, why, Place(overlay.source, ("images", index, "name")))
    if overlay.is_complete:
        yield from _unused_images(overlay, images)


def _unused_images(overlay: Overlay, images: Images) -> Iterator[Diagnostic]:
    """Entries of `images` that are for no image of any object."""
    for index, change in enumerate(overlay.images):
        if index not in images.applied and index not in images.unknown:
            message = say('no object of this overlay has the image "{}"; correct the name', change.name)
            yield Diagnostic(rules.UNUSED_SETTING, message, Place(overlay.source, ("images", index, "name")))


def _inputs(overlay: Overlay) -> dict[str, Source]:
    """The documents that causes name: the overlay's own, and those of its patches."""
    patches = {f"patch.{number}": patch.source for number, patch in enumerate(overlay.patches)}
    return {"overlay": overlay.source, **patches}


def _settings(overlay: Overlay, api_version: str, kind: str, images: Images, steps: Steps) -> Iterator[ObjectEdit]:
    """The overlay's settings for every object, as edits of one; each write has the line of its setting as cause."""
    of = {"kind": kind, "api_version": api_version}
    if overlay.namespace:
        yield _edit(set_namespace, "namespace", **of, namespace=overlay.namespace)
    if overlay.name_prefix:
        edit = _edit(add_affix, "namePrefix", kind=kind, prefix=overlay.name_prefix)
        yield edit._replace(prefix=overlay.name_prefix)
    if overlay.name_suffix:
        edit = _edit(add_affix, "nameSuffix", kind=kind, suffix=overlay.name_suffix)
        yield edit._replace(suffix=overlay.name_suffix)
    for index, labels in enumerate(overlay.labels):
        yield _edit(add_labels, "labels", index, "pairs", **of, labels=labels, steps=steps)
    if overlay.annotations:
        yield _edit(add_annotations, "annotations", **of, annotations=overlay.annotations, steps=steps)
    if overlay.images:
        yield _edit(change_images, "images", **of, images=images)


def _edit(write: Callable[..., Draft], *setting: str | int, **given: Any) -> ObjectEdit:
    cause = ("overlay", *setting)
    return ObjectEdit(f"overlay {setting[0]}", partial(write, **given, cause=cause), cause)


def _finish(
    resource: OverlayResource, overlay: Overlay, inputs: dict[str, Source], diagnostics: list[Diagnostic]
) -> Iterator[Manifest]:
    manifest = resource.manifest
    if resource.lost:
        diagnostics += _invalid_object(resource)
        return
    if resource.draft.value is not manifest.body:
        manifest = edited_object(manifest, resource.draft.value, inputs, tuple(resource.edits))
    if overlay.name_hash and is_training_input(manifest):
        manifest = replace(manifest, name_hash=Place(overlay.source, ("nameHash",)))
    if resource.sweep is not manifest.sweep:
        manifest = replace(manifest, sweep=resource.sweep)
    diagnostics += _metadata_problems(manifest, overlay)
    yield manifest


def _metadata_problems(manifest: Manifest, overlay: Overlay) -> Iterator[Diagnostic]:
    """Labels and annotations that cannot be added to an object. Trainer's kinds have schemas for that."""
    identity = manifest.id
    if group_of(identity.api_version) == trainer.GROUP:
        return
    for pointer, needed, field in find_misplaced(manifest.body, identity.kind, identity.api_version, overlay):
        form = "a list" if needed == "a list" else "a mapping"
        found = describe(value_at(manifest.body, pointer))
        message = say(
            "{} must be {}, not {}, to add {} of the overlay", show_pointer(pointer), Message(form), found, field
        )
        yield Diagnostic(INVALID_TYPE_OR_ENUM, message, manifest.place(*pointer))


def _invalid_object(resource: OverlayResource) -> Iterator[Diagnostic]:
    related = (RelatedPlace(say("the object"), resource.manifest.place("metadata", "name")),)
    for what, patch in resource.lost.items():
        message = say("the patch leaves {} without {}; keep it", str(resource.manifest.id), Message(what))
        yield Diagnostic(rules.INVALID_PATCHED_OBJECT, message, patch, related)


def _with_references(manifests: Sequence[Manifest], diagnostics: list[Diagnostic]) -> list[Manifest]:
    """The objects with the new name in every reference to a renamed one."""
    inputs: dict[str, Source] = {}
    found: list[Rename] = []
    for number, manifest in enumerate(manifests):
        now, *before = identities(manifest)
        for old in before:
            if (old.name, old.namespace) != (now.name, now.namespace):
                inputs[f"renamed.{number}"] = manifest.source
                cause = f"renamed.{number}", "metadata", "name"
                found.append(Rename(group_of(now.api_version), now.kind, old, now, cause))
    if not found:
        return list(manifests)
    renames = Renames(found, {manifest.id: affixes(manifest) for manifest in manifests})
    diagnostics += [finding for manifest in manifests for finding in _ambiguities(manifest, renames)]
    return [_rename_references(manifest, renames, inputs) for manifest in manifests]


def _ambiguities(manifest: Manifest, renames: Renames) -> Iterator[Diagnostic]:
    """References that could mean several objects, since the overlays below gave these different names."""
    for found in ambiguous_names(manifest.body, manifest.id.kind, manifest.id.api_version, renames):
        rivals = listed((rival.name for rival in found.rivals), "or")
        message = say('"{}" is ambiguous: in this overlay it is {}; write one of these names', found.name, rivals)
        yield Diagnostic(rules.AMBIGUOUS_NAME, message, manifest.place(*found.pointer))


def _rename_references(manifest: Manifest, renames: Renames, inputs: dict[str, Source]) -> Manifest:
    identity = manifest.id
    write = partial(follow_names, kind=identity.kind, api_version=identity.api_version, renames=renames)
    edit = ObjectEdit("overlay names", write)
    followed = edit.write(Draft(manifest.body))
    if followed is None or followed.value is manifest.body:
        return manifest
    return edited_object(manifest, followed.value, inputs, (edit,))
