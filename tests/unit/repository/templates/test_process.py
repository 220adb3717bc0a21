"""The child process: it starts and ends with the build, and whatever it does, the build goes on or says why not."""

import contextlib
import gc
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import jinja2
import markupsafe
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kubectl_trainjob
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.positions import Locator
from kubectl_trainjob.repository.templates import process, render
from kubectl_trainjob.repository.templates.protocol import frame
from kubectl_trainjob.repository.templates.render import Answer, decode_answer
from tests.loops import sample
from tests.reading import Renderer

TEMPLATE = SourceFile("a.yaml.j2", "a: {{ x }}\nb\n")
BOMB = SourceFile("a", "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}")
CONTEXT = {"x": 1}
REPOSITORY = Path(__file__).parents[4]


def child_of(renderer: Renderer) -> int:
    assert renderer._process is not None
    return renderer._process._child.pid


def is_gone(pid: int) -> bool:
    """Whether no process has the id any more, not even one that waits to be reaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_for(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 120
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def text_of(made: SourceFile | Diagnostic) -> str:
    assert isinstance(made, SourceFile), made
    return made.text


def test_no_child_without_a_template() -> None:
    with Renderer() as renderer:
        assert renderer._process is None


def test_one_child_for_all_templates() -> None:
    with Renderer() as renderer:
        children = set()
        for number in range(3):
            assert text_of(renderer.render(TEMPLATE, {"x": number})) == f"a: {number}\nb\n"
            children.add(child_of(renderer))
    assert len(children) == 1
    assert is_gone(*children)


def test_equal_templates_with_equal_values_are_rendered_once() -> None:
    same = SourceFile("b.yaml.j2", TEMPLATE.text)
    other = SourceFile("c.yaml.j2", TEMPLATE.text + "c\n")
    with Renderer() as renderer:
        first = renderer.render(TEMPLATE, CONTEXT)
        os.kill(child_of(renderer), signal.SIGSTOP)
        second = renderer.render(same, CONTEXT)
        os.kill(child_of(renderer), signal.SIGCONT)
        assert text_of(first) == text_of(second) == "a: 1\nb\n"
        assert isinstance(second, SourceFile)
        assert second.written is not None
        assert (second.path, second.written.file, second.written.lines) == ("b.yaml.j2", same, (1, 2, 2))
        assert text_of(renderer.render(other, CONTEXT)) == "a: 1\nb\nc\n"
        assert text_of(renderer.render(TEMPLATE, {"x": 2})) == "a: 2\nb\n"
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"


def test_gone_when_dropped() -> None:
    renderer = Renderer()
    renderer.render(TEMPLATE, CONTEXT)
    child = child_of(renderer)
    del renderer
    gc.collect()
    assert is_gone(child)


def test_gone_after_an_exception() -> None:
    with contextlib.suppress(KeyboardInterrupt), Renderer() as renderer:
        renderer.render(TEMPLATE, CONTEXT)
        child = child_of(renderer)
        raise KeyboardInterrupt
    assert is_gone(child)


def test_interrupted_in_the_midst_of_a_template() -> None:
    with Renderer() as renderer:
        renderer.render(TEMPLATE, CONTEXT)
        child = child_of(renderer)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            with pytest.raises(KeyboardInterrupt):
                renderer.render(BOMB, CONTEXT)
        finally:
            signal.signal(signal.SIGALRM, before)
        assert is_gone(child)
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"


def test_closed_twice_and_used_again() -> None:
    renderer = Renderer()
    renderer.close()
    renderer.render(TEMPLATE, CONTEXT)
    renderer.close()
    renderer.close()
    assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"
    renderer.close()


def script(body: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(body)]


BUSY_PARENT = """
    import os, sys
    from kubectl_trainjob.model.limits import Limits
    from kubectl_trainjob.model.source import SourceFile
    from tests.reading import Renderer
    renderer = Renderer(Limits(template_seconds=600))
    renderer.render(SourceFile("a", "a"), {})
    print(renderer._process._child.pid, flush=True)
    loop = "{% for i in range(99999) %}"
    renderer.render(SourceFile("a", loop + loop + "{% endfor %}{% endfor %}"), {})
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_build_is_killed(end: signal.Signals) -> None:
    """The child and the copy that renders a bomb just then; they share a session, whose id is the child's."""
    parent = subprocess.Popen(script(BUSY_PARENT), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=REPOSITORY)
    assert parent.stdout is not None
    session = int(parent.stdout.readline())
    assert wait_for(lambda: len(of_session(session)) == 2)
    parent.send_signal(end)
    parent.wait(120)
    parent.stdout.close()
    assert wait_for(lambda: not of_session(session))


