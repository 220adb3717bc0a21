"""`trainjob.yaml`: what it may say, what is refused and where."""

import pytest

from kubectl_trainjob.faults import EnvironmentFault
from kubectl_trainjob.repo.config import Config, read_config
from kubectl_trainjob.repo.read import read
from kubectl_trainjob.source import SourceFile
from kubectl_trainjob.yamlio.spans import locate

HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"


def settings(text):
    config, diagnostics = read_config(SourceFile("trainjob.yaml", HEAD + text))
    return config, [(d.rule.id, locate(d.place).line, d.message) for d in diagnostics]


@pytest.mark.parametrize(
    ("text", "trainer", "runtimes"),
    [
        ("", "", ("runtimes",)),
        ('target: {trainer: "2.1", jobset: "0.12", kubernetes: "1.36"}\n', "2.1", ("runtimes",)),
        ("runtimes: [platform/runtimes, shared]\n", "", ("platform/runtimes", "shared")),
        ("runtimes: [./shared/, a//b]\n", "", ("shared", "a/b")),
        ("runtimes: []\n", "", ()),
    ],
)
def test_settings(text, trainer, runtimes):
    config, found = settings(text)
    assert (config.trainer, config.runtimes, found) == (trainer, runtimes, [])


@pytest.mark.parametrize(
    ("text", "rule", "line", "part"),
    [
        pytest.param("tarjet: {}\n", "KTJ040", 3, 'did you mean "target"?', id="nearest name"),
        pytest.param("catalog: true\n", "KTJ040", 3, "not supported by this version", id="planned"),
        pytest.param("target:\n  trainer: 2.3\n", "KTJ040", 4, 'write "2.3" in quotes', id="a number"),
        pytest.param('target:\n  trainer: "3.0"\n', "KTJ041", 4, "supported: 2.0, 2.1, 2.2, 2.3", id="no data"),
        pytest.param('target:\n  kueue: "0.9"\n', "KTJ040", 4, "there are trainer, jobset, kubernetes", id="product"),
        pytest.param("target: 2\n", "KTJ040", 3, "must be a mapping", id="no mapping"),
        pytest.param("runtimes: a\n", "KTJ040", 3, "must be a list", id="no list"),
        pytest.param("runtimes:\n- a\n- ../b\n", "KTJ040", 5, "no folder below", id="outside"),
        pytest.param("runtimes: [/etc]\n", "KTJ040", 3, "no folder below", id="absolute"),
        pytest.param("runtimes: [.]\n", "KTJ040", 3, "no folder below", id="the root itself"),
    ],
)
def test_what_is_refused(text, rule, line, part):
    config, [(found, at, message)] = settings(text)
    assert (found, at) == (rule, line)
    assert part in message
    assert config == Config()


@pytest.mark.parametrize("text", ["kind: Config\n", "apiVersion: kubectl-trainjob.dev/v1\nkind: Overlay\n", "", "[]\n"])
def test_other_documents(text):
    assert read_config(SourceFile("trainjob.yaml", text))[1]


def test_a_build_takes_target_and_folders_from_the_root(tmp_path):
    runtime = "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: ClusterTrainingRuntime, metadata: {name: r}}"
    job = "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: j}}"
    (tmp_path / "trainjob.yaml").write_text(HEAD + 'target: {trainer: "2.0"}\nruntimes: [platform]\n')
    for name, text in (("platform", runtime), ("jobs", job)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text(text)
    documents = read([str(tmp_path / "jobs")], lambda: b"")
    assert [target.trainer for target in documents.targets] == ["2.0"]
    assert [manifest.id.name for manifest in documents.library] == ["r"]


def test_a_configured_folder_must_be_there(tmp_path):
    (tmp_path / "trainjob.yaml").write_text(HEAD + "runtimes: [platform]\n")
    (tmp_path / "a.yaml").write_text("{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: j}}")
    with pytest.raises(EnvironmentFault, match="platform: the runtimes folder"):
        read([str(tmp_path)], lambda: b"")


def test_a_train_job_may_stand_in_a_file_of_this_name(tmp_path):
    job = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: j\n"
    note = "  annotations: {lint.kubectl-trainjob.dev/ignore.KTJ301: because} # see kubectl-trainjob.dev/v1alpha1\n"
    (tmp_path / "trainjob.yaml").write_text(job + note)
    documents = read([str(tmp_path)], lambda: b"")
    assert ([m.id.name for m in documents.inputs], documents.diagnostics) == (["j"], ())


def test_a_linked_configuration_is_named(tmp_path):
    (tmp_path / "real.yaml").write_text(HEAD)
    (tmp_path / "trainjob.yaml").symlink_to("real.yaml")
    with pytest.raises(EnvironmentFault, match=r"trainjob\.yaml: it is a symbolic link"):
        read([str(tmp_path)], lambda: b"")
