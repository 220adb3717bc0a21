"""The three directories of a job: what is mounted at each, and the jobs that fill or store it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.interface import ConversionContext, RejectedError
from kubectl_trainjob.frontends.ome.dialect import read_object
from kubectl_trainjob.frontends.ome.inputs import JOB_SPEC, MODEL, SETTINGS, JobInputs
from kubectl_trainjob.frontends.ome.storage import JOBSET_NAME, Storage, exporter_image, initializer_image
from kubectl_trainjob.kube.facts import ome
from kubectl_trainjob.kube.facts.trainer import INITIALIZER_VOLUME, INITIALIZERS
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.nearest import did_you_mean
from kubectl_trainjob.model.rules import OME_GANG, OME_MODEL_UNKNOWN, OME_SETTING_MISSING
from kubectl_trainjob.model.stages import Body, Manifest

_INPUT_MODEL = ("spec", "modelConfig", "inputModel")
_NAME_VARIABLE = f"$({JOBSET_NAME})"


class WorkspaceFolder(NamedTuple):
    """One directory. `volume` is its own volume, None where the shared claim holds it; `path` is the path in a claim.

    `helper` is the initializer or exporter of the directory ("" for none), with its image.
    """

    name: str
    storage: Storage | None
    cause: Cause
    volume: Body | None = None
    path: str = ""
    is_read_only: bool = False
    helper: str = ""
    image: str = ""

    @property
    def mount_path(self) -> str:
        """The path in every container."""
        return f"/workspace/{self.name}"

    def is_of_trial(self, *, is_tuned: bool) -> bool:
        """Whether each trial has its own part of the volume."""
        return is_tuned and (self.volume is None or (self.name == "output" and "persistentVolumeClaim" in self.volume))

    def mount(self, job: str, *, is_tuned: bool) -> dict[str, Any]:
        """The mount in a container."""
        name = self.name if self.volume else INITIALIZER_VOLUME
        found: dict[str, Any] = {"name": name, "mountPath": self.mount_path}
        if self.is_of_trial(is_tuned=is_tuned):
            own = (
                f"{_NAME_VARIABLE}/{self.name}" if self.volume is None else f"{self.path}/{_NAME_VARIABLE}".lstrip("/")
            )
            return found | {"subPathExpr": own}
        path = self.path if self.volume else f"{job}/{self.name}"
        return found | ({"subPath": path} if path else {}) | ({"readOnly": True} if self.is_read_only else {})


class BaseModelStorage(NamedTuple):
    """The input model: its name, the object that declares it (None: the settings) and its storage or path."""

    name: str
    manifest: Manifest | None
    storage: Storage | None
    path: str
    body: Body
    cause: Cause


def folders_of(inputs: JobInputs, model: BaseModelStorage | None) -> Iterator[WorkspaceFolder]:
    """The directories in the order of mounts: model, dataset, output. Raises RejectedError."""
    if model is not None:
        yield _model(inputs, model)
    yield _dataset(inputs)
    output = (inputs.spec["modelConfig"]).get("outputModel")
    if output is not None:
        yield _output(inputs, output)


def _dataset(inputs: JobInputs) -> WorkspaceFolder:
    storage = _specified_storage(inputs, inputs.spec["datasets"], "datasets")
    if storage.is_claim:
        return _claimed_folder(inputs, "dataset", storage, is_read_only=True)
    image = initializer_image(storage, "dataset", inputs.settings, inputs.trainer)
    return _folder_of_helper(inputs, "dataset", storage, INITIALIZERS["dataset"], image)


def _output(inputs: JobInputs, body: Body) -> WorkspaceFolder:
    storage = _specified_storage(inputs, body, "modelConfig", "outputModel")
    if storage.is_claim:
        return _claimed_folder(inputs, "output", storage, is_read_only=False)
    return _folder_of_helper(inputs, "output", storage, ome.EXPORTER, exporter_image(storage, inputs.settings))


def _specified_storage(inputs: JobInputs, body: Body, *pointer: str) -> Storage:
    place = inputs.job.place("spec", *pointer)
    uri = place.child("storageUri")
    storage = Storage(body, (*JOB_SPEC, *pointer), uri, place, uri)
    storage.check()
    return storage


def _claimed_folder(inputs: JobInputs, name: str, storage: Storage, *, is_read_only: bool) -> WorkspaceFolder:
    claim, path = storage.claim(inputs.job.id.namespace)
    source = {"claimName": claim} | ({"readOnly": True} if name == "model" else {})
    cause = (*storage.cause, "storageUri")
    return WorkspaceFolder(name, storage, cause, {"persistentVolumeClaim": source}, path, is_read_only)


def _folder_of_helper(inputs: JobInputs, name: str, storage: Storage, helper: str, image: str) -> WorkspaceFolder:
    if inputs.runtime_spec.get("podGroupPolicy"):
        message = say(
            "the runtime has a podGroupPolicy, whose PodGroup also counts the Pods of {}, so the job never starts; "
            "store it in a claim (pvc://CLAIM/PATH), or use a runtime without podGroupPolicy",
            helper,
        )
        raise storage.unusable(OME_GANG, message)
    if not inputs.settings.claim:
        message = say("a volume is needed for what jobs fetch and write; set ome.output.claimName in trainjob.yaml")
        raise storage.unusable(OME_SETTING_MISSING, message)
    return WorkspaceFolder(name, storage, (*storage.cause, "storageUri"), helper=helper, image=image)


def _model(inputs: JobInputs, model: BaseModelStorage) -> WorkspaceFolder:
    if model.storage is None:
        return WorkspaceFolder("model", None, model.cause, _host_volume(inputs, model), is_read_only=True)
    model.storage.check()
    if model.storage.is_claim:
        return _claimed_folder(inputs, "model", model.storage, is_read_only=True)
    image = initializer_image(model.storage, "model", inputs.settings, inputs.trainer)
    return _folder_of_helper(inputs, "model", model.storage, INITIALIZERS["model"], image)


def _host_volume(inputs: JobInputs, model: BaseModelStorage) -> Body:
    if inputs.settings.model_access == "hostPath":
        return {"hostPath": {"path": model.path, "type": "Directory"}}
    return {"persistentVolumeClaim": {"claimName": volume_name(inputs, model), "readOnly": True}}


def volume_name(inputs: JobInputs, model: BaseModelStorage) -> str:
    """The name of the PersistentVolume and the claim of a model on the nodes."""
    from hashlib import sha256

    text = f"{inputs.job.id.namespace}/{model.name}/{model.path}"
    return f"{model.name}-{sha256(text.encode()).hexdigest()[:8]}"


def find_model(job: Manifest, spec: Body, settings: Body, context: ConversionContext) -> BaseModelStorage | None:
    """The input model of a job without nulls; `settings` are those of `ome.models`. Raises RejectedError."""
    name = spec["modelConfig"].get("inputModel")
    if name is None:
        return None
    if name in settings:
        return _of_settings(job, name, settings[name])
    namespace = job.id.namespace or "default"
    kinds = (ome.GROUP, ome.BASE_MODEL, namespace), (ome.GROUP, ome.CLUSTER_BASE_MODEL, "")
    declared = (context.sources.by_key.get((*kind, name)) for kind in kinds)
    manifest = next(filter(None, declared), None)
    if manifest is None:
        others = {*settings, *context.sources.names_to_hint(*kinds)}
        hint = did_you_mean(name, others, say("add it there, or a ClusterBaseModel to the inputs"))
        raise _unknown(job, say('the model "{}" is not declared in ome.models and by no BaseModel; {}', name, hint))
    body, errors = read_object(manifest)
    for error in errors:
        raise RejectedError(error)
    storage: dict[str, Any] = (body.get("spec") or {}).get("storage") or {}
    path, uri = storage.get("path"), storage.get("storageUri", "")
    if path is not None and path.startswith("/"):
        return BaseModelStorage(name, manifest, None, path, storage, (MODEL, "spec", "storage", "path"))
    if path is not None or "://" not in uri:
        raise _unknown(job, _no_storage(name, uri if path is None else path))
    place = manifest.place("spec", "storage")
    cause: Cause = (MODEL, "spec", "storage")
    found = Storage(storage, cause, place.child("storageUri"), place, job.place(*_INPUT_MODEL))
    return BaseModelStorage(name, manifest, found, "", storage, cause)


def _of_settings(job: Manifest, name: str, value: str) -> BaseModelStorage:
    cause: Cause = (SETTINGS, "ome", "models", name)
    if value.startswith("/"):
        return BaseModelStorage(name, None, None, value, {}, cause)
    if "://" not in value:
        raise _unknown(job, _no_storage(name, value))
    place = job.place(*_INPUT_MODEL)
    storage = Storage({"storageUri": value}, cause, place, None, place)
    return BaseModelStorage(name, None, storage, "", {}, cause)


def _no_storage(name: str, value: str) -> Message:
    template = 'the model "{}" is stored at "{}", which is not an absolute path or a URI; correct it, or set ome.models'
    return say(template, name, value)


def _unknown(job: Manifest, message: Message) -> RejectedError:
    return RejectedError(Diagnostic(OME_MODEL_UNKNOWN, message, job.place(*_INPUT_MODEL)))
