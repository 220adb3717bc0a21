"""The CPU time of parts that no command runs alone: the loop and what a cluster answers, at N, 2N and 4N."""

from __future__ import annotations

import gc
import io
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from urllib3 import HTTPResponse

from kubectl_trainjob.cluster.connection import _lines
from kubectl_trainjob.cluster.controller.due_keys import DueKeys
from kubectl_trainjob.cluster.controller.metrics import Metrics
from kubectl_trainjob.cluster.controller.source_watches import SourceWatches
from kubectl_trainjob.cluster.controller.training_set import read_training_set
from kubectl_trainjob.cluster.errors import mask_data
from kubectl_trainjob.cluster.jobs.find import FoundJob
from kubectl_trainjob.cluster.jobs.seen import SeenJob
from kubectl_trainjob.cluster.jobs.status import status_of
from kubectl_trainjob.cluster.live_diff import changed_fields
from kubectl_trainjob.model.source import SourceFile
from kubectl_trainjob.model.stages import Body, identity_of
from kubectl_trainjob.repository.yaml.read import read_stream
from tests.gates.test_growth import exponent

pytestmark = [pytest.mark.gate, pytest.mark.slow]

_EXPONENT = 1.3
_ROUNDS = 8

Part = Callable[[], Any]


def _metrics(n: int) -> Part:
    def count() -> None:
        metrics = Metrics()
        for i in range(n):
            metrics.replace("trainjob_applied_objects", {"namespace": "n", "name": str(i)}, "kind", {"JobSet": 1})
        for i in range(n):
            metrics.forget("n", str(i))

    return count


def _queue(n: int) -> Part:
    def work() -> None:
        keys = DueKeys[int](lambda: 0.0)
        for i in range(n):
            keys.add(i)
        for _ in range(n):
            keys.done(keys.take() or 0)

    return work


def _sources(n: int) -> Part:
    def training_set(i: int) -> Body:
        source = {"kind": "GitRepository", "name": f"s{i}"}
        metadata = {"name": str(i), "namespace": "n", "uid": "u", "generation": 1}
        return {"metadata": metadata, "spec": {"sourceRef": source, "interval": "1m", "timeout": "1m", "path": "."}}

    def repository(i: int) -> Body:
        return {"kind": "GitRepository", "metadata": {"name": f"s{i}", "namespace": "n"}, "status": {}}

    sets, repositories = [read_training_set(training_set(i)) for i in range(n)], [*map(repository, range(n))]

    def follow() -> None:
        changed: list[Callable[[Body], None]] = []
        watches = SourceWatches(
            lambda _kind, _space, change: changed.append(change), lambda _key: None, is_everywhere=True
        )
        for each in sets:
            watches.note(each)
        while not changed:
            time.sleep(0.001)
        for each in repositories:
            changed[0](each)
        for each in sets:
            watches.forget(each.key)

    return follow


def _message(n: int) -> Part:
    sent = {"args": ["aaaa" + "b" * i for i in range(math.isqrt(n))]}
    text = "aaaa" + "b" * 30 + "c"
    return lambda: mask_data(f"{text} " * (n // len(text)), sent)


def _jobset(n: int, image: str) -> Body:
    env = [{"name": f"N{i}", "value": image} for i in range(n)]
    container = {"name": "node", "image": image, "env": env}
    job = {"name": "node", "template": {"spec": {"template": {"spec": {"containers": [container]}}}}}
    fields = {"f:env": {f'k:{{"name":"N{i}"}}': {".": {}, "f:name": {}, "f:value": {}} for i in range(n)}}
    below: Any = fields
    for key in (
        'k:{"name":"node"}',
        "f:containers",
        "f:spec",
        "f:template",
        "f:spec",
        "f:template",
        'k:{"name":"node"}',
    ):
        below = {key: below}
    managed = [{"manager": "m", "operation": "Apply", "fieldsV1": {"f:spec": {"f:replicatedJobs": below}}}]
    metadata = {"name": "j", "namespace": "n", "managedFields": managed}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {"replicatedJobs": [job]},
    }


def _live(n: int) -> Part:
    live, after = _jobset(n, "a"), _jobset(n, "b")
    return lambda: [*changed_fields(live, after, "2.3")]


def _pods(n: int) -> Part:
    owner = [{"uid": "b", "controller": True}]
    job = {"kind": "Job", "metadata": {"name": "j-node-0", "uid": "b"}, "spec": {"parallelism": n}}
    state = [{"name": "node", "restartCount": 1, "state": {"waiting": {"reason": "ImagePullBackOff"}}}]
    pods = [
        {
            "metadata": {"name": f"p{i}", "uid": f"p{i}", "ownerReferences": owner},
            "status": {"phase": "Pending", "containerStatuses": state if i == n - 1 else []},
        }
        for i in range(n)
    ]
    run = _jobset(n, "a")
    run["metadata"]["uid"] = "a"
    events = [{"reason": "Failed", "involvedObject": {"uid": f"p{i}"}, "message": f"no image {i}"} for i in range(n)]
    seen = SeenJob(FoundJob(identity_of(run), run, run, (job,)), "", tuple(pods), tuple(events))
    return lambda: status_of(seen)


def _log(n: int) -> Part:
    text = b"a" * n
    return lambda: [*_lines(HTTPResponse(io.BytesIO(text), preload_content=False))]


def _keys(n: int) -> Part:
    file = SourceFile("a.yaml", "apiVersion: v1\nkind: ConfigMap\n" + "kind: a\n" * n)
    return lambda: read_stream(file)


PARTS: dict[str, tuple[int, Callable[[int], Part]]] = {
    "numbers of TrainingSets": (2000, _metrics),
    "TrainingSets that are due": (2000, _queue),
    "sources of TrainingSets": (1000, _sources),
    "a message of the API server": (100000, _message),
    "fields of a live object": (1000, _live),
    "Pods of a job": (2000, _pods),
    "a line of a log": (8000000, _log),
    "duplicate keys": (5000, _keys),
}


@contextmanager
def _without_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds(part: Part) -> float:
    """The CPU time of a call."""
    with _without_collections():
        start = time.process_time()
        part()
        return time.process_time() - start


@pytest.mark.parametrize("name", PARTS)
def test_time_grows_as_the_input(name: str, note_figure) -> None:
    size, part = PARTS[name]
    parts = [part(factor * size) for factor in (1, 2, 4)]
    times = [math.inf] * len(parts)
    for _ in range(_ROUNDS):
        times = [min(old, seconds(each)) for old, each in zip(times, parts, strict=True)]
        if exponent(times) <= _EXPONENT:
            break
    shown = "  ".join(f"{each:5.2f}" for each in times)
    note_figure(f"{name:36} N = {size:6}  N, 2N, 4N: {shown} s  exponent {exponent(times):.2f}")
    assert exponent(times) <= _EXPONENT
