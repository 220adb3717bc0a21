"""`init`: what it writes builds at once, and whatever stops it leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.kube.facts.supported import TRAINER_VERSIONS
from kubectl_trainjob.repository import catalogue
from kubectl_trainjob.repository.output.folder import Folder
from tests.commands import call
from tests.loops import sample
from tests.ordinary import ordinary_user
from tests.property import readers
from tests.tools import require

CLI = [sys.executable, "-m", "kubectl_trainjob"]
PROGRAM = "kubectl_trainjob/__main__.py"
# Before these releases Trainer knew nothing of what the runtime of ours needs (its CHANGELOGs 2.1 and 2.2).
SINCE = {"jax": "2.2", "torch-finetune": "2.2", "torch-volcano": "2.1", "xgboost": "2.2"}
PIECES = [
    "trainjob.yaml",
    "runtimes/{}.yaml",
    "jobs/train.yaml",
    "overlays/dev/overlay.yaml",
    "overlays/prod/overlay.yaml",
    ".trainjob.schema.json",
]


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def contents(folder: Path) -> dict[str, str]:
    return {path: (folder / path).read_text() for path in tree(folder) if (folder / path).is_file()}


def objects(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """What a build prints, which must have nothing to say but which Secrets it needs."""
    done = call(folder, "build", "-o", "json", *arguments)
    assert [line for line in done.stderr.splitlines() if not line.startswith("note: Secret ")] == []
    assert done.returncode == 0
    return list(json.loads(done.stdout)["items"])


built_once = cache(objects)


def jobset(items: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = (item for item in items if item["kind"] == "JobSet")
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory, the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def init(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Runs `init`; returns the exit code and what was said. Nothing may be printed."""

    def called(*arguments: str) -> tuple[int, str]:
        code = run("kubectl-trainjob", ["init", *arguments])
        out, err = capfd.readouterr()
        assert out == ""
        return code, err

    return called


Init = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module", params=sample(catalogue.names(), every=3))
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A runtime's name, and a new repository for it."""
    folder = tmp_path_factory.mktemp("new")
    done = call(folder, "init", "--runtime", request.param, program=PROGRAM)
    created = [f"created {path.format(request.param)}" for path in PIECES]
    following = "next: python -m kubectl_trainjob build overlays/dev"
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [*created, following]
    return request.param, folder


def test_a_new_repository_builds(started: tuple[str, Path]) -> None:
    _, folder = started
    assert jobset(built_once(folder, "jobs"))["metadata"]["name"] == "train"


@pytest.mark.parametrize("overlay", ["dev", "prod"])
def test_its_overlays_build(started: tuple[str, Path], overlay: str) -> None:
    _, folder = started
    metadata = jobset(built_once(folder, f"overlays/{overlay}"))["metadata"]
    assert metadata["namespace"] == overlay
    assert re.fullmatch("train" if overlay == "dev" else "train-[0-9a-f]+", metadata["name"])


def test_a_comment_of_the_overlay_dev_shows_how_a_changed_job_gets_a_new_name(here: Path, init: Init) -> None:
    init()
    file = here / "overlays/dev/overlay.yaml"
    file.write_text(file.read_text().replace("# nameHash: true", "nameHash: true"))
    assert re.fullmatch("train-[0-9a-f]+", jobset(objects(here, "overlays/dev"))["metadata"]["name"])


def test_production_has_more_nodes_where_the_framework_can_use_them(started: tuple[str, Path]) -> None:
    name, folder = started
    jobs = {
        where: jobset(built_once(folder, where))["spec"]["replicatedJobs"]
        for where in ("overlays/dev", "overlays/prod")
    }
    sizes = [sum(job["template"]["spec"]["completions"] for job in jobs[where]) for where in jobs]
    assert sizes[1] - sizes[0] == (0 if name.startswith("torchtune-") else 2)


