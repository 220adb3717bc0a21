"""Standard input, output and error of the real program: closed, full, and interrupted while it reads and works."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Repository
from tests.cli.manifests import MPI, PLAIN, config, config_map, stream, train_job
from tests.loops import sample

BUILD = [sys.executable, "-m", "kubectl_trainjob", "build"]
NOTE = b"note: Secret a-mpi-ssh-auth must exist: the MPI job's SSH keys, as ssh-privatekey and ssh-publickey\n"

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
needs_groups = pytest.mark.skipif(os.name != "posix", reason="this system has no process groups")


def redirected(redirection: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """`build` with a shell's redirection, `>&-` say."""
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *BUILD, *arguments]
    return subprocess.run(command, capture_output=True, timeout=600, check=False)


def left(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def job(repository: Repository) -> bytes:
    """A repository with `a.yaml`, which gives a result and a note; what is printed."""
    repository.write({"a.yaml": [train_job("a", "mpi"), config_map("ä", größe="模型"), MPI]})
    return repository.build("a.yaml").out.encode()


def test_a_result_beyond_the_limit_is_rejected_whole(job: bytes, repository: Repository) -> None:
    """Bytes are counted, not characters."""
    repository.write({"trainjob.yaml": config(limits={"outputBytes": len(job)})})
    at_the_limit = repository.build("a.yaml")
    assert (at_the_limit.exit_code, at_the_limit.out.encode()) == (0, job)
    repository.write({"trainjob.yaml": config(limits={"outputBytes": len(job) - 1})})
    beyond = repository.build("a.yaml")
    assert (beyond.exit_code, beyond.out) == (2, "")
    assert "\nerror: the result is larger than " in beyond.err


def test_nothing_is_closed(job: bytes) -> None:
    assert left(redirected("", "a.yaml")) == (0, job, NOTE)


def test_closed_output(job: bytes) -> None:
    assert job
    message = b"error: standard output is closed, so the result has nowhere to go\n"
    assert left(redirected(">&-", "a.yaml")) == (2, b"", NOTE + message)


def test_closed_error_output_keeps_result_and_exit_code(job: bytes, repository: Repository) -> None:
    assert left(redirected("2>&-", "a.yaml")) == (0, job, b"")
    assert left(redirected("2>&-", "none.yaml")) == (2, b"", b"")
    repository.write({"b.yaml": "a: [\n"})
    assert left(redirected("2>&-", "b.yaml")) == (1, b"", b"")


def test_everything_closed(job: bytes) -> None:
    assert job
    assert left(redirected("<&- >&- 2>&-", "a.yaml")) == (2, b"", b"")


@pytest.mark.usefixtures("repository")
def test_closed_input() -> None:
    message = b'error: standard input is closed, so "-" has nothing to read\n'
    assert left(redirected("<&-", "-")) == (2, b"", message)


def test_closed_input_that_nobody_asks_for(job: bytes) -> None:
    assert left(redirected("<&-", "a.yaml")) == (0, job, NOTE)


@needs_full
@pytest.mark.parametrize("fmt", ["yaml", "json"])
def test_full_output(fmt: str, job: bytes) -> None:
    assert job
    message = b"error: the result could not be written: No space left on device\n"
    assert left(redirected(">/dev/full", "a.yaml", "-o", fmt)) == (2, b"", NOTE + message)


@needs_full
def test_full_error_output_keeps_result_and_exit_code(job: bytes) -> None:
    assert left(redirected("2>/dev/full", "a.yaml")) == (0, job, b"")
    assert left(redirected("2>/dev/full", "none.yaml")) == (2, b"", b"")


def test_a_directory_that_is_gone(repository: Repository) -> None:
    gone = repository.directory / "gone"
    gone.mkdir()
    command = ["sh", "-c", 'rmdir ../gone && exec "$@"', "sh", *BUILD]
    done = subprocess.run(command, cwd=gone, capture_output=True, timeout=600, check=False)
    assert left(done) == (2, b"", b"error: No such file or directory\n")


@pytest.mark.parametrize(
    ("settings", "is_coloured"),
    [
        pytest.param({}, True, id="terminal"),
        pytest.param({"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param({"TERM": "dumb"}, False, id="dumb terminal"),
    ],
)
def test_colour_on_a_terminal(settings: dict[str, str], is_coloured: bool, repository: Repository) -> None:
    repository.write({"a.yaml": "a: [\n"})
    reading, terminal = pty.openpty()
    try:
        done = subprocess.run(
            [*BUILD, "-q", "a.yaml"],
            stdout=subprocess.PIPE,
            stderr=terminal,
            env={**os.environ, **settings},
            timeout=600,
            check=False,
        )
        shown = os.read(reading, 1 << 16)
    finally:
        os.close(terminal)
        os.close(reading)
    assert (done.returncode, done.stdout) == (1, b"")
    assert shown.startswith(b"\x1b[1ma.yaml:" if is_coloured else b"a.yaml:")
    assert (b"\x1b" in shown) == is_coloured


@pytest.fixture
def pipe(repository: Repository) -> Iterator[Path]:
    """A named pipe in the repository."""
    path = repository.directory / "jobs.fifo"
    os.mkfifo(path)
    yield path
    path.unlink()


def started(pipe: Path) -> tuple[subprocess.Popen[bytes], int]:
    """`build` of a named pipe in a process group of its own, and the other end, once it reads there."""
    process = subprocess.Popen(
        [*BUILD, str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    while process.poll() is None:
        try:
            return process, os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            time.sleep(0.01)
    pytest.fail(f"the program ended before it read: {process.communicate()}")


@needs_groups
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "first", sample({"a document": stream(config_map("a")), "nothing": "", "an error": "a: [\n"}, every=3)
)
def test_an_interrupt_while_it_reads_is_quiet(first: str, pipe: Path) -> None:
    process, end = started(pipe)
    os.write(end, first.encode())
    out, err = interrupted(process)
    os.close(end)
    assert (process.returncode, out, err) == (130, b"", b"")


def interrupted(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What it printed until it ended. A signal that comes just before Python waits for input is seen only after that:
    so, as a person would, this tries again.
    """
    for _ in range(20):
        os.killpg(process.pid, signal.SIGINT)
        try:
            return process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            continue
    pytest.fail("it does not end")


def helpers(process: subprocess.Popen[bytes]) -> str:
    """The processes that help another one, where the system lists them; "" when there are none."""
    try:
        return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    except OSError:
        return ""


@needs_groups
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_it_compiles_is_quiet(pipe: Path) -> None:
    """It goes to the whole group, as a terminal sends it: processes that help must be quiet and end, too."""
    jobs = stream(PLAIN, *(train_job(f"a{number}", "plain") for number in range(4000))).encode()
    process, end = started(pipe)
    os.set_blocking(end, True)
    with os.fdopen(end, "wb") as file:
        file.write(jobs)
    latest = time.monotonic() + 0.5
    while not helpers(process) and time.monotonic() < latest:
        time.sleep(0.01)
    time.sleep(0.05)  # until all of them have started
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=600)  # returns when none of the group holds these any more
    assert (process.returncode, out, err) == (130, b"", b"")
