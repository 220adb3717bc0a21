"""`env`: text for people, JSON for programs, and which TrainJob is meant."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from kubectl_trainjob.cli.app import run
from tests.cli.conftest import Repository
from tests.cli.manifests import MPI, PLAIN, Body, config_map, manifest, overlay, runtime, team_runtime, train_job
from tests.cli.test_diff_markdown import by_github
from tests.hostile.test_diff_pages import in_code, parsed

GPUS = {"limits": {"nvidia.com/gpu": 4}}
TORCH = runtime("torch", {"numNodes": 2, "torch": {}})


@pytest.fixture
def env(capfd: pytest.CaptureFixture[str]) -> Any:
    """`kubectl trainjob env` in the current directory: exit code, stdout, stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        exit_code = run("/usr/bin/kubectl-trainjob", ["env", *arguments])
        return exit_code, *capfd.readouterr()

    return call


def torch_job(name: str = "bert", **trainer: Any) -> Body:
    return train_job(name, "torch", trainer={"numNodes": 2, **trainer})


def test_text(repository: Repository, env: Any) -> None:
    secret = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}}
    job = torch_job(env=[secret], command=["torchrun", "train.py", "--name=a b"], resourcesPerNode=GPUS)
    repository.write({"job.yaml": [job], "runtimes/torch.yaml": [TORCH]})
    exit_code, out, err = env("TrainJob/bert")
    assert (exit_code, err) == (0, "")
    lines = [re.sub(" {2,}", "  ", line) for line in out.splitlines()]
    names = ("name: bert", "numNodes", "nvidia.com/gpu", "valueFrom", "name: hub", "command")
    numbers = {text: at(job_text(repository), text) for text in names}
    gpus = f"job.yaml:{numbers['nvidia.com/gpu']}"
    assert lines == [
        "TrainJob bert, Trainer 2.3",
        f"world size  8  # 2 nodes × auto (4 GPUs → 4) = 8 (job.yaml:{numbers['numNodes']})",
        f"master  bert-node-0-0.bert:29500  # PET_MASTER_ADDR (job.yaml:{numbers['name: bert']})",
        "",
        "node, step trainer, 2 Pods",
        "  names  bert-node-0-[0-1].bert",
        f"  processes  auto per node  # resourcesPerNode requests nvidia.com/gpu: 4 ({gpus})",
        "  container node",
        f"  image  acme/train:1  # runtimes/torch.yaml:{at(runtime_text(repository), 'image')}",
        f"  command  torchrun train.py '--name=a b'  # job.yaml:{numbers['command']}",
        "  port  29500  # torch plugin",
        "  env",
        f"  TOKEN  <Secret hub, key token>  # job.yaml:{numbers['valueFrom']}",
        f"  PET_NNODES  2  # torch plugin, job.yaml:{numbers['numNodes']}",
        f"  PET_NPROC_PER_NODE  auto  # torch plugin, {gpus}",
        "  PET_NODE_RANK  <the Pod's metadata.annotations['batch.kubernetes.io/job-completion-index']>  # torch plugin",
        f"  PET_MASTER_ADDR  bert-node-0-0.bert  # torch plugin, job.yaml:{numbers['name: bert']}",
        "  PET_MASTER_PORT  29500  # torch plugin",
        "  JOB_COMPLETION_INDEX  <the Pod's metadata.labels['batch.kubernetes.io/job-completion-index']>"
        "  # Job controller",
        "",
        "required Secrets and ConfigMaps",
        f'  Secret hub  must exist  # node: container "node", env TOKEN (job.yaml:{numbers["name: hub"]})',
    ]


def job_text(repository: Repository) -> str:
    return (repository.directory / "job.yaml").read_text()


def runtime_text(repository: Repository) -> str:
    return (repository.directory / "runtimes" / "torch.yaml").read_text()


