"""One tree of overlays, as real kustomize makes it (inside kubectl) and as our transformers do.

The order is kustomize's (api/internal/target/kusttarget_configplugin.go, configureBuiltinTransformers): patches,
namespace, name suffix, labels, annotations, images, for each overlay from the inside out; at the very end, once for all
objects, the references to what was renamed (kusttarget.go, makeCustomizedResMap).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubectl_trainjob.compiler.overlay.images import Images, change_images
from kubectl_trainjob.compiler.overlay.metadata import add_annotations, add_labels, set_namespace
from kubectl_trainjob.compiler.overlay.names import Rename, Renames, add_affix, follow_names
from kubectl_trainjob.compiler.overlay.steps import Steps
from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.model.units import ImageChange, LabelSet
from kubectl_trainjob.repository.yaml.read import read_stream
from tests.tools import require

Body = dict[str, Any]


@dataclass
class Layer:
    """A kustomization: objects and other kustomizations, and its settings in kustomize's words."""

    members: Sequence[Body | Layer]
    settings: dict[str, Any] = field(default_factory=dict)


def body(api_version: str, kind: str, name: str = "a", namespace: str = "", **rest: Any) -> Body:
    """An object."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def by_kustomize(layer: Layer, folder: Path) -> list[Body]:
    """What `kubectl kustomize` prints, in the order of the members."""
    done = run_kustomize(layer, folder)
    assert done.returncode == 0, done.stderr
    reading = read_stream(SourceFile("-", done.stdout))
    assert not reading.diagnostics
    return [body for body, _ in reading.objects]


def run_kustomize(layer: Layer, folder: Path) -> subprocess.CompletedProcess[str]:
    """`kubectl kustomize`, whatever comes of it."""
    top = Layer(layer.members, {**layer.settings, "sortOptions": {"order": "fifo"}})
    _write(top, folder)
    return subprocess.run([require("kubectl"), "kustomize", folder], capture_output=True, text=True, check=False)


def _write(layer: Layer, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for number, member in enumerate(layer.members):
        if isinstance(member, Layer):
            names.append(f"layer{number}")
            _write(member, folder / names[-1])
        else:
            names.append(f"object{number}.yaml")
            (folder / names[-1]).write_text(json.dumps(member))
    (folder / "kustomization.yaml").write_text(json.dumps({"resources": names, **layer.settings}))


class Member:
    """One of our objects: as it is now, and what it was called before, the latest first."""

    def __init__(self, body: Body) -> None:
        self.draft = Draft(body)
        self.identities = [_identity(body)]
        self.affixes: tuple[list[str], list[str]] = ([], [])

    def lay_over(self, settings: dict[str, Any]) -> None:
        """Apply the settings of one overlay."""
        now = self.identities[0]
        kind = {"kind": now.kind, "api_version": now.api_version}
        draft, steps = self.draft, Steps(LIMITS)
        if "namespace" in settings:
            draft = set_namespace(draft, **kind, namespace=settings["namespace"], cause=("overlay",))
        for number, setting in enumerate(("namePrefix", "nameSuffix")):
            if setting in settings:
                self.affixes[number].append(settings[setting])
                affix = {setting.removeprefix("name").lower(): settings[setting]}
                draft = add_affix(draft, now.kind, ("overlay",), **affix)
        for labels in settings.get("labels", ()):
            pairs = LabelSet(labels["pairs"], labels.get("includeTemplates", False))
            draft = add_labels(draft, **kind, labels=pairs, cause=("overlay",), steps=steps)
        if "commonAnnotations" in settings:
            draft = add_annotations(
                draft, **kind, annotations=settings["commonAnnotations"], cause=("overlay",), steps=steps
            )
        images = Images([_image_change(each) for each in settings.get("images", ())], steps)
        self.draft = change_images(draft, **kind, images=images, cause=("overlay",))
        if (identity := _identity(self.draft.value)) != now:
            self.identities.insert(0, identity)


def by_us(layer: Layer) -> list[Body]:
    """The same by our transformers."""
    members = list(members_of(layer))
    renames = renames_of_all(members)
    return [_followed(member, renames) for member in members]


def members_of(layer: Layer) -> Iterator[Member]:
    """Every object with all settings laid over it, references aside."""
    for each in layer.members:
        for member in members_of(each) if isinstance(each, Layer) else (Member(each),):
            member.lay_over(layer.settings)
            yield member


def renames_of_all(members: Sequence[Member]) -> Renames:
    """The renames of all objects."""
    affixes = {each.identities[0]: (tuple(each.affixes[0]), tuple(each.affixes[1])) for each in members}
    return Renames((rename for member in members for rename in renames_of(member)), affixes)


def renames_of(member: Member) -> Iterator[Rename]:
    """One for each former identity."""
    now, *before = member.identities
    for old in before:
        yield Rename(group_of(now.api_version), now.kind, old, now, ("overlay",))


def _followed(member: Member, renames: Renames) -> Body:
    now = member.identities[0]
    followed: Body = follow_names(member.draft, now.kind, now.api_version, renames).value
    return followed


def _identity(body: Body) -> ObjectId:
    metadata = body["metadata"]
    return ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace") or "", metadata["name"])


def _image_change(given: dict[str, str]) -> ImageChange:
    words = {"name": "name", "newName": "new_name", "newTag": "new_tag", "digest": "digest", "tagSuffix": "tag_suffix"}
    return ImageChange(**{words[key]: value for key, value in given.items()})
