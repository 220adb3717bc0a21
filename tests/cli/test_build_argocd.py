"""The plugin of Argo CD: its parameters, its errors, and what it changes in generated objects."""

import json

import pytest
import yaml

from kubectl_trainjob import __version__
from tests.cli.manifests import PLAIN, train_job

OVERLAY = {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Overlay", "resources": ["../../jobs"]}
ONE = [{"name": "overlay", "string": "prod"}]


@pytest.fixture
def app(repository, monkeypatch):
    """A repository whose current directory is the folder of an Application, `overlays`."""
    repository.write(
        {
            "runtimes/plain.yaml": [PLAIN],
            "jobs/a.yaml": [train_job("a", "plain")],
            "overlays/prod/overlay.yaml": [OVERLAY],
        }
    )
    monkeypatch.chdir(repository.directory / "overlays")
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", "overlays")
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", json.dumps(ONE))
    return repository


def test_the_overlay_of_the_parameter_is_built(app):
    built = app.build("--for", "argocd")
    assert built.exit_code == 0
    assert built.names == ["JobSet/a"]


@pytest.mark.parametrize("text", ["null", "", "[]"])
def test_without_a_parameter_the_folder_is_built(app, monkeypatch, text):
    monkeypatch.chdir(app.directory / "overlays" / "prod")
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", "overlays/prod")
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", text)
    assert app.build("--for", "argocd").names == ["JobSet/a"]
    monkeypatch.delenv("ARGOCD_APP_PARAMETERS")
    assert app.build("--for", "argocd", ".").names == ["JobSet/a"]


def test_the_variable_of_the_application_names_the_overlay(app, monkeypatch):
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", "null")
    monkeypatch.setenv("ARGOCD_ENV_OVERLAY", "prod")
    assert app.build("--for", "argocd").names == ["JobSet/a"]


@pytest.mark.parametrize(
    "parameters",
    [
        [{"name": "overlay", "string": "/etc"}],
        [{"name": "overlay", "string": "../overlays/prod"}],
        [{"name": "overlay", "string": "prod/../../jobs"}],
        [{"name": "overlay", "string": "prd"}],
        [{"name": "overlay", "string": "a\nb"}],
        [{"name": "overlay", "string": 3}],
        [{"name": "overlay", "string": "a" * 9_000}],
        [{"name": "a" * 9_000, "string": "prod"}],
        [{"name": "overlay", "array": ["prod"]}],
        [{"name": "overlay", "string": "prod", "map": {}}],
        [{"name": "overlays", "string": "prod"}],
        [*ONE, *ONE],
        [{}],
        ["prod"],
        {"overlay": "prod"},
        3,
    ],
    ids=lambda parameters: json.dumps(parameters)[:60],
)
def test_any_other_parameter_is_an_error(app, monkeypatch, parameters):
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", json.dumps(parameters))
    built = app.build("--for", "argocd")
    assert (built.exit_code, built.out, built.err.count("\n")) == (2, "", 1)
    assert built.err.startswith("error: ")
    assert len(built.err) < 500


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '"\\ud800"'])
def test_parameters_that_are_no_json_are_an_error(app, monkeypatch, text):
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", text)
    built = app.build("--for", "argocd")
    written = '[{"name": "overlay", "string": "prod"}]'
    expected = f"error: ARGOCD_APP_PARAMETERS is not a JSON list of parameters; write {written}\n"
    assert (built.exit_code, built.err) == (2, expected)


def test_nothing_above_the_copy_of_the_repository_counts(app, monkeypatch):
    copy = app.directory / "copy"
    for name in ("runtimes", "jobs", "overlays"):
        (app.directory / name).rename(copy.mkdir(exist_ok=True) or copy / name)
    app.write({"trainjob.yaml": "an error: of: somebody else"})
    monkeypatch.chdir(copy / "overlays")
    assert app.build("--for", "argocd").names == ["JobSet/a"]  # without .git and trainjob.yaml
    monkeypatch.chdir(copy / "overlays" / "prod")
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", "./overlays/prod/")
    monkeypatch.delenv("ARGOCD_APP_PARAMETERS")
    assert app.build("--for", "argocd").names == ["JobSet/a"]
    monkeypatch.chdir(copy)
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", ".")
    assert app.build("--for", "argocd", "jobs").names == ["JobSet/a"]


@pytest.mark.parametrize("has_mark", [True, False])
def test_an_overlay_is_no_link_out_of_the_repository(app, monkeypatch, tmp_path_factory, has_mark):
    if not has_mark:
        (app.directory / ".git").rmdir()
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.yaml").write_text(yaml.safe_dump(train_job("b", "plain")))
    (app.directory / "overlays" / "linked").symlink_to(outside)
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", json.dumps([{"name": "overlay", "string": "linked"}]))
    built = app.build("--for", "argocd")
    assert (built.exit_code, built.out, built.err.count("\n")) == (2, "", 1)


