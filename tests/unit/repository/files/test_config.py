"""`trainjob.yaml`: what it may say, what is rejected and where."""

from dataclasses import fields, replace

import pytest

from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS, Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.files.config import Config, read_config
from kubectl_trainjob.repository.positions import Locator
from tests.reading import read

HEAD = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"


def settings(text):
    config, diagnostics = read_config(SourceFile("trainjob.yaml", HEAD + text))
    return config, [(d.rule.id, Locator().resolve(d.place).span.line, d.message) for d in diagnostics]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ('target: {trainer: "2.3.0"}\n', {"trainer": "2.3"}),
        ("target: {trainer: v2.2.1}\n", {"trainer": "2.2"}),
        ("target: {trainer: 2.2.0}\n", {"trainer": "2.2.0"}),
        ('target: {trainer: "2.1", jobset: "0.12", kubernetes: "1.36"}\n', {"trainer": "2.1"}),
        ("runtimes: [platform/runtimes, shared]\n", {"runtimes": ("platform/runtimes", "shared")}),
        ("runtimes: [./shared/, a//b]\n", {"runtimes": ("shared", "a/b")}),
        ("runtimes: []\n", {"runtimes": ()}),
        ("emit: trainjob\n", {"emit": "trainjob"}),
        ("catalog: true\n", {"catalog": True}),
        ("ignore: [charts/**, '*.tmpl.yaml']\n", {"ignore": ("charts/**", "*.tmpl.yaml")}),
        ("limits: {fileBytes: 64Mi, documents: 50000}\n", {"limits": {"file_bytes": 64 << 20, "documents": 50000}}),
    ],
)
def test_settings(text, expected):
    config, found = settings(text)
    assert found == []
    assert replace(config, source=None) == Config(**expected)


def test_every_limit_but_the_depth_can_be_set():
    names = [each.name for each in fields(Limits) if each.name != "depth"]
    spelled = {
        name: "".join(part.title() if number else part for number, part in enumerate(name.split("_"))) for name in names
    }
    config, found = settings("limits: {" + ", ".join(f"{name}: 7" for name in spelled.values()) + "}\n")
    assert (config.limits, found) == (dict.fromkeys(names, 7), [])
    assert config.limited(LIMITS) == replace(LIMITS, **dict.fromkeys(names, 7))


@pytest.mark.parametrize(
    ("text", "rule", "line", "part"),
    [
        pytest.param("tarjet: {}\n", "KTJ040", 3, 'did you mean "target"?', id="nearest name"),
        pytest.param(
            "xyz: {}\n", "KTJ040", 3, "the settings here are target, emit, runtimes, catalog", id="no name near"
        ),
        pytest.param("allow:\n  mpi: true\n", "KTJ040", 4, 'setting "allow.mpi" does not exist', id="setting of allow"),
        pytest.param("target:\n  trainer: 2.3\n", "KTJ040", 4, "not the number 2.3; write it in quotes", id="a number"),
        pytest.param('target:\n  trainer: "3.0"\n', "KTJ041", 4, "supported: 2.0, 2.1, 2.2.0, 2.2", id="no data"),
        pytest.param('target:\n  jobset: "0.9"\n', "KTJ041", 4, "supported: 0.12", id="no data of JobSet"),
        pytest.param(
            'target:\n  kueue: "0.9"\n', "KTJ040", 4, "the settings here are trainer, jobset, kubernetes", id="product"
        ),
        pytest.param(
            'target:\n  trianer: "2.3"\n', "KTJ040", 4, 'setting "target.trianer" does not exist', id="nearest product"
        ),
        pytest.param("ome:\n  claim: work\n", "KTJ040", 4, 'setting "ome.claim" does not exist', id="setting of ome"),
        pytest.param("ome:\n  modelAccess: nfs\n", "KTJ040", 4, "write hostPath or pvPvc", id="model access"),
        pytest.param("ome:\n  exporters: {oci: 1}\n", "KTJ040", 4, "must be a string", id="image"),
        pytest.param("tuning:\n  maxTrials: 0\n", "KTJ040", 4, "must be an integer from 1 to 10000", id="no trials"),
        pytest.param("tuning:\n  maxTrials: 10001\n", "KTJ040", 4, "an integer from 1 to 10000", id="most trials"),
        pytest.param("tuning:\n  trial: pod\n", "KTJ040", 4, "write trainjob or jobset", id="trial"),
        pytest.param("target: 2\n", "KTJ040", 3, "must be a mapping", id="no mapping"),
        pytest.param("runtimes: a\n", "KTJ040", 3, 'must be a list, not the string "a"', id="no list"),
        pytest.param("runtimes:\n- a\n- ../b\n", "KTJ040", 5, "not a directory in the repository", id="outside"),
        pytest.param("runtimes:\n- a\n- 1\n", "KTJ040", 5, "runtimes[1] must be a string", id="no folder"),
        pytest.param("runtimes: [/etc]\n", "KTJ040", 3, "not a directory in the repository", id="absolute"),
        pytest.param("runtimes: [.]\n", "KTJ040", 3, "not a directory in the repository", id="the root itself"),
        pytest.param(
            "emit: jobsets\n", "KTJ040", 3, '"jobsets" is invalid; write jobset or trainjob', id="no such output"
        ),
        pytest.param("emit: [jobset]\n", "KTJ040", 3, "must be a string, not a list", id="several outputs"),
        pytest.param("catalog: 'yes'\n", "KTJ040", 3, "must be true or false", id="no truth value"),
        pytest.param("catalog:\n", "KTJ040", 3, "not null", id="nothing"),
        pytest.param("ignore: ['']\n", "KTJ040", 3, "not a pattern", id="an empty pattern"),
        pytest.param("ignore: ['!a']\n", "KTJ040", 3, "not a pattern", id="no negation"),
        pytest.param("ignore: [a/../b]\n", "KTJ040", 3, "not a pattern", id="a pattern that climbs"),
        pytest.param(
            "limits: {depth: 100}\n", "KTJ040", 3, 'setting "limits.depth" does not exist', id="the depth is fixed"
        ),
        pytest.param("limits:\n  filebytes: 1\n", "KTJ040", 4, 'did you mean "fileBytes"?', id="nearest limit"),
        pytest.param("limits: {fileBytes: 0}\n", "KTJ040", 3, "an integer of at least 1", id="zero"),
        pytest.param("limits: {fileBytes: much}\n", "KTJ040", 3, "such as 64Mi", id="no quantity"),
        pytest.param("limits: {templateSeconds: 1G}\n", "KTJ040", 3, "at most 3600", id="for ever"),
        pytest.param("limits: {documents: true}\n", "KTJ040", 3, "an integer of at least 1", id="no number"),
        pytest.param("limits: {documents: 1e30}\n", "KTJ040", 3, "an integer of at least 1", id="too large"),
    ],
)
def test_what_is_rejected(text, rule, line, part):
    config, [(found, at, message)] = settings(text)
    assert (found, at) == (rule, line)
    assert part in message
    assert replace(config, source=None) == Config()


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
    documents = read([str(tmp_path / "jobs")], lambda _most: b"")
    assert [each.trainer for each in documents.settings] == ["2.0"]
    assert [manifest.id.name for manifest in documents.library] == ["r"]


