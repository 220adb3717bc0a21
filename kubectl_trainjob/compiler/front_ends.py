"""The stage of the front ends: the objects of a unit after overlays → ordinary objects, before any job is expanded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kubectl_trainjob.compiler.compilation import Job, Target
from kubectl_trainjob.compiler.job import AdmittedRuntimes, compile_job
from kubectl_trainjob.compiler.resolve.runtime import Runtimes
from kubectl_trainjob.kube.facts.kinds import KindRole, front_end_of, group_of, is_runtime, role_of, runtime_ref
from kubectl_trainjob.kube.facts.trainer import CLUSTER_TRAINING_RUNTIME
from kubectl_trainjob.model.stages import Conversion, Manifest
from kubectl_trainjob.model.units import Settings

if TYPE_CHECKING:
    from kubectl_trainjob.frontends.interface import Compile, ConversionContext, SourceIndex, SourceKey

Places = Sequence[Iterable[Manifest]]


class FrontEnds:
    """Converts the objects of one build; `places` have the runtimes and models outside of the units."""

    def __init__(
        self, target: Target, admitted: AdmittedRuntimes, settings: tuple[Settings, ...], places: Places
    ) -> None:
        self._target = target
        self._admitted = admitted
        self._settings = settings
        self._places = [[each for each in place if front_end_of(each.id)] for place in places]

    def convert(self, manifests: list[Manifest], library: Places, usual_emit: str) -> Conversion:
        """The objects with ordinary ones in place of those that have a front end; `library` has ordinary runtimes."""
        inputs = [each for each in manifests if front_end_of(each.id)]
        has_older = any(front_end_of(each.id) == "older" for place in (inputs, *self._places) for each in place)
        if not inputs and not has_older:
            return Conversion(tuple(manifests))
        from kubectl_trainjob.frontends.convert import convert, with_older_runtimes  # most builds need none
        from kubectl_trainjob.frontends.interface import index_sources

        sources = index_sources([inputs, *self._places])
        named = [_with_final_name(each, sources.by_key, usual_emit) if each.name_hash else each for each in manifests]
        ordinary = [filter(is_runtime, manifests), *library]
        context = self._context(sources, Runtimes(ordinary, ""))
        converted = convert(named, context)
        if not has_older:
            return converted
        return with_older_runtimes(
            converted, Runtimes([filter(is_runtime, converted.objects), *library], "").meant, context
        )

    def sweep(self, job: Manifest, runtimes: Runtimes) -> Conversion:
        """The trials of a TrainJob that an item of `sweeps` selected."""
        from kubectl_trainjob.frontends.convert import convert_sweep
        from kubectl_trainjob.frontends.interface import SourceIndex

        return convert_sweep(job, self._context(SourceIndex({}), runtimes))

    def _context(self, sources: SourceIndex, runtimes: Runtimes) -> ConversionContext:
        from kubectl_trainjob.frontends.interface import ConversionContext

        return ConversionContext(sources, self._settings, self._target.trainer, runtimes.meant, self._compile(runtimes))

    def _compile(self, runtimes: Runtimes) -> Compile:
        def compile_with(job: Manifest, own: tuple[Manifest, ...]) -> Conversion:
            compiled = compile_job(Job(job, runtimes.below(own)), self._target, self._admitted)
            objects = (Manifest(each.id, each.body, job.source) for each in compiled.objects)
            return Conversion(tuple(objects), compiled.findings)

        return compile_with


def _with_final_name(manifest: Manifest, sources: Mapping[SourceKey, Manifest], usual_emit: str) -> Manifest:
    """A job of a front end under its final name, as for TrainJobs."""
    if role_of(manifest.id) is not KindRole.SOURCE_JOB:
        return manifest
    from kubectl_trainjob.compiler.overlay.names import with_hash

    ref = runtime_ref(manifest)
    kind = str(ref.get("kind") or CLUSTER_TRAINING_RUNTIME)
    namespace = "" if kind == CLUSTER_TRAINING_RUNTIME else manifest.id.namespace or "default"
    runtime = sources.get((group_of(manifest.id.api_version), kind, namespace, str(ref.get("name"))))
    content = {"job": manifest.body.get("spec")}
    if runtime is not None and usual_emit == "jobset":
        content["runtime"] = runtime.body.get("spec")
    return replace(with_hash(manifest, {"spec": content}), name_hash=None)