def of_session(session: int) -> list[int]:
    """The processes of a session that run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(stat.parent.name))
    return found


@pytest.mark.parametrize(
    ("harm", "patience", "rule", "words"),
    [
        pytest.param(signal.SIGSTOP, 0.3, "KTJ063", "not rendered within 0.3 s", id="stopped"),
        pytest.param(signal.SIGKILL, 120, "KTJ064", "could not be rendered", id="killed"),
    ],
)
def test_a_child_that_was_harmed(
    harm: signal.Signals, patience: float, rule: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Renderer(Limits(template_seconds=1)) as renderer:
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"
        child = child_of(renderer)
        os.kill(child, harm)
        with monkeypatch.context() as patch:
            patch.setattr(render, "_PATIENCE", patience)
            found = renderer.render(TEMPLATE, {"x": 2})
        assert isinstance(found, Diagnostic)
        assert found.rule.id == rule
        assert words in found.message
        assert is_gone(child)
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"


def test_a_template_that_waits_too_long_shows_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = "a: 1\n{% for a in range(9999) %}\n{% for b in range(9999) %}\n{% set c = b %}\n{% endfor %}\n{% endfor %}"
    with Renderer(Limits(template_seconds=10)) as renderer:
        with monkeypatch.context() as patch:
            patch.setattr(render, "_PATIENCE", 0.1)
            patch.setattr(render, "_LATER", 1000)
            found = renderer.render(SourceFile("a", loops), CONTEXT)
        assert isinstance(found, Diagnostic)
        assert "not rendered within 1 s" in found.message
        assert Locator().resolve(found.place).span.line == 3
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"


MISBEHAVIOUR = [
    pytest.param("write(b'\\0' * 100)", id="empty frames"),
    pytest.param("write(b'\\xff' * 100)", id="frame of four gigabytes"),
    pytest.param("write(b'\\0\\0\\0\\5abc')", id="half a frame"),
    pytest.param("write(b'hello\\n')", id="text"),
    pytest.param("pass", id="nothing"),
    pytest.param("sys.exit(3)", id="end"),
    pytest.param("os.kill(os.getpid(), 9)", id="death"),
    pytest.param("while True: write(bytes(1 << 16))", id="zeros without end"),
    pytest.param("while True: write(b'\\xff' * (1 << 16))", id="noise without end"),
    pytest.param("frames(b'{}', b'', b'')", id="empty answer"),
    pytest.param("frames(b'[]', b'x', b'x')", id="answer of another kind"),
    pytest.param("frames(b'[' * 1000, b'', b'')", id="nested answer"),
    pytest.param("frames(b'\\xff', b'\\xff', b'\\xff')", id="no text"),
    pytest.param("frames(b'[0, false]', b'\\0\\0\\0\\2T\\xff', b'')", id="text that is none"),
    pytest.param("frames(b'[0, false]', b'\\0\\0\\0\\2E5', b'')", id="problem that is none"),
    pytest.param("frames(b'[0, true]', b'\\0\\0\\0\\2Ta', b'')", id="flood"),
    pytest.param("frames(b'[-11, false]', b'', b'')", id="crash"),
    pytest.param("time.sleep(60)", id="sleep"),
    pytest.param("signal.signal(15, signal.SIG_IGN); os.close(1); time.sleep(60)", id="silence"),
    pytest.param("os.fork() or time.sleep(60); time.sleep(60)", id="children of its own"),
]

CHILD = """
    import os, signal, sys, time
    def write(data):
        try:
            view = memoryview(data)
            while view: view = view[os.write(1, view):]
        except BrokenPipeError:
            os._exit(0)
    def frames(*bodies):
        for body in bodies: write(len(body).to_bytes(4, "big") + body)
    frames(b"ready")
    os.read(0, 10)
    {body}
