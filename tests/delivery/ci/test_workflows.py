"""What we give to CI systems is well formed, pinned, and has no rights over strangers' code."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.delivery.ci.rules import problems
from tests.delivery.ci.runner import ACTIONS, ROOT
from tests.loops import sample
from tests.tools import require

EXAMPLES = ACTIONS / "review" / "examples"
WORKFLOWS = [EXAMPLES / "review.yml", EXAMPLES / "comment.yml"]
DEFINITIONS = [ACTIONS / "review" / "action.yml", ACTIONS / "comment" / "action.yml"]
GITLAB = EXAMPLES / "gitlab-ci.yml"
EACH = pytest.mark.parametrize(
    "path", [pytest.param(path, id=str(path.relative_to(ACTIONS))) for path in (*DEFINITIONS, *WORKFLOWS)]
)


@EACH
def test_it_keeps_the_rules(path: Path) -> None:
    assert problems(path.read_text()) == []


def test_every_definition_is_looked_at() -> None:
    found = set(ACTIONS.rglob("*.y*ml")) | set((ROOT / ".github" / "workflows").glob("*.y*ml"))
    check = ROOT / ".github" / "workflows" / "check.yml"  # tests/architecture/test_supply.py
    assert found == {*DEFINITIONS, *WORKFLOWS, GITLAB, check}


REVIEW, COMMENT = (path.read_text() for path in WORKFLOWS)
ACTION = DEFINITIONS[0].read_text()
CHECKOUT = re.findall(r"actions/checkout@\S+", REVIEW)[0]
SHA = CHECKOUT.partition("@")[2]
STEP = "\n    steps:\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "problem"),
    [
        pytest.param(
            REVIEW, "pull_request:", "pull_request_target:", "runs on pull_request_target", id="the wrong event"
        ),
        pytest.param(COMMENT, "workflow_run:", "issue_comment:", "runs on issue_comment", id="another event"),
        pytest.param(REVIEW, f"{CHECKOUT} # v7.0.1", "actions/checkout@v7", "is not pinned", id="a tag"),
        pytest.param(REVIEW, f"{CHECKOUT} # v7.0.1", "actions/checkout@main", "is not pinned", id="a branch"),
        pytest.param(REVIEW, f"{SHA} #", f"{SHA[:7]} #", "is not pinned", id="a short commit"),
        pytest.param(REVIEW, " # v7.0.1", "", "is not pinned", id="a commit that says no version"),
        pytest.param(
            REVIEW, "kubectl-trainjob/kubectl-trainjob/", "mallory/kubectl-trainjob/", "not pinned", id="not ours"
        ),
        pytest.param(REVIEW, CHECKOUT, "docker://alpine:3", "is not pinned", id="an image"),
        pytest.param(REVIEW, "permissions: {}", "permissions: write-all", "begins with permissions", id="all rights"),
        pytest.param(REVIEW, "permissions: {}\n", "", "begins with permissions", id="rights that nobody says"),
        pytest.param(REVIEW, "contents: read", "contents: write", "may write contents", id="writing the repository"),
        pytest.param(
            REVIEW, "contents: read", "pull-requests: write", "may write pull-requests", id="commenting there"
        ),
        pytest.param(REVIEW, "contents: read", "id-token: write", "may write id-token", id="an identity"),
        pytest.param(COMMENT, "pull-requests: write", "contents: write", "may write contents", id="too much"),
        pytest.param(COMMENT, "actions: read", "actions: write", "may write actions", id="other runs"),
        pytest.param(
            REVIEW,
            "      github.event.pull_request.head.repo.full_name == github.repository &&\n",
            "",
            "writes code scanning for forks",
            id="code scanning for forks",
        ),
        pytest.param(REVIEW, "timeout-minutes: 10\n", "name: a\n", "has no limit of time", id="no limit"),
        pytest.param(REVIEW, "persist-credentials: false", "", "leaves the token", id="a token in the checkout"),
        pytest.param(REVIEW, "fail-on: error", "fail-on: ${{ secrets.A }}", "uses secrets", id="a secret"),
        pytest.param(REVIEW, "fail-on: error", "fail-on: ${{ secrets['A'] }}", "uses secrets", id="a secret by index"),
        pytest.param(
            REVIEW,
            STEP,
            f"{STEP}      - run: echo ${{{{ github.event.pull_request.title }}}}\n",
            "an expression in a script: ${{ github.event",
            id="a title in a script",
        ),
        pytest.param(
            REVIEW, STEP, f"{STEP}      - run: echo ${{{{ github.head_ref }}}}\n", "github.head_ref", id="a branch"
        ),
        pytest.param(REVIEW, STEP, f"{STEP}      - name: a\n", "neither runs nor uses", id="a step without work"),
        pytest.param(
            REVIEW, STEP, f"{STEP}      - run: a\n        env: {{BASH_ENV: a}}\n", "sets BASH_ENV", id="BASH_ENV"
        ),
        pytest.param(
            COMMENT,
            STEP,
            f"{STEP}      - uses: {CHECKOUT} # v7.0.1\n        with: {{persist-credentials: false}}\n",
            "does more than to read data, with rights: actions/checkout",
            id="a checkout with rights",
        ),
        pytest.param(
            REVIEW.replace(f"{CHECKOUT} # v7.0.1", "a"),
            "github/codeql-action/upload-sarif@",
            "actions/checkout@",
            "does more than to read data, with rights: actions/checkout",
            id="a checkout that may write",
        ),
        pytest.param(
            COMMENT,
            STEP,
            f"{STEP}      - run: sh review/script\n",
            "does more than to read data",
            id="a script with rights",
        ),
        pytest.param(
            COMMENT,
            "actions/comment@v0",
            "actions/review@v0",
            "does more than to read data",
            id="our action with rights",
        ),
        pytest.param(
            ACTION, 'BASE...$HEAD"', '${{ inputs.base }}..."', "an expression in a script", id="an input in a script"
        ),
        pytest.param(ACTION, "inputs.fail-on", "inputs.failon", "there is no input failon", id="no such input"),
        pytest.param(ACTION, "steps.install.", "steps.installed.", "there is no step installed", id="no such step"),
        pytest.param(ACTION, "shell: bash", "shell: sh", "whose shell is not said", id="another shell"),
        pytest.param(ACTION, "using: composite", "using: node24", "is no composite", id="no composite action"),
        pytest.param(
            ACTION, "  fail-on:\n    description", "  fail-on:\n    note", "is not described", id="no description"
        ),
        pytest.param(ACTION, "runs:\n", "colour: red\nruns:\n", "the action has colour", id="an unknown key"),
        pytest.param(REVIEW, "runs-on:", "secrets: inherit\n    runs-on:", "hands on secrets", id="inherited secrets"),
    ],
)
def test_what_breaks_them_is_found(text: str, old: str, new: str, problem: str) -> None:
    assert old in text
    assert problem in "\n".join(problems(text.replace(old, new)))


def test_actions_have_the_versions_that_the_project_itself_uses() -> None:
    """One action, one commit, wherever it is used."""
    texts = [path.read_text() for path in (ROOT / ".github").rglob("*.y*ml")]
    pinned = set(re.findall(r"uses: (\S+)@([0-9a-f]{40}) # (\S+)", "\n".join(texts)))
    assert len({name for name, _, _ in pinned}) == len(pinned)


def checked(schema: str, *paths: Path) -> tuple[int, str]:
    """The exit code and the words of check-jsonschema, which brings the schemas of the forges' files along."""
    command = [require("check-jsonschema"), "--builtin-schema", schema, *map(str, paths)]
    transform = ["--data-transform", "gitlab-ci"] if "gitlab" in schema else []
    done = subprocess.run([*command, *transform], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "paths", "broken"),
    sample(
        [
            pytest.param("vendor.github-workflows", WORKFLOWS, ("runs-on:", "runs-at:"), id="workflows"),
            pytest.param("vendor.github-actions", DEFINITIONS, ("using: composite", "using: hope"), id="actions"),
            pytest.param("vendor.gitlab-ci", [GITLAB], ("when: always", "when: sometimes"), id="GitLab"),
        ],
        every=3,
    ),
)
def test_schemas(schema: str, paths: list[Path], broken: tuple[str, str], tmp_path: Path) -> None:
    assert checked(schema, *paths)[0] == 0, checked(schema, *paths)[1]
    wrong = tmp_path / paths[0].name
    wrong.write_text(paths[0].read_text().replace(*broken))
    assert checked(schema, wrong)[0] == 1, "the schema finds what is wrong"


