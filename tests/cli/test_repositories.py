"""Repositories as they are: files of other tools beside TrainJobs, in the layouts that people have.

`lint`, `build` and `review` at the root find what concerns training objects, and nothing else.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.commands import call
from tests.loops import for_each, sampled
from tests.tools import require

_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {0}}}
spec:
  runtimeRef: {{name: torch}}
  trainer: {{image: "ghcr.io/acme/train:1.0", numNodes: 2}}
"""
_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, image: "ghcr.io/acme/train:1.0"}]}}}
"""
_CONFIG = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
_OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../../jobs]\nnamespace: {}\n"
_CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{size: '{0}'}}\n"
_OURS = {"runtimes/torch.yaml": _RUNTIME, "jobs/a.yaml": _JOB.format("a")}
_DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n"
_HELM = """\
apiVersion: {{ include "v" . }}
kind: TrainJob
metadata:
  name: {{ .Values.name }}
{{- if .Values.big }}
spec: {numNodes: 4}
{{- end }}
"""
_STACK = """\
AWSTemplateFormatVersion: '2010-09-09'
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties: {BucketName: !Sub "${AWS::StackName}-data", Tags: !If [a, !Ref b, !GetAtt c.d]}
"""
_PLAY = """\
- hosts: all
  vars: {size: "{{ size }}"}
  tasks:
    - name: start {{ item }}
      k8s: {definition: {{ lookup('file', 'a.yaml') }}}
"""
_CLUSTER = "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nnodes: [{role: control-plane}]\n"
_WORKFLOW = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: hello-}
spec: {entrypoint: main, templates: [{name: main, container: {image: alpine:3, args: ["{{inputs.x}}"]}}]}
"""
_PATCH = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec: {trainer: {numNodes: 8}}\n"
)
_OPENAPI = "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {description: ok}}}}}\n"