def test_its_script_uses_what_trainer_provides(started: tuple[str, Path]) -> None:
    _, folder = started
    spec = jobset(built_once(folder, "jobs"))["spec"]
    pods = [job["template"]["spec"]["template"]["spec"] for job in spec["replicatedJobs"]]
    (node,) = (
        c for pod in pods for c in pod["containers"] if "sshd" not in str(c.get("command")) and c["name"] == "node"
    )
    command = "\n".join(node["command"])
    used = set(re.findall(r"""environ\[["'](\w+)["']\]""", command))
    of_mpirun = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"} if command.startswith("mpirun") else set()
    assert used <= {env["name"] for env in node.get("env", ())} | of_mpirun
    if "--hostfile" in command:
        assert "/etc/mpi" in [mount["mountPath"] for mount in node["volumeMounts"]]


def test_every_reader_reads_the_same(started: tuple[str, Path]) -> None:
    name, folder = started
    for path in (path.format(name) for path in PIECES[:-1]):
        text = (folder / path).read_text()
        meant = list(yaml.safe_load_all(text))
        found = [readers.ruamel_12(text), readers.ruamel_11(text)]
        if path.startswith(("runtimes", "jobs")):
            for body in meant:
                body["metadata"].pop("labels", None)
            found = [readers.kubectl(text), readers.kustomize(text)]
        assert [readers.differences(meant, each) for each in found] == [[], []]


def test_editors_find_the_schema(here: Path, init: Init) -> None:
    """The schema that the line of each file names accepts the file, and no typing error in it."""
    assert init("new", "--runtime", "plain")[0] == 0
    os.chdir("new")
    assert init("job", "more", "--runtime", "torch")[0] == init("overlay", "qa")[0] == 0
    files = sorted(Path().rglob("*.yaml"))
    assert len(files) == 8
    errors = []
    for number, file in enumerate(files):
        (line,) = (each for each in file.read_text().splitlines() if "yaml-language-server" in each)
        schema = file.parent / line.removeprefix("# yaml-language-server: $schema=")
        assert schema.resolve() == (here / "new/.trainjob.schema.json")
        errors.append(here / f"error-{number}.yaml")
        errors[-1].write_text(file.read_text().replace("\nkind: ", "\nknid: 1\nkind: "))
    assert _rejected(schema, files) == set()
    assert _rejected(schema, errors) == set(map(str, errors))


