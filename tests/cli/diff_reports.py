"""Differences as `diff` reports them, made by hand: what the pages are tested with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from kubectl_trainjob.kube.facts.quantity import Quantity
from kubectl_trainjob.kube.updates.consequence import consequence
from kubectl_trainjob.kube.updates.result import STATES, RejectedChange, State, UpdateResult
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import ABSENT, Place, Pointer, Source, SourceFile, json_pointer
from kubectl_trainjob.model.stages import Body, JobId, ObjectId
from kubectl_trainjob.review.diff.changes import Cause, Change, Difference, Group, Incomplete, Summary, Totals
from kubectl_trainjob.review.diff.view import CauseView, FileError, ObjectView, Report, Row, SourceLine, Sources
from tests.messages import message as as_message

JOB_SET, TRAINER = "jobset.x-k8s.io/v1alpha2", "trainer.kubeflow.org/v1alpha1"
POD_GROUP = "scheduling.x-k8s.io/v1alpha1"
CONTAINER: Pointer = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec", "containers", 0)
IN_CONTAINER = "spec.replicatedJobs[node].template.spec.template.spec.containers[node]"

IMMUTABLE = "spec.replicatedJobs: field is immutable"


def identity(kind: str, name: str, namespace: str = "ml") -> ObjectId:
    api_version = {"JobSet": JOB_SET, "PodGroup": POD_GROUP, "ConfigMap": "v1", "Secret": "v1"}.get(kind, TRAINER)
    return ObjectId(api_version, kind, namespace, name)


def job(name: str, namespace: str = "ml") -> ObjectId:
    return identity("TrainJob", name, namespace)


def row(
    path: str,
    old: Any,
    new: Any,
    *lines: tuple[str, int] | None,
    pointer: str = "",
    update_result: UpdateResult | None = None,
) -> Row:
    """A value; `lines` are those of the old and of the new side, `update_result` rejects it."""
    sources = Sources(*(SourceLine(*line) if line else None for line in lines))
    pointer = pointer or "/" + path.replace(".", "/")
    return Row(path, pointer, old, new, sources, update_result.rejections if update_result else ())


def rejected(*states: State, pointer: Pointer = ("spec", "replicatedJobs"), reason: str = IMMUTABLE) -> UpdateResult:
    field, _, words = reason.partition(": ")
    immutable = field if "is immutable" in words else ""
    return UpdateResult(
        tuple(RejectedChange(state, pointer, say("{}", reason), immutable=immutable) for state in states)
    )


def body(of: ObjectId) -> Body:
    metadata = {"name": of.name, "namespace": of.namespace}
    container = {"name": "node", "image": "acme/train:1"}
    template = {"spec": {"template": {"spec": {"containers": [container]}}}}
    spec = {"replicatedJobs": [{"name": "node", "template": template}]}
    return {"apiVersion": of.api_version, "kind": of.kind, "metadata": metadata, "spec": spec}


def changed(of: ObjectId, *rows: Row, **about: Any) -> ObjectView:
    """What is said of it is what the product says, unless it is given."""
    reported = {"update_result": UpdateResult(), "job": job(of.name, of.namespace), **about}
    if "consequence" not in reported:
        reported["consequence"] = consequence(of, reported["update_result"], body(of), body(of), "2.3")
    verdict = reported["update_result"] or UpdateResult()
    marked = {rejection for each in rows for rejection in each.rejections}
    change = Change(of, "changed", body(of), body(of), **reported)
    return ObjectView(change, rows, tuple(rejection for rejection in verdict.rejections if rejection not in marked))


def added(of: ObjectId, *rows: Row, **about: Any) -> ObjectView:
    reported = {"job": job(of.name, of.namespace), "consequence": "is created", **about}
    return ObjectView(Change(of, "added", None, body(of), **reported), rows)


def removed(of: ObjectId, **about: Any) -> ObjectView:
    words = consequence(of, None, body(of), None, "2.3")
    reported = {"job": job(of.name, of.namespace), "consequence": words, **about}
    return ObjectView(Change(of, "removed", body(of), None, **reported), ())


def job_id(of: ObjectId | JobId) -> JobId:
    return of if isinstance(of, JobId) else JobId(of)


def totals(jobs: int, pods: int, processes: int, **resources: str) -> Totals:
    """`gpus` are nvidia.com/gpu."""
    names = {"gpus": "nvidia.com/gpu"}
    return Totals(jobs, pods, processes, {names.get(k, k): Quantity.parse(v) for k, v in resources.items()})


def cause(
    what: str, file: str, line: int, jobs: Iterable[ObjectId | JobId] = (), *, is_gone: bool = False
) -> CauseView:
    place = Place(Source(SourceFile(file, "")))
    return CauseView(Cause(what, place, tuple(map(job_id, jobs)), is_gone), SourceLine(file, line))


def problem(name: str, message: str, side: Literal["old", "new", "both"] = "new", fingerprint: str = "") -> FileError:
    return FileError(side, "KTJ201", name, as_message(message), SourceLine("jobs/t5.yaml", 8), fingerprint)


def report(
    objects: Iterable[ObjectView] = (),
    sides: tuple[str, str] = ("main", "HEAD"),
    numbers: tuple[Totals, Totals] = (Totals(), Totals()),
    causes: Iterable[CauseView] = (),
    groups: Mapping[Group, tuple[Totals, Totals]] | None = None,
    *,
    unbuilt: Iterable[ObjectId | JobId] = (),
    renamed: Iterable[tuple[ObjectId, ObjectId]] = (),
    incomplete: Iterable[Incomplete] = (),
    problems: Iterable[FileError] = (),
    new_runs: Iterable[ObjectId] = (),
) -> Report:
    """A report whose summary agrees with its objects; `new_runs` are TrainJobs that change without an object."""
    objects, causes = tuple(objects), tuple(causes)
    jobs: dict[str, dict[JobId, None]] = {"added": {}, "removed": {}, "changed": {}}
    for reported in objects:
        change = reported.change
        if change.job is not None:
            jobs[change.change][JobId(change.job, change.overlay)] = None
    jobs["changed"].update(dict.fromkeys(map(job_id, new_runs)))
    for each in jobs["changed"]:
        jobs["added"].pop(each, None)
        jobs["removed"].pop(each, None)
    reported = (tuple(jobs["added"]), tuple(jobs["removed"]), tuple(jobs["changed"]))
    names = tuple((job_id(old), job_id(new)) for old, new in renamed)
    summary = Summary(*reported, names, *numbers, groups or {}, tuple(each.cause for each in causes), {})
    changes = tuple(each.change for each in objects)
    difference = Difference(changes, summary, tuple(map(job_id, unbuilt)), tuple(incomplete))
    return Report(*sides, objects, causes, difference, tuple(problems))


def image_bump(count: int = 40) -> Report:
    """A runtime's image changes under many jobs of two namespaces."""
    jobs = [job(f"bert-{number:02}", "ml" if number % 4 else "research") for number in range(count)]
    file = "runtimes/torch-distributed.yaml"
    old, new = "ghcr.io/acme/train:2.3.0-cuda12.4", "ghcr.io/acme/train:2.4.1-cuda12.4"
    pointer: Pointer = (*CONTAINER, "image")
    verdict = rejected(*STATES, pointer=pointer)
    image = row(
        f"{IN_CONTAINER}.image", old, new, (file, 31), (file, 31), pointer=json_pointer(pointer), update_result=verdict
    )
    objects = [changed(identity("JobSet", each.name, each.namespace), image, update_result=verdict) for each in jobs]
    same = totals(count, 4 * count, 32 * count, cpu=str(64 * count), memory=f"{512 * count}Gi", gpus=str(32 * count))
    of = {Group("ml", "gpu"): (same, same), Group("research", "gpu"): (same, same)}
    causes = [cause("ClusterTrainingRuntime/torch-distributed", file, 1, jobs)]
    return report(objects, ("main", "bump-torch"), (same, same), causes, of)