def at(text: str, what: str) -> int:
    """The number of the first line that has a text."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if what in line)


def test_json(repository: Repository, env: Any) -> None:
    repository.write({"job.yaml": [torch_job(resourcesPerNode=GPUS)], "runtimes/torch.yaml": [TORCH]})
    exit_code, out, err = env("TrainJob/bert", "-o", "json")
    assert (exit_code, err) == (0, "")
    reported = json.loads(out)
    line = at(job_text(repository), "nvidia.com/gpu")
    assert list(reported)[:4] == ["schemaVersion", "trainJob", "trainerVersion", "roles"]
    assert (reported["schemaVersion"], reported["trainerVersion"]) == (1, "2.3")
    assert reported["trainJob"] == {"namespace": "", "name": "bert"}
    assert reported["worldSize"] == {
        "value": 8,
        "formula": "2 nodes × auto (4 GPUs → 4) = 8",
        "nodes": 2,
        "source": {"file": "job.yaml", "line": at(job_text(repository), "numNodes")},
    }
    assert reported["master"] == {
        "address": "bert-node-0-0.bert",
        "port": "29500",
        "setting": "PET_MASTER_ADDR",
        "source": {"file": "job.yaml", "line": at(job_text(repository), "name: bert")},
    }
    assert (reported["hostfile"], reported["needs"], reported["warnings"]) == (
        None,
        {"secrets": [], "configMaps": []},
        [],
    )
    [role] = reported["roles"]
    assert (role["name"], role["ancestor"], role["pods"], role["namesLeftOut"]) == ("node", "trainer", 2, 0)
    assert role["hostnames"] == ["bert-node-0-0", "bert-node-0-1"]
    assert (role["subdomain"], role["dns"]) == ("bert", ["bert-node-0-0.bert", "bert-node-0-1.bert"])
    assert role["processesPerNode"] == {
        "value": "auto",
        "why": "resourcesPerNode requests nvidia.com/gpu: 4",
        "setting": "PET_NPROC_PER_NODE",
        "source": {"file": "job.yaml", "line": line},
    }
    [container] = role["containers"]
    assert {key: container[key] for key in ("name", "init", "image", "command", "args", "envFrom")} == {
        "name": "node",
        "init": False,
        "image": "acme/train:1",
        "command": [],
        "args": [],
        "envFrom": [],
    }
    image = {"file": "runtimes/torch.yaml", "line": at(runtime_text(repository), "image")}
    assert container["origins"] == {"image": {"by": "runtime", "source": image}}
    assert container["ports"] == [{"containerPort": 29500, "by": "torch", "source": None}]
    assert container["env"][1] == {
        "name": "PET_NPROC_PER_NODE",
        "value": "auto",
        "by": "torch",
        "source": {"file": "job.yaml", "line": line},
    }


def test_json_names_at_most_a_thousand_pods_of_a_role(repository: Repository, env: Any) -> None:
    repository.write({"job.yaml": [torch_job(numNodes=2_000_000_000)], "runtimes/torch.yaml": [TORCH]})
    _, out, _ = env("TrainJob/bert", "-o", "json")
    [role] = json.loads(out)["roles"]
    assert (len(role["dns"]), len(role["hostnames"]), role["namesLeftOut"]) == (1000, 1000, 2_000_000_000 - 1000)
    _, out, _ = env("TrainJob/bert")
    assert "bert-node-0-[0-1999999999].bert" in out
    assert len(out) < 3000


def test_a_hostfile_is_shown_in_ranges(repository: Repository, env: Any) -> None:
    repository.write({"a.yaml": [MPI, train_job("m", "mpi", trainer={"numNodes": 3, "numProcPerNode": 2})]})
    exit_code, out, _ = env("TrainJob/m")
    assert exit_code == 0
    assert "hostfile, in ConfigMap m-mpi-hostfile\n  m-node-0-[0-2].m slots=2\n" in out
    line = at((repository.directory / "a.yaml").read_text(), "numNodes: 3")
    assert f"world size  6  # 3 nodes × 2 slots = 6 (a.yaml:{line})\n" in re.sub(" {2,}", "  ", out)
    assert re.search(
        r"Secret m-mpi-ssh-auth +generated by Trainer; without Trainer it must exist: the MPI job's SSH keys", out
    )
    assert re.search(r"ConfigMap m-mpi-hostfile +generated by the build", out)
    _, out, _ = env("TrainJob/m", "-o", "json")
    assert json.loads(out)["hostfile"]["lines"] == [f"m-node-0-{index}.m slots=2" for index in range(3)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param("plain text", "plain text", id="plain"),
        pytest.param("", '""', id="empty"),
        pytest.param(" blank ", '" blank "', id="blanks"),
        pytest.param("<Secret hub, key token>", '"<Secret hub, key token>"', id="like a reference"),
        pytest.param("1  # torch", '"1  # torch"', id="like a note"),
        pytest.param("größe", "größe", id="letters"),
        pytest.param("a\nb", "|  # job.yaml:12\n        | a\n        | b", id="lines"),
    ],
)
def test_values(value: str, shown: str, repository: Repository, env: Any) -> None:
    """What a user wrote cannot be taken for what we say of it."""
    repository.write({"job.yaml": [torch_job(env=[{"name": "X", "value": value}])], "runtimes/torch.yaml": [TORCH]})
    out = env("TrainJob/bert")[1]
    rows = out.partition("    env\n")[2]
    text = re.sub("(?<=[^ ]) {2,}(?=#)", "  ", rows)
    assert re.match(rf" +X +{re.escape(shown)}( +# job.yaml:12)?\n", text), rows


def test_pods_without_names(repository: Repository, env: Any) -> None:
    made = runtime("torch", {"torch": {}})
    made["spec"]["template"]["spec"]["network"] = {"enableDNSHostnames": False}
    [job] = made["spec"]["template"]["spec"]["replicatedJobs"]
    other = {**job, "name": "other", "template": {"spec": {**job["template"]["spec"], "completionMode": "NonIndexed"}}}
    made["spec"]["template"]["spec"]["replicatedJobs"] = [job, other]
    repository.write({"a.yaml": json.dumps(made), "b.yaml": [torch_job()]})
    out = env("TrainJob/bert")[1]
    assert re.search(r"  host names +bert-node-0-\[0-1\] +# no DNS names: network.enableDNSHostnames is false\n", out)
    assert re.search(r"other, 1 Pod\n  names +random +# the Job is not Indexed\n", out)


def test_a_config_map_of_the_files(repository: Repository, env: Any) -> None:
    variable = {"name": "X", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "x"}}}
    repository.write({"a.yaml": [TORCH, torch_job(env=[variable]), config_map("settings", x="1")]})
    _, out, _ = env("TrainJob/bert", "-o", "json")
    [need] = json.loads(out)["needs"]["configMaps"]
    assert (need["name"], need["from"], need["optional"]) == ("settings", "inputs", False)


def test_secrets_stay_where_they_are(repository: Repository, env: Any) -> None:
    secret = manifest("Secret", "hub", stringData={"token": "s3cr3t"})
    variable = {"name": "X", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}}
    repository.write({"a.yaml": [TORCH, torch_job(env=[variable]), secret]})
    for output in ("text", "json"):
        exit_code, out, err = env("TrainJob/bert", "-o", output)
        assert (exit_code, "s3cr3t" in out + err) == (0, False)


HOSTILE = "\x1b[31mred\x1b]0;t\x07\r\nneeds\n  Secret none\x00\u202e\u200b"


@pytest.mark.parametrize("field", ["value", "command", "image", "port"])
def test_nothing_of_the_files_acts_on_a_terminal(field: str, repository: Repository, env: Any) -> None:
    """No line begins where the text does not begin one: a value's further lines carry a mark."""
    text = HOSTILE.replace("\x00", "")
    trainer: Body = {"env": [{"name": "X", "value": text}]} if field == "value" else {}
    if field in ("command", "image"):
        trainer = {field: [text] if field == "command" else text}
    made = runtime("torch", {"torch": {}})
    if field == "port":
        [job] = made["spec"]["template"]["spec"]["replicatedJobs"]
        [container] = job["template"]["spec"]["template"]["spec"]["containers"]
        container["ports"] = [{"containerPort": 8080, "name": text}]
    repository.write({"a.yaml": json.dumps(made), "b.yaml": json.dumps(train_job("bert", "torch", trainer=trainer))})
    exit_code, out, err = env("TrainJob/bert")
    if exit_code == 1:
        assert (out, field) == ("", "port"), err
        return
    assert "red" in out
    assert [character for character in out if not character.isprintable() and character != "\n"] == []
    assert [line for line in out.splitlines() if line in ("required Secrets and ConfigMaps", "  Secret none")] == []
    _, out, _ = env("TrainJob/bert", "-o", "json")
    assert json.loads(out)["trainJob"]["name"] == "bert"
    assert [character for character in out if not character.isprintable() and character != "\n"] == []