LAYOUTS: Mapping[str, dict[str, str]] = {
    "Helm chart": {
        "charts/app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
        "charts/app/values.yaml": "name: a\n",
        "charts/app/templates/job.yaml": _HELM,
        "charts/app/charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
        "charts/app/charts/sub/templates/a.yaml": _HELM,
    },
    "the repository is a Helm chart": {
        "Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
        "templates/job.yaml": _HELM,
        "crds/crd.yaml": "a: {{ b }}\n",
    },
    "kustomize": {
        "k/base/kustomization.yaml": "resources: [deployment.yaml]\n",
        "k/base/deployment.yaml": _DEPLOYMENT,
        "k/overlays/dev/kustomization.yaml": "resources: [../../base]\npatches: [{path: size.yaml}]\n",
        "k/overlays/dev/size.yaml": _DEPLOYMENT,
        "k/overlays/prod/kustomization.yaml": "resources: [../../base]\n"
        "patchesStrategicMerge: [job.yaml, ../size.yaml]\nconfigurations: [settings.yaml]\n",
        "k/overlays/prod/job.yaml": _PATCH,
        "k/overlays/size.yaml": _PATCH,
        "k/overlays/prod/settings.yaml": "nameReference: [{kind: TrainJob}]\n",
        "k/overlays/prod/transformer.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: x}\n",
    },
    "CloudFormation": {"infra/stack.yaml": _STACK, "infra/nested/stack.yml": _STACK},
    "Ansible": {
        "ansible/site.yml": _PLAY,
        "ansible/roles/a/tasks/main.yml": "{% if x %}\n- a\n{% endif %}\n",
        "ansible/roles/a/templates/service.yaml.j2": "kind: Service\nname: {{ x }}\n",
        "ansible/roles/a/templates/motd.j2": "{{ x }}\n",
    },
    "kind": {"hack/kind.yaml": _CLUSTER, "hack/kind-gpu.yaml": _CLUSTER},
    "virtual environment": {
        "env/pyvenv.cfg": "home = /usr/bin\n",
        "env/lib/a.yaml": "a: [\n",
        "env/lib/job.yaml": _JOB.format("a"),
        "web/node_modules/x/a.json": "{",
        "web/node_modules/x/job.yaml": _JOB.format("a"),
    },
    "ignored by git": {
        ".gitignore": "out/*\n!out/kept\n*.local.yaml\n",
        "out/a.yaml": "a: [\n",
        "out/kept/config.yaml": _CONFIG_MAP.format(1),
        "jobs/b.local.yaml": _JOB.format("a"),
        "deep/.gitignore": "*\n!*.yaml\n!*/\n/no.yaml\n",
        "deep/no.yaml": _JOB.format("a"),
        "deep/more/.gitignore": "no.yaml\n",
        "deep/more/no.yaml": _JOB.format("a"),
        ".git/info/exclude": "/mine\n",
        "mine/a.yaml": _JOB.format("a"),
    },
    "GitHub workflows": {
        ".github/workflows/ci.yaml": "on: [push]\njobs: {a: {runs-on: x, steps: [{run: 'echo ${{ a }}'}]}}\n",
        "ci/pipeline.yml": "stages: [a]\na: {script: !reference [.b, script]}\n",
    },
    "docker-compose": {"docker-compose.yml": "services:\n  a: {image: b, command: !reset null}\n"},
    "OpenAPI": {"api/openapi.yaml": _OPENAPI, "api/data.json": "[1, 2]\n", "api/lines.json": '{"a": 1}\n{"a": 2}\n'},
    "Argo Workflows": {"argo/a.yaml": _WORKFLOW, "argo/b.yaml": _WORKFLOW, "argo/cron/a.yaml": _WORKFLOW},
    "examples of one name": {
        "examples/a/config.yaml": _CONFIG_MAP.format(1),
        "examples/b/config.yaml": _CONFIG_MAP.format(2),
        "examples/b/other.yaml": _CONFIG_MAP.format(3),
    },
    "environments": {
        f"envs/{env}/{name}.yaml": text
        for number, env in enumerate(("dev", "staging", "prod"))
        for name, text in (("settings", _CONFIG_MAP.format(number)), ("web", _DEPLOYMENT), ("job", _JOB.format(env)))
    },
    "ksonnet": {"ks_app/app.yaml": "apiVersion: 0.1.0\nkind: ksonnet.io/app\nname: a\n"},
    "values of other tools": {
        "deploy/overlay.yaml": "image: {tag: '1'}\n",
        "deploy/list.yaml": "- a\n- b\n",
        "deploy/text.yaml": "just text\n",
        "deploy/twice.yaml": "a: 1\na: 2\n",
        "deploy/tabs.yaml": "a:\n\tb: 1\n",
    },
    "envsubst": {
        "k8s/trainjob.yaml": _JOB.format("${NAME}").replace("numNodes: 2", "numNodes: ${NODES}"),
        "k8s/runtime.yaml": "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata:\n"
        "  name: nccl\n  # of the test\n\n  namespace: ${NAMESPACE}\nspec:\n  mlPolicy:\n${POLICY}\n",
    },
    "templates of scripts": {
        "scripts/job.yaml.j2": _JOB.format("{{ name }}"),
        "scripts/job.yaml": _JOB.format('"train-{{ name }}"'),
    },
    "templates of terraform": {
        "terraform/files/app.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${name}\n%{ if x }\n",
        "terraform/files/gateway.yaml": "apiVersion: {{ a }}\nkind: Gateway\n",
    },
}


def _run(directory: Path, *arguments: str, code: int = 0) -> tuple[str, str]:
    found = call(directory, *arguments)
    assert found.returncode == code, found.stdout + found.stderr
    return found.stdout, found.stderr