# By its nature the comment's workflow runs on workflow_run, and the examples name a release of ours.
_ZIZMOR = {
    "rules": {
        "dangerous-triggers": {"ignore": ["comment.yml"]},
        "unpinned-uses": {"config": {"policies": {"kubectl-trainjob/*": "ref-pin", "*": "hash-pin"}}},
    }
}


def audited(directory: Path) -> tuple[int, str]:
    """The exit code and the words of zizmor, which audits workflows and actions."""
    settings = directory / "zizmor.yml"
    settings.write_text(yaml.safe_dump(_ZIZMOR))
    command = [require("zizmor"), "--offline", "--no-progress", "--color=never", f"--config={settings}", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_an_audit_finds_nothing(tmp_path: Path) -> None:
    shutil.copytree(ACTIONS, tmp_path / ".github" / "actions")
    (tmp_path / ".github" / "workflows").mkdir()
    for path in WORKFLOWS:
        shutil.copy(path, tmp_path / ".github" / "workflows")
    code, said = audited(tmp_path)
    assert code == 0, said
    looked_at = set(re.findall(r"completed (?:.*/)?(\w+/[\w.]+)$", said, re.MULTILINE))
    assert looked_at == {"review/action.yml", "comment/action.yml", "workflows/review.yml", "workflows/comment.yml"}
    broken = tmp_path / ".github" / "actions" / "review" / "action.yml"
    broken.write_text(ACTION.replace('"$BASE...$HEAD"', '"${{ inputs.base }}...$HEAD"'))
    code, said = audited(tmp_path)
    assert (code > 0, "template-injection" in said) == (True, True)


def test_the_examples_know_each_other() -> None:
    review, comment = (yaml.load(text, Loader=yaml.BaseLoader) for text in (REVIEW, COMMENT))
    assert comment["on"]["workflow_run"] == {"workflows": [review["name"]], "types": ["completed"]}
    inputs = yaml.safe_load(ACTION)["inputs"]
    given = [step["with"] for job in review["jobs"].values() for step in job["steps"] if "/review@" in step["uses"]]
    assert given
    assert all(set(each) <= set(inputs) for each in given)
    (download, act) = comment["jobs"]["comment"]["steps"]
    assert download["with"]["pattern"] == inputs["artifact"]["default"]
    assert download["with"]["path"] == act["with"]["directory"]


README = (ACTIONS / "review" / "README.md").read_text()


def test_the_page_names_all_inputs_and_outputs() -> None:
    review, comment = (yaml.safe_load(path.read_text()) for path in DEFINITIONS)
    assert set(re.findall(r"^\| `([\w-]+)` \|", README, re.MULTILINE)) == {
        *review["inputs"],
        *review["outputs"],
        *comment["inputs"],
    }
    defaults = dict(re.findall(r"^\| `([\w-]+)` \| `([^`]*)` \|", README, re.MULTILINE))
    assert defaults == {name: reported["default"] for name, reported in review["inputs"].items() if reported["default"]}


def test_links_lead_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", README) if "://" not in target]
    assert len(targets) >= 3
    assert [target for target in targets if not (ACTIONS / "review" / target).exists()] == []
