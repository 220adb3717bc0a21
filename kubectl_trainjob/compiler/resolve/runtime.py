"""runtimeRef → runtime. Mirrors the look-ups of trainer `pkg/webhooks` and `pkg/runtime/core` (2.3)."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, MutableMapping
from itertools import islice
from types import MappingProxyType

from kubectl_trainjob.compiler.resolve.objects import duplicate
from kubectl_trainjob.kube.facts import trainer as api
from kubectl_trainjob.kube.facts.kinds import KindRole, kinds_with, runtime_ref
from kubectl_trainjob.kube.facts.supported import distinct_versions
from kubectl_trainjob.kube.facts.validation import placeholder
from kubectl_trainjob.model.diagnostic import Diagnostic, RelatedPlace
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import RUNTIME_KIND_UNSUPPORTED, RUNTIME_NAMESPACE_MISMATCH, RUNTIME_NOT_FOUND
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import AdmittedObject, Manifest

Key = tuple[str, str, str]
"""(kind, namespace, name); the namespace of a ClusterTrainingRuntime is ""."""


PackagedNames = Mapping[str, tuple[str, ...]]
"""ClusterTrainingRuntimes of the catalogue, with the versions of Trainer that have them if the target has not."""

_NONE: PackagedNames = MappingProxyType({})
_MOST_HINTS = 50
_KINDS = tuple((kind.group, kind.name) for kind in kinds_with(KindRole.RUNTIME))


class Runtimes:
    """The runtimes that TrainJobs may refer to, from several places, the nearest first: a nearer one overrides."""

    def __init__(self, places: Iterable[Iterable[Manifest]], namespace: str, packaged: PackagedNames = _NONE) -> None:
        """`namespace` is that of objects without one ("" if unknown: they have the same one)."""
        self._namespace = namespace
        self._packaged = packaged
        self._by_key: MutableMapping[Key, Manifest] = {}
        self._by_name: MutableMapping[tuple[str, str], Manifest] = {}
        self._hinted: frozenset[Source] = frozenset()
        self._twins: MutableMapping[Key, Manifest | None] = {}
        for manifests in places:
            self._add({}, manifests)

    def _add(self, here: dict[Key, Manifest], manifests: Iterable[Manifest]) -> None:
        """Add the runtimes of one place. Duplicates are kept: a reference to one of them is an error."""
        for manifest in manifests:
            key = self._key(manifest)
            if key in here and key not in self._by_key:
                self._twins[key] = manifest
            here.setdefault(key, manifest)
        for key, manifest in here.items():
            self._by_key.setdefault(key, manifest)
            self._by_name.setdefault((key[0], key[2]), manifest)

    def _key(self, manifest: Manifest) -> Key:
        identity = manifest.id
        if identity.kind == api.CLUSTER_TRAINING_RUNTIME:
            return identity.kind, "", identity.name
        return identity.kind, self._in(identity.namespace), identity.name

    def _in(self, namespace: str) -> str:
        return namespace or self._namespace or "default"

    def below(self, manifests: Iterable[Manifest]) -> Runtimes:
        """These runtimes, and nearer ones that override them; nothing is copied, because there are many sweeps."""
        found = Runtimes((manifests,), self._namespace, self._packaged)
        found._twins = ChainMap(dict.fromkeys(found._by_key), self._twins)
        found._by_key = ChainMap(found._by_key, self._by_key)
        found._by_name = ChainMap(self._by_name, found._by_name)
        return found

    def all(self) -> Iterable[Manifest]:
        """Every runtime."""
        return self._by_key.values()

    def find(self, job: AdmittedObject) -> Manifest | Diagnostic:
        """The runtime that the TrainJob refers to, or the error of its runtimeRef."""
        ref: Mapping[str, str] = job.body["spec"]["runtimeRef"]
        kind, group = ref.get("kind", api.CLUSTER_TRAINING_RUNTIME), ref.get("apiGroup", api.GROUP)
        if (group, kind) not in _KINDS:
            return _unsupported(job, group, kind)
        own = self._in(job.manifest.id.namespace)
        namespace = "" if kind == api.CLUSTER_TRAINING_RUNTIME else own
        key = kind, namespace, ref["name"]
        found, twin = self._by_key.get(key), self._twins.get(key)
        if twin is not None and found is not None:
            return duplicate(twin, found)
        return found or self._missing(job, kind, ref["name"])

    def meant(self, job: Manifest) -> Manifest | None:
        """The runtime that a TrainJob refers to, even if the TrainJob has errors."""
        return self._by_key.get(self._meant_key(job))

    def is_ambiguous(self, job: Manifest) -> bool:
        """Whether several runtimes have the name that a TrainJob refers to, which is an error."""
        return self._twins.get(self._meant_key(job)) is not None

    def _meant_key(self, job: Manifest) -> Key:
        ref = runtime_ref(job)
        kind = ref.get("kind", api.CLUSTER_TRAINING_RUNTIME)
        namespace = "" if kind == api.CLUSTER_TRAINING_RUNTIME else self._in(job.id.namespace)
        return str(kind), namespace, str(ref.get("name"))

    def _missing(self, job: AdmittedObject, kind: str, name: str) -> Diagnostic:
        place = job.manifest.place("spec", "runtimeRef", "name")
        elsewhere = self._by_name.get((kind, name))
        if elsewhere is not None:
            message = say(
                'TrainingRuntime "{}" is in namespace "{}", the TrainJob in "{}"; move one of them or use a '
                "ClusterTrainingRuntime",
                name,
                self._in(elsewhere.id.namespace),
                self._in(job.manifest.id.namespace),
            )
            return Diagnostic(RUNTIME_NAMESPACE_MISMATCH, message, place, (_here(elsewhere),))
        hint, related = self._hint(kind, name) if job.manifest.source in self._hinted else (Message(), ())
        return Diagnostic(RUNTIME_NOT_FOUND, say('{} "{}" does not exist{}', kind, name, hint), place, related)

    def hint_for(self, jobs: Iterable[Manifest]) -> None:
        """Allow hints for the first of these TrainJobs without a runtime.

        A hint is a search through all runtimes, so there are enough for a user, not thousands.
        """
        missing = (job.source for job in jobs if self.meant(job) is None)
        self._hinted = frozenset(islice(missing, _MOST_HINTS))

    def _hint(self, kind: str, name: str) -> tuple[Message, tuple[RelatedPlace, ...]]:
        """A hint: the same name in the other kind, or the nearest name."""
        other = next((m for (k, _, n), m in self._by_key.items() if k != kind and n == name), None)
        if other is not None:
            return say("; a {} of this name exists: write `kind: {}`", other.id.kind, other.id.kind), (_here(other),)
        names = {n: m for (k, _, n), m in self._by_key.items() if k == kind}
        meant = nearest(name, names)
        if kind == api.CLUSTER_TRAINING_RUNTIME and name in self._packaged:
            versions = distinct_versions([*self._packaged[name]])
            if versions:
                has = listed(versions, "and", "{}")
                return say("; it comes with Trainer {}, not with the target version", has), ()
            return say("; the catalogue has it: write `catalog: true` in trainjob.yaml"), ()
        if error := placeholder(name):
            return say("; it {}", error), ()
        if meant is None:
            return say("; add it to the inputs or to the directory runtimes/"), ()
        return say('; did you mean "{}"?', meant), (_here(names[meant]),)


def _here(manifest: Manifest) -> RelatedPlace:
    return RelatedPlace(say("defined here"), manifest.place("metadata", "name"))


def _unsupported(job: AdmittedObject, group: str, kind: str) -> Diagnostic:
    kinds = listed((kind for _, kind in _KINDS), "or", "{}")
    field, right = ("kind", kinds) if group == api.GROUP else ("apiGroup", say("{}", api.GROUP))
    message = say('runtimeRef refers to "{}" of "{}", which is not a runtime; write {}: {}', kind, group, field, right)
    return Diagnostic(RUNTIME_KIND_UNSUPPORTED, message, job.manifest.place("spec", "runtimeRef", field))
