"""Every option of `mlPolicy` that guides of Trainer list: what a build makes of it, with and without `allow`.

The expected variables are those of the comments of `TorchElasticPolicy` in trainer 2.1, of `elastic.go` in
training-operator 1.9, and of the recorded MPI operator (`tests/conformance/legacy`).
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.cli.conftest import Built, Repository
from tests.cli.manifests import config
from tests.loops import for_each

ALLOWED = {"trainjob.yaml": config(allow={"elastic": True, "extendedMpi": True})}
LABEL = "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}"
TORCH = f"""
      replicatedJobs:
      - name: node
        template:
          {LABEL}
          spec: {{template: {{spec: {{containers: [{{name: node, image: "a:1"}}]}}}}}}
"""
MPI = f"""
      replicatedJobs:
      - name: launcher
        template:
          {LABEL}
          spec: {{template: {{spec: {{containers: [{{name: node, image: "a:1"}}]}}}}}}
      - name: node
        template:
          spec: {{template: {{spec: {{containers: [{{name: node, image: "a:1"}}]}}}}}}
"""
STATIC = {
    "PET_NODE_RANK": "index",
    "PET_MASTER_ADDR": "j-node-0-0.j",
    "PET_MASTER_PORT": "29500",
}
DYNAMIC = {"PET_RDZV_BACKEND": "c10d", "PET_RDZV_ID": "j", "PET_RDZV_ENDPOINT": "j-node-0-0.j:29500"}


def _torch(nodes: str, processes: str = "1", meeting: dict[str, str] = STATIC, **more: str) -> dict[str, str]:
    return {"PET_NNODES": nodes, "PET_NPROC_PER_NODE": processes, **meeting, **more}


def _open_mpi(slots: int) -> dict[str, str]:
    return {
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_set_default_slots": str(slots),
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
    }


WITHOUT_GPU = {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
INTEL = {
    "I_MPI_HYDRA_HOST_FILE": "/etc/mpi/hostfile",
    "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "-o ConnectionAttempts=10",
    "K_MPI_JOB_ROLE": "launcher",
}
MPICH = {
    "HYDRA_HOST_FILE": "/etc/mpi/hostfile",
    "HYDRA_LAUNCH_EXTRA_ARGS": "-o ConnectionAttempts=10",
    "K_MPI_JOB_ROLE": "launcher",
}
Row = tuple[str, str, Any]
"""mlPolicy, the trainer of the TrainJob, and the env of the first replicatedJob or the ids of findings."""
TRAINER_2_3: dict[str, Row] = {
    "numNodes": ("{numNodes: 3, torch: {}}", "{}", _torch("3")),
    "numNodes of the job": ("{numNodes: 3, torch: {}}", "{numNodes: 2}", _torch("2")),
    "min = max": ("{torch: {elasticPolicy: {minNodes: 2, maxNodes: 2}}}", "{}", _torch("2")),
    "only maxNodes": ("{torch: {elasticPolicy: {maxNodes: 2}}}", "{}", _torch("2")),
    "only minNodes": ("{torch: {elasticPolicy: {minNodes: 2}}}", "{}", _torch("2")),
    "only maxRestarts": (
        "{torch: {elasticPolicy: {maxRestarts: 3}}}", "{numNodes: 2}", _torch("2", PET_MAX_RESTARTS="3"),
    ),
    "min < max": (
        "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}", "{numProcPerNode: 2}", _torch("1:4", "2", DYNAMIC),
    ),
    "maxRestarts": (
        "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4, maxRestarts: 3}}}",
        "{}", _torch("1:4", meeting=DYNAMIC, PET_MAX_RESTARTS="3"),
    ),
    "numNodes between": (
        "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}", "{numNodes: 3}", _torch("1:3", meeting=DYNAMIC),
    ),
    "numNodes above": ("{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}", "{numNodes: 5}", ["KTJ114"]),
    "numNodes below": ("{torch: {elasticPolicy: {minNodes: 2, maxNodes: 4}}}", "{numNodes: 1}", ["KTJ114"]),
    "numNodes beside": ("{numNodes: 4, torch: {elasticPolicy: {minNodes: 2, maxNodes: 4}}}", "{}", ["KTJ114"]),
    "metrics": ("{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4, metrics: [{type: Pods}]}}}", "{}", ["KTJ420"]),
    "no nodes": ("{torch: {elasticPolicy: {minNodes: 0, maxNodes: 4}}}", "{}", ["KTJ420"]),
    "negative restarts": ("{torch: {elasticPolicy: {maxNodes: 4, maxRestarts: -1}}}", "{}", ["KTJ420"]),
    "not a number": ("{torch: {elasticPolicy: {maxNodes: many}}}", "{}", ["KTJ103"]),
    "unknown field": ("{torch: {elasticPolicy: {maxNodez: 4}}}", "{}", ["KTJ101"]),
    "reserved env": (
        "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}",
        "{env: [{name: PET_RDZV_ID, value: a}]}", ["KTJ401"],
    ),
    "torchtune": (
        "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}", "{command: [tune, run]}", ["KTJ420", "KTJ409"],
    ),
    "OpenMPI": ("{mpi: {mpiImplementation: OpenMPI, numProcPerNode: 2}}", "{numNodes: 2}", _open_mpi(2)),
    "Intel": (
        "{mpi: {mpiImplementation: Intel, numProcPerNode: 2}}", "{numNodes: 2}",
        {**INTEL, "I_MPI_PERHOST": "2", **WITHOUT_GPU},
    ),
    "MPICH": ("{mpi: {mpiImplementation: MPICH, numProcPerNode: 2}}", "{numNodes: 2}", {**MPICH, **WITHOUT_GPU}),
    "runLauncherAsNode": ("{mpi: {mpiImplementation: MPICH, runLauncherAsNode: true}}", "{numNodes: 2}", MPICH),
    "an unknown MPI": ("{mpi: {mpiImplementation: LAM}}", "{}", ["KTJ103"]),
    "an empty MPI": ('{mpi: {mpiImplementation: ""}}', "{}", ["KTJ502"]),
}  # fmt: skip
OLDER: dict[str, Row] = {
    "auto": ("{numNodes: 2, torch: {numProcPerNode: auto}}", "{}", _torch("2")),
    "cpu": ("{numNodes: 2, torch: {numProcPerNode: cpu}}", "{}", _torch("2")),
    "a number": ("{numNodes: 2, torch: {numProcPerNode: 4}}", "{}", _torch("2", "4")),
    "a text": ('{numNodes: 2, torch: {numProcPerNode: "4"}}', "{}", _torch("2", "4")),
    "gpu without one": ("{numNodes: 2, torch: {numProcPerNode: gpu}}", "{}", ["KTJ108", "KTJ201"]),
    "pytorch": ("{numNodes: 2, pytorch: {numProcPerNode: 4}}", "{}", _torch("2", "4")),
    "min = max": ("{torch: {elasticPolicy: {minNodes: 2, maxNodes: 2}}}", "{}", _torch("2")),
    "min < max": ("{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}", "{}", _torch("1:4", meeting=DYNAMIC)),
    "Intel": (
        "{mpi: {mpiImplementation: Intel, numProcPerNode: 2}}", "{numNodes: 2}",
        {**INTEL, "I_MPI_PERHOST": "2", **WITHOUT_GPU},
    ),
    "SSHAuthMountPath": (
        "{mpi: {mpiImplementation: MPICH, SSHAuthMountPath: /keys}}", "{numNodes: 2}", {**MPICH, **WITHOUT_GPU},
    ),
}  # fmt: skip


def documents(policy: str, trainer: str, version: str = "trainer.kubeflow.org/v1alpha1", more: str = "") -> str:
    """A runtime with a policy, and a TrainJob."""
    jobs = MPI if "mpi" in policy else TORCH
    return f"""\
