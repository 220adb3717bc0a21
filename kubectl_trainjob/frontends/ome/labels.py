"""The labels and annotations of the runtime and of the job, on all that they are for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_trainjob.frontends.ome.inputs import JOB_SPEC, JobInputs
from kubectl_trainjob.frontends.ome.plan import JOBS, RUNTIME_SPEC, TEMPLATE, RuntimePlan
from kubectl_trainjob.kube.facts import jobset, ome, trainer
from kubectl_trainjob.model.draft import Cause, Draft, Write, copied, fixed
from kubectl_trainjob.model.source import Pointer


class Pairs(NamedTuple):
    """Labels and annotations of the runtime and of the job: (key, value, cause); the job's override all others."""

    of_runtime: tuple[tuple[str, str, Cause], ...]
    of_job: tuple[tuple[str, str, Cause], ...]


def pairs_of(inputs: JobInputs, field: str) -> Pairs:
    """The pairs of `field`, labels or annotations."""
    runtime, job = inputs.runtime_spec, inputs.spec
    first = [(key, value, (*RUNTIME_SPEC, field, key)) for key, value in (runtime.get(field) or {}).items()]
    last = [(key, value, (*JOB_SPEC, field, key)) for key, value in (job.get(field) or {}).items()]
    if field == "labels":
        last = [each for each in last if not each[0].startswith(trainer.KUEUE_LABEL_PREFIX)]
    else:
        for body, cause in ((job, JOB_SPEC), (runtime, RUNTIME_SPEC)):
            if "compartmentID" in body:
                compartment = (ome.COMPARTMENT_ANNOTATION, body["compartmentID"], (*cause, "compartmentID"))
                last = [*(each for each in last if each[0] != ome.COMPARTMENT_ANNOTATION), compartment]
                break
    return Pairs(tuple(first), tuple(last))


def write_labels(draft: Draft, plan: RuntimePlan) -> Draft:
    """The labels and annotations of the JobSet, of its jobs and of their Pods."""
    trained = (*JOBS, plan.roles.trainer.job, "template", "metadata", "labels", trainer.ANCESTOR_LABEL)
    count = len(draft.get(*JOBS))
    below = (at(index) for index in range(count) for at in (jobset.job_template, jobset.pod_template))
    places = [TEMPLATE, *((*TEMPLATE, *pointer) for pointer in below)]
    writes: list[Write] = []
    for field in ("labels", "annotations"):
        pairs = pairs_of(plan.inputs, field)
        for place in places:
            writes += with_pairs(draft, (*place, "metadata", field), pairs)
    if draft.get(*trained) != trainer.ANCESTOR_TRAINER:
        writes.append(fixed(trained, trainer.ANCESTOR_TRAINER))
    return draft.put_each(writes)


def with_pairs(draft: Draft, pointer: Pointer, pairs: Pairs) -> Iterator[Write]:
    """The pairs at `pointer`: those of the runtime, then existing ones, then those of the job; the later override."""
    own = draft.get(*pointer) or {}
    for key, value, cause in pairs.of_runtime:
        if key not in own:
            yield copied((*pointer, key), value, cause)
    for key, value, cause in pairs.of_job:
        yield copied((*pointer, key), value, cause)