def test_the_version_must_be_equal(app, monkeypatch):
    monkeypatch.setenv("ARGOCD_ENV_TRAINJOB_VERSION", f"v{__version__}")
    assert app.build("--for", "argocd").exit_code == 0
    monkeypatch.setenv("ARGOCD_ENV_TRAINJOB_VERSION", "99.0.0")
    built = app.build("--for", "argocd")
    assert built.exit_code == 2
    assert "99.0.0" in built.err
    assert __version__ in built.err


def test_an_unknown_variable_of_the_application_is_an_error(app, monkeypatch):
    monkeypatch.setenv("ARGOCD_ENV_OVERLAI", "prod")
    built = app.build("--for", "argocd")
    assert (built.exit_code, built.out) == (2, "")
    assert "OVERLAI" in built.err


def test_errors_come_first_one_line_each_from_the_top_of_the_repository(app):
    broken = train_job("b", "plan")
    app.write({"jobs/b.yaml": [broken], "jobs/a.yaml": [train_job("a", "plain")]})
    built = app.build("--for", "argocd")
    assert (built.exit_code, built.out) == (1, "")
    assert built.err.startswith("jobs/b.yaml:7:11: error KTJ201 runtime-not-found: ")
    assert built.err.count("\n") == 1


def test_an_empty_result_is_an_error(app):
    app.write({"jobs/a.yaml": [PLAIN]})
    built = app.build("--for", "argocd")
    assert (built.exit_code, built.out) == (1, "")
    assert "delete all objects" in built.err
    assert app.build("--for", "argocd", "--allow-empty").exit_code == 2


def test_a_ttl_is_omitted_and_ports_have_a_protocol(app):
    runtime = yaml.safe_load(yaml.safe_dump(PLAIN))
    template = runtime["spec"]["template"]["spec"]
    template["ttlSecondsAfterFinished"] = 60
    container = template["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]
    container["ports"] = [{"name": "a", "containerPort": 80}, {"name": "b", "containerPort": 81, "protocol": "UDP"}]
    app.write({"runtimes/plain.yaml": [runtime]})
    built = app.build("--for", "argocd")
    assert built.exit_code == 0, built.err
    (jobset,) = built.objects
    assert "ttlSecondsAfterFinished" not in jobset["spec"]
    pod = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert [port["protocol"] for port in pod["containers"][0]["ports"]] == ["TCP", "UDP"]
    assert "ttlSecondsAfterFinished" in built.err


def test_ports_of_runtimes_have_a_protocol(app):
    """Their definitions have the same default as a JobSet's, in the key of the same list."""
    port = {"containerPort": 8080}
    runtime = yaml.safe_load(yaml.safe_dump(PLAIN))
    (job,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    job["template"]["spec"]["template"]["spec"]["containers"][0]["ports"] = [port]
    app.write({"jobs/runtime.yaml": [runtime], "runtimes/plain.yaml": []})
    (printed,) = [
        each for each in app.build("--for", "argocd", "--emit", "trainjob").objects if each["kind"] == runtime["kind"]
    ]
    (job,) = printed["spec"]["template"]["spec"]["replicatedJobs"]
    assert job["template"]["spec"]["template"]["spec"]["containers"][0]["ports"] == [{**port, "protocol": "TCP"}]


def test_a_repository_cannot_raise_its_limits(app):
    settings = {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Config"}
    long = "x" * 400
    app.write({"trainjob.yaml": [{**settings, "limits": {"fileBytes": 300}}], "jobs/long.yaml": f"# {long}\n"})
    assert app.build("--for", "argocd").exit_code == 1  # lower limits count
    app.write({"trainjob.yaml": [{**settings, "limits": {"documents": 10_000_000}}]})
    many = "---\n".join(["a: b\n"] * 20_001)
    app.write({"jobs/many.yaml": many})
    built = app.build("--for", "argocd")
    assert built.exit_code == 1
    assert "limits.documents" in built.err


def test_a_build_stops_before_argocd_ends_it(app, monkeypatch):
    monkeypatch.setenv("ARGOCD_ENV_TRAINJOB_TIMEOUT", "1s")
    app.write({"jobs/slow.yaml": "".join(f"---\n{{a: [{'1, ' * 90_000}]}}\n" for _ in range(40))})
    built = app.build("--for", "argocd")
    assert built.exit_code == 2
    assert "longer than 1 s" in built.err
