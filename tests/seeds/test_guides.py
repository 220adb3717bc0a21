"""What the guides show is built by the releases that they were written for; the others get a report of changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.harness import Outcome, run_build

FOLDER = Path(__file__).parent
CLUSTER, TEAM, INITIALIZERS = (
    (FOLDER / f"{name}_runtime.yaml").read_text(encoding="utf-8") for name in ("cluster", "team", "initializers")
)
OLD, NEW = ("2.0", "2.1"), ("2.2", "2.3")


def train_job(
    runtime: str, *, api: str = "trainer.kubeflow.org/v1alpha1", group: str, namespace: str, more: str = ""
) -> str:
    kind = "TrainingRuntime" if namespace == "team-a" else "ClusterTrainingRuntime"
    return f"""\
apiVersion: {api}
kind: TrainJob
metadata:
  name: example-train-job
  namespace: {namespace}
spec:
  runtimeRef:
    apiGroup: {group}
    name: {runtime}
    kind: {kind}
{more}"""


def build(version: str, *documents: str) -> Outcome:
    return run_build("---\n".join(documents), "--trainer-version", version)


def env(container: dict[str, object]) -> dict[str, object]:
    return {entry["name"]: entry.get("value") for entry in container["env"]}  # type: ignore[attr-defined]


GROUP = "trainer.kubeflow.org"
PAIRS = [
    pytest.param(CLUSTER, "torch-distributed", "default", id="cluster runtime"),
    pytest.param(TEAM, "pytorch-team-runtime", "team-a", id="runtime of a team"),
]


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize(("runtime", "name", "namespace"), PAIRS)
def test_the_torch_runtimes_build(version: str, runtime: str, name: str, namespace: str) -> None:
    job = train_job(name, group=GROUP, namespace=namespace, more="  trainer: {numNodes: 2}\n")
    outcome = build(version, runtime, job)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    [jobset] = outcome.objects
    [node] = jobset["spec"]["replicatedJobs"]
    assert node["template"]["spec"]["parallelism"] == 2
    # Without resources 2.1 counts CPUs, of which there are none; 2.0 leaves the word to torchrun.
    [container] = node["template"]["spec"]["template"]["spec"]["containers"]
    assert env(container) == {
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": {"2.0": "auto", "2.1": "1"}[version],
        "PET_NODE_RANK": None,
        "PET_MASTER_ADDR": "example-train-job-node-0-0.example-train-job",
        "PET_MASTER_PORT": "29500",
    }


@pytest.mark.parametrize("version", NEW)
@pytest.mark.parametrize(("runtime", "name", "namespace"), PAIRS)
def test_the_torch_runtimes_hold_a_field_of_old(version: str, runtime: str, name: str, namespace: str) -> None:
    outcome = build(version, runtime, train_job(name, group=GROUP, namespace=namespace))
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    [problem] = outcome.problems
    assert "numProcPerNode: auto" in runtime.splitlines()[problem.line - 1]
    assert problem.rule == "KTJ102"
    assert problem.text.startswith(
        'removed-field: field "numProcPerNode" exists only in Trainer 2.0 and 2.1; the number of processes follows the '
        "resources, or write spec.trainer.numProcPerNode in the TrainJob "
    )
    assert "`kubectl trainjob migrate`" in problem.text


@pytest.mark.parametrize("version", OLD + NEW)
def test_the_jobs_as_written_get_advice_what_to_write(version: str) -> None:
    torch = CLUSTER.replace("      numProcPerNode: auto\n", "      {}\n")
    job = train_job("torch-distributed", group="kubeflow.org", namespace="default")
    outcome = build(version, torch, job)
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    [problem] = outcome.problems
    lines = [*torch.splitlines(), "---", *job.splitlines()]
    assert lines[problem.line - 1].strip() == "apiGroup: kubeflow.org"
    assert problem.text.endswith("write apiGroup: trainer.kubeflow.org")


@pytest.mark.parametrize("version", OLD + NEW)
def test_the_first_api_builds_like_todays(version: str) -> None:
    more = "  trainer: {numNodes: 2}\n"
    job = train_job(
        "pytorch-team-runtime", api="kubeflow.org/v2alpha1", group="kubeflow.org", namespace="team-a", more=more
    )
    today = train_job("pytorch-team-runtime", group=GROUP, namespace="team-a", more=more)
    outcome = build(version, TEAM.replace("trainer.kubeflow.org/v1alpha1", "kubeflow.org/v2alpha1"), job)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    if version in OLD:  # later, today's API has no torch.numProcPerNode
        assert outcome.objects == build(version, TEAM, today).objects


@pytest.mark.parametrize("version", OLD + NEW)
def test_todays_job_has_the_processes_of_a_runtime_of_the_first_api(version: str) -> None:
    first = TEAM.replace("trainer.kubeflow.org/v1alpha1", "kubeflow.org/v2alpha1")
    runtime = first.replace("numProcPerNode: auto", "numProcPerNode: 4")
    assert runtime != first
    job = train_job("pytorch-team-runtime", group=GROUP, namespace="team-a", more="  trainer: {numNodes: 2}\n")
    own = train_job("pytorch-team-runtime", group=GROUP, namespace="team-a", more="  trainer: {numProcPerNode: 2}\n")
    assert _processes(build(version, runtime, job)) == "4"
    if version in NEW:
        assert _processes(build(version, runtime, own)) == "2"


def _processes(outcome: Outcome) -> object:
    [jobset] = outcome.objects
    [node] = jobset["spec"]["replicatedJobs"]
    [container] = node["template"]["spec"]["template"]["spec"]["containers"]
    return env(container)["PET_NPROC_PER_NODE"]


@pytest.mark.parametrize("version", OLD + NEW)
def test_a_missing_runtime_is_reported_at_its_line_in_the_first_api(version: str) -> None:
    job = train_job("pytorch-team-runtime", api="kubeflow.org/v2alpha1", group="kubeflow.org", namespace="team-a")
    [problem] = build(version, job).problems
    assert (problem.line, problem.rule) == (9, "KTJ201")


@pytest.mark.parametrize("version", OLD + NEW)
def test_the_runtime_with_initializers_builds(version: str) -> None:
    job = train_job("example-runtime", group=GROUP, namespace="default", more="  trainer: {numNodes: 3}\n")
    outcome = build(version, INITIALIZERS, job)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    [jobset] = outcome.objects
    jobs = jobset["spec"]["replicatedJobs"]
    assert {job["name"]: job["template"]["spec"]["parallelism"] for job in jobs} == {
        "dataset-initializer": 1,
        "model-initializer": 1,
        "node": 3,
    }
    assert [[on["name"] for on in job.get("dependsOn", [])] for job in jobs] == [
        [],
        ["dataset-initializer"],
        ["model-initializer"],
    ]
