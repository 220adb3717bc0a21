"""A tree of units to manifests: each overlay's settings over its members, the innermost first.

The order is kustomize's (api/internal/target, configureBuiltinTransformers): patches, namespace, name suffix, labels,
annotations, images; references to renamed objects follow at the very end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from kubectl_trainjob.compiler.overlay.images import Images, change_images
from kubectl_trainjob.compiler.overlay.labels import add_annotations, add_labels, misplaced
from kubectl_trainjob.compiler.overlay.member import Member
from kubectl_trainjob.compiler.overlay.names import Rename, Renames, add_suffix, ambiguous_names, follow_names
from kubectl_trainjob.compiler.overlay.namespace import set_namespace
from kubectl_trainjob.compiler.overlay.patch import Patching
from kubectl_trainjob.compiler.overlay.steps import Steps, StepsError
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import group_of, is_train_job
from kubectl_trainjob.kube.schemas.messages import described
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.edited import Edit, edited, identities
from kubectl_trainjob.model.rules import INVALID_TYPE_OR_ENUM
from kubectl_trainjob.model.source import Place, Source, show_pointer, value_at
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.model.units import Overlay, Unit


def overlaid(unit: Unit, steps: Steps) -> tuple[list[Manifest], list[Diagnostic]]:
    """Every object of a unit as its overlays make it, and what is wrong with the overlays' settings for it.

    `steps` are those of the whole build. There are no objects when they are used up.
    """
    diagnostics: list[Diagnostic] = []
    manifests = _over(unit, steps, diagnostics)
    return ([], diagnostics) if steps.are_used_up else (_with_references(manifests, diagnostics), diagnostics)


def _over(unit: Unit, steps: Steps, diagnostics: list[Diagnostic]) -> list[Manifest]:
    members: list[Member] = []
    for below in unit.members:
        manifests = _over(below, steps, diagnostics) if isinstance(below, Unit) else (below,)
        members += map(Member, manifests)
    if steps.are_used_up:
        return []
    inputs = _inputs(unit.overlay)
    patching = Patching(unit.overlay, inputs, steps)
    for number in range(len(unit.overlay.patches)):
        diagnostics += patching.apply(number, members)
    members = [member for member in members if not member.is_deleted]
    diagnostics += _set(unit.overlay, members, steps)
    return [manifest for member in members for manifest in _made(member, unit.overlay, inputs, diagnostics)]


def _set(overlay: Overlay, members: Sequence[Member], steps: Steps) -> Iterator[Diagnostic]:
    """Write all settings but the patches into the members; yields what is wrong with them."""
    if steps.are_used_up:
        return
    try:
        images = Images(overlay.images, steps)
        for member in members:
            for edit in _settings(overlay, *member.type, images, steps):
                member.write(edit)
    except StepsError as error:
        message = f"writing the labels, annotations and images into these objects {error}; build fewer at a time"
        yield Diagnostic(rules.TOO_MANY_EDITS, message, Place(overlay.source))
        return
    for index, why in images.unknown.items():
        yield Diagnostic(rules.INVALID_OVERLAY, why, Place(overlay.source, ("images", index, "name")))
    if overlay.is_complete:
        yield from _idle_images(overlay, images)


def _idle_images(overlay: Overlay, images: Images) -> Iterator[Diagnostic]:
    """Entries of `images` that are for no image of any object."""
    for index, change in enumerate(overlay.images):
        if index not in images.applied and index not in images.unknown:
            message = f'no object of this overlay has the image "{change.name}", so nothing changes; mend the name'
            yield Diagnostic(rules.IDLE_SETTING, message, Place(overlay.source, ("images", index, "name")))


def _inputs(overlay: Overlay) -> dict[str, Source]:
    """What causes can name: the overlay's own document, and those of its patches."""
    patches = {f"patch.{number}": patch.source for number, patch in enumerate(overlay.patches)}
    return {"overlay": overlay.source, **patches}


