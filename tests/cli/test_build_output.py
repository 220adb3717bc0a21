"""What `build` writes where, and with which exit code."""

from __future__ import annotations

import pytest

from kubectl_trainjob.compiler import pipeline
from tests.cli.conftest import Repository
from tests.cli.manifests import FLUX, MPI, PLAIN, config, config_map, overlay, train_job

JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: mnist}
spec:
  runtimeRef: {name: %s}
"""
SSH = "the MPI job's SSH keys, as ssh-privatekey and ssh-publickey"
CURVE = "Flux's CURVE certificate, as curve.cert"


def flux_job(name: str, namespace: str = "") -> dict[str, object]:
    return train_job(name, "flux", namespace, trainer={"numNodes": 2})


def test_the_result_goes_to_stdout_alone(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("b", "plain"), config_map("a", größe="模型"), PLAIN]})
    built = repository.build("a.yaml")
    assert (built.exit_code, built.err) == (0, "")
    first, second = built.out.split("---\n")
    assert first == "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  größe: 模型\n"
    assert second.startswith("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: b\n")


def test_an_error_keeps_stdout_empty(repository: Repository) -> None:
    """And nothing is noted: the Secret, the overlay and the document without a type can wait."""
    repository.write({"job.yaml": JOB % "gone", "others.yaml": [MPI, train_job("b", "mpi"), config_map("a")]})
    repository.write({"values.yaml": "a: 1\n", "prod/overlay.yaml": overlay()})
    built = repository.build(".")
    assert (built.exit_code, built.out) == (1, "")
    assert built.err == (
        'job.yaml:5:22: error KTJ201 runtime-not-found: ClusterTrainingRuntime "gone" does not exist; '
        "add it to the inputs or to the directory runtimes/\n"
        "    runtimeRef: {name: gone}\n"
        "                       ^~~~\n"
    )


def test_a_document_that_cannot_be_read_keeps_stdout_empty(repository: Repository) -> None:
    repository.write({"a.yaml": [config_map("a")], "b.yaml": "kind: TrainJob\na: [\n"})
    built = repository.build(".")
    assert (built.exit_code, built.out) == (1, "")
    assert [(rule, path) for rule, path, _ in built.findings] == [("KTJ001", "b.yaml")]


def test_every_error_is_reported(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "gone")], "b.yaml": "kind: A\n", "c.yaml": [config_map("")]})
    built = repository.build("a.yaml", "b.yaml", "c.yaml")
    assert built.findings == [("KTJ201", "a.yaml", 7), ("KTJ030", "b.yaml", 1), ("KTJ031", "c.yaml", 4)]
    assert built.err.endswith("\n3 errors\n")


def test_a_warning_keeps_the_result(repository: Repository) -> None:
    repository.write({"job.yaml": JOB % "plain" + "  activeDeadlineSeconds: 60\n", "r.yaml": [PLAIN]})
    built = repository.build(".")
    assert (built.exit_code, built.names) == (0, ["JobSet/mnist"])
    assert built.err == (
        "job.yaml:6:3: warning KTJ716 deadline-not-enforced: only the controller of Trainer enforces "
        "activeDeadlineSeconds; the built JobSet has no deadline\n"
        "    activeDeadlineSeconds: 60\n"
        "    ^~~~~~~~~~~~~~~~~~~~~\n"
    )


def test_notes_name_secrets_in_order_and_count_what_was_ignored(repository: Repository) -> None:
    jobs = [train_job("job", "mpi", "b"), flux_job("job", "a"), train_job("z", "mpi"), train_job("job", "mpi", "c")]
    repository.write({"jobs.yaml": [*jobs, flux_job("fast", "b")], "runtimes/r.yaml": [MPI, FLUX]})
    repository.write({"values.yaml": "a: 1\n---\nb: 1\n", "dev/overlay.yaml": overlay()})
    built = repository.build()
    assert built.exit_code == 0
    assert [name for name in built.names if name.startswith("Secret")] == []
    assert built.err == (
        f"note: Secret z-mpi-ssh-auth must exist: {SSH}\n"
        f"note: Secret a/job-flux-curve must exist: {CURVE}\n"
        f"note: Secret b/fast-flux-curve must exist: {CURVE}\n"
        f"note: Secret b/job-mpi-ssh-auth must exist: {SSH}\n"
        f"note: Secret c/job-mpi-ssh-auth must exist: {SSH}\n"
        "note: overlays are only built if passed with -f: dev\n"
        "note: 2 documents without apiVersion and kind ignored\n"
    )


def test_a_long_list_of_secrets_is_cut_and_the_rest_is_counted(repository: Repository) -> None:
    repository.write({"jobs.yaml": [MPI, *(train_job(f"a{number}", "mpi") for number in range(103))]})
    lines = repository.build("jobs.yaml").err.splitlines()
    named = sorted(f"a{number}" for number in range(103))[:100]
    assert lines == [
        *(f"note: Secret {name}-mpi-ssh-auth must exist: {SSH}" for name in named),
        "note: 3 more Secrets must exist",
    ]


def test_notes_name_the_namespace_that_was_filled_in(repository: Repository) -> None:
    repository.write({"jobs.yaml": [train_job("a", "mpi"), flux_job("b"), flux_job("c", "team-a"), MPI, FLUX]})
    assert repository.build("jobs.yaml", "-n", "team-a").err == (
        f"note: Secret team-a/a-mpi-ssh-auth must exist: {SSH}\n"
        f"note: Secret team-a/b-flux-curve must exist: {CURVE}\n"
        f"note: Secret team-a/c-flux-curve must exist: {CURVE}\n"
    )


def test_notes_come_behind_warnings(repository: Repository) -> None:
    repository.write({"a.yaml": [train_job("a", "mpi", activeDeadlineSeconds=60), MPI], "v.yaml": "a: 1\n"})
    built = repository.build(".")
    assert [rule for rule, _, _ in built.findings] == ["KTJ716"]
    assert built.err.splitlines()[3:] == [
        f"note: Secret a-mpi-ssh-auth must exist: {SSH}",
        "note: 1 document without apiVersion and kind ignored",
    ]


def test_documents_without_a_type_are_counted_over_all_files(repository: Repository) -> None:
    repository.write({"a.yaml": "a: 1\n---\nb: 1\n---\n" + JOB % "plain", "b/v.yaml": "c: 1\n", "r.yaml": [PLAIN]})
    built = repository.build(".", "-", stdin=b"d: 1\n")
    assert (built.exit_code, built.names) == (0, ["JobSet/mnist"])
    assert built.err == "note: 4 documents without apiVersion and kind ignored\n"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        pytest.param("none.yaml", "none.yaml: No such file or directory", id="nothing there"),
        pytest.param("jobs/\x1b[31m", "jobs/\\x1b[31m: No such file or directory", id="control characters"),
        pytest.param("jobs/a.yaml/b", "jobs/a.yaml/b: Not a directory", id="below a file"),
    ],
)
def test_a_path_that_cannot_be_read(path: str, message: str, repository: Repository) -> None:
    repository.write({"jobs/a.yaml": [config_map("a")]})
    for paths in ([path], ["jobs", path], [path, "jobs"]):
        built = repository.build(*paths)
        assert (built.exit_code, built.out, built.err) == (2, "", f"error: {message}\n")


def test_a_folder_of_the_configuration_that_is_not_there(repository: Repository) -> None:
    repository.write({"trainjob.yaml": config(runtimes=["platform"]), "jobs/a.yaml": [train_job("a", "plain")]})
    built = repository.build("jobs")
    assert (built.exit_code, built.out) == (1, "")
    assert ("KTJ040", "trainjob.yaml", 4) in built.findings
    assert 'the directory "platform" does not exist; correct the path' in built.err


def test_a_bug_is_a_traceback(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("bug")

    repository.write({"a.yaml": [config_map("a")]})
    monkeypatch.setattr(pipeline, "build", broken)
    with pytest.raises(RuntimeError, match="bug"):
        repository.build("a.yaml")
