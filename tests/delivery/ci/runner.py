"""What GitHub's runner does with a composite action: its scripts run in bash, one after the other, with its files.

Steps that use other actions are answered by functions; a step that nothing answers is an error.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.delivery.ci.expressions import evaluated, filled

ROOT = Path(__file__).resolve().parents[3]
ACTIONS = ROOT / ".github" / "actions"

Outputs = dict[str, str]
Given = dict[str, str]


@dataclass
class Done:
    """How an action ended: the exit code of the step that failed, what was printed, and what it says to its caller."""

    code: int
    log: str
    outputs: Outputs = field(default_factory=dict)
    used: dict[str, Given] = field(
        default_factory=dict
    )  # other actions that ran, without their version, and their inputs
    summary: str = ""


class Runner:
    """A machine: its temporary directory, and the repository that is checked out on it."""

    def __init__(
        self,
        directory: Path,
        repository: Path,
        others: Mapping[str, Callable[[Given], Outputs]] | None = None,
    ) -> None:
        self.temp = directory / "runner temp"  # a blank, as on many machines
        self.temp.mkdir(exist_ok=True)
        self.repository = repository
        self._others = others or {}

    def act(
        self,
        action: Path,
        inputs: Mapping[str, str],
        environment: Mapping[str, str] | None = None,
        event: Mapping[str, Any] | None = None,
    ) -> Done:
        """Run an action; `event` is the context `github`."""
        definition = yaml.load((action / "action.yml").read_text(), Loader=yaml.BaseLoader)
        run = _Run(self, action, dict(environment or {}))
        run.contexts["github"] = {"token": "ghs_of_the_job", **(event or {})}
        run.contexts["inputs"] = {
            name: filled(inputs.get(name, reported.get("default", "")), run.contexts)
            for name, reported in definition["inputs"].items()
        }
        assert set(inputs) <= set(definition["inputs"])
        for step in definition["runs"]["steps"]:
            if run.done.code == 0 and evaluated(step.get("if", "true"), run.contexts):
                run.step(step, self._others)
        reported = definition.get("outputs", {})
        run.done.outputs = {name: filled(each["value"], run.contexts) for name, each in reported.items()}
        return run.done


class _Run:
    def __init__(self, runner: Runner, action: Path, environment: dict[str, str]) -> None:
        self.done = Done(0, "")
        self.contexts: dict[str, Any] = {
            "runner": {"temp": str(runner.temp), "os": "Linux", "arch": "X64"},
            "steps": {},
        }
        self._runner = runner
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(runner.temp),
            "RUNNER_TEMP": str(runner.temp),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(action),
            "GITHUB_WORKSPACE": str(runner.repository),
            **environment,
        }

    def step(self, step: Mapping[str, Any], others: Mapping[str, Callable[[Given], Outputs]]) -> None:
        """Run a script, or have the other action answered."""
        if "uses" in step:
            name = step["uses"].partition("@")[0]
            given = {key: filled(value, self.contexts) for key, value in step.get("with", {}).items()}
            outputs = others[name](given)
            self.done.used[name] = given
        else:
            outputs = self._script(step)
        if "id" in step:
            self.contexts["steps"][step["id"]] = {"outputs": outputs}

    def _script(self, step: Mapping[str, Any]) -> Outputs:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        files = {name: self._runner.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        script = self._runner.temp / "script.sh"
        script.write_text(step["run"])
        own = {name: filled(value, self.contexts) for name, value in step.get("env", {}).items()}
        finished = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            env={**self._environment, **own, **{name: str(file) for name, file in files.items()}},
            cwd=self._runner.repository / filled(step.get("working-directory", "."), self.contexts),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        self.done.log += finished.stdout
        self.done.code = finished.returncode
        self.done.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return _outputs(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))


def _outputs(text: str) -> Outputs:
    """The file as the runner reads it: `name=value`; the form for several lines is used by nothing here."""
    lines = text.splitlines()
    assert all(re.fullmatch(r"[a-z-]+=.*", line) for line in lines), lines
    return dict(line.split("=", 1) for line in lines)