def test_a_configured_folder_must_be_there(tmp_path):
    (tmp_path / "trainjob.yaml").write_text(HEAD + "runtimes: [other, platfrom]\n")
    (tmp_path / "platform").mkdir()
    (tmp_path / "other").mkdir()
    [finding] = read([str(tmp_path)], lambda _most: b"").diagnostics
    assert finding.message == 'the directory "platfrom" does not exist; did you mean "platform"?'
    assert (finding.rule.id, finding.place.pointer) == ("KTJ040", ("runtimes", 1))


def test_a_train_job_may_stand_in_a_file_of_this_name(tmp_path):
    job = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: j\n"
    note = "  annotations: {lint.kubectl-trainjob.dev/ignore.KTJ301: because} # see kubectl-trainjob.dev/v1alpha1\n"
    (tmp_path / "trainjob.yaml").write_text(job + note)
    documents = read([str(tmp_path)], lambda _most: b"")
    assert ([m.id.name for m in documents.inputs], documents.diagnostics) == (["j"], ())


def test_a_linked_configuration_is_named(tmp_path):
    (tmp_path / "real.yaml").write_text(HEAD)
    (tmp_path / "trainjob.yaml").symlink_to("real.yaml")
    with pytest.raises(EnvironmentFault, match=r"trainjob\.yaml: it is a symbolic link"):
        read([str(tmp_path)], lambda _most: b"")


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("a.yaml", ["b.yaml", "charts/c.yaml", "jobs/b.tmpl.yaml", "jobs/deep/d.yaml"]),
        ("/a.yaml", ["b.yaml", "charts/c.yaml", "jobs/a.yaml", "jobs/b.tmpl.yaml", "jobs/deep/d.yaml"]),
        ("charts", ["a.yaml", "b.yaml", "jobs/a.yaml", "jobs/b.tmpl.yaml", "jobs/deep/d.yaml"]),
        ("charts/", ["a.yaml", "b.yaml", "jobs/a.yaml", "jobs/b.tmpl.yaml", "jobs/deep/d.yaml"]),
        ("charts/**", ["a.yaml", "b.yaml", "jobs/a.yaml", "jobs/b.tmpl.yaml", "jobs/deep/d.yaml"]),
        ("*.tmpl.yaml", ["a.yaml", "b.yaml", "charts/c.yaml", "jobs/a.yaml", "jobs/deep/d.yaml"]),
        ("jobs/*.yaml", ["a.yaml", "b.yaml", "charts/c.yaml", "jobs/deep/d.yaml"]),
        ("jobs/**/*.yaml", ["a.yaml", "b.yaml", "charts/c.yaml"]),
        ("**/d.yaml", ["a.yaml", "b.yaml", "charts/c.yaml", "jobs/a.yaml", "jobs/b.tmpl.yaml"]),
        ("?.yaml", ["jobs/b.tmpl.yaml"]),
        ("[ab].yaml", ["charts/c.yaml", "jobs/b.tmpl.yaml", "jobs/deep/d.yaml"]),
        ("**/" * 60 + "*a*" * 40 + "x", None),
    ],
)
def test_ignored_paths(tmp_path, pattern, left):
    files = ["a.yaml", "b.yaml", "charts/c.yaml", "jobs/a.yaml", "jobs/b.tmpl.yaml", "jobs/deep/d.yaml"]
    (tmp_path / "trainjob.yaml").write_text(HEAD + f"ignore: ['{pattern}']\n")
    for number, file in enumerate(files):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{number}}}}}")
    documents = read([str(tmp_path)], lambda _most: b"")
    found = sorted(manifest.source.file.path.removeprefix(f"{tmp_path}/") for manifest in documents.inputs)
    assert found == (files if left is None else left)
    named = read([str(tmp_path / "a.yaml")], lambda _most: b"")
    assert len(named.inputs) == 1
