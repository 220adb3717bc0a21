"""The health of recorded objects: our Lua in a Lua engine, our CEL in a CEL library.

`states.jsonl.gz` has the states that a watch saw on a control plane, each with the health that Argo CD and Flux should
report ("" in `argo` is no check, null in `flux` is not checked).
"""

import gzip
import json
from pathlib import Path

import cel
import lupa.lua51
import yaml

from kubectl_trainjob.integrations.files import content
from tests.loops import for_each

RECORDED = Path(__file__).parents[1] / "cluster" / "states.jsonl.gz"
STATES = [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]
BY_NAME = {f"{index} {state['name']}": state for index, state in enumerate(STATES)}
CUSTOMIZATIONS = yaml.safe_load(content("argocd", "cm"))["data"]
KUSTOMIZATION = list(yaml.safe_load_all(content("flux", "kustomization")))[1]
EXPRESSIONS = {each["kind"]: each for each in KUSTOMIZATION["spec"]["healthCheckExprs"]}


def lua_result(body: dict) -> dict:
    group = body["apiVersion"].rpartition("/")[0]
    script = CUSTOMIZATIONS.get(f"resource.customizations.health.{group}_{body['kind']}")
    if script is None:
        return {"status": ""}
    runtime = lupa.lua51.LuaRuntime(register_eval=False)
    runtime.globals()["obj"] = runtime.table_from(body, recursive=True)
    return dict(runtime.execute(script))


def lua_health(body: dict) -> str:
    return lua_result(body)["status"]


def flux_health(body: dict) -> str:
    """As fluxcd/pkg runtime/cel: a missing status is Unknown, then `failed`, then `current`, else in progress."""
    expressions = EXPRESSIONS.get(body["kind"])
    if expressions is None:
        return "Current"
    if "status" not in body:
        return "Unknown"
    context = {"status": body["status"], "metadata": body["metadata"]}
    for key, status in (("failed", "Failed"), ("current", "Current")):
        if cel.evaluate(expressions[key], context):
            return status
    return "InProgress"


@for_each("state", BY_NAME, at_least=80)
def test_argocd(state):
    if state["object"]["metadata"].get("deletionTimestamp"):
        return  # Argo CD's own check comes first
    assert lua_health(state["object"]) in state["argo"]


@for_each("state", BY_NAME, at_least=80)
def test_flux(state):
    if state["flux"] is not None:
        assert flux_health(state["object"]) in state["flux"]


def training_set(generation=2, observed=2, suspend=False, **conditions):
    found = [{"type": name, "status": status, "message": f"{name} {status}"} for name, status in conditions.items()]
    status = {"observedGeneration": observed, "conditions": found}
    return {
        "apiVersion": "kubectl-trainjob.dev/v1alpha1",
        "kind": "TrainingSet",
        "metadata": {"name": "prod", "generation": generation},
        "spec": {"suspend": suspend},
        "status": status,
    }


def test_a_training_set_follows_the_conventions_of_flux():
    assert lua_health(training_set(Ready="True")) == "Healthy"
    assert lua_health(training_set(Ready="False")) == "Degraded"
    assert lua_health(training_set(Ready="False", Stalled="True")) == "Degraded"
    assert lua_health(training_set(Ready="False", Reconciling="True")) == "Progressing"
    assert lua_health(training_set(Ready="True", observed=1)) == "Progressing"
    assert lua_health(training_set(Ready="True", suspend=True)) == "Suspended"


def test_a_failed_run_reports_the_message_of_its_controller():
    failed = next(each["object"] for each in STATES if each["state"] == "failed" and each["object"]["kind"] == "JobSet")
    (condition,) = [each for each in failed["status"]["conditions"] if each["type"] == "Failed"]
    assert lua_result(failed)["message"] == condition["message"]
