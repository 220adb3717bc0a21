"""Objects and JobSets, good and broken, and what upstream's admission said of them.

`python -m tests.unit.kube.admission.questions` records the answers again (it needs Go) into data/verdicts.json.gz: a
list of `[object, rejected]`. The `go` tests ask live.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from kubectl_trainjob.kube.schemas.load import _product
from tests.conformance import upstream
from tests.unit.kube.schemas.judge import broken, fitting

RECORDED = Path(__file__).parent / "data" / "verdicts.json.gz"
API_VERSION = "trainer.kubeflow.org/v1alpha1"
KINDS = ("TrainJob", "ClusterTrainingRuntime", "TrainingRuntime")

Body = dict[str, Any]
UpdateResult = tuple[Body, bool]

_NAMES = ("node", "launcher", "loader", "a", "b-c", "x" * 40)
_ODD_NAMES = (*_NAMES, "Bad", "2")
_CLAIMS = ("data", "ckpt", "Data", "c" * 40)


def objects(seeds: Iterable[int]) -> Iterator[Body]:
    """TrainJobs and runtimes of every shape, most of them with a fault or two."""
    product = _product("trainer-2.3")
    for seed in seeds:
        random = Random(seed)
        kind = random.choice(KINDS)
        root = product._schemas[product.kinds[f"{API_VERSION}/{kind}"]["root"]]
        spec = fitting(product._schemas, root["properties"]["spec"], random)
        if random.random() < 0.8:
            _keep_rules(spec)
        for _ in range(random.choice([0, 1, 1, 2])):
            spec = broken(spec, random)
        yield {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": "a"}, "spec": spec}


def _keep_rules(spec: Body) -> None:
    """Take out what CEL rules would nearly always reject."""
    spec.pop("managedBy", None)
    for initializer in spec.get("initializer", {}).values():
        initializer.pop("storageUri", None)
    for policy in list(spec.get("mlPolicy", {}))[1:]:
        spec["mlPolicy"].pop(policy)


def expansions(seeds: Iterable[int]) -> Iterator[str]:
    """Streams of a runtime without policy and its TrainJob, whose JobSet has faults that JobSet's admission sees."""
    for seed in seeds:
        random = Random(seed)
        spec = {"template": {"spec": _Template(random).spec()}}
        runtime = {"apiVersion": API_VERSION, "kind": "ClusterTrainingRuntime", "metadata": {"name": "r"}, "spec": spec}
        name = random.choice(["j", "job-1", "n" * random.randint(20, 63)])
        ref = {"runtimeRef": {"name": "r"}}
        job = {"apiVersion": API_VERSION, "kind": "TrainJob", "metadata": {"name": name}, "spec": ref}
        yield f"{json.dumps(runtime)}\n---\n{json.dumps(job)}\n"