def _rejected(schema: Path, files: list[Path]) -> set[str]:
    command = [require("check-jsonschema"), "-o", "json", "--schemafile", schema, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return {each["filename"] for each in json.loads(done.stdout).get("errors", ())}


@pytest.mark.parametrize("version", sample(TRAINER_VERSIONS, every=4))
@pytest.mark.parametrize("name", catalogue.versions())
def test_a_runtime_suits_a_trainer_or_is_rejected(name: str, version: str, here: Path, init: Init) -> None:
    code, said = init("--runtime", name, "--trainer-version", version)
    if (version, name) == ("2.0", "torchtune-llama3.2-3b"):  # a recipe that this Trainer does not have
        assert (code, tree(here)) == (2, [])
        return
    if name in catalogue.names(version) and version >= SINCE.get(name, ""):
        assert (code, said.count("created ")) == (0, len(PIECES))
        assert yaml.safe_load(Path("trainjob.yaml").read_text())["target"] == {"trainer": version}
        assert Path(f"runtimes/{name}.yaml").read_text().endswith(f"\n{catalogue.read(name, version)}")
        return
    why = f'does not accept "{name}": ' if name in catalogue.names(version) else f'comes without "{name}", which comes '
    suitable = [each for each in catalogue.names(version) if version >= SINCE.get(each, "")]
    assert code == 2
    assert f"Invalid value for '--runtime': Trainer {version} {why}" in said
    assert said.endswith(f": {', '.join(suitable)}\n")
    assert tree(here) == []


def test_for_a_cluster_with_trainer(here: Path, init: Init) -> None:
    assert init("--emit", "trainjob")[0] == 0
    assert [each["kind"] for each in objects(here, "jobs")] == ["TrainJob"]
    (job,) = objects(here, "overlays/prod")
    assert (job["kind"], job["metadata"]["namespace"], job["spec"]["trainer"]["numNodes"]) == ("TrainJob", "prod", 4)


@pytest.mark.parametrize("where", ["new", "a/b c/模型", "-", "--help", "."])
def test_the_directory_is_made(where: str, here: Path, init: Init) -> None:
    code, said = init("--name", "other", "--", where)
    assert code == 0
    assert f"created {os.path.normpath(f'{where}/jobs/other.yaml')}\n" in said
    command = re.search(r"next: kubectl trainjob build (.+)\n", said)
    assert command is not None
    built = call(here, "build", *shlex.split(command[1]))
    assert (built.returncode, built.stderr) == (0, "")


def test_a_link_that_is_named_is_followed(here: Path, init: Init) -> None:
    (here / "target").mkdir()
    (here / "link").symlink_to("target")
    assert init("link", "--name", "a" * 60)[0] == 2
    assert init("link")[0] == 0
    assert (here / "target" / "trainjob.yaml").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["--runtime", "torch-distribute"],
            'runtime "torch-distribute" does not exist; did you mean "torch-distributed"? '
            f"the runtimes are: {', '.join(sorted(catalogue.versions()))}\n",
            id="a runtime that nearly is",
        ),
        pytest.param(
            ["--runtime", "keras"],
            f'runtime "keras" does not exist; the runtimes are: {", ".join(sorted(catalogue.versions()))}',
            id="a runtime that is not",
        ),
        pytest.param(["--runtime", "../runtimes/plain"], 'runtime "../runtimes/plain" does not exist; ', id="a path"),
        pytest.param(
            ["--name", "My_Job"],
            "Invalid value for '--name': \"My_Job\" must consist of lower case letters, digits and '-', start with a "
            "letter and end with a letter or digit",
            id="an odd name",
        ),
        pytest.param(["--name", "1st"], '"1st" must consist of', id="a name that starts with a digit"),
        pytest.param(["--name", "../x"], '"../x" must consist of', id="a name that is a path"),
        pytest.param(["--name", "a" * 64], "must be no more than 63 characters", id="no label"),
        pytest.param(
            ["--name", "a" * 49],
            '(49 characters) makes the generated name "'
            f'{"a" * 49}-node-0-1-abcde" longer than 63 characters; use at most 48 characters; nothing was written\n',
            id="a name too long for the pods",
        ),
        pytest.param(
            ["--name", "a" * 38],
            "(49 characters) makes the generated name",
            id="a name too long for the pods of prod, whose name has a hash",
        ),
        pytest.param(
            ["--trainer-version", "1.9"], 'Trainer "1.9" is not supported; supported: 2.0, ', id="another Trainer"
        ),
        pytest.param(["--emit", "pod"], "'pod' is not one of 'jobset', 'trainjob'.", id="another result"),
        pytest.param(["a", "b"], "Got unexpected extra argument (b)", id="two directories"),
        pytest.param(["runtime"], "Missing argument 'NAME'.", id="a piece without a name"),
        pytest.param(
            ["runtime", "plan"],
            'Invalid value for \'NAME\': runtime "plan" does not exist; did you mean "plain"?',
            id="runtime",
        ),
        pytest.param(["job", "A"], "Invalid value for 'NAME': \"A\" must consist of", id="a job's odd name"),
        pytest.param(["job", "\udcff"], "Invalid value for 'NAME': ", id="a job's name of bytes"),
        pytest.param(
            ["job", "a", "--runtime", "keras"],
            'runtime "keras" does not exist; the runtimes are: ',
            id="a job's runtime",
        ),
        pytest.param(
            ["overlay", "a/b"], "Invalid value for 'NAME': \"a/b\" must consist of", id="an overlay's odd name"
        ),
        pytest.param(["overlay", "a", "-n", "B"], "Invalid value for '-n' / '--namespace': \"B\" must", id="namespace"),
        pytest.param(
            ["overlay", "a"],
            "an overlay needs the directory jobs/, which does not exist; add a job: init job",
            id="no jobs",
        ),
    ],
)
def test_what_is_asked_for_wrongly_is_rejected(arguments: list[str], message: str, here: Path, init: Init) -> None:
    (here / ".git").mkdir()
    code, said = init(*arguments)
    assert (code, tree(here)) == (2, [".git"])
    assert message in said


