"""The storage of datasets and models: which URIs there are, and who fetches or stores their content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_trainjob.frontends.interface import RejectedError
from kubectl_trainjob.frontends.objects import variable_name
from kubectl_trainjob.kube.facts.supported import release_tag
from kubectl_trainjob.kube.facts.trainer import INITIALIZER_STORAGE_ENV
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.rules import OME_SETTING_MISSING, OME_STORAGE, Rule
from kubectl_trainjob.model.source import Place
from kubectl_trainjob.model.stages import Body
from kubectl_trainjob.model.units import OmeSettings

JOBSET_NAME = "JOBSET_NAME"
_CLAIM_SCHEME = "pvc"
_UPSTREAM = ("hf", "s3")
_KEYS = ("storageKey", "key")
_ADVICE = say("write pvc://CLAIM/PATH, or another URI such as oci://BUCKET/PATH with an image in ome.initializers")


class Storage(NamedTuple):
    """One storage: its mapping, the input and pointer of it, and where its errors are reported.

    `at` is None if the URI is all there is. `user` is the line of the job that needs the storage.
    """

    body: Body
    cause: Cause
    uri_place: Place
    at: Place | None
    user: Place

    @property
    def uri(self) -> str:
        """The URI as written."""
        return str(self.body["storageUri"])

    @property
    def scheme(self) -> str:
        """The scheme in lower case."""
        return self.uri.partition("://")[0].lower()

    @property
    def is_claim(self) -> bool:
        """Whether it is a PersistentVolumeClaim, which needs no initializer."""
        return self.scheme == _CLAIM_SCHEME

    @property
    def secret(self) -> str:
        """The name of the Secret with its credentials, "" for none."""
        return str(self.body.get("storageKey") or self.body.get("key") or "")

    def env(self) -> list[dict[str, str]]:
        """The parameters as environment variables, sorted by name."""
        return [{"name": name, "value": value} for name, value in sorted(_variables(self.body))]

    def rejected(self, message: Message, *pointer: str) -> RejectedError:
        """The error at a field, or at the URI."""
        place = self.at.child(*pointer).key() if self.at and pointer else self.uri_place
        return RejectedError(Diagnostic(OME_STORAGE, message, place))

    def unusable(self, rule: Rule, message: Message) -> RejectedError:
        """The error of a job that cannot use the storage as things are."""
        return RejectedError(Diagnostic(rule, message, self.user))

    def check(self) -> None:
        """Raises RejectedError."""
        scheme, _, rest = self.uri.partition("://")
        if not scheme or not rest:
            what = say('"{}" is not a URI "SCHEME://REST"; {}', self.uri, _ADVICE)
            raise self.rejected(what)
        specified = [key for key in _KEYS if key in self.body]
        if len(specified) > 1:
            raise self.rejected(say("storageKey and key mean the same; remove key"), "key")
        if not self.is_claim:
            self._check_names()
            return
        for field in (*specified, "parameters"):
            if self.body.get(field):
                raise self.rejected(say("nothing reads {} of a pvc:// URI; remove it", field), field)

    def _check_names(self) -> None:
        taken = {INITIALIZER_STORAGE_ENV, JOBSET_NAME}
        for name, _ in _variables(self.body):
            if name in taken:
                message = say('more than one value would be the environment variable "{}"; rename a parameter', name)
                raise self.rejected(message, "parameters")
            taken.add(name)

    def claim(self, namespace: str) -> tuple[str, str]:
        """The claim of a pvc:// URI, for a job in `namespace`, and the path in it. Raises RejectedError."""
        first, _, path = self.uri.partition("://")[2].partition("/")
        specified, colon, name = first.rpartition(":")
        if colon and specified != (namespace or "default"):
            message = say(
                'the claim is in namespace "{}", but Pods can only mount claims of the namespace of the job; write {}',
                specified,
                _OWN,
            )
            raise self.rejected(message)
        if not name:
            raise self.rejected(say('"{}" has no claim; write {}', self.uri, _OWN))
        path = path.strip("/")
        if ".." in path.split("/"):
            raise self.rejected(say('a path in a claim cannot contain ".."; write {}', _OWN))
        return name, path


_OWN = say("pvc://CLAIM/PATH")


def _variables(storage: Body) -> Iterator[tuple[str, str]]:
    for name, value in (storage.get("parameters") or {}).items():
        yield variable_name(name), value


def initializer_image(storage: Storage, kind: str, settings: OmeSettings, trainer: str) -> str:
    """The image that fetches a URI; `kind` is dataset or model. Raises RejectedError."""
    found = _image_of(storage, settings.initializers)
    if found is None and storage.scheme in _UPSTREAM:
        return f"ghcr.io/kubeflow/trainer/{kind}-initializer:{release_tag(trainer)}"
    return found or _missing_image(storage, "initializers")


def exporter_image(storage: Storage, settings: OmeSettings) -> str:
    """The image that stores a directory at a URI. Raises RejectedError."""
    return _image_of(storage, settings.exporters) or _missing_image(storage, "exporters")


def _image_of(storage: Storage, settings: Iterable[tuple[str, str]]) -> str | None:
    images = dict(settings)
    return images.get(storage.scheme) or (images.get("https") if storage.scheme == "http" else None)


def _missing_image(storage: Storage, setting: str) -> str:
    scheme = storage.scheme
    message = say('no image is set for the scheme "{}"; set ome.{}.{} in trainjob.yaml', scheme, setting, scheme)
    raise storage.unusable(OME_SETTING_MISSING, message)