def _git(directory: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run([require("git"), *settings, *arguments], cwd=directory, check=True, capture_output=True)


def _write(directory: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text)
    return directory


def _repository(directory: Path, files: Mapping[str, str]) -> Path:
    directory.mkdir()
    _git(directory, "init", "-q")
    _write(directory, {**_OURS, **files})
    _git(directory, "add", "-A")
    _git(directory, "commit", "-q", "-m", "first")
    return directory


@sampled(every=3)
@for_each("name", list(LAYOUTS), at_least=12)
def test_a_layout(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    top = _repository(tmp_path_factory.mktemp("layout") / "top", LAYOUTS[name])
    (top / "linked").symlink_to("jobs")
    _write(top, {"base/settings.yaml": _CONFIG_MAP.format(1)})
    (top / "linked.yaml").symlink_to("base/settings.yaml")
    report = json.loads(_run(top, "lint", "-o", "json")[0])
    assert report["results"] == []
    built, notes = _run(top, "build")
    jobs = 1 + sum(path.startswith("envs/") and path.endswith("job.yaml") for path in LAYOUTS[name])
    assert built.count("kind: JobSet\n") == jobs
    assert notes.count("helm template ") == ("Helm" in name)
    _write(top, {"README.md": "changed\n"})
    _git(top, "add", "README.md")
    _git(top, "commit", "-q", "-m", "second")
    review = json.loads(_run(top, "review", "HEAD~1..HEAD", "-o", "json")[0])
    assert review["verdict"] == "safe"


@pytest.mark.parametrize("ours", [{"trainjob.yaml": _CONFIG}, {"overlays/a/overlay.yaml": _OVERLAY.format("a")}])
def test_templates_beside_our_own_files(tmp_path: Path, ours: dict[str, str]) -> None:
    """They may be mistakes there: a template that no overlay lists, and a name of the wrong form."""
    top = _repository(tmp_path / "top", {**ours, **LAYOUTS["envsubst"], **LAYOUTS["templates of scripts"]})
    results = json.loads(_run(top, "lint", "-o", "json", code=1)[0])["results"]
    assert {"k8s/trainjob.yaml", "k8s/runtime.yaml", "scripts/job.yaml.j2", "scripts/job.yaml"} <= {
        each["file"] for each in results
    }


def test_a_skipped_template_is_noted(tmp_path: Path) -> None:
    top = _repository(tmp_path / "top", LAYOUTS["templates of scripts"])
    for command in ("lint", "build"):
        notes = _run(top, command)[1]
        assert "scripts/job.yaml (template of another tool), scripts/job.yaml.j2 (template of another tool)" in notes
    _run(top, "build", "--strict", code=1)
    _run(top, "lint", "scripts/job.yaml", code=1)


def test_objects_of_other_kinds_with_variables_are_copied(tmp_path: Path) -> None:
    text = _CONFIG_MAP.format(1).replace("settings", '"${APP}-settings"')
    top = _repository(tmp_path / "top", {"flux/settings.yaml": text})
    assert "name: ${APP}-settings" in _run(top, "build")[0]


def test_a_script_with_variables_is_no_template(tmp_path: Path) -> None:
    text = _JOB.format("a").replace("numNodes: 2", "args: ['cat > x <<E\\nmetadata:\\n  name: ${MODEL}\\nE']")
    top = _repository(tmp_path / "top", {"jobs/a.yaml": text})
    assert _run(top, "build")[0].count("kind: JobSet\n") == 1


def test_a_linked_job_is_not_skipped(tmp_path: Path) -> None:
    """Its target is read where it is, unless only the directory of the link is built."""
    top = _repository(tmp_path / "top", {"more/README.md": ""})
    (top / "more/b.yaml").symlink_to("../jobs/a.yaml")
    (top / "more/c.yaml").symlink_to("/etc/hostname")
    errors = _run(top, "build", "more", code=1)[1]
    assert [f"more/{name}.yaml:1:1: error KTJ025" in errors for name in "bc"] == [True, True]
    (top / "more/c.yaml").unlink()
    built, notes = _run(top, "build")
    assert ("more/b.yaml (link)" in notes, built.count("kind: JobSet\n")) == (True, 1)


def _gpus(top: Path, *arguments: str) -> list[str]:
    """How many GPUs all jobs request before and after."""
    groups = json.loads(_run(top, "diff", *arguments, "-o", "json", code=1)[0])["summary"]
    return [groups[side]["resources"].get("nvidia.com/gpu", "0") for side in ("before", "after")]


_GPU_JOB = _JOB.replace("numNodes: 2", "numNodes: {1}, resourcesPerNode: {{limits: {{nvidia.com/gpu: 8}}}}")
_TWO = {f"overlays/{name}/overlay.yaml": _OVERLAY.format(name) for name in ("dev", "prod")}


@pytest.mark.parametrize("config", ["", "deploy: ['overlays/*']\n", "deploy: [overlays/prod, overlays/dev]\n"])
def test_a_base_does_not_count_beside_its_overlays(tmp_path: Path, config: str) -> None:
    job = {"jobs/a.yaml": _GPU_JOB.format("a", 2)}
    top = _repository(tmp_path / "top", {**_TWO, **job, "trainjob.yaml": _CONFIG + config})
    _write(top, {"jobs/a.yaml": _GPU_JOB.format("a", 4)})
    assert _gpus(top, "HEAD") == ["32", "64"]
    _write(top, {"jobs/b.yaml": _GPU_JOB.format("b", 1), "overlays/prod/overlay.yaml": _OVERLAY.format("prod2")})
    assert _gpus(top, "HEAD") == ["32", "80"]


def _found(top: Path, *arguments: str, code: int = 0) -> list[tuple[str, str]]:
    results = json.loads(_run(top, "lint", "-o", "json", *arguments, code=code)[0])["results"]
    return [(each["rule"], each["severity"]) for each in results]


def test_examples_of_one_name_may_be_deployed_separately(tmp_path: Path) -> None:
    """Nothing says that two files are deployed together: that would be a path, or `deploy`."""
    more = {f"examples/{name}.yaml": _JOB.format("example") for name in ("cpu", "gpu")}
    top = _repository(tmp_path / "top", {**_OURS, **more})
    assert _found(top) == [("KTJ806", "warning")]
    assert _found(top, "examples", code=1) == [("KTJ806", "error")]
    assert "examples/gpu.yaml:3:18: error KTJ806" in _run(top, "build", code=1)[1]
    _write(top, {"examples/gpu.yaml": more["examples/gpu.yaml"].replace("numNodes: 2", "numNodes: 3")})
    review = json.loads(_run(top, "review", "HEAD", "-o", "json", code=1)[0])  # a job cannot get another size
    assert [(each["name"], each["after"]["pods"]) for each in review["jobs"]] == [("example", 3)]
    _write(top, {"trainjob.yaml": _CONFIG + "deploy: [examples]\n"})
    assert _found(top, code=1) == [("KTJ806", "error")]


def test_paths_of_other_tools_are_ignored(tmp_path: Path) -> None:
    """Jobs of the Training Operator, and templates of another program."""
    more = {
        "old/a.yaml": "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\n",
        "src/a.yaml.j2": "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: {{ name }}}\n",
    }
    top = _repository(tmp_path / "top", {**_OURS, **more})
    assert _found(top, code=1) == [("KTJ108", "error")]
    _write(top, {"trainjob.yaml": _CONFIG})
    assert _found(top, code=1) == [("KTJ108", "error"), ("KTJ026", "error")]
    _write(top, {"trainjob.yaml": _CONFIG + "ignore: [old/**, src/**]\n"})
    assert _found(top) == []


def test_a_job_without_a_name_is_called_so(tmp_path: Path) -> None:
    top = _repository(tmp_path / "top", {**_OURS, "a.yaml": _JOB.format("a").replace("name: a", "generateName: a-")})
    assert "not checked: TrainJob without a name cannot be built" in _run(top, "lint", code=1)[0]
    assert "these exist: TrainJob without a name" in call(top, "explain", "-f", "a.yaml", "TrainJob/a", "kind").stderr


def test_a_kustomization_sets_the_tags_of_images(tmp_path: Path) -> None:
    """Here or in an overlay: only the build of kustomize has the image."""
    top = _repository(tmp_path / "top", {"runtimes/torch.yaml": _RUNTIME.replace("train:1.0", "train")})
    assert _found(top) == [("KTJ901", "warning")]
    tags = "resources: [torch.yaml]\nimages: [{name: ghcr.io/acme/train, newTag: '2'}]\n"
    _write(top, {"runtimes/kustomization.yaml": tags})
    assert _found(top) == [("KTJ028", "warning")]


def test_what_is_deployed_is_declared(tmp_path: Path) -> None:
    other = {
        "drafts/a.yaml": "kind: TrainJob\na: [\n",
        "more/b.yaml": _JOB.format("b"),
        "more/c/c.yaml": _JOB.format("c"),
    }
    config = {
        "trainjob.yaml": _CONFIG + "deploy: [overlays/*, more/b.yaml]\n",
        "overlays/README.md": "",
        "overlays/x/a": "",
    }
    top = _repository(tmp_path / "top", {**_TWO, **other, **config})
    built, notes = _run(top, "build")
    assert sorted(line for line in built.splitlines() if line.startswith("  namespace: ")) == [
        "  namespace: dev",
        "  namespace: prod",
    ]
    assert built.count("kind: JobSet\n") == 3, notes
    assert json.loads(_run(top, "lint", "-o", "json")[0])["summary"]["trainJobs"] == 3
    _run(top, "lint", ".", code=1)  # what a user passes is read
    _write(top, {"trainjob.yaml": _CONFIG + "deploy: [overlays/prod, nowhere/*]\n", "more/b.yaml": _JOB.format("x")})
    found = json.loads(_run(top, "lint", "-o", "json", code=1)[0])["results"]
    assert [(each["rule"], each["file"], each["line"]) for each in found] == [("KTJ040", "trainjob.yaml", 3)]
    _write(top, {"trainjob.yaml": _CONFIG + "deploy: [overlays/prod]\n"})
    review = json.loads(_run(top, "review", "HEAD", "-o", "json")[0])
    ended = {(each["namespace"], each["name"], each["outcome"]) for each in review["jobs"]}
    assert ended == {("dev", "a", "ends"), ("", "b", "ends")}
    assert _run(top, "build", "-o", "json")[0].count('"namespace": "prod"') == 1


@pytest.mark.parametrize(
    ("paths", "severity"),
    [((), "warning"), ((".",), "warning"), (("-f", "."), "warning"), (("more/x", "more/y"), "error")],
    ids=("none", "the root", "the root with -f", "two directories"),
)
def test_the_root_as_a_path_is_the_whole_repository(paths: tuple[str, ...], severity: str, tmp_path: Path) -> None:
    twins = {f"more/{folder}/job.yaml": _JOB.format("twin") for folder in "xy"}
    top = _repository(tmp_path / "top", twins)
    found = json.loads(_run(top, "lint", *paths, "-o", "json", code=int(severity == "error"))[0])["results"]
    assert [(each["rule"], each["severity"]) for each in found] == [("KTJ806", severity)]


def test_unchanged_errors_are_not_in_the_verdict(tmp_path: Path) -> None:
    broken = {
        "jobs/b.yaml": _JOB.format("b").replace("name: torch", "name: nope"),
        "jobs/c.yaml": "kind: TrainJob\na: [\n",
    }
    top = _repository(tmp_path / "top", broken)
    _write(top, {"README.md": "changed\n"})
    _git(top, "add", "README.md")
    assert json.loads(_run(top, "review", "HEAD", "-o", "json")[0])["verdict"] == "safe"
    _write(top, {"jobs/b.yaml": broken["jobs/b.yaml"].replace("numNodes: 2", "numNodes: 3")})
    assert json.loads(_run(top, "review", "HEAD", "-o", "json")[0])["verdict"] == "unknown"


def test_this_repository_is_clean(tmp_path: Path) -> None:
    own, top = Path(__file__).resolve().parents[2], tmp_path / "clone"
    _git(own, "clone", "-q", "--no-hardlinks", str(own), str(top))
    assert json.loads(_run(top, "lint", "-o", "json")[0])["results"] == []
    _write(top, {"README.md": "changed\n"})
    assert json.loads(_run(top, "review", "HEAD", "-o", "json")[0])["verdict"] == "safe"


@for_each("names", [("validate", "lint"), ("template", "build"), ("render", "build"), ("plan", "diff")], at_least=4)
def test_a_command_by_the_name_of_other_tools(names: tuple[str, str]) -> None:
    error = _run(Path.cwd(), names[0], code=2)[1]
    assert f'unknown command "{names[0]}"; did you mean "{names[1]}"?' in error


def _verdict(top: Path, files: dict[str, str], code: int = 0) -> str:
    """The verdict on changed files; then they are committed."""
    _write(top, files)
    _git(top, "add", ".")
    found = json.loads(_run(top, "review", "HEAD", "-o", "json", code=code)[0])
    _git(top, "commit", "-qm", "change")
    return str(found["verdict"])


def test_unchanged_errors_beside_a_change_are_not_in_the_verdict(tmp_path: Path) -> None:
    missing, invalid = _JOB.replace("name: torch", "name: nope"), _JOB.replace("numNodes: 2", "numNodes: two")
    other_kind = "apiVersion: kubeflow.org/v1\nkind: PaddleJob\nmetadata: {name: p}\nspec: {}\n"
    files = {
        "jobs/a.yaml": _JOB.format("a"),
        "jobs/b.yaml": missing.format("b"),
        "jobs/c.yaml": "kind: TrainJob\na: [\n",
        "jobs/d.yaml": invalid.format("d") + "---\n" + other_kind,
        "overlays/x/overlay.yaml": _OVERLAY.format("x").replace("../../jobs", "../../more.yaml"),
        "more.yaml": missing.format("e") + "---\n" + _JOB.format("f"),
    }
    top = _repository(tmp_path / "top", files)
    three = {"jobs/a.yaml": _JOB.format("a").replace("1.0", "1.1")}
    assert _verdict(top, {"README.md": "more\n"}) == "safe"
    assert _verdict(top, {"jobs/new.yaml": _JOB.format("new")}) == "safe"
    assert _verdict(top, {"jobs/d.yaml": "# a comment\n" + files["jobs/d.yaml"]}) == "safe"  # other lines
    assert _verdict(top, three, 1) == "refused"
    assert _verdict(top, {"more.yaml": files["more.yaml"].replace("1.0", "1.1", 1)}) == "unknown"  # its job changes
    assert _verdict(top, {"jobs/d.yaml": files["jobs/d.yaml"].replace("{name: p}", "{name: q}")}, 1) == "unbuilt"
    assert _verdict(top, {"runtimes/second.yaml": _RUNTIME}, 1) == "unbuilt"  # a duplicate: no job can be built
