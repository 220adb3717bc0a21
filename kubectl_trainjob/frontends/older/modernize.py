"""Objects of Trainer's kinds as a version of Trainer has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.older.processes import has_gpu, processes_of
from kubectl_trainjob.frontends.older.rewriting import JOBS, Rewriting, RuleNote, RuntimeFacts
from kubectl_trainjob.frontends.older.table import JOB_RULES, RUNTIME_RULES, RewriteRule
from kubectl_trainjob.frontends.older.templates import steps_of
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.kinds import OLDER_VERSIONS
from kubectl_trainjob.kube.facts.supported import NEXT
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Manifest, ObjectId, identity_of

_VERSIONS = (trainer.API_VERSION, *OLDER_VERSIONS)
_RUNTIMES = (trainer.TRAINING_RUNTIME, trainer.CLUSTER_TRAINING_RUNTIME)


class ModernizedObject(NamedTuple):
    """An object after the rules: `rules` are the ids of those that changed something."""

    manifest: Manifest
    rules: tuple[str, ...]
    notes: tuple[RuleNote, ...]


def is_trainer_kind(identity: ObjectId) -> bool:
    """Whether the object is a runtime or a TrainJob, of today's API or an older one."""
    return identity.api_version in _VERSIONS and identity.kind in (trainer.TRAIN_JOB, *_RUNTIMES)


def is_old_version(identity: ObjectId) -> bool:
    """Whether the object is of an API before v1alpha1."""
    return identity.api_version in OLDER_VERSIONS


def modernize(manifests: Sequence[Manifest], to: str) -> list[ModernizedObject]:
    """The objects for a version of Trainer ("2.3"); TrainJobs get what their runtimes lose."""
    runtimes = [each for each in manifests if is_any_runtime(each)]
    known = {runtime_key(each.id.kind, each.id.namespace, each.id.name): each for each in runtimes}
    kinds = {each.id.name: each.id.kind for each in runtimes}
    used = {ref_key(each) for each in manifests if not is_any_runtime(each)}
    unused = {key for key in known if key not in used}
    facts = {key: facts_of(known[key]) for key in known.keys() & used}
    of_runtime = RuntimeFacts()
    return [
        rewrite(each, to, of_runtime if is_any_runtime(each) else facts.get(ref_key(each), of_runtime), kinds, unused)
        for each in manifests
    ]


def is_any_runtime(manifest: Manifest) -> bool:
    """Whether the object is a runtime of any API."""
    return manifest.id.kind in _RUNTIMES


_Key = tuple[str, str, str]


def runtime_key(kind: str, namespace: str, name: str) -> _Key:
    """What a reference to a runtime names."""
    return kind, "" if kind == trainer.CLUSTER_TRAINING_RUNTIME else namespace or "default", name


def facts_of(manifest: Manifest) -> RuntimeFacts:
    """The facts of a runtime as written; in the places of all spellings."""
    spec = manifest.body.get("spec")
    spec = spec if isinstance(spec, dict) else manifest.body
    policy = spec.get("mlPolicy") or spec.get("mlSpec")
    policy = policy if isinstance(policy, dict) else {}
    torch = next((policy[key] for key in ("torch", "pytorch", "torchSpec") if isinstance(policy.get(key), dict)), None)
    given: Any = torch if torch is not None else policy if "mpi" not in policy and "mpiSpec" not in policy else {}
    jobs = value_at(manifest.body, JOBS)
    return RuntimeFacts(processes_of(given.get("numProcPerNode")), has_gpu(jobs), steps_of(jobs))


def rewrite(
    manifest: Manifest, to: str, facts: RuntimeFacts, kinds: Mapping[str, str], unused: Collection[_Key] = ()
) -> ModernizedObject:
    """One object for a version of Trainer: `facts` are those of its runtime, `kinds` those of runtimes by name.

    `unused` are the runtimes that no TrainJob refers to.
    """
    is_runtime = is_any_runtime(manifest)
    work = Rewriting(manifest, facts, kinds, is_old=is_old_version(manifest.id))
    work.is_used = runtime_key(manifest.id.kind, manifest.id.namespace, manifest.id.name) not in unused
    for rule in _rules_for(RUNTIME_RULES if is_runtime else JOB_RULES, to):
        _apply(rule, work)
    if not work.applied:
        return ModernizedObject(manifest, (), tuple(work.notes))
    body = work.draft.value
    new = replace(manifest, id=identity_of(body), body=body, source=work.draft.source())
    return ModernizedObject(new, tuple(work.applied), tuple(work.notes))


def with_processes(job: Manifest, runtime: Manifest, to: str) -> Manifest:
    """A TrainJob of today's API with the number of processes that its runtime of an older one has, as written."""
    work = Rewriting(job, facts_of(runtime), {}, is_old=False)
    if value_at(job.body, ("spec", "trainer", "numProcPerNode")) is None:
        for rule in _rules_for((each for each in JOB_RULES if each.id == "job-processes"), to):
            _apply(rule, work)
    return replace(job, body=work.draft.value, source=work.draft.source()) if work.applied else job


def _apply(rule: RewriteRule, work: Rewriting) -> None:
    """Apply a rule, as a whole or not at all."""
    before, work.rule = work.draft, rule.id
    try:
        rule.apply(work)
    except (AttributeError, KeyError, TypeError, ValueError):  # a value of a type that no version has
        work.draft = before
        work.ask(say("a value has another type than any version of Trainer allows; a build reports its line"), "spec")
    if work.draft.value != before.value:
        work.applied.append(rule.id)


def _rules_for(rules: Iterable[RewriteRule], to: str) -> Iterable[RewriteRule]:
    return (rule for rule in rules if not rule.since or _number(rule.since) <= _number(to))


def _number(version: str) -> tuple[int, ...]:
    """The numbers of a version, to compare versions by; the main branch is after all releases."""
    return (99,) if version == NEXT else tuple(map(int, version.split(".")))


def ref_key(job: Manifest) -> _Key:
    """The runtime that a TrainJob refers to."""
    spec = job.body.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    ref = spec.get("runtimeRef") or spec.get("trainingRuntimeRef")
    ref = ref if isinstance(ref, dict) else {}
    kind = str(ref.get("kind") or trainer.CLUSTER_TRAINING_RUNTIME)
    return runtime_key(kind, job.id.namespace, str(ref.get("name")))