"""


@pytest.mark.parametrize("body", sample(MISBEHAVIOUR, every=3))
def test_a_child_that_misbehaves(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "_PATIENCE", 1)
    monkeypatch.setattr(process, "_command", lambda: script(CHILD.replace("{body}", body)))
    with Renderer(Limits(template_seconds=1)) as renderer:
        start = time.monotonic()
        found = renderer.render(TEMPLATE, CONTEXT)
        assert time.monotonic() - start < 45  # not the minute that some of them sleep
        assert isinstance(found, Diagnostic)
        assert found.rule.id in ("KTJ063", "KTJ064")
        assert '"a.yaml.j2"' in found.message


@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param([sys.executable, "-c", "import no_such_module"], "No module named 'no_such_module'", id="import"),
        pytest.param([sys.executable, "-c", "print('x' * 100)"], "ended without a message", id="other words"),
        pytest.param([sys.executable, "-c", ""], "ended without a message", id="nothing"),
        pytest.param(["/no/such/python"], "cannot be started", id="no program"),
        pytest.param([str(REPOSITORY)], "cannot be started", id="directory"),
    ],
)
def test_a_child_that_does_not_start(command: list[str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_command", lambda: command)
    with Renderer() as renderer, pytest.raises(EnvironmentFault, match=words):
        renderer.render(TEMPLATE, CONTEXT)


def test_a_child_that_never_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_SECONDS_TO_START", 0.5)
    monkeypatch.setattr(process, "_command", lambda: script("import time; time.sleep(60)"))
    with Renderer() as renderer, pytest.raises(EnvironmentFault, match="does not start"):
        renderer.render(TEMPLATE, CONTEXT)


def test_interrupted_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start(command: list[str]) -> subprocess.Popen[bytes]:
        started.append(process_start(command))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        return started[0]

    process_start = process._start
    monkeypatch.setattr(process, "_start", start)
    monkeypatch.setattr(process, "_command", lambda: script("import time; time.sleep(60)"))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with Renderer() as renderer, pytest.raises(KeyboardInterrupt):
            renderer.render(TEMPLATE, CONTEXT)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert is_gone(started[0].pid)


@pytest.fixture
def without_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that cannot copy itself, as on Windows."""
    monkeypatch.setattr(process, "_START", f"import os; del os.fork; {process._START}")


@pytest.mark.slow
@pytest.mark.usefixtures("without_fork")
def test_where_processes_cannot_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    with Renderer(Limits(template_seconds=1)) as renderer:
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"
        found = renderer.render(SourceFile("a", "\n{{ y }}"), CONTEXT)
        assert isinstance(found, Diagnostic)
        assert Locator().resolve(found.place).span.line == 2
        found = renderer.render(SourceFile("a", "{{ 'a' * 2 ** 21 }}"), CONTEXT)
        assert isinstance(found, Diagnostic)
        assert found.rule.id == "KTJ063"
        child = child_of(renderer)
        monkeypatch.setattr(render, "_PATIENCE", 1)
        found = renderer.render(BOMB, CONTEXT)
        assert isinstance(found, Diagnostic)
        assert "not rendered within 1 s" in found.message
        assert is_gone(child)
        monkeypatch.setattr(render, "_PATIENCE", 10)
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"


def test_jinja_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_PACKAGES", ("no_such_package",))
    with Renderer() as renderer, pytest.raises(EnvironmentFault, match="no_such_package, which is not installed"):
        renderer.render(TEMPLATE, CONTEXT)