@pytest.mark.parametrize("name", ["\x1b[2Jx", "nowhere", "x\ny"])
def test_a_hostile_target(name: str, repository: Repository, env: Any) -> None:
    repository.write({"a.yaml": [TORCH]})
    exit_code, out, err = env(f"TrainJob/{name}")
    assert (exit_code, out) == (1, "")
    assert err.startswith("error: TrainJob/")
    assert "\x1b" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "target", ["TrainJob/bert", "trainjob/bert", "trainjobs/bert", "TrainJobs.trainer.kubeflow.org/bert"]
)
def test_how_a_train_job_may_be_named(target: str, repository: Repository, env: Any) -> None:
    repository.write({"a.yaml": [TORCH, torch_job()]})
    assert env(target)[0] == 0


@pytest.mark.parametrize(
    ("target", "advice"),
    [
        ("JobSet/bert", "write TrainJob/bert"),
        ("TrainJob/", "write KIND/NAME"),
        ("/bert", "write KIND/NAME"),
        ("", "write KIND/NAME"),
    ],
)
def test_what_is_no_train_job(target: str, advice: str, env: Any) -> None:
    exit_code, out, err = env(target)
    assert (exit_code, out) == (2, "")
    assert advice in err


def test_the_nearest_name(repository: Repository, env: Any) -> None:
    repository.write({"a.yaml": [TORCH, torch_job()]})
    assert env("TrainJob/bret") == (1, "", 'error: TrainJob/bret does not exist; did you mean "bert"?\n')


