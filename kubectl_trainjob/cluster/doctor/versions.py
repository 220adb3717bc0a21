"""Which versions a cluster has: of Kubernetes, of the definitions, and of the controllers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_trainjob.cluster.doctor.facts import JOB_SET, TRAIN_JOB, ClusterFacts, Requirements
from kubectl_trainjob.cluster.doctor.values import DoctorCheck, Level
from kubectl_trainjob.kube.facts.supported import SUPPORTED_TARGETS
from kubectl_trainjob.kube.schemas.load import field_paths, packaged

_KUBERNETES, _JOBSET = SUPPORTED_TARGETS["kubernetes"][-1], SUPPORTED_TARGETS["jobset"][-1]
_MOST = 3  # fields in a message


def check_kubernetes(facts: ClusterFacts, _wanted: Requirements) -> Iterator[DoctorCheck]:
    """The version of the API server against the one whose rules are checked offline."""
    found = re.match(r"v?(\d+)\.(\d+)", facts.kubernetes)
    if found is None:
        yield DoctorCheck("kubernetes", "note", "the server does not report a version")
    elif f"{found[1]}.{found[2]}" == _KUBERNETES:
        yield DoctorCheck("kubernetes", "ok", f"Kubernetes {facts.kubernetes}")
    else:
        message = f"Kubernetes {facts.kubernetes}; build and lint use the rules of {_KUBERNETES}"
        yield DoctorCheck("kubernetes", "note", message, "use apply --dry-run=server to test with this server")


def check_definitions(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """Whether the kinds exist, and have the fields that a build may print."""
    if JOB_SET not in facts.kinds:
        yield DoctorCheck("jobset", "error", f"the cluster has no JobSets ({JOB_SET[0]})", f"install JobSet {_JOBSET}")
    else:
        yield _definition(facts, "jobset", JOB_SET, _JOBSET, "error")
    if TRAIN_JOB in facts.kinds:
        level: Level = "error" if wanted.emit == "trainjob" else "warning" if facts.has_trainer else "note"
        yield _definition(facts, "trainer", TRAIN_JOB, wanted.trainer, level)
    elif wanted.emit == "trainjob":
        message = f"the cluster has no TrainJobs ({TRAIN_JOB[0]})"
        yield DoctorCheck("trainer", "error", message, f"install Trainer {wanted.trainer}, or use emit: jobset")


def _definition(facts: ClusterFacts, product: str, kind: tuple[str, str], target: str, level: Level) -> DoctorCheck:
    live = {path for path in facts.fields.get(kind, ()) if path.startswith("spec")}
    if not live:
        return DoctorCheck(product, "note", f"the server does not publish the fields of {kind[1]}s")
    known = {version: _spec_fields(f"{product}-{version}", kind) for version in packaged(product)}
    same = [version for version, fields in known.items() if fields == live]
    if target in same or known[target] == live:
        return DoctorCheck(product, "ok", f"the definition of {kind[1]} is that of {product} {target}")
    nearest = min(known, key=lambda version: len(known[version] ^ live))
    missing = sorted(known[target] - live)
    name = f"{'like' if known[nearest] != live else 'that of'} {product} {nearest}"
    if not missing:
        message = f"the definition of {kind[1]} is {name}, newer than the target {target}"
        return DoctorCheck(product, "warning", message, f"set target.{product} in trainjob.yaml")
    lacks = ", ".join(missing[:_MOST]) + (f" and {len(missing) - _MOST} more" if len(missing) > _MOST else "")
    message = f"the definition of {kind[1]} is {name}; the target {target} has more fields: {lacks}"
    return DoctorCheck(product, level, message, f"install {product} {target}, or set target.{product} in trainjob.yaml")


def _spec_fields(product: str, kind: tuple[str, str]) -> set[str]:
    return {path for path in field_paths(product, *kind) if path.startswith("spec")}


def check_controllers(facts: ClusterFacts, wanted: Requirements) -> Iterator[DoctorCheck]:
    """The versions of the controllers, and whether their Pods are ready."""
    targets = {"JobSet": _JOBSET, "Trainer": wanted.trainer}
    for name, controller in facts.controllers.items():
        if controller is None:
            continue
        target, version = targets.get(name, ""), controller.version
        id_ = f"controller-{name.lower()}"
        if not controller.ready:
            message = f"the controller of {name} has no ready Pod"
            level: Level = "error" if name == "JobSet" or wanted.emit == "trainjob" else "warning"
            yield DoctorCheck(id_, level, message, "see its Pods: kubectl get pods -A | grep controller-manager")
        elif target and version and not _is_release_of(version, target):
            message = f"{name} {version} runs; the target is {target}"
            yield DoctorCheck(
                id_, "error", message, f"install {name} {target}, or set target.{name.lower()} in trainjob.yaml"
            )
        else:
            yield DoctorCheck(id_, "ok", f"{name} {version} runs" if version else f"the controller of {name} runs")


def _is_release_of(version: str, target: str) -> bool:
    return version == target or version.startswith((f"{target}.", f"{target}-"))