class _Template:
    """A JobSetSpec from small pools of names, so that references hit and miss."""

    def __init__(self, random: Random) -> None:
        self.random = random
        pool = _ODD_NAMES if random.random() < 0.2 else _NAMES
        self.names = random.sample(pool, random.randint(1, 4))

    def maybe(self, chance: float, **fields: Any) -> Body:
        return fields if self.random.random() < chance else {}

    def any_name(self) -> str:
        return self.random.choice([*self.names, *self.names, "nope"])

    def spec(self) -> Body:
        choice = self.random.choice
        networks = [
            {},
            {"enableDNSHostnames": False},
            *({"subdomain": name} for name in ("s", "S", "a.b", "s" * 50, "s" * 64)),
        ]
        managers = ["acme.io/x", "acme", "A.b/c", "a/b", "jobset.sigs.k8s.io/jobset-controller", "acme.io/" + "x" * 60]
        return {
            "replicatedJobs": [self.job(name) for name in self.names],
            **self.maybe(0.2, successPolicy={"operator": "All", "targetReplicatedJobs": [self.any_name()]}),
            **self.maybe(0.2, startupPolicy={"startupPolicyOrder": choice(["AnyOrder", "InOrder"])}),
            **self.maybe(0.2, network=choice(networks)),
            **self.maybe(0.3, failurePolicy=self.failure_policy()),
            **self.maybe(0.2, coordinator=self.coordinator()),
            **self.maybe(0.3, volumeClaimPolicies=self.claims()),
            **self.maybe(0.1, managedBy=choice(managers)),
        }

    def job(self, name: str) -> Body:
        choice, maybe = self.random.choice, self.maybe
        others = self.random.sample([*self.names, "nope"], self.random.randint(0, 2))
        spec = {
            "template": {"spec": self.pod()},
            **maybe(0.3, completionMode=choice(["Indexed", "NonIndexed"])),
            **maybe(0.4, parallelism=choice([1, 3, 12, 70000])),
        }
        return {
            "name": name,
            "template": {"spec": spec},
            **maybe(0.2, replicas=choice([0, 1, 2, 40000])),
            **maybe(0.1, groupName=choice(["g", "G", "1", "g" * 64, "a-b"])),
            **maybe(0.15, dependsOn=[{"name": other, "status": "Ready"} for other in others]),
        }

    def pod(self) -> Body:
        mounts = [{"name": name, "mountPath": f"/{name}"} for name in _CLAIMS if self.random.random() < 0.5]
        ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": self.random.choice(["TCP", "UDP"])}]
        container = {"name": "node", "image": "a:1", "volumeMounts": mounts, **self.maybe(0.1, ports=ports)}
        volumes = [{"name": self.random.choice(["data", "v"]), "emptyDir": {}}]
        return {"containers": [container], **self.maybe(0.1, volumes=volumes), **self.maybe(0.2, restartPolicy="Never")}

    def failure_policy(self) -> Body:
        strategies = ["Recreate", "BlockingRecreate", "InPlaceRestart"]
        rules = [self.rule() for _ in range(self.random.randint(0, 3))]
        return {"rules": rules, **self.maybe(0.3, restartStrategy=self.random.choice(strategies), maxRestarts=3)}

    def rule(self) -> Body:
        choice = self.random.choice
        return {
            "name": choice(["a", "b", "c", "d", "ok_", "1", "x:", "", "r" * 129, "failurePolicyRule1"]),
            "action": choice(["FailJobSet", "FailJobSet", "FailJobSet", "RestartJobSet", "RestartJob"]),
            **self.maybe(0.3, onJobFailureReasons=[choice(["PodFailurePolicy", "FailedIndexes", "Nope"])]),
            **self.maybe(0.3, targetReplicatedJobs=[self.any_name()]),
        }

    def coordinator(self) -> Body:
        index = self.random.choice
        return {
            "replicatedJob": self.any_name(),
            **self.maybe(0.5, jobIndex=index([0, 1, 2])),
            **self.maybe(0.5, podIndex=index([0, 1, 2, 11])),
        }

    def claims(self) -> list[Body]:
        names = [self.random.choice([*_CLAIMS, "data", "ckpt", ""]) for _ in range(self.random.randint(1, 2))]
        templates = [{"metadata": {"name": name} if name else {}, "spec": {}} for name in names]
        if self.random.random() < 0.1:
            del templates[0]["metadata"]
        return [{"templates": templates, **self.maybe(0.3, retentionPolicy={})}]


def ask_objects(seeds: Iterable[int]) -> list[UpdateResult]:
    """Upstream's verdicts on `objects`: the API server's and the runtime webhook's, not the TrainJob webhook's."""
    bodies = list(objects(seeds))
    answers = upstream.ask("record", ({"name": "", "docs": json.dumps(body)} for body in bodies))
    return [(body, _rejected(answer)) for body, answer in zip(bodies, answers, strict=True)]


def _rejected(answer: Body) -> bool:
    found = [finding["stage"] for job in answer["jobs"] for finding in job.get("findings") or ()]
    admission = {"schema", "cel", "unknown-field"}.intersection(found)
    return bool(answer.get("stream-error") or answer.get("runtime-findings") or admission)


def ask_jobsets(seeds: Iterable[int]) -> list[UpdateResult]:
    """Upstream's verdicts on the JobSets of `expansions`."""
    answers = upstream.ask("record", ({"name": "", "docs": text} for text in expansions(seeds)))
    verdicts = []
    for job in (job for answer in answers for job in answer["jobs"]):
        rejected = any(finding["stage"].startswith("jobset") for finding in job.get("findings") or ())
        verdicts += [(body, rejected) for body in job.get("objects") or () if body["kind"] == "JobSet"]
    return verdicts


def recorded() -> list[UpdateResult]:
    """The answers in the repository."""
    return [(body, rejected) for body, rejected in json.loads(gzip.decompress(RECORDED.read_bytes()))]


if __name__ == "__main__":
    text = json.dumps([*ask_objects(range(400)), *ask_jobsets(range(600))], separators=(",", ":"))
    RECORDED.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