def test_several_of_one_name(repository: Repository, env: Any) -> None:
    jobs = [train_job("bert", "torch", namespace, trainer={}) for namespace in ("a", "b")]
    repository.write({"runtimes/r.yaml": [TORCH], "a.yaml": [jobs[0]], "b.yaml": [jobs[1]]})
    exit_code, out, err = env("TrainJob/bert")
    assert (exit_code, out) == (1, "")
    assert err == (
        "error: TrainJob/bert matches 2 objects; choose one with -n, or pass its files with -f:\n"
        "  TrainJob/bert in namespace a (a.yaml:4)\n  TrainJob/bert in namespace b (b.yaml:4)\n"
    )
    exit_code, out, err = env("TrainJob/bert", "-n", "b")
    assert (exit_code, out.splitlines()[0], err) == (0, "TrainJob b/bert, Trainer 2.3", "")
    assert env("TrainJob/bert", "-n", "c") == (
        1,
        "",
        "error: TrainJob/bert does not exist in namespace c\n"
        "note: these exist: TrainJob/bert in namespace a, TrainJob/bert in namespace b\n",
    )


def test_the_namespace_of_what_states_none(repository: Repository, env: Any) -> None:
    job = manifest("TrainJob", "bert", api_version=TORCH["apiVersion"], spec={})
    job["spec"] = {"runtimeRef": {"name": "own", "kind": "TrainingRuntime"}}
    repository.write({"a.yaml": [team_runtime("own"), job]})
    exit_code, out, _ = env("TrainJob/bert", "-n", "team")
    assert (exit_code, out.splitlines()[0]) == (0, "TrainJob team/bert, Trainer 2.3")


def test_an_overlay_is_looked_at_when_it_is_named(repository: Repository, env: Any) -> None:
    repository.write({"runtimes/r.yaml": [TORCH], "overlays/prod/job.yaml": [torch_job()]})
    repository.write({"overlays/prod/overlay.yaml": overlay("job.yaml", nameSuffix="-prod", namespace="prod")})
    exit_code, out, err = env("TrainJob/bert-prod")
    assert (exit_code, out) == (1, "")
    assert err == (
        "error: TrainJob/bert-prod does not exist\nnote: overlays are only read if passed with -f: overlays/prod\n"
    )
    for name in ("bert-prod", "bert"):
        exit_code, out, err = env("-f", "overlays/prod", f"TrainJob/{name}")
        assert (exit_code, out.splitlines()[0], err) == (0, "TrainJob prod/bert-prod, Trainer 2.3", "")