def _settings(overlay: Overlay, api_version: str, kind: str, images: Images, steps: Steps) -> Iterator[Edit]:
    """What the overlay says of every object, as edits of one; each write is caused by the setting's own line."""
    of = {"kind": kind, "api_version": api_version}
    if overlay.namespace:
        yield _edit(set_namespace, "namespace", **of, namespace=overlay.namespace)
    if overlay.name_suffix:
        yield _edit(add_suffix, "nameSuffix", kind=kind, suffix=overlay.name_suffix)
    for index, labels in enumerate(overlay.labels):
        yield _edit(add_labels, "labels", index, "pairs", **of, labels=labels, steps=steps)
    if overlay.annotations:
        yield _edit(add_annotations, "annotations", **of, annotations=overlay.annotations, steps=steps)
    if overlay.images:
        yield _edit(change_images, "images", **of, images=images)


def _edit(write: Callable[..., Draft], *setting: str | int, **given: Any) -> Edit:
    cause = ("overlay", *setting)
    return Edit(f"overlay {setting[0]}", partial(write, **given, cause=cause), cause)


def _made(
    member: Member, overlay: Overlay, inputs: dict[str, Source], diagnostics: list[Diagnostic]
) -> Iterator[Manifest]:
    manifest = member.manifest
    if member.lost:
        diagnostics += _spoilt(member)
        return
    if member.draft.value is not manifest.body:
        manifest = edited(manifest, member.draft.value, inputs, tuple(member.edits))
    if overlay.name_hash and is_train_job(manifest):
        manifest = replace(manifest, name_hash=Place(overlay.source, ("nameHash",)))
    diagnostics += _misplaced(manifest, overlay)
    yield manifest


def _misplaced(manifest: Manifest, overlay: Overlay) -> Iterator[Diagnostic]:
    """Labels and annotations that an object has no room for; Trainer's kinds have a schema, which tells that."""
    identity = manifest.id
    if group_of(identity.api_version) == trainer.GROUP:
        return
    for pointer, needed, field in misplaced(manifest.body, identity.kind, identity.api_version, overlay):
        found = f"{show_pointer(pointer)} must be {needed}, not {described(value_at(manifest.body, pointer))}"
        message = f"{found}: the overlay's {field} cannot be added; mend it"
        yield Diagnostic(INVALID_TYPE_OR_ENUM, message, manifest.place(*pointer))


def _spoilt(member: Member) -> Iterator[Diagnostic]:
    related = (Related("the object", member.manifest.place("metadata", "name")),)
    for what, patch in member.lost.items():
        message = f"the patch leaves {member.manifest.id} without {what}; keep it"
        yield Diagnostic(rules.SPOILED_OBJECT, message, patch, related)


def _with_references(manifests: Sequence[Manifest], diagnostics: list[Diagnostic]) -> list[Manifest]:
    """The objects with every reference to a renamed one brought up to date."""
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
    renames = Renames(found)
    diagnostics += [finding for manifest in manifests for finding in _ambiguities(manifest, renames)]
    return [_followed(manifest, renames, inputs) for manifest in manifests]


def _ambiguities(manifest: Manifest, renames: Renames) -> Iterator[Diagnostic]:
    """References that could mean several objects, since the overlays below gave these different names."""
    for found in ambiguous_names(manifest.body, manifest.id.kind, manifest.id.api_version, renames):
        rivals = " or ".join(f'"{rival.name}"' for rival in found.rivals)
        message = f'"{found.name}" is called {rivals} here; write which one is meant'
        yield Diagnostic(rules.AMBIGUOUS_NAME, message, manifest.place(*found.pointer))


def _followed(manifest: Manifest, renames: Renames, inputs: dict[str, Source]) -> Manifest:
    identity = manifest.id
    write = partial(follow_names, kind=identity.kind, api_version=identity.api_version, renames=renames)
    edit = Edit("overlay names", write)
    followed = edit.write(Draft(manifest.body))
    if followed is None or followed.value is manifest.body:
        return manifest
    return edited(manifest, followed.value, inputs, (edit,))
