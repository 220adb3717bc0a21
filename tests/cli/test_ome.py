"""OME TrainingJobs and sweeps in `explain`, `env`, `lint`, `diff` and `review`: all point at the lines of the user."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conformance.ome.cases import cases, run, write

TRIAL = "llama-finetune-cbf70633"
_CONTAINER = "spec.replicatedJobs[node].template.spec.template.spec.containers[node]"


@pytest.fixture
def tuned(tmp_path: Path) -> Path:
    """The first complete example of the document, with its settings."""
    write(cases()["seed/llama-finetune"], tmp_path)
    return tmp_path


def line_of(root: Path, text: str, path: str = "in.yaml") -> str:
    """The place of the one line with a text."""
    numbers = [number for number, line in enumerate((root / path).read_text().splitlines(), 1) if text in line]
    assert len(numbers) == 1, text
    return f"{path}:{numbers[0]}"


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("image", "my-training-image:latest"),
        ("env[KUBEFLOW_TRAINER_OPT_LEARNING_RATE].value", "learning_rate:"),
        ("env[KUBEFLOW_TRAINER_OPT_BATCH_SIZE].value", "batch_size:"),
        ("env[MODEL_NAME].value", "llama-7b-base"),
        ("env[DATASET_PATH].value", "instruction-data"),
        ("env[PET_NPROC_PER_NODE].value", 'numProcPerNode: "2"'),
    ],
)
def test_explain_leads_to_the_line_of_the_training_job(tuned: Path, field: str, text: str) -> None:
    found = run("explain", f"JobSet/{TRIAL}", f"{_CONTAINER}.{field}", "-f", "in.yaml", at=tuned)
    assert found.code == 0, found.err
    assert line_of(tuned, text) in found.out


def test_explain_leads_to_the_settings(tuned: Path) -> None:
    claim = "spec.replicatedJobs[node].template.spec.template.spec.volumes[initializer].persistentVolumeClaim.claimName"
    found = run("explain", f"JobSet/{TRIAL}", claim, "-f", "in.yaml", at=tuned)
    assert line_of(tuned, "claimName", "trainjob.yaml") in found.out


def test_explain_reads_the_folder_for_a_trial(tuned: Path) -> None:
    """No file has the name of a trial, or that of the ConfigMap."""
    for target in (f"TrainJob/{TRIAL}", f"JobSet/{TRIAL}", "ConfigMap/llama-finetune-trials"):
        assert run("explain", target, at=tuned).code == 0


def test_env_shows_the_parameters_of_a_trial(tuned: Path) -> None:
    found = run("env", f"TrainJob/{TRIAL}", "-f", "in.yaml", at=tuned)
    assert found.code == 0
    assert "KUBEFLOW_TRAINER_OPT_BATCH_SIZE     16" in found.out
    assert line_of(tuned, "learning_rate:") in found.out


@pytest.mark.parametrize("command", ["env", "explain"])
def test_a_name_of_several_objects_asks_for_one_of_their_names(command: str, tuned: Path) -> None:
    """The trials have different names in one namespace, so a namespace does not select one."""
    found = run(command, "llama-finetune", "-f", "in.yaml", at=tuned)
    assert found.code == 1
    assert "objects; write the kind and name of one:\n" in found.err


def test_lint_reports_a_problem_of_all_trials_once(tuned: Path) -> None:
    found = run("lint", "in.yaml", at=tuned)
    heads = [line for line in (found.out + found.err).splitlines() if "warning KTJ901" in line]
    assert [head.rpartition(": warning")[0].rpartition(":")[0] for head in heads] == [
        line_of(tuned, "my-training-image:latest")
    ]


def test_a_changed_space_adds_and_removes_trials(tuned: Path) -> None:
    git(tuned, "init", "-q")
    git(tuned, "add", "-A")
    git(tuned, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
    path = tuned / "in.yaml"
    path.write_text(path.read_text().replace("values: [8, 16, 32]", "values: [8, 16, 64]"))
    found = run("diff", "HEAD", "-o", "json", at=tuned)
    objects = {each["name"]: each["change"] for each in json.loads(found.out)["objects"] if each["kind"] == "JobSet"}
    assert objects == {"llama-finetune-500896e9": "removed", "llama-finetune-1b4c56ec": "added"}
    assert "llama-finetune-1b4c56ec" in run("review", "HEAD", at=tuned).out


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    """A TrainJob with a sweep of an overlay that renames it."""
    write(cases()["sweep/suffix"], tmp_path)
    return tmp_path


def test_explain_leads_to_the_parameter_of_a_sweep(swept: Path) -> None:
    target = "TrainJob/bert-prod-1bbc3a34"
    value = run("explain", target, "spec.trainer.env[KUBEFLOW_TRAINER_OPT_LR].value", "-f", "env", at=swept)
    assert line_of(swept, "lr:", "env/overlay.yaml") in value.out, value.err
    text = run("explain", target, "spec.trainer.command[2]", "-f", "env", at=swept)
    assert line_of(swept, "--lr=", "jobs/in.yaml") in text.out, text.err


def test_explain_finds_what_a_sweep_prints(swept: Path) -> None:
    """The objects that the build prints for a search, in addition to its trials."""
    printed = json.loads(run("build", "env", "-o", "json", at=swept).out)["items"]
    (table,) = (each["metadata"]["name"] for each in printed if each["kind"] == "ConfigMap")
    found = run("explain", f"ConfigMap/{table}", "-f", "env", at=swept)
    line = line_of(swept, "parameters:", "env/overlay.yaml").removeprefix("env/overlay.yaml")
    trials = [each for each in found.out.splitlines() if '{"lr":' in each]
    assert (found.code, len(trials), all(each.endswith(line) for each in trials)) == (0, 2, True), found.err
    overlay = swept / "env" / "overlay.yaml"
    metric = "  method: bayes\n  maxTrials: 4\n  metric: {name: loss, goal: minimize}"
    overlay.write_text(re.sub(r"^  method: .*$", metric, overlay.read_text(), flags=re.MULTILINE))
    printed = json.loads(run("build", "env", "-o", "json", at=swept).out)["items"]
    (experiment,) = (each["metadata"]["name"] for each in printed if each["kind"] == "Experiment")
    for name in (experiment, experiment.rpartition("-")[0]):
        found = run("explain", f"Experiment/{name}", "-f", "env", at=swept)
        assert (found.code, f"name: {experiment}" in found.out) == (0, True), found.err


def test_no_trial_of_a_sweep_is_another_one_that_was_renamed(swept: Path) -> None:
    git(swept, "init", "-q")
    git(swept, "add", "-A")
    git(swept, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
    overlay = swept / "env" / "overlay.yaml"
    overlay.write_text(overlay.read_text().replace("- 0.01", "- 0.02"))
    report = json.loads(run("review", "HEAD", "-f", "env", "-o", "json", at=swept).out)
    assert sorted(job["change"] for job in report["jobs"]) == ["added", "removed"]


def test_the_bayes_example_of_the_document_needs_parameters(tmp_path: Path) -> None:
    case = cases()["seed/large-model-training"]
    found = run("build", write(case, tmp_path), at=tmp_path)
    assert (found.code, found.out) == (1, "")
    assert "KTJ1020 tuning-field: parameters must map at least one name" in found.err
    assert line_of(tmp_path, "hyperParameterTuningConfig:").split(":")[1] in found.err


def test_notes_do_not_stop_a_build(tmp_path: Path) -> None:
    case = cases()["seed/large-model-training-with-parameters"]
    found = run("build", write(case, tmp_path), at=tmp_path)
    assert found.code == 0
    assert "info KTJ1026 trials-need-trainer" in found.err


def test_the_dialect_of_the_controller_is_recognised_in_a_file_of_its_own(tmp_path: Path) -> None:
    """A published sample of OME's controller, whose runtime and model are elsewhere."""
    sample = {
        "apiVersion": "ome.io/v1beta1",
        "kind": "TrainingJob",
        "metadata": {"name": "ft-llama"},
        "spec": {
            "runtimeRef": {"name": "cohere-command-ft"},
            "trainer": {},
            "modelConfig": {"inputModel": "llama-3"},
            "datasets": {"storageUri": "oci://n/ns/b/bucket/o/data.jsonl"},
            "hyperParameterTuningConfig": {
                "method": "bayes",
                "maxTrials": 1,
                "metric": {"name": "loss", "goal": "minimize"},
                "parameters": {"strategy": "lora", "learningRate": "0.01"},
            },
        },
    }
    (tmp_path / "in.yaml").write_text(yaml.safe_dump(sample))
    found = run("build", "in.yaml", at=tmp_path)
    assert (found.code, found.out) == (1, "")
    assert "not a search space; write them in trainer.args" in found.err
    assert line_of(tmp_path, "parameters:") in found.err
    assert 'ClusterTrainingRuntime "cohere-command-ft" of ome.io does not exist' in found.err


@pytest.mark.parametrize(("name", "code"), [("1abc", 1), ("a.b", 1), ("a-b", 0)])
def test_katib_and_jobset_accept_the_name_of_an_experiment(name: str, code: int, tmp_path: Path) -> None:
    """Katib's validator rejects "1abc" (katib.jsonl.gz), and JobSet's webhook names with a dot."""
    case = cases()["edge/jobset-trial"]
    job = next(each["metadata"]["name"] for each in yaml.safe_load_all(case.docs) if each["kind"] == "TrainingJob")
    path = write(case._replace(docs=case.docs.replace(f"name: {job}\n", f"name: {name}\n")), tmp_path)
    found = run("build", path, at=tmp_path)
    assert (found.code, "error KTJ701 name-invalid" in found.err) == (code, code == 1), found.err
