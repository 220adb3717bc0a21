"""What lint says of launchers shows in what upstream made, in each recorded case with one accepted TrainJob.

Looked for are variables that are missing, addresses of no Pod, and processes that are as many as GPUs, in the records
alone; a finding that they do not bear out is wrong, and so is silence about an address of no Pod.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml

from kubectl_trainjob.model.stages import BuildOptions
from tests.compiled import lint
from tests.conformance.versions import EACH_VERSION, Chosen
from tests.reading import read

STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
MEETING = ("PET_MASTER_ADDR", "JAX_COORDINATOR_ADDRESS", "DMLC_TRACKER_URI")
COUNTS = ("PET_NNODES", "PET_NPROC_PER_NODE", "JAX_NUM_PROCESSES", "DMLC_NUM_WORKER")


class Made(NamedTuple):
    """A recorded case: what lint reports, its TrainJob, and the JobSet that upstream made."""

    id: str
    rules: frozenset[str]
    job: Any
    jobset: Any

    @property
    def trainer(self) -> Any:
        """The first replicatedJob that is the step `trainer`, {} without one."""
        jobs = self.jobset["spec"].get("replicatedJobs") or ()
        labels = ((each["template"].get("metadata") or {}).get("labels") or {} for each in jobs)
        return next((job for job, own in zip(jobs, labels, strict=True) if own.get(STEP) == "trainer"), {})

    @property
    def node(self) -> Any:
        """The container `node` of that one."""
        pod = self.trainer.get("template", {}).get("spec", {}).get("template", {}).get("spec", {})
        return next((each for each in pod.get("containers") or () if each["name"] == "node"), {})

    @property
    def env(self) -> dict[str, Any]:
        """Its variables."""
        return {each["name"]: each.get("value") for each in self.node.get("env") or ()}


@cache
def made(chosen: Chosen) -> list[Made]:
    """Each case with one TrainJob, which upstream accepts."""
    return list(_made(chosen))


def _made(chosen: Chosen) -> Iterator[Made]:
    for case in chosen.cases():
        jobs = case.expected.get("jobs") or ()
        if len(jobs) == 1 and jobs[0]["verdict"] == "accepted" and "runtime-findings" not in case.expected:
            text = case.input.encode()
            documents = read(["-"], lambda _most, text=text: text)
            found = lint(documents, BuildOptions(trainer_version=chosen.version)).diagnostics
            [job] = [
                each for each in yaml.load_all(case.input, yaml.CSafeLoader) if each and each["kind"] == "TrainJob"
            ]
            [jobset] = [each for each in jobs[0]["objects"] if each["kind"] == "JobSet"]
            yield Made(case.id, frozenset(each.rule.id for each in found), job, jobset)


def is_address(jobset: Any, host: str) -> bool:
    """Whether a Pod is found under a name: `<JobSet>-<replicatedJob>-<replica>-<index>.<subdomain>`."""
    name, spec = jobset["metadata"]["name"], jobset["spec"]
    subdomain = (spec.get("network") or {}).get("subdomain") or name
    return any(
        host == f"{name}-{job['name']}-0-0.{subdomain}"
        for job in spec["replicatedJobs"]
        if job["template"]["spec"].get("completionMode", "Indexed") == "Indexed"
        and job["template"]["spec"].get("parallelism", 1) > 0
        and job.get("replicas", 1) > 0
    )


@EACH_VERSION
def test_a_training_without_settings_has_none_of_the_variables(chosen: Chosen) -> None:
    reported = [each for each in made(chosen) if "KTJ403" in each.rules]
    assert reported
    assert [each.id for each in reported if each.job["spec"].get("trainer") is not None] == []
    assert [each.id for each in reported if set(each.env) >= set(COUNTS[:2]) or set(each.env) & set(COUNTS[2:])] == []


@EACH_VERSION
def test_the_address_of_the_first_process_is_that_of_a_pod_unless_set_otherwise(chosen: Chosen) -> None:
    wrong = []
    for each in made(chosen):
        host = next((each.env[name] for name in MEETING if each.env.get(name)), None)
        network = each.jobset["spec"].get("network") or {}
        own = {entry["name"] for entry in (each.job["spec"].get("trainer") or {}).get("env") or ()}
        is_negative = each.trainer and each.trainer["template"]["spec"].get("parallelism", 1) < 0  # rejected later
        if host is None or network.get("enableDNSHostnames") is False or own & set(MEETING) or is_negative:
            continue
        found = is_address(each.jobset, host.partition(":")[0])
        if found == bool(each.rules & {"KTJ404", "KTJ405", "KTJ412", "KTJ413"}):
            wrong.append((each.id, host, found, sorted(each.rules)))
    assert not wrong, wrong


@EACH_VERSION
def test_processes_are_other_than_gpus_where_that_is_set(chosen: Chosen) -> None:
    wrong, seen = [], 0
    for each in made(chosen):
        processes = each.env.get("PET_NPROC_PER_NODE") or ""
        limits = (each.node.get("resources") or {}).get("limits") or {}
        gpus = [str(amount) for name, amount in limits.items() if "gpu" in name.lower()]
        is_number = processes.isdigit() and processes != "0"
        if is_number and len(gpus) == 1 and gpus[0] != "0" and "nproc" not in str(each.node.get("command")):
            seen += 1
            if (gpus[0] != processes) != ("KTJ305" in each.rules):
                wrong.append((each.id, processes, gpus, sorted(each.rules)))
    assert seen
    assert wrong == []
