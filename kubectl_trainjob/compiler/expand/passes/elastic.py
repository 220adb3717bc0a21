"""Elastic training with torchrun, for builds that `allow: {elastic: true}` of trainjob.yaml permits.

The API of Trainer 2.0 and 2.1 has `torch.elasticPolicy`, and the comments of its type say what it means; no controller
does it. The variables are those of kubeflow/training-operator `pkg/controller.v1/pytorch/elastic.go` (1.9), and
torchrun reads them: `torch/distributed/run.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kubectl_trainjob.compiler.expand import torchtune
from kubectl_trainjob.compiler.expand.nodes import first_node, reserved_env
from kubectl_trainjob.compiler.expand.plan import NAME, RUNTIME, DerivedValue, Plan
from kubectl_trainjob.compiler.expand.processes import Processes
from kubectl_trainjob.compiler.expand.rendezvous import Meeting, meet_at_first_node
from kubectl_trainjob.compiler.expand.upsert import Upsert, env
from kubectl_trainjob.kube.facts.trainer import ANCESTOR_TRAINER, TRAINER_PORT
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.draft import Cause
from kubectl_trainjob.model.message import Message, say
from kubectl_trainjob.model.source import Pointer

_POLICY: Pointer = ("spec", "mlPolicy", "torch", "elasticPolicy")
_RESERVED = frozenset({"PET_RDZV_BACKEND", "PET_RDZV_ID", "PET_RDZV_ENDPOINT", "PET_MAX_RESTARTS"})
Enforce = Callable[..., Plan]


def _policy(plan: Plan) -> Mapping[str, Any] | None:
    return (plan.policy("torch") or {}).get("elasticPolicy")


def applies(plan: Plan) -> bool:
    """Runtimes with `torch.elasticPolicy`."""
    return _policy(plan) is not None


def is_ignored(plan: Plan) -> Iterator[Diagnostic]:
    """Trainer accepts the policy and does nothing (2.0, 2.1)."""
    message = say(
        "Trainer ignores elasticPolicy; a build to JobSets does not, with `allow: {elastic: true}` in trainjob.yaml"
    )
    yield Diagnostic(rules.ELASTIC_IGNORED, message, plan.runtime_place(*_POLICY).key())


def policy_problems(plan: Plan) -> Iterator[Diagnostic]:
    """What cannot be done, or has no meaning."""
    policy = _policy(plan)
    if policy is None:
        return
    for field, least in (("minNodes", 1), ("maxNodes", 1), ("maxRestarts", 0)):
        if policy.get(field, least) < least:
            yield _problem(plan, field, say("{} must be at least {}", field, least))
    if policy.get("metrics"):
        yield _problem(plan, "metrics", say("metrics need an autoscaler, which cannot scale a JobSet; remove metrics"))
    if policy.get("minNodes", 0) > policy.get("maxNodes", policy.get("minNodes", 0)):
        yield _problem(plan, "minNodes", say("minNodes is larger than maxNodes; correct one of them"))
    if torchtune.is_used(plan):
        yield _problem(plan, "", say("torchtune runs on a fixed number of nodes; remove elasticPolicy"))
    yield from _number_of_nodes(plan)
    yield from reserved_env(_RESERVED, rules.TORCH_RESERVED_ENV, plan)


def _problem(plan: Plan, field: str, message: Message) -> Diagnostic:
    pointer = (*_POLICY, field) if field else _POLICY
    return Diagnostic(rules.ELASTIC_POLICY, message, plan.runtime_place(*pointer).key())


def _number_of_nodes(plan: Plan) -> Iterator[Diagnostic]:
    if "numNodes" in (plan.ml_policy or {}):
        message = say("numNodes and elasticPolicy are both set; remove numNodes, or set minNodes and maxNodes")
        yield Diagnostic(rules.ELASTIC_NUM_NODES, message, plan.runtime_place("spec", "mlPolicy", "numNodes"))
    nodes, (least, most) = (plan.trainer or {}).get("numNodes"), _range(plan)
    if nodes is not None and most is not None and not (least or 0) <= nodes <= most:
        message = say("numNodes {} is not between minNodes {} and maxNodes {}; correct it", nodes, least, most)
        yield Diagnostic(rules.ELASTIC_NUM_NODES, message, plan.job_place("spec", "trainer", "numNodes"))


def _range(plan: Plan) -> tuple[int | None, int | None]:
    """The least and the most nodes: one that is not set is the other one."""
    policy = _policy(plan) or {}
    least, most = policy.get("minNodes"), policy.get("maxNodes")
    return (most if least is None else least), (least if most is None else most)


def enforce(torch: Enforce, plan: Plan) -> Plan:
    """The work of the torch plugin, with an elastic rendezvous where the runtime requests one."""
    if not applies(plan):
        return torch(plan)
    least, most = _range(plan)
    plan = plan.with_jobset(plan.jobset.step("elastic"))
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    if pods is not None and most is not None:
        plan = plan.with_count(pods, most, _cause("maxNodes"))
    plan = torch(plan, meeting=_meet)
    pods = plan.by_ancestor(ANCESTOR_TRAINER)
    if pods is None or least is None or least == pods.size:
        return plan
    return _with_restarts(plan.with_least(pods, DerivedValue(least, (_cause("minNodes"),))))


def _with_restarts(plan: Plan) -> Plan:
    """A JobSet starts again as often as torchrun does, unless the template says how often."""
    restarts, pointer = (_policy(plan) or {}).get("maxRestarts"), ("spec", "failurePolicy", "maxRestarts")
    if restarts is None or plan.jobset.get(*pointer) is not None:
        return plan
    return plan.with_jobset(plan.jobset.put(pointer, restarts, copied=_cause("maxRestarts")))


def _cause(field: str) -> Cause:
    return (RUNTIME, *_POLICY, field)


def _meet(plan: Plan, processes: DerivedValue[Processes]) -> Meeting:
    """torchrun's c10d rendezvous: nodes may come and go, so they have no fixed numbers."""
    fixed = meet_at_first_node(plan, processes)
    restarts = (_policy(plan) or {}).get("maxRestarts")
    limit = [] if restarts is None else [env("PET_MAX_RESTARTS", str(restarts), _cause("maxRestarts"))]
    pods, (least, _) = plan.by_ancestor(ANCESTOR_TRAINER), _range(plan)
    if pods is None or least is None or least == pods.size:
        return fixed._replace(address=[*fixed.address, *limit])
    nodes = env("PET_NNODES", f"{least}:{pods.size}", *pods.because, _cause("minNodes"))
    endpoint = f"{first_node(plan)}:{TRAINER_PORT}"
    rendezvous = [
        env("PET_RDZV_BACKEND", "c10d"),
        env("PET_RDZV_ID", plan.name, NAME),
        env("PET_RDZV_ENDPOINT", endpoint, NAME),
    ]
    return Meeting([nodes, *_processes(fixed.ranks)], [*rendezvous, *limit])


def _processes(ranks: list[Upsert]) -> list[Upsert]:
    return [each for each in ranks if each.item["name"] == "PET_NPROC_PER_NODE"]
