"""The schemas for editors, judged by jsonschema: they accept what upstream accepts, and no typing errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.cli.schema import described_kinds, setting_schemas
from kubectl_trainjob.kube.facts.supported import TRAINER_VERSIONS
from kubectl_trainjob.kube.schemas.json_schema import combined, of_kind
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.repository.files import config, overlay_file
from kubectl_trainjob.repository.yaml.read import read_stream
from tests.conformance.cases import VERSIONS, Case, load
from tests.loops import for_each, sample

ROOT = Path(__file__).resolve().parents[2]


def schema_of(version: str) -> Any:
    return combined(described_kinds(version), setting_schemas())


def documents(text: str) -> list[Any]:
    return [body for body, _ in read_stream(SourceFile("-", text)).objects]


@pytest.mark.parametrize("version", sample(TRAINER_VERSIONS, every=3))
def test_the_schemas_are_valid(version: str) -> None:
    kinds, settings = described_kinds(version), setting_schemas()
    for name in (*kinds, *settings):
        Draft7Validator.check_schema(of_kind(name, kinds, settings))
    Draft7Validator.check_schema(schema_of(version))


def _findings(case: Case) -> list[Any]:
    of_jobs = [finding for job in case.expected["jobs"] for finding in job.get("findings", ())]
    return [*case.expected.get("runtime-findings", ()), *of_jobs]


def _is_accepted(case: Case) -> bool:
    """Whether upstream accepts the input without a finding."""
    verdicts = {job["verdict"] for job in case.expected["jobs"]}
    return verdicts == {"accepted"} and "stream-error" not in case.expected and not _findings(case)


@pytest.mark.parametrize("version", sample([*VERSIONS], every=4))
def test_inputs_that_upstream_accepts(version: str) -> None:
    validator, cases = Draft7Validator(schema_of(version)), [case for case in load(version) if _is_accepted(case)]
    assert len(cases) > 250
    found = []
    for case in cases:
        created = [each for job in case.expected["jobs"] for each in job["objects"]]
        for body in (*documents(case.input), *created):
            found += [(case.id, body["kind"], error.message[:150]) for error in validator.iter_errors(body)]
    assert found == []


@pytest.mark.parametrize("version", sample([*VERSIONS], every=4))
def test_fields_that_upstream_does_not_know(version: str) -> None:
    validator = Draft7Validator(schema_of(version))
    unknown = [case for case in load(version) if any(each.get("stage") == "unknown-field" for each in _findings(case))]
    assert unknown
    for case in unknown:
        assert not all(validator.is_valid(body) for body in documents(case.input)), case.id


def _manifests() -> Iterator[Path]:
    """All files that are not patches, which are parts of objects."""
    for folder in ("runtimes", "overlays"):
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            overlay = path.parent / "overlay.yaml"
            if not overlay.exists() or f"path: {path.name}" not in overlay.read_text():
                yield path
    yield ROOT / "trainjob.yaml"


@for_each("path", list(_manifests()), at_least=30)
def test_our_examples(path: Path) -> None:
    validator = Draft7Validator(schema_of("2.3"))
    for body in documents(path.read_text()):
        errors = [error.message[:200] for error in validator.iter_errors(body)]
        assert errors == [] or "kind" not in body


_FREE = ("labels", "annotations", "limits", "requests", "pairs", "nodeSelector", "perPath", "patch")
_KEPT = ("apiVersion", "kind")


def _misspelt(body: Any, part: Any) -> Iterator[Any]:
    """The object once for each field, whose name has one more letter."""
    for name, value in list(part.items()):
        if name not in _KEPT:
            del part[name]
            part[f"{name}x"] = value
            yield body
            del part[f"{name}x"]
            part[name] = value
        for below in value if isinstance(value, list) else [value]:
            if isinstance(below, dict) and name not in _FREE:
                yield from _misspelt(body, below)


JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a, labels: {a: b}}
spec:
  runtimeRef: {name: torch, kind: TrainingRuntime}
  suspend: false
  trainer: {image: a, numNodes: 2, env: [{name: A, value: b}], resourcesPerNode: {limits: {cpu: 1}}}
  runtimePatches:
  - manager: acme.io/me
    trainingRuntimeSpec:
      template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {nodeSelector: {a: b}}}}}}]}}
---
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Overlay
resources: [a]
components: [b]
namePrefix: a-
labels: [{pairs: {a: b}, includeTemplates: true}]
images: [{name: a, newTag: b}]
patches: [{target: {kind: TrainJob}, patch: []}]
---
apiVersion: kubectl-trainjob.dev/v1alpha1
kind: Config
target: {trainer: "2.3"}
limits: {fileBytes: 64Mi}
lint: {ignore: [KTJ301], perPath: {"a/**": {ignore: [KTJ3]}}}
"""


