"""The result of a migration is built once: what a build rejects is a finding at the line of the job it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kubectl_trainjob.compiler.pipeline import build
from kubectl_trainjob.compiler.printing import build_findings
from kubectl_trainjob.kube.facts.kinds import runtime_ref
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.model.source import Place, Pointer, Source, SourceFile, has, values
from kubectl_trainjob.model.stages import Body, BuildOptions, Manifest, ObjectId, identity_of
from kubectl_trainjob.model.units import AllowSettings, Documents, Settings

_EVERYTHING = Settings(Source(SourceFile("", "")), allow=AllowSettings(elastic=True, extended_mpi=True))


def build_errors(jobs: Iterable[tuple[Manifest, Sequence[Body]]], trainer: str) -> Iterator[Diagnostic]:
    """The errors of a build with a version of Trainer; each job has the new objects, the TrainJob last."""
    runtimes: dict[str, list[Manifest]] = {}
    rounds: list[list[Manifest]] = []  # jobs of several directories may have one name
    known = Counter[ObjectId]()
    origins: dict[Source, Manifest] = {}
    for number, (manifest, bodies) in enumerate(jobs):
        new = [
            Manifest(identity_of(body), body, Source(SourceFile(manifest.source.file.path, ""), number))
            for body in bodies
        ]
        origins.update({each.source: manifest for each in new})
        *own, job = new
        for each in own:
            runtimes.setdefault(each.id.name, []).append(each)
        if known[job.id] == len(rounds):
            rounds.append([])
        rounds[known[job.id]].append(job)
        known[job.id] += 1
    options = BuildOptions(trainer_version=trainer, emit="trainjob")
    for jobs_of_round in rounds:
        names = dict.fromkeys(str(runtime_ref(job).get("name")) for job in jobs_of_round)
        library = tuple(each for name in names for each in runtimes.get(name, ()))
        documents = Documents(tuple(jobs_of_round), library=library, settings=(_EVERYTHING,))
        for found in build_findings(build(documents, options), is_strict=True):
            origin = origins.get(found.place.source)
            if found.severity is Severity.ERROR and origin is not None:
                yield Diagnostic(found.rule, found.message, _place(origin, found.place.pointer))


def _place(manifest: Manifest, pointer: Pointer) -> Place:
    """The value of the job that has the longest end of a pointer of the new object; its name if nothing has one."""
    for length in range(len(pointer), 0, -1):
        end = pointer[-length:]
        found = next((at + end for at, value in values(manifest.body) if has(value, end)), None)
        if found:
            return manifest.place(*found)
    return manifest.place("metadata", "name")
