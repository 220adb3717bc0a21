"""`python -m tests.benchmark.controller [N]`: a controller that applies N TrainJobs on a real control plane.

Needs the programs of tests/cluster/build. Each TrainJob becomes a JobSet and a PodGroup, with a ConfigMap beside it.
The jobs are suspended: only the API server works besides. `--reconciles M` reconciles a small set M times in one
process, against a real API server, too, and prints how its memory grows.
"""

import argparse
import gc
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kubectl_trainjob.cli.training_set import built
from kubectl_trainjob.cluster.connection import KubeConnection
from kubectl_trainjob.cluster.controller.client import Client
from kubectl_trainjob.cluster.controller.reconcile import LoopSource, reconcile_once
from kubectl_trainjob.cluster.controller.source import directories
from kubectl_trainjob.cluster.controller.training_set import SetKey
from kubectl_trainjob.cluster.login import ConnectionOptions
from kubectl_trainjob.cluster.protocol import Clock
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.loop_site import install, training_set
from tests.cluster.apply.site import Site
from tests.cluster.plane.plane import Plane
from tests.cluster.plane.settings import free_ports

_LINE = "{:<44} {:>9} {:>9} {:>9} {:>9}"
_ACCOUNT = "admin"


class Usage(NamedTuple):
    """Of a process until now: requests, reconciles, CPU seconds, resident MiB now and at most."""

    requests: float
    reconciles: float
    cpu: float
    resident: float
    peak: float


def main() -> None:
    """Start the control plane, measure, print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark.controller", description=__doc__)
    parser.add_argument("size", nargs="?", type=int, default=1000, metavar="N", help="TrainJobs (default: 1000)")
    parser.add_argument("--reconciles", type=int, default=0, metavar="M", help="reconcile a small set M times instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Plane("jobset-manager") as plane:
        install(plane)
        namespace = "benchmark"
        plane.client.create_namespace(namespace)
        _allow(plane, namespace)
        site = Site(plane, namespace, Path(name) / "files", None)  # type: ignore[arg-type]
        if options.reconciles:
            _repeat(site, options.reconciles)
        else:
            _apply(site, options.size)


def _allow(plane: Plane, namespace: str) -> None:
    """Bind the service account of the sets to all rights."""
    group = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": _ACCOUNT, "namespace": namespace}
    role = {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"}
    head = {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": namespace}}
    plane.client.create({**head, "roleRef": role, "subjects": [subject]})


def _apply(site: Site, size: int) -> None:
    wanted = training_set(site, "s", interval="1m", suspend=True, serviceAccountName=_ACCOUNT)
    created = site.plane.client.create(wanted)
    path, revision = site.plane.client.path(created), ""
    with _controller(site) as usage:
        print(_LINE.format(f"{size} TrainJobs, {3 * size} objects", "requests", "CPU s", "wall s", "peak MiB"))
        for title, value in (("from nothing to applied", "1"), ("every tenth ConfigMap changed", "2")):
            site.files(*_objects(size, value))
            before, start = usage(), time.perf_counter()
            note = {"annotations": {"reconcile.fluxcd.io/requestedAt": value}}
            site.plane.client.merge(created, {"metadata": note, "spec": {"suspend": False}})
            revision = _wait_for(lambda old=revision: _new_revision(site, path, old))  # type: ignore[misc]
            _print(title, before, usage(), time.perf_counter() - start)
        _wait_for_reconciles(usage, 1)
        before, start = usage(), time.perf_counter()
        _wait_for_reconciles(usage, 2)
        _print("two reconciles, nothing changed", before, usage(), time.perf_counter() - start)


def _wait_for_reconciles(usage: Callable[[], Usage], count: int) -> None:
    last = usage().reconciles + count
    _wait_for(lambda: "done" if usage().reconciles >= last else "")


def _objects(size: int, value: str) -> list[Object]:
    jobs = [job(f"job-{number}", "gang", suspend=True) for number in range(size)]
    return [*jobs, *(config(f"c-{number}", value if number % 10 == 0 else "1") for number in range(size))]


def _new_revision(site: Site, path: str, old: str) -> str:
    status = site.plane.client.request("GET", path).get("status", {})
    ready = [each for each in status.get("conditions", []) if (each["type"], each["status"]) == ("Ready", "True")]
    found: str = status.get("lastAppliedRevision", "")
    return found if ready and found != old else ""


def _wait_for(ready: Callable[[], str]) -> str:
    while not (found := ready()):
        time.sleep(1)
    return found


def _print(title: str, before: Usage, after: Usage, seconds: float) -> None:
    figures = f"{after.requests - before.requests:.0f}", f"{after.cpu - before.cpu:.1f}", f"{seconds:.0f}"
    print(_LINE.format(title, *figures, f"{after.peak:.0f}"), flush=True)


@contextmanager
def _controller(site: Site) -> Iterator[Callable[[], Usage]]:
    """A running controller: what it has used so far."""
    port = free_ports(["metrics"])["metrics"]
    command = [sys.executable, "-m", "kubectl_trainjob", "controller", "run", "-n", site.namespace]
    command += [f"--directory=jobs={site.folder}", f"--metrics-bind-address=127.0.0.1:{port}"]
    environment = {**os.environ, "KUBECONFIG": str(site.plane.kubeconfig)}
    process = subprocess.Popen([*command, "--health-probe-bind-address=0"], env=environment)
    try:
        _wait_for(lambda: _page(port))
        yield lambda: _usage(process.pid, _page(port))
    finally:
        process.terminate()
        process.wait()


def _page(port: int) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=60) as response:
            text: str = response.read().decode()
            return text
    except OSError:
        return ""


def _usage(pid: int, page: str = "") -> Usage:
    names = "rest_client_requests_total", "controller_runtime_reconcile_total"
    found = [re.findall(rf"^{name}\{{.*\}} (\S+)$", page, re.MULTILINE) for name in names]
    requests, reconciles = (sum(map(float, each)) for each in found)
    status = Path(f"/proc/{pid}/status").read_text()
    resident, peak = (int(re.findall(rf"{name}:\s+(\d+)", status)[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return Usage(requests, reconciles, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), resident, peak)


def _repeat(site: Site, count: int) -> None:
    """Reconcile in this process; every tenth time the files have changed."""
    own = KubeConnection(ConnectionOptions(str(site.plane.kubeconfig)))
    client = Client(lambda user: own.as_user(user) if user else own, 30)
    clock = Clock(time.monotonic, time.sleep, random.random)
    source = LoopSource(directories({"jobs": str(site.folder)}), built, _ACCOUNT)
    site.files(config("a"), job("j", suspend=True))
    site.plane.client.create(training_set(site, "s", serviceAccountName=_ACCOUNT))
    print(f"{'reconciles':>10} {'resident MiB':>12} {'objects in memory':>18} {'CPU s':>8}")
    for number in range(count + 1):
        if number % 10 == 0:
            site.files(config("a", str(number)), job("j", suspend=True))
        outcome = reconcile_once(SetKey(site.namespace, "s"), source, client, clock)
        assert outcome.verdict
        assert outcome.verdict.is_ready, outcome.verdict
        if number % max(1, count // 10) == 0:
            gc.collect()
            usage = _usage(os.getpid())
            print(f"{number:>10} {usage.resident:>12.1f} {len(gc.get_objects()):>18} {usage.cpu:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
