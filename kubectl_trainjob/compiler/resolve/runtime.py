"""runtimeRef → runtime. Mirrors the look-ups of trainer `pkg/webhooks` and `pkg/runtime/core` (2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from kubectl_trainjob.compiler.resolve.objects import duplicate
from kubectl_trainjob.kube.facts import trainer as api
from kubectl_trainjob.kube.facts.kinds import KindRole, kinds_with, runtime_ref
from kubectl_trainjob.model.diagnostic import Diagnostic, Related
from kubectl_trainjob.model.nearest import nearest
from kubectl_trainjob.model.rules import RUNTIME_KIND_UNSUPPORTED, RUNTIME_NAMESPACE_MISMATCH, RUNTIME_NOT_FOUND
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Admitted, Manifest

Key = tuple[str, str, str]
"""(kind, namespace, name); the namespace of a ClusterTrainingRuntime is ""."""


_MOST_HINTS = 50
_KINDS = tuple((kind.group, kind.name) for kind in kinds_with(KindRole.RUNTIME))


class Runtimes:
    """The runtimes that TrainJobs may refer to, from several places, the nearest first: a nearer one counts."""

    def __init__(self, places: Iterable[Iterable[Manifest]], namespace: str, packaged: Sequence[str] = ()) -> None:
        """`namespace` is the one of objects that state none ("" when unknown: then they go together).

        `packaged` are the names of the ClusterTrainingRuntimes that a repository could have for the asking.
        """
        self._namespace = namespace
        self._packaged = packaged
        self._by_key: dict[Key, Manifest] = {}
        self._hinted: frozenset[Source] = frozenset()
        self._twins: dict[Key, Manifest] = {}
        for manifests in places:
            self._add({}, manifests)

    def _add(self, here: dict[Key, Manifest], manifests: Iterable[Manifest]) -> None:
        """The runtimes of one place; what is there twice is remembered, since nobody can say which one counts."""
        for manifest in manifests:
            key = self._key(manifest)
            if key in here and key not in self._by_key:
                self._twins[key] = manifest
            here.setdefault(key, manifest)
        for key, manifest in here.items():
            self._by_key.setdefault(key, manifest)

    def _key(self, manifest: Manifest) -> Key:
        identity = manifest.id
        if identity.kind == api.CLUSTER_TRAINING_RUNTIME:
            return identity.kind, "", identity.name
        return identity.kind, self._in(identity.namespace), identity.name

    def _in(self, namespace: str) -> str:
        return namespace or self._namespace or "default"

    def all(self) -> Iterable[Manifest]:
        """Every runtime."""
        return self._by_key.values()

    def find(self, job: Admitted) -> Manifest | Diagnostic:
        """The runtime that the TrainJob means, or what is wrong with its runtimeRef."""
        ref: Mapping[str, str] = job.body["spec"]["runtimeRef"]
        kind, group = ref.get("kind", api.CLUSTER_TRAINING_RUNTIME), ref.get("apiGroup", api.GROUP)
        if (group, kind) not in _KINDS:
            return _unsupported(job, group, kind)
        own = self._in(job.manifest.id.namespace)
        namespace = "" if kind == api.CLUSTER_TRAINING_RUNTIME else own
        key = kind, namespace, ref["name"]
        found = self._by_key.get(key)
        if key in self._twins and found is not None:
            return duplicate(self._twins[key], found)
        return found or self._missing(job, kind, ref["name"])

    def meant(self, job: Manifest) -> Manifest | None:
        """The runtime that a TrainJob means, whatever else may be wrong with it."""
        ref = runtime_ref(job)
        kind = ref.get("kind", api.CLUSTER_TRAINING_RUNTIME)
        namespace = "" if kind == api.CLUSTER_TRAINING_RUNTIME else self._in(job.id.namespace)
        return self._by_key.get((str(kind), namespace, str(ref.get("name"))))

    def _missing(self, job: Admitted, kind: str, name: str) -> Diagnostic:
        place = job.manifest.place("spec", "runtimeRef", "name")
        elsewhere = next((m for (k, _, n), m in self._by_key.items() if (k, n) == (kind, name)), None)
        if elsewhere is not None:
            message = (
                f'TrainingRuntime "{name}" stands in namespace "{self._in(elsewhere.id.namespace)}", the TrainJob in '
                f'"{self._in(job.manifest.id.namespace)}"; move one of them or use a ClusterTrainingRuntime'
            )
            return Diagnostic(RUNTIME_NAMESPACE_MISMATCH, message, place, (_here(elsewhere),))
        hint, related = self._hint(kind, name) if job.manifest.source in self._hinted else ("", ())
        return Diagnostic(RUNTIME_NOT_FOUND, f'{kind} "{name}" does not exist{hint}', place, related)

    def hint_for(self, jobs: Iterable[Manifest]) -> None:
        """Let the first of these TrainJobs whose runtime is missing be told what they may have meant.

        A nearest name costs a look at every runtime: enough for a person to read, not for thousands of findings.
        """
        missing = (job.source for job in jobs if self.meant(job) is None)
        self._hinted = frozenset(islice(missing, _MOST_HINTS))

    def _hint(self, kind: str, name: str) -> tuple[str, tuple[Related, ...]]:
        """What the user may have meant: the same name in the other kind, or the nearest name."""
        other = next((m for (k, _, n), m in self._by_key.items() if k != kind and n == name), None)
        if other is not None:
            return f"; a {other.id.kind} of this name does: write `kind: {other.id.kind}`", (_here(other),)
        names = {n: m for (k, _, n), m in self._by_key.items() if k == kind}
        meant = nearest(name, names)
        if kind == api.CLUSTER_TRAINING_RUNTIME and name in self._packaged:
            return "; the catalogue has it: write `catalog: true` in trainjob.yaml", ()
        if meant is None:
            return "; add it to the inputs or to the folder runtimes/", ()
        return f'; did you mean "{meant}"?', (_here(names[meant]),)


def _here(manifest: Manifest) -> Related:
    return Related("it stands here", manifest.place("metadata", "name"))


def _unsupported(job: Admitted, group: str, kind: str) -> Diagnostic:
    field, right = ("apiGroup", api.GROUP) if group != api.GROUP else ("kind", " or ".join(kind for _, kind in _KINDS))
    message = f'runtimeRef means a "{kind}" of "{group}", which is no runtime; write {field}: {right}'
    return Diagnostic(RUNTIME_KIND_UNSUPPORTED, message, job.manifest.place("spec", "runtimeRef", field))