apiVersion: {version}
kind: TrainingRuntime
metadata: {{name: r, namespace: ml}}
spec:
  mlPolicy: {policy}
  {more}
  template:
    spec:{jobs}
---
apiVersion: {version}
kind: TrainJob
metadata: {{name: j, namespace: ml}}
spec:
  runtimeRef: {{kind: TrainingRuntime, name: r}}
  trainer: {trainer}
"""


def jobset(built: Built) -> dict[str, Any]:
    """The JobSet of a build."""
    assert built.err == "" or built.err.startswith("note: Secret"), built.err
    return next(body for body in built.objects if body["kind"] == "JobSet")


def env(jobset: dict[str, Any], position: int = 0) -> dict[str, str]:
    """The variables of a replicatedJob."""
    pod = jobset["spec"]["replicatedJobs"][position]["template"]["spec"]["template"]["spec"]
    return {each["name"]: each.get("value", "index") for each in pod["containers"][0].get("env", ())}


def _check(row: Row, version: str, repository: Repository) -> None:
    policy, trainer, expected = row
    repository.write({**ALLOWED, "a.yaml": documents(policy, trainer, version)})
    built = repository.build("a.yaml")
    if isinstance(expected, list):
        assert (built.exit_code, sorted(rule for rule, _, _ in built.findings)) == (1, sorted(expected))
    else:
        assert env(jobset(built)) == expected


@for_each("row", TRAINER_2_3, at_least=25)
def test_an_option_of_todays_api(row: Row, repository: Repository) -> None:
    _check(row, "trainer.kubeflow.org/v1alpha1", repository)


@for_each("row", OLDER, at_least=10)
def test_an_option_of_the_first_api(row: Row, repository: Repository) -> None:
    _check(row, "kubeflow.org/v2alpha1", repository)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}",
            "but a build to JobSets does, with `allow: ",
        ),
        ("{mpi: {mpiImplementation: Intel}}", 'mpiImplementation "Intel"; a build to JobSets does, with `allow: '),
    ],
)
def test_without_the_setting_the_error_names_it(policy: str, message: str, repository: Repository) -> None:
    repository.write({"a.yaml": documents(policy, "{}")})
    built = repository.build("a.yaml")
    assert (built.exit_code, built.out, len(built.findings)) == (1, "", 1)
    assert message in built.err
    repository.write(ALLOWED)
    assert message in repository.build("a.yaml", "--emit", "trainjob").err


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_the_versions_that_ignore_a_policy_say_so(version: str, repository: Repository) -> None:
    repository.write({"a.yaml": documents("{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}", "{}")})
    built = repository.build("a.yaml", "--trainer-version", version)
    assert (built.exit_code, [rule for rule, _, _ in built.findings]) == (0, ["KTJ421"])
    assert next(iter(built.objects))["spec"]["replicatedJobs"][0]["template"]["spec"]["parallelism"] == 1
    repository.write(ALLOWED)
    found = jobset(repository.build("a.yaml", "--trainer-version", version))
    assert env(found)["PET_NNODES"] == "1:4"


@pytest.mark.parametrize("gang", ["coscheduling", "volcano"])
def test_a_gang_waits_for_the_least_nodes(gang: str, repository: Repository) -> None:
    policy = "{torch: {elasticPolicy: {minNodes: 2, maxNodes: 4, maxRestarts: 3}}}"
    text = documents(policy, "{resourcesPerNode: {requests: {cpu: 3}}}", more=f"podGroupPolicy: {{{gang}: {{}}}}")
    repository.write({**ALLOWED, "a.yaml": text})
    built = repository.build("a.yaml")
    group = next(body["spec"] for body in built.objects if body["kind"] == "PodGroup")
    assert (group["minMember"], group["minResources"]) == (2, {"cpu": "6"})
    spec = jobset(built)["spec"]
    assert spec["replicatedJobs"][0]["template"]["spec"]["completions"] == 4
    assert spec["failurePolicy"] == {"maxRestarts": 3}


def test_the_templates_own_restarts_stay(repository: Repository) -> None:
    text = documents("{torch: {elasticPolicy: {minNodes: 2, maxNodes: 4, maxRestarts: 3}}}", "{}")
    text = text.replace("      replicatedJobs", "      failurePolicy: {maxRestarts: 1}\n      replicatedJobs")
    repository.write({**ALLOWED, "a.yaml": text})
    assert jobset(repository.build("a.yaml"))["spec"]["failurePolicy"]["maxRestarts"] == 1


@for_each("case", {name: name for name in ("OpenMPI", "Intel", "MPICH")}, at_least=3)
def test_the_hostfile_and_the_nodes_of_each_implementation(case: str, repository: Repository) -> None:
    separator = " slots=" if case == "OpenMPI" else ":"
    policy = f"{{mpi: {{mpiImplementation: {case}, numProcPerNode: 2, sshAuthMountPath: /keys}}}}"
    repository.write({**ALLOWED, "a.yaml": documents(policy, "{numNodes: 2}")})
    built = repository.build("a.yaml")
    hosts = next(body["data"]["hostfile"] for body in built.objects if body["kind"] == "ConfigMap")
    assert hosts == "".join(f"j-node-0-{index}.j{separator}2\n" for index in range(2))
    launcher, node = (each["template"]["spec"]["template"]["spec"] for each in jobset(built)["spec"]["replicatedJobs"])
    mounts = {each["name"]: each["mountPath"] for each in launcher["containers"][0]["volumeMounts"]}
    assert mounts == {"mpi-ssh-auth": "/keys", "mpi-hostfile": "/etc/mpi"}
    is_extended = case != "OpenMPI"
    assert node.get("dnsConfig") == ({"searches": ["j.ml.svc.cluster.local"]} if is_extended else None)
    assert env(jobset(built), 1) == ({"K_MPI_JOB_ROLE": "worker"} if is_extended else {})


def test_the_launcher_is_a_host_where_it_is_a_node(repository: Repository) -> None:
    policy = "{mpi: {mpiImplementation: Intel, numProcPerNode: 2, runLauncherAsNode: true}}"
    repository.write({**ALLOWED, "a.yaml": documents(policy, "{numNodes: 3}")})
    built = repository.build("a.yaml")
    hosts = next(body["data"]["hostfile"] for body in built.objects if body["kind"] == "ConfigMap")
    assert hosts.split() == ["j-launcher-0-0.j:2", "j-node-0-0.j:2", "j-node-0-1.j:2"]


def test_a_search_path_is_added_once(repository: Repository) -> None:
    text = documents("{mpi: {mpiImplementation: MPICH}}", "{numNodes: 2}")
    own = "{searches: [a.b, j.ml.svc.cluster.local], options: [{name: ndots}]}"
    text = text.replace("{template: {spec: {containers", f"{{template: {{spec: {{dnsConfig: {own}, containers")
    repository.write({**ALLOWED, "a.yaml": text})
    found = jobset(repository.build("a.yaml"))["spec"]["replicatedJobs"][1]
    assert found["template"]["spec"]["template"]["spec"]["dnsConfig"] == yaml.safe_load(own)


def test_the_settings_are_checked(repository: Repository) -> None:
    repository.write({"a.yaml": documents("{torch: {}}", "{}"), "trainjob.yaml": config(allow={"elastic": "yes"})})
    assert repository.build("a.yaml").findings == [("KTJ040", "trainjob.yaml", 4)]


ELASTIC = "{torch: {elasticPolicy: {minNodes: 1, maxNodes: 4}}}"
INTEL_MPI = "{mpi: {mpiImplementation: Intel, numProcPerNode: 4}}"


def line_of(text: str, part: str) -> str:
    """The place of a part of the file `a.yaml`."""
    return f"a.yaml:{text[: text.index(part)].count(chr(10)) + 1}"


@pytest.mark.parametrize(
    ("policy", "trainer", "variable", "value", "cause"),
    [
        (ELASTIC, "{}", "PET_NNODES", "1:4", "mlPolicy"),
        (ELASTIC, "{numNodes: 3}", "PET_NNODES", "1:3", "trainer: {"),
        (ELASTIC, "{}", "PET_RDZV_ENDPOINT", "j-node-0-0.j:29500", "{name: j,"),
        (INTEL_MPI, "{numNodes: 2}", "I_MPI_PERHOST", "4", "mlPolicy"),
        (INTEL_MPI, "{numNodes: 2, numProcPerNode: 2}", "I_MPI_PERHOST", "2", "trainer: {"),
    ],
)
def test_explain_and_env_show_the_line_of_a_variable(
    policy: str, trainer: str, variable: str, value: str, cause: str, repository: Repository
) -> None:
    text = documents(policy, trainer)
    repository.write({**ALLOWED, "a.yaml": text})
    role = "launcher" if "mpi" in policy else "node"
    path = f"spec.replicatedJobs[{role}].template.spec.template.spec.containers[node].env[{variable}].value"
    explained = repository.run("explain", "-f", "a.yaml", "JobSet/j", path)
    assert (explained.exit_code, explained.err) == (0, "")
    assert value in explained.out
    assert line_of(text, cause) in explained.out
    shown = repository.run("env", "-f", "a.yaml", "TrainJob/j")
    line = next(each for each in shown.out.splitlines() if variable in each.split())
    assert value in line
    assert line_of(text, cause) in line


@pytest.mark.parametrize(
    ("before", "after", "policy", "change"),
    [
        ("maxNodes: 4", "maxNodes: 6", ELASTIC, "PET_NNODES].value: '1:4' → '1:6'"),
        ("trainer: {}", "trainer: {numNodes: 2}", ELASTIC, "PET_NNODES].value: '1:4' → '1:2'"),
        ("numProcPerNode: 4", "numProcPerNode: 2", INTEL_MPI, "I_MPI_PERHOST].value: '4' → '2'"),
    ],
)
def test_diff_and_review_show_the_line_of_a_change(
    before: str, after: str, policy: str, change: str, repository: Repository
) -> None:
    text = documents(policy, "{}")
    repository.write({"old/a.yaml": text, "new/a.yaml": text.replace(before, after)})
    repository.write({f"{side}/trainjob.yaml": ALLOWED["trainjob.yaml"] for side in ("old", "new")})
    found = repository.run("diff", "--why", "old", "new")
    place = line_of(text.replace(before, after), after)
    assert next(line for line in found.out.splitlines() if change in line).endswith(f"{place})")
    assert "ml/j" in repository.run("review", "old", "new").out


def test_lint_knows_elastic_jobs_and_other_implementations(repository: Repository) -> None:
    text = documents(ELASTIC, "{command: [torchrun, --nnodes=2, t.py]}")
    repository.write({**ALLOWED, "a.yaml": text})
    assert f"{line_of(text, 'trainer: {')}:" in repository.run("lint", "a.yaml", "--select", "KTJ407").out
    text = documents(INTEL_MPI, "{numNodes: 2, command: [python, t.py]}")
    repository.write({"a.yaml": text})
    assert f"{line_of(text, 'trainer: {')}:" in repository.run("lint", "a.yaml", "--select", "KTJ516").out