SCRIPT = """#!/bin/bash
set -euo pipefail
export NCCL_DEBUG=INFO
nvidia-smi
torchrun train.py \\
\t--model bert-large \\
\t--lr 1e-4
echo done
"""


def pull_request() -> Report:
    """One job gets more nodes, one a new script, one is renamed, one goes, one cannot be built."""
    file = "jobs/bert.yaml"
    bert = identity("JobSet", "bert")
    grows = rejected(*STATES)
    grown = changed(
        bert,
        row("spec.replicatedJobs[node].template.spec.parallelism", 2, 4, (file, 9), (file, 9), update_result=grows),
        row("spec.replicatedJobs[node].template.spec.completions", 2, 4, (file, 9), (file, 9), update_result=grows),
        row(f"{IN_CONTAINER}.env[PET_NNODES].value", "2", "4", (file, 9), (file, 9), update_result=grows),
        row(
            f"{IN_CONTAINER}.resources.limits[nvidia.com/gpu]",
            "4",
            "8",
            ("runtimes/torch.yaml", 22),
            (file, 14),
            update_result=grows,
        ),
        update_result=grows,
    )
    group = changed(identity("PodGroup", "bert"), row("spec.minMember", 2, 4, (file, 9), (file, 9)), update_result=None)
    frozen = rejected(*STATES, pointer=("spec", "trainer"), reason="spec.trainer: field is immutable")
    job_itself = changed(
        job("bert"),
        row("spec.trainer.numNodes", 2, 4, (file, 9), (file, 9), update_result=frozen),
        update_result=frozen,
    )
    script = changed(
        identity("ConfigMap", "train-script"),
        row("data[train.sh]", SCRIPT, SCRIPT.replace("1e-4", "3e-4 --warmup 500"), ("jobs/script.yaml", 8)),
        row("metadata.labels", ABSENT, {"team": "nlp"}, None, ("jobs/script.yaml", 5)),
        row("data[notes]", "old", ABSENT, ("jobs/script.yaml", 20), None),
        job=None,
        update_result=None,
    )
    volume = {
        "name": "cache",
        "persistentVolumeClaim": {"claimName": "hub-cache"},
        "mountPath": "/cache/huggingface",
    }
    named = added(
        identity("JobSet", "llama-9f2c"),
        row("metadata.name", "llama-11ab", "llama-9f2c"),
        row(
            f"{IN_CONTAINER}.env[PET_MASTER_ADDR].value",
            "llama-11ab-node-0-0.llama-11ab",
            "llama-9f2c-node-0-0.llama-9f2c",
        ),
        row(
            f"{IN_CONTAINER}.args", ["--lr", "1e-4"], ["--lr", "3e-4"], ("jobs/llama.yaml", 17), ("jobs/llama.yaml", 17)
        ),
        row(
            "spec.replicatedJobs[node].template.spec.template.spec.volumes[cache]",
            ABSENT,
            volume,
            None,
            ("jobs/llama.yaml", 25),
        ),
        counterpart=identity("JobSet", "llama-11ab"),
    )
    gone = removed(identity("JobSet", "llama-11ab"), counterpart=identity("JobSet", "llama-9f2c"))
    secret = changed(
        identity("Secret", "hub"),
        row("data[token]", "***", "***", ("jobs/hub.yaml", 7), ("jobs/hub.yaml", 7)),
        job=None,
        update_result=None,
    )
    retired = removed(identity("JobSet", "gpt-old", "research"))
    before = totals(4, 9, 36, cpu="144500m", memory="1152Gi", gpus="36")
    after = totals(3, 9, 48, cpu="160", memory="1280Gi", gpus="52", **{"rdma/hca": "8"})
    groups = {
        Group("ml", "gpu-a100"): (totals(3, 8, 32, gpus="32"), totals(3, 9, 48, gpus="52")),
        Group("research", ""): (totals(1, 1, 4, gpus="4"), totals(0, 0, 0)),
    }
    causes = [
        cause("TrainJob/bert", file, 1, [job("bert")]),
        cause("TrainJob/llama", "jobs/llama.yaml", 1, [job("llama-9f2c")]),
        cause("images[0].newTag", "overlays/prod/overlay.yaml", 3),
        cause("TrainJob/gpt-old", "jobs/gpt.yaml", 1, [job("gpt-old", "research")], is_gone=True),
    ]
    renamed = [(job("llama-11ab"), job("llama-9f2c"))]
    objects = [job_itself, grown, group, script, secret, named, gone, retired]
    return report(
        objects,
        ("main", "feature/bigger-bert"),
        (before, after),
        causes,
        groups,
        unbuilt=[job("t5", "research")],
        renamed=renamed,
        incomplete=[Incomplete("overlays/prod", is_old=False, is_new=True)],
        problems=[
            problem("runtime-not-found", 'ClusterTrainingRuntime "torhc" does not exist', fingerprint="0123abcd")
        ],
    )


