"""mpirun accepts the generated hostfile and variables, and starts the ranks that `env` says on the hosts it says."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from kubectl_trainjob.kube.facts.mpi import HOSTFILE
from kubectl_trainjob.kube.launch import flags
from kubectl_trainjob.kube.launch.flags import hosts
from tests.launchers.started import HERE, PROBE, StartedJob, built, finish, start, variables
from tests.loops import for_each
from tests.tools import require

pytestmark = pytest.mark.slow

OPEN_MPI, OPEN_MPI_5, MPICH, INTEL = "mpirun.openmpi", "mpirun.openmpi5", "mpirun.mpich", "mpirun.intel"
IMPLEMENTATION = {OPEN_MPI: "OpenMPI", OPEN_MPI_5: "OpenMPI", MPICH: "MPICH", INTEL: "Intel"}
SSH = {
    OPEN_MPI: "OMPI_MCA_plm_rsh_agent",
    OPEN_MPI_5: "PRTE_MCA_plm_ssh_agent",
    MPICH: "HYDRA_LAUNCHER_EXEC",
    INTEL: "I_MPI_HYDRA_BOOTSTRAP_EXEC",
}
ROOT = {f"{name}_ALLOW_RUN_AS_ROOT{end}": "1" for name in ("OMPI", "PRTE") for end in ("", "_CONFIRM")}
# One in twenty daemons of Open MPI 4 crashes where it shares the topology: it maps a file over its stack.
LOCAL = {**ROOT, "OMPI_MCA_rtc_hwloc_vmhole": "none"}
HELP = ("-h", "--help")
LABEL = "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}"


def job(implementation: str, arguments: str, slots: int, nodes: int, *, is_node: bool = False) -> str:
    """A runtime and a TrainJob `j`."""
    return f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {{name: r, namespace: ml}}
spec:
  mlPolicy: {{mpi: {{mpiImplementation: {implementation}, runLauncherAsNode: {str(is_node).lower()}}}}}
  template:
    spec:
      successPolicy: {{operator: All, targetReplicatedJobs: [launcher]}}
      replicatedJobs:
      - name: launcher
        template:
          {LABEL}
          spec: {{template: {{spec: {{containers: [{{name: node, image: "a:1"}}]}}}}}}
      - name: node
        template:
          spec: {{template: {{spec: {{containers: [{{name: node, image: "a:1", command: [sshd]}}]}}}}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: j, namespace: ml}}
spec:
  runtimeRef: {{kind: TrainingRuntime, name: r}}
  trainer: {{numNodes: {nodes}, numProcPerNode: {slots}, command: [mpirun{arguments}, {PROBE}]}}
"""


CASES = {
    f"{program} {name}": (program, job(IMPLEMENTATION[program], arguments, slots, nodes, is_node=is_node))
    for program in (OPEN_MPI, MPICH, INTEL)
    for name, arguments, slots, nodes, is_node in (
        ("all slots", "", 2, 2, False),
        ("the launcher is a node", "", 1, 3, True),
        ("a number", ', -np, "3"', 2, 2, False),
        ("three nodes", "", 2, 3, False),
    )
} | {
    f"{program} {flag}": (program, job(IMPLEMENTATION[program], f", {flag}, {HOSTFILE}", 2, 2))
    for program, flag in ((OPEN_MPI, "--hostfile"), (OPEN_MPI_5, "--hostfile"), (MPICH, "-f"), (INTEL, "-f"))
}


def run(started: StartedJob, program: str) -> None:
    """Run the command of the launcher."""
    container = started.container("launcher")
    file = started.root / "hostfile"
    file.write_text(started.hostfile)
    command = [word.replace(HOSTFILE, str(file)) for word in container["command"]]
    assert command[0] == "mpirun"
    env = {name: value.replace(HOSTFILE, str(file)) for name, value in variables(container)}
    ssh = {SSH[program]: str(HERE / "ssh")}
    finish([start(started, [require(program), *command[1:]], {**env, **LOCAL, **ssh})])


@for_each("case", CASES, at_least=16)
def test_the_ranks_are_those_of_env(case: tuple[str, str], tmp_path: Path) -> None:
    program, text = case
    started = built(tmp_path, text)
    run(started, program)
    seen, total = started.seen(), started.environment["worldSize"]["value"]
    assert [each["rank"] for each in seen] == list(range(total))
    assert {each["size"] for each in seen} == {total}
    found = Counter(each["host"] for each in seen)
    listed = {each.name: each.slots for each in hosts(started.environment["hostfile"]["lines"])}
    assert {name: found[name] for name in found if found[name] > listed[name]} == {}
    if total == sum(listed.values()):
        assert found == listed
        first = next(iter(listed))  # rank 0 is on the first host
        assert {each["host"] for each in seen if each["rank"] < listed[first]} == {first}
    for name in found:
        assert sorted(each["local"] for each in seen if each["host"] == name) == list(range(found[name]))


def test_open_mpi_5_does_not_read_the_hostfile_of_the_environment(tmp_path: Path) -> None:
    """The trap: all ranks run in the launcher. `--hostfile` is a case above."""
    started = built(tmp_path, job("OpenMPI", "", 2, 2))
    run(started, OPEN_MPI_5)
    assert {each["host"] for each in started.seen()} == {""}


@for_each("words", {"the flag": "", "the variable": "PRTE_MCA_prte_default_hostfile"}, at_least=2)
def test_what_ktj518_suggests_starts_the_ranks_on_their_hosts(words: str, tmp_path: Path) -> None:
    env = f"env: [{{name: {words}, value: {HOSTFILE}}}]" if words else ""
    text = job("OpenMPI", "" if words else f", --hostfile, {HOSTFILE}", 2, 2)
    for program in (OPEN_MPI, OPEN_MPI_5):
        started = built(tmp_path, text.replace("command: [mpirun", f"{env + ', ' if env else ''}command: [mpirun"))
        run(started, program)
        assert Counter(each["host"] for each in started.seen()) == {"j-node-0-0.j": 2, "j-node-0-1.j": 2}


def options_of_open_mpi() -> dict[str, int]:
    """The options of Open MPI 4, and how many words follow each."""
    command = [require(OPEN_MPI), "--help", "full"]
    env = {"PATH": "/usr/bin:/bin", **ROOT}
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    found = re.findall(r"^ *(-\S+)((?: <arg\d>)*)(?: |$)", text, re.MULTILINE)
    return {name: words.count("<") for names, words in found for name in names.split("|") if name not in HELP}


def options_of_hydra(program: str) -> dict[str, int]:
    """The options whose words the help of Hydra shows."""
    text = subprocess.run([require(program), "--help"], check=False, capture_output=True, text=True).stdout
    found = re.findall(r"^ +(-[a-z/-]+)((?: \{[^}]*\})+)", text, re.MULTILINE)
    return {f"-{name.lstrip('-')}": words.count("{") for names, words in found for name in names.split("/")}


@pytest.mark.parametrize("program", [OPEN_MPI, MPICH, INTEL])
def test_the_table_of_flags_is_that_of_the_help(program: str) -> None:
    found = options_of_open_mpi() if program == OPEN_MPI else options_of_hydra(program)
    assert len(found) > (50 if program == OPEN_MPI else 4)
    found.pop("-s", None)  # a switch of Open MPI, and an option with a word of Hydra
    assert {name: words for name, words in found.items() if flags._mpi_words(name) != words} == {}
