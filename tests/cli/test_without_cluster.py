"""The commands that talk to a cluster, without one: exit code 2, and the cause on the last line."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.cli.pages import read
from tests.readme import ROOT

COMMANDS = (
    ("status",),
    ("status", "a", "-o", "json"),
    ("logs", "a"),
    ("suspend", "a"),
    ("resume", "a", "--wait"),
    ("doctor",),
    ("apply", "--wait", "jobs"),
    ("controller", "once"),
)
KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: here
clusters: [{name: here, cluster: {server: "https://127.0.0.1:PORT", insecure-skip-tls-verify: true}}]
users: [{name: me, user: {token: secret-token}}]
contexts: [{name: here, context: {cluster: here, user: me}}]
"""


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The last line of stderr of a command that could not reach a cluster."""
    assert run("kubectl-trainjob", arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert "secret-token" not in captured.err
    last = captured.err.splitlines()[-1]
    assert last.startswith("error: ")
    return last


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without a kubeconfig, in a directory with an empty folder `jobs`."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    return tmp_path


_LEASE = "the duration of the Lease must be longer than --leader-elect-renew-deadline"


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("-n", "a", "-A"), "-n and -A cannot be used together"),
        (("--directory", "a=."), ""),
        (("--directory", "a=.", "--directory", "b=.", "--directory", "a=jobs"), '--directory "a" is duplicate'),
        (("--directory", "a"), '"a" is not NAME=PATH'),
        (("--resync", "0"), "--resync must be 1s or longer"),
        (("--resync", "1d"), '"1d" is not a duration'),
        (("--trainer-version", "2.3"), "--trainer-version needs --shadow"),
        (("--storage-adv-address", "host"), "--storage-adv-address needs --storage-path"),
        (("--leader-elect-renew-deadline", "35s"), _LEASE),
        (("--leader-elect-retry-period", "0"), _LEASE),
        (("--concurrent", "0"), "0 is not in the range x>=1"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_options_of_the_controller(arguments: tuple[str, ...], cause: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A usage error comes before any request, and before the kubeconfig."""
    assert (cause or "no kubeconfig at") in fails(capsys, "controller", "run", *arguments)


@pytest.mark.parametrize("command", [*COMMANDS, ("apply",)], ids=" ".join)
def test_no_kubeconfig(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert "no kubeconfig at" in fails(capsys, *command)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_server_is_not_reachable(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        (home / "config").write_text(KUBECONFIG.replace("PORT", str(reserved.getsockname()[1])))
        monkeypatch.setenv("KUBECONFIG", str(home / "config"))
        if command[0] == "apply":
            (home / "jobs" / "a.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
        assert "Connection refused" in fails(capsys, *command)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("{", "the kubeconfig is not valid"),
        ("[]", "the kubeconfig is not valid"),
        ("apiVersion: v1\nkind: Config\n", "the kubeconfig is not valid"),
        (KUBECONFIG.replace("current-context: here", "current-context: there"), "the kubeconfig is not valid"),
    ],
)
def test_a_broken_kubeconfig(text: str, cause: str, capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "config").write_text(text)
    assert cause in fails(capsys, "status", "--kubeconfig", str(home / "config"))


def test_an_unknown_context(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "config").write_text(KUBECONFIG.replace("PORT", "1"))
    assert "absent" in fails(capsys, "status", "--kubeconfig", str(home / "config"), "--context", "absent")


@pytest.mark.parametrize(
    "command",
    [
        "status -A a",
        "logs",
        "logs a --rank -1",
        "suspend",
        "resume a --timeout soon",
        "doctor -o yaml",
        "status -l a=b,,",
        "apply -l !!a",
        "secrets -l !!a",
        "secrets -l \udcff",
        "secrets --applyset \udcff",
        "apply --adopt-from a_b",
        "apply --applyset configmap/..",
    ],
)
def test_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    fails(capsys, *command.split())


@pytest.mark.parametrize("words", [("--as", "\udcff"), ("--as", "a\nb"), ("--as", "a", "--as-group", "a\x00")])
def test_users_that_no_header_can_have(words: tuple[str, ...], capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "config").write_text(KUBECONFIG.replace("PORT", "1"))
    assert "is not a user or a group" in fails(capsys, "status", "--kubeconfig", str(home / "config"), *words)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_group_without_a_user(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert "--as-group needs --as" in fails(capsys, *command, "--as-group", "a")


def test_a_user_of_other_letters(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "config").write_text(KUBECONFIG.replace("PORT", "1"))
    assert "Connection refused" in fails(capsys, "status", "--kubeconfig", str(home / "config"), "--as", "日本")


@pytest.mark.parametrize("command", [each for each in COMMANDS if each[-1] in ("a", "doctor", "status")], ids=" ".join)
def test_the_extra_is_not_installed(command: tuple[str, ...]) -> None:
    code = f"import sys; sys.modules['kubernetes'] = None; from kubectl_trainjob.cli.app import run; sys.exit(run('kubectl-trainjob', {list(command)}))"  # noqa: E501 - one program
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    _, _, install = ran.stderr.partition(
        "error: this command needs the package kubernetes; install it in the same environment: "
    )
    assert install == _pip_command() + "\n"


@pytest.mark.parametrize("page", ["apply", "controller", "doctor", "status"])
def test_pages_name_what_the_extra_has(page: str) -> None:
    assert f"`{_pip_command()}`" in read(page)


def _pip_command() -> str:
    """What installs the packages of the extra without a published release."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        packages = tomllib.load(file)["project"]["optional-dependencies"]["cluster"]
    return f"pip install {shlex.join(packages)}"


@pytest.mark.parametrize("command", ["status", "logs", "suspend", "resume", "doctor"])
def test_help_loads_no_client(command: str) -> None:
    code = f"import sys; from kubectl_trainjob.cli.app import run; run('kubectl-trainjob', ['{command}', '--help']); assert 'kubernetes' not in sys.modules and 'urllib3' not in sys.modules"  # noqa: E501 - one program
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