def test_typing_errors() -> None:
    validator, found = Draft7Validator(schema_of("2.3")), 0
    for body in documents(JOB):
        assert list(validator.iter_errors(body)) == []
        for each in _misspelt(body, body):
            found += 1
            assert list(validator.iter_errors(each)) != [], each
    assert found >= 40
    for text in ("kind: TrainJbo", "kind: trainjob"):
        assert not validator.is_valid(documents(JOB.replace("kind: TrainJob", text, 1))[0])
    for old, new in (("numNodes: 2", "numNodes: two"), ("suspend: false", "suspend: no way")):
        assert not validator.is_valid(documents(JOB.replace(old, new))[0])


def test_the_schemas_of_our_files_have_all_settings() -> None:
    settings, head = setting_schemas(), {"apiVersion", "kind", "metadata"}
    assert set(settings["Overlay"]["properties"]) - head == {*overlay_file.SETTINGS}
    assert set(settings["Config"]["properties"]) - head == {*config._SETTINGS}
    assert set(settings["Config"]["properties"]["lint"]["properties"]) == {*config._LINT_SETTINGS}
    limits = {config._camel(each.name) for each in fields(Limits)} - {"depth"}
    assert set(settings["Config"]["properties"]["limits"]["properties"]) == limits


@pytest.mark.parametrize("kind", ["", "trainjob", "TrainingRuntimes", "overlay", "Config", "Component", "jobset"])
def test_the_command(kind: str, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "schema.json"
    assert run("kubectl-trainjob", ["schema", *filter(None, [kind]), "-o", f"json={target}"]) == 0
    assert run("kubectl-trainjob", ["schema", *filter(None, [kind])]) == 0
    out, err = capfd.readouterr()
    assert (out, err) == (target.read_text(), "")  # with a file, nothing was printed
    Draft7Validator.check_schema(json.loads(out))
    job = next(yaml.safe_load_all(JOB))
    assert Draft7Validator(json.loads(out)).is_valid(job) == (kind in ("", "trainjob"))


@pytest.mark.parametrize(("file", "kind"), [("trainjob.yaml", "Config"), ("overlay.yaml", "Overlay")])
def test_the_schema_of_a_file(file: str, kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", ["schema", file]) == 0
    assert json.loads(capfd.readouterr().out)["title"] == kind


def test_names_that_the_webhook_of_jobset_fills_in() -> None:
    """The API server runs it before it checks the schema, so a rule of a failure policy needs no name."""
    job_set = documents(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n"
        "spec: {failurePolicy: {rules: [{action: FailJobSet}]}}\n"
    )
    assert [each.message for each in Draft7Validator(schema_of("2.3")).iter_errors(job_set[0])] == []


def test_definitions_are_called_as_their_fields() -> None:
    """yaml-language-server shows the name where it completes all required fields of an object."""
    job = schema_of("2.3")["definitions"]["TrainJob"]
    assert job["properties"]["spec"]["$ref"].startswith("#/definitions/spec")


def test_another_kind_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("kubectl-trainjob", ["schema", "Pod"]) == 2
    assert 'a schema of "Pod" does not exist; the kinds are ' in capfd.readouterr().err


def test_versions_differ(capfd: pytest.CaptureFixture[str]) -> None:
    job, found = next(yaml.safe_load_all(JOB)), {}
    for version in ("2.1", "v2.2.0", "2.3.0"):
        assert run("kubectl-trainjob", ["schema", "TrainJob", "--trainer-version", version]) == 0
        found[version] = Draft7Validator(json.loads(capfd.readouterr().out)).is_valid(job)
    assert found == {"2.1": False, "v2.2.0": True, "2.3.0": True}