def upgrade() -> Report:
    """The same files for another Trainer: each job gets a value with its own name in it."""
    objects = []
    for name in ("bert", "llama", "vit"):
        verdict = rejected("running")
        address = f"{name}-node-0-0.{name}"
        new = {"name": "PET_MASTER_ADDR", "value": address}
        rows = (
            row(f"{IN_CONTAINER}.env[PET_MASTER_ADDR]", ABSENT, new, update_result=verdict),
            row(f"{IN_CONTAINER}.resources.limits[nvidia.com/gpu]", "4", ABSENT, update_result=verdict),
            row(f"{IN_CONTAINER}.env[PET_NPROC_PER_NODE].value", "auto", "4", update_result=verdict),
        )
        objects.append(changed(identity("JobSet", name), *rows, update_result=verdict))
    before, after = totals(3, 6, 24, cpu="96", gpus="24"), totals(3, 6, 24, cpu="96")
    return report(objects, ("Trainer 2.2", "Trainer 2.3"), (before, after))


def turned(before: bool, after: bool) -> Report:
    """The files suspend or start a job, whose patch may only change while it is suspended after the update."""
    of = job("bert")
    old, new = ({**body(of), "spec": {"suspend": is_suspended}} for is_suspended in (before, after))
    reason = "spec.podSpecOverrides: PodSpecOverrides can only be modified when the TrainJob is suspended"
    verdict = rejected("running", "resuming", pointer=("spec", "podSpecOverrides"), reason=reason)
    words = consequence(of, verdict, old, new, "2.0")
    change = Change(of, "changed", old, new, update_result=verdict, consequence=words, job=of)
    return report([ObjectView(change, (row("spec.suspend", before, after),), verdict.rejections)])