def test_nothing_is_overwritten_and_all_that_is_in_the_way_is_named(here: Path, init: Init) -> None:
    for path in ("trainjob.yaml", "overlays/prod/overlay.yaml"):
        (here / path).parent.mkdir(parents=True, exist_ok=True)
        (here / path).write_text("mine")
    before = contents(here)
    assert init() == (
        2,
        "error: trainjob.yaml: already exists; overlays/prod/overlay.yaml: already exists; nothing was written\n",
    )
    assert contents(here) == before


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        pytest.param(
            lambda r: _link(r / "jobs", "../out"), "r/jobs: a symbolic link, which is not followed", id="folder"
        ),
        pytest.param(lambda r: _link(r / "overlays/dev", "/tmp"), "r/overlays/dev: a symbolic link", id="inner folder"),
        pytest.param(
            lambda r: _link(r / "trainjob.yaml", "gone"), "r/trainjob.yaml: already exists", id="dangling file"
        ),
        pytest.param(lambda r: _link(r, "gone"), "r: not a directory", id="dangling directory"),
        pytest.param(lambda r: r.write_text(""), "r: not a directory", id="file"),
        pytest.param(lambda r: _link(r, "r"), "r: not a directory", id="loop"),
    ],
)
def test_links_and_files_are_not_written_through(
    prepare: Callable[[Path], object], message: str, here: Path, init: Init
) -> None:
    (here / "out").mkdir()
    prepare(here / "r")
    before = tree(here)
    code, said = init("r")
    assert (code, tree(here)) == (2, before)
    assert re.fullmatch(f"error: {re.escape(message)}.*; nothing was written\n", said)


def test_below_a_file(here: Path, init: Init) -> None:
    (here / "file").touch()
    assert init("file/r") == (2, "error: file/r: Not a directory; nothing was written\n")


@pytest.fixture
def unprivileged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory, of a user who is not allowed everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        monkeypatch.chdir(folder)
        with ordinary_user():
            yield folder
        folder.chmod(0o700)
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("locked", "message"),
    [
        pytest.param(".", "trainjob.yaml: Permission denied", id="the directory"),
        pytest.param("jobs", "jobs/train.yaml: Permission denied", id="a folder in it"),
    ],
)
def test_where_nothing_may_be_written(locked: str, message: str, unprivileged: Path, init: Init) -> None:
    (unprivileged / locked).mkdir(exist_ok=True)
    (unprivileged / locked).chmod(0o500)
    before = tree(unprivileged)
    assert init() == (2, f"error: {message}; nothing was written\n")
    assert tree(unprivileged) == before


_LIMITED = """
import resource, sys
from kubectl_trainjob.cli.app import run
resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
sys.exit(run("kubectl-trainjob", ["init", "new"]))
"""