def test_the_child_inherits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jinja2.py").write_text("raise SystemExit('the current directory is no place for modules')")
    (tmp_path / "json.py").write_text("raise SystemExit('PYTHONPATH is not for the child')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    monkeypatch.setenv("SECRET", "canary")
    monkeypatch.chdir(tmp_path)
    kept = os.open(tmp_path / "json.py", os.O_RDONLY)
    os.set_inheritable(kept, True)
    try:
        with Renderer() as renderer:
            assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"
            proc = Path("/proc", str(child_of(renderer)))
            assert (proc / "cwd").resolve() == Path("/")
            assert b"canary" not in (proc / "environ").read_bytes()
            assert {int(each.name) for each in (proc / "fd").iterdir()} == {0, 1, 2}
            assert os.getsid(int(proc.name)) == int(proc.name)
    finally:
        os.close(kept)


def test_the_installed_package_needs_no_checkout(tmp_path: Path) -> None:
    """As pip lays it out, in a fresh environment, run from elsewhere."""
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(python.parents[1])], check=True)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([python, "-c", where], capture_output=True, check=True).stdout.decode().strip())
    for package in (kubectl_trainjob, jinja2, markupsafe):
        assert package.__file__ is not None
        folder = Path(package.__file__).parent
        shutil.copytree(folder, site / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    body = """
        from kubectl_trainjob.model.limits import Limits
        from kubectl_trainjob.model.source import SourceFile
        from kubectl_trainjob.repository.templates.render import Renderer
        with Renderer() as renderer:
            print(renderer.render(SourceFile("a", "{{ x }}"), b'{"x": 1}', Limits()).text)
    """
    done = subprocess.run(
        [python, "-I", "-c", textwrap.dedent(body)], cwd=tmp_path, capture_output=True, check=True, env={}
    )
    assert done.stdout == b"1\n"


parts = st.sampled_from(
    [
        b"T",
        b"L",
        b"E",
        b"D",
        b"",
        b"{}",
        b'["output", [], 1, 0]',
        b'["failed", ["a"], 1, 0]',
        b'["failed", [], 1, 0]',
        b"1=2",
    ]
)
bodies = st.lists(st.binary(max_size=8) | parts, max_size=3).map(b"".join)
sent = st.lists(bodies.map(frame), max_size=4).map(b"".join) | st.binary(max_size=40)
ended = st.sampled_from([b"[0, false, 0.5]", b"[-24, false, 1]", b"[0, false, NaN]", b"[]", b"", b"[[], 1]"])


@given(ended | st.binary(max_size=20), sent, st.binary(max_size=40) | st.just(b'File "<template>", line 2 in root'))
def test_any_answer_is_understood(ended: bytes, sent: bytes, report: bytes) -> None:
    made = decode_answer(TEMPLATE, Answer(ended, sent, report), Limits(template_bytes=100))
    if isinstance(made, SourceFile):
        assert made.written is not None
        assert len(made.text.encode()) <= 100
        assert set(made.written.lines) <= {1, 2, 3}
    else:
        assert made.message


@pytest.mark.parametrize(
    "piece", ['"<b>"', '"<a"', '"`"', '"a|b"', '"[a](b)"', '"\\n"', "[1, true]", '["a"]', "{}", '{"a": 1, "b": 2}', "3"]
)
def test_words_of_the_child_are_checked(piece: str) -> None:
    made = decode_answer(
        TEMPLATE, Answer(b"[0, false, 0]", frame(f'E["failed",[{piece}],1,0]'.encode()), b""), Limits()
    )
    assert isinstance(made, Diagnostic)
    assert "sent no valid answer" in made.message


@pytest.mark.slow
def test_all_templates_together_have_a_limit_of_time() -> None:
    with Renderer(Limits(template_seconds=2, templates_seconds=1)) as renderer:
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"
        renderer.render(BOMB, CONTEXT)
        found = renderer.render(SourceFile("b.yaml.j2", "b: 1"), CONTEXT)
        assert isinstance(found, Diagnostic)
        assert "limits.templatesSeconds" in found.message
        assert text_of(renderer.render(TEMPLATE, CONTEXT)) == "a: 1\nb\n"  # known


def test_all_templates_together_have_a_limit_of_text() -> None:
    with Renderer(Limits(templates_bytes=10)) as renderer:
        assert text_of(renderer.render(SourceFile("a", "12345"), CONTEXT)) == "12345"
        assert text_of(renderer.render(SourceFile("a", "12345"), CONTEXT)) == "12345"
        assert text_of(renderer.render(SourceFile("a", "67890"), CONTEXT)) == "67890"
        found = renderer.render(SourceFile("a", "1"), CONTEXT)
        assert isinstance(found, Diagnostic)
        assert "limits.templatesBytes" in found.message


SLOW = "{% for b in range(99999) %}{% for c in range(99999) %}\n{% set d = c %}{% endfor %}{% endfor %}"
LOOPS = {
    f"\n\n{SLOW}": 3,
    f"{{% for a in [1] %}}{{% endfor %}}\n{SLOW}\n{{% for a in [1] %}}{{% endfor %}}": 2,
    f"{{% macro m() %}}\n{SLOW}\n{{% endmacro %}}\n{{% for a in [1] %}}{{{{ m() }}}}{{% endfor %}}": 2,
    "\n{% for a in range(9999) -%}\n{% set b = range(99999) | map('string') | join | length -%}\n{% endfor %}": 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LOOPS)
def test_a_time_out_is_at_the_line_of_the_loop(text: str) -> None:
    with Renderer(Limits(template_seconds=1, template_bytes=1 << 30)) as renderer:
        found = renderer.render(SourceFile("a.yaml.j2", text), CONTEXT)
    assert isinstance(found, Diagnostic)
    assert "limits.templateSeconds" in found.message
    assert Locator().resolve(found.place).span.line == LOOPS[text]