def empty() -> Report:
    same = totals(2, 4, 16, cpu="1500m", memory="1500Mi", gpus="16")
    return report(numbers=(same, same))


def large(count: int = 1000) -> Report:
    """Many objects of which no two change alike."""
    jobs = [job(f"sweep-{number:04}") for number in range(count)]
    objects = []
    for number, each in enumerate(jobs):
        file = f"jobs/{each.name}.yaml"
        rows = [
            row(f"{IN_CONTAINER}.env[LEARNING_RATE].value", f"{number}e-5", f"{number}e-4", (file, 12), (file, 12)),
            row(f"{IN_CONTAINER}.image", f"acme/train:{number}", f"acme/train:{number + 1}", (file, 8), (file, 8)),
            row("data[train.sh]", SCRIPT, SCRIPT.replace("1e-4", str(number)), (file, 20), (file, 20)),
            row("spec.replicatedJobs[node].template.spec.parallelism", number, number + 1, (file, 9), (file, 9)),
        ]
        about: dict[str, Any] = {"update_result": rejected("running")} if number % 3 else {}
        objects.append(changed(identity("JobSet", each.name), *rows, **about))
    same = totals(count, 4 * count, 32 * count, cpu=str(64 * count), memory=f"{512 * count}Gi", gpus=str(32 * count))
    return report(objects, numbers=(same, same), causes=[cause("values", "overlays/sweep/overlay.yaml", 4, jobs)])
