"""Each object to its front end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kubectl_trainjob.frontends.interface import ConversionContext, FrontEnd
from kubectl_trainjob.kube.facts.kinds import front_end_of
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.source import Source
from kubectl_trainjob.model.stages import Conversion, Manifest


def convert(manifests: Iterable[Manifest], context: ConversionContext) -> Conversion:
    """All objects in order, with the results of front ends in place of the objects that have one."""
    objects: list[Manifest] = []
    findings: list[Diagnostic] = []
    printed: list[Source] = []
    for manifest in manifests:
        name = front_end_of(manifest.id)
        converted = _front_end(name)(manifest, context) if name else Conversion((manifest,))
        objects += converted.objects
        findings += converted.findings
        printed += converted.printed
    return Conversion(tuple(objects), tuple(findings), tuple(printed))


def with_older_runtimes(
    converted: Conversion, runtime: Callable[[Manifest], Manifest | None], context: ConversionContext
) -> Conversion:
    """The result with what TrainJobs of today's API take from runtimes of older ones; `runtime` returns that of one."""
    from kubectl_trainjob.frontends.older.convert import with_processes_of

    return converted._replace(objects=tuple(with_processes_of(converted.objects, runtime, context)))


def convert_sweep(job: Manifest, context: ConversionContext) -> Conversion:
    """The trials of a TrainJob that an item of `sweeps` selected."""
    from kubectl_trainjob.frontends.tuning.plain import convert_plain

    return convert_plain(job, context)


def _front_end(name: str) -> FrontEnd:
    """The front end of a package, imported when an object needs it: most builds need none."""
    if name == "older":
        from kubectl_trainjob.frontends.older.convert import convert_older

        return convert_older
    assert name == "ome"
    from kubectl_trainjob.frontends.ome.convert import convert_ome

    return convert_ome
