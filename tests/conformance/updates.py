"""The recorded updates: pairs of inputs, and what upstream's admission said to the second (see recorder/README.md)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import yaml

from kubectl_trainjob.kube.updates.result import State
from tests.conformance.cases import FOLDER, read_lines
from tests.conformance.harness import run_build

Object = dict[str, Any]
Findings = Mapping[State, list[Mapping[str, str]]]

_MULTIKUEUE = "kueue.x-k8s.io/multikueue"
_TRAINER = "trainer.kubeflow.org/trainjob-controller"

RESPELT = frozenset(
    {
        "job-annotation/022",
        "patch-gate/159",
        "patch-service-account/162",
        "patch-service-account/166",
        "patch-service-account/169",
        "patch-toleration/140",
        "patch-toleration/142",
        "patch-volume/171",
        "patch-volume/173",
        "patch-volume/176",
        "rt-grace/274",
        "rt-js-label/298",
        "rt-node-selector/217",
        "rt-node-selector/219",
        "runtime-rename/121",
    }
)
"""Updates that a server refuses for another spelling of a quantity if files are applied as they are: the recorder
leaves out Trainer's mutating webhook. As printed it accepts them; tests/cluster/test_updates.py asks about each.
"""


class Recorded(NamedTuple):
    """An update; `trainjob` and `jobset` have the findings by state."""

    name: str
    old: str
    new: str
    trainjob: Findings
    jobset: Findings


@cache
def recorded() -> list[Recorded]:
    """All of them."""
    return [Recorded(**line) for line in read_lines(FOLDER / "updates.jsonl.xz")]


def for_trainer(text: str, *options: str) -> list[Object]:
    """Runtimes and TrainJobs of an input, as a build with these options prints them."""
    return _built(text, "--emit", "trainjob", *options)


def train_job_of(text: str, *options: str) -> Object:
    """The TrainJob of an input."""
    return next(one for one in for_trainer(text, *options) if one["kind"] == "TrainJob")


def train_job_as_written(text: str) -> Object:
    """The TrainJob of an input as `kubectl apply` would send it."""
    return next(one for one in yaml.safe_load_all(text) if one["kind"] == "TrainJob")


def jobset_of(text: str, *options: str) -> Object:
    """What the TrainJob becomes where Trainer manages it: who does is not in the JobSet."""
    built = _built(text.replace(_MULTIKUEUE, _TRAINER), *options)
    return next(one for one in built if one["kind"] == "JobSet")


def _built(text: str, *options: str) -> list[Object]:
    outcome = run_build(text, *options)
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.objects
