"""The facts about Go's types as packaged: the pinned modules', and the overrides that only older Trainers have.

`python -m tests.unit.kube.facts.go_types` writes kubectl_trainjob/kube/facts/data/go_types.json (it needs Go).
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from kubectl_trainjob.kube.facts import types
from tests.conformance import upstream

FILE = Path(types.__file__).parent / "data" / "go_types.json"
Facts = dict[str, dict[str, str]]

_PACKAGE = "trainer/v1alpha1."
_OVERRIDES = {"2.0": "PodSpecOverride", "2.1": "PodTemplateOverride"}


# k8s.io/api v0.35, which only Trainer 2.2.0 has.
_WORKLOAD = "core/v1.WorkloadReference"
_WORKLOAD_FACTS = {"name": "!string", "podGroup": "!string", "podGroupReplicaKey": "string"}


def of_release(version: str | None = None) -> Facts:
    """All facts of one Trainer, the pinned one by default, by struct."""
    built = upstream.program("gotypes", *([version] if version else []))
    facts: Facts = json.loads(subprocess.run([built, "facts"], stdout=subprocess.PIPE, check=True).stdout)
    return facts


def override(version: str) -> Facts:
    """What a TrainJob of an older Trainer overrides Pods with, under names of its own: `trainer-2.1/v1alpha1.…`."""
    facts, waiting, found = of_release(version), [_PACKAGE + _OVERRIDES[version]], Facts()
    own = f"trainer-{version}/v1alpha1."
    while waiting:
        name = waiting.pop()
        waiting += [_PACKAGE + of for text in facts[name].values() for of in re.findall(rf"{_PACKAGE}(\w+)", text)]
        found[name.replace(_PACKAGE, own)] = {key: text.replace(_PACKAGE, own) for key, text in facts[name].items()}
    return found


def packaged() -> str:
    """The file's text: one struct a line."""
    facts = of_release() | override("2.0") | override("2.1") | {_WORKLOAD: _WORKLOAD_FACTS}
    facts["core/v1.PodSpec"]["workloadRef"] = f"*{_WORKLOAD}"
    lines = [
        f"{json.dumps(name)}:{json.dumps(facts[name], sort_keys=True, separators=(',', ':'))}" for name in sorted(facts)
    ]
    return "{" + "\n,".join(lines) + "}\n"


if __name__ == "__main__":
    FILE.write_text(packaged(), encoding="utf-8")