CONFIG = {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Config", "deploy": ["overlays/*"]}


def test_what_the_repository_deploys_is_looked_up_as_review_prints_it(repository: Repository, env: Any) -> None:
    prod = overlay("../../jobs", namespace="prod", nameHash=True)
    repository.write({"jobs/bert.yaml": [torch_job()], "runtimes/torch.yaml": [TORCH], "trainjob.yaml": [CONFIG]})
    repository.write({"overlays/prod/overlay.yaml": prod, "elsewhere/bert.yaml": "kind: TrainJob\nspec: ["})
    name = re.findall(r"^ {2}name: (bert-\w+)$", repository.build().out, re.MULTILINE)[0]
    expected = f"TrainJob prod/{name}, Trainer 2.3"
    for words in (["bert"], [f"prod/{name}"], [f"TrainJob/{name}"], [name, "-n", "prod"]):
        exit_code, out, err = env(*words)
        assert (exit_code, out.splitlines()[0], err) == (0, expected, ""), words
    for target in (f"prod/{name}", f"TrainJob/{name}", "ClusterTrainingRuntime/torch"):
        explained = repository.run("explain", target, "metadata.name")
        assert (explained.exit_code, explained.err) == (0, ""), target
    path = "spec.replicatedJobs[node].template.spec.completions"
    for target in ("bert", "prod/bert", f"prod/{name}"):
        explained = repository.run("explain", target, path)
        assert (explained.exit_code, explained.out.splitlines()[0]) == (0, f"JobSet/{name} {path}"), target


def test_what_nothing_deploys_is_looked_up_in_its_file(repository: Repository, env: Any) -> None:
    repository.write({"jobs/bert.yaml": [torch_job()], "runtimes/torch.yaml": [TORCH], "trainjob.yaml": [CONFIG]})
    repository.write({"overlays/dev/overlay.yaml": overlay("job.yaml"), "overlays/dev/job.yaml": [torch_job("gpt")]})
    repository.write({"old/torch.yaml": [TORCH], "old/broken.yaml": "kind: TrainJob # bert\nspec: ["})
    exit_code, out, err = env("bert")
    assert (exit_code, out.splitlines()[0], err) == (0, "TrainJob bert, Trainer 2.3", "")


def test_a_job_in_several_overlays_asks_for_one(repository: Repository, env: Any) -> None:
    repository.write({"jobs/bert.yaml": [torch_job()], "runtimes/torch.yaml": [TORCH], "trainjob.yaml": [CONFIG]})
    repository.write({f"overlays/{each}/overlay.yaml": overlay("../../jobs") for each in ("dev", "prod")})
    message = "error: TrainJob/bert is in 2 overlays; pass -f overlays/dev or -f overlays/prod\n"
    assert env("bert") == (1, "", message)
    assert env("bert", "-f", "overlays/dev")[0] == 0


def test_renamed_jobs_are_listed_beside_those_of_several_overlays(repository: Repository, env: Any) -> None:
    repository.write({"jobs/bert.yaml": [torch_job()], "runtimes/torch.yaml": [TORCH], "trainjob.yaml": [CONFIG]})
    repository.write({f"overlays/{each}/overlay.yaml": overlay("../../jobs") for each in ("dev", "test")})
    repository.write({"overlays/prod/overlay.yaml": overlay("../../jobs", namespace="prod", nameSuffix="-prod")})
    message = "error: TrainJob/bert is in 2 overlays; pass -f overlays/dev or -f overlays/test\n"
    note = "note: overlays renamed other objects of this name: TrainJob/bert-prod in namespace prod\n"
    assert env("bert") == (1, "", message + note)


def test_a_lost_value_is_where_the_overlay_patched_it(repository: Repository, env: Any) -> None:
    made = runtime("torch", {"numNodes": 2, "torch": {}})
    [job] = made["spec"]["template"]["spec"]["replicatedJobs"]
    [container] = job["template"]["spec"]["template"]["spec"]["containers"]
    container["env"] = [{"name": "PET_NNODES", "value": "7"}]
    path = "/spec/template/spec/replicatedJobs/0/template/spec/template/spec/containers/0/env/0/value"
    patch = {"target": {"kind": "ClusterTrainingRuntime"}, "patch": [{"op": "replace", "path": path, "value": "9"}]}
    repository.write({"base/runtime.yaml": [made], "base/job.yaml": [train_job("bert", "torch", trainer={})]})
    repository.write({"overlays/prod/overlay.yaml": overlay("../../base", patches=[patch])})
    repository.write({"base/overlay.yaml": overlay("runtime.yaml", "job.yaml")})
    exit_code, out, err = env("-f", "overlays/prod", "TrainJob/bert", "-o", "json")
    assert (exit_code, err) == (0, "")
    [warning] = json.loads(out)["warnings"]
    assert warning["message"].startswith('the value "9" is overwritten')
    text = (repository.directory / "overlays/prod/overlay.yaml").read_text()
    assert warning["source"] == {"file": "overlays/prod/overlay.yaml", "line": at(text, "value: '9'")}


def test_a_rejected_train_job(repository: Repository, env: Any) -> None:
    repository.write({"a.yaml": [TORCH, torch_job(env=[{"name": "PET_NNODES", "value": "2"}])]})
    exit_code, out, err = env("TrainJob/bert")
    assert (exit_code, out) == (1, "")
    assert " error KTJ" in err


def test_an_error_elsewhere_hides_nothing(repository: Repository, env: Any) -> None:
    repository.write(
        {"a.yaml": [TORCH, torch_job()], "b.yaml": "kind: TrainJob\na: [", "c.yaml": [train_job("other", "nowhere")]}
    )
    exit_code, out, err = env("TrainJob/bert")
    assert (exit_code, out.splitlines()[0]) == (1, "TrainJob bert, Trainer 2.3")
    assert "b.yaml:" in err
    assert "c.yaml" not in err, "another TrainJob is not expanded"


@pytest.mark.parametrize(("option", "version"), [([], "2.2"), (["--trainer-version", "2.1"], "2.1")])
def test_the_version_that_is_meant(option: list[str], version: str, repository: Repository, env: Any) -> None:
    settings = {"apiVersion": "kubectl-trainjob.dev/v1alpha1", "kind": "Config", "target": {"trainer": "2.2"}}
    repository.write({"trainjob.yaml": [settings], "a.yaml": [PLAIN, train_job("bert", "plain")]})
    _, out, _ = env("TrainJob/bert", "-o", "json", *option)
    assert json.loads(out)["trainerVersion"] == version


def test_colour_is_for_terminals(repository: Repository, env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write({"a.yaml": [TORCH, train_job("bert", "torch")]})
    assert "\x1b" not in env("TrainJob/bert")[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    coloured = env("TrainJob/bert")[1]
    assert coloured.startswith("\x1b[1mTrainJob bert, Trainer 2.3\x1b[0m\n")
    assert "\x1b[1;35mwarnings\x1b[0m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in env("TrainJob/bert")[1]


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_page_has_what_json_has(repository: Repository, env: Any, form: str) -> None:
    job = torch_job(env=[{"name": "LINES", "value": "one\n<b>two"}], command=["torchrun", "a|b"], resourcesPerNode=GPUS)
    repository.write({"job.yaml": [job], "runtimes/torch.yaml": [TORCH]})
    page = env("TrainJob/bert", "-o", form)[1]
    tree = by_github(page) if form == "markdown" else parsed(page)
    rows = [[list(in_code(cell)) for cell in row] for row in tree.iter("tr")]
    values = {tuple(name): value for name, value, *_ in rows}
    (role,) = json.loads(env("TrainJob/bert", "-o", "json")[1])["roles"]
    (container,) = role["containers"]
    for each in container["env"]:
        if "value" in each:
            assert values[each["name"],] == each["value"].split("\n")
    assert values["image",] == [container["image"]]
    assert values["command",] == ["torchrun 'a\\x7cb'" if form == "markdown" else "torchrun 'a|b'"]
    assert f"{role['name']}" in [text for title in tree.iter() if title.tag in ("h2", "h4") for text in in_code(title)]
