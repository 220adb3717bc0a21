"""Inputs whose pods, jobs and patches are filled at random along upstream's Go types, every field of them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from tests.conformance.inputs.containers import policy
from tests.conformance.inputs.shapes import Body, Topic, job_patch, patch, runtime, trainjob

Facts = Mapping[str, Mapping[str, Mapping[str, Any]]]  # what the recorder's mode `types` prints

_STRINGS = [
    "a",
    "",
    "b-1",
    "Always",
    "1",
    "true",
    "é ✓",
    "x.y/z",
    "0x1F",
    "~",
    " pad ",
    "a: b # c",
    "1e3",
    "line\nbreak\n",
]
_KEYS = ["k", "k2", "a.io/k"]
_QUANTITIES = ["1", "0.5", "1500m", "1Gi", "1024Ki", "1e3", "0", 2]
_METADATA = ("labels", "annotations")


class _Filler:
    """Fills structs; `budget` bounds how many fields one input gets."""

    def __init__(self, facts: Facts, rng: random.Random, budget: int) -> None:
        self._facts, self._rng, self._budget = facts, rng, budget

    def struct(self, name: str, chance: float = 0.3, without: tuple[str, ...] = ()) -> Body:
        """An object of a type: what Go always writes (it is mostly required) and some of the rest."""
        fields = sorted(self._facts[name].items())
        self._rng.shuffle(fields)
        made: Body = {}
        for field, facts in fields:
            if field in without or (name == "meta/v1.ObjectMeta" and field not in _METADATA):
                continue
            if facts.get("keep") or (self._budget > 0 and self._rng.random() < chance):
                self._budget -= 1
                made[field] = self._value(facts, chance * 0.8)
        return made

    def _value(self, facts: Mapping[str, Any], chance: float) -> Any:
        kind = facts["kind"]
        if kind == "struct":
            return self.struct(facts["of"], chance)
        if kind == "list":
            return self.list(facts["elem"], facts.get("mergeKey"), chance)
        if kind == "map":
            return {key: self._value(facts["elem"], chance) for key in self._rng.sample(_KEYS, self._rng.randint(0, 2))}
        return self._scalar(kind)

    def list(self, element: Mapping[str, Any], merge_key: str | None, chance: float) -> list[Any]:
        """A short list; items of a keyed list get different keys of few, so that patches meet what they patch."""
        items = [self._value(element, chance) for _ in range(self._rng.randint(0, 3) if self._budget > 0 else 0)]
        if merge_key is None and "name" in self._facts.get(element.get("of", ""), ()):
            merge_key = "name"
        if merge_key:
            for item, number in zip(items, self._rng.sample(range(1, 5), len(items)), strict=True):
                item[merge_key] = number if isinstance(item.get(merge_key), int) else f"n{number}"
        return items

    def _scalar(self, kind: str) -> Any:
        rng = self._rng
        match kind:
            case "string":
                return rng.choice(_STRINGS)
            case "bool":
                return rng.random() < 0.5
            case "quantity":
                return rng.choice(_QUANTITIES)
            case "intOrString":
                return rng.choice([0, 80, "http", "50%"])
            case "time":
                return "2026-01-02T03:04:05Z"
        return rng.choice([0, 1, 5])


def _pod(filler: _Filler, rng: random.Random) -> Body:
    pod = filler.struct("core/v1.PodSpec", 0.35, ("containers", "ephemeralContainers"))
    others = filler.list({"kind": "struct", "of": "core/v1.Container"}, "name", 0.3)[:1]
    pod["containers"] = [{**filler.struct("core/v1.Container", 0.4), "name": "node"}, *others]
    rng.shuffle(pod["containers"])
    return pod


def _pod_patch(filler: _Filler, pod: Body, rng: random.Random) -> Body:
    made = filler.struct("trainer/v1alpha1.PodSpecPatch", 0.5)
    for kind in ("containers", "initContainers"):
        present = [container["name"] for container in pod.get(kind, [])]
        chosen = rng.sample(present, rng.randint(0, len(present)))
        if kind in made:
            made[kind] = [{**filler.struct("trainer/v1alpha1.ContainerPatch", 0.6), "name": name} for name in chosen]
    return made


def _make(facts: Facts, rng: random.Random) -> list[Body]:
    filler = _Filler(facts, rng, rng.randint(10, 70))
    pod = _pod(filler, rng)
    job = filler.struct("batch/v1.JobSpec", 0.15, ("template", "selector", "manualSelector"))
    template = {"metadata": filler.struct("meta/v1.ObjectMeta", 0.3), "spec": pod}
    node: Body = {"name": "node", "template": {"spec": {**job, "template": template}}}
    node["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    fields: Body = {}
    if rng.random() < 0.7:
        count = rng.randint(1, 2)
        made = [job_patch("node", _pod_patch(_Filler(facts, rng, 40), pod, rng)) for _ in range(count)]
        fields["runtimePatches"] = [patch(one, manager=f"acme.io/m{i}") for i, one in enumerate(made)]
    trainer = _Filler(facts, rng, 12).struct("trainer/v1alpha1.Trainer", 0.3)
    launched: Body = {"numNodes": 2, **rng.choice([{"flux": {}}, {"mpi": {}}, {"mpi": {"runLauncherAsNode": True}}])}
    chosen = policy(rng) if rng.random() < 0.7 else launched
    own: Body = {}
    if rng.random() < 0.2:
        own["volumeClaimPolicies"] = [_claims(_Filler(facts, rng, 30))]
        pod["containers"][0]["volumeMounts"] = [{"name": "claim", "mountPath": "/claim"}]
    return [runtime(chosen, node, **own), trainjob(trainer, **fields)]


def _claims(filler: _Filler) -> Body:
    """A JobSet's volumeClaimPolicy with one claim."""
    spec = filler.struct("core/v1.PersistentVolumeClaimSpec", 0.5)
    metadata = filler.struct("meta/v1.ObjectMeta", 0.3)
    return {"templates": [{"metadata": {**metadata, "name": "claim"}, "spec": spec}]}


def topics(facts: Facts, count: int) -> tuple[Topic, ...]:
    """One topic of `count` inputs."""
    return (Topic("typed", count, lambda rng: _make(facts, rng)),)