def test_no_room(here: Path) -> None:
    done = subprocess.run([sys.executable, "-B", "-c", _LIMITED], capture_output=True, text=True, cwd=here, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: new/runtimes/torch.yaml: File too large; nothing was written\n"
    assert tree(here) == []


def test_an_interrupt_while_files_are_written(here: Path, monkeypatch: pytest.MonkeyPatch, init: Init) -> None:
    create = Folder.create

    def interrupted(folder: Folder, name: str, data: bytes) -> None:
        create(folder, name, data)
        if name == "train.yaml":
            raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "create", interrupted)
    monkeypatch.setattr("kubectl_trainjob.cli.app.redirect_to_devnull", lambda *_: None)
    (here / "jobs").mkdir()
    assert init() == (130, "")
    assert tree(here) == ["jobs"]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Programs started from here heed SIGINT, even where the tests themselves run in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_it_is_seen_whether_they_build(here: Path) -> None:
    env = {**os.environ, "PYTHONVERBOSE": "1"}  # says on stderr which modules are loaded
    started = subprocess.Popen([*CLI, "init", "new"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=here, env=env)
    assert started.stderr is not None
    for line in started.stderr:
        if b"import 'kubectl_trainjob.compiler.overlay.apply'" in line:
            break
    assert (here / "new" / "overlays" / "prod" / "overlay.yaml").is_file()
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=600)
    assert (started.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert tree(here) == []


def test_what_somebody_else_put_there_meanwhile_is_left(
    here: Path, monkeypatch: pytest.MonkeyPatch, init: Init
) -> None:
    create = Folder.create

    def overtaken(folder: Folder, name: str, data: bytes) -> None:
        if name == "train.yaml":
            (here / "new" / "jobs" / name).write_text("mine")
        create(folder, name, data)

    monkeypatch.setattr(Folder, "create", overtaken)
    assert init("new") == (2, "error: new/jobs/train.yaml: File exists; nothing was written\n")
    assert contents(here) == {"new/jobs/train.yaml": "mine"}
    assert tree(here) == ["new", "new/jobs", "new/jobs/train.yaml"]


def test_what_cannot_be_taken_back_is_named(here: Path, monkeypatch: pytest.MonkeyPatch, init: Init) -> None:
    def rejected(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Folder, "remove", rejected)
    code, said = init("new", "--name", "a" * 60)
    assert code == 2
    assert said.endswith(f"still exist: {', '.join(sorted(contents(here), key=said.index))}\n")
    assert len(contents(here)) == len(PIECES)


def test_what_was_there_and_does_not_build_is_reported(here: Path, init: Init) -> None:
    (here / "jobs").mkdir()
    (here / "jobs" / "old.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {nam: a}\n")
    code, said = init()
    assert (code, tree(here)) == (1, ["jobs", "jobs/old.yaml"])
    assert "jobs/old.yaml:3:12: error KTJ031" in said
    assert said.endswith("error: the repository does not build; nothing was written\n")


# -- one more piece


@pytest.fixture
def repository(here: Path, init: Init) -> Path:
    """A repository for Torch, the current directory."""
    assert init()[0] == 0
    return here


def test_a_job_more(repository: Path, init: Init) -> None:
    assert init("job", "evaluate") == (
        0,
        "created jobs/evaluate.yaml\nnext: kubectl trainjob build jobs/evaluate.yaml\n",
    )
    names = [item["metadata"]["name"] for item in objects(repository, "overlays/dev")]
    assert names == ["evaluate", "train"]


def test_a_job_and_its_runtime_more(repository: Path, init: Init) -> None:
    assert init("job", "evaluate", "--runtime", "plain") == (
        0,
        "created runtimes/plain.yaml\ncreated jobs/evaluate.yaml\nnext: kubectl trainjob build jobs/evaluate.yaml\n",
    )
    assert objects(repository, "jobs/evaluate.yaml")[0]["kind"] == "JobSet"
    code, said = init("job", "third")
    assert code == 2
    assert said == "error: there are several runtimes; pass one with --runtime: plain, torch\n"


def test_a_job_in_a_repository_without_anything(here: Path, init: Init) -> None:
    (here / ".git").mkdir()
    assert init("job", "first")[0] == 0
    assert contents(here).keys() == {"jobs/first.yaml", "runtimes/torch.yaml"}
    assert objects(here, "jobs")


def test_a_runtime_more(repository: Path, init: Init) -> None:
    assert init("runtime", "plain") == (
        0,
        "created runtimes/plain.yaml\nnext: kubectl trainjob init job NAME --runtime plain\n",
    )
    line, _, text = (repository / "runtimes" / "plain.yaml").read_text().partition("\n")
    assert (line[:22], text) == ("# yaml-language-server", catalogue.read("plain"))


def test_a_runtime_that_is_there_already(repository: Path, init: Init) -> None:
    (repository / "runtimes" / "torch.yaml").rename(repository / "runtimes" / "own.yaml")
    before = contents(repository)
    assert init("runtime", "torch") == (
        2,
        'error: runtimes/own.yaml: already has the runtime "torch"; nothing was written\n',
    )
    assert contents(repository) == before


@pytest.mark.parametrize("arguments", [pytest.param([], id="by name"), pytest.param(["-n", "team-a"], id="named")])
def test_an_overlay_more(arguments: list[str], repository: Path, init: Init) -> None:
    assert init("overlay", "qa", *arguments) == (
        0,
        "created overlays/qa/overlay.yaml\nnext: kubectl trainjob build overlays/qa\n",
    )
    assert jobset(objects(repository, "overlays/qa"))["metadata"]["namespace"] == (arguments[1:] or ["qa"])[0]


@pytest.mark.parametrize("word", ["no", "y", "on", "null", "1", "1e3", "0x10"])
def test_names_that_yaml_takes_for_something_else(word: str, here: Path, init: Init) -> None:
    job = "train" if word[0].isdigit() else word  # a JobSet's name begins with a letter
    assert init("--name", job, "--runtime", "plain")[0] == 0
    assert init("overlay", word)[0] == 0
    found = jobset(objects(here, f"overlays/{word}"))["metadata"]
    assert (found["name"], found["namespace"]) == (job, word)


@pytest.mark.parametrize("form", [["runtime", "plain"], ["job", "second"], ["overlay", "qa"]], ids=lambda form: form[0])
def test_the_root_is_found_from_below(
    form: list[str], repository: Path, init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "overlays" / "dev")
    before = tree(repository)
    code, said = init(*form)
    assert code == 0
    assert re.match(r"created \.\./\.\./\S+\n", said)
    (new,) = {path for path in tree(repository) if path.endswith(".yaml")} - set(before)
    assert new.startswith(("runtimes/", "jobs/", "overlays/qa/"))


def settings(folder: Path, text: str) -> None:
    head = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n"
    (folder / "trainjob.yaml").write_text(head + text)


def test_runtimes_go_where_the_settings_say(here: Path, init: Init) -> None:
    settings(here, "runtimes: [platform/runtimes, more]\n")
    (here / "more").mkdir()
    (here / "more" / "own.yaml").write_text(catalogue.read("plain").replace("name: plain", "name: own"))
    (here / "platform" / "runtimes").mkdir(parents=True)
    assert init("job", "first")[0] == 0
    assert "name: own" in (here / "jobs" / "first.yaml").read_text()
    assert init("runtime", "plain")[1].startswith("created platform/runtimes/plain.yaml\n")


def test_the_catalogue_is_not_copied_where_it_is_in_use(here: Path, init: Init) -> None:
    settings(here, "catalog: true\n")
    assert init("job", "first", "--runtime", "plain")[0] == 0
    assert contents(here).keys() == {"trainjob.yaml", "jobs/first.yaml"}
    assert objects(here, "jobs")


def test_a_runtime_of_the_catalogue_is_copied_for_edits(here: Path, init: Init) -> None:
    settings(here, "catalog: true\n")
    assert init("runtime", "plain")[0] == 0
    assert contents(here).keys() == {"trainjob.yaml", "runtimes/plain.yaml"}
    assert init("runtime", "plain")[0] == 2


def test_the_settings_name_the_trainer(here: Path, init: Init) -> None:
    settings(here, 'target: {trainer: "2.0"}\n')
    code, said = init("job", "first", "--runtime", "jax-distributed")
    assert code == 2
    assert 'Trainer 2.0 comes without "jax-distributed", which comes with Trainer 2.2, 2.3' in said
    code, said = init("job", "first", "--runtime", "jax")
    assert (code, 'Trainer 2.0 does not accept "jax"' in said) == (2, True)
    assert init("job", "first", "--runtime", "plain")[0] == 0


@pytest.mark.parametrize("form", [["runtime", "plain"], ["job", "second"], ["overlay", "qa"]], ids=lambda form: form[0])
def test_broken_settings_are_reported(form: list[str], repository: Path, init: Init) -> None:
    settings(repository, "taget: {}\n")
    before = tree(repository)
    code, said = init(*form)
    assert (code, tree(repository)) == (1, before)
    assert said.startswith("trainjob.yaml:3:1: error KTJ040")


def test_a_runtime_that_would_be_rejected_is_reported(here: Path, init: Init) -> None:
    (here / ".git").mkdir()
    (here / "runtimes").mkdir()
    (here / "runtimes" / "own.yaml").write_text(catalogue.read("plain").replace("mlPolicy", "mlPolcy"))
    code, said = init("job", "first")
    assert (code, tree(here)) == (1, [".git", "runtimes", "runtimes/own.yaml"])
    assert "runtimes/own.yaml:" in said


def test_the_catalogue_is_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", ["init", "--list-runtimes"]) == 0
    out, err = capfd.readouterr()
    head, *rows = out.splitlines()
    assert (head.split(), err) == (["NAME", "TRAINER", "DESCRIPTION"], "")
    assert [row.split()[0] for row in rows] == sorted(catalogue.versions())
    assert all(len(row.split()) > 4 for row in rows)
    trainer = {row.split()[0]: row.split()[1] for row in rows}
    assert [trainer[name] for name in ("plain", "jax-distributed", "mpi-distributed")] == ["2.0-2.3", "2.2-2.3", "2.0"]
